package mach

import (
	"fmt"

	"nirc/internal/slab"
)

const maxFiles = 8

// AllocOptions steer the allocator.
type AllocOptions struct {
	// Target bounds the units of each file that are used as long as they last;
	// 0 is no bound below the file's size.
	Target [maxFiles]int
	// Room bounds the units of each file that values use, above the target, rather than places that merge sets would
	// like to have; 0 is none above the target.
	Room [maxFiles]int
	// Bound, where it is not 0, bounds the units of each file as far as moving other values makes room below it.
	Bound [maxFiles]int
	// RoundRobin walks through the registers below the target instead of taking
	// the lowest free one, which leaves the scheduler more freedom.
	RoundRobin bool
	// MergeSets places values that belong together (vectors and pieces, phis and
	// sources, Groups) as a whole.
	MergeSets bool
	// Groups are runs of values that would like consecutive registers.
	Groups [][]Value
	// InPlace are members of merge sets that would like the registers of sources that are members, too.
	InPlace []InPlace
	// Placed, if not nil, are the registers by value that hold for a value's whole
	// life, from PlaceFile; NoReg of those that are still to be allocated. Of a file all are placed or none.
	Placed []Reg
	// PassWishes lets values wish for the fixed registers that operations take them to, and keeps others away
	// from what is wished for. That saves moves and may cost registers.
	PassWishes bool
	// Live, if not nil, is the liveness of f as it is.
	Live *Liveness
}

// Allocation says what the allocator did.
type Allocation struct {
	// Used is the highest unit in use plus 1, by file.
	Used [maxFiles]int
	// Copies counts the values that had to be moved to make room or to bring
	// predecessors of a block into line.
	Copies int
}

// PressureError says that the values live at one place do not fit a file.
type PressureError struct {
	Block BlockID
	File  string
}

// Error implements error.
func (e *PressureError) Error() string {
	return fmt.Sprintf("mach: values live in block %d do not fit register file %s", e.Block, e.File)
}

// place is where a value is.
type place struct {
	v Value
	r Reg
}

// collectHint is the allocator's wish for the registers of a collect.
type collectHint struct {
	def  Value
	base Reg
}

// allocator walks the blocks in order (a walk over the dominator tree, as
// blocks come after their dominators) and keeps where each live value is.
// Values may move: a copy before an instruction makes room, and at block ends
// copies bring every predecessor into line with the first one.
type allocator struct {
	f     *Func
	opts  AllocOptions
	lv    *Liveness
	reg   []Reg // by value: where it is now
	files []fileState

	before  [][]*Instr // by block: what it consists of before allocation
	in, out [][]place  // by block, pieces of store
	store   []place
	done    []bool

	sets     *mergeSets // nil unless wanted
	lives    *mergeSets // where values are defined and read, nil where nobody asks
	coming   []coming
	now      int32 // the current instruction, where lives counts them
	collects []collectHint
	collOf   []int32 // by value: the collect it is a piece of, or -1
	collOff  []uint8
	phiOf    []Value // by value: a phi it goes into
	phiHint  []Reg   // by phi
	wish     []Reg   // by value: the register that a parallel copy wants it in
	passed   []bool  // by value: the wish is that of an operation that it dies at
	low      []Reg   // by value: the units that its pieces are bound to, 0 all

	origin []place // values moved before the current instruction, and from where
	killed []Value
	block  BlockID
	copies int
	cur    *Instr   // the current instruction, nil among phis
	list   []*Instr // the block's new instructions
	lines  []lineup
}

// Allocate gives every operand of f a register. Tied operands must have been
// through LowerTied, critical edges into blocks with phis or from blocks with
// several live places must be split. Copies that become necessary are OpPcopy
// instructions; OpCollect, OpSplit and OpCopy stay for LowerCopies. The error
// is a *PressureError where spilling would help.
func Allocate(f *Func, opts AllocOptions) (*Allocation, error) {
	a := newAllocator(f, opts)
	a.before = a.before[:0]
	for b := range f.Blocks {
		a.before = append(a.before, f.Blocks[b].Instrs)
	}
	for b := range f.Blocks {
		if err := a.doBlock(BlockID(b)); err != nil {
			return nil, err
		}
	}
	if err := a.resolve(); err != nil {
		return nil, err
	}
	a.opts, a.lv, a.sets, a.lives, a.list = AllocOptions{}, nil, nil, nil, nil
	res := &Allocation{Copies: a.copies}
	for i := range a.files {
		res.Used[i] = a.files[i].used
	}
	return res, nil
}

