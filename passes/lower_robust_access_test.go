package passes

import (
	"fmt"
	"testing"

	"nirc/ir"
)

// TestTexelAddresses: the address of a texel is that of memory which nobody reads where its coordinates, face, layer or sample are
// beyond the image's. Images and texel buffers are asked for separately, as Vulkan has it, and no load or store is touched.
func TestTexelAddresses(t *testing.T) {
	images := ir.Robust{Images: ir.Robust2}
	for _, c := range []struct {
		image  string // type, and dimension as an instruction has it
		dim    string
		robust ir.Robust
		tests  int // comparisons of scalars; 0: none wanted
	}{
		{"1D", "1D", images, 1},
		{"2D", "2D", images, 2},
		{"2D_array", "2D image_array=1", images, 3},
		{"3D", "3D", images, 3},
		{"CUBE", "CUBE", images, 3},
		{"CUBE_array", "CUBE image_array=1", images, 3},
		{"MS", "MS", images, 3},
		{"MS_array", "MS image_array=1", images, 4},
		{"2D", "2D", ir.Robust{Storage: ir.Robust2}, 0},
		{"BUF", "BUF", ir.Robust{Storage: ir.Robust1}, 1},
		{"BUF", "BUF", images, 0},
	} {
		s, err := ir.Parse(fmt.Sprintf("shader compute \"m\" {\n  info { workgroup_size=1,1,1 }\n  var @1 image image%s<u32> \"i\" { set=0 binding=0 format=r32ui }\n  fn f0 \"m\" entry() {\n    b0:\n"+
			"      %%0:32 = load_const 0x5\n      %%1:32x3 = load_local_invocation_id\n      %%2:32x4 = vec4 %%1.x, %%1.y, %%1.z, %%0\n      %%3:32 = deref_var @1\n"+
			"      %%4:32x4 = image_deref_load %%3, %%2, %%0, %%0 image_dim=%s format=33 dest_type=u32\n"+
			"      %%7:32 = mov %%4.x\n      %%5:64 = image_deref_texel_address %%3, %%2, %%0 image_dim=%s format=33\n      %%6:32 = global_atomic %%5, %%7\n  }\n}\n", c.image, c.dim, c.dim))
		if err != nil {
			t.Fatal(err)
		}
		s.Options.Robust = c.robust
		progress, err := RunPass(s, "lower_robust_access", "modes", "image", "addresses", "true")
		if err != nil {
			t.Fatal(err)
		}
		if err := ir.Validate(s); err != nil {
			t.Fatal(err)
		}
		if progress != (c.tests > 0) {
			t.Errorf("%s with %+v: progress %v", c.image, c.robust, progress)
		}
		tests, sink, chosen := 0, 0, false
		for b := range s.Entry().Impl.Blocks() {
			for in := range b.Instrs() {
				switch {
				case in.IsALU(ir.OpUlt):
					tests += int(in.Def.NumComponents)
				case in.IsIntrinsic(ir.IntrLoadSinkAddressPan):
					sink++
				case in.IsIntrinsic(ir.IntrGlobalAtomic):
					chosen = in.Srcs[0].Def.Instr.IsALU(ir.OpBcsel)
				}
			}
		}
		if tests != c.tests || (sink == 1) != (c.tests > 0) || chosen != (c.tests > 0) {
			t.Errorf("%s with %+v: %d comparisons, %d other addresses, chosen for the atomic: %v; want %d comparisons", c.image, c.robust, tests, sink, chosen, c.tests)
		}
	}
}
