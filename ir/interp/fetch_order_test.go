package interp

import (
	"context"
	"fmt"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// TestFetchOrder: a fragment that reads its colour attachment finds what all older fragments of its pixel have stored, though waves of a draw run beside each
// other in orders that go by the seed.
func TestFetchOrder(t *testing.T) {
	program := func(text string) emu.Program {
		s, err := ir.Parse(text)
		if err == nil {
			err = ir.Validate(s)
		}
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(s, Options{WaveSize: 4})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	vertex := program(`shader vertex "main" { fn f0 "main" entry() { b0:
      %0:32 = load_const 0x0
      %1:32 = load_vertex_id
      %2:32 = load_const 0x1
      %3:32 = iand %1, %2
      %4:32 = ushr %1, %2
      %5:32x2 = vec2 %3, %4
      %6:32x2 = u2f32 %5
      %7:32x2 = fadd %6, %6
      %8:32 = load_const 0x3f800000
      %9:32x2 = fsub %7, %8.xx
      %10:32x4 = vec4 %9.x, %9.y, %0, %8
      store_output %10, %0 base=0 range=1 write_mask=xyzw src_type=f32 io_semantics={POS 1}
  } }`)
	for _, load := range []string{"load_output %0 base=4 range=1", "load_attachment %0"} {
		fragment := program(fmt.Sprintf(`shader fragment "main" { fn f0 "main" entry() { b0:
      %%0:32 = load_const 0x0
      %%1:32 = load_const 0x3
      %%2:32 = %s dest_type=u32 io_semantics={DATA0 1 fb_fetch}
      %%3:32 = imul %%2, %%1
      %%4:32 = load_primitive_id
      %%5:32 = iadd %%3, %%4
      %%6:32 = iadd %%5, %%1
      store_output %%6, %%0 base=4 range=1 write_mask=x src_type=u32 io_semantics={DATA0 1}
  } }`, load))
		for seed := range uint64(6) {
			img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 4, Format: emu.FormatByName("R32_UINT")})
			if err != nil {
				t.Fatal(err)
			}
			view := &emu.ImageView{Image: img}
			p := &emu.Pipeline{Vertex: vertex, Fragment: fragment, Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}, Topology: emu.TriangleStrip, Color: []emu.Attachment{{View: view}}}
			err = emu.Draw(context.Background(), p, emu.DrawParams{VertexCount: 4, InstanceCount: 5, Limits: emu.Limits{Check: true, Seed: seed}})
			if err != nil {
				t.Fatal(err)
			}
			for at := range 16 {
				first := uint32(3) // of the triangle below the diagonal, else one more for each
				want := [2]uint32{}
				for k := range want {
					for range 5 {
						want[k] = want[k]*3 + uint32(k) + first
					}
				}
				if got := view.Load(at&3, at>>2, 0, 0, 0)[0]; got != want[0] && got != want[1] {
					t.Errorf("%s, seed %d, pixel %d: %d, want %d or %d", load, seed, at, got, want[0], want[1])
				}
			}
		}
	}
}
