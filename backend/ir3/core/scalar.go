package core

import (
	"fmt"

	"nirc/backend/ir3/isa"
)

// checkShared refuses instructions that write shared registers in forms that
// the scalar unit does not have, and others that read them where they cannot
// (ir3.md §3.9 and 7.1).
func (p *program) checkShared() {
	if !p.scalarALU() {
		return
	}
	for pc := range p.code {
		x := &p.code[pc]
		cat := x.Category()
		if cat < 2 || cat > 6 || p.static != nil {
			continue
		}
		what := ""
		switch shared := x.Dst.IsShared(); {
		case cat == 4 && shared != x.Srcs[0].IsShared():
			what = "both or neither of result and source must be shared"
		case !shared || cat > 4:
			what = misreads(&x.Instr)
		case !scalarForm(x.Op):
			what = "there is no such instruction for shared registers"
		default:
			for _, o := range x.Srcs {
				if o.Kind == isa.RelReg || o.Kind == isa.Reg && !o.IsShared() {
					what = "the sources of a shared result are shared"
				}
			}
			if cat == 3 && !x.Srcs[1].IsShared() {
				what = "the second source of a shared result is a shared register"
			}
		}
		if what != "" {
			p.static = fmt.Errorf("ir3 core: pc %d: %s: %s", pc, x.Text(p.meta.Gen), what)
		}
	}
}

// misreads says why an instruction cannot read shared registers as it does, ""
// if it can.
func misreads(x *isa.Instr) string {
	shared, consts := 0, 0
	for i, o := range x.Srcs {
		switch {
		case o.Kind == isa.Const || o.Kind == isa.RelConst:
			consts++
		case o.Kind != isa.Reg || !o.IsShared():
		case x.Op.Category() == 3 && i == 1:
			return "the second source is no shared register"
		case x.Op.Category() < 5, x.Op == isa.OpStc && i == 0, x.Op >= isa.OpShflXor && x.Op <= isa.OpShflRdown && i == 1:
			shared++
		default:
			return "its sources are no shared registers"
		}
	}
	if x.Op.Category() == 2 && shared > 0 && shared+consts > 1 {
		return "only one source is a const or a shared register"
	}
	return ""
}

// scalarForm reports whether an ALU operation may write shared registers.
func scalarForm(op isa.Op) bool {
	switch op.Category() {
	case 2:
		return op != isa.OpBaryF && op != isa.OpFlatB && op != isa.OpSetrm
	case 3:
		switch op {
		case isa.OpSelB16, isa.OpSelB32, isa.OpSelS16, isa.OpSelS32, isa.OpSelF16, isa.OpSelF32, isa.OpShrm, isa.OpShlm, isa.OpShrg, isa.OpShlg, isa.OpAndg:
			return true
		}
		return false
	}
	return true
}
