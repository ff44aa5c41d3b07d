package glsl

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Store keeps what was compiled. It is safe for concurrent use, and what it loses is compiled again.
type Store interface {
	// Get returns what was put under a key, nil if it is not there.
	Get(key [sha256.Size]byte) []byte
	// Put keeps data.
	Put(key [sha256.Size]byte, data []byte)
	// GetModule returns SPIR-V by its digest, nil if it is not there.
	GetModule(digest [sha256.Size]byte) []byte
	// PutModule keeps SPIR-V and returns its digest.
	PutModule(spirv []byte) [sha256.Size]byte
}

// made says what a compile read, of a text, of flags and of a compiler that are those of its key, and what came of it.
type made struct {
	Files  []file   `json:"files,omitempty"`  // that were included
	Missed []string `json:"missed,omitempty"` // that would be, or may be, included if they were there
	Module string   `json:"module"`           // digest of the SPIR-V
}

type file struct {
	Path string `json:"path"`
	Sum  string `json:"sha256"`
}

// maxMade is how many outcomes a key keeps, the last first: of headers that go to and fro, say with a branch.
const maxMade = 8

// compileKept is compile, unless the store has it.
func compileKept(ctx context.Context, t *tool, path, stage string, o Options) (*Result, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	key, err := keyOf(t, text, path, stage, &o)
	if err != nil {
		return nil, err
	}
	var known []made
	if data := o.Store.Get(key); data != nil && json.Unmarshal(data, &known) != nil {
		known = nil // not ours, or of another version
	}
	sums := sums{}
	for i := range known {
		if !known[i].holds(sums) {
			continue
		}
		if spirv := o.Store.GetModule(parseSum(known[i].Module)); spirv != nil {
			r := &Result{SPIRV: spirv, Kept: true}
			if o.Deps {
				for _, f := range known[i].Files {
					r.Deps = append(r.Deps, f.Path)
				}
			}
			return r, nil
		}
	}
	wanted, start := o.Deps, time.Now()
	o.Deps = true
	r, err := compile(ctx, t, path, stage, o)
	if err != nil {
		return nil, err
	}
	if m, ok := newMade(text, path, &o, r, start); ok {
		known = slices.Insert(slices.DeleteFunc(known, func(k made) bool { return slices.Equal(k.Files, m.Files) && slices.Equal(k.Missed, m.Missed) }), 0, m)
		if data, err := json.Marshal(known[:min(len(known), maxMade)]); err == nil {
			o.Store.Put(key, data)
		}
	}
	if !wanted {
		r.Deps = nil
	}
	return r, nil
}

// keyOf is the digest of all that is known before a compile. The path is a part: places are told by it, and it is where #include begins.
func keyOf(t *tool, text []byte, path, stage string, o *Options) ([sha256.Size]byte, error) {
	id, err := t.identity()
	args := *o
	args.Deps = false
	return sha256.Sum256(fmt.Appendf(nil, "nirc front end 1\n%x %q %q\n%q %x", id, t.args(stage, "", &args), o.PreInclude, path, sha256.Sum256(text))), err
}

// holds reports whether all that was read is as it was.
func (m *made) holds(known sums) bool {
	for _, f := range m.Files {
		if known.of(f.Path) != f.Sum {
			return false
		}
	}
	return !slices.ContainsFunc(m.Missed, func(path string) bool { return known.of(path) != "" })
}

// sums are the digests of files' contents in hexadecimal digits, "" of what is no file, each looked at once.
type sums map[string]string

func (s sums) of(path string) string {
	sum, known := s[path]
	if !known {
		if data, err := os.ReadFile(path); err == nil {
			sum = fmt.Sprintf("%x", sha256.Sum256(data))
		} else if st, e := os.Stat(path); e == nil && !st.IsDir() {
			sum = "unreadable" // and none that was read
		}
		s[path] = sum
	}
	return sum
}

func parseSum(s string) (sum [sha256.Size]byte) {
	b, _ := hex.DecodeString(s) // what is no digest is none that there is
	copy(sum[:], b)
	return sum
}

// included finds what may be the name of a header after the word include, whatever stands between: a name too many costs a look, no more.
var included = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("include[^\n\"<]*(?:\"([^\"\n]+)\"|<([^>\n]+)>)")
})

// newMade describes a compile. The places where a header was looked for and missed are not told by the compilers: they are
// among those that any of the directories makes with any of the names, which are all kept. ok is false if a file
// was written since the start: what was compiled may be what stood in it before.
func newMade(text []byte, path string, o *Options, r *Result, start time.Time) (m made, ok bool) {
	sums, texts := sums{}, [][]byte{text}
	dirs := append([]string{filepath.Dir(path)}, o.Include...)
	for _, d := range r.Deps {
		m.Files = append(m.Files, file{d, sums.of(d)})
		data, err := os.ReadFile(d)
		if err != nil || writtenSince(d, start) {
			return m, false
		}
		texts, dirs = append(texts, data), append(dirs, filepath.Dir(d))
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, text) || writtenSince(path, start) {
		return m, false
	}
	var names []string
	for _, t := range texts {
		for _, n := range included().FindAllStringSubmatch(strings.ReplaceAll(string(t), "\\\n", ""), -1) {
			names = append(names, n[1]+n[2])
		}
	}
	m.miss(sums, names, dirs)
	m.miss(sums, o.PreInclude, o.preIncludeDirs(path))
	slices.Sort(m.Missed)
	m.Missed = slices.Compact(m.Missed)
	m.Module = fmt.Sprintf("%x", o.Store.PutModule(r.SPIRV))
	return m, true
}

// miss adds the places of names in directories where there is no file.
func (m *made) miss(sums sums, names, dirs []string) {
	for _, n := range names {
		for _, d := range dirs {
			p := filepath.Join(d, n)
			if filepath.IsAbs(n) {
				p = filepath.Clean(n)
			}
			if sums.of(p) == "" {
				m.Missed = append(m.Missed, p)
			}
		}
	}
}

func writtenSince(path string, start time.Time) bool {
	st, err := os.Stat(path)
	return err != nil || st.ModTime().After(start)
}
