package agx

import "nirc/ir"

// movesTexture reports whether a texture operation can run in the preamble: at one place for all invocations, of a texture
// and a sampler that no index chooses, for that may be good only where it stands, and where no store can come between. The
// reference moves them too, and so the preamble has the shader's texture and sampler states. Its operations without
// a level have derivatives of 0 there.
func movesTexture(in *ir.Instr) bool {
	ti := in.TexInfo()
	switch in.TexOp {
	case ir.TexOpTxl, ir.TexOpTxf, ir.TexOpTxfMs:
	case ir.TexOpTex:
		if ti.Dim != ir.Dim2D || ti.IsArray {
			return false
		}
	default:
		return false
	}
	for i, k := range ti.SrcKinds {
		switch k {
		case ir.TexSrcTextureDeref, ir.TexSrcSamplerDeref:
			if !fixedDeref(in.Srcs[i].Def.Instr) {
				return false
			}
		case ir.TexSrcCoord, ir.TexSrcLod, ir.TexSrcMsIndex:
			if in.Srcs[i].Def.BitSize != 32 {
				return false
			}
		default:
			return false
		}
	}
	return in.Def.BitSize == 32 && !ti.IsSparse && !ti.IsShadow && !ti.Aliased && ti.Dim != ir.DimBuf
}

// isFetch reports whether a texture operation reads a texel by its number.
func isFetch(in *ir.Instr) bool { return in.TexOp == ir.TexOpTxf || in.TexOp == ir.TexOpTxfMs }

// fetchesBase reports whether a fetch reads the first level, or a sample that each texture has: hardware looks whether coordinates lie
// within those of the descriptor, and gives 0 for what is outside (agx.md §8.7).
func fetchesBase(in *ir.Instr) bool {
	if lod := in.TexSrc(ir.TexSrcLod); lod != nil {
		if n, ok := lod.Def.Const(0); !ok || n != 0 {
			return false
		}
	}
	return fetchesBounded(in)
}

// fixedDeref reports whether a deref has no index but constants.
func fixedDeref(in *ir.Instr) bool {
	for in.Kind == ir.KindDeref && in.Deref == ir.DerefArray {
		if !in.Srcs[1].Def.IsConst() {
			return false
		}
		in = in.Srcs[0].Def.Instr
	}
	return in.Kind == ir.KindDeref && in.Deref == ir.DerefVar
}

// Copied gives the copy of a texture operation without a level the derivatives that it has where all
// invocations look at one place, and offsets their bounds.
func (p *preamble) Copied(b *ir.Builder, c *ir.Instr) {
	p.bound(b, c)
	if c.Kind != ir.KindTex || c.TexOp != ir.TexOpTex {
		return
	}
	zero := b.ImmFloat(0, 32)
	none := b.Vec(zero, zero)
	c.TexOp = ir.TexOpTxd
	b.Shader.AddTexSrc(c, ir.TexSrcDdx, none)
	b.Shader.AddTexSrc(c, ir.TexSrcDdy, none)
}
