package passes

import "nirc/ir"

var lowerInputAttachmentsPass = &Pass{
	Name: "lower_input_attachments", Class: "A", Run: lowerInputAttachments, Idempotent: true,
	Doc: "Turns reads of input attachments into fetches. Input: txf and txf_ms of the dimensions SUBPASS and SUBPASS_MS in fragment shaders, whose two coordinates count " +
		"from the fragment's own pixel. Output: the same of a 2D or multisampled array, at the pixel plus the coordinates, and at the fragment's layer (the " +
		"input LAYER), or its view where the options say that the pipeline draws views (Multiview).",
}

func lowerInputAttachments(_ *Context, s *ir.Shader) (bool, error) {
	if s.Stage != ir.StageFragment {
		return false, nil
	}
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (changed bool) {
		b := ir.NewBuilder(ir.AtStart(impl.Start()))
		for block := range impl.Blocks() {
			for in := range block.Instrs() {
				if in.Kind == ir.KindTex && in.TexInfo().Dim.IsSubpass() && (in.TexOp == ir.TexOpTxf || in.TexOp == ir.TexOpTxfMs) {
					inputAttachment(b.AtInstr(in), in)
					changed = true
				}
			}
		}
		return changed
	}), nil
}

// inputAttachment makes a read of an input attachment one of an array.
func inputAttachment(b *ir.Builder, in *ir.Instr) {
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
	t.IsArray, t.CoordComponents = true, 3
	coord.Set(b.Vec(b.Channel(at, 0), b.Channel(at, 1), attachmentLayer(b)))
}

// attachmentLayer is the layer of the framebuffer that the fragment belongs to.
func attachmentLayer(b *ir.Builder) *ir.Def {
	if o := b.Shader.Options; o != nil && o.Multiview {
		return b.LoadViewIndex()
	}
	return b.LoadVar(layerInput(b.Shader))
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
