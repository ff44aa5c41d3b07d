package exec_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// offsetLayout has two dynamic buffers and one that is none.
const offsetLayout = `{"schema": 1, "sets": [{"set": 0, "bindings": [{"binding": 0, "type": "storage_buffer_dynamic"}, {"binding": 1, "type": "storage_buffer"},
	{"binding": 2, "type": "storage_buffer_dynamic"}]}]}`

// TestDynamicOffsets: a dynamic buffer begins at its offset, up to its end; an offset of another, or beyond the end, is refused.
func TestDynamicOffsets(t *testing.T) {
	m := prove.FromGLSL(t, ir.StageCompute, `#version 450
layout(set = 0, binding = 0) buffer A { uint a[]; };
layout(set = 0, binding = 1) buffer B { uint b[]; };
layout(set = 0, binding = 2) buffer C { uint c[]; };
void main() { b[0] = a.length(); b[1] = c.length(); if (a.length() > 0) b[2] = a[0]; if (c.length() > 0) c[0] = 77; }`)
	l, err := nirc.ReadLayout("layout.json", []byte(offsetLayout))
	if err != nil {
		t.Fatal(err)
	}
	words := func(first uint32) (b []byte) {
		for i := range uint32(32) {
			b = binary.LittleEndian.AppendUint32(b, first+i)
		}
		return b
	}
	for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
		for _, c := range []struct {
			a, b, c uint32
			want    string
		}{
			{0, 0, 0, ""}, {64, 0, 0, ""}, {0, 0, 64, ""}, {64, 0, 64, ""}, {128, 0, 128, ""}, {0, 16, 0, "0.1: an offset is for buffers that are dynamic"},
			{132, 0, 0, "0.0: offset 132 lies beyond the 128 bytes"}, {0, 0, 132, "0.2: offset 132 lies beyond the 128 bytes"},
		} {
			x := &exec.Execution{Modules: []*nirc.Module{m}, Options: nirc.Options{Target: target, Level: passes.O1, Layout: l}, Groups: [3]uint32{1, 1, 1},
				Bindings: []exec.Binding{{Binding: 0, Data: words(100), Offset: c.a}, {Binding: 1, Data: make([]byte, 64), Offset: c.b}, {Binding: 2, Data: words(200), Offset: c.c}}}
			err := exec.Execute(t.Context(), x)
			var usage *nirc.UsageError
			if c.want != "" {
				if !errors.As(err, &usage) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s, %+v: %v", target, c, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s, %+v: %v", target, c, err)
				continue
			}
			at := func(n int) uint32 { return binary.LittleEndian.Uint32(x.Bindings[1].Data[4*n:]) }
			first := uint32(0)
			if c.a < 128 {
				first = 100 + c.a/4
			}
			if at(0) != (128-c.a)/4 || at(1) != (128-c.c)/4 || at(2) != first {
				t.Errorf("%s, %+v: %d, %d elements, the first %d", target, c, at(0), at(1), at(2))
			}
			want := words(200)
			if c.c < 128 {
				binary.LittleEndian.PutUint32(want[c.c:], 77)
			}
			if !slices.Equal(x.Bindings[2].Data, want) {
				t.Errorf("%s, %+v: the last buffer is %v", target, c, x.Bindings[2].Data)
			}
		}
	}
}

