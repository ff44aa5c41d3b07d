package ir3

import "nirc/ir"

// What descriptors say, and texels at places that all fibers name, are looked up by the preamble.

// asksSize reports whether in reads a descriptor alone.
func asksSize(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindTex:
		return in.TexOp == ir.TexOpTxs || in.TexOp == ir.TexOpQueryLevels || in.TexOp == ir.TexOpTextureSamples
	case ir.KindIntrinsic:
		return in.Intr == ir.IntrGetSsboSize || in.Intr == ir.IntrImageDerefSize || in.Intr == ir.IntrImageDerefSamples
	}
	return false
}

// movesTexture reports whether the preamble may do a lookup all of whose sources are the same for all fibers.
func movesTexture(in *ir.Instr) bool {
	i := in.TexInfo()
	switch in.TexOp {
	case ir.TexOpTxs, ir.TexOpQueryLevels, ir.TexOpTextureSamples:
		return !i.IsSparse
	case ir.TexOpTex, ir.TexOpTxf, ir.TexOpTxfMs, ir.TexOpTxl: // derivatives are 0 where all fibers look at one place
		return !i.IsSparse && !i.Aliased && (i.Dim != ir.DimCube || in.TexOp != ir.TexOpTex)
	}
	return false
}
