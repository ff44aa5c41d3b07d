package core

import (
	"errors"
	"fmt"

	"nirc/backend/ir3/isa"
)

// Repeats of the nops that some devices need after the second of predt and
// predf, and after prede (ir3.md §5.4).
const (
	predNopRepeat = 4
	predeRepeat   = 6
)

// execPred is predt, predf and prede: the first two take the predicate of all
// fibers for a mask, the last ends it.
func execPred(w *wave, x *inst) error {
	switch x.Op {
	case isa.OpPredt:
		w.predMask, w.predMode = w.preds[0], 1
	case isa.OpPredf:
		w.predMask, w.predMode = w.preds[0], 2
	default:
		w.predMode = 0
	}
	w.remask()
	return nil
}

// underMask refuses what may not stand between predt or predf and prede:
// control flow, and writes of the predicate that the second of them reads.
func (x *inst) underMask() error {
	switch x.Op {
	case isa.OpNop, isa.OpPredt, isa.OpPredf, isa.OpPrede:
		return nil
	case isa.OpBar:
		return errors.New("a barrier stands between predt or predf and prede")
	}
	if x.Category() == 0 {
		return errors.New("control flow stands between predt or predf and prede")
	}
	if x.Dst.IsPred() && x.Dst.Val == isa.P0 {
		return errors.New("p0.x is written between predt or predf and prede")
	}
	return nil
}

// checkMasks looks for the idle slots that the device needs.
func (p *program) checkMasks() {
	preds := 0
	for pc := range p.code {
		x := &p.code[pc]
		need := -1
		switch x.Op {
		case isa.OpPredt, isa.OpPredf:
			if preds++; preds == 2 && p.gpu != nil && p.gpu.PredtNops {
				need = predNopRepeat
			}
		case isa.OpPrede:
			preds = 0
			if p.gpu != nil && p.gpu.PredeNops {
				need = predeRepeat
			}
		}
		if need < 0 || p.static != nil {
			continue
		}
		if pc+1 == len(p.code) || p.code[pc+1].Op != isa.OpNop || int(p.code[pc+1].Repeat) < need {
			p.static = fmt.Errorf("ir3 core: pc %d: the device needs a (rpt%d)nop after this %s", pc, need, x.Op)
		}
	}
}
