package agx

import (
	"nirc/backend"
	"nirc/ir"
)

// texLayerDone in TexInfo.BackendFlags says that the layer is an integer
// inside the array.
const texLayerDone = 1

// lowerTexture rounds the layers of sampled arrays and keeps them inside the
// array, which hardware does not: the number of layers is a query, which the
// preamble can make.
func lowerTexture(s *ir.Shader, impl *ir.Impl) {
	if s.Contents()&ir.HasTex == 0 {
		return
	}
	var found []*ir.Instr
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind == ir.KindTex && samplesLayer(in) {
				found = append(found, in)
			}
		}
	}
	for _, in := range found {
		b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
		ti := in.TexInfo()
		coord := in.TexSrc(ir.TexSrcCoord)
		last := int(coord.Def.NumComponents) - 1
		size := s.NewTex(ir.TexOpTxs, layerOf(ti.Dim)+1, 32)
		si := size.TexInfo()
		si.Dim, si.IsArray, si.DestType = ti.Dim, true, ir.ALUType{Class: ir.ClassInt, Bits: 32}
		s.AddTexSrc(size, ir.TexSrcTextureDeref, in.TexSrc(ir.TexSrcTextureDeref).Def)
		s.AddTexSrc(size, ir.TexSrcLod, b.Imm32(0))
		b.Insert(size)
		layers := b.Channel(&size.Def, int(layerOf(ti.Dim)))
		if faults.has(faultLayerRange) {
			layers = b.Imm32(1 << 16)
		}
		// Negative layers become 0 on the way to unsigned.
		n := b.F2u32(b.FroundEven(backend.Coordinate(b, coord.Def, last)))
		n = b.Umin(n, b.Isub(layers, b.Imm32(1)))
		comps := make([]*ir.Def, last+1)
		for c := range last {
			comps[c] = backend.Coordinate(b, coord.Def, c)
		}
		comps[last] = n
		coord.Set(b.Vec(comps...))
		ti.BackendFlags |= texLayerDone
	}
	if len(found) > 0 {
		impl.Preserve(ir.MetaControlFlow)
	}
}

// layerOf is the place of the number of layers among the numbers of a size.
func layerOf(d ir.Dim) uint8 {
	if d == ir.Dim1D {
		return 1
	}
	return 2
}

func samplesLayer(in *ir.Instr) bool {
	ti := in.TexInfo()
	if !ti.IsArray || in.TexSrc(ir.TexSrcTextureDeref) == nil || ti.BackendFlags&texLayerDone != 0 {
		return false
	}
	switch in.TexOp {
	case ir.TexOpTex, ir.TexOpTxb, ir.TexOpTxl, ir.TexOpTxd, ir.TexOpTg4:
		c := in.TexSrc(ir.TexSrcCoord)
		return c != nil && c.Def.BitSize == 32
	}
	return false
}
