package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// Where the device can, the preamble names consts and immediates that stand for
// components of render targets (alias.rt; ir3.md §3.10 and 7.9):
// the program leaves nothing in registers for them.

// aliasOutputs finds the components that are the same const or immediate on all ways
// to the end, and writes their entries into the preamble.
func (s *isel) aliasOutputs() {
	if !s.gpu.AliasRT || s.noPush || s.sh.Stage != ir.StageFragment || s.dualSource() {
		return
	}
	var names []isa.Instr
	s.out.alias = make([]bool, len(s.out.vars))
	for k := range s.out.vars {
		v := &s.out.vars[k]
		// Halves are converted on their way out, and other slots are no render targets.
		if v.half || v.slot < ir.SlotData0 || v.slot > ir.SlotData0+7 || v.comp > 3 {
			continue
		}
		o, ok := s.constOutput(k)
		if !ok {
			continue
		}
		src := isa.I(int32(o.bits))
		if o.kind == opConst {
			src = isa.C(int(o.bits))
		}
		s.out.alias[k] = true
		rt := isa.Operand{Kind: isa.RT, Val: int32(v.slot-ir.SlotData0)*4 + int32(v.comp)}
		names = append(names, isa.Instr{Op: isa.OpAlias, Scope: aliasScopeRT, Type: isa.F32, Dst: rt, Srcs: [4]isa.Operand{src}})
	}
	s.nameTargets(names)
}

// aliasScopeRT is the scope of alias instructions for render targets.
const aliasScopeRT = 1

// dualSource reports whether there is a second source for blending: which
// component names that would be is not known.
func (s *isel) dualSource() bool {
	for i := range s.out.vars {
		if s.out.vars[i].index != 0 {
			return true
		}
	}
	return false
}

// constOutput returns what output variable k holds at the end, if that is one
// const or immediate on every way there.
func (s *isel) constOutput(k int) (found opnd, ok bool) {
	seen := make([]bool, len(s.f.Blocks))
	work := append([]mach.BlockID(nil), s.f.Blocks[s.end].Preds...)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		if o, stored := s.out.vals.At(b, k); stored {
			o = o.fold()
			if o.kind != opImm && o.kind != opConst || o.half || o.mods != 0 || ok && o != found {
				return opnd{}, false
			}
			found, ok = o, true
			continue
		}
		if len(s.f.Blocks[b].Preds) == 0 {
			return opnd{}, false // not stored on this way
		}
		work = append(work, s.f.Blocks[b].Preds...)
	}
	return found, ok
}

// nameTargets puts the alias instructions at the end of the preamble, which is
// made if there is none. Their count stays 0: that of a group is alias.tex's (ir3.md §11).
func (s *isel) nameTargets(names []isa.Instr) {
	if len(names) == 0 {
		return
	}
	s.appendPreamble(1, func() {
		for i := range names {
			if faults.has(faultAliasCount) && i == 0 {
				names[i].Index = uint8(len(names) - 1)
			}
			s.add(names[i], 0)
		}
	})
}

// aliased reports whether the preamble has named output variable k.
func (o *outputs) aliased(k int) bool { return k < len(o.alias) && o.alias[k] }
