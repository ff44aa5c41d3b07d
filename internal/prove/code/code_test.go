// Package code proves that machine code changes only where somebody means it to: testdata/code.tsv has the sizes and
// a digest of the objects of our modules, and of the corpus's where it is laid out, for each target. It has as well what readers of
// SPIR-V, of IR and the interpreter make of modules and shaders, and of what is nearly one.
package code

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/gputest"
	"nirc/backend/object"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/ir/irtest"
	"nirc/passes"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:generate go test -run TestCode -update .

// update says to write the rows of what is here.
var update = gputest.Update

// table is where the rows stand.
var table = filepath.Join("testdata", "code.tsv")

// header names the columns: of a group, the digest of its modules, the entry points that compile and those that are refused, the bytes of code, and the
// digest of code, data, metadata, reflection, figures and diagnostics.
const header = "group\toptions\tmodules\tcompiled\trefused\tbytes\tdigest\n"

// groupSize is how many modules, in the order of their paths, make a group.
const groupSize = 25

// robust is the most that there is.
var robust = ir.Robust{Uniform: ir.Robust2, Storage: ir.Robust2, Images: ir.Robust2}

// group are some modules, with a digest of all their bytes.
type group struct {
	name    string
	digest  string
	modules []module
}

// ours reports whether the modules are in the repository.
func (g *group) ours() bool { return strings.HasPrefix(g.name, "testdata ") }

type module struct {
	name string
	data []byte
}

// forms reports whether the modules are those of testdata/forms, which have what few shaders do.
func (g *group) forms() bool { return strings.HasPrefix(g.name, "testdata forms") }

// takes reports whether the group is compiled with options: not with those that are for our own modules (every) unless it is of
// these, and of forms not for other levels; accesses that may be robust are to be.
func (g *group) takes(every bool, o *nirc.Options) bool {
	switch {
	case !g.forms():
		return !every || g.ours()
	case o.Robust == robust:
		return strings.Contains(g.name, "images") || strings.Contains(g.name, "memory") || strings.Contains(g.name, "textures")
	}
	return !every && o.ABI == ""
}

// options are what each group is compiled with; every is for our own modules only, and not for those of forms.
var options = []struct {
	name  string
	o     nirc.Options
	every bool
}{
	{"ir3 a630 O2", nirc.Options{Target: "ir3", GPU: "a630", Level: passes.O2}, false},
	{"ir3 a740 O2", nirc.Options{Target: "ir3", GPU: "a740", Level: passes.O2}, false},
	{"agx g13g O2", nirc.Options{Target: "agx", Level: passes.O2}, false},
	{"agx g13g O2 separate", nirc.Options{Target: "agx", Level: passes.O2, ABI: nirc.SeparateABI}, false},
	{"midgard t860 O2", nirc.Options{Target: "midgard", Level: passes.O2}, false},
	{"ir3 a618 O0", nirc.Options{Target: "ir3", GPU: "a618", Level: passes.O0}, true},
	{"ir3 a750 Os", nirc.Options{Target: "ir3", GPU: "a750", Level: passes.Os}, true},
	{"ir3 a630 O2 robust", nirc.Options{Target: "ir3", GPU: "a630", Level: passes.O2, Robust: robust}, true},
	{"agx g13g O0", nirc.Options{Target: "agx", Level: passes.O0}, true},
	{"agx g13g O2 robust", nirc.Options{Target: "agx", Level: passes.O2, Robust: robust}, true},
	{"midgard t720 O1", nirc.Options{Target: "midgard", GPU: "t720", Level: passes.O1}, true},
	{"midgard t880 O2 robust", nirc.Options{Target: "midgard", GPU: "t880", Level: passes.O2, Robust: robust}, true},
}

