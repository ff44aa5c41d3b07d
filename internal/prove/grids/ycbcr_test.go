package grids

import (
	"context"
	"fmt"
	"math"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/passes"
)

// ycbcrShader samples an element without a conversion and one with, and a texture of the binding after them.
const ycbcrShader = `#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer B { vec4 o[3]; };
layout(set = 0, binding = 1) uniform sampler2D t[2];
layout(set = 0, binding = 2) uniform sampler2D after;
void main() {
  vec2 at = vec2(0.375, 0.625);
  o[0] = textureLod(t[0], at, 0.0);
  o[1] = textureLod(t[1], at, 0.0);
  o[2] = textureLod(after, at, 0.0);
}`

// oneColor is an image of one colour.
func oneColor(t *testing.T, format string, size int, texel ...byte) *emu.ImageView {
	t.Helper()
	img, err := emu.NewImage(emu.ImageDesc{Width: size, Height: size, Format: emu.FormatByName(format)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range img.Data {
		img.Data[i] = texel[i%len(texel)]
	}
	return &emu.ImageView{Image: img}
}

// TestYCbCrLayouts: the layout of a pipeline gives the conversions of its immutable samplers, and a descriptor for each plane,
// in the places that the driver's tables have by the same layout.
func TestYCbCrLayouts(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	l, err := nirc.ReadLayout("layout.json", []byte(`{"schema": 1, "sets": [{"set": 0, "bindings": [
		{"binding": 0, "type": "storage_buffer"}, {"binding": 2, "type": "combined_image_sampler"},
		{"binding": 1, "type": "combined_image_sampler", "count": 2, "immutable_samplers": [{}, {"mag_filter": "linear", "min_filter": "linear", "ycbcr_conversion":
			{"format": "g8_b8_r8_3plane_420_unorm", "model": "ycbcr_601", "range": "itu_narrow", "chroma_filter": "linear", "x_chroma_offset": "midpoint"}}]}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	m := prove.FromGLSL(t, ir.StageCompute, ycbcrShader)
	plain := &emu.Sampler{MaxLod: emu.LodNone}
	planes := []*emu.ImageView{oneColor(t, "R8G8B8A8_UNORM", 4, 10, 20, 30, 40), nil, nil, oneColor(t, "R8_UNORM", 4, 126), oneColor(t, "R8_UNORM", 2, 100), oneColor(t, "R8_UNORM", 2, 160)}
	y, cb, cr := (126.0-16)/219, (100.0-128)/224, (160.0-128)/224
	want := [3][4]float64{{10.0 / 255, 20.0 / 255, 30.0 / 255, 40.0 / 255}, {y + 1.402*cr, y - 0.202008/0.587*cb - 0.419198/0.587*cr, y + 1.772*cb, 1}, {1, 0, 1, 0}}
	for _, o := range []nirc.Options{{}, {Target: "ir3", GPU: "a630"}, {Target: "ir3", GPU: "a740"}, {Target: "agx"}, {Target: "midgard"}} {
		o.Level, o.Layout = passes.O2, l
		p, _, err := exec.Executable(t.Context(), m, o)
		if err != nil {
			t.Fatalf("%s: %v", o.Target, err)
		}
		mem, table := emu.NewMemory(), &emu.Bindings{}
		out := mem.Alloc(48)
		table.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 48}})
		table.Set(0, 2, []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Image: oneColor(t, "R8G8B8A8_UNORM", 4, 255, 0, 255, 0), Sampler: plain}})
		var list []emu.Descriptor
		for i, v := range planes {
			d := emu.Descriptor{Type: emu.DescCombinedImageSampler, Image: v, Sampler: plain}
			if list = append(list, d.Immutable(l, 0, 1, uint32(i))); v == nil {
				list[i] = emu.Descriptor{}
			}
		}
		table.Set(0, 1, list)
		if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: table, Layout: l}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}}); err != nil {
			t.Fatalf("%s: %v", o.Target, err)
		}
		for i, want := range want {
			var got [4]float64
			wrong := false
			for k := range got {
				got[k] = float64(math.Float32frombits(uint32(emu.LoadBytes(out.Data[16*i+4*k:], 4))))
				wrong = wrong || !(math.Abs(got[k]-want[k]) <= 1e-4)
			}
			if wrong {
				t.Errorf("%s %s: texture %d is %v, want %v", o.Target, o.GPU, i, fmt.Sprint(got), want)
			}
		}
	}
	if c := l.Find(0, 1); c.Descriptors() != 6 {
		t.Errorf("%d descriptors, want 6", c.Descriptors())
	}
}
