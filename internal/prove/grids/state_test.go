package grids

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// stateVertex draws primitives over a 16x16 image, some of them turned away; what a test asks for stands in place of EXTRA.
const stateVertex = `#version 450
layout(location = 0) in vec4 at;
layout(location = 1) in float flag;
layout(location = 0) out vec4 color;
layout(location = 1) out vec4 back;
layout(push_constant) uniform P { vec4 plane[3]; float scale, bias, size; };
DECLARE
void main() {
  int p = gl_VertexIndex / 3;
  gl_Position = at;
  color = vec4(-0.25 + 0.375 * float(gl_VertexIndex % 5), 0.125 * float(gl_VertexIndex), 1.5 - 0.25 * float(p), 0.0625 + 0.125 * float(gl_VertexIndex % 8));
  back = vec4(1, 0.5, 0.25, 0.75) * float(1 + p);
  EXTRA
}`

const stateFragment = `#version 450
layout(location = 0) QUALIFIER in vec4 color;
layout(location = 1) in vec4 back;
layout(location = 0) out vec4 o;
layout(push_constant) uniform P { vec4 plane[3]; float scale, bias, size; };
DECLARE
void main() { vec4 c = color; EXTRA o = c; END }`

// stateControl and stateEvaluation stand between, where patches of three are drawn; a control shader says for PATCH how many vertices that is.
const (
	stateControl = `#version 450
layout(vertices = 3) out;
layout(location = 0) in vec4 color[];
layout(location = 1) in vec4 back[];
layout(location = 0) out vec4 c[];
layout(location = 1) out vec4 b[];
void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  c[gl_InvocationID] = color[gl_InvocationID] * PATCH;
  b[gl_InvocationID] = back[gl_InvocationID];
  gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = PATCH;
}`
	stateEvaluation = `#version 450
layout(triangles, equal_spacing, ccw) in;
layout(location = 0) in vec4 c[];
layout(location = 1) in vec4 b[];
layout(location = 0) out vec4 color;
layout(location = 1) out vec4 back;
void main() {
  vec3 w = gl_TessCoord;
  gl_Position = w.x * gl_in[0].gl_Position + w.y * gl_in[1].gl_Position + w.z * gl_in[2].gl_Position;
  color = w.x * c[0] + w.y * c[1] + w.z * c[2];
  back = b[0];
}`
)

// drawnState is a member of the state, and what it must come to.
type drawnState struct {
	name, state string
	// Before and after, by hand, in the shaders: what stands for the words in capitals, a word and its text in turn.
	vertex, wantVertex, fragment, wantFragment []string
	points                                     bool   // are drawn, not triangles
	patch, wantPatch                           string // what stands for PATCH: patches are drawn
	samples, targets                           int
	format                                     string // R32G32B32A32_SFLOAT if not said
	// fixed is the same done by fixed functions.
	fixed func(p *emu.Pipeline)
	// refused names the targets that cannot, with what they say.
	refused map[string]string
	texture bool
	linked  bool // the stages are compiled together
	// tolerance is how far off a colour may be, 2e-5 of it if not said.
	tolerance float64
}