// TestRefusedBindings: what is bound fits what the shader declares, or the run says which does not.
func TestRefusedBindings(t *testing.T) {
	m := prove.FromGLSL(t, ir.StageCompute, `#version 450
layout(set = 0, binding = 0) buffer A { uint a[]; } list[3];
layout(set = 0, binding = 1, r32ui) uniform uimage2D img;
void main() { list[1].a[0] = imageLoad(img, ivec2(0)).x; }`)
	img, err := emu.NewImage(emu.ImageDesc{Width: 1, Height: 1, Format: emu.FormatByName("R32_UINT")})
	if err != nil {
		t.Fatal(err)
	}
	img.Data[0] = 9
	buffer := func(element uint32) exec.Binding { return exec.Binding{Element: element, Data: make([]byte, 16)} }
	image := exec.Binding{Binding: 1, Image: img}
	for _, c := range []struct {
		bindings []exec.Binding
		want     string
	}{
		{[]exec.Binding{buffer(1), image}, ""}, {[]exec.Binding{buffer(0), buffer(1), buffer(2), image}, ""},
		{[]exec.Binding{image}, `the compute shader's storage_buffer 0.0 "list" is not bound`}, {[]exec.Binding{buffer(1)}, `the compute shader's storage_image 0.1 "img" is not bound`},
		{[]exec.Binding{buffer(1), buffer(3), image}, "0.0[3]: the storage_buffer has 3 descriptors"},
		{[]exec.Binding{buffer(1), {Binding: 1, Data: make([]byte, 4)}}, "0.1 is a storage_image: give it an image"}, {[]exec.Binding{{Element: 1, Image: img}, image}, "0.0[1] is a storage_buffer: give it a buffer"},
	} {
		for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
			x := &exec.Execution{Modules: []*nirc.Module{m}, Options: nirc.Options{Target: target}, Groups: [3]uint32{1, 1, 1}, Bindings: slices.Clone(c.bindings)}
			err := exec.Execute(t.Context(), x)
			var usage *nirc.UsageError
			if c.want != "" {
				if !errors.As(err, &usage) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: %v, want %q", target, err, c.want)
				}
				continue
			}
			at := slices.IndexFunc(x.Bindings, func(b exec.Binding) bool { return b.Element == 1 })
			if err != nil || x.Bindings[at].Data[0] != 9 {
				t.Errorf("%s: %v, %v", target, err, x.Bindings)
			}
		}
	}
}

// TestPrintsBesideBindings: shaders of several modules print, each into a buffer of its own that leaves those of the application alone, wherever they are bound.
func TestPrintsBesideBindings(t *testing.T) {
	const print = "#version 450\n#extension GL_EXT_debug_printf : enable\n"
	vertex := prove.FromGLSL(t, ir.StageVertex, print+`layout(set = 0, binding = 4) buffer B { uint count; };
void main() { atomicAdd(count, 1); if (gl_VertexIndex == 1) debugPrintfEXT("vertex %d", gl_VertexIndex); gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0, 1); }`)
	fragment := prove.FromGLSL(t, ir.StageFragment, print+`layout(location = 0) out vec4 o;
layout(set = 1, binding = 9) buffer C { uint pixels; };
void main() { atomicAdd(pixels, 1); if (gl_FragCoord.xy == vec2(1.5)) debugPrintfEXT("fragment %f", gl_FragCoord.x); o = vec4(1); }`)
	for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
		img, err := emu.NewImage(emu.ImageDesc{Width: 2, Height: 2, Format: emu.FormatByName("R8G8B8A8_UNORM")})
		if err != nil {
			t.Fatal(err)
		}
		x := &exec.Execution{Modules: []*nirc.Module{fragment, vertex}, Options: nirc.Options{Target: target, Level: passes.O1},
			Bindings: []exec.Binding{{Binding: 4, Data: make([]byte, 4)}, {Set: 1, Binding: 9, Data: make([]byte, 4)}},
			Draw:     &emu.Pipeline{Topology: emu.TriangleList, Color: []emu.Attachment{{View: &emu.ImageView{Image: img}}}}, DrawParams: emu.DrawParams{VertexCount: 3, InstanceCount: 1}}
		if err := exec.Execute(t.Context(), x); err != nil {
			t.Errorf("%s: %v", target, err)
			continue
		}
		slices.Sort(x.Printed)
		if !slices.Equal(x.Printed, []string{"fragment 1.500000", "vertex 1"}) || x.Bindings[0].Data[0] != 3 || x.Bindings[1].Data[0] != 4 {
			t.Errorf("%s: printed %q, bound are %v", target, x.Printed, x.Bindings)
		}
	}
}
