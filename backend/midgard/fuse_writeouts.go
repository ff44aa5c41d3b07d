package midgard

import (
	"math/bits"
	"slices"

	"nirc/backend/midgard/isa"
)

// fuseWriteouts lets the instructions that make a colour run in the bundle of
// its writeout where units of that are free (rule 7 of midgard.md §8.1); a move brings only
// the rest.
func (f *function) fuseWriteouts() {
	var c *coalescer
	for b := range f.blocks {
		list := f.blocks[b].list
		if len(list) == 0 {
			continue
		}
		last := list[len(list)-1]
		if last.kind != kindWriteout || last.wo.again || !last.wo.color.reg.virtual() {
			continue
		}
		if c == nil {
			c = newCoalescer(f)
		}
		c.fuseWriteout(b, last.wo)
	}
}

// maker is an instruction that makes part of a colour, and where it stands.
type maker struct {
	in *inst
	at int
	// lanes of the colour that it makes.
	lanes uint8
	unit  isa.Unit
	fits  bool
}

func (c *coalescer) fuseWriteout(b int, w *writeout) {
	s := w.color.reg
	if c.reads[index(s)] != 1 {
		return
	}
	list := c.f.blocks[b].list
	var made []maker
	done := uint8(0)
	for i, in := range list {
		if in.dst != s || in.mask == 0 {
			continue
		}
		if in.mask&done != 0 || in.half != partFull {
			return
		}
		done |= in.mask
		m := maker{in: in, at: i}
		for l := range 4 {
			if w.mask>>l&1 != 0 && in.mask>>w.color.swz[l]&1 != 0 {
				m.lanes |= 1 << l
			}
		}
		made = append(made, m)
	}
	if len(made) == 0 || len(made) != int(c.defs[index(s)]) {
		return
	}
	for i := range made {
		made[i].fits = made[i].lanes != 0 && made[i].moves(list)
	}
	if moved := c.feedWriteout(b, w, made); moved != nil {
		c.f.settled = false
		c.f.blocks[b].list = slices.DeleteFunc(list, func(in *inst) bool { return slices.Contains(moved, in) })
		return
	}
	if w.assign(made, true) || w.assign(made, false) {
		c.f.settled = false
		w.take(c.f, made)
		kept := list[:0]
		for i, in := range list {
			if !taken(made, i) {
				kept = append(kept, in)
			}
		}
		c.f.blocks[b].list = kept
	}
}

func taken(made []maker, at int) bool {
	for i := range made {
		if made[i].fits && made[i].at == at {
			return true
		}
	}
	return false
}

// moves reports whether the instruction may run at the end of its block as well.
func (m *maker) moves(list []*inst) bool {
	in := m.in
	if in.kind != kindALU || in.hasCond {
		return false
	}
	if in.op.Is(isa.OneLane|isa.Reduce) && m.lanes&(m.lanes-1) != 0 {
		return false
	}
	ok := true
	for _, after := range list[m.at+1:] {
		in.eachSource(func(o *source, lanes uint8) {
			ok = ok && (after.dst != o.reg || after.mask&o.components(lanes) == 0)
		})
	}
	return ok
}

// busyUnits are those that bring something other than a colour.
func (w *writeout) busyUnits() (busy [isa.NumALUUnits]bool) {
	busy[isa.UnitVADD] = true // has the return address
	busy[isa.UnitSADD] = w.target != 0 || w.blend
	busy[isa.UnitSMUL] = w.depth.reg != regNone
	busy[isa.UnitLUT] = w.stencil.reg != regNone
	return busy
}

// assign gives the makers units; whole asks that all have one, and that no move
// is needed. Without it the vector multiplier moves the rest.
func (w *writeout) assign(made []maker, whole bool) bool {
	busy := w.busyUnits()
	busy[isa.UnitVMUL] = !whole
	var pool constPool
	some := false
	for i := range made {
		m := &made[i]
		if !m.fits {
			if whole {
				return false
			}
			continue
		}
		order := unitList{isa.UnitVMUL, isa.UnitLUT}
		if m.lanes&(m.lanes-1) == 0 {
			order = unitList{isa.UnitSADD, isa.UnitSMUL, isa.UnitLUT, isa.UnitVMUL}
		}
		found := false
		t := m.result(w)
		for _, u := range order {
			if busy[u] || !runs(u, t) || u == isa.UnitLUT && m.lanes&8 != 0 || u.Stage() == 2 && readsResult(t) {
				continue
			}
			before := pool
			if !pool.all(t) {
				pool = before
				break
			}
			busy[u], m.unit, found = true, u, true
			break
		}
		if !found && whole {
			return false
		}
		m.fits = found
		some = some || found
	}
	if !whole {
		return some
	}
	// Lanes that mean nothing must be written too.
	if w.mask == 15 || !busy[isa.UnitVMUL] {
		return true
	}
	for i := range made {
		if made[i].unit == isa.UnitVMUL && !made[i].in.op.Is(isa.OneLane|isa.Reduce) {
			return true
		}
	}
	return false
}

// readsResult reports whether an instruction reads what the bundle's first stage
// writes.
func readsResult(in *inst) bool {
	hit := false
	in.eachSource(func(o *source, _ uint8) { hit = hit || o.reg < 2 })
	return hit
}

// result is the instruction that makes the lanes of a colour.
func (m *maker) result(w *writeout) *inst {
	t := *m.in
	t.dst, t.mask = 0, m.lanes
	from := w.color.swz
	for i := range from {
		if m.lanes>>i&1 == 0 {
			from[i] = w.color.swz[bits.TrailingZeros8(m.lanes)]
		}
	}
	if !t.op.Is(isa.Reduce) {
		t.src[0], t.src[1] = t.src[0].place(from), t.src[1].place(from)
	}
	return &t
}

// take puts the makers that have units into the writeout.
func (w *writeout) take(f *function, made []maker) {
	rest, free := w.mask, 15&^w.mask
	var spare uint8 // a component that is still there to be moved
	for i := range made {
		m := &made[i]
		if !m.fits {
			spare = uint8(bits.TrailingZeros8(m.in.mask))
			continue
		}
		rest &^= m.lanes
		t := m.result(w)
		if m.unit == isa.UnitVMUL {
			t.mask |= free
			free = 0
		}
		w.make[m.unit] = f.newInst(*t)
	}
	for i := range w.color.swz {
		if free>>i&1 != 0 {
			w.color.swz[i] = spare
		}
	}
	w.rest = rest | free
	if rest == 0 && free != 0 {
		w.color = constant(0)
	}
}
