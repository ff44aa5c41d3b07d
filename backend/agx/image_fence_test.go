package agx

import (
	"strings"
	"testing"

	"nirc/backend/agx/isa"
	"nirc/ir"
)

// A store to an image that is read too tells the texture cache of it, where anything is read
// after it or others may look on.
func TestImageFences(t *testing.T) {
	programs.Hold(t)
	const text = `
shader compute "main" {
  info { workgroup_size=8,8,1 num_images=1 writes_memory }
  var @1 image image2D<f32> "img" { set=0 binding=0 format=rgba8 }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32 = load_const 0x1
      %2:32x4 = vec4 %0, %1, %0, %0
      %3:32x4 = vec4 %1, %1, %0, %0
      %4:32 = deref_var @1
      BEFORE
      image_deref_store %4, %2, %0, %2, %0 image_dim=2D format=4 ACCESS src_type=f32
      AFTER
  }
}
`
	const read = "%5:32x4 = image_deref_load %4, %3, %0, %0 image_dim=2D format=4 dest_type=f32\n      image_deref_store %4, %3, %0, %5, %0 image_dim=2D format=4 src_type=f32"
	for _, c := range []struct {
		name, before, access, after string
		fences                      int
	}{
		{"what is read was read before", read, "", "", 0},
		{"a texel is", "", "", read, 4},
		{"others look on", "", "access=coherent", "", 4},
		{"nobody does", "", "", "", 0},
	} {
		s, err := ir.Parse(strings.NewReplacer("BEFORE", c.before, "ACCESS", c.access, "AFTER", c.after).Replace(text))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		_, code, err := tryBuild(t, s, CompileOptions{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if n := strings.Count(code, "memory_barrier"); n != c.fences {
			t.Errorf("%s: %d barriers, want %d\n%s", c.name, n, c.fences, code)
		}
	}
}

// Atomics go to an image's memory: the texture cache hears of them where texels are loaded after, and what the descriptor says of
// that memory the preamble loads once for all.
func TestImageAtomicFences(t *testing.T) {
	programs.Hold(t)
	const text = `
shader compute "main" {
  info { workgroup_size=8,8,1 num_images=1 writes_memory }
  var @1 image image2D<u32> "img" { set=0 binding=0 format=r32ui }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32 = load_const 0x1
      %2:32x4 = vec4 %0, %1, %0, %0
      %3:32 = deref_var @1
      %4:32 = image_deref_atomic %3, %2, %0, %1 image_dim=2D format=33
      %5:32 = image_deref_atomic %3, %2, %0, %4 image_dim=2D format=33 ACCESS atomic_op=ixor
      AFTER
  }
}
`
	const read = "%6:32x4 = image_deref_load %3, %2, %0, %0 image_dim=2D format=33 dest_type=u32\n      image_deref_store %3, %2, %0, %6, %0 image_dim=2D format=33 src_type=u32"
	for _, c := range []struct {
		name, access, after string
		fences              int
	}{
		{"atomics alone", "", "", 0},
		{"a texel is loaded", "", read, 2},
		{"others look on", "access=coherent", "", 1},
	} {
		s, err := ir.Parse(strings.NewReplacer("ACCESS", c.access, "AFTER", c.after).Replace(text))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		bin, code, err := tryBuild(t, s, CompileOptions{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if n := strings.Count(code, "memory_barrier"); n != 7*c.fences {
			t.Errorf("%s: %d barriers, want %d\n%s", c.name, n, 7*c.fences, code)
		}
		if strings.Contains(code, "device_load") {
			t.Errorf("%s: the descriptor is loaded where it is used\n%s", c.name, code)
		}
		if whole := isa.Listing(isa.Disassemble(bin.Code), false); strings.Count(whole, "device_load") != 2 {
			t.Errorf("%s: not 2 loads of the descriptor in all\n%s", c.name, whole)
		}
	}
}
