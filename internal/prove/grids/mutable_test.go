package grids

import (
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/passes"
)

// mutableShader sees the binding 0 as buffers, as images and as textures.
const mutableShader = `#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer B { uint x[]; } b[3];
layout(set = 0, binding = 0, r32ui) uniform readonly uimage2D i[3];
layout(set = 0, binding = 0) uniform utexture2D t[3];
layout(set = 0, binding = 1) buffer Out { uint o[3]; };
void main() {
  o[0] = b[0].x[3];
  o[1] = imageLoad(i[1], ivec2(2, 1)).x;
  o[2] = texelFetch(t[2], ivec2(3, 0), 0).x;
}`

// TestMutableDescriptors: descriptors of one binding may be of several types (VK_EXT_mutable_descriptor_type), each what the shader
// sees it as.
func TestMutableDescriptors(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	m := prove.FromGLSL(t, ir.StageCompute, mutableShader)
	img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 2, Format: emu.FormatByName("R32_UINT")})
	if err != nil {
		t.Fatal(err)
	}
	for k := range 8 {
		emu.StoreBytes(img.Data[img.Offset(k%4, k/4, 0, 0, 0, 0):], 4, uint64(100+k))
	}
	l, err := nirc.ReadLayout("layout.json", []byte(`{"schema": 1, "sets": [{"set": 0, "bindings": [
		{"binding": 0, "type": "mutable", "count": 3}, {"binding": 1, "type": "storage_buffer"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
		for n, level := range []passes.Level{passes.O0, passes.O2, passes.O2} {
			used := []*nirc.Layout{nil, nil, l}[n]
			mem := emu.NewMemory()
			in, out := mem.Alloc(16), mem.Alloc(12)
			emu.StoreBytes(in.Data[12:], 4, 77)
			var b emu.Bindings
			view := &emu.ImageView{Image: img}
			b.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: in.Addr, Size: 16}, {Type: emu.DescStorageImage, Image: view}, {Type: emu.DescSampledImage, Image: view}})
			b.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 12}})
			p, _, err := exec.Executable(t.Context(), m, nirc.Options{Target: target, Level: level, Layout: used})
			if err != nil {
				t.Errorf("%s: %v", target, err)
				continue
			}
			if err := emu.Dispatch(t.Context(), p, &emu.Env{Mem: mem, Bindings: &b, Layout: used}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}}); err != nil {
				t.Errorf("%s -%s: %v", target, level, err)
			}
			for k, want := range []uint64{77, 106, 103} {
				if got := emu.LoadBytes(out.Data[4*k:], 4); got != want {
					t.Errorf("%s -%s: word %d is %d, want %d", target, level, k, got, want)
				}
			}
		}
	}
}
