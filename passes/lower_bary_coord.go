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

// fullyCovered builds the value of FullyCoveredEXT for targets whose rasteriser does not say whether a primitive covers the
// whole of a pixel: it does where the weights of all three vertices are above zero at the pixel's four corners. The corners are
// taken a 256th of a pixel further out, the step of window positions, so that no rounding of the weights makes an area covered
// that is not. Points and lines, of which a vertex weighs nothing anywhere, cover no pixel. It is nil for other built-ins, and on
// targets whose interpolation keeps the weights to itself.
func fullyCovered(b *ir.Builder, v *ir.Variable) *ir.Def {
	if v.BuiltIn != ir.BuiltInFullyCovered || b.Shader.Options.NoBaryCoord {
		return nil
	}
	const out = 0.5 + 1.0/256
	var least *ir.Def
	for _, corner := range [...][2]float64{{-out, -out}, {out, -out}, {-out, out}, {out, out}} {
		at := b.Vec(b.ImmFloat(corner[0], 32), b.ImmFloat(corner[1], 32))
		ij := &b.Intrinsic(ir.IntrLoadBarycentricAtOffset, 2, 32, at).Set(ir.IdxInterpMode, uint64(ir.InterpNoPerspective)).Def
		i, j := b.Channel(ij, 0), b.Channel(ij, 1)
		w := b.Fmin(b.Fmin(i, j), b.Fsub(b.Fsub(b.ImmFloat(1, 32), i), j))
		if least == nil {
			least = w
		} else {
			least = b.Fmin(least, w)
		}
	}
	return b.Flt(b.ImmFloat(0, 32), least)
}
