package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/internal/slab"
)

// Selection makes the condition of a branch right before it, and a branch waits toBranch slots for its condition
// (ir3.md §4.1). Where what a condition is made of is there in a block before, on every way, the
// condition is made there, in the slots in which that block waits for its own.

// conditions moves the conditions of branches up.
type conditions struct {
	f    *mach.Func
	code *code
	at   []mach.BlockID // by value: the block of its definition
	uses []int32        // by value
	idom []mach.BlockID // by block: its immediate dominator, -1 of the first
	held []uint8        // by block: the predicates that live there at once, at most
	moving
}

// moving are the instructions that make a condition, in their order.
type moving struct {
	list [maxMoved]int // where they stand in their block, the last first
	n    int
}

const (
	// maxMoved is how many instructions move with a condition, itself included.
	maxMoved = 3
	// leastIdle is how many slots a branch must wait for its condition.
	leastIdle = 2
	// predicates are the registers that hold conditions (ir3.md §1.3).
	predicates = 4
)

// run goes through all branches.
func (c *conditions) run(f *mach.Func, m *filler, g *GPU) {
	if len(f.Blocks) < 4 {
		return // no branch has one before it
	}
	m.reset(f, g)
	n, blocks := f.NumValues(), len(f.Blocks)
	*c = conditions{f: f, code: templates(f), at: slab.Resized(c.at, n), uses: slab.Zeroed(c.uses, n),
		idom: slab.Resized(c.idom, blocks), held: slab.Zeroed(c.held, blocks)}
	for b := range f.Blocks {
		c.index(mach.BlockID(b))
	}
	for b := range f.Blocks {
		br := c.branch(mach.BlockID(b))
		if br == nil {
			continue
		}
		for _, u := range br.Uses() {
			if m.idle(f.Blocks[b].Instrs) < leastIdle || !c.collect(mach.BlockID(b), u.Val) {
				continue
			}
			if to := c.target(mach.BlockID(b)); to >= 0 {
				c.move(mach.BlockID(b), to)
			}
		}
	}
}

// index notes what block b defines and uses, its immediate dominator and its predicates.
func (c *conditions) index(b mach.BlockID) {
	blk := &c.f.Blocks[b]
	c.idom[b] = -1
	for _, p := range blk.Preds {
		if p < b {
			c.idom[b] = c.common(c.idom[b], p)
		}
	}
	other := false
	for _, in := range blk.Instrs {
		for _, d := range in.Defs() {
			c.at[d.Val] = b
			other = other || d.Val != 0 && c.f.File(d.Val) == filePred
		}
		for _, u := range in.Uses() {
			c.uses[u.Val]++
		}
	}
	if other {
		c.held[b] = 1 // besides that of the branch: the predicates of others live no longer than to the next
	}
	if br := c.branch(b); br != nil {
		c.held[b] += uint8(len(br.Uses()))
	}
}

// common is the closest block that dominates both; -1 is no block yet.
func (c *conditions) common(a, b mach.BlockID) mach.BlockID {
	if a < 0 {
		return b
	}
	for a != b {
		if a > b {
			a = c.idom[a]
		} else {
			b = c.idom[b]
		}
	}
	return a
}

// branch is the branch that ends a block, nil if none does.
func (c *conditions) branch(b mach.BlockID) *mach.Instr {
	if l := c.f.Blocks[b].Instrs; len(l) > 0 && isBranch(l[len(l)-1].Op) {
		return l[len(l)-1]
	}
	return nil
}

// collect finds the instructions of block b that make p, for its branch alone, of what other blocks define.
// It reports whether they may move.
func (c *conditions) collect(b mach.BlockID, p mach.Value) bool {
	c.moving = moving{}
	if c.at[p] != b || c.uses[p] != 1 {
		return false
	}
	wanted := append(make([]mach.Value, 0, 3*maxMoved), p)
	l := c.f.Blocks[b].Instrs
	for i := len(l) - 2; i >= 0 && len(wanted) > 0; i-- {
		in := l[i]
		if in.NDefs == 0 || !take(&wanted, in.Ops[0].Val) {
			continue
		}
		if c.n == maxMoved || !c.movable(in) {
			return false
		}
		c.list[c.n] = i
		c.n++
		for _, u := range in.Uses() {
			if c.at[u.Val] == b {
				take(&wanted, u.Val)
				wanted = append(wanted, u.Val)
			}
		}
	}
	return c.n > 0 && len(wanted) == 0
}