// TestCode: the code of each group is that of the table. Where a change of the compiler is meant to change code, -update
// (go generate) writes the table again, and its diff is what the change does.
func TestCode(t *testing.T) {
	want := read(t)
	got := map[string]string{}
	others := 0
	for _, g := range groups(t) {
		for _, c := range options {
			if !g.takes(c.every, &c.o) {
				continue
			}
			key := g.name + "\t" + c.name
			if of, _, _ := strings.Cut(want[key], "\t"); of != g.digest && !*update && !g.ours() {
				others++ // another corpus
				continue
			}
			got[key] = g.digest + "\t" + compile(t, g, c.o)
		}
	}
	if *update {
		write(t, want, got)
		return
	}
	differ := 0
	for _, key := range sorted(got) {
		if want[key] != got[key] {
			if differ++; differ <= 10 {
				t.Errorf("%s: modules, compiled, refused, bytes, digest: %s; the table has %s", key, got[key], want[key])
			}
		}
	}
	if differ > 0 {
		t.Errorf("%d of %d rows differ: if the change of the compiler means to, go generate ./internal/prove/code writes them", differ, len(got))
	}
	t.Logf("%d rows, %d of other modules than the table's", len(got), others)
}

// groups are our modules, and the corpus's.
func groups(t *testing.T) (list []group) {
	var own []string
	for _, pattern := range []string{"*.spv", "*.spvasm", "asm/*.spvasm"} {
		paths, err := filepath.Glob(prove.Data(pattern))
		if err != nil {
			t.Fatal(err)
		}
		own = append(own, paths...)
	}
	list = appendGroups(t, list, "testdata", own)
	front, err := filepath.Glob(filepath.Join("..", "..", "..", "frontend", "spirv", "testdata", "asm", "*.spvasm"))
	if err != nil {
		t.Fatal(err)
	}
	list = appendGroups(t, list, "testdata front", front)
	list = append(list, texts(t))
	list = append(list, forms(t)...)
	by := map[string][]string{}
	for _, path := range prove.Corpus(t, "*.spv", "*.spvasm") {
		_, in, _ := strings.Cut(filepath.ToSlash(path), "/corpus/")
		name, _, _ := strings.Cut(in, "/")
		by[name] = append(by[name], path)
	}
	for _, name := range sorted(by) {
		list = appendGroups(t, list, name, by[name])
	}
	return list
}

// texts are the shaders of the passes' tests, and random ones, as text: they have what no module of a corpus has. Their digest is
// no more than their names': a row holds while the tests of passes stay these.
func texts(t *testing.T) group {
	g := group{name: "testdata IR"}
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "passes", "testdata", "*", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no tests of passes: %v", err)
	}
	for _, path := range paths {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == "in" })
		s, err := ir.Parse(string(ar.Files[i].Data))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		bindBuffers(s)
		g.modules = append(g.modules, module{filepath.Base(path), []byte(ir.Print(s))})
	}
	for seed := uint64(1); seed <= 8; seed++ {
		g.modules = append(g.modules, module{fmt.Sprint("random ", seed), []byte(ir.Print(irtest.RandomShader(seed, 150)))})
	}
	sum := sha256.New()
	for _, m := range g.modules {
		fmt.Fprintln(sum, m.name)
	}
	g.digest = fmt.Sprintf("%x", sum.Sum(nil)[:4])
	return g
}

// bindBuffers gives accesses of storage buffers whose descriptor is a plain number, which no target takes, the binding of that number.
func bindBuffers(s *ir.Shader) {
	for b := range s.Entry().Impl.Blocks() {
		for in := range b.Instrs() {
			buf := 0
			switch {
			case in.IsIntrinsic(ir.IntrStoreSsbo):
				buf = 1
			case in.IsIntrinsic(ir.IntrLoadSsbo), in.IsIntrinsic(ir.IntrSsboAtomic), in.IsIntrinsic(ir.IntrSsboAtomicSwap):
			default:
				continue
			}
			if n, ok := in.Srcs[buf].Def.Const(0); ok {
				at := ir.NewBuilder(ir.Before(in))
				h := at.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, at.Imm32(0)).Set(ir.IdxBinding, n&0xff).Set(ir.IdxDescType, 2)
				in.Srcs[buf].Set(at.Channel(&h.Def, 0))
			}
		}
	}
}

