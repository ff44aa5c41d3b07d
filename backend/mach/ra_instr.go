package mach

import "fmt"

// instr allocates one instruction and appends it to the block, after the
// copies that it needs.
func (a *allocator) instr(in *Instr) error {
	a.origin, a.killed, a.cur = a.origin[:0], a.killed[:0], in
	if err := a.fixedUses(in); err != nil {
		return err
	}
	for _, u := range in.Uses() {
		if u.Val != 0 && u.Flags&Kill != 0 && !a.isKilled(u.Val) && !a.isPlaced(u.Val) {
			a.killed = append(a.killed, u.Val)
		}
	}
	if !a.placeDefs(in) {
		if err := a.compact(in); err != nil {
			return err
		}
	}
	a.finish(in)
	return nil
}

func (a *allocator) isKilled(v Value) bool {
	for _, k := range a.killed {
		if k == v {
			return true
		}
	}
	return false
}

// fixedUses brings the sources that want a certain register there.
func (a *allocator) fixedUses(in *Instr) error {
	uses := in.Uses()
	for i := range uses {
		u := &uses[i]
		if u.Flags&Fixed == 0 || u.Val == 0 || a.reg[u.Val] == u.Reg {
			continue
		}
		for j := range uses[:i] {
			if uses[j].Flags&Fixed != 0 && uses[j].Val == u.Val {
				return fmt.Errorf("mach: value %d is wanted in registers %d and %d at once", u.Val, uses[j].Reg, u.Reg)
			}
		}
		fs, n := a.file(u.Val), a.f.Size(u.Val)
		fs.release(int(a.reg[u.Val]), n)
		if !a.clearWindow(fs, int(u.Reg), n, maxUnits) {
			return fmt.Errorf("mach: register %d of block %d cannot be had for value %d", u.Reg, a.block, u.Val)
		}
		a.move(u.Val, u.Reg)
		fs.take(u.Val, int(u.Reg), n)
	}
	return nil
}

// placeDefs gives the results registers; false if they do not fit without
// moving everything.
func (a *allocator) placeDefs(in *Instr) bool {
	defs := in.Defs()
	for i := range defs {
		if defs[i].Val != 0 && defs[i].Flags&Early != 0 && !a.placeDef(in, i) {
			return false
		}
	}
	for _, v := range a.killed {
		fs, r, n := a.file(v), int(a.reg[v]), a.f.Size(v)
		fs.release(r, n)
		setRange(&fs.held, r, n)
	}
	for pass := range 2 {
		for i := range defs {
			forced := defs[i].Flags&(Fixed|Tied) != 0
			if defs[i].Val == 0 || defs[i].Flags&Early != 0 || forced != (pass == 0) {
				continue
			}
			if !a.placeDef(in, i) {
				return false
			}
		}
	}
	return true
}

func (a *allocator) placeDef(in *Instr, i int) bool {
	d := &in.Defs()[i]
	if a.isPlaced(d.Val) {
		return true
	}
	var r Reg
	var ok bool
	switch {
	case d.Flags&Tied != 0:
		r = a.reg[in.Uses()[d.Tie].Val]
		ok = a.fits(d.Val, int(r))
		if !ok {
			return false
		}
	case d.Flags&Fixed != 0:
		r = d.Reg
		if ok = a.fits(d.Val, int(r)); !ok {
			r, ok = a.evict(d.Val, int(d.Reg))
		}
	default:
		if r, ok = a.pick(in, d.Val); !ok {
			r, ok = a.evict(d.Val, -1)
		} else if bound := a.opts.Bound[a.f.File(d.Val)]; bound > 0 && int(r)+a.f.Size(d.Val) > bound {
			if below, ok := a.evictBelow(d.Val, bound); ok {
				r = below
			}
		}
	}
	if ok {
		a.put(d.Val, r)
		a.placed(d.Val)
		a.hintPhi(d.Val)
	}
	return ok
}

// maxUnits is more than any file has.
const maxUnits = 1 << 16

// evict makes room for v at unit at, or where it costs least if at < 0, by
// moving other values elsewhere.
func (a *allocator) evict(v Value, at int) (Reg, bool) {
	if at < 0 {
		return a.evictBelow(v, maxUnits)
	}
	return Reg(at), at+a.f.Size(v) <= a.f.limit(a.f.Class(v)) && a.clearWindow(a.file(v), at, a.f.Size(v), maxUnits)
}

// evictBelow makes room for v below a bound, where it costs least, by moving other values elsewhere below it.
func (a *allocator) evictBelow(v Value, bound int) (Reg, bool) {
	c := &a.f.classes[a.f.Class(v)]
	fs, n := a.file(v), a.f.Size(v)
	at, best := -1, 1<<30
	floor := (a.f.floors[c.File] + int(c.Align) - 1) &^ (int(c.Align) - 1)
	for r := floor; r+n <= min(bound, a.f.limit(a.f.Class(v))); r += int(c.Align) {
		if cost := a.windowCost(fs, r, n); cost < best {
			best, at = cost, r
		}
	}
	return Reg(at), at >= 0 && a.clearWindow(fs, at, n, bound)
}

