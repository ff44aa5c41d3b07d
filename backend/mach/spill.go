package mach

import (
	"fmt"
	"sort"
)

// Spiller makes a target's spill code. Spill stores v to a slot (in units from
// the start of the spill area), Reload defines v from one.
type Spiller interface {
	Spill(f *Func, v Value, slot int) *Instr
	Reload(f *Func, v Value, slot int) *Instr
}

// far is the distance of a use that is never reached; loopExit is added for
// edges that leave a loop, so that what is only needed after it goes first.
const (
	far      = 1 << 30
	loopExit = 1 << 16
)

// spiller reduces register pressure on SSA form: it walks the blocks in order and keeps
// the set of values in registers within the limit, dropping those whose next use is
// furthest away (Belady's rule). A dropped value is stored once, after
// its definition, and loaded again as another value before its next use; what is made by an
// instruction without sources is made again instead, and what is made of one value where that is in a register.
// After Braun and Hack, "Register Spilling and Live-Range Splitting for SSA-Form Programs".
type spiller struct {
	f     *Func
	file  uint8
	limit int
	low   int // the same for classes bound to the low part of the file
	sp    Spiller
	lv    *Liveness

	next    [][]place32 // by block: distance of the next use of live-in values
	dist    []uint32    // by value: position of the next use in the current block
	remat   []*Instr    // by value: the instruction to repeat, or nil
	rematOf []*Instr    // by value: the instruction to repeat where its source is in a register, or nil
	stored  []bool      // by value: has been dropped, so must be stored
	slot    []int32     // by value: slot + 1
	webs    *mergeSets  // phis with their sources, which share a slot
	webSlot []int32     // by web: slot + 1
	memPhi  []bool      // by value: a phi that lives in memory
	name    []Value     // by value: what it is called at the current point
	in      []bool      // by value: in a register at the current point
	set     []Value     // the values in registers
	size    int
	lowSize int

	entry, exit [][]named // by block
	newPhis     []newPhi
	alias       []Value
	list        []*Instr
	// staged[v]: slot + 1 that predecessors of a memory phi write where they cannot write its own.
	staged map[Value]int32
}

type place32 struct {
	v Value
	d uint32
}

// named is a value in a register and its name there.
type named struct{ v, name Value }

// Spill rewrites f so that at no point more units of a file are live than limit, nor
// more of a class than the limit that the class has, each less slack: what allocation itself needs. Blocks that
// several edges lead to must have predecessors with one successor. It reports
// whether anything changed; the error says where values do not fit at all.
func Spill(f *Func, file uint8, limit, slack int, sp Spiller) (bool, error) {
	lv, over := Overfull(f, file, limit, slack)
	if !over {
		return false, nil
	}
	limit -= slack
	low := f.lowest(file, limit, slack)
	n := len(f.vals)
	s := &spiller{f: f, file: file, limit: limit, low: low, sp: sp, lv: lv,
		dist: make([]uint32, n), remat: make([]*Instr, n), rematOf: make([]*Instr, n), stored: make([]bool, n), slot: make([]int32, n), memPhi: make([]bool, n),
		webs: phiSets(f, lv, int(file)), staged: map[Value]int32{}, name: make([]Value, n), in: make([]bool, n), entry: make([][]named, len(f.Blocks)), exit: make([][]named, len(f.Blocks))}
	s.webSlot = make([]int32, len(s.webs.sets))
	s.findRemat()
	s.nextUses()
	for b := range f.Blocks {
		if err := s.block(BlockID(b)); err != nil {
			return true, err
		}
	}
	s.edges()
	s.stores()
	s.rename()
	return true, nil
}

// Overfull reports whether Spill has something to do, and returns the liveness that it looked at: nil where all values together
// are within the limits.
func Overfull(f *Func, file uint8, limit, slack int) (*Liveness, bool) {
	limit -= slack
	low := f.lowest(file, limit, slack)
	if f.TotalWithin(file, low) {
		return nil, false
	}
	lv := ComputeLiveness(f)
	p, l := pressure(f, lv, file)
	return lv, p > limit || l > low
}

// lowest is the lowest limit of a file and its classes, each less slack.
func (f *Func) lowest(file uint8, limit, slack int) int {
	for i := range f.classes {
		if c := &f.classes[i]; c.File == file && c.Limit != 0 {
			limit = min(limit, int(c.Limit)-slack)
		}
	}
	return limit
}

