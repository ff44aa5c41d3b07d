package ir3

import (
	"nirc/ir"
	"nirc/passes"
)

// foldHandles cleans up behind lowerDescriptors: handles have become numbers
// and their second halves zero, so most buffer offsets are constants now.
func foldHandles(s *ir.Shader, impl *ir.Impl) error {
	for _, name := range [...]string{"opt_copy_prop", "opt_constant_folding"} {
		if _, err := passes.RunPass(s, name); err != nil {
			return err
		}
	}
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.IsALU(ir.OpIadd) && in.Def.NumComponents == 1 {
				foldZeroAdd(in)
			}
		}
	}
	for _, name := range [...]string{"opt_copy_prop", "opt_constant_folding", "opt_dce", "opt_cse"} {
		if _, err := passes.RunPass(s, name); err != nil {
			return err
		}
	}
	return nil
}

// foldZeroAdd turns x + 0 into a move of x.
func foldZeroAdd(in *ir.Instr) {
	for k := range in.Srcs {
		c, ok := in.Srcs[k].Const(0)
		if !ok || c != 0 {
			continue
		}
		other := &in.Srcs[1-k]
		b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
		in.Def.RewriteUses(b.Channel(other.Def, other.Swizzle.Lane(0)))
		return
	}
}