// Unallocate gives the blocks the instructions that they had before Allocate, which may follow again.
func (f *Func) Unallocate() {
	for b, list := range f.mem.alloc.before {
		f.Blocks[b].Instrs = list
	}
}

func newAllocator(f *Func, opts AllocOptions) *allocator {
	n := len(f.vals)
	if opts.Live == nil {
		opts.Live = ComputeLiveness(f)
	}
	a := &f.mem.alloc
	a.f, a.opts, a.lv, a.sets, a.lives, a.cur, a.copies = f, opts, opts.Live, nil, nil, nil, 0
	a.tables(n, len(f.Blocks))
	copy(a.reg, opts.Placed)
	a.findHints()
	a.spreadWishes()
	switch {
	case opts.MergeSets:
		a.sets = buildSets(f, a.lv, -1, opts.Groups, opts.InPlace)
		a.sets.finish()
		a.sets.lower(a.low)
		a.lives = a.sets
	case opts.PassWishes:
		a.lives = phiSets(f, a.lv, -1)
	}
	if a.lives != nil {
		a.listComing()
		a.findLasts()
	}
	return a
}

// tables makes room for n values and the files, as empty as at the start.
func (a *allocator) tables(n, blocks int) {
	f := a.f
	a.reg, a.phiHint, a.wish = slab.Resized(a.reg, n), slab.Resized(a.phiHint, n), slab.Resized(a.wish, n)
	a.collOf, a.collOff = slab.Resized(a.collOf, n), slab.Zeroed(a.collOff, n)
	a.phiOf, a.low, a.passed = slab.Zeroed(a.phiOf, n), slab.Zeroed(a.low, n), slab.Zeroed(a.passed, n)
	for i := range n {
		a.reg[i], a.phiHint[i], a.wish[i], a.collOf[i] = NoReg, NoReg, NoReg, -1
	}
	a.in, a.out, a.done = slab.Zeroed(a.in, blocks), slab.Zeroed(a.out, blocks), slab.Zeroed(a.done, blocks)
	a.store, a.collects = a.store[:0], a.collects[:0]
	a.files = slab.Resized(a.files, len(f.files))
	for i := range a.files {
		n := f.files[i].Units
		a.files[i] = fileState{val: slab.Zeroed(a.files[i].val, n), next: a.files[i].next}
	}
}

// spreadWishes carries the wishes of parallel copies back to vectors that
// pieces are split from, to sources of copies, phis and collects.
func (a *allocator) spreadWishes() {
	for b := len(a.f.Blocks) - 1; b >= 0; b-- {
		l := a.f.Blocks[b].Instrs
		for i := len(l) - 1; i >= 0; i-- {
			switch in := l[i]; in.Op {
			case OpSplit:
				a.wishWhole(in)
			case OpCopy, OpPhi, OpCollect:
				a.wishSources(in)
			default:
				if a.opts.PassWishes {
					a.wishSame(in)
				}
			}
		}
	}
}

// wishWhole lets what is split wish to be where its parts wish to be.
func (a *allocator) wishWhole(in *Instr) {
	for k, d := range in.Defs() {
		if d.Val != 0 && a.wish[d.Val] != NoReg {
			a.want(in.Uses()[0].Val, int(a.wish[d.Val])-k*a.f.Size(d.Val))
		}
	}
}

// wishSources lets the sources of a copy, phi or collect wish to be where the result does.
func (a *allocator) wishSources(in *Instr) {
	w := a.wish[in.Ops[0].Val]
	if w == NoReg {
		return
	}
	for _, u := range in.Uses() {
		a.want(u.Val, int(w))
		if in.Op == OpCollect {
			w += Reg(a.f.Size(u.Val))
		}
	}
}

