package passes

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"nirc/frontend/spirv"
	"nirc/frontend/spirv/spv"
	"nirc/internal/mangle"
	"nirc/ir"
	"nirc/ir/irtest"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:generate go test -run TestEachPass -update .

// eachTable has what TestEachPass found when it was last told to write it.
const eachTable = "testdata/each.tsv"

// TestEachPass runs every pass, and every list of the tests by text, on the shaders of all of these, not just on its own: the table says by
// shader how many of them change it and how many refuse it, and has a digest of what they make of it, places in the source included. What
// they say that they keep of the analyses must hold. Where a change of a pass is meant to change that, -update (go generate) writes the table
// again; NIRC_VERBOSE=1 shows a digest for each list.
func TestEachPass(t *testing.T) {
	inputs, lists := eachInputs(t)
	runs := make([]eachRun, 0, len(lists))
	for _, l := range lists {
		p, err := ParsePassList(l)
		if err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		runs = append(runs, eachRun{name: l, p: p})
		if name, _, _ := strings.Cut(l, "("); slices.Contains(optionReaders, name) {
			runs = append(runs, eachRun{name: l + " lower", p: p, o: lowerEverything()}, eachRun{name: l + " has", p: p, o: hasEverything()})
		}
	}
	var b strings.Builder
	b.WriteString("shader\tchanged\trefused\tdigest\n")
	for _, in := range inputs {
		changed, refused := 0, 0
		sum := sha256.New()
		locate(in.s)
		var s *ir.Shader
		for i := range runs {
			if s == nil {
				s = ir.Clone(in.s)
				requireAll(s)
			}
			out := runs[i].on(t, s, in.name)
			if out == "" {
				continue
			}
			if strings.HasPrefix(out, refusedWith) {
				refused++
			} else {
				changed++
			}
			s = nil
			fmt.Fprintf(sum, "%s\n%s\n", runs[i].name, out)
			if os.Getenv("NIRC_VERBOSE") != "" {
				t.Logf("%s: %s: %x", in.name, runs[i].name, sha256.Sum256([]byte(out)))
			}
		}
		fmt.Fprintf(&b, "%s\t%d\t%d\t%x\n", in.name, changed, refused, sum.Sum(nil)[:8])
	}
	for _, row := range nearlyRows(t) {
		b.WriteString(row)
	}
	checkTable(t, eachTable, b.String())
}

// nearlyRows are rows for the tests by text of each pass: what the lists of the tests make of shaders that are nearly theirs. That is where
// conditions of passes differ.
func nearlyRows(t *testing.T) (rows []string) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	words := readWords(t)
	for _, f := range files {
		ar, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		runs := nearlyRuns(t, f, ar)
		sum := sha256.New()
		changed, refused := 0, 0
		r := rand.New(rand.NewPCG(uint64(len(ar.Comment)), 0))
		m := mangle.New(string(ar.Files[slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == "in" })].Data), words)
		for n := range nearlyShaders {
			in, err := ir.Parse(m.Mangled(r))
			if err != nil || ir.Validate(in) != nil {
				continue
			}
			if n%4 == 3 {
				declare(in)
			}
			locate(in)
			requireAll(in)
			for k := range runs {
				s := in
				if k+1 < len(runs) {
					s = ir.Clone(in)
				}
				switch out := runs[k].on(t, s, f); {
				case out == "":
				case strings.HasPrefix(out, refusedWith):
					refused++
					fmt.Fprintln(sum, out)
				default:
					changed++
					fmt.Fprintln(sum, out)
				}
			}
		}
		rows = append(rows, fmt.Sprintf("nearly %s\t%d\t%d\t%x\n", strings.TrimPrefix(filepath.ToSlash(f), "testdata/"), changed, refused, sum.Sum(nil)[:8]))
	}
	return rows
}

// nearlyShaders is how many shaders are made of one.
const nearlyShaders = 100

// declare puts a function without a body before those of s.
func declare(s *ir.Shader) {
	s.Functions = slices.Insert(s.Functions, 0, &ir.Function{Name: "extern", Shader: s})
}

