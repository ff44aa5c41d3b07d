package passes

import "nirc/ir"

var lowerInterpolationPass = &Pass{
	Name: "lower_interpolation", Class: "B", Run: lowerInterpolation, Idempotent: true,
	Instead: "hardware: ir3 interpolates by barycentrics of any place, which it makes itself, AGX evaluates what its coefficient registers hold, midgard computes what is at other places of the pixel by derivatives (lower_offsets); it stays for those that give plane equations alone",
	Doc: "Evaluates inputs by their plane equations where hardware interpolates only some ways. Input: load_interpolated_input of 32 bits (after lower_io). Output: " +
		"for the chosen barycentrics (i, j), c.x + c.z·i + c.y·j over load_fs_input_interp_deltas, component by component; inputs of 16 bits stay.",
	Options: []Option{
		{Name: "pixel", Doc: "lower interpolation at the pixel's centre", Default: false},
		{Name: "centroid", Doc: "… at the centroid", Default: false},
		{Name: "sample", Doc: "… at the sample that is shaded", Default: false},
		{Name: "at_sample", Doc: "… at a chosen sample", Default: true},
		{Name: "at_offset", Doc: "… at an offset", Default: true},
	},
}

func lowerInterpolation(c *Context, s *ir.Shader) (bool, error) {
	pixel, centroid, sample, atSample, atOffset := c.Bool("pixel"), c.Bool("centroid"), c.Bool("sample"), c.Bool("at_sample"), c.Bool("at_offset")
	chosen := func(i ir.Intrinsic) bool {
		switch i {
		case ir.IntrLoadBarycentricPixel:
			return pixel
		case ir.IntrLoadBarycentricCentroid:
			return centroid
		case ir.IntrLoadBarycentricSample:
			return sample
		case ir.IntrLoadBarycentricAtSample:
			return atSample
		case ir.IntrLoadBarycentricAtOffset:
			return atOffset
		}
		return false
	}
	return eachIntrinsic(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		if in.Intr != ir.IntrLoadInterpolatedInput || in.Def.BitSize != 32 {
			return nil
		}
		bary := in.Srcs[0].Def
		if bary.Instr.Kind != ir.KindIntrinsic || !chosen(bary.Instr.Intr) {
			return nil
		}
		i, j := b.Channel(bary, 0), b.Channel(bary, 1)
		var parts [4]*ir.Def
		n := int(in.Def.NumComponents)
		for k := range n {
			d := b.Intrinsic(ir.IntrLoadFsInputInterpDeltas, 3, 32, in.Srcs[1].Def)
			d.Set(ir.IdxBase, in.Get(ir.IdxBase)).Set(ir.IdxComponent, in.Get(ir.IdxComponent)+uint64(k)).Set(ir.IdxIoSemantics, in.Get(ir.IdxIoSemantics))
			x := b.Fadd(b.Channel(&d.Def, 0), b.Fmul(b.Channel(&d.Def, 2), i))
			parts[k] = b.Fadd(x, b.Fmul(b.Channel(&d.Def, 1), j))
		}
		return b.Vec(parts[:n]...)
	}), nil
}
