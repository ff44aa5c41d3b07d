package passes

import "nirc/ir"

var lowerViewportTransformPass = &Pass{
	Name: "lower_viewport_transform", Class: "A", Run: lowerViewportTransform,
	Instead: "hardware: midgard's selection does it for the position that leaves, of which transform feedback and outputs without perspective want w and the clip coordinates too, and which need not be stored whole; it stays for targets that can do it in the IR",
	Doc:     "Divides the position by its w, scales and moves it to the viewport, and leaves 1/w as w. Runs once, on a shader that stores its whole position.",
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
