package core

import (
	"fmt"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// Rules of devices that follow from the code as it stands (ir3.md §11.1): what an instruction
// needs of the device, and what must stand beside it.

// scalarALU reports whether the device has the scalar unit.
func (p *program) scalarALU() bool { return p.gpu != nil && p.gpu.ScalarALU }

// lineInstrs is the number of instructions of a line of the instruction cache.
const lineInstrs = 16

// checkRules looks for code that the device does not run well.
func (p *program) checkRules() {
	if p.gpu == nil {
		return
	}
	for pc := range p.code {
		if p.static != nil {
			return
		}
		x := &p.code[pc]
		if x.Op == isa.OpRaw {
			continue
		}
		what := p.gpu.Lacks(&x.Instr)
		if what != "" {
			what = p.gpu.Name + " has no " + what
		} else {
			what = p.besides(pc)
		}
		if what != "" {
			p.static = fmt.Errorf("ir3 core: pc %d: %s: %s", pc, x.Text(p.meta.Gen), what)
		}
	}
}

// besides says what is wrong with the neighbours of an instruction, or with where it stands.
func (p *program) besides(pc int) string {
	x := &p.code[pc]
	at := func(k int) *inst {
		if k < 0 || k >= len(p.code) {
			return &inst{}
		}
		return &p.code[k]
	}
	if x.Repeat > 0 && isRelative(&x.Instr) {
		return "no code is known that repeats what is relative to a0.x"
	}
	if b := p.meta.Bindless; b.Or(abi.BindlessOf(&x.Instr)) != b {
		return "the meta does not name the table of its descriptors"
	}
	switch x.Op {
	case isa.OpResinfo:
		if x.Flags&isa.Typed != 0 {
			return "no code is known that asks for a size with the bit of typed accesses"
		}
		if next := at(pc + 1); x.Dst.Val != isa.NoReg && (next.Op != isa.OpNop || next.Flags&isa.SS == 0) {
			return "(ss)nop does not follow"
		}
	case isa.OpAlias:
		if next := at(pc + 1); x.Scope == 1 && next.Op == isa.OpAlias && next.Scope == 0 {
			return "the GPU hangs where an alias.tex follows"
		}
		if o := x.Srcs[0]; x.Scope == 1 && o.Kind == isa.Const && o.IsHalf() {
			return "render targets do not get consts of half size by name"
		}
		if x.Scope == 0 && x.Flags&isa.SY != 0 {
			return "(sy) belongs to the lookup, not to its names"
		}
		if x.Scope == 0 && x.Index > 0 || x.Scope == 0 && at(pc-1).Op != isa.OpAlias {
			if last := pc + int(x.Index) + 1; pc/lineInstrs != last/lineInstrs {
				return "the group lies in two lines of the instruction cache"
			}
		}
	case isa.OpEnd:
		lock := at(pc - 2)
		if p.gpu.Lock && p.meta.Stage == ir.StageCompute && (at(pc-1).Op != isa.OpUnlock || lock.Op != isa.OpLock || lock.Flags&(isa.SS|isa.SY) != isa.SS|isa.SY) {
			return "(sy)(ss)lock and unlock do not stand before"
		}
	case isa.OpKill:
		if x.Srcs[0].Flags&isa.Inv != 0 {
			return "no code is known that kills where a predicate is not set"
		}
	case isa.OpIsamm:
		return p.readsAttachment(x)
	case isa.OpIsam:
		if v := x.Flags&(isa.TexS|isa.TexP) != 0; v == (x.Flags&isa.Tex1D != 0) {
			return "bit 18 belongs to isam.v, and to it alone"
		}
		if x.Flags&isa.TexP != 0 && at(pc-1).Op == isa.OpAlias && at(pc-1).Scope == 0 {
			return "aliases do not always work beside an immediate offset"
		}
	case isa.OpSamgp2, isa.OpSamgp3:
		if x.Flags&isa.SY == 0 {
			return "(sy) is missing: two of the four lookups of a quad may be under way"
		}
	case isa.OpSam, isa.OpSamb, isa.OpGetlod:
		if p.meta.Stage != ir.StageFragment {
			return "no fact says which level a lookup takes of itself outside of fragment shaders"
		}
		fallthrough
	case isa.OpDsx, isa.OpDsy:
		if p.meta.Stage == ir.StageFragment && !p.meta.NeedsQuads {
			return "the meta does not ask for helpers"
		}
	case isa.OpDsxpp1, isa.OpDsypp1, isa.OpQuadBrcst, isa.OpQuadHoriz, isa.OpQuadVert, isa.OpQuadDiag:
		if p.meta.Stage == ir.StageFragment && !(p.meta.FullQuads && p.meta.NeedsQuads) {
			return "the meta does not ask for whole quads"
		}
	case isa.OpRayIntersection:
		if !p.meta.UsesRays {
			return "the meta does not say that rays are tested"
		}
	case isa.OpBar:
		if p.meta.Stage == ir.StageTessCtrl && x.Flags&isa.BarG != 0 {
			return "bar.g in tessellation control waits for ever"
		}
	}
	return ""
}

// isRelative reports whether an operand is relative to a0.x.
func isRelative(x *isa.Instr) bool {
	for _, o := range x.Srcs {
		if o.Kind == isa.RelReg || o.Kind == isa.RelConst {
			return true
		}
	}
	return x.Dst.Kind == isa.RelReg
}