// take removes v from a list and reports whether it was there.
func take(list *[]mach.Value, v mach.Value) bool {
	for i, x := range *list {
		if x == v {
			*list = append((*list)[:i], (*list)[i+1:]...)
			return true
		}
	}
	return false
}

// movable reports whether an instruction only computes, one result from general registers and constants.
func (c *conditions) movable(in *mach.Instr) bool {
	if in.Op < mach.FirstTargetOp || in.Op >= opInputs || in.NDefs != 1 || in.Aux != 0 || !generalSources(c.f, in) {
		return false
	}
	if file := c.f.File(in.Ops[0].Val); file != fileGPR && file != filePred {
		return false
	}
	for i := range in.Ops {
		if in.Ops[i].Flags != 0 {
			return false
		}
	}
	t := &c.code.tmpl[in.Ext]
	if t.Op.Category() > 3 || !pureALU(t) {
		return false
	}
	for _, o := range t.Srcs {
		if o.Kind == isa.RelConst {
			return false
		}
	}
	return t.Dst.Kind != isa.RelReg
}

// target is the block at whose end the collected instructions of b go: the closest from which toBranch slots
// pass, or failing that the first that they may be in; -1 if there is none.
func (c *conditions) target(b mach.BlockID) mach.BlockID {
	l := c.f.Blocks[b].Instrs
	first := mach.BlockID(0)
	for _, i := range c.list[:c.n] {
		for _, u := range l[i].Uses() {
			if at := c.at[u.Val]; at != b {
				first = max(first, at)
			}
		}
	}
	to, slots := mach.BlockID(-1), len(l)-1-c.n
	for d := b; slots < toBranch; {
		up := c.idom[d]
		if up < first || c.f.Blocks[up].LoopDepth != c.f.Blocks[b].LoopDepth || !c.ends(up) || !c.room(up, d) {
			break
		}
		if to = up; c.f.Blocks[up].LoopDepth == 0 && up == 0 {
			break
		}
		br := c.branch(up)
		if br != nil && c.waitsIn(br, up) {
			break // which waits for its own condition
		}
		slots += len(c.f.Blocks[up].Instrs) - 1
		d = up
	}
	return to
}

// waitsIn reports whether a branch has a condition that block b makes.
func (c *conditions) waitsIn(br *mach.Instr, b mach.BlockID) bool {
	for _, u := range br.Uses() {
		if c.at[u.Val] == b {
			return true
		}
	}
	return false
}

// ends reports whether a block ends in a branch or jump.
func (c *conditions) ends(b mach.BlockID) bool {
	l := c.f.Blocks[b].Instrs
	return len(l) > 0 && (isBranch(l[len(l)-1].Op) || l[len(l)-1].Op == machOp(isa.OpJump))
}

// room reports whether one more predicate can live from the end of block from to the start of block to.
func (c *conditions) room(from, to mach.BlockID) bool {
	for b := from; b < to; b++ {
		if c.held[b] >= predicates {
			return false
		}
	}
	return true
}

// move puts the collected instructions of block b at the end of block to.
func (c *conditions) move(b, to mach.BlockID) {
	from, into := &c.f.Blocks[b], &c.f.Blocks[to]
	end := into.Instrs[len(into.Instrs)-1]
	into.Instrs = into.Instrs[:len(into.Instrs)-1]
	for k := c.n - 1; k >= 0; k-- {
		in := from.Instrs[c.list[k]]
		into.Instrs = append(into.Instrs, in)
		c.at[in.Ops[0].Val] = to
		from.Instrs[c.list[k]] = nil
	}
	into.Instrs = append(into.Instrs, end)
	kept := from.Instrs[:0]
	for _, in := range from.Instrs {
		if in != nil {
			kept = append(kept, in)
		}
	}
	from.Instrs = kept
	for d := to; d < b; d++ {
		c.held[d]++
	}
}
