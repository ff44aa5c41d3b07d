package interp

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// TestSetsAndBindings: whichever way a shader names a resource, it gets that of its set and its binding.
func TestSetsAndBindings(t *testing.T) {
	const sets, bindings = 4, 3
	mem := emu.NewMemory()
	out := mem.Alloc(4)
	number := func(set, binding int) uint32 { return uint32(100 + 10*set + binding) }
	for name, way := range map[string]struct {
		binding int // the first of three
		text    string
	}{
		"a variable": {0, "var @1 mem_ssbo u32 \"b\" { SLOT }\n%1:32x2 = deref_var @1\n%2:32 = load_deref %1"},
		"an index":   {0, "%1:32x2 = vulkan_resource_index %0 SLOT desc_type=2\n%3:32 = mov %1.x\n%2:32 = load_ssbo %3, %0 align_mul=4"},
		"an image":   {3, "var @1 image image2D<u32> \"i\" { SLOT }\n%3:32 = deref_var @1\n%4:32x4 = vec4 %0, %0, %0, %0\n%5:32x4 = image_deref_load %3, %4, %0, %0 image_dim=2D dest_type=u32\n%2:32 = mov %5.x"},
	} {
		for set := range sets {
			for k := range bindings {
				slot := fmt.Sprintf("set=%d binding=%d", set, way.binding+k)
				decl, body := "", strings.ReplaceAll(way.text, "SLOT", slot)
				if strings.HasPrefix(body, "var") {
					decl, body, _ = strings.Cut(body, "\n")
				} else {
					body = strings.ReplaceAll(body, "set=", "desc_set=")
				}
				s, err := ir.Parse("shader compute \"main\" {\n  info { workgroup_size=1,1,1 }\n" + decl + "\nfn f0 \"main\" entry() {\nb0:\n%0:32 = load_const 0x0\n" + body +
					"\n%7:32x2 = vulkan_resource_index %0 desc_set=0 binding=9 desc_type=2\n%8:32 = mov %7.x\nstore_ssbo %2, %8, %0 write_mask=x align_mul=4\n}\n}\n")
				if err == nil {
					err = ir.Validate(s)
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				p, err := New(s, Options{WaveSize: 4})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				var bind emu.Bindings
				for set := range sets {
					for k := range bindings {
						b := mem.Alloc(4)
						emu.StoreBytes(b.Data, 4, uint64(number(set, k)))
						bind.Set(uint32(set), uint32(k), []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: b.Addr, Size: 4}})
						view := picture(t, emu.ImageDesc{Width: 1, Height: 1}, "R32_UINT")
						view.Store(0, 0, 0, 0, 0, [4]uint32{number(set, 3+k)})
						bind.Set(uint32(set), uint32(3+k), []emu.Descriptor{{Type: emu.DescStorageImage, Image: view}})
					}
				}
				bind.Set(0, 9, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 4}})
				err = emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}})
				if got, want := uint32(emu.LoadBytes(out.Data, 4)), number(set, way.binding+k); err != nil || got != want {
					t.Errorf("%s of %s gives %d, want %d; %v", name, slot, got, want, err)
				}
			}
		}
	}
}

// TestMissingImage: where nothing is bound to an image, an index makes no other image of it, whatever else is bound.
func TestMissingImage(t *testing.T) {
	for index := range 6 {
		s, err := ir.Parse(fmt.Sprintf(`shader compute "main" {
  info { workgroup_size=1,1,1 }
  var @1 image image2D<u32>[8] "i" { set=5 binding=0 }
  fn f0 "main" entry() {
    b0:
      %%0:32 = load_const 0x0
      %%1:32 = load_const 0x%x
      %%2:32 = deref_var @1
      %%3:32 = deref_array %%2[%%1]
      %%4:32x4 = vec4 %%0, %%0, %%0, %%0
      %%5:32x4 = image_deref_load %%3, %%4, %%0, %%0 image_dim=2D dest_type=u32
      %%6:32 = mov %%5.x
      %%7:32x2 = vulkan_resource_index %%0 desc_set=0 binding=9 desc_type=2
      %%8:32 = mov %%7.x
      store_ssbo %%6, %%8, %%0 write_mask=x align_mul=4
  }
}`, index))
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
		out := mem.Alloc(4)
		out.Data[0] = 1
		var bind emu.Bindings
		bind.Set(0, 9, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 4}})
		for k := range uint32(6) {
			view := picture(t, emu.ImageDesc{Width: 1, Height: 1}, "R32_UINT")
			view.Store(0, 0, 0, 0, 0, [4]uint32{100 + k})
			bind.Set(1, k, []emu.Descriptor{{Type: emu.DescStorageImage, Image: view}})
		}
		err = emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}})
		if got := emu.LoadBytes(out.Data, 4); err != nil || got != 0 {
			t.Errorf("element %d gives %d, %v", index, got, err)
		}
	}
}

// TestMissingResource: by the strict rules it is told that an index names what is not there, whether it is used or not; by others it is not.
func TestMissingResource(t *testing.T) {
	for set, there := range []bool{true, false} {
		for _, strict := range []bool{true, false} {
			s, err := ir.Parse(fmt.Sprintf("shader compute \"main\" {\n  info { workgroup_size=1,1,1 }\n  fn f0 \"main\" entry() {\n    b0:\n      %%0:32 = load_const 0x0\n      %%1:32x2 = vulkan_resource_index %%0 desc_set=%d binding=2 desc_type=2\n  }\n}\n", set))
			if err != nil {
				t.Fatal(err)
			}
			p, err := New(s, Options{WaveSize: 4, Strict: strict})
			if err != nil {
				t.Fatal(err)
			}
			mem := emu.NewMemory()
			var bind emu.Bindings
			bind.Set(0, 2, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: mem.Alloc(4).Addr, Size: 4}})
			err = emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}})
			if told := err != nil && strings.Contains(err.Error(), "vulkan_resource_index"); told != (strict && !there) || err != nil && !told {
				t.Errorf("set %d, strict %v: %v", set, strict, err)
			}
		}
	}
}
