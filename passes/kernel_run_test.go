package passes

import (
	"context"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// TestKernelImages runs a kernel whose image arguments have been numbered: it copies a texel of the image that
// comes later among the arguments, and stores the size of that.
func TestKernelImages(t *testing.T) {
	s := parseShader(t, `shader kernel "main" {
  info { workgroup_size=1,1,1 }
  var @1 image image2D<u32> "from" { location=3 }
  var @2 image image2D<u32> "to" { location=1 }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %2:32 = load_const 0x1
      %3:32x4 = vec4 %2, %0, %0, %0
      %4:32 = deref_var @1
      %5:32 = deref_var @2
      %6:32x4 = image_deref_load %4, %3, %0, %0 image_dim=2D dest_type=u32
      image_deref_store %5, %3, %0, %6, %0 image_dim=2D src_type=u32
      %7:32x2 = image_deref_size %4, %0 image_dim=2D
      %8:32 = mov %7.x
      %9:32x4 = vec4 %8, %8, %8, %8
      %10:32x4 = vec4 %0, %0, %0, %0
      image_deref_store %5, %10, %0, %9, %0 image_dim=2D src_type=u32
  }
}`)
	runPasses(t, s, "lower_cl_images")
	for blk := range s.Entry().Impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind == ir.KindDeref {
				t.Errorf("a deref is left: %s", ir.Print(s))
			}
		}
	}
	p, err := interp.New(s, interp.Options{WaveSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	to, from := testImage(t, "R32_UINT", 2, 1, make([]byte, 8)), testImage(t, "R32_UINT", 3, 1, []byte{1, 0, 0, 0, 0x44, 0x33, 0x22, 0x11, 2, 0, 0, 0})
	var bind emu.Bindings
	for i, img := range []*emu.Image{to, from} {
		bind.Set(0, uint32(i), []emu.Descriptor{{Type: emu.DescStorageImage, Image: &emu.ImageView{Image: img}}})
	}
	if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: emu.NewMemory(), Bindings: &bind}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	if got, want := string(to.Data), "\x03\x00\x00\x00\x44\x33\x22\x11"; got != want {
		t.Errorf("%x, want %x", got, want)
	}
}
