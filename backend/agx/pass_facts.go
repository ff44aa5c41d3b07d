package agx

import (
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
)

// passFacts are the facts of a fragment program's code that a driver asks for; of what its stores leave as it was, only the
// epilog knows.
func passFacts(list []*pinstr, m *abi.Meta) (f abi.Pass) {
	f.SeparateTriangles = m.NeedsQuads || m.WritesMemory
	f.WritesDepth = m.KeepDepth
	for _, in := range list {
		switch in.Op {
		case isa.OpLdTile:
			f.Translucent = true
		case isa.OpStTile:
			f.WritesTile = true
		case isa.OpSampleMask:
			f.WritesSampleMask = true
		case isa.OpZsEmit:
			f.WritesDepth = f.WritesDepth || in.Srcs[1].Count >= 2
			f.WritesStencil = f.WritesStencil || in.Srcs[1].Count&1 != 0
		case isa.OpGetSR:
			switch in.Srcs[0].Val {
			case srQuadRank, srQuadCount, srActiveRank, srActiveCount:
				f.SeparateTriangles = true
			}
		}
		if in.Op.Traits()&isa.TraitLanes != 0 {
			f.SeparateTriangles = true
		}
	}
	return f
}