// windowCost is the number of units to move to free [r, r+n), huge if
// something there cannot move: results of the current instruction, and for early results dying sources.
func (a *allocator) windowCost(fs *fileState, r, n int) int {
	cost := 0
	for i := r; i < r+n; {
		v := fs.val[i]
		if v == 0 {
			i++
			continue
		}
		if !a.movable(v) {
			return 1 << 30
		}
		cost += a.f.Size(v)
		i = int(a.reg[v]) + a.f.Size(v)
	}
	return cost
}

// movable reports whether v was there before the current instruction, stays
// after it and is free to go: a source that wants a certain register is until it is there.
func (a *allocator) movable(v Value) bool {
	if a.isKilled(v) {
		return false
	}
	if a.cur == nil {
		return true
	}
	for i := range a.cur.Ops {
		o := &a.cur.Ops[i]
		if o.Val == v && (i < int(a.cur.NDefs) || o.Flags&Fixed != 0 && a.reg[v] == o.Reg) {
			return false
		}
	}
	return true
}

// clearWindow moves the values in [r, r+n) to free places outside, below a bound, that no
// dying source holds. On failure nothing has changed.
func (a *allocator) clearWindow(fs *fileState, r, n, bound int) bool {
	block := fs.held
	setRange(&block, r, n)
	var to []place
	busy := fs.busy
	for i := r; i < r+n; {
		v := fs.val[i]
		if v == 0 {
			i++
			continue
		}
		if !a.movable(v) {
			return false
		}
		c := &a.f.classes[a.f.Class(v)]
		g := gap(&busy, &block, a.f.Size(v), int(c.Align), a.f.floors[c.File], min(bound, a.f.limit(a.f.Class(v))))
		if g < 0 {
			return false
		}
		setRange(&busy, g, a.f.Size(v))
		to = append(to, place{v, Reg(g)})
		i = int(a.reg[v]) + a.f.Size(v)
	}
	for _, p := range to {
		fs.release(int(a.reg[p.v]), a.f.Size(p.v))
		a.move(p.v, p.r)
		fs.take(p.v, int(p.r), a.f.Size(p.v))
	}
	return true
}

// finish writes the registers into the operands and emits the copies.
func (a *allocator) finish(in *Instr) {
	n := 0
	for _, o := range a.origin {
		if o.r != a.reg[o.v] {
			n++
		}
	}
	if n > 0 {
		cp := a.f.NewInstr(OpPcopy, n, n)
		cp.Loc = in.Loc
		k := 0
		for _, o := range a.origin {
			if o.r != a.reg[o.v] {
				cp.Ops[k].Val, cp.Ops[k].Reg = o.v, a.reg[o.v]
				cp.Ops[n+k].Val, cp.Ops[n+k].Reg = o.v, o.r
				k++
			}
		}
		a.copies += n
		a.list = append(a.list, cp)
	}
	for i := range in.Ops {
		o := &in.Ops[i]
		if o.Val == 0 {
			continue
		}
		o.Reg = a.reg[o.Val]
		if o.Flags&Dead != 0 && !a.isPlaced(o.Val) {
			a.file(o.Val).release(int(o.Reg), a.f.Size(o.Val))
		}
	}
	for i := range a.files {
		a.files[i].held = [8]uint64{}
	}
	a.list = append(a.list, in)
}

// resolve brings the values to where each block expects them, at the ends of
// its predecessors, together with the phis.
func (a *allocator) resolve() error {
	var defs, uses []Operand
	for b := range a.f.Blocks {
		blk := &a.f.Blocks[b]
		if len(blk.Succs) != 1 {
			for _, s := range blk.Succs {
				if len(a.f.Blocks[s].Preds) > 1 {
					return fmt.Errorf("mach: the edge from block %d to block %d is critical", b, s)
				}
			}
			continue
		}
		for _, p := range a.out[b] {
			a.reg[p.v] = p.r
		}
		defs, uses = defs[:0], uses[:0]
		s := blk.Succs[0]
		for _, p := range a.in[s] {
			if a.reg[p.v] != p.r {
				defs = append(defs, Operand{Val: p.v, Reg: p.r})
				uses = append(uses, Operand{Val: p.v, Reg: a.reg[p.v]})
			}
		}
		defs, uses = a.phiCopies(BlockID(b), s, defs, uses)
		if len(defs) == 0 {
			continue
		}
		cp := a.f.NewInstr(OpPcopy, len(defs), len(uses))
		copy(cp.Ops, defs)
		copy(cp.Ops[len(defs):], uses)
		a.copies += len(defs)
		at := a.f.firstTerminator(blk)
		blk.Instrs = append(blk.Instrs, nil)
		copy(blk.Instrs[at+1:], blk.Instrs[at:])
		blk.Instrs[at] = cp
	}
	return nil
}

func (a *allocator) phiCopies(b, s BlockID, defs, uses []Operand) ([]Operand, []Operand) {
	to := &a.f.Blocks[s]
	k := 0
	for to.Preds[k] != b {
		k++
	}
	for _, in := range to.Instrs {
		if in.Op != OpPhi {
			break
		}
		u := &in.Uses()[k]
		u.Reg = in.Ops[0].Reg
		if u.Val == 0 || in.Ops[0].Flags&Dead != 0 || a.reg[u.Val] == in.Ops[0].Reg {
			continue
		}
		defs = append(defs, Operand{Val: u.Val, Reg: in.Ops[0].Reg})
		uses = append(uses, Operand{Val: u.Val, Reg: a.reg[u.Val]})
	}
	return defs, uses
}
