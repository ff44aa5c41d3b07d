package analysis

import "nirc/ir"

// CopyCost is what Cost becomes in a copy of the body for one iteration, in which the counters are constants: what follows from
// them alone is gone, and of an if that they decide the larger side is left.
func (l *LoopInfo) CopyCost() int {
	if len(l.Inductions) == 0 {
		return l.Cost
	}
	return l.listCost(&l.Loop.Body)
}

func (l *LoopInfo) listCost(list *ir.List) (cost int) {
	for n := list.First(); n != nil; n = ir.Next(n) {
		switch n := n.(type) {
		case *ir.Block:
			for in := n.First(); in != nil; in = in.Next() {
				if in.Kind != ir.KindALU || !l.decides(&in.Def, maxDecided) {
					cost += InstrCost(in)
				}
			}
		case *ir.If:
			then, otherwise := l.listCost(&n.Then), l.listCost(&n.Else)
			if l.decides(n.Cond.Def, maxDecided) {
				cost += max(then, otherwise)
			} else {
				cost += then + otherwise
			}
		case *ir.Loop:
			cost += l.listCost(&n.Body)
			if !n.Continue.Empty() {
				cost += l.listCost(&n.Continue)
			}
		}
	}
	return cost
}

// maxDecided bounds how far up decides follows a value.
const maxDecided = 6

// decides reports whether a value follows from the counters of the loop and constants.
func (l *LoopInfo) decides(d *ir.Def, depth int) bool {
	in := d.Instr
	switch in.Kind {
	case ir.KindLoadConst:
		return true
	case ir.KindPhi:
		for i := range l.Inductions {
			if l.Inductions[i].Phi == in {
				return true
			}
		}
	case ir.KindALU:
		for i := range in.Srcs {
			if depth == 0 || !l.decides(in.Srcs[i].Def, depth-1) {
				return false
			}
		}
		return true
	}
	return false
}
