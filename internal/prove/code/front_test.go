package code

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nirc/frontend/spirv"
	"nirc/frontend/spirv/spv"
	"nirc/internal/amber"
	"nirc/internal/mangle"
	"nirc/internal/prove"
	"nirc/ir"
)

//go:generate go test -run TestFront -update .

// source is a module's text and the version it is assembled for.
type source struct {
	text    string
	version uint16
}

// sources are those of a file, or some of many.
type sources struct {
	name string
	list []source
}

// TestFront reads modules, and each as often as said with a few changes, which most readers and checks of the frontend say something
// about: what they say, and the IR of what is a module still, is that of the table, or a change means to change it (go generate).
func TestFront(t *testing.T) {
	rows := map[string]string{}
	for _, g := range ownSources(t) {
		frontRow(rows, g, 80)
	}
	corpus := scriptSources(t)
	for i := 0; len(corpus) > 0; i++ {
		n := min(100, len(corpus))
		frontRow(rows, sources{fmt.Sprint("scripts ", i), corpus[:n]}, 2)
		corpus = corpus[n:]
	}
	compareRows(t, "front", rows)
}

// compareRows compares the rows of a kind with the table's, or writes them. Their first column has a digest of the texts: of texts that
// are others nothing is known.
func compareRows(t *testing.T, kind string, got map[string]string) {
	t.Helper()
	want := read(t)
	if *update {
		corpus := slices.ContainsFunc(sorted(got), func(key string) bool { return strings.HasPrefix(key, "front scripts") })
		for key := range want { // of texts that are no more, except for a corpus that is not laid out
			if strings.HasPrefix(key, kind+" ") && (corpus || !strings.HasPrefix(key, "front scripts")) {
				delete(want, key)
			}
		}
		write(t, want, got)
		return
	}
	others := 0
	for _, key := range sorted(got) {
		switch row, ok := want[key]; {
		case !ok:
			others++
		case row != got[key]:
			t.Errorf("%s: texts, compiled, refused, bytes, digest: %s; the table has %s", key, got[key], row)
		}
	}
	if others == len(got) {
		t.Errorf("%s has none of %d groups", table, others)
	}
	if t.Failed() {
		t.Error("if the change of the compiler means to, go generate ./internal/prove/code writes these rows")
	}
	t.Logf("%d rows, %d of other texts than the table's", len(got), others)
}

// frontRow adds the row of texts that are read as they are and n times changed.
func frontRow(rows map[string]string, g sources, n int) {
	var f reading
	f.sum = sha256.New()
	of := sha256.New()
	for i, s := range g.list {
		of.Write([]byte(s.text))
		f.module(s.text, s.version)
		r := rand.New(rand.NewPCG(uint64(i), 0))
		m := mangle.New(s.text, opWords)
		for range n {
			f.module(m.Mangled(r), s.version)
		}
	}
	rows[fmt.Sprintf("front %s %x\ttranslate", g.name, of.Sum(nil)[:4])] = f.row()
}

// reading counts what is read, and digests what comes of it.
type reading struct {
	sum                             hash.Hash
	texts, compiled, refused, bytes int
}

// row is the columns that say what became of it all.
func (f *reading) row() string {
	return fmt.Sprintf("%d\t%d\t%d\t%d\t%x", f.texts, f.compiled, f.refused, f.bytes, f.sum.Sum(nil)[:8])
}

// add adds IR.
func (f *reading) add(data []byte) {
	f.bytes += len(data)
	f.sum.Write(data)
}

// refuse adds what is wrong.
func (f *reading) refuse(err error) {
	f.refused++
	fmt.Fprintln(f.sum, err)
}

// opWords are the operations, any of which may stand where another does.
var opWords = func() *mangle.Words {
	var list []string
	for op := range spv.Op(6000) {
		if s := op.String(); strings.HasPrefix(s, "Op") {
			list = append(list, s)
		}
	}
	return mangle.NewWords(list)
}()

// module assembles a text and translates each of its entry points.
func (f *reading) module(text string, version uint16) {
	f.texts++
	words, err := spv.Assemble(text, spv.AssembleOptions{Version: version, PreserveNumericIDs: true})
	if err != nil {
		f.refuse(err)
		return
	}
	m, err := spv.ParseWords(words)
	if err != nil {
		f.refuse(err)
		return
	}
	fmt.Fprintln(f.sum, spv.Disassemble(m, spv.DisassembleOptions{}))
	for _, e := range spirv.EntryPoints(m) {
		s, err := spirv.Translate(m, spirv.Options{Entry: e.Name, Stage: e.Stage, Debug: true})
		if err != nil {
			f.refuse(err)
			continue
		}
		f.compiled++
		f.add(ir.Serialize(s, ir.SerializeOptions{}))
	}
	fmt.Fprintln(f.sum, spirv.SpecConstants(m))
}

// ownSources are the modules of the repository that are no parts of one, by file.
func ownSources(t *testing.T) (list []sources) {
	t.Helper()
	root := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(filepath.ToSlash(path), "../../../")
		if err != nil || d.IsDir() || !strings.Contains("/"+name, "/testdata/") {
			return err
		}
		var in []source
		data := func() (data []byte) {
			data, err = os.ReadFile(path)
			return data
		}
		switch filepath.Ext(path) {
		case ".spvasm":
			in = []source{{string(data()), 0x0105}}
		case ".amber":
			in = scriptModules(path, data())
		case ".spv":
			if m, err := spv.Parse(data()); err == nil {
				in = []source{{spv.Disassemble(m, spv.DisassembleOptions{}), 0x0105}}
			}
		}
		if len(in) > 0 {
			list = append(list, sources{name, in})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// scriptSources are the modules that the corpus's scripts have as assembly, each text once.
func scriptSources(t *testing.T) (list []source) {
	t.Helper()
	for _, path := range prove.Corpus(t, "*.amber") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, scriptModules(path, data)...)
	}
	slices.SortFunc(list, func(a, b source) int { return strings.Compare(a.text, b.text) })
	return slices.CompactFunc(list, func(a, b source) bool { return a.text == b.text })
}

// scriptModules are the modules that a script has as assembly.
func scriptModules(path string, data []byte) (list []source) {
	s, err := amber.Parse(path, data)
	if err != nil {
		return nil
	}
	for _, sh := range s.Shaders {
		if sh.Format != amber.FormatSpirvAsm {
			continue
		}
		version, ok := spv.EnvironmentVersion(sh.TargetEnv)
		if !ok {
			version = 0x0103
		}
		list = append(list, source{sh.Source, version})
	}
	return list
}