// nearlyRuns are the lists of a test by text: its own, and the pass as it is.
func nearlyRuns(t *testing.T, file string, ar *txtar.Archive) (runs []eachRun) {
	list := filepath.Base(filepath.Dir(file))
	lists := []string{list}
	for line := range strings.Lines(string(ar.Comment)) {
		if l, ok := strings.CutPrefix(line, "passes:"); ok {
			lists = append(lists, strings.TrimSpace(l))
		}
	}
	if Find(list) == nil {
		lists = lists[1:]
	}
	for _, l := range slices.Compact(lists) {
		p, err := ParsePassList(l)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		runs = append(runs, eachRun{name: l, p: p})
	}
	return runs
}

// readWords reads testdata/words.txt: operations, and intrinsics, any of which may stand where another does. They are those of
// one day, so that shaders stay what they are when there are more.
func readWords(t *testing.T) *mangle.Words {
	data, err := os.ReadFile("testdata/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	var lists [][]string
	for line := range strings.Lines(string(data)) {
		lists = append(lists, strings.Fields(line))
	}
	return mangle.NewWords(lists...)
}

// eachRun is a list of passes, run under options of a target.
type eachRun struct {
	name string
	p    *Pipeline
	o    ir.Options
}

// refusedWith comes before the message of a list that refuses a shader.
const refusedWith = "refused: "

// on is what a list makes of a shader in the binary form, which has all fields, or its refusal; empty if it changes nothing.
func (r *eachRun) on(t *testing.T, s *ir.Shader, name string) string {
	s.Options = &r.o
	progress, err := r.p.runner(s, nil, false).steps(r.p.steps)
	switch {
	case err != nil:
		return refusedWith + err.Error()
	case !progress:
		return ""
	}
	if err := ir.Validate(s); err != nil {
		t.Errorf("%s on %s: %v", r.name, name, err)
	}
	for _, f := range s.Functions {
		for _, a := range analyses {
			if f.Impl != nil && !a.check(f.Impl) {
				t.Errorf("%s on %s: said that it kept %s of %s, but it did not", r.name, name, a.meta, f.Name)
			}
		}
	}
	return string(ir.Serialize(s, ir.SerializeOptions{}))
}

// requireAll makes all analyses valid, so that what a pass forgets to say that it broke is found.
func requireAll(s *ir.Shader) {
	v := verifier{before: []byte{}}
	v.begin(s)
}

// locate gives each instruction a place in the source of its own.
func locate(s *ir.Shader) {
	s.Files = append(s.Files[:1:1], "a")
	s.Locs = s.Locs[:1:1]
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for in := range f.Impl.Instrs() {
			in.Loc = uint32(len(s.Locs))
			s.Locs = append(s.Locs, ir.Loc{File: 1, Line: in.Loc})
		}
	}
}

// optionReaders are the passes that look at the target's options.
var optionReaders = []string{"gather_info", "lower_64bit_phis", "lower_alu", "lower_alu_width", "lower_bary_coord", "lower_compute_system_values", "lower_doubles",
	"lower_explicit_io", "lower_indirect_derefs", "lower_int64", "lower_system_values", "opt_algebraic", "opt_algebraic_before_ffma", "opt_algebraic_late",
	"opt_copy_prop_vars", "opt_deref", "opt_loop_unroll"}

// lowerEverything are options of a target that has next to nothing, hasEverything of one that has all.
func lowerEverything() ir.Options {
	o := optionsLike("Lower")
	o.MaxVectorWidth, o.NoBaryCoord, o.DispatchBase = 1, true, true
	o.LowerIndirect = ir.ModeFunctionTemp
	o.Robust = ir.Robust{Uniform: ir.Robust2, Storage: ir.Robust2, Images: ir.Robust2}
	return o
}

func hasEverything() ir.Options {
	o := optionsLike("Has", "Fuse")
	o.MaxVectorWidth, o.SubgroupSize, o.MaxUnroll = 4, 32, 8
	o.Int8ALU, o.Int16ALU, o.Float16ALU, o.SampleShading, o.Points, o.Multiview = true, true, true, true, true, true
	o.Robust = ir.Robust{Uniform: ir.Robust1, Storage: ir.Robust1}
	return o
}

// optionsLike sets the options whose names begin so.
func optionsLike(prefixes ...string) (o ir.Options) {
	v := reflect.ValueOf(&o).Elem()
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Type.Kind() == reflect.Bool && slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(f.Name, p) }) {
			v.Field(i).SetBool(true)
		}
	}
	return o
}

