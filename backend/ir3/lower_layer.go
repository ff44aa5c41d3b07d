package ir3

import (
	"math"

	"nirc/backend"
	"nirc/ir"
)

// lowerLayers adds a half to the layers of sampled arrays, which the hardware rounds down (ir3.md §3.7): Vulkan has it that
// they are rounded to the nearest. Fetches count layers by integers, and a query of the LOD has none.
func lowerLayers(s *ir.Shader, impl *ir.Impl) {
	if s.Contents()&ir.HasTex == 0 || faults.has(faultLayerHalf) {
		return
	}
	progress := false
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind == ir.KindTex && in.TexInfo().IsArray && in.TexOp != ir.TexOpLod && !in.TexOp.Info().IntCoords {
				if c := in.TexSrc(ir.TexSrcCoord); c != nil {
					addHalfLayer(ir.NewBuilder(ir.Before(in)).AtInstr(in), c)
					progress = true
				}
			}
		}
	}
	if progress {
		impl.Preserve(ir.MetaControlFlow)
	}
}

// addHalfLayer adds a half to the last of coordinates, as 32 bits: halves have none to spare for it beyond layer 1,024.
func addHalfLayer(b *ir.Builder, coord *ir.Src) {
	comps := make([]*ir.Def, coord.Def.NumComponents)
	for c := range comps {
		comps[c] = backend.Coordinate(b, coord.Def, c)
		if comps[c].BitSize == 16 {
			comps[c] = b.F2f32(comps[c])
		}
	}
	layer := &comps[len(comps)-1]
	if n, ok := (*layer).Const(0); ok {
		*layer = b.ImmFloat(float64(math.Float32frombits(uint32(n))+0.5), 32)
	} else {
		*layer = b.Fadd(*layer, b.ImmFloat(0.5, 32))
	}
	coord.Set(b.Vec(comps...))
}
