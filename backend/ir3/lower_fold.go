package ir3

import (
	"nirc/ir"
	"nirc/passes"
)

// foldHandles cleans up after lowerDescriptors: handles have become numbers
// and their second halves zero, so most buffer offsets are constants now.
func foldHandles(s *ir.Shader, impl *ir.Impl, lists passes.Lists) error {
	if err := lists.Run(s, "ir3_handles"); err != nil {
		return err
	}
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if (in.IsALU(ir.OpIadd) || in.IsALU(ir.OpIadd3)) && in.Def.NumComponents == 1 {
				foldZeroAdd(in)
			}
		}
	}
	return lists.Run(s, "ir3_offsets")
}

// foldZeroAdd leaves the 0 out of a sum of two or three.
func foldZeroAdd(in *ir.Instr) {
	for k := range in.Srcs {
		c, ok := in.Srcs[k].Const(0)
		if !ok || uint32(c) != 0 {
			continue
		}
		b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
		channel := func(i int) *ir.Def {
			o := &in.Srcs[(k+i)%len(in.Srcs)]
			return b.Channel(o.Def, o.Swizzle.Lane(0))
		}
		sum := channel(1)
		if in.Op == ir.OpIadd3 {
			other := channel(2)
			if sum.IsConst() { // consts stand last
				sum, other = other, sum
			}
			sum = b.Iadd(sum, other)
		}
		in.Def.RewriteUses(sum)
		return
	}
}
