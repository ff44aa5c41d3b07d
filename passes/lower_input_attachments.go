package passes

import (
	"slices"
	"strings"

	"nirc/internal/lazy"
	"nirc/ir"
)

var lowerInputAttachmentsPass = &Pass{
	Name: "lower_input_attachments", For: ir.HasTex, Class: "A", Run: lowerInputAttachments, Idempotent: true,
	Doc: "Turns reads of input attachments into fetches. Input: txf and txf_ms of the dimensions SUBPASS and SUBPASS_MS in fragment shaders, whose two coordinates count " +
		"from the fragment's own pixel. Output: the same of a 2D or multisampled array, at the pixel plus the coordinates, and at the fragment's layer; without layers, of no array.",
	Options: []Option{{"layer", "where the layer comes from: input (LAYER), system_value (load_layer_id), view (load_view_index), none (framebuffers have one), or auto: view where the options say that the pipeline draws views (Multiview), else input", "auto"}},
}

// attachmentLayer is what gives the layer by the option of that name, which is one of words or auto: the first word, or view where
// the pipeline draws views. It is nil of framebuffers without layers.
func attachmentLayer(c *Context, s *ir.Shader, words ...string) (func(*ir.Builder) *ir.Def, error) {
	from := c.String("layer")
	switch o := s.Options; {
	case from == "auto" && o != nil && o.Multiview:
		from = "view"
	case from == "auto":
		from = words[0]
	}
	if !slices.Contains(words, from) {
		return nil, optionError("layer=%s: want %s or auto", from, strings.Join(words, ", "))
	}
	return attachmentLayers.Get()[from], nil
}

// attachmentLayers are the words but auto.
var attachmentLayers = lazy.Value[map[string]func(*ir.Builder) *ir.Def]{Make: func() map[string]func(*ir.Builder) *ir.Def {
	return map[string]func(*ir.Builder) *ir.Def{
		"input":        func(b *ir.Builder) *ir.Def { return b.LoadVar(layerInput(b.Shader)) },
		"system_value": func(b *ir.Builder) *ir.Def { return b.LoadLayerId() },
		"view":         func(b *ir.Builder) *ir.Def { return b.LoadViewIndex() },
		"none":         nil,
	}
}}

func lowerInputAttachments(c *Context, s *ir.Shader) (bool, error) {
	layer, err := attachmentLayer(c, s, "input", "system_value", "view", "none")
	if err != nil || s.Stage != ir.StageFragment {
		return false, err
	}
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (changed bool) {
		b := ir.NewBuilder(ir.AtStart(impl.Start()))
		for block := range impl.Blocks() {
			for in := range block.Instrs() {
				if in.Kind == ir.KindTex && in.TexInfo().Dim.IsSubpass() && (in.TexOp == ir.TexOpTxf || in.TexOp == ir.TexOpTxfMs) {
					inputAttachment(b.AtInstr(in), in, layer)
					changed = true
				}
			}
		}
		return changed
	}), nil
}

// inputAttachment makes a read of an input attachment one of an array, or of no array without layer.
func inputAttachment(b *ir.Builder, in *ir.Instr, layer func(*ir.Builder) *ir.Def) {
	pos := b.LoadFragCoord()
	coord := in.TexSrc(ir.TexSrcCoord)
	from := coord.Def
	if from.BitSize < 32 {
		from = b.I2i32(from)
	}
	at := b.Iadd(b.F2i32(b.Channels(pos, 0, 2)), b.Channels(from, 0, 2))
	t := in.TexInfo()
	if t.Dim == ir.DimSubpassMS {
		t.Dim = ir.DimMS
	} else {
		t.Dim = ir.Dim2D
	}
	if layer == nil {
		t.CoordComponents = 2
		coord.Set(at)
		return
	}
	t.IsArray, t.CoordComponents = true, 3
	coord.Set(b.Vec(b.Channel(at, 0), b.Channel(at, 1), layer(b)))
}

// layerInput finds or makes the input that has a fragment's layer.
func layerInput(s *ir.Shader) *ir.Variable {
	for _, v := range s.Variables {
		if v.Mode == ir.ModeShaderIn && v.Location == int32(ir.SlotLayer) && v.Type.IsScalar() {
			return v
		}
	}
	v := s.NewVariable(ir.ModeShaderIn, ir.ScalarType(ir.BaseInt, 32), "gl_Layer")
	v.Location, v.Interp = int32(ir.SlotLayer), ir.InterpFlat
	return v
}
