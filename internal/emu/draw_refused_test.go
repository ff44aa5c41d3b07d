package emu

import (
	"context"
	"strings"
	"testing"

	"nirc/ir"
)

// TestDrawRefused: a pipeline that cannot be drawn with is refused before anything runs.
func TestDrawRefused(t *testing.T) {
	stage := func(s ir.Stage) *fakeProgram {
		p := &fakeProgram{stage: s, wave: 4, run: func(*Launch, int) (Status, error) { return StatusDone, nil }}
		p.io.Tess = TessIO{OutputVertices: 3, Domain: ir.DomainTriangles}
		p.io.Geom = GeomIO{InPrimitive: 3, OutPrimitive: 2, MaxVertices: 3, Invocations: 1}
		return p
	}
	tess := func(p *Pipeline) (c, e *fakeProgram) {
		c, e = stage(ir.StageTessCtrl), stage(ir.StageTessEval)
		p.TessCtrl, p.TessEval, p.Topology, p.PatchControlPoints = c, e, PatchList, 3
		return c, e
	}
	geometry := func(p *Pipeline) *fakeProgram {
		g := stage(ir.StageGeometry)
		p.Geometry = g
		return g
	}
	for _, c := range []struct {
		name   string
		change func(p *Pipeline, d *DrawParams)
		want   string // none: it is drawn
	}{
		{"as it is", func(*Pipeline, *DrawParams) {}, ""},
		{"no environment", func(p *Pipeline, _ *DrawParams) { p.Env = nil }, "without an environment"},
		{"no vertex stage", func(p *Pipeline, _ *DrawParams) { p.Vertex = nil }, "without a vertex stage"},
		{"a vertex stage that is none", func(p *Pipeline, _ *DrawParams) { p.Vertex = stage(ir.StageFragment) }, "the vertex stage's program is of stage fragment"},
		{"a fragment stage that is none", func(p *Pipeline, _ *DrawParams) { p.Fragment = stage(ir.StageVertex) }, "the fragment stage's program is of stage vertex"},
		{"a topology", func(p *Pipeline, _ *DrawParams) { p.Topology = PatchList + 1 }, "is unknown"},
		{"no lanes", func(p *Pipeline, _ *DrawParams) { p.Vertex.(*fakeProgram).wave = 0 }, "wave size 0 is outside 1.."},
		{"too many lanes", func(p *Pipeline, _ *DrawParams) { p.Fragment.(*fakeProgram).wave = MaxLanes + 1 }, "wave size 129 is outside 1..128"},
		{"all lanes", func(p *Pipeline, _ *DrawParams) { p.Vertex.(*fakeProgram).wave = MaxLanes }, ""},
		{"indices of 3 bytes", func(_ *Pipeline, d *DrawParams) { d.Index = &IndexBuffer{Bytes: 3} }, "indices of 3 bytes are not supported"},
		{"no image", func(p *Pipeline, _ *DrawParams) { p.Color[0].View = &ImageView{} }, "attachment without an image or format"},
		{"other samples", func(p *Pipeline, _ *DrawParams) { p.Multisample.Samples = 4 }, "attachment has 1 samples, the pipeline 4"},
		{"three samples", func(p *Pipeline, _ *DrawParams) {
			p.Color, p.Area, p.Multisample.Samples = nil, Rect{Width: 4, Height: 4}, 3
		}, "3 samples a pixel are not supported"},
		{"no attachment", func(p *Pipeline, _ *DrawParams) { p.Color = nil }, "draw without attachments needs an area"},
		{"no attachment, and nothing drawn", func(p *Pipeline, _ *DrawParams) { p.Color, p.Raster.Discard = nil, true }, ""},
		{"an attribute without a format", func(p *Pipeline, _ *DrawParams) { p.Attributes[0].Format = nil }, "has no format or is out of range"},
		{"an attribute beyond", func(p *Pipeline, _ *DrawParams) { p.Attributes[0].Location = ir.NumAttribSlots }, "has no format or is out of range"},
		{"an attribute of depths", func(p *Pipeline, _ *DrawParams) { p.Attributes[0].Format = FormatByName("D32_SFLOAT") }, "format D32_SFLOAT is not supported"},
		{"an attribute of nothing", func(p *Pipeline, _ *DrawParams) { p.Attributes[0].Binding = 3 }, "reads binding 3, which is not bound"},
		{"an input beyond", func(p *Pipeline, _ *DrawParams) { p.Vertex.(*fakeProgram).io.Inputs[0].Slot = ir.NumAttribSlots }, "is out of range"},
		{"a result beyond", func(p *Pipeline, _ *DrawParams) { p.Fragment.(*fakeProgram).io.Outputs[0].Slot = ir.NumResultSlots }, "is out of range"},
		{"nine attachments", func(p *Pipeline, _ *DrawParams) { p.Color = append(p.Color, make([]Attachment, 8)...) }, "9 colour attachments are not supported"},
		{"eight attachments", func(p *Pipeline, _ *DrawParams) { p.Color = append(p.Color, make([]Attachment, 7)...) }, ""},
		{"integers that are blended", func(p *Pipeline, _ *DrawParams) {
			p.Color[0].View = mustImage(t, ImageDesc{Width: 4, Height: 4, Format: FormatByName("R8_UINT")})
			p.Blend.Attachments = []AttachmentBlend{{Enable: true, WriteMask: 15}}
		}, "blending into integer format R8_UINT"},
		{"integers in a logic operation", func(p *Pipeline, _ *DrawParams) {
			p.Color[0].View = mustImage(t, ImageDesc{Width: 4, Height: 4, Format: FormatByName("R8_UINT")})
			p.Blend.Attachments, p.Blend.LogicEnable = []AttachmentBlend{{Enable: true, WriteMask: 15}}, true
		}, ""},
		{"depths as colours", func(p *Pipeline, _ *DrawParams) {
			p.Color[0].View = mustImage(t, ImageDesc{Width: 4, Height: 4, Format: FormatByName("D16_UNORM")})
		}, "a colour attachment"},
		{"a view of larger texels", func(p *Pipeline, _ *DrawParams) { p.Color[0].View.Format = FormatByName("R16_UNORM") }, "view of format R16_UNORM over an image of R8_UNORM"},
		{"a view beyond the layers", func(p *Pipeline, _ *DrawParams) { p.Color[0].View.BaseLayer = 1 }, "does not fit its image"},
		{"one stage of tessellation", func(p *Pipeline, _ *DrawParams) { tess(p); p.TessCtrl = nil }, "only one of the two tessellation stages"},
		{"patches alone", func(p *Pipeline, _ *DrawParams) { p.Topology = PatchList }, "there are no tessellation stages"},
		{"tessellated triangles", func(p *Pipeline, _ *DrawParams) { tess(p); p.Topology = TriangleList }, "is not a list of patches"},
		{"stages the wrong way round", func(p *Pipeline, _ *DrawParams) { tess(p); p.TessCtrl, p.TessEval = p.TessEval, p.TessCtrl }, "stage's program is of stage"},
		{"no control points", func(p *Pipeline, _ *DrawParams) { tess(p); p.PatchControlPoints = 0 }, "patches of 0 control points"},
		{"33 control points", func(p *Pipeline, _ *DrawParams) { tess(p); p.PatchControlPoints = 33 }, "patches of 33 control points"},
		{"no vertices of patches", func(p *Pipeline, _ *DrawParams) {
			c, e := tess(p)
			c.io.Tess.OutputVertices, e.io.Tess.OutputVertices = 0, 0
		}, "of 0 output vertices"},
		{"33 vertices of patches", func(p *Pipeline, _ *DrawParams) {
			c, e := tess(p)
			c.io.Tess.OutputVertices, e.io.Tess.OutputVertices = 33, 33
		}, "of 33 output vertices"},
		{"no domain", func(p *Pipeline, _ *DrawParams) { c, e := tess(p); c.io.Tess.Domain, e.io.Tess.Domain = 0, 0 }, "tessellation with domain 0"},
		{"a geometry stage", func(p *Pipeline, _ *DrawParams) { geometry(p) }, ""},
		{"a geometry stage that is none", func(p *Pipeline, _ *DrawParams) { geometry(p).stage = ir.StageVertex }, "the geometry stage's program is of stage vertex"},
		{"a geometry stage of lines", func(p *Pipeline, _ *DrawParams) { geometry(p).io.Geom.InPrimitive = 2 }, "takes primitives of 2 vertices, the topology gives 3"},
		{"a geometry stage of 1025 vertices", func(p *Pipeline, _ *DrawParams) { geometry(p).io.Geom.MaxVertices = 1025 }, "1025 vertices"},
		{"a geometry stage of 128 invocations", func(p *Pipeline, _ *DrawParams) { geometry(p).io.Geom.Invocations = 128 }, "128 invocations"},
		{"a geometry stage of other primitives", func(p *Pipeline, _ *DrawParams) { geometry(p).io.Geom.OutPrimitive = 3 }, "output primitive 3"},
		{"a geometry stage of lines after triangles", func(p *Pipeline, _ *DrawParams) { tess(p); geometry(p).io.Geom.InPrimitive = 2 }, "takes primitives of 2 vertices, tessellation gives 3"},
	} {
		p := testPipeline(t, 4, 4, 1, "R8_UNORM", 1, quad(0), constantColor(1, 1, 1, 1))
		d := DrawParams{VertexCount: 3, InstanceCount: 1}
		c.change(p, &d)
		err := Draw(context.Background(), p, d)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