var drawnStates = []drawnState{
	{name: "alpha test", state: `{"alpha_test": {"func": "less", "ref": 0.5}}`, wantFragment: []string{"END", "if (!(c.a < 0.5)) discard;"}},
	{name: "alpha to one", state: `{"alpha_test": {"func": "greater", "ref": 0.25}, "alpha_to_one": true}`,
		wantFragment: []string{"END", "if (!(c.a > 0.25)) discard; o.a = 1;"}},
	{name: "flat", state: `{"flat_colors": [0]}`, wantFragment: []string{"QUALIFIER", "flat"}},
	{name: "two sides", state: `{"two_sided": {"front": 0, "back": 1}}`, wantFragment: []string{"EXTRA", "c = gl_FrontFacing ? color : back;"}},
	{name: "clamped attachments", state: `{"clamp_colors": {"attachments": [0]}}`, wantFragment: []string{"END", "o = clamp(c, 0.0, 1.0);"}},
	{name: "clamped varyings", state: `{"clamp_colors": {"locations": [0]}}`, wantVertex: []string{"EXTRA", "color = clamp(color, 0.0, 1.0);"}},
	{name: "broadcast", state: `{"broadcast_color": 2}`, targets: 2,
		wantFragment: []string{"DECLARE", "layout(location = 1) out vec4 o1;", "END", "o1 = c;"}},
	{name: "point size", state: `{"points": {"size": 5}}`, points: true, wantVertex: []string{"EXTRA", "gl_PointSize = 5;"}},
	{name: "point size of the push constants", state: `{"points": {"size_push": 56}}`, points: true, wantVertex: []string{"EXTRA", "gl_PointSize = size;"}},
	{name: "point size with bounds", state: `{"points": {"min": 2, "max": 4.5}}`, points: true,
		vertex: []string{"EXTRA", "gl_PointSize = float(gl_VertexIndex);"}, wantVertex: []string{"EXTRA", "gl_PointSize = clamp(float(gl_VertexIndex), 2.0, 4.5);"}},
	{name: "point sprites", state: `{"points": {"texcoords": [0]}}`, points: true, vertex: []string{"EXTRA", "gl_PointSize = 5;"},
		wantVertex: []string{"EXTRA", "gl_PointSize = 5;"}, wantFragment: []string{"EXTRA", "c = vec4(gl_PointCoord, 0, 1);"}},
	{name: "point sprites from below", state: `{"points": {"texcoords": [1], "y_invert": true}}`, points: true,
		vertex: []string{"EXTRA", "gl_PointSize = 5;"}, wantVertex: []string{"EXTRA", "gl_PointSize = 5;"},
		fragment: []string{"EXTRA", "c = back;"}, wantFragment: []string{"EXTRA", "c = vec4(gl_PointCoord.x, 1 - gl_PointCoord.y, 0, 1);"}},
	{name: "smooth points", state: `{"smooth": {"points": true}}`, points: true, vertex: []string{"EXTRA", "gl_PointSize = 6;"},
		wantVertex: []string{"EXTRA", "gl_PointSize = 6;"}, wantFragment: []string{"EXTRA", "float d = length(gl_PointCoord * 2 - 1); c.a *= clamp((1 - d) / fwidth(d) + 0.5, 0.0, 1.0);"}},
	{name: "smooth edges", state: `{"smooth": {"samples": 4}}`, samples: 4, wantFragment: []string{"END", "o.a = c.a * (float(bitCount(gl_SampleMaskIn[0])) / 4);"}},
	{name: "flipped", state: `{"flip_y": {"height": 16}}`, fragment: []string{"EXTRA", "c = vec4(gl_FragCoord.xy, dFdy(color.x), dFdx(color.y));"},
		wantFragment: []string{"EXTRA", "c = vec4(gl_FragCoord.x, 16 - gl_FragCoord.y, -dFdy(color.x), dFdx(color.y));"}},
	{name: "flipped by push constants", state: `{"flip_y": {"push": 48, "integer_center": true}}`, fragment: []string{"EXTRA", "c = vec4(gl_FragCoord.xy, dFdy(color.x), dFdx(color.y));"},
		wantFragment: []string{"EXTRA", "c = vec4(gl_FragCoord.x - 0.5, gl_FragCoord.y * scale + bias - 0.5, dFdy(color.x) * scale, dFdx(color.y));"}},
	{name: "flipped points", state: `{"flip_y": {"height": 16}}`, points: true, vertex: []string{"EXTRA", "gl_PointSize = 5;"}, wantVertex: []string{"EXTRA", "gl_PointSize = 5;"},
		fragment: []string{"EXTRA", "c.xy = gl_PointCoord;"}, wantFragment: []string{"EXTRA", "c.xy = vec2(gl_PointCoord.x, 1 - gl_PointCoord.y);"}},
	{name: "w", state: `{"frag_coord_w_inverse": true}`, fragment: []string{"EXTRA", "c = gl_FragCoord;"}, wantFragment: []string{"EXTRA", "c = vec4(gl_FragCoord.xyz, 1 / gl_FragCoord.w);"}},
	{name: "clip space", state: `{"clip": {"half_z": true}}`, vertex: []string{"EXTRA", "gl_Position.z = gl_Position.w * (float(gl_VertexIndex % 3) - 1.25);"},
		wantVertex: []string{"EXTRA", "gl_Position.z = gl_Position.w * (float(gl_VertexIndex % 3) - 1.25);"},
		fragment:   []string{"EXTRA", "c = vec4(1);"}, wantFragment: []string{"EXTRA", "c = vec4(1);"}, fixed: func(p *emu.Pipeline) { p.Raster.DepthMinusOneToOne = true }},
	{name: "clip planes", state: `{"clip": {"planes": [0, 2], "planes_push": 0}}`,
		wantVertex: []string{"DECLARE", "out float gl_ClipDistance[3];", "EXTRA", "gl_ClipDistance[0] = dot(at, plane[0]); gl_ClipDistance[1] = 0; gl_ClipDistance[2] = dot(at, plane[2]);"}},
	{name: "clip distances", state: `{"clip": {"distances": [1]}}`,
		vertex:     []string{"DECLARE", "out float gl_ClipDistance[2];", "EXTRA", "gl_ClipDistance[0] = -1; gl_ClipDistance[1] = at.x + 0.25;"},
		wantVertex: []string{"DECLARE", "out float gl_ClipDistance[2];", "EXTRA", "gl_ClipDistance[0] = 0; gl_ClipDistance[1] = at.x + 0.25;"}},
	{name: "vertices of patches", state: `{"patch_vertices": 5}`, patch: "gl_PatchVerticesIn", wantPatch: "5"},
	{name: "edge flags", state: `{"edge_flags": {"from": 1, "to": 5}}`, wantVertex: []string{"DECLARE", "layout(location = 5) out float edge;", "EXTRA", "edge = flag;"},
		fragment: []string{"DECLARE", "layout(location = 5) in float edge;", "EXTRA", "c.x = edge;"}, wantFragment: []string{"DECLARE", "layout(location = 5) in float edge;", "EXTRA", "c.x = edge;"}},
	{name: "shadow", state: `{"shadow": {"func": "greater"}}`, texture: true,
		fragment:     []string{"DECLARE", "layout(binding = 0) uniform sampler2DShadow tex;", "EXTRA", "c.x = textureLod(tex, vec3(gl_FragCoord.xy / 16, 0.4), 0.0);"},
		wantFragment: []string{"DECLARE", "layout(binding = 0) uniform sampler2D tex;", "EXTRA", "c.x = 0.4 > textureLod(tex, gl_FragCoord.xy / 16, 0.0).x ? 1.0 : 0.0;"}},
	{name: "no shadow", state: `{"shadow": {"func": "none"}}`, texture: true,
		fragment:     []string{"DECLARE", "layout(binding = 0) uniform sampler2DShadow tex;", "EXTRA", "c.x = textureLod(tex, vec3(gl_FragCoord.xy / 16, 0.4), 0.0);"},
		wantFragment: []string{"DECLARE", "layout(binding = 0) uniform sampler2D tex;", "EXTRA", "c.x = textureLod(tex, gl_FragCoord.xy / 16, 0.0).x;"}},
	{name: "half precision", state: `{"half_precision": true}`, fragment: []string{"EXTRA", "mediump vec4 h = back; c = sqrt(h) * h + h;"},
		wantFragment: []string{"EXTRA", "vec4 h = back; c = sqrt(h) * h + h;"}, tolerance: 4e-3},
	{name: "single sampled", state: `{"single_sampled": true}`, samples: 4, fragment: []string{"EXTRA", "c.xy = gl_SamplePosition;"}, wantFragment: []string{"EXTRA", "c.xy = vec2(0.5);"}},
	{name: "zero in place of what is undefined", state: `{"zero_undefined": true}`, fragment: []string{"EXTRA", "vec4 u; if (color.x > 0) u = back; c = u;"},
		wantFragment: []string{"EXTRA", "vec4 u = vec4(0); if (color.x > 0) u = back; c = u;"}},
	{name: "bitmap", state: `{"bitmap": {"binding": 0, "texcoord": 1, "component": 0}}`, texture: true,
		wantFragment: []string{"DECLARE", "layout(binding = 0) uniform sampler2D tex;", "EXTRA", "if (texture(tex, back.xy).x != 0) discard;"}},
	{name: "pixels", state: `{"draw_pixels": {"binding": 0, "texcoord": 1, "push": 0}}`, texture: true,
		wantFragment: []string{"DECLARE", "layout(binding = 0) uniform sampler2D tex;", "EXTRA", "c = texture(tex, back.xy) * plane[0] + plane[1];"}},
	{name: "pixels by a map", state: `{"draw_pixels": {"binding": 0, "texcoord": 1, "map": 0}}`, texture: true,
		wantFragment: []string{"DECLARE", "layout(binding = 0) uniform sampler2D tex;", "EXTRA", "vec4 t = texture(tex, back.xy); c = vec4(texture(tex, t.xy).xy, texture(tex, t.zw).xy);"}},
	{name: "blending", state: `{"blend": [{"attachment": 0, "format": "R32G32B32A32_SFLOAT", "enable": true, "src_color": "src_alpha", "dst_color": "one_minus_src_alpha", "alpha_op": "max"}]}`,
		fixed: func(p *emu.Pipeline) {
			p.Blend.Attachments = []emu.AttachmentBlend{{Enable: true, SrcColor: ir.BlendSrcAlpha, DstColor: ir.BlendOneMinusSrcAlpha, SrcAlpha: ir.BlendOne, AlphaOp: ir.BlendMax, WriteMask: emu.WriteAll}}
		}, refused: map[string]string{"midgard": "reading a render target of the format R32G32B32A32_SFLOAT is not supported"}},
	{name: "blending of bytes", state: `{"blend": [{"attachment": 0, "format": "R8G8B8A8_UNORM", "enable": true, "src_color": "src_alpha", "dst_color": "one_minus_src_alpha", "alpha_op": "max"}]}`,
		format: "R8G8B8A8_UNORM", fixed: func(p *emu.Pipeline) {
			p.Blend.Attachments = []emu.AttachmentBlend{{Enable: true, SrcColor: ir.BlendSrcAlpha, DstColor: ir.BlendOneMinusSrcAlpha, SrcAlpha: ir.BlendOne, AlphaOp: ir.BlendMax, WriteMask: emu.WriteAll}}
		}},
	// Of one colour, for Midgard takes what is smooth at the samples that it shades.
	{name: "blending of samples", state: `{"blend": [{"attachment": 0, "format": "R8G8B8A8_UNORM", "enable": true, "src_color": "src_alpha", "dst_color": "one_minus_src_alpha", "alpha_op": "max"}]}`,
		format: "R8G8B8A8_UNORM", samples: 4, fragment: []string{"EXTRA", "c = vec4(0.25, 0.5, 0.75, 0.5);"}, wantFragment: []string{"EXTRA", "c = vec4(0.25, 0.5, 0.75, 0.5);"}, fixed: func(p *emu.Pipeline) {
			p.Blend.Attachments = []emu.AttachmentBlend{{Enable: true, SrcColor: ir.BlendSrcAlpha, DstColor: ir.BlendOneMinusSrcAlpha, SrcAlpha: ir.BlendOne, AlphaOp: ir.BlendMax, WriteMask: emu.WriteAll}}
		}},
	{name: "logic operation", state: `{"blend": [{"attachment": 0, "format": "R8G8B8A8_UNORM", "logic_op": "copy_inverted", "write_mask": 15}]}`, format: "R8G8B8A8_UNORM",
		fixed: func(p *emu.Pipeline) { p.Blend.LogicEnable, p.Blend.Logic = true, ir.LogicCopyInverted }},
}

