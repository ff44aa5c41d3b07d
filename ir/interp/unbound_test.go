package interp

import (
	"context"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// TestUnboundTexture: in checking mode what reads texels of an element of an array that nothing is bound to is told; what asks for the
// size of one gets 0.
func TestUnboundTexture(t *testing.T) {
	for op, told := range map[string]bool{
		"%2:32x2 = txs texture_deref=%1 lod=%0 dim=2D dest=i32":                                                                       false,
		"%3:32 = query_levels texture_deref=%1 dim=2D dest=i32\n%2:32x2 = vec2 %3, %3":                                                false,
		"%3:32x2 = vec2 %0, %0\n%4:32x4 = txf texture_deref=%1 coord=%3 lod=%0 dim=2D dest=f32\n%2:32x2 = mov %4.xy":                  true,
		"%3:32x2 = vec2 %0, %0\n%4:32x4 = txl texture_deref=%1 sampler_deref=%1 coord=%3 lod=%0 dim=2D dest=f32\n%2:32x2 = mov %4.xy": true,
	} {
		s, err := ir.Parse("shader compute \"main\" {\n  info { workgroup_size=1,1,1 }\n  var @1 uniform sampled2D<f32>[2] \"t\" { set=0 binding=5 }\n  fn f0 \"main\" entry() {\n    b0:\n      %0:32 = load_const 0x0\n      %9:32 = deref_var @1\n      %8:32 = load_const 0x1\n      %1:32 = deref_array %9[%8]\n" +
			op + "\n      store_ssbo %2, %0, %0 write_mask=xy align_mul=4\n  }\n}\n")
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
		mem := emu.NewMemory()
		out := mem.Alloc(16)
		out.Data[0], out.Data[4] = 7, 7
		var bind emu.Bindings
		bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 16}})
		view := picture(t, emu.ImageDesc{Width: 2, Height: 2}, "R32_SFLOAT")
		bind.Set(0, 5, []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Image: view, Sampler: &emu.Sampler{}}, {}})
		err = emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}})
		if (err != nil) != told || told && !strings.Contains(err.Error(), "element 1 of 0.5") {
			t.Errorf("%s: %v", op, err)
		}
		if !told && (out.Data[0] != 0 || out.Data[4] != 0) {
			t.Errorf("%s gives %d, %d", op, out.Data[0], out.Data[4])
		}
	}
}
