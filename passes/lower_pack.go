package passes

import "nirc/ir"

var lowerPackPass = &Pass{
	Name: "lower_pack", For: ir.Has64 | ir.HasNarrow, Class: "A", Run: lowerPack, Idempotent: true,
	Doc: "Writes packs and unpacks of integer vectors (64_2x32, 64_4x16, 32_2x16, 32_4x8) as split operations on scalars. " +
		"With split=true, or where the target's options ask for it, the 16-bit and 8-bit split operations become conversions, shifts and ors too; the 64-bit ones stay.",
	Options: []Option{{"split", "write 32-bit split operations as shifts and ors", false}},
}

func lowerPack(c *Context, s *ir.Shader) (bool, error) {
	split := c.Bool("split")
	return eachALU(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		switch in.Op {
		case ir.OpPack64_2x32, ir.OpUnpack64_2x32, ir.OpPack64_4x16, ir.OpUnpack64_4x16:
			return scalarPack(b, in)
		case ir.OpPack32_2x16, ir.OpUnpack32_2x16, ir.OpPack32_4x8, ir.OpUnpack32_4x8:
			return scalarPack(b, in)
		}
		if split {
			return splitPack(b, in)
		}
		return nil
	}), nil
}

// splitPack writes a 32-bit split operation as conversions and shifts.
func splitPack(b *ir.Builder, in *ir.Instr) *ir.Def {
	x := func(k int) *ir.Def { return srcValue(b, in, k) }
	switch in.Op {
	case ir.OpPack32_2x16Split:
		return b.Ior(b.U2u32(x(0)), b.Ishl(b.U2u32(x(1)), b.Imm32(16)))
	case ir.OpUnpack32_2x16SplitX:
		return b.U2u16(x(0))
	case ir.OpUnpack32_2x16SplitY:
		return b.U2u16(b.Ushr(x(0), b.Imm32(16)))
	case ir.OpPack32_4x8Split:
		r := b.U2u32(x(0))
		for k := 1; k < 4; k++ {
			r = b.Ior(r, b.Ishl(b.U2u32(x(k)), b.Imm32(uint32(8*k))))
		}
		return r
	}
	return nil
}
