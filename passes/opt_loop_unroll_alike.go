package passes

import (
	"nirc/ir"
	"nirc/passes/analysis"
)

// unrolledCost is how many instructions a loop becomes of which each counts that stays. What all rounds compute alike stands
// once in the copies, as opt_cse finds it, where the loop computes it in each round; only what every round computes is looked
// at. A product that a sum takes along on the target is none of its own.
func unrolledCost(impl *ir.Impl, l *analysis.LoopInfo) int {
	varies := make([]bool, impl.NumDefs)
	fused := 0
	for b := range ir.ListBlocks(&l.Loop.Body) {
		for in := range b.Instrs() {
			if in.HasDef() {
				varies[in.Def.Index] = true
			}
			if fuses(impl.Shader.Options, in) {
				fused++
			}
		}
	}
	round := l.Cost - fused
	varying := round
	for n := l.Loop.Body.First(); n != nil; n = ir.Next(n) {
		b, ok := n.(*ir.Block)
		if !ok {
			continue
		}
		for in := range b.Instrs() {
			if !alike(in, varies) {
				continue
			}
			if varies[in.Def.Index] = false; !fuses(impl.Shader.Options, in) {
				varying -= analysis.InstrCost(in)
			}
		}
	}
	return round + varying*int(l.MaxTrips-1)
}

// alike reports whether an instruction computes the same wherever it stands, from what does not vary.
func alike(in *ir.Instr, varies []bool) bool {
	switch in.Kind {
	case ir.KindALU, ir.KindLoadConst:
	case ir.KindIntrinsic:
		if !in.HasDef() || !canReorder(in) {
			return false
		}
	default:
		return false
	}
	for k := range in.Srcs {
		if varies[in.Srcs[k].Def.Index] {
			return false
		}
	}
	return true
}

// fuses reports whether in is a product that only a sum reads, and the target makes one instruction of the two.
func fuses(o *ir.Options, in *ir.Instr) bool {
	if !in.IsALU(ir.OpFmul) || in.Exact {
		return false
	}
	switch in.Def.BitSize {
	case 16:
		if !o.FuseFfma16 {
			return false
		}
	case 32:
		if !o.FuseFfma32 {
			return false
		}
	default:
		return false
	}
	d := &in.Def
	for {
		u := onlyReader(d)
		switch {
		case u == nil:
			return false
		case u.IsALU(ir.OpFadd):
			return !u.Exact
		case !u.IsALU(ir.OpFneg):
			return false
		}
		d = &u.Def
	}
}

// onlyReader is the instruction that alone reads d, nil if there is none.
func onlyReader(d *ir.Def) *ir.Instr {
	if !d.UsedOnce() {
		return nil
	}
	for u := range d.Uses() {
		return u.Instr
	}
	return nil
}