// wishSame lets a source that dies wish to be where the result does, which takes its place.
func (a *allocator) wishSame(in *Instr) {
	if in.Op < FirstTargetOp || in.NDefs != 1 || a.wish[in.Ops[0].Val] == NoReg {
		return
	}
	d := in.Ops[0].Val
	for _, u := range in.Uses() {
		if u.Flags&Kill != 0 && a.f.Class(u.Val) == a.f.Class(d) && a.f.Size(u.Val) == a.f.Size(d) && a.wish[u.Val] == NoReg {
			a.want(u.Val, int(a.wish[d]))
			a.passed[u.Val] = true
			return
		}
	}
}

// want notes that v would like to be at r, unless it has a wish.
func (a *allocator) want(v Value, r int) {
	if v != 0 && r >= 0 && a.wish[v] == NoReg {
		a.wish[v] = Reg(r)
	}
}

// findHints notes which values would like to be where: pieces of collects in
// line, sources of phis in the phi's register.
func (a *allocator) findHints() {
	for b := range a.f.Blocks {
		for _, in := range a.f.Blocks[b].Instrs {
			switch in.Op {
			case OpPhi:
				a.notePhi(in)
			case OpPcopy:
				a.noteFixed(in)
			case OpSplit:
				for _, d := range in.Defs() {
					a.bindLow(in.Uses()[0].Val, d.Val)
				}
			case OpCollect:
				a.noteCollect(in)
			}
		}
	}
}

// notePhi notes which phi its sources go to.
func (a *allocator) notePhi(in *Instr) {
	for _, u := range in.Uses() {
		if u.Val != 0 {
			a.phiOf[u.Val] = in.Ops[0].Val
		}
	}
}

// noteFixed lets the values that go to fixed registers wish for them, of several for the lowest: vectors that they are parts of
// reach beyond it.
func (a *allocator) noteFixed(in *Instr) {
	for i, d := range in.Defs() {
		if v := in.Uses()[i].Val; v != 0 && d.Flags&Fixed != 0 && (a.wish[v] == NoReg || d.Reg < a.wish[v]) {
			a.wish[v] = d.Reg
		}
	}
}

// noteCollect notes where in the collected value each part goes; the first collect of a
// part counts.
func (a *allocator) noteCollect(in *Instr) {
	a.collects = append(a.collects, collectHint{in.Ops[0].Val, NoReg})
	off := 0
	for _, u := range in.Uses() {
		a.bindLow(in.Ops[0].Val, u.Val)
		if u.Val != 0 && a.collOf[u.Val] < 0 {
			a.collOf[u.Val] = int32(len(a.collects) - 1)
			a.collOff[u.Val] = uint8(off)
		}
		off += a.f.Size(u.Val)
	}
}

// bindLow notes that v should stay among the units that its piece is bound to,
// where copies between them are cheap.
func (a *allocator) bindLow(v, piece Value) {
	if v == 0 || piece == 0 || a.f.File(v) != a.f.File(piece) {
		return
	}
	if l := a.f.limit(a.f.Class(piece)); l < a.f.limit(a.f.Class(v)) {
		a.low[v] = Reg(l)
	}
}

// isPlaced reports whether v has one register for all its life.
func (a *allocator) isPlaced(v Value) bool {
	return a.opts.Placed != nil && a.opts.Placed[v] != NoReg
}

func (a *allocator) file(v Value) *fileState { return &a.files[a.f.File(v)] }

func (a *allocator) put(v Value, r Reg) {
	a.file(v).take(v, int(r), a.f.Size(v))
	a.reg[v] = r
}

// move records that v changes its register before the current instruction.
func (a *allocator) move(v Value, r Reg) {
	for i := range a.origin {
		if a.origin[i].v == v {
			a.reg[v] = r
			return
		}
	}
	a.origin = append(a.origin, place{v, a.reg[v]})
	a.reg[v] = r
}

func (a *allocator) doBlock(b BlockID) error {
	blk := &a.f.Blocks[b]
	a.block = b
	for i := range a.files {
		a.files[i].reset()
	}
	if err := a.enter(b); err != nil {
		return err
	}
	a.list = a.f.mem.room(len(blk.Instrs) + 4)
	if a.lives != nil {
		a.now = a.lives.start[b]
	}
	n, err := a.phis(blk)
	if err != nil {
		return err
	}
	a.in[b] = a.places(a.lv.In[b])
	a.now += int32(n)
	for _, in := range blk.Instrs[n:] {
		if err := a.instr(in); err != nil {
			return err
		}
		a.now++
	}
	blk.Instrs = a.list
	a.out[b] = a.places(a.lv.Out[b])
	a.done[b] = true
	return nil
}

