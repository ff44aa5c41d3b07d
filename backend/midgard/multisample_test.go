package midgard

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"nirc/backend/midgard/core"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// sampleArrays reads, writes and counts in arrays of multisampled images, at texels,
// layers and samples some of which do not exist, and in an element of several images.
const sampleArrays = `
shader compute "main" {
  info { workgroup_size=4,5,3 system_values_read=0x10000000 num_ssbos=1 num_textures=1 num_images=4 writes_memory }
  type $0 = struct "Out" block {
    "total": u32[:4] offset=0
  }
  var @1 system_value vec3u32 "gl_LocalInvocationID" { builtin=27 }
  var @2 image imageMS_array<u32>ms "src" { set=0 binding=0 format=r32ui }
  var @3 uniform sampledMS_array<u32>ms "tex" { set=0 binding=2 }
  var @4 image imageMS_array<u32>ms "dst" { set=0 binding=1 format=r32ui }
  var @5 image imageMS_array<u32>ms[2] "list" { set=0 binding=3 format=r32ui }
  var @6 mem_ssbo $0 "" { set=1 binding=0 }
  fn f0 "main" entry() {
    b0: // preds:
      %0:32 = deref_var @2
      %1:32 = load_const 0x0 // 0
      %2:32 = load_const 0x1 // 1
      %3:32 = undef
      %4:32 = load_const 0x3 // 3
      %5:32x2 = vulkan_resource_index %1 desc_set=1 desc_type=2
      %6:32x2 = load_vulkan_descriptor %5 desc_type=2
      %7:32x3 = load_local_invocation_id
      %8:32 = image_deref_samples %0 image_dim=MS image_array=1 format=33
    loop {
      b1: // preds: b0 b4
        %9:32 = phi b0: %1, b4: %35
        %10:32 = iadd %8, %2
        %11:32 = ige32 %9, %10
      if %11 {
        b2: // preds: b1
          break
      } else {
        b3: // preds: b1
      }
      b4: // preds: b3
        %12:32x3 = load_const (0x0, 0xffffffff, 0x0) // 0, -1, 0
        %13:32x3 = iadd %7, %12
        %14:32x4 = vec4 %13.x, %13.y, %13.z, %3
        %15:32x4 = image_deref_load %0, %14, %9, %1 image_dim=MS image_array=1 format=33 dest_type=u32
        %16:32 = iand %9, %4
        %17:32 = deref_var @3
        %18:32x4 = txf_ms texture_deref=%17 coord=%7 ms_index=%16 dim=MS dest=u32 array coord_components=3
        %19:32 = iadd %15.x, %18.x
        %20:32 = iadd %19, %9
        %21:32x4 = vec4 %20, %20, %20, %20
        %22:32x4 = vec4 %7.y, %7.x, %7.z, %3
        %23:32 = deref_var @4
        image_deref_store %23, %22, %9, %21, %1 image_dim=MS image_array=1 format=33 src_type=u32
        %24:32 = ixor %7.x, %9
        %25:32 = iand %24, %2
        %26:32 = deref_var @5
        %27:32 = deref_array %26[%25]
        %28:32x4 = vec4 %7.x, %7.y, %7.z, %3
        %29:32 = image_deref_atomic %27, %28, %9, %19 image_dim=MS image_array=1 format=33
        %30:32 = mov %6.x
        %31:32 = load_const 0x2 // 2
        %32:32 = ishl %16, %31
        %33:32 = iadd %6.y, %32
        %34:32 = ssbo_atomic %30, %33, %19 access=coherent
        %35:32 = iadd %9, %2
    }
    b5: // preds: b2
      %36:32x3 = load_const (0x0, 0x0, 0x0) // 0, 0, 0
      %37:32x3 = ieq32 %7, %36
      %38:32 = iand %37.x, %37.y
      %39:32 = iand %38, %37.z
    if %39 {
      b6: // preds: b5
        %40:32 = load_const 0x4 // 4
        %41:32 = deref_var @4
        %42:32x3 = image_deref_size %41, %1 image_dim=MS image_array=1 format=33
        %43:32 = deref_var @5
        %44:32 = deref_array %43[%2] inbounds
        %45:32x3 = image_deref_size %44, %1 image_dim=MS image_array=1 format=33
        %46:32 = ishl %45.z, %40
        %47:32 = iadd %42.x, %46
        %48:32 = mov %6.x
        %49:32 = load_const 0x10 // 16
        %50:32 = iadd %6.y, %49
        store_ssbo %47, %48, %50 write_mask=x align_mul=16
    } else {
      b7: // preds: b5
    }
    b8: // preds: b6 b7
  }
}
`

