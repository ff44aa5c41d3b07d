package passes

import "nirc/ir"

var lowerFBReadPass = &Pass{
	Name: "lower_fb_read", Class: "B", Run: lowerFBRead, Idempotent: true,
	Instead: "hardware: midgard reads the tile itself, AGX in epilogs; ir3 reads it as a texture, and turnip writes a descriptor of the tile's memory, with fragments of a pixel in order, for input attachments alone (lower_input_attachments): of other attachments it has none, and no tile images; it stays for drivers that bind one, as freedreno does for OpenGL",
	Doc: "Reads colour attachments as textures, for targets whose fragment shaders find the framebuffer in one. Input: load_output of colour results with fb_fetch " +
		"at constant offsets (after lower_io, lower_blend); loads of what the shader itself stored stay. Output: txf_ms_fb of the pixel at the sample that is shaded, with the attachment's number as texture_index.",
	Options: []Option{
		{Name: "layered", Doc: "the framebuffer has layers: the layer is the third coordinate", Default: false},
	},
}

func lowerFBRead(c *Context, s *ir.Shader) (bool, error) {
	if s.Stage != ir.StageFragment {
		return false, nil
	}
	layered := c.Bool("layered")
	var refused error
	progress := eachIntrinsic(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
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
		return readFramebuffer(b, in, uint32(sem.Location-ir.SlotData0)+uint32(k), layered)
	})
	return progress, refused
}

// readFramebuffer builds the fetch that replaces a load of attachment rt.
func readFramebuffer(b *ir.Builder, in *ir.Instr, rt uint32, layered bool) *ir.Def {
	at := b.F2i32(b.Channels(&b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def, 0, 2))
	if layered {
		at = b.Vec(b.Channel(at, 0), b.Channel(at, 1), &b.Intrinsic(ir.IntrLoadLayerId, 1, 32).Def)
	}
	sample := &b.Intrinsic(ir.IntrLoadSampleIdNoPerSample, 1, 32).Def
	tex := b.Shader.NewTex(ir.TexOpTxfMsFb, 4, in.Def.BitSize)
	t := tex.TexInfo()
	t.Dim, t.IsArray, t.CoordComponents, t.TextureIndex = ir.DimMS, layered, at.NumComponents, rt
	t.DestType = ir.UnpackALUType(in.Get(ir.IdxDestType))
	t.DestType.Bits = in.Def.BitSize
	b.Shader.AddTexSrc(tex, ir.TexSrcCoord, at)
	b.Shader.AddTexSrc(tex, ir.TexSrcMsIndex, sample)
	b.Insert(tex)
	return b.Channels(&tex.Def, int(in.Get(ir.IdxComponent)), int(in.Def.NumComponents))
}
