package exec

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/passes"
)

// TestRobustVertices draws points of which the buffers have no elements, for vertices and for instances: what is fetched beyond a
// buffer is zeros on all targets, by the fetch unit or by the prolog's clamp.
func TestRobustVertices(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	var modules []*nirc.Module
	for stage, text := range map[ir.Stage]string{ir.StageVertex: `#version 450
layout(location=0) in vec4 v;
layout(location=1) in uint n;
layout(location=0) out vec4 c;
void main() { c = v + vec4(float(n)); gl_Position = vec4(float(gl_VertexIndex & 3) * 0.5 - 0.75, float(gl_InstanceIndex) - 0.5, 0, 1); gl_PointSize = 1.0; }`,
		ir.StageFragment: `#version 450
layout(location=0) in vec4 c;
layout(location=0) out vec4 o;
void main() { o = c; }`} {
		m, err := nirc.LoadFile(context.Background(), "-", nirc.FileOptions{Stdin: strings.NewReader(text), Stage: stage})
		if err != nil {
			t.Fatal(err)
		}
		modules = append(modules, m)
	}
	floats := func(list ...float32) (b []byte) {
		for _, f := range list {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
		}
		return b
	}
	r, err := ir.ParseRobust("vertex=buffer2")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []nirc.Options{{Target: "ir"}, {Target: "ir3"}, {Target: "agx"}, {Target: "agx", ABI: nirc.SeparateABI}, {Target: "midgard"}} {
		o.Level, o.Robust = passes.O2, r
		img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 2, Format: emu.FormatByName("R32G32B32A32_SFLOAT")})
		if err != nil {
			t.Fatal(err)
		}
		x := &Execution{Modules: modules, Options: o, Limits: emu.Limits{Check: true}, DrawParams: emu.DrawParams{VertexCount: 4, InstanceCount: 2},
			Draw: &emu.Pipeline{Topology: emu.PointList, Color: []emu.Attachment{{View: &emu.ImageView{Image: img}}},
				Bindings:   []emu.VertexBinding{{Binding: 0, Stride: 16, Data: floats(1, 2, 3, 4, 5, 6, 7, 8)}, {Binding: 1, Stride: 4, Instance: true, Data: []byte{16, 0, 0, 0, 9, 9}}},
				Attributes: []emu.VertexAttribute{{Location: 0, Format: emu.FormatByName("R32G32B32A32_SFLOAT")}, {Location: 1, Binding: 1, Format: emu.FormatByName("R32_UINT")}}}}
		if err := Execute(context.Background(), x); err != nil {
			t.Errorf("%s %s: %v", o.Target, o.ABI, err)
			continue
		}
		var got []string
		for i := 0; i < len(img.Data); i += 16 {
			got = append(got, fmt.Sprint(math.Float32frombits(binary.LittleEndian.Uint32(img.Data[i:]))))
		}
		if got, want := strings.Join(got, " "), "17 21 16 16 1 5 0 0"; got != want {
			t.Errorf("%s %s: %s, want %s", o.Target, o.ABI, got, want)
		}
	}
}