// TotalWithin reports whether all values of a file together have no more than limit units, so that no more can be live at
// once: most shaders are that small, and need no liveness to be told so.
func (f *Func) TotalWithin(file uint8, limit int) bool {
	n := 0
	for v := 1; v < len(f.vals) && n <= limit; v++ {
		if f.File(Value(v)) == file {
			n += f.Size(Value(v))
		}
	}
	return n <= limit
}

// Pressure returns the largest number of units of a file that are live at once.
func Pressure(f *Func, file uint8) int { return ComputeLiveness(f).Pressure(f, file) }

// Pressure is the function Pressure where the liveness of f is known.
func (lv *Liveness) Pressure(f *Func, file uint8) int {
	most, _ := pressure(f, lv, file)
	return most
}

// pressure returns the largest number of units live at once, of all and of low classes.
func pressure(f *Func, lv *Liveness, file uint8) (most, low int) {
	m := meter{f: f, file: file, live: f.mem.live.none(f)}
	for b := range f.Blocks {
		m.n, m.l = 0, 0
		lv.Out[b].Each(m.start)
		m.note()
		l := f.Blocks[b].Instrs
		for i := len(l) - 1; i >= 0; i-- {
			m.instr(l[i])
		}
		lv.In[b].Each(func(v Value) { m.live.Remove(v) })
	}
	return m.most, m.low
}

// meter walks blocks backwards and counts the units of a file that are live.
type meter struct {
	f         *Func
	file      uint8
	live      Set
	n, l      int // live now: all, and those of low classes
	most, low int // the largest of these so far
}

// start makes a value live, at its last use.
func (m *meter) start(v Value) {
	m.live.Add(v)
	m.add(v, 1)
}

func (m *meter) add(v Value, sign int) {
	if m.f.File(v) != m.file {
		return
	}
	m.n += sign * m.f.Size(v)
	if m.f.classes[m.f.Class(v)].Limit != 0 {
		m.l += sign * m.f.Size(v)
	}
}

func (m *meter) note() { m.most, m.low = max(m.most, m.n), max(m.low, m.l) }

// instr goes over an instruction. Its results are live while it runs, even where nothing uses
// them; early ones beside its sources.
func (m *meter) instr(in *Instr) {
	early := false
	for _, d := range in.Defs() {
		if d.Val != 0 && !m.live.Has(d.Val) {
			m.start(d.Val)
		}
		early = early || d.Flags&Early != 0
	}
	m.note()
	if !early {
		m.drop(in.Defs())
	}
	if in.Op != OpPhi {
		for _, u := range in.Uses() {
			if u.Val != 0 && !m.live.Has(u.Val) {
				m.start(u.Val)
			}
		}
	}
	m.note()
	if early {
		m.drop(in.Defs())
	}
}

// drop ends the lives of what an instruction defines.
func (m *meter) drop(defs []Operand) {
	for _, d := range defs {
		if d.Val != 0 && m.live.Has(d.Val) {
			m.live.Remove(d.Val)
			m.add(d.Val, -1)
		}
	}
}

func (s *spiller) mine(v Value) bool { return v != 0 && s.f.File(v) == s.file }

func (s *spiller) findRemat() {
	for b := range s.f.Blocks {
		for _, in := range s.f.Blocks[b].Instrs {
			if in.NDefs != 1 || s.f.Props(in)&PropRemat == 0 {
				continue
			}
			switch uses := in.Uses(); {
			case len(uses) == 0:
				s.remat[in.Ops[0].Val] = in
			case len(uses) == 1 && s.mine(uses[0].Val) && in.Ops[0].Flags&Tied == 0:
				s.rematOf[in.Ops[0].Val] = in
			}
		}
	}
}

// nextUses computes the distance from each block's start to the next use of
// every value live there, until it no longer gets smaller.
func (s *spiller) nextUses() {
	f := s.f
	s.next = make([][]place32, len(f.Blocks))
	for b := range f.Blocks {
		s.lv.In[b].Each(func(v Value) { s.next[b] = append(s.next[b], place32{v, far}) })
	}
	for changed := true; changed; {
		changed = false
		for b := len(f.Blocks) - 1; b >= 0; b-- {
			s.outDistances(BlockID(b))
			s.useDistances(BlockID(b))
			for k := range s.next[b] {
				if d := s.dist[s.next[b][k].v]; d < s.next[b][k].d {
					s.next[b][k].d = d
					changed = true
				}
			}
		}
	}
}

