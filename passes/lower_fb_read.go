package passes

import "nirc/ir"

var lowerFBReadPass = &Pass{
	Name: "lower_fb_read", For: ir.HasOutputLoad, Class: "B", Run: lowerFBRead, Idempotent: true,
	Doc: "Reads attachments as textures, for targets whose fragment shaders find the framebuffer in one. Input: load_attachment, and load_output of colour results with fb_fetch " +
		"at constant offsets (after lower_io, lower_blend); loads of what the shader itself stored stay. Output: txf_ms_fb of the pixel at the sample that load_attachment names, else the one that is shaded, and at the fragment's layer, with the colour attachment's number as texture_index, 8 for depth and 9 for stencil; without layers, of no array.",
	Options: []Option{{"layer", "where the layer comes from: system_value (load_layer_id), view (load_view_index), none (framebuffers have one), or auto: view where the options say that the pipeline draws views (Multiview), else system_value", "none"}},
}

func lowerFBRead(c *Context, s *ir.Shader) (bool, error) {
	layer, err := attachmentLayer(c, s, "system_value", "view", "none")
	if err != nil || s.Stage != ir.StageFragment {
		return false, err
	}
	var refused error
	progress := eachIntrinsic(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
		if in.Intr == ir.IntrLoadAttachment {
			return readFramebuffer(b, in, attachmentTexture(sem.Location), in.Srcs[0].Def, layer)
		}
		if in.Intr != ir.IntrLoadOutput || !sem.FBFetch || sem.Location < ir.SlotData0 {
			return nil
		}
		k, ok := in.Srcs[0].Def.Const(0)
		if !ok {
			refused = diag(s, in, "attachment chosen by a dynamic index")
			return nil
		}
		if in.Get(ir.IdxComponent)+uint64(in.Def.NumComponents) > 4 {
			refused = diag(s, in, "components of a colour that has four")
			return nil
		}
		return readFramebuffer(b, in, uint32(sem.Location-ir.SlotData0)+uint32(k), nil, layer)
	})
	return progress, refused
}

// attachmentTexture is the number of the texture that a fragment result is read from: colours first, depth and stencil after them.
func attachmentTexture(result ir.Slot) uint32 {
	if result < ir.SlotData0 {
		return uint32(ir.MaxColors + result)
	}
	return uint32(result - ir.SlotData0)
}

// readFramebuffer builds the fetch that replaces a load of attachment rt, by texture number, in the sample that is shaded if none is named.
func readFramebuffer(b *ir.Builder, in *ir.Instr, rt uint32, sample *ir.Def, layer func(*ir.Builder) *ir.Def) *ir.Def {
	at := b.F2i32(b.Channels(&b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def, 0, 2))
	if layer != nil {
		at = b.Vec(b.Channel(at, 0), b.Channel(at, 1), layer(b))
	}
	if sample == nil {
		sample = &b.Intrinsic(ir.IntrLoadSampleIdNoPerSample, 1, 32).Def
	}
	tex := b.Shader.NewTex(ir.TexOpTxfMsFb, 4, in.Def.BitSize)
	t := tex.TexInfo()
	t.Dim, t.IsArray, t.CoordComponents, t.TextureIndex = ir.DimMS, layer != nil, at.NumComponents, rt
	t.DestType = ir.UnpackALUType(in.Get(ir.IdxDestType))
	t.DestType.Bits = in.Def.BitSize
	b.Shader.AddTexSrc(tex, ir.TexSrcCoord, at)
	b.Shader.AddTexSrc(tex, ir.TexSrcMsIndex, sample)
	b.Insert(tex)
	return b.Channels(&tex.Def, int(in.Get(ir.IdxComponent)), int(in.Def.NumComponents))
}
