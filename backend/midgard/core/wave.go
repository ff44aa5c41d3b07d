package core

import (
	"errors"
	"fmt"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// state is what a thread is at.
type state uint8

const (
	running state = iota
	atQuad        // stands before an instruction that takes derivatives
	atBarrier
	ended
)

// thread is one thread.
type thread struct {
	file [fileSize][2]uint64
	pc   int
	lane int
	state
	helper bool // no side effects
	killed bool // discarded
	tls    []byte
	approx uint64 // Launch.Approx
	flush  flush
	counts bool // IPOPCNT counts each byte for itself (midgard.md §4.3)
	// Checking mode: the bits of the file that hold something, whether a writeout
	// has just been made to wait.
	def    [fileSize][2]uint64
	waited bool
	tile   bool // it is ready
	// late is what slot lateSlot of the bundle at hand reads, which has still to run.
	late     *inputs
	lateSlot int
}

// wave is one wave in flight.
type wave struct {
	p       *program
	l       *emu.Launch
	threads []thread
	driver  *driverMemory // of stages that are none of the hardware
	check   bool
	absent  emu.Absent // what nothing is bound to
	started bool
	garbage emu.Garbage
	order   emu.Garbage    // of what happens in any order
	races   *emu.WaveRaces // nil: nobody looks
	// Checking mode: others are to run now, and how often they did.
	yields bool
	turns  int
	waits  bool // Run has said that the wave stands at a barrier: the next Run goes on after it
	err    error
}

// NewWave makes a wave about to start.
func (p *program) NewWave(l *emu.Launch) emu.Wave {
	if p.raster != nil {
		return &geometryWave{p: p, l: l}
	}
	return &wave{p: p, l: l, check: l.Check, threads: make([]thread, min(l.NumLanes, p.WaveSize()))}
}

// Run executes until the wave ends, stands at a barrier or used up its fuel.
func (w *wave) Run(fuel int) (emu.Status, error) {
	if w.err != nil {
		return emu.StatusDone, w.err
	}
	if !w.started {
		w.started = true
		if err := w.start(); err != nil {
			w.err = fmt.Errorf("midgard core: %w", err)
			return emu.StatusDone, w.err
		}
	}
	for i := range w.threads {
		if w.waits && w.threads[i].state == atBarrier {
			w.threads[i].state = running
		}
	}
	w.waits = false
	n := max(len(w.threads), 1)
	left := fuel * n // of all threads, each of which runs by itself
	for {
		if err := w.runAll(&left); err != nil {
			w.err = err
			return emu.StatusDone, err
		}
		w.l.Ran = (fuel*n - left) / n
		if left <= 0 || w.yields {
			w.yields = false
			return emu.StatusYield, nil
		}
		switch {
		case w.any(atQuad):
			if err := w.meet(); err != nil {
				w.err = err
				return emu.StatusDone, err
			}
		case w.any(atBarrier):
			w.waits = true
			return emu.StatusBarrier, nil
		default:
			return emu.StatusDone, nil
		}
	}
}

// helperFuel bounds what a helper runs between two meetings of the quad: a
// discarded thread may be in a loop that only its end would leave.
const helperFuel = 1 << 16

// runAll runs every thread up to its next meeting point, the helpers after the
// others and only as long as those need them.
func (w *wave) runAll(fuel *int) error {
	needed := false
	for i := range w.threads {
		t := &w.threads[i]
		if t.helper {
			continue
		}
		if err := w.runThread(t, fuel); err != nil {
			return err
		}
		needed = needed || t.state != ended && !t.helper
	}
	for i := range w.threads {
		t := &w.threads[i]
		if !t.helper || t.state == ended || *fuel <= 0 {
			continue
		}
		if !needed {
			w.end(t)
			continue
		}
		n := helperFuel
		if err := w.runThread(t, &n); err != nil {
			return err
		}
		if t.state == running {
			w.end(t)
		}
		*fuel -= helperFuel - n
	}
	return nil
}

func (w *wave) any(s state) bool {
	for i := range w.threads {
		if w.threads[i].state == s {
			return true
		}
	}
	return false
}

// runThread executes bundles of one thread while it is running.
func (w *wave) runThread(t *thread, fuel *int) error {
	for t.state == running && *fuel > 0 && !w.yields {
		b := &w.p.code[t.pc]
		if t.late != nil {
			if err := w.finishLate(t, b); err != nil {
				return w.fail(t, b, err)
			}
			continue
		}
		at := t.pc
		if b.plain && w.runPlain(t, b) {
			w.p.count(at, 1)
			*fuel--
			continue
		}
		if b.Tag.Texture() && w.needsQuad(b) {
			t.state = atQuad
			return nil
		}
		*fuel--
		w.p.count(at, 1)
		if err := w.step(t, b); err != nil {
			return w.fail(t, b, err)
		}
	}
	return nil
}

func (w *wave) fail(t *thread, b *bundle, err error) error {
	return fmt.Errorf("midgard core: bundle at byte %#x, lane %d:\n%s\n%w", b.addr, t.lane, b.Bundle, err)
}

// meet runs the instruction before which the threads with the lowest program
// counter stand.
func (w *wave) meet() error {
	pc := len(w.p.code)
	for i := range w.threads {
		if t := &w.threads[i]; t.state == atQuad {
			pc = min(pc, t.pc)
		}
	}
	b := &w.p.code[pc]
	var group [4]*thread
	for i := range w.threads {
		if t := &w.threads[i]; t.state == atQuad && t.pc == pc {
			group[i&3] = t
		}
	}
	var first *thread
	for _, t := range group {
		if t != nil {
			first = t
			w.p.count(pc, 1)
		}
	}
	if err := w.texture(b, &group); err != nil {
		return w.fail(first, b, err)
	}
	for _, t := range group {
		if t == nil {
			continue
		}
		t.state = running
		if err := w.advance(t, b, b.next); err != nil {
			return w.fail(t, b, err)
		}
	}
	return nil
}

var errNoBundle = errors.New("execution goes on where no bundle of the announced tag is")

// advance sets the program counter.
func (w *wave) advance(t *thread, b *bundle, to int) error {
	switch to {
	case pcEnd:
		w.end(t)
		return nil
	case pcNone:
		return errNoBundle
	}
	t.pc = to
	return nil
}

// step executes one bundle of a thread.
func (w *wave) step(t *thread, b *bundle) error {
	if b.decode != nil {
		return b.decode
	}
	if w.check {
		if err := w.before(t, b); err != nil {
			return err
		}
	}
	switch {
	case b.Tag.ALU():
		return w.stepALU(t, b)
	case b.Tag == isa.TagLdSt:
		// Both slots read their operands before either is performed.
		if err := w.stepLdSt(t, b); err != nil {
			return err
		}
		if t.late != nil {
			return nil
		}
	case b.Tex.Op == isa.TexBarrier:
		if err := w.barrier(t, b); err != nil {
			return err
		}
	default:
		var group [4]*thread
		group[t.lane&3] = t
		if err := w.texture(b, &group); err != nil {
			return err
		}
	}
	return w.advance(t, b, b.next)
}

func (w *wave) barrier(t *thread, b *bundle) error {
	if w.p.meta.Stage != ir.StageCompute {
		return errors.New("a barrier outside of a compute shader is not supported")
	}
	if b.next == pcNone {
		return errNoBundle
	}
	t.state = atBarrier
	return nil
}

func (w *wave) stepALU(t *thread, b *bundle) error {
	t.file[filePCSP][0] = uint64(b.addr)
	if b.bad != nil {
		return b.bad
	}
	w.stage(t, b.alu[:b.stage2])
	w.stage(t, b.alu[b.stage2:])
	to := b.next
	if b.hasBranch {
		taken, err := w.branch(t, b)
		if err != nil {
			return err
		}
		if t.state == ended {
			return nil
		}
		if taken {
			to = b.taken
		}
	}
	return w.advance(t, b, to)
}

// stage runs the instructions of one stage: all read before any writes.
func (w *wave) stage(t *thread, list []inst) {
	switch len(list) {
	case 0:
	case 1:
		w.write(t, &list[0], list[0].eval(t))
	default:
		var res [3][2]uint64
		for i := range list {
			res[i] = list[i].eval(t)
		}
		for i := range list {
			w.write(t, &list[i], res[i])
		}
	}
}

// allFences: a fragment that waits does so until the older ones have retired.
const allFences = 1

// write puts a result into the register file.
func (w *wave) write(t *thread, x *inst, res [2]uint64) {
	r := &t.file[x.reg]
	r[0] = r[0]&^x.mask[0] | res[0]&x.mask[0]
	r[1] = r[1]&^x.mask[1] | res[1]&x.mask[1]
	if w.check {
		t.def[x.reg][0] |= x.mask[0]
		t.def[x.reg][1] |= x.mask[1]
	}
}

// branch decides whether the branch of a bundle is taken.
func (w *wave) branch(t *thread, b *bundle) (bool, error) {
	br := b.branch
	if br.Call > 1 {
		return false, errors.New("calls and returns are not supported")
	}
	always := br.Op == isa.BranchUncond && !b.Has(isa.UnitBranchX) || br.Cond == isa.CondAlways
	taken := always
	if !always {
		switch br.Cond {
		case isa.CondTrue:
			taken = t.file[fileCond][1]>>32 != 0
		case isa.CondFalse:
			taken = t.file[fileCond][1]>>32 == 0
		default:
			return false, fmt.Errorf("the branch condition %s is not supported", br.Cond)
		}
	}
	switch br.Op {
	case isa.BranchUncond, isa.BranchCond:
		return taken, nil
	case isa.BranchDiscard:
		if taken {
			t.killed = true
			w.end(t)
		}
		return false, nil
	case isa.BranchTilebuffer:
		t.tile = w.l.Pixels.Passed(allFences)
		w.yields = !t.tile
		return !t.tile, nil
	case isa.BranchWriteout:
		if !taken {
			return false, nil
		}
		return w.writeout(t, b)
	}
	return false, fmt.Errorf("the branch operation %s is not supported", br.Op)
}

// writeout pushes the pixel out; it reports whether the thread has to wait.
func (w *wave) writeout(t *thread, b *bundle) (bool, error) {
	if w.p.meta.Stage != ir.StageFragment {
		return false, errors.New("a writeout exists in fragment shaders only")
	}
	if w.check && !t.waited && b.taken != pcNone {
		t.waited = true
		return true, nil
	}
	t.waited = false
	if t.helper {
		w.end(t)
		return false, nil
	}
	r0, r1 := t.file[0], t.file[1]
	target := uint32(0)
	if b.wrote[1][1]&mask(32) != 0 {
		target = uint32(r1[1])
	}
	out := &w.l.Out[t.lane]
	m := w.p.meta
	if target&0xff != 0 && target != abi.TargetNone {
		return false, fmt.Errorf("writeout of chunk %d of target %d is not supported", target&0xff, target>>abi.TargetShift)
	}
	if target != abi.TargetNone {
		n := int(target >> abi.TargetShift)
		if n > 7 {
			return false, fmt.Errorf("writeout to render target %d", n)
		}
		v := words(r0)
		if m.Blend != nil {
			if n := w.samples(t); n > 1 && w.check {
				return false, fmt.Errorf("a blend program makes the pixel of one sample, there are %d", n)
			}
			var err error
			if v, err = w.blended(v, r1, b.wrote[1][1]&mask(32) != 0); err != nil {
				return false, err
			}
		}
		out[int(ir.SlotData0)+n] = v
		if m.DualSource {
			out[int(ir.SlotData0)+7] = words(t.file[2])
		}
	}
	if m.WritesDepth && b.wrote[1][0]&mask(32) != 0 {
		out[ir.SlotDepth][0] = uint32(r1[0])
	}
	if m.WritesStencil && b.wrote[1][0]>>32 != 0 {
		out[ir.SlotStencil][0] = uint32(r1[0] >> 32)
	}
	if w.check {
		clear(t.def[:4])
	}
	return false, nil
}

func words(r [2]uint64) emu.Vec4 {
	return emu.Vec4{uint32(r[0]), uint32(r[0] >> 32), uint32(r[1]), uint32(r[1] >> 32)}
}

// end ends a thread.
func (w *wave) end(t *thread) {
	t.state = ended
	if !t.helper && !t.killed {
		w.l.Live.Set(t.lane)
	}
	if w.p.meta.API() == ir.StageTessCtrl {
		w.eachPatchSlot(getSlot)
	}
}