// useDistances puts the first use of each value that the block uses into dist.
func (s *spiller) useDistances(b BlockID) {
	l := s.f.Blocks[b].Instrs
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].Op == OpPhi {
			continue
		}
		for _, u := range l[i].Uses() {
			s.dist[u.Val] = uint32(i)
		}
	}
}

// outDistances sets dist of the values live out of b to the distance from b's start.
func (s *spiller) outDistances(b BlockID) {
	f := s.f
	blk := &f.Blocks[b]
	n := uint32(len(blk.Instrs))
	s.lv.Out[b].Each(func(v Value) { s.dist[v] = far })
	for _, t := range blk.Succs {
		far2 := n
		if f.Blocks[t].LoopDepth < blk.LoopDepth {
			far2 += loopExit
		}
		for _, p := range s.next[t] {
			if p.d < far {
				s.dist[p.v] = min(s.dist[p.v], min(p.d+far2, far-1))
			}
		}
	}
	for _, t := range blk.Succs {
		to := &f.Blocks[t]
		for k, p := range to.Preds {
			if p != b {
				continue
			}
			for _, in := range to.Instrs {
				if in.Op != OpPhi {
					break
				}
				s.dist[in.Uses()[k].Val] = n
			}
		}
	}
}

func (s *spiller) add(v, name Value) {
	s.name[v] = name
	if s.in[v] {
		return
	}
	s.in[v] = true
	s.set = append(s.set, v)
	n := s.f.Size(v)
	s.size += n
	if s.f.classes[s.f.Class(v)].Limit != 0 {
		s.lowSize += n
	}
}

func (s *spiller) drop(v Value) {
	if !s.in[v] {
		return
	}
	s.in[v] = false
	for i, w := range s.set {
		if w == v {
			s.set[i] = s.set[len(s.set)-1]
			s.set = s.set[:len(s.set)-1]
			break
		}
	}
	n := s.f.Size(v)
	s.size -= n
	if s.f.classes[s.f.Class(v)].Limit != 0 {
		s.lowSize -= n
	}
}

func (s *spiller) clear() {
	for _, v := range s.set {
		s.in[v] = false
	}
	s.set, s.size, s.lowSize = s.set[:0], 0, 0
}

// block decides what is in registers at the start of b and walks it.
func (s *spiller) block(b BlockID) error {
	s.clear()
	s.enter(b)
	blk := &s.f.Blocks[b]
	after := s.positions(b)
	s.list = make([]*Instr, 0, len(blk.Instrs)+8)
	k := 0
	for _, in := range blk.Instrs {
		if in.Op == OpPhi {
			if v := in.Ops[0].Val; s.mine(v) && !s.in[v] {
				s.memPhi[v], s.stored[v] = true, true
			}
			s.list = append(s.list, in)
			continue
		}
		if err := s.instr(b, in); err != nil {
			return err
		}
		for _, u := range in.Uses() {
			if s.mine(u.Val) {
				s.dist[s.source(u.Val)] = after[k]
			}
			k++
		}
		s.results(b, in)
	}
	blk.Instrs = s.list
	for _, v := range s.set {
		if s.lv.Out[b].Has(v) {
			s.exit[b] = append(s.exit[b], named{v, s.name[v]})
		}
	}
	sort.Slice(s.exit[b], func(i, j int) bool { return s.exit[b][i].v < s.exit[b][j].v })
	return nil
}

// source maps a reloaded name back to its value.
func (s *spiller) source(v Value) Value {
	for int(v) >= len(s.in) {
		v = s.alias[int(v)-len(s.in)]
	}
	return v
}

// fresh makes a new name of v.
func (s *spiller) fresh(v Value) Value {
	n := s.f.Clone(v)
	for len(s.alias) <= int(n)-len(s.in) {
		s.alias = append(s.alias, 0)
	}
	s.alias[int(n)-len(s.in)] = v
	return n
}

// positions computes, for each use in the block in order, where the same value
// is used next, and sets dist to the first uses.
func (s *spiller) positions(b BlockID) []uint32 {
	s.outDistances(b)
	blk := &s.f.Blocks[b]
	n := 0
	for _, in := range blk.Instrs {
		if in.Op != OpPhi {
			n += len(in.Uses())
		}
		for _, d := range in.Defs() {
			if d.Val != 0 && !s.lv.Out[b].Has(d.Val) {
				s.dist[d.Val] = far
			}
		}
	}
	s.lv.In[b].Each(func(v Value) {
		if !s.lv.Out[b].Has(v) {
			s.dist[v] = far
		}
	})
	after := make([]uint32, n)
	for i := len(blk.Instrs) - 1; i >= 0; i-- {
		in := blk.Instrs[i]
		if in.Op == OpPhi {
			break
		}
		uses := in.Uses()
		n -= len(uses)
		for k, u := range uses {
			after[n+k] = s.dist[u.Val]
		}
		for _, u := range uses {
			s.dist[u.Val] = uint32(i)
		}
	}
	return after
}