// checkTable compares a table with the stored one, or writes it.
func checkTable(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(data) == got {
		return
	}
	want := map[string]bool{}
	for l := range strings.Lines(string(data)) {
		want[l] = true
	}
	for l := range strings.Lines(got) {
		if !want[l] {
			t.Errorf("%s has not the line %s", path, l)
		}
		delete(want, l)
	}
	t.Errorf("%s has %d lines that are not so any more: if the change means to, go generate ./passes writes it again", path, len(want))
}

// eachInput is a shader.
type eachInput struct {
	name string
	s    *ir.Shader
}

// fromFront is a module of the frontend's tests as the frontend hands it on.
func fromFront(t *testing.T, name string) *ir.Shader {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "frontend", "spirv", "testdata", "asm", name+".spvasm"))
	if err != nil {
		t.Fatal(err)
	}
	words, err := spv.Assemble(string(text), spv.AssembleOptions{Version: 0x106})
	if err != nil {
		t.Fatal(err)
	}
	m, err := spv.ParseWords(words)
	if err != nil {
		t.Fatal(err)
	}
	s, err := spirv.Translate(m, spirv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// eachInputs are the shaders of testdata, and random ones; and all lists of passes.
func eachInputs(t *testing.T) (inputs []eachInput, lists []string) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	for _, p := range Registry() {
		lists = append(lists, p.Name)
		for _, o := range p.Options {
			switch v := o.Default.(type) {
			case bool:
				lists = append(lists, fmt.Sprintf("%s(%s=%v)", p.Name, o.Name, !v))
			case int:
				lists = append(lists, fmt.Sprintf("%s(%s=%d)", p.Name, o.Name, max(4, 2*v)))
			case ir.Mode:
				for _, m := range []ir.Mode{v & -v, ir.ModeShaderIn, ir.ModeShaderTemp, ir.ModeSSBO} {
					if v&m != 0 && v != m {
						lists = append(lists, fmt.Sprintf("%s(%s=%s)", p.Name, o.Name, m))
					}
				}
			}
		}
	}
	for _, f := range files {
		ar, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(ar.Comment)) {
			if l, ok := strings.CutPrefix(line, "passes:"); ok {
				lists = append(lists, strings.TrimSpace(l))
			}
		}
		i := slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == "in" })
		s, err := ir.Parse(string(ar.Files[i].Data))
		if err != nil {
			t.Fatal(err)
		}
		if !hasCopies(s) {
			inputs = append(inputs, eachInput{name: strings.TrimPrefix(filepath.ToSlash(f), "testdata/"), s: s})
		}
	}
	for _, x := range irtest.Texts(t, "../ir/testdata") {
		if s := x.Shader(t); !hasCopies(s) {
			inputs = append(inputs, eachInput{name: x.Name, s: s})
		}
	}
	for _, name := range []string{"textures_frag", "blocks_vert", "memory_comp", "strips_geom", "patch_tesc"} {
		inputs = append(inputs, eachInput{name: name, s: fromFront(t, name)})
	}
	for seed := int64(1); seed <= 4; seed++ {
		inputs = append(inputs, eachInput{name: fmt.Sprintf("random %d", seed), s: randomShader(seed, 120, seed%2 == 0)})
	}
	for seed := uint64(1); seed <= 8; seed++ {
		inputs = append(inputs, eachInput{name: fmt.Sprintf("runs %d", seed), s: irtest.RandomShader(seed, 300)})
		all := irtest.Config{Seed: seed, Size: 300, Everything: true}.Shader()
		if !hasCopies(all) {
			inputs = append(inputs, eachInput{name: fmt.Sprintf("everything %d", seed), s: all})
		}
	}
	slices.SortFunc(inputs, func(a, b eachInput) int { return cmp.Compare(a.name, b.name) })
	slices.Sort(lists)
	return inputs, slices.Compact(lists)
}

// hasCopies reports whether there are parallel copies: they are from_ssa's own, which finds them nowhere.
func hasCopies(s *ir.Shader) bool {
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for in := range f.Impl.Instrs() {
			if in.Kind == ir.KindParallelCopy {
				return true
			}
		}
	}
	return false
}
