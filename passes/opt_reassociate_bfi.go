package passes

import "nirc/ir"

var optReassociateBfiPass = &Pass{
	Name: "opt_reassociate_bfi", Class: "B", Run: implPass(ir.MetaControlFlow, optReassociateBfi), Idempotent: true, Optional: true, For: ir.HasBfi,
	Doc: "Puts bfi(m1, x, bfi(m2, y, c)) with disjoint constant masks into one order: what inserts constants inside, where opt_constant_folding joins it with c, " +
		"then by mask, lowest inside, so that opt_cse can merge chains.",
}

func optReassociateBfi(impl *ir.Impl) (progress bool) {
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.IsALU(ir.OpBfi) && in.Def.NumComponents == 1 {
				for x := in; x != nil && swapBfi(x); x = innerBfi(x) {
					progress = true
				}
			}
		}
	}
	return progress
}

// maskOf returns the mask of a bfi if it is a constant other than 0.
func maskOf(in *ir.Instr) uint32 {
	m, _ := in.Srcs[0].Const(0)
	return uint32(m)
}

// innerBfi returns the bfi whose result is in's base, if only in uses it.
func innerBfi(in *ir.Instr) *ir.Instr {
	x := in.Srcs[2].Def.Instr
	if !x.IsALU(ir.OpBfi) || x.Def.NumComponents != 1 || !x.Def.UsedOnce() || maskOf(x) == 0 {
		return nil
	}
	return x
}

// swapBfi exchanges what two bfis with disjoint masks insert if what is outside
// belongs inside.
func swapBfi(in *ir.Instr) bool {
	m := maskOf(in)
	x := innerBfi(in)
	if m == 0 || x == nil || maskOf(x)&m != 0 || !bfiInside(in, x) {
		return false
	}
	x.MoveTo(ir.Before(in)) // what in inserts may stand after it
	for i := range 2 {
		a, b := &in.Srcs[i], &x.Srcs[i]
		d, swz := a.Def, a.Swizzle
		a.Set(b.Def)
		a.Swizzle = b.Swizzle
		b.Set(d)
		b.Swizzle = swz
	}
	return true
}

// bfiInside reports whether a belongs inside of b.
func bfiInside(a, b *ir.Instr) bool {
	_, ca := a.Srcs[1].Const(0)
	_, cb := b.Srcs[1].Const(0)
	if ca != cb {
		return ca
	}
	return maskOf(a) < maskOf(b)
}
