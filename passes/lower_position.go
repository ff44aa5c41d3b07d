package passes

import "nirc/ir"

// fragmentPasses are the passes over positions, point sizes and coordinates.
var fragmentPasses = []*Pass{
	{Name: "lower_point_size", Class: "A", Run: lowerPointSize,
		Options: []Option{
			{"min", "smallest size in sixteenths of a pixel, 0: none", 16},
			{"max", "largest size in sixteenths of a pixel, 0: none", 0},
		},
		Doc: "Clamps the point size that a shader writes. Works on store_output."},
	{Name: "lower_wpos_center", Class: "A", Run: lowerWposCenter,
		Doc: "Adds 0.5 to x and y of load_frag_coord, for targets whose hardware counts pixels; with sample shading, the sample's position. Runs once."},
	{Name: "lower_frag_coord_to_pixel_coord", Class: "A", Idempotent: true, Run: lowerFragCoord,
		Doc: "Writes load_frag_coord as the integer pixel's centre and load_frag_coord_zw."},
	{Name: "lower_viewport_transform", Class: "A", Run: lowerViewportTransform,
		Doc: "Divides the position by its w, scales and moves it to the viewport, and leaves 1/w as w. Runs once, on a shader that stores its whole position."},
}

// outputStores calls f for each store of a slot.
func outputStores(s *ir.Shader, slot ir.Slot, f func(in *ir.Instr)) bool {
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool {
			return in.Intr == ir.IntrStoreOutput && ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location == slot
		})
		for _, in := range list {
			f(in)
		}
		return len(list) > 0
	})
}

func lowerPointSize(c *Context, s *ir.Shader) (bool, error) {
	lo, hi := float64(c.Int("min"))/16, float64(c.Int("max"))/16
	if s.Stage == ir.StageFragment || lo <= 0 && hi <= 0 {
		return false, nil
	}
	return outputStores(s, ir.SlotPointSize, func(in *ir.Instr) {
		b := builderBefore(in)
		v := in.Srcs[0].Def
		if lo > 0 {
			v = b.Fmax(v, b.ImmFloat(lo, v.BitSize))
		}
		if hi > 0 {
			v = b.Fmin(v, b.ImmFloat(hi, v.BitSize))
		}
		in.Srcs[0].Set(v)
	}), nil
}

func lowerWposCenter(c *Context, s *ir.Shader) (bool, error) {
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrLoadFragCoord })
		for _, in := range list {
			b := ir.NewBuilder(ir.After(in))
			var off *ir.Def
			if s.Info.UsesSampleShading {
				off = &b.Intrinsic(ir.IntrLoadSamplePos, 2, 32).Def
			} else {
				half := ir.FloatBits(0.5, 32)
				off = b.Const(32, half, half)
			}
			xy := b.Fadd(b.Channels(&in.Def, 0, 2), off)
			v := b.Vec(b.Channel(xy, 0), b.Channel(xy, 1), b.Channel(&in.Def, 2), b.Channel(&in.Def, 3))
			in.Def.RewriteUsesAfter(v, v.Instr)
		}
		return len(list) > 0
	}), nil
}

func lowerFragCoord(c *Context, s *ir.Shader) (bool, error) {
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrLoadFragCoord })
		for _, in := range list {
			b := builderBefore(in)
			xy := b.Fadd(b.U2f32(&b.Intrinsic(ir.IntrLoadPixelCoord, 2, 16).Def), b.ImmFloat(0.5, 32))
			z := &b.Intrinsic(ir.IntrLoadFragCoordZw, 1, 32).Set(ir.IdxComponent, 2).Def
			w := &b.Intrinsic(ir.IntrLoadFragCoordZw, 1, 32).Set(ir.IdxComponent, 3).Def
			in.Def.RewriteUses(b.Vec(b.Channel(xy, 0), b.Channel(xy, 1), z, w))
			in.Remove()
		}
		return len(list) > 0
	}), nil
}

func lowerViewportTransform(c *Context, s *ir.Shader) (bool, error) {
	var refused error
	progress := outputStores(s, ir.SlotPos, func(in *ir.Instr) {
		if in.Get(ir.IdxWriteMask) != 15 || in.Srcs[0].Def.NumComponents != 4 {
			refused = diag(s, in, "the position must be stored whole")
			return
		}
		b := builderBefore(in)
		p := in.Srcs[0].Def
		w := b.Channel(p, 3)
		// 1/w stays finite and keeps its sign.
		const limit = 0x1p64
		inv := b.Fmax(b.Fmin(b.Frcp(w), b.ImmFloat(limit, 32)), b.ImmFloat(-limit, 32))
		scale := &b.Intrinsic(ir.IntrLoadViewportScale, 3, 32).Def
		move := &b.Intrinsic(ir.IntrLoadViewportOffset, 3, 32).Def
		xyz := b.Fadd(b.Fmul(b.Fmul(b.Channels(p, 0, 3), inv), scale), move)
		in.Srcs[0].Set(b.Vec(b.Channel(xyz, 0), b.Channel(xyz, 1), b.Channel(xyz, 2), inv))
	})
	return progress, refused
}