// fill puts texts in place of the words in capitals.
func fill(text string, words []string) string {
	text = strings.NewReplacer(words...).Replace(text)
	return strings.NewReplacer("DECLARE", "", "QUALIFIER", "", "EXTRA", "", "END", "").Replace(text)
}

// floatBytes are floats in memory.
func floatBytes(v ...float32) (b []byte) {
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}

// draw draws with shaders and options, and returns the bytes of the targets.
func (d *drawnState) draw(t *testing.T, o nirc.Options, vertex, fragment []string, patch string, fixed func(p *emu.Pipeline)) ([]byte, error) {
	t.Helper()
	format := d.format
	if format == "" {
		format = "R32G32B32A32_SFLOAT"
	}
	p := &emu.Pipeline{
		Bindings: []emu.VertexBinding{{Binding: 0, Stride: 20, Data: floatBytes(
			-0.9, -0.9, 0.25, 1, 1, 0.9, -0.8, 0.5, 1, 0, -0.3, 0.95, 0.75, 1, 1,
			0.2, -0.5, 0.5, 1, 2, 0.3, 1.6, 0.5, 2, 1, 1.8, 0.4, 1, 2, 0,
			-0.6, 0.1, 0.25, 1, 1, -0.7, 0.8, 0.25, 1, 2, 0.1, 0.7, 0.25, 1, 3)}},
		Attributes: []emu.VertexAttribute{{Location: 0, Format: emu.FormatByName("R32G32B32A32_SFLOAT")}, {Location: 1, Offset: 16, Format: emu.FormatByName("R32_SFLOAT")}}}
	if !d.points {
		p.Topology = emu.TriangleList
	}
	for range max(1, d.targets) {
		img, err := emu.NewImage(emu.ImageDesc{Width: 16, Height: 16, Samples: max(1, d.samples), Format: emu.FormatByName(format)})
		if err != nil {
			t.Fatal(err)
		}
		p.Color = append(p.Color, emu.Attachment{View: &emu.ImageView{Image: img}})
	}
	if fixed != nil {
		fixed(p)
	}
	x := &exec.Execution{Options: o, Link: d.linked, Draw: p, DrawParams: emu.DrawParams{VertexCount: 9, InstanceCount: 1}, Limits: emu.Limits{Check: true},
		Push:    floatBytes(1, 0.5, 0, 0.25, 0, 0, 0, 1, 0, 1, 0, 0.4, -1, 16, 7),
		Modules: []*nirc.Module{prove.FromGLSL(t, ir.StageVertex, fill(stateVertex, vertex)), prove.FromGLSL(t, ir.StageFragment, fill(stateFragment, fragment))}}
	if patch != "" {
		p.Topology, p.PatchControlPoints = emu.PatchList, 3
		x.Modules = append(x.Modules, prove.FromGLSL(t, ir.StageTessCtrl, strings.ReplaceAll(stateControl, "PATCH", patch)), prove.FromGLSL(t, ir.StageTessEval, stateEvaluation))
	}
	if d.texture {
		img, err := emu.NewImage(emu.ImageDesc{Width: 2, Height: 2, Format: emu.FormatByName("R32_SFLOAT")})
		if err != nil {
			t.Fatal(err)
		}
		copy(img.Data, floatBytes(0.1, 0.9, 0.6, 0.3))
		x.Bindings = []exec.Binding{{Binding: 0, Image: img}}
	}
	if err := exec.Execute(emu.Once(context.Background()), x); err != nil {
		return nil, err
	}
	var all []byte
	for i := range p.Color {
		all = append(all, p.Color[i].View.Image.Data...)
	}
	return all, nil
}

