package passes

import "nirc/ir"

var normalizeCubemapCoordsPass = &Pass{
	Name: "normalize_cubemap_coords", Class: "B", Run: implPass(ir.MetaControlFlow, normalizeCubemapCoords), Idempotent: true,
	Instead: "hardware: all targets take directions; it stays for texture units that want the point on the cube",
	Doc: "Divides the directions of cube map operations by their largest component, for targets whose texture unit wants the point on the cube and not only the direction. " +
		"Takes texture operations whose coordinates are floats; the array layer stays. Directions that the pass has divided are left alone.",
}

func normalizeCubemapCoords(impl *ir.Impl) (progress bool) {
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind != ir.KindTex || in.TexInfo().Dim != ir.DimCube || in.TexOp.Info().IntCoords {
				continue
			}
			coord := in.TexSrc(ir.TexSrcCoord)
			if coord == nil || coord.Def.NumComponents < 3 || onCube(coord.Def) {
				continue
			}
			b := builderBefore(in)
			dir := b.Channels(coord.Def, 0, 3)
			abs := b.Fabs(dir)
			inv := b.Frcp(b.Fmax(b.Fmax(b.Channel(abs, 0), b.Channel(abs, 1)), b.Channel(abs, 2)))
			comps := make([]*ir.Def, coord.Def.NumComponents)
			for i := range comps {
				comps[i] = b.Channel(coord.Def, i)
				if i < 3 {
					comps[i] = b.Fmul(comps[i], inv)
				}
			}
			coord.Set(b.Vec(comps...))
			progress = true
		}
	}
	return progress
}

// onCube reports whether a direction is of the form that the pass makes: its
// components are products with one reciprocal.
func onCube(d *ir.Def) bool {
	v := d.Instr
	if !v.IsVec() {
		return false
	}
	inv := func(i int) *ir.Def {
		m := v.Srcs[i].Def.Instr
		if !m.IsALU(ir.OpFmul) || !m.Srcs[1].Def.Instr.IsALU(ir.OpFrcp) {
			return nil
		}
		return m.Srcs[1].Def
	}
	first := inv(0)
	return first != nil && first.Instr.Srcs[0].Def.Instr.IsALU(ir.OpFmax) && inv(1) == first && inv(2) == first
}
