package ir3

import "nirc/ir"

// pairHalves makes a word of two halves, one widened and shifted above the other, of the registers' halves that have
// names (ir3.md §1.3): they go where the word has them. It reports whether in was one.
func pairHalves(in *ir.Instr) bool {
	if in.Op != ir.OpIor || in.Def.BitSize != 32 {
		return false
	}
	for k := range 2 {
		sh := in.Srcs[k].Def.Instr
		low := halfWidened(&in.Srcs[1-k])
		if low == nil || !sh.IsALU(ir.OpIshl) || sh.Def.NumComponents != 1 || !sh.Def.UsedOnce() {
			continue
		}
		if n, ok := sh.Srcs[1].Const(0); !ok || n&31 != 16 {
			continue
		}
		high := halfWidened(&sh.Srcs[0])
		if high == nil {
			continue
		}
		b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
		n := ir.Before(in).Insert(b.Shader.NewALU(ir.OpPack32_2x16Split, 1, 32, low.Def, high.Def))
		n.Loc = in.Loc
		n.Srcs[0].Swizzle, n.Srcs[1].Swizzle = low.Swizzle, high.Swizzle
		in.Def.RewriteUses(&n.Def)
		in.Remove()
		return true
	}
	return false
}

// halfWidened is the half that alone a word is made of, with zeros above it; nil if it is not, or another reads the word
// too.
func halfWidened(s *ir.Src) *ir.Src {
	in := s.Def.Instr
	if !in.IsALU(ir.OpU2u32) || in.Def.NumComponents != 1 || !in.Def.UsedOnce() || in.Srcs[0].Def.BitSize != 16 || in.Srcs[0].Def.IsConst() {
		return nil
	}
	return &in.Srcs[0]
}
