package core

import (
	"errors"
	"fmt"

	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// aliasName is an entry of the alias table: in the texture instruction that
// follows the register name stands for the source.
type aliasName struct {
	name, src isa.Operand
}

// attachAliases gives texture instructions the alias.tex entries before
// them (ir3.md §3.10 and 7.9). Entries that do not stand so,
// or whose first does not say how many they are, serve nothing: executing one is an error.
func (p *program) attachAliases() {
	for pc := 0; pc < len(p.code); pc++ {
		first := pc
		for pc < len(p.code) && p.code[pc].Op == isa.OpAlias && p.code[pc].Scope == 0 && (pc == first || !p.code[pc].chk.leader && p.code[pc].Index == 0) {
			pc++
		}
		n := pc - first
		if n == 0 || pc == len(p.code) {
			continue
		}
		x := &p.code[pc]
		if !takesAliases(x.Op) || x.chk.leader || int(p.code[first].Index) != n-1 {
			pc--
			continue
		}
		for i := first; i < pc; i++ {
			e := &p.code[i]
			e.attached = true
			x.alias = append(x.alias, aliasName{e.Dst, e.Srcs[0]})
		}
		x.chk = x.findHazards()
	}
}

// takesAliases reports whether an operation is a texture instruction whose
// sources may be aliased.
func takesAliases(op isa.Op) bool {
	switch op {
	case isa.OpIsam, isa.OpIsaml, isa.OpIsamm, isa.OpSam, isa.OpSamb, isa.OpSaml, isa.OpSamgq, isa.OpGetlod, isa.OpGather4r, isa.OpGather4g, isa.OpGather4b,
		isa.OpGather4a, isa.OpSamgp0, isa.OpSamgp1, isa.OpSamgp2, isa.OpSamgp3, isa.OpGetsize, isa.OpGetbuf, isa.OpGetinfo,
		isa.OpImgHof, isa.OpImgPcmn, isa.OpImgSad, isa.OpImgSsd, isa.OpDsx, isa.OpDsy, isa.OpRgetpos:
		return true
	}
	return false
}

// named is what a register name stands for in the instruction.
func (x *inst) named(o isa.Operand) isa.Operand {
	for i := range x.alias {
		if a := &x.alias[i]; a.name.Val == o.Val && a.name.IsHalf() == o.IsHalf() {
			return a.src
		}
	}
	return o
}

// texGet reads register n of a texture instruction's sources in a lane.
func (w *wave) texGet(x *inst, n, lane int, half bool) uint32 {
	if len(x.alias) == 0 {
		return w.laneGet(n, lane, half)
	}
	o := isa.R(n)
	if half {
		o = isa.HR(n)
	}
	switch o = x.named(o); o.Kind {
	case isa.Imm:
		return uint32(o.Val)
	case isa.Const:
		return w.constGet(int(o.Val), &src{half: o.IsHalf()})
	}
	return w.laneGet(int(o.Val), lane, o.IsHalf())
}

// texReads adds the registers of a source vector of n elements.
func (h *hazards) texReads(x *inst, o isa.Operand, n int) {
	if len(x.alias) == 0 || o.Kind != isa.Reg {
		h.add(o, n, false)
		return
	}
	for range n {
		s := x.named(o)
		h.add(s, 1, false)
		h.readsConst = h.readsConst || s.Kind == isa.Const
		o.Val++
	}
}

// checkTargets looks for alias.rt where it does not work: outside the
// preamble, and for components that the metadata does not list; and for listed ones that none names.
func (p *program) checkTargets() {
	var listed, named uint32
	for i := range p.meta.Outputs {
		if o := &p.meta.Outputs[i]; o.AliasRT != 0 {
			listed |= uint32(o.AliasRT) << (4 * (o.Slot - ir.SlotData0))
		}
	}
	inside := false
	for pc := range p.code {
		x := &p.code[pc]
		switch {
		case x.Op == isa.OpShps:
			inside = true
		case x.Op == isa.OpShpe:
			inside = false
		}
		if x.Op != isa.OpAlias || x.Scope != 1 || p.static != nil {
			continue
		}
		switch bit := uint32(1) << (x.Dst.Val & 31); {
		case !inside:
			p.static = fmt.Errorf("ir3 core: pc %d: alias.rt stands outside the preamble", pc)
		case listed&bit == 0:
			p.static = fmt.Errorf("ir3 core: pc %d: alias.rt names component %d of render target %d, which the meta does not list", pc, x.Dst.Val&3, x.Dst.Val>>2)
		case x.Index != 0:
			p.static = fmt.Errorf("ir3 core: pc %d: alias.rt announces %d more entries, it stands for itself", pc, x.Index)
		default:
			named |= bit
		}
	}
	if n := listed &^ named; n != 0 && p.static == nil {
		p.static = fmt.Errorf("ir3 core: the meta lists render target components %#x that no alias.rt names", n)
	}
}

// execAlias: alias.rt gives a render target component a value for all fibers;
// alias.tex works in the instruction that it stands before.
func execAlias(w *wave, x *inst) error {
	switch {
	case x.attached:
		return nil
	case x.Scope == 0:
		return errors.New("an alias.tex does not stand before a texture instruction in a group that says its size")
	case x.Scope != 1:
		return errors.New("alias.mem is not supported by this core")
	}
	o, lane := x.Srcs[0], first(&w.exec)
	v := uint32(o.Val)
	switch {
	case lane < 0:
		return nil
	case o.Kind == isa.Const:
		v = w.constGet(int(o.Val), &src{half: o.IsHalf(), demote: o.IsHalf() && x.Type == isa.F16})
	case o.Kind == isa.Reg:
		v = w.laneGet(int(o.Val), lane, o.IsHalf())
	}
	w.rt[x.Dst.Val&31] = v
	return nil
}
