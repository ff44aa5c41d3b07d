package passes

import "nirc/ir"

var lower64BitPhisPass = &Pass{
	Name: "lower_64bit_phis", For: ir.HasPhi, Class: "A", Run: lower64BitPhis, Idempotent: true,
	Doc: "Splits 64-bit phis into two 32-bit ones, for targets whose options ask for 64-bit integers in halves.",
	Options: []Option{
		{"always", "whatever the target says", false},
		{"pairs", "phis of one or two components stay", false},
	},
}

func lower64BitPhis(c *Context, s *ir.Shader) (bool, error) {
	if !c.Bool("always") && !s.Options.LowerInt64 {
		return false, nil
	}
	pairs := c.Bool("pairs")
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		progress := false
		for blk := range impl.Blocks() {
			for phi := range blk.Phis() {
				if phi.Def.BitSize == 64 && !(pairs && phi.Def.NumComponents <= 2) {
					splitPhi64(impl, phi)
					progress = true
				}
			}
		}
		return progress
	}), nil
}

// splitPhi64 replaces a phi by two of its sources' halves, taken apart at the
// ends of the blocks that they come from.
func splitPhi64(impl *ir.Impl, phi *ir.Instr) {
	s := impl.Shader
	s.SetLoc(phi.Loc)
	n := phi.Def.NumComponents
	lo, hi := s.NewPhi(n, 32), s.NewPhi(n, 32)
	ir.Before(phi).Insert(lo)
	ir.Before(phi).Insert(hi)
	for i, pred := range phi.PhiInfo().Preds {
		b := ir.NewBuilder(ir.BeforeJump(pred))
		s.AddPhiSrc(lo, pred, b.Unpack64_2x32SplitX(phi.Srcs[i].Def))
		s.AddPhiSrc(hi, pred, b.Unpack64_2x32SplitY(phi.Srcs[i].Def))
	}
	b := ir.NewBuilder(ir.AfterPhis(phi.Block))
	phi.Def.RewriteUses(b.Pack64_2x32Split(&lo.Def, &hi.Def))
	phi.Remove()
}
