package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
)

// Loads from uniform buffers at an address that all fibers share (ldc.u) leave
// their result in shared registers; the address itself is in a normal one.

func isUBOLoad(in *mach.Instr) bool { return in.Op == machOp(isa.OpLdc) && in.NDefs == 1 }

// fetched reports whether in is such a load, or takes its result apart.
func (u *uniformity) fetched(in *mach.Instr) bool {
	if in.Op == mach.OpSplit {
		whole := in.Ops[in.NDefs].Val
		load := u.def[whole]
		return load != nil && isUBOLoad(load) && u.f.Elems(whole) > 1 && u.fetched(load) // of one word the pieces are halves
	}
	if !isUBOLoad(in) || in.Ops[0].Val == 0 || in.Ops[0].Flags&given != 0 || u.f.File(in.Ops[0].Val) != fileGPR || u.carriedOut(in.Ops[0].Val) {
		return false
	}
	for _, s := range in.Uses() {
		if !u.same(s.Val) {
			return false
		}
	}
	for _, x := range u.usesOf(in.Ops[0].Val) {
		if x.in.Op != mach.OpSplit {
			continue
		}
		for _, d := range x.in.Defs() {
			if d.Val != 0 && u.carriedOut(d.Val) {
				return false
			}
		}
	}
	return true
}

// piecesShared reports whether all pieces of a vector are shared.
func (u *uniformity) piecesShared(split *mach.Instr) bool {
	for _, d := range split.Defs() {
		if d.Val != 0 && !u.share[d.Val] && u.f.File(d.Val) != fileShared {
			return false
		}
	}
	return true
}

// same reports whether v, in whatever register, is the same for all fibers that are there together.
func (u *uniformity) same(v mach.Value) bool {
	const yes, no = 1, 2
	if u.equal == nil {
		u.equal = make([]uint8, len(u.def))
	}
	if u.equal[v] == 0 {
		u.equal[v] = no
		if v != 0 && u.def[v] != nil && u.sameResults(u.def[v]) && !u.carriedOut(v) {
			u.equal[v] = yes
		}
	}
	return u.equal[v] == yes
}

// sameResults reports whether in computes the same for all fibers.
func (u *uniformity) sameResults(in *mach.Instr) bool {
	switch {
	case in.Op == mach.OpPhi:
		return in.Flags&phiUniform != 0
	case in.Op == mach.OpSplit, in.Op == mach.OpCollect, in.Op == mach.OpCopy:
	case in.NDefs == 1 && u.f.File(in.Ops[0].Val) == fileShared:
		return true
	case in.Op < mach.FirstTargetOp, in.Op >= opInputs:
		return false
	default:
		t := &u.code.tmpl[in.Ext]
		for _, o := range t.Srcs {
			if o.Kind == isa.RelReg || o.Kind == isa.RelConst {
				return false
			}
		}
		switch t.Op.Category() {
		case 1:
			if t.Op != isa.OpMov && t.Op != isa.OpCov {
				return false
			}
		case 2:
			if isFetch(t.Op) || t.Op == isa.OpSetrm {
				return false
			}
		case 3, 4:
		default:
			if t.Op != isa.OpLdc {
				return false
			}
		}
	}
	for _, s := range in.Uses() {
		if !u.same(s.Val) {
			return false
		}
	}
	return true
}
