package midgard

import (
	"slices"

	"nirc/backend/midgard/isa"
)

// A writeout's bundle has two stages as others do: what the first one leaves in a pipeline register (rule 3 of midgard.md §8.1)
// the unit of the tables may scale or move to r0, and the scalar multiplier to r0.w, which that unit must not write.

// feed is what makes a colour in two steps.
type feed struct {
	from *inst // in stage 1, to a pipeline register
	at   int   // where that stands
	to   inst  // in stage 2, of that
}

// feedWriteout lets what makes red, green and blue, or what they are all moved from, run in the writeout's bundle together with one step
// more; it returns the instructions that do.
func (c *coalescer) feedWriteout(b int, w *writeout, made []maker) (moved []*inst) {
	if w.mask != 15 || w.stencil.reg != regNone || len(made) > 2 {
		return nil
	}
	i := slices.IndexFunc(made, func(m maker) bool { return m.lanes&7 == 7 })
	if i < 0 {
		return nil
	}
	m := &made[i]
	for _, find := range [...]func(int, *writeout, *maker) (feed, bool){c.operandFeed, c.splatFeed} {
		x, ok := find(b, w, m)
		if !ok {
			continue
		}
		if units, ok := w.assignFeed(&x, made, i); ok {
			w.make, w.rest = units, 0
			for k := range made {
				moved = append(moved, made[k].in)
			}
			return append(moved, x.from)
		}
	}
	return nil
}

// operandFeed finds a feed where the maker itself can be the second step: of an operand that nothing else reads.
func (c *coalescer) operandFeed(b int, w *writeout, m *maker) (x feed, ok bool) {
	if !m.fits {
		return x, false
	}
	list := c.f.blocks[b].list
	t := m.result(w)
	for i := range t.src {
		r := t.src[i].reg
		if !t.usesSource(i) || !r.virtual() || c.defs[index(r)] != 1 || c.block[index(r)] != int32(b) {
			continue
		}
		at := slices.IndexFunc(list[:m.at], func(in *inst) bool { return makes(in, r) })
		if at < 0 {
			continue
		}
		x = feed{from: list[at], at: at, to: *t}
		if n := x.read(r); n > 0 && n == int(c.reads[index(r)]) && x.leaves(list) {
			return x, true
		}
	}
	return x, false
}

// splatFeed makes a feed of a maker of one component, which the second step moves to all lanes.
func (c *coalescer) splatFeed(b int, w *writeout, m *maker) (x feed, ok bool) {
	x = feed{from: m.in, at: m.at}
	s := w.color
	x.to = inst{op: isa.OpImov, dst: 0, mask: m.lanes, out: isa.OutKeepLow, src: [2]source{{reg: regNone}, s}, loc: m.in.loc}
	if m.in.mask&(m.in.mask-1) != 0 || x.read(s.reg) != 1 {
		return x, false
	}
	return x, x.leaves(c.f.blocks[b].list)
}

// read lets the second step read the pipeline register instead of r, and returns how many of its sources do; 0 if one cannot.
func (x *feed) read(r reg) (n int) {
	for i := range x.to.src {
		s := &x.to.src[i]
		if !x.to.usesSource(i) || s.reg != r {
			continue
		}
		if s.half != partFull || s.components(x.to.lanesRead(i))&^x.from.mask != 0 {
			return 0
		}
		s.reg = isa.RegPipe0
		n++
	}
	return n
}

// leaves reports whether the first step may run at the end of its block, and fill a pipeline register there.
func (x *feed) leaves(list []*inst) bool {
	m := maker{in: x.from, at: x.at}
	return x.from.half == partFull && x.from.keep == 0 && m.moves(list) && !readsResult(x.from)
}

// assignFeed gives units to the steps of a feed, to which the i-th maker comes down, and to the other maker, which is that of alpha.
func (w *writeout) assignFeed(x *feed, made []maker, i int) (units [isa.NumALUUnits]*inst, ok bool) {
	var pool constPool
	busy := w.busyUnits()
	put := func(in *inst, list ...isa.Unit) bool {
		for _, u := range list {
			if !busy[u] && runs(u, in) && pool.all(in) {
				busy[u], units[u] = true, in
				return true
			}
		}
		return false
	}
	from, to := *x.from, x.to
	from.dst = isa.RegPipe0
	to.mask &= 7
	if readsResult(&to) || !put(&from, isa.UnitVMUL, isa.UnitSADD) || !put(&to, isa.UnitLUT) {
		return units, false
	}
	if len(made) == 1 {
		alpha := x.to
		alpha.mask = 8
		return units, put(&alpha, isa.UnitSMUL)
	}
	o := &made[1-i]
	if x.to.mask != 7 || o.lanes != 8 || !o.fits {
		return units, false
	}
	alpha := o.result(w)
	if readsResult(alpha) {
		return units, put(alpha, isa.UnitSADD)
	}
	return units, put(alpha, isa.UnitSMUL, isa.UnitSADD)
}