// places notes where the values of a set are that may move.
func (a *allocator) places(live Live) []place {
	first := len(a.store)
	for _, v := range live {
		if !a.isPlaced(v) {
			a.store = append(a.store, place{v, a.reg[v]})
		}
	}
	return a.store[first:len(a.store):len(a.store)]
}

// enter places the live-in values as the first finished predecessor left them.
func (a *allocator) enter(b BlockID) error {
	for _, p := range a.f.Blocks[b].Preds {
		if !a.done[p] {
			continue
		}
		for _, pl := range a.out[p] {
			a.reg[pl.v] = pl.r
			if a.lv.In[b].Has(pl.v) {
				a.put(pl.v, pl.r)
			}
		}
		return nil
	}
	var err error
	a.lv.In[b].Each(func(v Value) {
		if err == nil && !a.isPlaced(v) {
			err = fmt.Errorf("mach: value %d is live into block %d, which no block before it leads to", v, b)
		}
	})
	return err
}

// phis places the results of the block's phis and returns their number.
func (a *allocator) phis(blk *Block) (int, error) {
	n := 0
	a.origin, a.killed, a.cur = a.origin[:0], a.killed[:0], nil
	for n < len(blk.Instrs) && blk.Instrs[n].Op == OpPhi {
		in := blk.Instrs[n]
		n++
		a.list = append(a.list, in)
		v := in.Ops[0].Val
		if a.isPlaced(v) {
			continue
		}
		r, ok := a.pickPhi(in, v)
		if !ok {
			if r, ok = a.evict(v, -1); !ok {
				if err := a.compact(in); err != nil {
					return n, err
				}
				r = a.reg[v]
			}
		}
		a.put(v, r)
		a.placed(v)
		a.hintPhi(v)
	}
	for _, in := range blk.Instrs[:n] {
		v := in.Ops[0].Val
		in.Ops[0].Reg = a.reg[v]
		if in.Ops[0].Flags&Dead != 0 && !a.isPlaced(v) {
			a.file(v).release(int(a.reg[v]), a.f.Size(v))
		}
	}
	// Values that had to give way were never where they were before: the
	// predecessors bring them to their new places.
	a.origin = a.origin[:0]
	return n, nil
}

func (a *allocator) pickPhi(in *Instr, v Value) (Reg, bool) {
	if r, ok := a.pickSet(v); ok {
		return r, true
	}
	if a.phiHint[v] != NoReg && a.fits(v, int(a.phiHint[v])) {
		return a.phiHint[v], true
	}
	if a.wish[v] != NoReg && a.fits(v, int(a.wish[v])) {
		return a.wish[v], true
	}
	for _, u := range in.Uses() {
		if u.Val != 0 && a.reg[u.Val] != NoReg && !a.lv.In[a.block].Has(u.Val) && a.fits(v, int(a.reg[u.Val])) {
			return a.reg[u.Val], true
		}
	}
	return a.pick(in, v)
}

func (a *allocator) hintPhi(v Value) {
	r := a.reg[v]
	if a.phiHint[v] == NoReg {
		a.phiHint[v] = r
	}
	if p := a.phiOf[v]; p != 0 && a.phiHint[p] == NoReg {
		a.phiHint[p] = r
	}
}

// fits reports whether v may be put at unit r now.
func (a *allocator) fits(v Value, r int) bool {
	c := &a.f.classes[a.f.Class(v)]
	n := a.f.Size(v)
	return r >= a.f.floors[c.File] && r&(int(c.Align)-1) == 0 && r+n <= a.f.limit(a.f.Class(v)) && a.file(v).free(r, n)
}

// pick chooses a register for v, a result of in, without moving anything.
func (a *allocator) pick(in *Instr, v Value) (Reg, bool) {
	if r, ok := a.pickHint(in, v); ok {
		return r, true
	}
	r := a.findLow(a.f.Class(v), a.f.Size(v), a.low[v], a.last(v))
	return Reg(r), r >= 0
}