// enter chooses the values in registers at the start of b: those that all
// finished predecessors have, then those needed soonest, as many as fit.
func (s *spiller) enter(b BlockID) {
	blk := &s.f.Blocks[b]
	var phis, cand []place32
	pinned := 0
	for _, in := range blk.Instrs {
		if in.Op != OpPhi {
			break
		}
		if v := in.Ops[0].Val; s.mine(v) {
			phis = append(phis, place32{v, 0})
		}
	}
	header := false
	have := map[Value]int{}
	done := 0
	for _, p := range blk.Preds {
		if p >= b {
			header = true
			continue
		}
		done++
		for _, e := range s.exit[p] {
			have[e.v]++
		}
	}
	for _, p := range s.next[b] {
		if !s.mine(p.v) {
			continue
		}
		d := p.d
		switch {
		case s.f.vals[p.v].noSpill:
			d = 0
			pinned++
		case have[p.v] == 0 && !header:
			continue // in memory on every path
		case have[p.v] < done && !header:
			d += loopExit // would cost a reload
		}
		cand = append(cand, place32{p.v, d})
	}
	sort.SliceStable(cand, func(i, j int) bool { return cand[i].d < cand[j].d })
	single := len(blk.Preds) == 1
	for _, l := range [][]place32{cand[:pinned], phis, cand[pinned:]} {
		for _, c := range l {
			if s.fits(c.v) && !(single && have[c.v] == 0) {
				s.add(c.v, c.v)
			}
		}
	}
	s.names(b)
	for _, p := range s.next[b] {
		if s.mine(p.v) && !s.in[p.v] {
			s.stored[p.v] = true
		}
	}
}

func (s *spiller) fits(v Value) bool {
	n := s.f.Size(v)
	return s.size+n <= s.limit && (s.f.classes[s.f.Class(v)].Limit == 0 || s.lowSize+n <= s.low)
}

// instr brings the sources of in into registers, renames them, and makes room for the results.
func (s *spiller) instr(b BlockID, in *Instr) error {
	uses := in.Uses()
	for _, u := range uses {
		if s.mine(u.Val) && !s.in[u.Val] {
			name, err := s.fetch(b, in, u.Val)
			if err != nil {
				return err
			}
			s.add(u.Val, name)
		}
	}
	n, l, early := 0, 0, false
	for _, d := range in.Defs() {
		if s.mine(d.Val) {
			n += s.f.Size(d.Val)
			l += s.lowOf(d.Val)
			early = early || d.Flags&Early != 0
		}
	}
	if !early {
		for i, u := range uses {
			if s.mine(u.Val) && u.Flags&Kill != 0 && firstUse(uses, i) {
				n -= s.f.Size(u.Val)
				l -= s.lowOf(u.Val)
			}
		}
	}
	if err := s.room(b, in, n, l); err != nil {
		return err
	}
	for i := range uses {
		if s.mine(uses[i].Val) {
			uses[i].Val = s.name[uses[i].Val]
		}
	}
	s.list = append(s.list, in)
	return nil
}

func firstUse(uses []Operand, i int) bool {
	for _, u := range uses[:i] {
		if u.Val == uses[i].Val {
			return false
		}
	}
	return true
}

func (s *spiller) lowOf(v Value) int {
	if s.f.classes[s.f.Class(v)].Limit != 0 {
		return s.f.Size(v)
	}
	return 0
}

// results moves the set over in: sources that die leave, results enter.
func (s *spiller) results(b BlockID, in *Instr) {
	for _, u := range in.Uses() {
		if s.mine(u.Val) && u.Flags&Kill != 0 {
			s.drop(s.source(u.Val))
		}
	}
	for _, d := range in.Defs() {
		if s.mine(d.Val) && d.Flags&Dead == 0 {
			s.add(d.Val, d.Val)
		}
	}
}

// room drops the values needed last until n more units fit, l of them low.
func (s *spiller) room(b BlockID, in *Instr, n, l int) error {
	for s.size+n > s.limit || s.lowSize+l > s.low {
		lowOnly := s.size+n <= s.limit
		worst := Value(0)
		for _, v := range s.set {
			if s.f.vals[v].noSpill || lowOnly && s.lowOf(v) == 0 || usesValue(in, v) {
				continue
			}
			if worst == 0 || s.farther(v, worst) {
				worst = v
			}
		}
		if worst == 0 {
			return &OperandsError{b, s.limit}
		}
		s.stored[worst] = true
		s.drop(worst)
	}
	return nil
}

