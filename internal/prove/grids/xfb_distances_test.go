package grids

import (
	"context"
	"reflect"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

const distancesBlock = "gl_PerVertex { vec4 gl_Position; layout(xfb_buffer = 0, xfb_stride = 40, xfb_offset = 0) float gl_ClipDistance[3]; layout(xfb_buffer = 0, xfb_offset = 16) float gl_CullDistance[5]; };\n"

const distancesVertex = `
void main() {
  float i = float(gl_VertexIndex);
  gl_Position = vec4(0, 0, 0, 1);
  for (int k = 0; k < 3; k++) gl_ClipDistance[k] = 10.0 * i + k;
  for (int k = 0; k < 5; k++) gl_CullDistance[k] = 100.0 + 10.0 * i + k;
}`

const distancesGeometry = `#version 450
layout(points) in;
layout(points, max_vertices = 2) out;
in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[3]; float gl_CullDistance[5]; } gl_in[];
out ` + distancesBlock + `
void main() {
  for (int n = 0; n < 2; n++) {
    gl_Position = gl_in[0].gl_Position;
    for (int k = 0; k < 3; k++) gl_ClipDistance[k] = gl_in[0].gl_ClipDistance[2 - k] + n;
    for (int k = 0; k < 5; k++) gl_CullDistance[k] = gl_in[0].gl_CullDistance[4 - k] + n;
    EmitVertex();
  }
}`

// TestCapturedDistances captures clip and cull distances, of a vertex stage and of a geometry stage that reads those of the stage before.
func TestCapturedDistances(t *testing.T) {
	const version = "#version 450\n"
	alone := []*nirc.Module{prove.FromGLSL(t, ir.StageVertex, version+"out "+distancesBlock+distancesVertex)}
	chained := []*nirc.Module{
		prove.FromGLSL(t, ir.StageVertex, version+"out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[3]; float gl_CullDistance[5]; };"+distancesVertex),
		prove.FromGLSL(t, ir.StageGeometry, distancesGeometry),
	}
	for _, o := range []nirc.Options{{Target: nirc.IRTarget}, {Target: "agx", Level: passes.O2}, {Target: "midgard", Level: passes.O2},
		{Target: "ir3"}, {Target: "ir3", Level: passes.O2}, {Target: "ir3", GPU: "a660", Level: passes.O2}, {Target: "ir3", GPU: "a740", Level: passes.O2}, {Target: "ir3", GPU: "a750", Level: passes.O2}} {
		for _, c := range []struct {
			modules []*nirc.Module
			want    []float32
		}{
			{alone, []float32{0, 1, 2, 0, 100, 101, 102, 103, 104, 0, 10, 11, 12, 0, 110, 111, 112, 113, 114, 0}},
			{chained, []float32{2, 1, 0, 0, 104, 103, 102, 101, 100, 0, 3, 2, 1, 0, 105, 104, 103, 102, 101, 0,
				12, 11, 10, 0, 114, 113, 112, 111, 110, 0, 13, 12, 11, 0, 115, 114, 113, 112, 111, 0}},
		} {
			f := &emu.Feedback{}
			f.Buffers[0] = make([]byte, 256)
			draw := &emu.Pipeline{Topology: emu.PointList}
			draw.Raster.Discard = true
			x := &exec.Execution{Modules: c.modules, Options: o, Draw: draw, DrawParams: emu.DrawParams{VertexCount: 2, InstanceCount: 1, Feedback: f}, Limits: emu.Limits{Check: true}}
			if err := exec.Execute(context.Background(), x); err != nil {
				t.Errorf("%s %s, O%v, %d stages: %v", o.Target, o.GPU, o.Level, len(c.modules), err)
				continue
			}
			var got []float32
			for at := uint64(0); at < f.Offsets[0]; at += 4 {
				got = append(got, float32(ir.FloatValue(emu.LoadBytes(f.Buffers[0][at:], 4), 32)))
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s %s, O%v, %d stages: %v, want %v", o.Target, o.GPU, o.Level, len(c.modules), got, c.want)
			}
		}
	}
}
