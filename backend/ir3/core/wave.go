package core

import (
	"fmt"
	"math/bits"
	"slices"

	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// parked is a set of fibers that wait at an address.
type parkedSet struct {
	pc   int
	mask emu.Mask
}

// wave is one wave in flight.
type wave struct {
	p    *program
	l    *emu.Launch
	n    int // lanes that exist
	size int // lanes of a register
	pc   int
	// clock is the counter that is always on: how often this wave has read it.
	clock     uint64
	clockKept bool        // the low word was read last
	clockHigh emu.Garbage // what the high one is otherwise
	next      int         // where to go on

	active emu.Mask // fibers at pc
	exec   emu.Mask // active, restricted by predication
	full   bool     // exec is all lanes
	all    emu.Mask // every lane of the launch
	alive  emu.Mask // not ended
	helper emu.Mask // no side effects: helper or killed
	killed emu.Mask
	noHelp bool // (eq) was executed
	parked []parkedSet

	predMode uint8 // 0 none, 1 true, 2 false
	predMask emu.Mask

	regs    []uint32
	shared  [32]uint32
	preds   [4]emu.Mask
	a0      [emu.MaxLanes]int32
	a1      uint32
	consts  []uint32
	private []byte
	garbage emu.Garbage // what nobody wrote
	order   []int       // by fiber: its invocation in the wave, nil in order
	rt      [32]uint32  // render target components that alias.rt gave
	out     []emu.Slots // outputs by lane
	chain   *chain      // nil of stages without

	// Of a geometry wave: where its threads and invocations start in the
	// launch, which threads emitted a vertex, and the flags of those.
	firstThread, firstPrim int
	emitted                emu.Mask
	flags                  [emu.MaxLanes]uint8

	buf   [3][emu.MaxLanes]uint32
	res   [emu.MaxLanes]uint32
	cache [8]descCache

	check   *checker
	beyond  error // an access that left its buffer against the program's promise
	late    lateness
	races   *emu.WaveRaces
	barrier bool
	started bool
	done    bool
	err     error
}

// NewWave makes a wave about to start.
func (p *program) NewWave(l *emu.Launch) emu.Wave {
	if isGeometry(p) {
		return p.newGeometryWave(l)
	}
	return p.newWave(l, l.NumLanes)
}

// newWave makes a wave of n lanes.
func (p *program) newWave(l *emu.Launch, n int) *wave {
	w := &wave{p: p, l: l, n: n, size: p.size, out: l.Out}
	if r, ok := p.regPool.Get().(*[]uint32); ok {
		w.regs = *r
	} else {
		w.regs = make([]uint32, p.regs*p.size)
	}
	w.consts = make([]uint32, p.meta.ConstLen*4)
	w.poison()
	w.setLanes()
	if l.Check {
		w.check = newChecker(w)
		w.watchRaces()
	}
	return w
}

// poison puts garbage into all that the wave may read before anybody has written it; zeros in
// a lenient run.
func (w *wave) poison() {
	w.garbage = w.l.Garbage()
	w.late.tears = w.garbage.Fork(2)
	g := &w.garbage
	g.Mark("register component", 0, w.size)
	g.FillWords(w.regs)
	if !g.On() {
		return
	}
	g.Mark("shared register component", 0, 1)
	g.FillWords(w.shared[:])
	g.Mark("const component", 0, 1)
	g.FillWords(w.consts)
	g.Mark("render target alias, predicate or address register", 0, 1)
	g.FillWords(w.rt[:])
	for i := range w.preds {
		w.preds[i] = emu.Mask{g.Long(), g.Long()}
	}
	for i := range w.a0 {
		w.a0[i] = int32(g.Word())
	}
	w.a1 = g.Word()
}

func (w *wave) setLanes() {
	for i := 0; i < w.n && i < w.size; i++ {
		w.all.Set(i)
	}
	w.n = min(w.n, w.size)
	w.active, w.alive = w.all, w.all
	if w.p.meta.Stage == ir.StageFragment {
		for i := range min(w.n, len(w.l.Fragment)) { // start refuses a launch that lacks some
			if w.l.Fragment[i].Helper {
				w.helper.Set(i)
			}
		}
	}
	w.remask()
}

// remask recomputes the execution mask after active or the predication
// changed.
func (w *wave) remask() {
	w.exec = w.active
	switch w.predMode {
	case 1:
		w.exec[0] &= w.predMask[0]
		w.exec[1] &= w.predMask[1]
	case 2:
		w.exec[0] &^= w.predMask[0]
		w.exec[1] &^= w.predMask[1]
	}
	w.full = w.exec == w.all
}

// begin starts the wave when it runs for the first time.
func (w *wave) begin() error {
	if w.err != nil || w.started {
		return w.err
	}
	w.started = true
	if err := w.start(); err != nil {
		_, err = w.fail(err)
		return err
	}
	w.done = !w.active.Any()
	return nil
}

// Run executes until the wave ends, meets a barrier or used up its fuel.
func (w *wave) Run(fuel int) (emu.Status, error) {
	if err := w.begin(); err != nil {
		return emu.StatusDone, err
	}
	w.turn()
	code, given := w.p.code, fuel
	for ; fuel > 0; fuel-- {
		if w.done {
			w.l.Ran = given - fuel
			w.release()
			return emu.StatusDone, nil
		}
		if uint(w.pc) >= uint(len(code)) {
			w.err = fmt.Errorf("ir3 core: execution leaves the code at pc %d", w.pc)
			return emu.StatusDone, w.err
		}
		x := &code[w.pc]
		if len(w.parked) > 0 && w.parked[0].pc == w.pc {
			if err := w.merge(x); err != nil {
				return w.fail(err)
			}
		}
		if w.check != nil {
			w.arrive(x.Flags)
			if err := w.check.before(w, x); err != nil {
				return w.fail(err)
			}
		}
		if w.p.counts != nil {
			w.p.counts[w.pc].Add(bits.OnesCount64(w.exec[0]) + bits.OnesCount64(w.exec[1]))
		}
		w.next = w.pc + 1
		if err := x.exec(w, x); err != nil {
			return w.fail(err)
		}
		if w.beyond != nil {
			return w.fail(w.beyond)
		}
		if w.check != nil {
			w.check.after(w, x)
		}
		w.pc = w.next
		if w.barrier {
			w.barrier = false
			w.l.Ran = given - fuel + 1
			return emu.StatusBarrier, nil
		}
	}
	if w.done {
		w.l.Ran = given
		w.release()
		return emu.StatusDone, nil
	}
	return emu.StatusYield, nil
}

// release hands what an ended wave left to the next stage, and its storage to
// the next wave.
func (w *wave) release() {
	w.landAll()
	w.late = lateness{}
	w.endChain()
	w.chain = nil
	if w.regs != nil {
		regs := w.regs
		w.p.regPool.Put(&regs)
		w.regs = nil
	}
	if w.check != nil {
		w.p.checkPool.Put(w.check)
		w.check = nil
	}
}

func (w *wave) fail(err error) (emu.Status, error) {
	text := ""
	if w.pc >= 0 && w.pc < len(w.p.code) {
		text = w.p.code[w.pc].Text(w.p.meta.Gen)
	}
	w.err = fmt.Errorf("ir3 core: pc %d: %s: %w", w.pc, text, err)
	return emu.StatusDone, w.err
}

// merge wakes the fibers parked at pc.
func (w *wave) merge(x *inst) error {
	if x.Flags&isa.JP == 0 {
		return fmt.Errorf("fibers are parked here, but the instruction has no (jp)")
	}
	p := w.parked[0]
	w.parked = w.parked[:copy(w.parked, w.parked[1:])]
	w.active[0] |= p.mask[0]
	w.active[1] |= p.mask[1]
	w.remask()
	return nil
}

// park lets fibers wait at pc.
func (w *wave) park(pc int, m emu.Mask) {
	i, found := slices.BinarySearchFunc(w.parked, pc, func(p parkedSet, pc int) int { return p.pc - pc })
	if found {
		w.parked[i].mask[0] |= m[0]
		w.parked[i].mask[1] |= m[1]
		return
	}
	w.parked = slices.Insert(w.parked, i, parkedSet{pc, m})
}

// resume goes on at pc, or at the lowest address where fibers wait if that
// comes first; then the active fibers park at pc.
func (w *wave) resume(pc int) {
	if len(w.parked) > 0 && (w.parked[0].pc < pc || !w.active.Any()) {
		if w.active.Any() {
			w.park(pc, w.active)
		}
		pc = w.parked[0].pc
		w.active = emu.Mask{} // merge adds the waiting ones
	} else if !w.active.Any() {
		w.done = true
	}
	w.next = pc
	w.remask()
}

// split sends the taken fibers to pc and the others to the next instruction.
func (w *wave) split(taken emu.Mask, pc int) {
	rest := andNot(w.active, taken)
	switch {
	case !taken.Any():
		return
	case !rest.Any():
		w.resume(pc)
	case pc <= w.pc:
		w.park(w.pc+1, rest)
		w.active = taken
		w.resume(pc)
	default:
		w.park(pc, taken)
		w.active = rest
		w.resume(w.pc + 1)
	}
}

func andNot(a, b emu.Mask) emu.Mask { return emu.Mask{a[0] &^ b[0], a[1] &^ b[1]} }
func and(a, b emu.Mask) emu.Mask    { return emu.Mask{a[0] & b[0], a[1] & b[1]} }
func or(a, b emu.Mask) emu.Mask     { return emu.Mask{a[0] | b[0], a[1] | b[1]} }
