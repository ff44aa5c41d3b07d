package analysis

import "nirc/ir"

// maxExits bounds the nodes of a loop that are asked whether they end it.
const maxExits = 8

// counterRange is the range of a header phi that begins at a constant and grows by a constant in each iteration as long as it
// is below something: the last sum is the step at most above the largest value that goes on, and has not wrapped.
func counterRange(phi *ir.Instr, depth int) (Interval, bool) {
	l := ir.EnclosingLoop(phi.Block)
	if l == nil || l.Body.FirstBlock() != phi.Block || !l.Continue.Empty() || len(phi.Srcs) != 2 || phi.Def.NumComponents != 1 || phi.Def.BitSize < 8 {
		return Interval{}, false
	}
	pre, ok := ir.Prev(l).(*ir.Block)
	if !ok {
		return Interval{}, false
	}
	init, next := phiEnds(phi, pre)
	if init == nil || next == nil {
		return Interval{}, false
	}
	first, ok := init.Def.Const(0)
	up := next.Def.Instr
	if !ok || !up.IsALU(ir.OpIadd) || first > mostSigned(phi) {
		return Interval{}, false
	}
	step, ok := counterStep(up, phi)
	if !ok || step > mostSigned(phi) {
		return Interval{}, false
	}
	if up.NoSignedWrap {
		return Interval{first, mostSigned(phi)}, true
	}
	c := counter{phi: phi, next: up, depth: depth - 1}
	below, ok := c.limit(l)
	if !ok || first > mostSigned(phi)-step || below > mostSigned(phi) || below+step-1 > mostSigned(phi) {
		return Interval{}, false
	}
	return Interval{first, max(first, below+step-1)}, true
}

// mostSigned is the largest integer of a value's size that is not negative when it is signed.
func mostSigned(in *ir.Instr) uint64 { return 1<<(in.Def.BitSize-1) - 1 }

// counterStep returns the constant that a sum adds to a phi.
func counterStep(up, phi *ir.Instr) (uint64, bool) {
	for k := range up.Srcs {
		if step, ok := up.Srcs[1-k].Const(0); ok && up.Srcs[k].Def == &phi.Def {
			return step, step != 0
		}
	}
	return 0, false
}

// counter is a header phi and the sum that follows it.
type counter struct {
	phi, next *ir.Instr
	depth     int
}

// limit returns what the counter, or its next value, is below in each iteration that another one follows.
func (c *counter) limit(l *ir.Loop) (below uint64, ok bool) {
	nodes := 0
	for n := range l.Body.Nodes() {
		if nodes++; nodes > maxExits {
			break
		}
		i, isIf := n.(*ir.If)
		if !isIf {
			continue
		}
		for _, side := range []*ir.List{&i.Then, &i.Else} {
			j := side.LastBlock().Jump()
			if j == nil || j.Jump != ir.JumpBreak || side.First() != side.Last() {
				continue
			}
			if below, ok = c.holds(i.Cond.Def, side == &i.Else, 2); ok {
				return below, true
			}
		}
	}
	return 0, false
}

// holds returns what the counter is below where a condition has a truth value.
func (c *counter) holds(cond *ir.Def, truth bool, depth int) (below uint64, ok bool) {
	in := cond.Instr
	if in.Kind != ir.KindALU || depth == 0 || cond.NumComponents != 1 {
		return 0, false
	}
	switch {
	case in.Op == ir.OpInot:
		return c.holds(in.Srcs[0].Def, !truth, depth-1)
	case in.Op == ir.OpIand && truth && cond.BitSize == 1, in.Op == ir.OpIor && !truth && cond.BitSize == 1:
		for i := range in.Srcs {
			if below, ok = c.holds(in.Srcs[i].Def, truth, depth-1); ok {
				return below, true
			}
		}
		return 0, false
	case truth != (in.Op == ir.OpIlt || in.Op == ir.OpUlt), len(in.Srcs) != 2:
		return 0, false
	}
	if x := in.Srcs[0].Def; x != &c.phi.Def && x != &c.next.Def || in.Srcs[1].Def == x {
		return 0, false
	}
	y := uintRange(in.Srcs[1].Def, in.Srcs[1].Swizzle.Lane(0), c.depth).Max
	switch in.Op {
	case ir.OpIlt, ir.OpIge:
		return min(y, mostSigned(c.phi)), true
	case ir.OpUlt, ir.OpUge:
		return y, true
	}
	return 0, false
}
