package amber

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// runs returns the RUN commands of a script.
func runs(s *Script) []*Run {
	var list []*Run
	for _, c := range s.Commands {
		if r, ok := c.(*Run); ok {
			list = append(list, r)
		}
	}
	return list
}

func vkParse(t *testing.T, text string) *Script {
	t.Helper()
	s, err := Parse("x.vkscript", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestVkScriptPipelines(t *testing.T) {
	s := vkParse(t, vkGraphics)
	r := runs(s)
	if len(r) != 4 {
		t.Fatalf("%d runs", len(r))
	}
	g := r[1].Pipeline
	if r[0].Pipeline == g || g != r[2].Pipeline || g == r[3].Pipeline {
		t.Error("a draw has its own pipeline when, and only when, the state has changed")
	}
	if r[0].Pipeline.Depth.Test || !g.Depth.Test || g.Depth.Compare != emu.CompareLess || g.Depth.Front.Pass != emu.StencilReplace ||
		g.Cull != emu.CullBoth || g.Blend.WriteMask != 9 || !g.Restart {
		t.Errorf("state %+v", g)
	}
	if r[1].Instances != 7 || r[1].Topology != emu.TriangleStrip || !r[1].Indexed || r[3].Topology != emu.PointList || r[3].Start != 1 {
		t.Errorf("draws %+v %+v", r[1], r[3])
	}
	if a := r[3].Pipeline.stage(StageVertex); a.Entry != "other" || r[2].Pipeline.stage(StageVertex).Entry != "main" {
		t.Errorf("entry point %q", a.Entry)
	}
	if b := g.Color[0].Buffer; b != r[0].Pipeline.Color[0].Buffer || b.Width != 40 || b.Height != 20 || b.Format.Image.Name != "R32G32B32A32_SFLOAT" {
		t.Errorf("render target %+v", b)
	}
	if v := g.Vertex; len(v) != 2 || v[1].Location != 3 || !bytes.Equal(v[0].Buffer.Data, []byte{255, 128, 1, 127, 0, 0}) || v[1].Buffer.Format.Size != 12 {
		t.Errorf("vertex data %+v", v)
	}
	if !bytes.Equal(g.Index.Data, []byte{0, 0, 1, 0, 2, 0, 255, 255}) {
		t.Errorf("indices %v", g.Index.Data)
	}
}

const vkGraphics = `# comment
[require]
fbsize 40 20
framebuffer R32G32B32A32_SFLOAT
depthstencil D24_UNORM_S8_UINT
logicOp
[vertex shader passthrough]
[fragment shader]
void main() {}
[indices]
0 1 2 # three
65535
[vertex data]
# a row
0/R8G8_SNORM 3/float/vec3
-1 -128 0.5 1 2
 1  127 1.5 3 4
 0    0 2.5 5 6
[test]
clear color 1 0.5 0 1
clear
draw arrays TRIANGLE_LIST 0 3
depthTestEnable true
depthCompareOp VK_COMPARE_OP_LESS
front.passOp VK_STENCIL_OP_REPLACE
cullMode VK_CULL_MODE_FRONT_BIT | VK_CULL_MODE_BACK_BIT
colorWriteMask VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_A_BIT
primitiveRestartEnable true
draw arrays indexed instanced GL_TRIANGLE_STRIP 0 4 7
draw arrays indexed TRIANGLE_STRIP 0 4
vertex entrypoint other
draw arrays POINT_LIST 1 2
`

// TestVkScriptData runs scripts without shaders: what commands write is what
// probes see.
func TestVkScriptData(t *testing.T) {
	const head = "[test]\nssbo 3 40\n"
	for _, c := range []struct{ text, reason string }{
		{"ssbo 1:3 subdata float 4 1 2\nprobe ssbo float 1:3 4 == 1 2\nprobe ssbo uint 1:3 0 == 0 0x3f800000", ""},
		{"ssbo 3 subdata ivec2 8 1 -2 3 4\nprobe ssbo int 3 8 == 1 -2 3 4", ""},
		{"ssbo 3 subdata vec3 0 1 2 3 4 5 6\nprobe ssbo float 3 16 == 4 5 6", ""},
		{"ssbo 3 subdata mat2x3 0 1 2 3 4 5 6\nprobe ssbo vec3 3 0 == 1 2 3 4 5 6", ""},
		{"ssbo layout std140\nssbo 3 subdata float 0 1 2\nssbo layout std430\nprobe ssbo float 3 0 == 1 0 0 0 2", ""},
		{"ssbo layout row_major\nssbo 3 subdata mat2x3 0 1 2 3 4 5 6\nprobe ssbo vec2 3 0 == 1 4 2 5 3 6\nprobe ssbo mat2x3 3 0 == 1 2 3 4 5 6", ""},
		{"ssbo layout row_major\nssbo 3 subdata mat3x2 0 1 2 3 4 5 6\nprobe ssbo float 3 0 == 1 3 5\nprobe ssbo float 3 16 == 2 4 6", ""},
		{"ssbo layout row_major\nssbo 3 subdata vec3 0 1 2 3\nprobe ssbo float 3 0 == 1 2 3", ""},
		{"ssbo layout std140 row_major\nssbo 3 subdata mat2 0 1 2 3 4\nssbo layout std430 column_major\nprobe ssbo float 3 0 == 1 3\nprobe ssbo float 3 16 == 2 4", ""},
		{"ssbo layout row_major std140 column_major\nssbo 3 subdata mat2 0 1 2 3 4\nssbo layout std430\nprobe ssbo float 3 0 == 1 2\nprobe ssbo float 3 16 == 3 4", ""},
		{"ssbo layout", "std140"},
		{"ssbo layout packed", "row_major"},
		{"ssbo 3 subdata float 0 1\nprobe ssbo float 3 0 != 1", "want NE 1"},
		{"ssbo 3 subdata float 0 100\ntolerance 1%\nprobe ssbo float 3 0 ~= 101\nprobe ssbo float 3 0 ~= 102", "want EQ 102"},
		{"ssbo 3 subdata uint8_t 0 1 2 3\nprobe ssbo uint8_t 3 1 < 3 4\nprobe ssbo uint8_t 3 1 >= 2 4", "want GE 4"},
		{"probe ssbo float 3 40 == 0", "beyond"},
		{"probe ssbo float 0:4 0 == 0", "no buffer at 0:4"},
		{"probe ssbo vec2 3 0 == 1 2 3", "3 values"},
		{"ssbo 3 subdata float 0", "0 values"},
		{"ssbo 3 subdata vec5 0 1", "data type"},
		{"ssbo 3 4294967296", "larger than"},
		{"ubo 3 subdata float 0 1", "both a uniform and a storage buffer"},
		{"draw rect 0 0 1 1", "no graphics shader"},
		{"compute 1 1 1", "no compute shader"},
		{"compute entrypoint x", "no compute shader"},
		{"clear", "no graphics shader"},
		{"depthTestEnable true", "without a graphics shader"},
		{"fly", "unknown command"},
		{"[nonsense]", "unknown section"},
		{"[vertex shader passthrough]\n[vertex shader passthrough]", "several vertex shaders"},
		{"[vertex shader passthrough]\n[vertex data]\n0/R8G8_SNORM\n1", "value of vertex data 0"},
		{"[vertex shader passthrough]\n[vertex data]\n0/NONE\n1", "format of a column"},
		{"[vertex shader passthrough]\n[test]\ndraw arrays POINT_LIST 0 0", "must be positive"},
		{"[vertex shader passthrough]\n[vertex data]\n0/R8_UINT\n1\n[test]\ndraw arrays POINT_LIST 1 1", "the script has 1"},
		{"[vertex shader passthrough]\n[test]\ndraw arrays indexed POINT_LIST 1 1", "needs the section [indices]"},
		{"[vertex shader passthrough]\n[test]\nprobe rgb (-1, 0) (0, 0, 0)", "outside the framebuffer"},
	} {
		text := head + c.text + "\n"
		if strings.Contains(c.text, "1:3") {
			text = "[test]\n" + c.text + "\n"
		}
		r := runText(t, graphicsTarget(), text)
		if (c.reason == "") != (r.Verdict == Pass) || !strings.Contains(r.Reason, c.reason) {
			t.Errorf("%s: %+v", c.text, r)
		}
	}
}

// TestVkScriptDraws draws with the fake target.
func TestVkScriptDraws(t *testing.T) {
	for _, c := range []struct{ text, reason string }{
		{"clear color 0 0 1 0.5\nclear\nprobe all rgba 0 0 1 0.5", ""},
		{"clear color 0 0 1 0.5\nclear\nprobe all rgb 0 1 1", "differs"},
		{"clear\nrelative probe rect rgba (0, 0.5, 1.0, 0.5) (0, 0, 0, 0)", ""},
		{"clear\nprobe rgba (3, 2) (0, 0, 0.1, 0)", "at 3,2"},
		{"clear\ntolerance 0.1\nprobe rgba (3, 2) (0, 0, 0.1, 0)", ""},
	} {
		r := runText(t, graphicsTarget(), "[require]\nfbsize 8 4\n[vertex shader passthrough]\n[test]\n"+c.text+"\n")
		if (c.reason == "") != (r.Verdict == Pass) || !strings.Contains(r.Reason, c.reason) {
			t.Errorf("%s: %+v", c.text, r)
		}
	}
}

// TestVkProbedRegions: a probe looks at the pixels that its numbers say, of the framebuffer or relative to it, in whatever way they are written; what is
// outside is refused.
func TestVkProbedRegions(t *testing.T) {
	const head = "[vertex shader passthrough]\n\n[fragment shader]\n#version 450\nvoid main() {}\n\n[require]\nframebuffer B8G8R8A8_UNORM\nfbsize 40 20\n\n[test]\n"
	type region struct{ x, y, w, h int }
	for text, want := range map[string]region{
		"probe all rgba 0 0 0 1": {0, 0, 40, 20}, "probe all rgb (0, 0, 0)": {0, 0, 40, 20}, "probe rgba (3, 7) (0, 0, 0, 1)": {3, 7, 1, 1}, "probe rgb 3 7 0 0 0": {3, 7, 1, 1},
		"probe rgb (3 7) 0 0 0": {3, 7, 1, 1}, "probe rect rgba (3, 7, 5, 2) (0, 0, 0, 1)": {3, 7, 5, 2}, "probe rect rgb 3 7 1 1 0 0 0": {3, 7, 1, 1}, "probe rect rgb 3.9 7.2 5.99 1.5 0 0 0": {3, 7, 5, 1},
		"relative probe rgba (0.5, 0.25) (0, 0, 0, 1)": {20, 5, 1, 1}, "relative probe rect rgb 0.1 0.35 0.3 0.15 0 0 0": {4, 7, 12, 3}, "relative probe rect rgba (0, 0, 1, 1) (0, 0, 0, 1)": {0, 0, 40, 20},
	} {
		s := vkParse(t, head+text+"\n")
		e, ok := s.Commands[len(s.Commands)-1].(*ExpectTexels)
		if !ok {
			t.Fatalf("%s: %T", text, s.Commands[len(s.Commands)-1])
		}
		if got := (region{e.X, e.Y, e.W, e.H}); got != want || e.Alpha != strings.Contains(text, "rgba") {
			t.Errorf("%s: %+v, alpha %v, want %+v", text, got, e.Alpha, want)
		}
		if e.Alpha && e.RGBA[3] != 1 || len(e.Tolerances) > 3 && !e.Alpha {
			t.Errorf("%s: colour %v, tolerances %v", text, e.RGBA, e.Tolerances)
		}
	}
	for _, text := range []string{"probe rgb (-1, 0) (0, 0, 0)", "probe rgb (0, 65537) (0, 0, 0)", "probe rect rgb 0 0 0 1 0 0 0", "probe rect rgb 0 0 1 0.5 0 0 0", "relative probe rgb (-0.1, 0) (0, 0, 0)",
		"probe rect rgb 0 0 nan 1 0 0 0", "probe rgb (0, 0 (0, 0, 0)"} {
		if s, err := Parse("x.vkscript", []byte(head+text+"\n")); err == nil {
			t.Errorf("%s is read: %+v", text, s.Commands[len(s.Commands)-1])
		}
	}
}

// TestVkProbedTolerances: of a tolerance for each component a probe takes as many as it compares.
func TestVkProbedTolerances(t *testing.T) {
	const head = "[vertex shader passthrough]\n\n[fragment shader]\n#version 450\nvoid main() {}\n\n[test]\n"
	for tolerances := 1; tolerances <= 4; tolerances++ {
		for form, n := range map[string]int{"rgb 0 0 0 0 0": 3, "rgba 0 0 0 0 0 0": 4} {
			s := vkParse(t, head+"tolerance"+strings.Repeat(" 0.25", tolerances)+"\nprobe "+form+"\n")
			e := s.Commands[len(s.Commands)-1].(*ExpectTexels)
			if got := len(e.Tolerances); got != min(n, tolerances) {
				t.Errorf("probe %s takes %d of %d tolerances", form, got, tolerances)
			}
		}
	}
}

// TestVkColumns: columns of vertex data have the format of their GL type, once for each component of their GLSL type, or that of their name; other types
// and formats are refused.
func TestVkColumns(t *testing.T) {
	gl := map[string]string{"byte": "8_SINT", "ubyte": "8_UINT", "short": "16_SINT", "ushort": "16_UINT", "int": "32_SINT", "uint": "32_UINT", "half": "16_SFLOAT", "float": "32_SFLOAT",
		"double": "64_SFLOAT", "long": "", "": ""}
	glsl := map[string]int{"int": 1, "uint": 1, "float": 1, "double": 1, "vec2": 2, "vec3": 3, "vec4": 4, "ivec2": 2, "uvec3": 3, "dvec4": 4, "vec5": 0, "int2": 0, "float4": 0, "mat2": 0, "bool": 0, "": 0}
	want := map[string]string{"R8G8_SNORM": "R8G8_SNORM", "R32G32B32A32_UINT": "R32G32B32A32_UINT", "R8G8_NORM": "", "float": ""}
	for g, suffix := range gl {
		for s, n := range glsl {
			name := ""
			if n > 0 && suffix != "" {
				bits, kind, _ := strings.Cut(suffix, "_")
				for _, c := range "RGBA"[:n] {
					name += string(c) + bits
				}
				name += "_" + kind
			}
			want[g+"/"+s] = name
		}
	}
	for column, name := range want {
		format := emu.FormatByName(name)
		values := 1
		if format != nil {
			values = len(format.Channels)
		}
		s, err := Parse("x.vkscript", []byte("[vertex shader passthrough]\n\n[fragment shader]\n#version 450\nvoid main() {}\n\n[vertex data]\n0/"+column+"\n"+
			strings.Repeat(" 1", values)+"\n\n[test]\ndraw arrays POINT_LIST 0 1\n"))
		switch {
		case format == nil && err == nil:
			t.Errorf("a column %s is read", column)
		case format != nil && err != nil:
			t.Errorf("a column %s: %v", column, err)
		case format != nil:
			if got := runs(s)[0].Pipeline.Vertex[0].Buffer.Format.Image.Name; got != name {
				t.Errorf("a column %s has format %s, want %s", column, got, name)
			}
		}
	}
}

// TestTexelsOfExtents: a buffer without a width is one row of all elements; one with a width has its slices below each other.
func TestTexelsOfExtents(t *testing.T) {
	for _, c := range []struct {
		x    extent
		w, h int
	}{{extent{12, 0, 0, 0}, 12, 1}, {extent{12, 1, 12, 0}, 1, 12}, {extent{12, 3, 4, 1}, 3, 4}, {extent{12, 3, 2, 2}, 3, 4}, {extent{12, 12, 0, 0}, 12, 1}, {extent{12, 2, 0, 6}, 2, 6}, {extent{1, 0, 5, 5}, 1, 1}} {
		if w, h := c.x.texels(); w != c.w || h != c.h {
			t.Errorf("%+v: %d by %d, want %d by %d", c.x, w, h, c.w, c.h)
		}
	}
}

// TestVkStates: each state that a script sets is that of the draws after it, and no other one is.
func TestVkStates(t *testing.T) {
	const head = "[require]\nfbsize 16 8\ndepthstencil D32_SFLOAT_S8_UINT\n[vertex shader passthrough]\n[fragment shader]\nvoid main() {}\n[test]\n"
	draw := func(text string) Pipeline {
		p := *runs(vkParse(t, head+text+"draw rect -1 -1 2 2\n"))[0].Pipeline
		p.Name, p.Line, p.Color, p.Shaders, p.Vertex, p.DepthStencil = "", 0, nil, nil, nil, nil
		return p
	}
	for text, set := range map[string]func(p *Pipeline){
		"primitiveRestartEnable true":                   func(p *Pipeline) { p.Restart = true },
		"depthClampEnable 1":                            func(p *Pipeline) { p.DepthClamp = true },
		"rasterizerDiscardEnable true":                  func(p *Pipeline) { p.Discard = true },
		"depthBiasEnable true":                          func(p *Pipeline) { p.DepthBias = true },
		"logicOpEnable true":                            func(p *Pipeline) { p.LogicOps = true },
		"logicOpEnable false":                           func(p *Pipeline) { p.LogicOps = false },
		"blendEnable true":                              func(p *Pipeline) { p.Blend.Enable = true },
		"depthTestEnable true":                          func(p *Pipeline) { p.Depth.Test = true },
		"depthWriteEnable true":                         func(p *Pipeline) { p.Depth.Write = true },
		"depthWriteEnable 0":                            func(p *Pipeline) { p.Depth.Write = false },
		"depthBoundsTestEnable true":                    func(p *Pipeline) { p.Depth.BoundsTest = true },
		"stencilTestEnable true":                        func(p *Pipeline) { p.Depth.StencilTest = true },
		"topology VK_PRIMITIVE_TOPOLOGY_LINE_LIST":      func(p *Pipeline) {},
		"polygonMode VK_POLYGON_MODE_POINT":             func(p *Pipeline) { p.Polygon = emu.PolygonPoint },
		"logicOp VK_LOGIC_OP_XOR":                       func(p *Pipeline) { p.Logic = ir.LogicXor },
		"frontFace VK_FRONT_FACE_CLOCKWISE":             func(p *Pipeline) { p.FrontClockwise = true },
		"frontFace VK_FRONT_FACE_COUNTER_CLOCKWISE":     func(p *Pipeline) { p.FrontClockwise = false },
		"cullMode VK_CULL_MODE_BACK_BIT":                func(p *Pipeline) { p.Cull = emu.CullBack },
		"cullMode VK_CULL_MODE_FRONT_AND_BACK":          func(p *Pipeline) { p.Cull = emu.CullBoth },
		"depthBiasConstantFactor 1.5":                   func(p *Pipeline) { p.BiasConstant = 1.5 },
		"depthBiasClamp 2.5":                            func(p *Pipeline) { p.BiasClamp = 2.5 },
		"depthBiasSlopeFactor -3.5":                     func(p *Pipeline) { p.BiasSlope = -3.5 },
		"lineWidth 4.5":                                 func(p *Pipeline) { p.LineWidth = 4.5 },
		"minDepthBounds 0.25":                           func(p *Pipeline) { p.Depth.MinBounds = 0.25 },
		"maxDepthBounds 0.75":                           func(p *Pipeline) { p.Depth.MaxBounds = 0.75 },
		"srcColorBlendFactor VK_BLEND_FACTOR_SRC_ALPHA": func(p *Pipeline) { p.Blend.SrcColor = ir.BlendSrcAlpha },
		"dstColorBlendFactor VK_BLEND_FACTOR_SRC_ALPHA": func(p *Pipeline) { p.Blend.DstColor = ir.BlendSrcAlpha },
		"srcAlphaBlendFactor VK_BLEND_FACTOR_SRC_ALPHA": func(p *Pipeline) { p.Blend.SrcAlpha = ir.BlendSrcAlpha },
		"dstAlphaBlendFactor VK_BLEND_FACTOR_SRC_ALPHA": func(p *Pipeline) { p.Blend.DstAlpha = ir.BlendSrcAlpha },
		"colorBlendOp VK_BLEND_OP_SUBTRACT":             func(p *Pipeline) { p.Blend.ColorOp = ir.BlendSubtract },
		"alphaBlendOp VK_BLEND_OP_SUBTRACT":             func(p *Pipeline) { p.Blend.AlphaOp = ir.BlendSubtract },
		"depthCompareOp VK_COMPARE_OP_GREATER":          func(p *Pipeline) { p.Depth.Compare = emu.CompareGreater },
		"colorWriteMask 5":                              func(p *Pipeline) { p.Blend.WriteMask = 5 },
		"colorWriteMask 0xa":                            func(p *Pipeline) { p.Blend.WriteMask = 10 },
		"colorWriteMask VK_COLOR_COMPONENT_G_BIT":       func(p *Pipeline) { p.Blend.WriteMask = 2 },
		"front.compareOp VK_COMPARE_OP_GREATER":         func(p *Pipeline) { p.Depth.Front.Compare = emu.CompareGreater },
		"front.failOp VK_STENCIL_OP_INVERT":             func(p *Pipeline) { p.Depth.Front.Fail = emu.StencilInvert },
		"front.passOp VK_STENCIL_OP_INVERT":             func(p *Pipeline) { p.Depth.Front.Pass = emu.StencilInvert },
		"front.depthFailOp VK_STENCIL_OP_INVERT":        func(p *Pipeline) { p.Depth.Front.DepthFail = emu.StencilInvert },
		"front.reference 17":                            func(p *Pipeline) { p.Depth.Front.Reference = 17 },
		"front.compareMask 18":                          func(p *Pipeline) { p.Depth.Front.CompareMask = 18 },
		"front.writeMask 19":                            func(p *Pipeline) { p.Depth.Front.WriteMask = 19 },
		"back.compareOp VK_COMPARE_OP_GREATER":          func(p *Pipeline) { p.Depth.Back.Compare = emu.CompareGreater },
		"back.failOp VK_STENCIL_OP_INVERT":              func(p *Pipeline) { p.Depth.Back.Fail = emu.StencilInvert },
		"back.passOp VK_STENCIL_OP_INVERT":              func(p *Pipeline) { p.Depth.Back.Pass = emu.StencilInvert },
		"back.depthFailOp VK_STENCIL_OP_INVERT":         func(p *Pipeline) { p.Depth.Back.DepthFail = emu.StencilInvert },
		"back.reference 17":                             func(p *Pipeline) { p.Depth.Back.Reference = 17 },
		"back.compareMask 18":                           func(p *Pipeline) { p.Depth.Back.CompareMask = 18 },
		"back.writeMask 19":                             func(p *Pipeline) { p.Depth.Back.WriteMask = 19 },
	} {
		want := draw("")
		set(&want)
		if got := draw(text + "\n"); !reflect.DeepEqual(got, want) {
			t.Errorf("%s gives\n%+v, want\n%+v", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"blendEnable maybe": "true or false", "frontFace VK_FRONT_FACE_LEFT": "VK_FRONT_FACE_", "cullMode FRONT": "VK_CULL_MODE_", "colorWriteMask 16": "", "front.frob 1": "unknown", "side.failOp VK_STENCIL_OP_KEEP": "unknown",
		"colorBlendOp VK_BLEND_OP_ADD_ON": "VK_BLEND_OP_", "back.reference -1": "a reference", "lineWidth wide": "a number",
	} {
		if _, err := Parse("x.vkscript", []byte(head+text+"\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
