package passes

import "nirc/ir"

// baryCoord builds the value of BaryCoordKHR or BaryCoordNoPerspKHR, three
// weights whose sum is 1, from the two that interpolation takes; nil for other
// built-ins, and on targets whose interpolation keeps them to itself.
func baryCoord(b *ir.Builder, v *ir.Variable) *ir.Def {
	if b.Shader.Options.NoBaryCoord {
		return nil
	}
	mode := ir.InterpSmooth
	switch v.BuiltIn {
	case ir.BuiltInBaryCoord:
	case ir.BuiltInBaryCoordNoPersp:
		mode = ir.InterpNoPerspective
	default:
		return nil
	}
	place := ir.IntrLoadBarycentricPixel
	switch {
	case v.Sample:
		place = ir.IntrLoadBarycentricSample
	case v.Centroid:
		place = ir.IntrLoadBarycentricCentroid
	}
	ij := &b.Intrinsic(place, 2, 32).Set(ir.IdxInterpMode, uint64(mode)).Def
	i, j := b.Channel(ij, 0), b.Channel(ij, 1)
	return b.Vec(b.Fsub(b.Fsub(b.ImmFloat(1, 32), i), j), i, j)
}