// near compares targets: colours of floats may differ in their last bits, where another order of operations is as good.
func (d *drawnState) near(a, b []byte) bool {
	if d.format != "" || len(a) != len(b) {
		return bytes.Equal(a, b)
	}
	for i := 0; i < len(a); i += 4 {
		x, y := math.Float32frombits(binary.LittleEndian.Uint32(a[i:])), math.Float32frombits(binary.LittleEndian.Uint32(b[i:]))
		if !prove.Near(float64(y), float64(x), max(2e-5, d.tolerance)) {
			return false
		}
	}
	return true
}

// TestDrawnState: a draw with a state file comes to what shaders written for the state draw, or fixed functions, on all targets, linked or not.
func TestDrawnState(t *testing.T) {
	for i := range drawnStates {
		d := &drawnStates[i]
		t.Run(d.name, func(t *testing.T) {
			state, err := nirc.ReadState("", []byte(`{"shader": `+d.state+`}`))
			if err != nil {
				t.Fatal(err)
			}
			for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
				o := nirc.Options{Target: target, Level: passes.O2}
				want, err := d.draw(t, o, d.wantVertex, d.wantFragment, d.wantPatch, d.fixed)
				if err != nil {
					t.Fatalf("%s: %v", target, err)
				}
				if target == nirc.IRTarget {
					if without, err := d.draw(t, o, d.vertex, d.fragment, d.patch, nil); err == nil && bytes.Equal(without, want) && d.tolerance == 0 {
						t.Fatal("the state changes nothing that is drawn")
					}
				}
				o.State = state
				for _, d.linked = range []bool{false, true} {
					d.compare(t, o, want)
				}
				d.linked = false
			}
		})
	}
}