// forms are the groups of testdata/forms, by what their names begin with.
func forms(t *testing.T) (list []group) {
	paths, err := filepath.Glob(filepath.Join("testdata", "forms", "*.spv"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no forms: %v", err)
	}
	by := map[string][]string{}
	for _, path := range paths {
		family, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".spv"), "_")
		by[family] = append(by[family], path)
	}
	for _, family := range sorted(by) {
		list = appendGroups(t, list, "testdata forms "+family, by[family])
	}
	return list
}

func appendGroups(t *testing.T, list []group, name string, paths []string) []group {
	slices.Sort(paths)
	for i := 0; len(paths) > 0; i++ {
		g := group{name: fmt.Sprintf("%s %d", name, i)}
		sum := sha256.New()
		n := min(groupSize, len(paths))
		for _, path := range paths[:n] {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			sum.Write(data)
			g.modules = append(g.modules, module{filepath.Base(path), data})
		}
		g.digest = fmt.Sprintf("%x", sum.Sum(nil)[:4])
		list = append(list, g)
		paths = paths[n:]
	}
	return list
}

// compile returns the columns of a group that say what became of it.
func compile(t *testing.T, g group, o nirc.Options) string {
	var compiled, refused, size int
	sum := sha256.New()
	for _, mod := range g.modules {
		m, err := nirc.Load(mod.data, mod.name)
		if err != nil {
			refused++
			fmt.Fprintln(sum, err)
			continue
		}
		for _, e := range m.EntryPoints() {
			o.Entry, o.Stage = e.Name, e.Stage
			for _, o.Next = range followers(&g, e.Stage) {
				obj, err := m.Compile(context.Background(), o)
				if err != nil {
					refused++
					fmt.Fprintln(sum, err)
					continue
				}
				compiled++
				size += len(obj.Code)
				sum.Write(facts(t, obj))
				if g.ours() {
					sum.Write(costs(t, obj))
				}
			}
		}
	}
	return fmt.Sprintf("%d\t%d\t%d\t%x", compiled, refused, size, sum.Sum(nil)[:8])
}

// followers are the stages that may follow a stage: none in pipelines of which nothing is known.
func followers(g *group, stage ir.Stage) []ir.Stage {
	switch {
	case g.forms() && stage == ir.StageVertex:
		return []ir.Stage{ir.StageNone, ir.StageTessCtrl, ir.StageGeometry}
	case g.forms() && stage == ir.StageTessEval:
		return []ir.Stage{ir.StageNone, ir.StageGeometry}
	}
	return []ir.Stage{ir.StageNone}
}

// costs is what the model says of an object's code.
func costs(t *testing.T, o *object.Object) []byte {
	p, err := nirc.Cost(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// facts is all that an object says.
func facts(t *testing.T, o *object.Object) []byte {
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(o.Code, o.Data, text)
}

// read reads the table: the last columns by the first two.
func read(t *testing.T) map[string]string {
	rows := map[string]string{}
	data, err := os.ReadFile(table)
	if err != nil && !*update {
		t.Fatal(err)
	}
	for line := range strings.Lines(strings.TrimPrefix(string(data), header)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(f) != 3 {
			t.Fatalf("%s: %q is no row", table, line)
		}
		rows[f[0]+"\t"+f[1]] = f[2]
	}
	return rows
}

// write keeps the rows of what is not here.
func write(t *testing.T, old, now map[string]string) {
	var b bytes.Buffer
	b.WriteString(header)
	for key, row := range old {
		if _, ok := now[key]; !ok {
			now[key] = row
		}
	}
	for _, key := range sorted(now) {
		fmt.Fprintf(&b, "%s\t%s\n", key, now[key])
	}
	if err := os.WriteFile(table, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

func sorted[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
