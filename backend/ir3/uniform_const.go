package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
)

// isConst reports whether in moves an immediate or a const.
func (u *uniformity) isConst(in *mach.Instr) bool {
	if in == nil || in.Op != machOp(isa.OpMov) || len(in.Ops) != 1 || in.Ops[0].Flags&given != 0 {
		return false
	}
	k := u.code.tmpl[in.Ext].Srcs[0].Kind
	return k == isa.Imm || k == isa.Const
}

// copyConsts gives constants that the scalar unit reads a shared register: in
// their place, or after them if others read them too.
func (u *uniformity) copyConsts() {
	for b := range u.f.Blocks {
		blk := &u.f.Blocks[b]
		var out []*mach.Instr
		for i, in := range blk.Instrs {
			cp := u.copyConst(in)
			if cp != nil && out == nil {
				out = append(make([]*mach.Instr, 0, len(blk.Instrs)+8), blk.Instrs[:i]...)
			}
			if out != nil {
				out = append(out, in)
			}
			if cp != nil {
				out = append(out, cp)
			}
		}
		if out != nil {
			blk.Instrs = out
		}
	}
}

// copyConst moves a constant that only the scalar unit reads to a shared
// register, and returns a copy of one that others read too.
func (u *uniformity) copyConst(in *mach.Instr) *mach.Instr {
	if !u.isConst(in) || u.f.File(in.Ops[0].Val) != fileGPR {
		return nil
	}
	v := in.Ops[0].Val
	scalar := false
	for _, x := range u.usesOf(v) {
		scalar = scalar || u.scalarUser(x.in)
	}
	class := sharedClass(u.f.Class(v))
	switch {
	case !scalar:
		return nil
	case u.onlyScalar(v):
		u.f.SetClass(v, class)
		u.rebind(in)
		return nil
	}
	cp := u.f.NewInstr(in.Op, 1, 0)
	cp.Ops[0].Val = u.f.NewValue(class, 1)
	cp.Ext, cp.Loc = in.Ext, in.Loc
	u.rebind(cp)
	u.copied[v] = cp.Ops[0].Val
	return cp
}

// onlyScalar reports whether nobody but the scalar unit reads v.
func (u *uniformity) onlyScalar(v mach.Value) bool {
	for _, x := range u.usesOf(v) {
		if !u.scalarUser(x.in) {
			return false
		}
	}
	return true
}
