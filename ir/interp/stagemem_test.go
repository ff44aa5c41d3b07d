package interp

import (
	_ "embed"
	"reflect"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

func stageProgram(t *testing.T, text string) emu.Program {
	t.Helper()
	s, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Validate(s); err != nil {
		t.Fatal(err)
	}
	p, err := New(s, Options{WaveSize: 8})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func runWave(t *testing.T, p emu.Program, l *emu.Launch) {
	t.Helper()
	l.Env = &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
	w := p.NewWave(l)
	for range 3 {
		st, err := w.Run(1000)
		if err != nil {
			t.Fatal(err)
		}
		if st == emu.StatusDone {
			return
		}
	}
	t.Fatal("the wave does not end")
}

// filled are slots with first+slot in component x and a 16-bit pattern in y.
func filled(first uint32) *emu.Slots {
	s := &emu.Slots{}
	for i := range s {
		s[i] = emu.Vec4{first + uint32(i), 0x12345678, first, 7}
	}
	return s
}

//go:embed testdata/ir/geometry_text.nir
var geometryText string

// TestGeometryStage reads inputs of several vertices by dynamic indices, one of
// them outside, and emits more than the stage may.
func TestGeometryStage(t *testing.T) {
	p := stageProgram(t, geometryText)
	v := []*emu.Slots{filled(1000), filled(2000)}
	l := &emu.Launch{NumLanes: 2}
	emitted := make([]emu.Emission, 2)
	for i := range emitted {
		emitted[i] = *emu.NewEmission(3)
		l.Geometry = append(l.Geometry, emu.GeometryLane{V: v, PrimitiveID: 5, InvocationID: uint32(i), Emitted: &emitted[i]})
	}
	runWave(t, p, l)
	var1 := uint32(ir.SlotVar0) + 1
	for i, want := range [][]uint32{{1000 + var1, 0x12345678, 5}, {2000 + var1, 0x12345678, 5}} {
		var got []uint32
		for _, s := range emitted[i].Vertices {
			got = append(got, s[ir.SlotVar0][0])
		}
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(emitted[i].Ends, []int{2}) {
			t.Errorf("invocation %d: %x, ends %v, want %x", i, got, emitted[i].Ends, want)
		}
	}
	if g := p.IO().Geom; g != (emu.GeomIO{Invocations: 2, MaxVertices: 3, InPrimitive: 2, OutPrimitive: 1}) {
		t.Errorf("%+v", g)
	}
}

//go:embed testdata/ir/control_text.nir
var controlText string

// TestTessControlStage runs two patches in a wave: outputs of other invocations
// are there after the barrier, by variables and by explicit accesses.
func TestTessControlStage(t *testing.T) {
	p := stageProgram(t, controlText)
	patches := make([]emu.Patch, 2)
	l := &emu.Launch{NumLanes: 6}
	for i := range patches {
		patches[i].Out = make([]emu.Slots, 3)
		for k := range 3 {
			patches[i].In = append(patches[i].In, filled(uint32(1000*i+100*k)))
			l.TessCtrl = append(l.TessCtrl, emu.TessCtrlLane{Patch: &patches[i], InvocationID: uint32(k)})
		}
		patches[i].In = append(patches[i].In, filled(0))
	}
	runWave(t, p, l)
	var1 := uint32(ir.SlotVar0) + 1
	for i := range patches {
		base := uint32(1000*i) + var1
		if got, want := patches[i].PerPatch[ir.SlotTessLevelOuter], (emu.Vec4{base + 100, base + 200, base}); got != want {
			t.Errorf("patch %d: levels %v, want %v", i, got, want)
		}
		for k := range 3 {
			if got := patches[i].Out[k][ir.SlotVar0][0]; got != base+uint32(100*k) {
				t.Errorf("patch %d: vertex %d has %d", i, k, got)
			}
		}
		if a, b := patches[i].PerPatch[ir.SlotPatch0+3][1], patches[i].PerPatch[ir.SlotPatch0+2][0]; a != 4 || b != 4 {
			t.Errorf("patch %d: %d and %d vertices in", i, a, b)
		}
	}
}

//go:embed testdata/ir/control_copy.nir
var controlCopy string

// TestTessControlCopy copies an array from the inputs of a vertex, a byte at a time, and stores it the other way round.
func TestTessControlCopy(t *testing.T) {
	p := stageProgram(t, controlCopy)
	patch := emu.Patch{Out: make([]emu.Slots, 3)}
	l := &emu.Launch{NumLanes: 3}
	for k := range 3 {
		patch.In = append(patch.In, filled(uint32(0x01020300+1000*k)))
		l.TessCtrl = append(l.TessCtrl, emu.TessCtrlLane{Patch: &patch, InvocationID: uint32(k)})
	}
	runWave(t, p, l)
	for k := range 3 {
		first := uint32(0x01020300+1000*k) + uint32(ir.SlotVar0) + 1
		if a, b := patch.Out[k][ir.SlotVar0+3][0], patch.Out[k][ir.SlotVar0+4][0]; a != first+1 || b != first {
			t.Errorf("vertex %d has %#x and %#x, want %#x and %#x", k, a, b, first+1, first)
		}
	}
}

// TestInitialisedControlOutputs: outputs of the tessellation control stage begin with what their initialisers say of each vertex, or of the patch, zeros too.
func TestInitialisedControlOutputs(t *testing.T) {
	for _, c := range []struct {
		init string
		want [3]emu.Vec4
	}{
		{"zero", [3]emu.Vec4{}},
		{"{(0x1, 0x2), zero, (0x5, 0x6)}", [3]emu.Vec4{{1, 2}, {}, {5, 6}}},
		{"{zero, (0x3, 0x4), (0x5, 0x6)}", [3]emu.Vec4{{}, {3, 4}, {5, 6}}},
	} {
		for _, patch := range []string{"zero", "(0x7, 0x8)"} {
			p := stageProgram(t, "shader tess_ctrl \"main\" {\n  info { tess_output_vertices=3 }\n  var @1 shader_out vec2u32[3] \"v\" { location=VAR0 init="+c.init+" }\n"+
				"  var @2 shader_out vec2u32 \"p\" { location=PATCH0 patch init="+patch+" }\n  fn f0 \"main\" entry() {\n    b0:\n  }\n}\n")
			all := emu.Patch{Out: []emu.Slots{*filled(1), *filled(2), *filled(3)}, PerPatch: *filled(4), In: []*emu.Slots{{}, {}, {}}}
			l := &emu.Launch{NumLanes: 3}
			for k := range 3 {
				l.TessCtrl = append(l.TessCtrl, emu.TessCtrlLane{Patch: &all, InvocationID: uint32(k)})
			}
			runWave(t, p, l)
			for k, want := range c.want {
				if got := all.Out[k][ir.SlotVar0]; [2]uint32(got[:2]) != [2]uint32(want[:2]) {
					t.Errorf("%s: vertex %d begins with %v, want %v", c.init, k, got[:2], want[:2])
				}
			}
			want := [2]uint32{7, 8}
			if patch == "zero" {
				want = [2]uint32{}
			}
			if got := all.PerPatch[ir.SlotPatch0]; [2]uint32(got[:2]) != want {
				t.Errorf("%s: the patch begins with %v, want %v", patch, got[:2], want)
			}
		}
	}
}
