package grids

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/passes"
)

// viewStages add the view, each with a digit of its own, to what the stage before has added.
var viewStages = map[ir.Stage]string{
	ir.StageVertex: `layout(location = 0) flat out int a;
void main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0, 1); a = gl_ViewIndex; }`,
	ir.StageTessCtrl: `layout(vertices = 3) out;
layout(location = 0) flat in int a[];
layout(location = 0) flat out int b[];
void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  b[gl_InvocationID] = a[gl_InvocationID] + 10 * gl_ViewIndex;
  gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 1;
}`,
	ir.StageTessEval: `layout(triangles) in;
layout(location = 0) flat in int b[];
layout(location = 0) flat out int a;
void main() {
  gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position * gl_TessCoord.y + gl_in[2].gl_Position * gl_TessCoord.z;
  a = b[0] + 100 * gl_ViewIndex;
}`,
	ir.StageGeometry: `layout(triangles, invocations = 2) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) flat in int b[];
layout(location = 0) flat out int a;
void main() {
  if (gl_InvocationID != (gl_ViewIndex & 1)) return;
  for (int i = 0; i < 3; i++) { gl_Position = gl_in[i].gl_Position; a = b[0] + 1000 * gl_ViewIndex; EmitVertex(); }
}`,
	ir.StageFragment: `layout(location = 0) flat in int a;
layout(location = 0) out uint o;
void main() { o = a + 10000 * gl_ViewIndex; }`,
}

// TestViewOfStages draws to views 0, 2 and 3 of four: each stage of a pipeline knows the view.
func TestViewOfStages(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	module := map[ir.Stage]*nirc.Module{}
	for stage, text := range viewStages {
		module[stage] = prove.FromGLSL(t, stage, "#version 450\n#extension GL_EXT_multiview : require\n"+text)
	}
	const mask = 0b1101
	for name, stages := range map[string][]ir.Stage{
		"vertex": {ir.StageVertex, ir.StageFragment}, "tessellation": {ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageFragment},
		"geometry": {ir.StageVertex, ir.StageGeometry, ir.StageFragment}, "all": {ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry, ir.StageFragment},
	} {
		var modules []*nirc.Module
		digits, topology := uint32(0), emu.TriangleList
		for _, s := range stages {
			modules = append(modules, module[s])
			digits += map[ir.Stage]uint32{ir.StageVertex: 1, ir.StageTessCtrl: 10, ir.StageTessEval: 100, ir.StageGeometry: 1000, ir.StageFragment: 10000}[s]
			if s == ir.StageTessCtrl {
				topology = emu.PatchList
			}
		}
		for _, target := range []string{nirc.IRTarget, "ir3", "ir3 a740", "agx", "midgard"} {
			for _, link := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/%t", name, target, link), func(t *testing.T) {
					o := nirc.Options{Level: passes.O2}
					o.Target, o.GPU, _ = strings.Cut(target, " ")
					img, err := emu.NewImage(emu.ImageDesc{Width: 2, Height: 2, Layers: 4, Format: emu.FormatByName("R32_UINT")})
					if err != nil {
						t.Fatal(err)
					}
					p := &emu.Pipeline{Topology: topology, PatchControlPoints: 3, Color: []emu.Attachment{{View: &emu.ImageView{Image: img}}}, ViewMask: mask}
					x := &exec.Execution{Modules: modules, Options: o, Draw: p, Link: link, DrawParams: emu.DrawParams{VertexCount: 3, InstanceCount: 1}, Limits: emu.Limits{Check: true}}
					if err := exec.Execute(context.Background(), x); err != nil {
						t.Fatal(err)
					}
					for view := range 4 {
						want := digits * uint32(view) * (mask >> view & 1)
						if got := uint32(emu.LoadBytes(img.Data[img.Offset(1, 1, 0, view, 0, 0):], 4)); got != want {
							t.Errorf("view %d: got %d, want %d", view, got, want)
						}
					}
				})
			}
		}
	}
}
