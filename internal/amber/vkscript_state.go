package amber

import (
	"strings"

	"nirc/internal/emu"
	"nirc/internal/lazy"
	"nirc/ir"
)

var (
	polygonWords    = []string{"fill", "line", "point"}
	cullWords       = []string{"none", "front", "back", "front_and_back"}
	frontWords      = []string{"counter_clockwise", "clockwise"}
	vkTopologyWords = []string{"POINT_LIST", "LINE_LIST", "LINE_STRIP", "TRIANGLE_LIST", "TRIANGLE_STRIP", "TRIANGLE_FAN",
		"LINE_LIST_WITH_ADJACENCY", "LINE_STRIP_WITH_ADJACENCY", "TRIANGLE_LIST_WITH_ADJACENCY", "TRIANGLE_STRIP_WITH_ADJACENCY", "PATCH_LIST"}
	glTopologyWords = []string{"GL_POINTS", "GL_LINES", "GL_LINE_STRIP", "GL_TRIANGLES", "GL_TRIANGLE_STRIP", "GL_TRIANGLE_FAN",
		"GL_LINES_ADJACENCY", "GL_LINE_STRIP_ADJACENCY", "GL_TRIANGLES_ADJACENCY", "GL_TRIANGLE_STRIP_ADJACENCY", "GL_PATCHES"}
)

// topology takes a topology in Vulkan's or OpenGL's words.
func (v *vkParser) topology() emu.Topology {
	t := v.next()
	for i := range vkTopologyWords {
		if t.isWord(vkTopologyWords[i]) || t.isWord(glTopologyWords[i]) || t.isWord("VK_PRIMITIVE_TOPOLOGY_"+vkTopologyWords[i]) {
			return emu.Topology(i)
		}
	}
	v.unexpected(t, "a topology")
	return 0
}

// enum takes a value of a Vulkan enumeration: prefix and one of the words.
func (v *vkParser) enum(prefix string, words []string) int {
	t := v.next()
	for i, w := range words {
		if t.isWord(prefix + strings.ToUpper(w)) {
			return i
		}
	}
	v.unexpected(t, "a value that starts with "+prefix)
	return 0
}

func (v *vkParser) boolean() bool {
	t := v.next()
	switch {
	case t.isWord("true") || t.kind == tokInt && t.u == 1:
		return true
	case t.isWord("false") || t.kind == tokInt && t.u == 0:
	default:
		v.unexpected(t, "true or false")
	}
	return false
}

func (v *vkParser) float32() float32 { return float32(v.float("a number")) }

// vkState are the commands that set pipeline state.
var vkState = lazy.Value[map[string]func(v *vkParser, g *Pipeline)]{Make: func() map[string]func(v *vkParser, g *Pipeline) {
	return map[string]func(v *vkParser, g *Pipeline){
		"primitiveRestartEnable":  func(v *vkParser, g *Pipeline) { g.Restart = v.boolean() },
		"depthClampEnable":        func(v *vkParser, g *Pipeline) { g.DepthClamp = v.boolean() },
		"rasterizerDiscardEnable": func(v *vkParser, g *Pipeline) { g.Discard = v.boolean() },
		"depthBiasEnable":         func(v *vkParser, g *Pipeline) { g.DepthBias = v.boolean() },
		"logicOpEnable":           func(v *vkParser, g *Pipeline) { g.LogicOps = v.boolean() },
		"blendEnable":             func(v *vkParser, g *Pipeline) { g.Blend.Enable = v.boolean() },
		"depthTestEnable":         func(v *vkParser, g *Pipeline) { g.Depth.Test = v.boolean() },
		"depthWriteEnable":        func(v *vkParser, g *Pipeline) { g.Depth.Write = v.boolean() },
		"depthBoundsTestEnable":   func(v *vkParser, g *Pipeline) { g.Depth.BoundsTest = v.boolean() },
		"stencilTestEnable":       func(v *vkParser, g *Pipeline) { g.Depth.StencilTest = v.boolean() },
		"topology":                func(v *vkParser, _ *Pipeline) { v.topology() }, // every draw gives its own
		"polygonMode":             func(v *vkParser, g *Pipeline) { g.Polygon = emu.PolygonMode(v.enum("VK_POLYGON_MODE_", polygonWords)) },
		"logicOp":                 func(v *vkParser, g *Pipeline) { g.Logic = ir.LogicOp(v.enum("VK_LOGIC_OP_", ir.LogicOpNames)) },
		"frontFace":               func(v *vkParser, g *Pipeline) { g.FrontClockwise = v.enum("VK_FRONT_FACE_", frontWords) == 1 },
		"cullMode":                func(v *vkParser, g *Pipeline) { v.cullMode(g) },
		"depthBiasConstantFactor": func(v *vkParser, g *Pipeline) { g.BiasConstant = v.float32() },
		"depthBiasClamp":          func(v *vkParser, g *Pipeline) { g.BiasClamp = v.float32() },
		"depthBiasSlopeFactor":    func(v *vkParser, g *Pipeline) { g.BiasSlope = v.float32() },
		"lineWidth":               func(v *vkParser, g *Pipeline) { g.LineWidth = v.float32() },
		"minDepthBounds":          func(v *vkParser, g *Pipeline) { g.Depth.MinBounds = v.float32() },
		"maxDepthBounds":          func(v *vkParser, g *Pipeline) { g.Depth.MaxBounds = v.float32() },
		"srcColorBlendFactor":     func(v *vkParser, g *Pipeline) { g.Blend.SrcColor = v.blendFactor() },
		"dstColorBlendFactor":     func(v *vkParser, g *Pipeline) { g.Blend.DstColor = v.blendFactor() },
		"srcAlphaBlendFactor":     func(v *vkParser, g *Pipeline) { g.Blend.SrcAlpha = v.blendFactor() },
		"dstAlphaBlendFactor":     func(v *vkParser, g *Pipeline) { g.Blend.DstAlpha = v.blendFactor() },
		"colorBlendOp":            func(v *vkParser, g *Pipeline) { g.Blend.ColorOp = ir.BlendOp(v.enum("VK_BLEND_OP_", ir.BlendOpNames)) },
		"alphaBlendOp":            func(v *vkParser, g *Pipeline) { g.Blend.AlphaOp = ir.BlendOp(v.enum("VK_BLEND_OP_", ir.BlendOpNames)) },
		"depthCompareOp":          func(v *vkParser, g *Pipeline) { g.Depth.Compare = v.comparison() },
		"colorWriteMask":          func(v *vkParser, g *Pipeline) { v.writeMask(g) },
	}
}}

