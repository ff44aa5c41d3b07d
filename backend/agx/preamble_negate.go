package agx

import "nirc/ir"

// negateFactors makes sums of differences x - q*f, whose f can be computed early: x + q*(-f) is one instruction, and -f
// is often there already, for a division by f asks for it. It reports whether it has made values that are not
// classified yet.
func (p *preamble) negateFactors() bool {
	made := false
	for b := range p.impl.Blocks() {
		for in := range b.Instrs() {
			if !in.IsALU(ir.OpIsub) || in.Def.BitSize != 32 || in.Def.NumComponents != 1 || p.Can(&in.Def) {
				continue
			}
			mul := in.Srcs[1].Def.Instr
			if !isProduct(mul, 32) || !mul.Def.UsedOnce() || p.Can(&mul.Def) {
				continue
			}
			for k := range mul.Srcs {
				f := &mul.Srcs[k]
				if _, isConst := f.Const(0); !isConst && p.Can(f.Def) && f.Def.Instr.Kind != ir.KindPhi {
					f.Set(negated(f))
					f.Swizzle = ir.Broadcast(0)
					in.Become(ir.OpIadd)
					in.NoSignedWrap, in.NoUnsignedWrap, mul.NoSignedWrap, mul.NoUnsignedWrap = false, false, false, false
					made = true
					break
				}
			}
		}
	}
	return made
}

// negated returns a component with the other sign, computed right behind it, and makes it the only such value.
func negated(src *ir.Src) *ir.Def {
	d, c := src.Def, src.Swizzle.Lane(0)
	in := d.Instr.Block.Impl().Shader.NewALU(ir.OpIneg, 1, 32, d)
	in.Srcs[0].Swizzle = ir.Broadcast(c)
	ir.After(d.Instr).Insert(in)
	in.Loc = d.Instr.Loc
	neg := &in.Def
	for u := range d.Uses() {
		if x := u.Instr; x != nil && x != in && x.IsALU(ir.OpIneg) && x.Def.NumComponents == 1 && u.Swizzle.Lane(0) == c {
			x.Def.RewriteUses(neg)
		}
	}
	return neg
}
