package agx

import (
	"slices"

	"nirc/backend/mach"
)

// Values that are parts of vectors leave holes, and more registers are used than live at once: where these would let more
// threads run, allocation may move values into the holes. That takes instructions, and reads what may be under way; what is saved are waits,
// which more threads hide. So both are tried, and the one that takes less time stays.

// worth is the part of its time that a program must be able to save by more threads before values are moved for them: to try
// takes the time of two more allocations.
const worth = 1. / 40

// allocate gives the values of a part their registers.
func (pt *part) allocate() error {
	opts := mach.AllocOptions{Live: pt.live(), PassWishes: true, MergeSets: true}
	opts.Live.Mark(pt.f)
	bound := halvesFor(threadsFor(pt.pressure))
	opts.Target[fileGPR] = bound
	freely, err := mach.Allocate(pt.f, opts)
	if err != nil || freely.Used[fileGPR] <= bound || pt.preamble {
		return err
	}
	issue, stall := pt.time()
	time := issue + stall/waves(freely.Used[fileGPR])
	if issue+stall/waves(bound) > time*(1-worth) {
		return nil
	}
	pt.f.Unallocate()
	opts.Bound[fileGPR] = bound
	within, err := mach.Allocate(pt.f, opts)
	if err == nil {
		if issue, stall = pt.time(); issue+stall/waves(within.Used[fileGPR]) < time {
			return nil
		}
	}
	pt.f.Unallocate()
	opts.Bound[fileGPR] = 0
	_, err = mach.Allocate(pt.f, opts)
	return err
}

// waves is how many waves hide each other's waits where a program uses so many halves.
func waves(halves int) float64 { return float64(threadsFor(halves)) / 32 / schedulers }

// loopRounds is how often a loop is taken to go round, as in docs/cost.md.
const loopRounds = 8

// time is about how long an allocated part issues instructions, and how long it waits, in cycles of a wave alone.
func (pt *part) time() (issue, stall float64) {
	c := clock{f: pt.f}
	for b, often := range blockWeights(pt.f) {
		i, s := c.block(mach.BlockID(b))
		issue, stall = issue+often*i, stall+often*s
	}
	return issue, stall
}

// blockWeights are how often blocks run.
func blockWeights(f *mach.Func) []float64 {
	often := slices.Repeat([]float64{1}, len(f.Blocks))
	for b := range f.Blocks {
		for _, s := range f.Blocks[b].Succs {
			for k := s; k <= mach.BlockID(b); k++ {
				often[k] *= loopRounds
			}
		}
	}
	return often
}

// clock is when results arrive while blocks run.
type clock struct {
	f     *mach.Func
	ready [gprHalves]float64
	now   float64
	stall float64
}

// await stalls until what is pending for some registers is there.
func (c *clock) await(r mach.Reg, n int) {
	for _, at := range c.ready[r : int(r)+n] {
		if at > c.now {
			c.stall += at - c.now
			c.now = at
		}
	}
}

// block runs a block from its start, at which nothing is pending, to where all that it asked for is there.
func (c *clock) block(b mach.BlockID) (issue, stall float64) {
	c.ready, c.now, c.stall = [gprHalves]float64{}, 0, 0
	for _, in := range c.f.Blocks[b].Instrs {
		if in.Op < mach.FirstTargetOp {
			c.moves(in)
			continue
		}
		for _, o := range in.Ops {
			if o.Val != 0 {
				c.await(o.Reg, c.f.Size(o.Val))
			}
		}
		c.now++
		if asks(in) {
			d := in.Ops[0]
			for k := range c.f.Size(d.Val) {
				c.ready[int(d.Reg)+k] = c.now + resultTime
			}
		}
	}
	issue = c.now - c.stall
	c.await(0, gprHalves)
	return issue, c.stall
}

// move runs the moves of a value, or of a part of one, to another register.
func (c *clock) move(to, from mach.Reg, v mach.Value) {
	if n := c.f.Size(v); to != from && v != 0 {
		c.await(from, n)
		c.await(to, n)
		c.now += float64((n + 1) / 2)
	}
}

// moves runs what a generic instruction becomes.
func (c *clock) moves(in *mach.Instr) {
	defs, uses := in.Defs(), in.Uses()
	switch in.Op {
	case mach.OpCopy, mach.OpPcopy:
		for k, d := range defs {
			c.move(d.Reg, uses[k].Reg, d.Val)
		}
	case mach.OpSplit:
		for k, d := range defs {
			c.move(d.Reg, uses[0].Reg+mach.Reg(k*c.f.Size(d.Val)), d.Val)
		}
	case mach.OpCollect:
		at := defs[0].Reg
		for _, u := range uses {
			c.move(at, u.Reg, u.Val)
			at += mach.Reg(c.f.Size(u.Val))
		}
	}
}
