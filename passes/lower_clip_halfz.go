package passes

import "nirc/ir"

var lowerClipHalfzPass = &Pass{
	Name: "lower_clip_halfz", Class: "C", Run: lowerClipHalfz,
	Doc: "Makes depths of OpenGL's clip space, -w … w, those of Vulkan's, 0 … w: z becomes (z+w)/2. Input: a shader of the last stage before the rasteriser after " +
		"lower_io that stores its whole position. Runs once.",
}

func lowerClipHalfz(_ *Context, s *ir.Shader) (bool, error) {
	if s.Stage == ir.StageFragment {
		return false, nil
	}
	return eachSlot(s, locationMask{ir.SlotPos, 1}, slotStores, func(b *ir.Builder, in *ir.Instr) (bool, error) {
		p := in.Srcs[0].Def
		if in.Get(ir.IdxWriteMask) != 15 || p.NumComponents != 4 {
			return false, diag(s, in, "the position must be stored whole")
		}
		z := b.Fmul(b.Fadd(b.Channel(p, 2), b.Channel(p, 3)), b.ImmFloat(0.5, p.BitSize))
		in.Srcs[0].Set(withChannel(b, p, 2, z))
		return true, nil
	})
}