// findLow is findGap for what should stay among the first low units, if low is not 0.
func (a *allocator) findLow(class uint8, n int, low Reg, last int32) int {
	c := &a.f.classes[class]
	if low != 0 {
		if r := a.findGap(c, n, int(low), last); r >= 0 {
			return r
		}
	}
	return a.findGap(c, n, a.f.limit(class), last)
}

// findGap searches the file below the target, then above, for what is read for the last time by instruction last.
func (a *allocator) findGap(c *Class, n, limit int, last int32) int {
	fs, floor := &a.files[c.File], a.f.floors[c.File]
	to := limit
	if t := a.opts.Target[c.File]; t != 0 {
		to = min(t, limit)
	}
	if a.opts.RoundRobin {
		if r := a.ownGap(fs, n, int(c.Align), max(fs.after, floor), to, last); r >= 0 {
			fs.after = r + n
			return r
		}
	}
	r := a.ownGap(fs, n, int(c.Align), floor, to, last)
	if room := min(a.opts.Room[c.File], limit); r < 0 && a.lives != nil && room > to {
		r = a.ownGap(fs, n, int(c.Align), max(floor, to-n), room, last)
	}
	if r < 0 && a.lives != nil {
		r = gap(&fs.busy, nil, n, int(c.Align), floor, to)
	}
	if r >= 0 {
		fs.after = r + n
	} else if to < limit {
		r = gap(&fs.busy, nil, n, int(c.Align), max(floor, to-n), limit)
	}
	return r
}

func (a *allocator) pickHint(in *Instr, v Value) (Reg, bool) {
	// A piece that an operation takes to its place need not be moved there.
	if a.wish[v] != NoReg && !(in.Op == OpSplit && a.passed[v]) && a.fits(v, int(a.wish[v])) {
		return a.wish[v], true
	}
	if r, ok := a.pickSet(v); ok {
		return r, true
	}
	if k := a.collOf[v]; k >= 0 && (a.sets == nil || a.f.Class(v) != a.f.Class(a.collects[k].def)) {
		// Sets hold values of one class.
		h := &a.collects[k]
		if h.base == NoReg || !a.fits(v, int(h.base)+int(a.collOff[v])) {
			// A new place if the first one has been taken: the last piece decides.
			if r := a.findLow(a.f.Class(h.def), a.f.Size(h.def), a.low[h.def], a.last(h.def)); r >= 0 {
				h.base = Reg(r)
			}
		}
		if h.base != NoReg && a.fits(v, int(h.base)+int(a.collOff[v])) {
			return h.base + Reg(a.collOff[v]), true
		}
	}
	if p := a.phiOf[v]; p != 0 && a.phiHint[p] != NoReg && a.fits(v, int(a.phiHint[p])) {
		return a.phiHint[p], true
	}
	return a.pickFromUses(in, v)
}

// pickFromUses tries the registers of sources: in line for splits, collects
// and copies, those that die here for the rest.
func (a *allocator) pickFromUses(in *Instr, v Value) (Reg, bool) {
	try := func(r int) (Reg, bool) { return Reg(r), a.fits(v, r) }
	uses := in.Uses()
	switch in.Op {
	case OpPhi:
		return NoReg, false
	case OpSplit:
		for k := range in.Defs() {
			if in.Ops[k].Val == v {
				return try(int(a.reg[uses[0].Val]) + k*a.f.Size(v))
			}
		}
	case OpCollect:
		off := 0
		for _, u := range uses {
			if u.Val != 0 {
				if r, ok := try(int(a.reg[u.Val]) - off); ok {
					return r, true
				}
			}
			off += a.f.Size(u.Val)
		}
		return NoReg, false
	}
	for _, u := range uses {
		if u.Flags&Kill != 0 && a.f.Class(u.Val) == a.f.Class(v) && a.f.Size(u.Val) == a.f.Size(v) {
			if r, ok := try(int(a.reg[u.Val])); ok && (a.lives == nil || a.wanted(a.file(v), int(r), a.f.Size(v), a.last(v)) < 0) {
				return r, true
			}
		}
	}
	return NoReg, false
}
