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
