package passes

import "nirc/ir"

// foldTex takes sources off a texture operation that constants make needless:
// offsets and biases of 0, clamps of the LOD that no LOD is below, and offsets
// into arrays of textures and samplers, which add to the number.
func foldTex(in *ir.Instr) (progress bool) {
	t := in.TexInfo()
	for i := len(t.SrcKinds) - 1; i >= 0; i-- {
		if needlessTexSrc(in, i) {
			in.RemoveSrc(i)
			progress = true
		}
	}
	if in.TexOp == ir.TexOpTxb && in.TexSrc(ir.TexSrcBias) == nil {
		in.TexOp = ir.TexOpTex
	}
	return progress
}

// needlessTexSrc reports whether source i can go, and adds what it says to the operation.
func needlessTexSrc(in *ir.Instr, i int) bool {
	t, d := in.TexInfo(), in.Srcs[i].Def
	if !d.IsConst() {
		return false
	}
	switch t.SrcKinds[i] {
	case ir.TexSrcOffset:
		return zeroBits(d)
	case ir.TexSrcBias:
		return in.TexOp == ir.TexOpTxb && zeroBits(d)
	case ir.TexSrcMinLod:
		// Below LOD 0 the same texels are taken, by the same filter.
		v, _ := d.Const(0)
		return in.TexOp != ir.TexOpLod && ir.FloatValue(v, d.BitSize) <= 0
	case ir.TexSrcTextureOffset:
		v, _ := d.Const(0)
		t.TextureIndex += uint32(v)
		return true
	case ir.TexSrcSamplerOffset:
		v, _ := d.Const(0)
		t.SamplerIndex += uint32(v)
		return true
	}
	return false
}

// zeroBits reports whether all bits of a constant are zero.
func zeroBits(d *ir.Def) bool {
	for c := range int(d.NumComponents) {
		if v, ok := d.Const(c); !ok || v != 0 {
			return false
		}
	}
	return true
}
