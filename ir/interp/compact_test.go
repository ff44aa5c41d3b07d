package interp

import (
	"fmt"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// compactText is a geometry shader that copies the clip distances of all its vertices, whose elements stand word by word, to a variable
// of its own, and those of the second from there to its output.
const compactText = `shader geometry "main" {
  info { clip_distances=%[1]d gs_invocations=1 gs_max_vertices=1 gs_in_primitive=2 gs_out_primitive=0 }
  var @1 shader_in f32[%[1]d][2] "in" { location=CLIP_DIST0 builtin=3 compact }
  var @2 shader_out f32[%[1]d] "out" { location=CLIP_DIST0 builtin=3 compact }
  fn f0 "main" entry() {
    local @3 function_temp f32[%[1]d][2] "copy"
    b0:
      %%0:32 = load_const 0x1
      %%1:32 = deref_var @1
      %%2:32 = deref_var @3
      copy_deref %%2, %%1
      %%3:32 = deref_array %%2[%%0]
      %%4:32 = deref_var @2
      copy_deref %%4, %%3
      emit_vertex
  }
}
`

// TestCompactCopies: copies of compact arrays move each element, as many as there are.
func TestCompactCopies(t *testing.T) {
	for n := 1; n <= 8; n++ {
		p := stageProgram(t, fmt.Sprintf(compactText, n))
		var v []*emu.Slots
		for k := range uint32(2) {
			s := new(emu.Slots)
			for i := range uint32(8) {
				s[uint32(ir.SlotClipDist0)+i/4][i%4] = 100*k + i + 1
			}
			v = append(v, s)
		}
		emitted := []emu.Emission{*emu.NewEmission(1)}
		runWave(t, p, &emu.Launch{NumLanes: 1, Geometry: []emu.GeometryLane{{V: v, Emitted: &emitted[0]}}})
		if len(emitted[0].Vertices) != 1 {
			t.Fatalf("%d vertices", len(emitted[0].Vertices))
		}
		for i := range n {
			if got, want := emitted[0].Vertices[0][int(ir.SlotClipDist0)+i/4][i%4], uint32(101+i); got != want {
				t.Errorf("element %d of %d is %d, want %d", i, n, got, want)
			}
		}
	}
}