// sampleWorld is five images of 4x4 texels of 4 samples in 3 layers, and a buffer.
func sampleWorld(t *testing.T) (env *emu.Env, images []*emu.Image, out *emu.Buffer) {
	var bind emu.Bindings
	mem := emu.NewMemory()
	image := func(kind emu.DescriptorType) emu.Descriptor {
		img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 4, Layers: 3, Samples: 4, Format: emu.FormatByName("R32_UINT")})
		if err != nil {
			t.Fatal(err)
		}
		images = append(images, img)
		v := &emu.ImageView{Image: img}
		for i := range 4 * 4 * 3 * 4 {
			v.Store(i&3, i>>2&3, i>>4%3, 0, i/48, [4]uint32{uint32(i*i + len(images))})
		}
		return emu.Descriptor{Type: kind, Image: v}
	}
	bind.Set(0, 0, []emu.Descriptor{image(emu.DescStorageImage)})
	bind.Set(0, 1, []emu.Descriptor{image(emu.DescStorageImage)})
	bind.Set(0, 2, []emu.Descriptor{image(emu.DescSampledImage)})
	bind.Set(0, 3, []emu.Descriptor{image(emu.DescStorageImage), image(emu.DescStorageImage)})
	out = mem.Alloc(32)
	bind.Set(1, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 32}})
	return &emu.Env{Mem: mem, Bindings: &bind}, images, out
}

// samplesAfter are the texels and words that a run of p leaves.
func samplesAfter(t *testing.T, p emu.Program) []byte {
	env, images, out := sampleWorld(t)
	params := emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}
	params.Check, params.Budget = true, 1<<24
	if err := emu.Dispatch(t.Context(), p, env, params); err != nil {
		t.Fatal(err)
	}
	return append(texelsOf(images), out.Data...)
}

func texelsOf(images []*emu.Image) (all []byte) {
	for _, img := range images {
		v := &emu.ImageView{Image: img}
		for i := range 4 * 4 * 3 * 4 {
			all = binary.LittleEndian.AppendUint32(all, v.Load(i&3, i>>2&3, i>>4%3, 0, i/48)[0])
		}
	}
	return all
}

// Arrays of multisampled images have their samples one below the other; what the
// core leaves in them is what the interpreter leaves.
func TestSampleArrays(t *testing.T) {
	s, err := ir.Parse(sampleArrays)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := interp.New(s, interp.Options{WaveSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := samplesAfter(t, ref)
	for _, g := range gpus {
		bin, err := compile(s, CompileOptions{GPU: g.Name})
		if err != nil {
			t.Fatal(err)
		}
		p, err := core.Load(bin.Code, &bin.Meta)
		if err != nil {
			t.Fatal(err)
		}
		if got := samplesAfter(t, p); !bytes.Equal(got, want) {
			t.Errorf("%s: %s", g.Name, firstWord(got, want))
		}
	}
	_, images, _ := sampleWorld(t)
	was, same := texelsOf(images), 0
	for i := 0; i < len(was); i += 4 {
		if bytes.Equal(was[i:i+4], want[i:i+4]) {
			same += 4
		}
	}
	if 4*same > 3*len(was) {
		t.Errorf("the shader leaves %d of %d bytes as they were", same, len(was))
	}
}

// firstWord finds where two runs first differ.
func firstWord(got, want []byte) string {
	for i := 0; i+4 <= len(want); i += 4 {
		g, w := binary.LittleEndian.Uint32(got[i:]), binary.LittleEndian.Uint32(want[i:])
		if g != w {
			return fmt.Sprintf("word %d is %d, want %d", i/4, g, w)
		}
	}
	return "alike"
}
