package ir3

import (
	"nirc/ir"
	"nirc/passes/analysis"
)

// What descriptors say, and texels at places that all fibers name, are looked up by the preamble.

// isLookup reports whether in asks for a size or a texel.
func isLookup(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindTex:
		return true
	case ir.KindIntrinsic:
		return in.Intr == ir.IntrGetSsboSize || in.Intr == ir.IntrImageDerefSize || in.Intr == ir.IntrImageDerefSamples
	}
	return false
}

// uniformLookup reports whether the preamble may do a lookup: its descriptor and all that it reads are the same for
// all fibers. What asks for a size is done whether or not the program comes there, for that reads a descriptor alone. What reads
// texels stands in the ifs in which the program has it, which are all the preamble's too.
func (s *isel) uniformLookup(in *ir.Instr) bool {
	if in.Kind == ir.KindTex {
		i := in.TexInfo()
		switch in.TexOp {
		case ir.TexOpTxs, ir.TexOpQueryLevels, ir.TexOpTextureSamples:
		case ir.TexOpTex, ir.TexOpTxf, ir.TexOpTxfMs, ir.TexOpTxl: // derivatives are 0 where all fibers look at one place
			if i.Aliased || s.sh.Info.UsesDiscard || i.Dim == ir.DimCube && in.TexOp == ir.TexOpTex || !analysis.UnderIfs(in.Block, s.pre.uniform) {
				return false
			}
		default:
			return false
		}
		if i.IsSparse {
			return false
		}
	}
	for k := range in.Srcs {
		d := in.Srcs[k].Def
		if d.Instr.Kind == ir.KindDeref {
			if !constDeref(d) {
				return false
			}
		} else if !s.pre.uniform[d.Index] {
			return false
		}
	}
	return true
}
