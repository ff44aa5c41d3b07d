package interp

import (
	_ "embed"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// constantText reads a variable of constant memory that stands in the constant
// data, as opt_large_constants leaves it, one with a value of its own, and the
// data itself.
//
//go:embed testdata/ir/constant_text.nir
var constantText string

func TestConstantData(t *testing.T) {
	s, err := ir.Parse(constantText)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := &emu.Launch{Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}, NumLanes: 2, Vertex: []emu.VertexLane{{VertexIndex: 0}, {VertexIndex: 1}},
		Inputs: make([][]emu.Vec4, 2), Out: make([]emu.Slots, 2)}
	runWave(t, p, l)
	for i, want := range []emu.Vec4{{0xaa, 0x11, 0xdd, 0xdd}, {0xbb, 0x22, 0xdd, 0xdd}} {
		if got := l.Out[i][ir.SlotVar0]; got != want {
			t.Errorf("lane %d: %x, want %x", i, got, want)
		}
	}
}

// TestTooMuchMemory refuses shaders whose variables no machine holds for all lanes.
func TestTooMuchMemory(t *testing.T) {
	for _, change := range [][2]string{
		{"u32[2] \"own\" { init={(0x11), (0x22)} }", "u32[4294967295] \"own\""},
		{"mem_constant u32[2] \"own\" { init={(0x11), (0x22)} }", "mem_shared u32[99999999] \"own\""},
		{"driver_location=16 explicit", "driver_location=24 explicit"},
		{"constant_data", "scratch_size = 4000000000\n  constant_data"},
	} {
		text := strings.Replace(constantText, change[0], change[1], 1)
		s, err := ir.Parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if _, err := New(s, Options{}); err == nil || !strings.Contains(err.Error(), "supported") && !strings.Contains(err.Error(), "beyond") {
			t.Errorf("%q: %v", change[1], err)
		}
	}
}

// TestInitialisedOutput writes an output that nothing but its initialiser stores to.
func TestInitialisedOutput(t *testing.T) {
	s, err := ir.Parse("shader fragment \"main\" {\n  var @1 shader_out f32 \"d\" { location=DEPTH init=(0x3f000000) }\n  fn f0 \"main\" entry() {\n    b0:\n  }\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := &emu.Launch{Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}, NumLanes: 4, Fragment: make([]emu.FragmentLane, 4), Out: make([]emu.Slots, 4)}
	for i := range l.Fragment {
		l.Fragment[i].Prim = &emu.Primitive{V: [3]*emu.Slots{{}, {}, {}}}
	}
	runWave(t, p, l)
	if got := l.Out[3][ir.SlotDepth][0]; !p.IO().WritesDepth || got != 0x3f000000 {
		t.Errorf("depth written %v: %#x", p.IO().WritesDepth, got)
	}
}

// undefText leaves one component of an output and a variable without a value.
//
//go:embed testdata/ir/undef_text.nir
var undefText string

// TestUndefPattern gives memory that nothing was stored to the pattern of undefs.
func TestUndefPattern(t *testing.T) {
	s, err := ir.Parse(undefText)
	if err != nil {
		t.Fatal(err)
	}
	for pattern, want := range map[uint64]emu.Vec4{0: {0, 5, 0, 0}, 0x5566778855667788: {0x55667788, 5, 0x55667788, 0x55667788}} {
		p, err := New(s, Options{UndefPattern: pattern})
		if err != nil {
			t.Fatal(err)
		}
		l := &emu.Launch{Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}, NumLanes: 1, Vertex: []emu.VertexLane{{}}, Inputs: make([][]emu.Vec4, 1), Out: make([]emu.Slots, 1)}
		runWave(t, p, l)
		if got := l.Out[0][ir.SlotVar0]; got != want {
			t.Errorf("pattern %#x: %x, want %x", pattern, got, want)
		}
	}
}

// initialised are types of all shapes.
func initialised() []*ir.Type {
	u := ir.ScalarType(ir.BaseUint, 32)
	half := ir.VectorType(ir.BaseUint, 16, 3)
	record := &ir.Type{Base: ir.BaseStruct}
	for _, t := range []*ir.Type{half, ir.ArrayType(u, 3, 0), ir.MatrixType(32, 2, 3)} {
		record.Fields = append(record.Fields, ir.Field{Name: "f", Type: t, Offset: -1, Location: -1, BuiltIn: -1, XfbBuffer: -1, XfbOffset: -1})
	}
	return []*ir.Type{u, half, ir.VectorType(ir.BaseUint, 64, 2), ir.MatrixType(32, 3, 2), ir.ArrayType(half, 4, 0), record, ir.ArrayType(record, 2, 0)}
}

// initialiser gives each component of a type a number of its own, and makes every so manieth part a zero of its whole; want gets what each leaf has.
func initialiser(t *ir.Type, zero int, n *int, all bool, want *[]uint64) *ir.Constant {
	*n++
	all = all || zero > 0 && *n%zero == 0
	c := &ir.Constant{Zero: all}
	if t.IsVectorOrScalar() {
		for k := range int(t.Rows) {
			v := uint64(0)
			if !all {
				v = uint64(100**n + k)
			}
			c.Values[k], *want = v, append(*want, v)
		}
		return c
	}
	for i := range t.ChildCount() {
		child := t.Child()
		if t.IsStruct() {
			child = t.Fields[i].Type
		}
		if e := initialiser(child, zero, n, all, want); !all {
			c.Elems = append(c.Elems, e)
		}
	}
	return c
}

// leavesAt loads what an object consists of, in order, as words of 32 bits.
func leavesAt(b *ir.Builder, d *ir.Def, t *ir.Type) (list []*ir.Def) {
	if t.IsVectorOrScalar() {
		v := b.LoadDeref(d, 0)
		for k := range int(t.Rows) {
			x := b.Channel(v, k)
			if x.BitSize != 32 {
				x = b.ALU(ir.OpU2u32, x)
			}
			list = append(list, x)
		}
		return list
	}
	for i := range t.ChildCount() {
		if t.IsStruct() {
			list = append(list, leavesAt(b, b.DerefStruct(d, i), t.Fields[i].Type)...)
			continue
		}
		list = append(list, leavesAt(b, b.DerefArrayImm(d, i), t.Child())...)
	}
	return list
}

// TestInitialisers: variables of all shapes begin with what their initialisers say, zeros in the whole and in parts among it, whatever memory that
// nothing was stored to has.
func TestInitialisers(t *testing.T) {
	for _, mode := range []ir.Mode{ir.ModeFunctionTemp, ir.ModeShaderTemp, ir.ModeConstant, ir.ModeShared} {
		for _, typ := range initialised() {
			for zero := range 5 {
				var want []uint64
				n := 0
				init := initialiser(typ, zero, &n, false, &want)
				k := newBench(t, len(want))
				k.undef = 0x5566778855667788
				v := (*ir.Variable)(nil)
				if mode == ir.ModeFunctionTemp {
					v = k.b.Impl.NewLocal(typ, "v")
				} else {
					v = k.s.NewVariable(mode, typ, "v")
				}
				v.Init = init
				for _, x := range leavesAt(k.b, k.b.DerefVar(v), typ) {
					k.out(x)
				}
				r := k.run(8)
				if r.err != nil {
					t.Fatalf("%s in %s: %v", typ, mode, r.err)
				}
				for i, w := range want {
					if got := r.at(3, i); got != uint32(w) {
						t.Errorf("component %d of %s in %s is %#x, want %#x, with every part number %d a zero\n%s", i, typ, mode, got, w, zero, ir.Print(k.s))
						break
					}
				}
			}
		}
	}
}