func (v *vkParser) blendFactor() ir.BlendFactor {
	return ir.BlendFactor(v.enum("VK_BLEND_FACTOR_", ir.BlendFactorNames))
}

func (v *vkParser) comparison() emu.CompareOp {
	return emu.CompareOp(v.enum("VK_COMPARE_OP_", compareWords))
}

// state parses a command that sets pipeline state; false: t is none.
func (v *vkParser) state(t token) bool {
	face, field, stencil := strings.Cut(t.text, ".")
	set := vkState.Get()[t.text]
	if set == nil && !(stencil && (face == "front" || face == "back")) {
		return false
	}
	g := v.graphics
	if g == nil {
		v.fail(t.line, "%v without a graphics shader", t)
		return true
	}
	v.changed = true
	if set != nil {
		set(v, g)
		return true
	}
	f := &g.Depth.Front
	if face == "back" {
		f = &g.Depth.Back
	}
	op := func() emu.StencilOp { return emu.StencilOp(v.enum("VK_STENCIL_OP_", stencilWords)) }
	switch field {
	case "compareOp":
		f.Compare = v.comparison()
	case "failOp":
		f.Fail = op()
	case "passOp":
		f.Pass = op()
	case "depthFailOp":
		f.DepthFail = op()
	case "reference":
		f.Reference = v.uint32("a reference")
	case "compareMask":
		f.CompareMask = v.uint32("a mask")
	case "writeMask":
		f.WriteMask = v.uint32("a mask")
	default:
		return false
	}
	return true
}

// cullMode takes faces as VK_CULL_MODE_…, with | between.
func (v *vkParser) cullMode(g *Pipeline) {
	g.Cull = 0
	for {
		t := v.next()
		for i, w := range cullWords {
			name := "VK_CULL_MODE_" + strings.ToUpper(w)
			if t.isWord(name) || t.isWord(name+"_BIT") {
				g.Cull |= emu.CullMode(i)
				t.text = ""
				break
			}
		}
		if t.text != "" {
			v.unexpected(t, "a value that starts with VK_CULL_MODE_")
			return
		}
		if !v.accept("|") {
			return
		}
	}
}

// writeMask takes components as VK_COLOR_COMPONENT_…, with | between, or a
// number.
func (v *vkParser) writeMask(g *Pipeline) {
	if k := v.peek().kind; k == tokInt || k == tokHex {
		g.Blend.WriteMask = uint8(v.uint("a mask", 15))
		return
	}
	g.Blend.WriteMask = 0
	for {
		c := v.enum("VK_COLOR_COMPONENT_", []string{"r_bit", "g_bit", "b_bit", "a_bit"})
		g.Blend.WriteMask |= 1 << c
		if !v.accept("|") {
			return
		}
	}
}
