package passes

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nirc/internal/mangle"
	"nirc/ir"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:generate go test -run TestLimits -update .

// limitsTable has what TestLimits found when it was last told to write it.
const limitsTable = "testdata/limits.tsv"

// TestLimits runs each pass on the shaders of its own tests with every number among its options one less and one more than these tests and the
// default have it, and with each variable mode by itself, and on some that are nearly these: the table has by test how many of the lists change the shader and how many refuse it,
// and a digest of what they make of it. Where a change of a pass is meant to change that, -update (go generate) writes the table again.
func TestLimits(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	words := readWords(t)
	var b strings.Builder
	b.WriteString("test\tlists\tchanged\trefused\tdigest\n")
	for _, f := range files {
		ar, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		lists := limitLists(Find(filepath.Base(filepath.Dir(f))), string(ar.Comment))
		if len(lists) == 0 {
			continue
		}
		text := string(ar.Files[slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == "in" })].Data)
		in, err := ir.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		x := limitRun{sum: sha256.New()}
		x.on(t, f, in, lists)
		r := rand.New(rand.NewPCG(uint64(len(ar.Comment)), 1))
		m := mangle.New(text, words)
		for n := 0; n < limitShaders; n++ {
			if in, err := ir.Parse(m.Mangled(r)); err == nil && ir.Validate(in) == nil {
				x.on(t, f, in, lists)
			}
		}
		fmt.Fprintf(&b, "%s\t%d\t%d\t%d\t%x\n", strings.TrimPrefix(filepath.ToSlash(f), "testdata/"), len(lists), x.changed, x.refused, x.sum.Sum(nil)[:8])
	}
	checkTable(t, limitsTable, b.String())
}

// limitShaders is how many shaders are tried that are nearly one.
const limitShaders = 8

// limitRun counts and digests what lists make of shaders.
type limitRun struct {
	changed, refused int
	sum              hash.Hash
}

// on runs each list on a shader.
func (x *limitRun) on(t *testing.T, file string, in *ir.Shader, lists []string) {
	locate(in)
	for _, l := range lists {
		p, err := ParsePassList(l)
		if err != nil {
			fmt.Fprintln(x.sum, err)
			x.refused++
			continue
		}
		s := ir.Clone(in)
		requireAll(s)
		run := eachRun{name: l, p: p}
		switch out := run.on(t, s, file); {
		case strings.HasPrefix(out, refusedWith):
			x.refused++
			fmt.Fprintln(x.sum, l, out)
		case out != "":
			x.changed++
			fmt.Fprintln(x.sum, l, out)
		}
	}
}

// limit is a number that an option is set to.
var limit = regexp.MustCompile(`=(\d+)\b`)

// limitLists are lists of passes whose numbers are one off those of a test, and those of a pass by itself with each of its options elsewhere.
func limitLists(p *Pass, comment string) (lists []string) {
	for line := range strings.Lines(comment) {
		l, ok := strings.CutPrefix(line, "passes:")
		if !ok {
			continue
		}
		l = strings.TrimSpace(l)
		for _, at := range limit.FindAllStringSubmatchIndex(l, -1) {
			n, err := strconv.Atoi(l[at[2]:at[3]])
			if err != nil {
				continue // larger than any limit
			}
			for _, k := range []int{n - 1, n + 1} {
				if k >= 0 {
					lists = append(lists, l[:at[2]]+strconv.Itoa(k)+l[at[3]:])
				}
			}
		}
	}
	if p == nil {
		return lists
	}
	for _, o := range p.Options {
		switch v := o.Default.(type) {
		case int:
			for _, k := range []int{v - 1, v + 1} {
				lists = append(lists, fmt.Sprintf("%s(%s=%d)", p.Name, o.Name, k))
			}
		case ir.Mode:
			for m := ir.Mode(1); m != 0; m <<= 1 {
				if ir.ParseMode(m.String()) == m {
					lists = append(lists, fmt.Sprintf("%s(%s=%s)", p.Name, o.Name, m))
				}
			}
		}
	}
	slices.Sort(lists)
	return slices.Compact(lists)
}
