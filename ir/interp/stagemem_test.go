package interp

import (
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

const geometryText = `shader geometry "main" {
  info { gs_invocations=2 gs_max_vertices=3 gs_in_primitive=2 gs_out_primitive=1 }
  var @1 shader_out i32 "o" { location=VAR0 }
  var @2 shader_in i32[2] "a" { location=VAR1 }
  var @3 shader_in i32[3][2] "list" { location=VAR2 component=1 }
  var @4 system_value i32 "inv" { builtin=8 }
  var @5 system_value i32 "prim" { builtin=7 }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x1
      %1:32 = load_const 0x9
      %2:32 = deref_var @4
      %3:32 = load_deref %2
      %4:32 = deref_var @2
      %5:32 = deref_array %4[%3]
      %6:32 = load_deref %5
      %7:32 = deref_var @1
      store_deref %7, %6 write_mask=x
      emit_vertex
      %8:32 = deref_var @3
      %9:32 = deref_array %8[%0]
      %10:32 = deref_array %9[%3]
      %11:32 = load_deref %10
      store_deref %7, %11 write_mask=x
      emit_vertex
      end_primitive
      %12:32 = deref_array %4[%1]
      %13:32 = load_deref %12
      %14:32 = deref_var @5
      %15:32 = load_deref %14
      %16:32 = iadd %13, %15
      store_deref %7, %16 write_mask=x
      emit_vertex
      emit_vertex
  }
}
`

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

const controlText = `shader tess_ctrl "main" {
  info { uses_control_barrier tess_output_vertices=3 }
  var @1 shader_out i32[3] "o" { location=VAR0 }
  var @2 shader_in i32[32] "a" { location=VAR1 }
  var @3 shader_out f32[4] "outer" { location=TESS_LEVEL_OUTER builtin=11 patch compact }
  var @4 shader_out i32 "p" { location=PATCH2 patch }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x1
      %1:32 = load_const 0x3
      %2:32 = load_const 0x0
      %3:32 = load_invocation_id
      %4:32 = load_per_vertex_input %3, %2 dest_type=i32 io_semantics={VAR1 1}
      store_per_vertex_output %4, %3, %2 write_mask=x src_type=i32 io_semantics={VAR0 1}
      barrier execution_scope=workgroup memory_scope=workgroup memory_semantics=3 memory_modes=shader_out
      %5:32 = iadd %3, %0
      %6:32 = umod %5, %1
      %7:32 = deref_var @1
      %8:32 = deref_array %7[%6]
      %9:32 = load_deref %8
      %10:32 = deref_var @3
      %11:32 = deref_array %10[%3]
      store_deref %11, %9 write_mask=x
      %12:32 = load_patch_vertices_in
      store_output %12, %0 write_mask=x component=1 src_type=i32 io_semantics={PATCH2 2}
      barrier execution_scope=workgroup memory_scope=workgroup memory_semantics=3 memory_modes=shader_out
      %13:32 = load_output %0 component=1 dest_type=i32 io_semantics={PATCH2 2}
      %14:32 = deref_var @4
      store_deref %14, %13 write_mask=x
  }
}
`

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
