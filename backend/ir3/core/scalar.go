package core

import (
	"fmt"

	"nirc/backend/ir3/isa"
)

// checkShared refuses instructions that write shared registers in forms that
// the device does not have, and others that read them where they cannot
// (ir3.md §1.4, 3.9 and 7.1).
func (p *program) checkShared() {
	if p.gpu == nil {
		return
	}
	for pc := range p.code {
		x := &p.code[pc]
		if what := p.missesShared(&x.Instr); what != "" {
			p.static = fmt.Errorf("ir3 core: pc %d: %s: %s", pc, x.Text(p.meta.Gen), what)
			return
		}
	}
}

// missesShared says what is wrong with the shared registers of an instruction, "" if nothing is.
func (p *program) missesShared(x *isa.Instr) string {
	shared := x.Dst.IsShared()
	switch cat := x.Op.Category(); {
	case cat == 1 && shared:
		return p.mismoves(x)
	case cat < 2 || cat > 6:
		return ""
	case cat == 4 && shared != x.Srcs[0].IsShared():
		return "both or neither of result and source must be shared"
	case !shared || cat > 4:
		return misreads(x)
	case !p.gpu.ScalarALU: // GPU.Lacks says so
		return ""
	case !scalarForm(x.Op):
		return "there is no such instruction for shared registers"
	case cat == 3 && !x.Srcs[1].IsShared():
		return "the second source of a shared result is a shared register"
	}
	for _, o := range x.Srcs {
		if o.Kind == isa.RelReg || o.Kind == isa.Reg && !o.IsShared() {
			return "the sources of a shared result are shared"
		}
	}
	return ""
}

// mismoves says why a register does not get to a shared one as a move has it, "" if it does. Halves from normal
// registers get lost where all active fibers are in the upper half of a wave.
func (p *program) mismoves(x *isa.Instr) string {
	if o := x.Srcs[0]; x.Op != isa.OpMov && x.Op != isa.OpCov || o.Kind != isa.Reg && o.Kind != isa.RelReg {
		return ""
	}
	from, to := x.SrcType, x.Type
	switch {
	case x.Srcs[0].IsShared() && from != to && !p.gpu.ScalarALU:
		return "shared registers are converted by the scalar unit alone"
	case x.Srcs[0].IsShared():
		return ""
	case from == isa.F16 || from == isa.F32 || to == isa.F16 || to == isa.F32:
		return "no floats are converted on the way to a shared register"
	case from == isa.U8 && (to == isa.S16 || to == isa.S32):
		return "no bytes are extended on the way to a shared register"
	case x.Srcs[0].IsHalf() && x.Dst.IsHalf():
		return "halves do not get to shared registers from fibers 64 to 127"
	}
	return ""
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
