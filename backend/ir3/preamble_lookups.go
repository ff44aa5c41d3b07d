package ir3

import "nirc/ir"

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
// all fibers. It is done whether or not the program comes there. That reads a descriptor, and
// memory only where the program reads that on every way.
func (s *isel) uniformLookup(in *ir.Instr) bool {
	if in.Kind == ir.KindTex {
		i := in.TexInfo()
		switch in.TexOp {
		case ir.TexOpTxs, ir.TexOpQueryLevels, ir.TexOpTextureSamples:
		case ir.TexOpTxf, ir.TexOpTxfMs, ir.TexOpTxl: // which want no derivatives
			if i.Aliased || s.sh.Info.UsesDiscard || ir.Parent(in.Block) != nil {
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