// compare draws with the state, and holds what comes out to what is wanted.
func (d *drawnState) compare(t *testing.T, o nirc.Options, want []byte) {
	t.Helper()
	got, err := d.draw(t, o, d.vertex, d.fragment, d.patch, nil)
	if text := d.refused[o.Target]; text != "" {
		if err == nil || !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: error %v, want %q", o.Target, err, text)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", o.Target, err)
	} else if !d.near(want, got) || d.tolerance != 0 && bytes.Equal(want, got) {
		t.Errorf("%s: linked %v: another image, or just the same where it may be off by %g", o.Target, d.linked, d.tolerance)
	}
}

// TestEachStateIsDrawn: no member of the state is without a draw, except for default_block, which modules of SPIR-V do not read (passes, TestDefaultBlock).
func TestEachStateIsDrawn(t *testing.T) {
	drawn := map[string]bool{"default_block": true}
	for i := range drawnStates {
		var members map[string]any
		if err := json.Unmarshal([]byte(drawnStates[i].state), &members); err != nil {
			t.Fatal(err)
		}
		for name := range members {
			drawn[name] = true
		}
	}
	state := reflect.TypeFor[passes.ShaderState]()
	for i := range state.NumField() {
		if name, _, _ := strings.Cut(state.Field(i).Tag.Get("json"), ","); !drawn[name] {
			t.Errorf("nothing is drawn with %q", name)
		}
	}
}