// OperandsError says that what one instruction reads and writes does not fit the units that Spill may fill.
type OperandsError struct {
	Block BlockID
	Units int
}

// Error implements error.
func (e *OperandsError) Error() string {
	return fmt.Sprintf("mach: block %d: the operands of one instruction need more than %d units", e.Block, e.Units)
}

// farther reports whether v is the better one to drop: needed later, or as late
// and cheap to make again; then the larger number, to be the same every time.
func (s *spiller) farther(v, w Value) bool {
	if s.dist[v] != s.dist[w] {
		return s.dist[v] > s.dist[w]
	}
	if (s.remat[v] != nil) != (s.remat[w] != nil) {
		return s.remat[v] != nil
	}
	return v > w
}

func usesValue(in *Instr, v Value) bool {
	for _, u := range in.Uses() {
		if u.Val == v {
			return true
		}
	}
	return false
}

// reload emits the code that makes v again and returns its name.
func (s *spiller) reload(v Value, loc uint32) Value {
	n := s.fresh(v)
	in := s.reloadTo(v, n)
	in.Loc = loc
	s.list = append(s.list, in)
	return n
}

func (s *spiller) reloadTo(v, n Value) *Instr {
	if r := s.remat[v]; r != nil {
		return s.repeat(r, n)
	}
	s.stored[v] = true
	return s.sp.Reload(s.f, n, s.slotOf(v))
}

// repeat is the instruction r with the result n.
func (s *spiller) repeat(r *Instr, n Value) *Instr {
	in := s.f.NewInstr(r.Op, 1, len(r.Uses()))
	in.Flags, in.Aux, in.Ext = r.Flags, r.Aux, r.Ext
	in.Ops[0].Val = n
	return in
}

// fetch brings v, which in uses, into a register: by the instruction that made it, if what that uses is in one, or by a load.
// Where that is what had to go to make room, it goes after this.
func (s *spiller) fetch(b BlockID, in *Instr, v Value) (Value, error) {
	r := s.rematOf[v]
	again := r != nil && s.in[s.source(r.Ops[1].Val)]
	if err := s.room(b, in, s.f.Size(v), s.lowOf(v)); err != nil {
		return 0, err
	}
	if !again {
		return s.reload(v, in.Loc), nil
	}
	n := s.fresh(v)
	sum := s.repeat(r, n)
	sum.Loc, sum.Ops[1] = in.Loc, r.Ops[1]
	sum.Ops[1].Val, sum.Ops[1].Flags = s.name[s.source(r.Ops[1].Val)], r.Ops[1].Flags&^Kill
	s.list = append(s.list, sum)
	return n, nil
}

// slotOf returns the spill slot of v: that of its web, of which no two values are live at once.
func (s *spiller) slotOf(v Value) int {
	if s.slot[v] == 0 {
		slot := &s.slot[v]
		if k := s.webs.of[v]; k >= 0 {
			if s.webSlot[k] == 0 {
				s.webSlot[k] = int32(s.newSlot(v)) + 1
			}
			*slot = s.webSlot[k]
		} else {
			*slot = int32(s.newSlot(v)) + 1
		}
	}
	return int(s.slot[v] - 1)
}

func (s *spiller) newSlot(v Value) int {
	at := (s.f.SpillUnits + 1) &^ 1
	s.f.SpillUnits = at + s.f.Size(v)
	return at
}

// stores puts the stores of dropped values after their definitions.
func (s *spiller) stores() {
	for b := range s.f.Blocks {
		blk := &s.f.Blocks[b]
		var out, late []*Instr
		for i, in := range blk.Instrs {
			out = append(out, in)
			for _, d := range in.Defs() {
				v := d.Val
				if !s.mine(v) || int(v) >= len(s.in) || s.slot[v] == 0 || s.remat[v] != nil || s.memPhi[v] {
					continue
				}
				late = append(late, s.sp.Spill(s.f, v, s.slotOf(v)))
			}
			if in.Op == OpPhi && i+1 < len(blk.Instrs) && blk.Instrs[i+1].Op == OpPhi {
				continue
			}
			out = append(out, late...)
			late = late[:0]
		}
		blk.Instrs = out
	}
}
