package core

import (
	"fmt"
	"math/bits"

	"nirc/backend/agx/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// registers is the storage of a wave, reused by later ones.
type registers struct {
	regs [numRegs]vec
	unis [numUnis]uint32
	// Scratch of one instruction.
	buf       [6]vec
	res, res2 vec
}

// wave is one SIMD-group in flight.
type wave struct {
	*registers
	p    *program
	l    *emu.Launch
	n    int    // lanes that exist
	at   int    // index of the instruction
	next int    // where to go on
	exec uint32 // execution mask
	// residency is the code of the texels that a lane has read.
	residency uint32
	all       uint32 // lanes that exist

	preamble bool
	// empty: it has no lanes, and ends after the preamble, which runs as if there were one.
	empty   bool
	started bool
	done    bool
	barrier bool
	yields  bool // others are to run first
	err     error
	fault   error // what the running instruction did that hardware punishes

	stack    []byte // scratch, lane after lane
	frames   []frame
	stackTop int // words a lane

	images  []*emu.ImageView // those that have addresses
	absent  emu.Absent       // what nothing is bound to
	lacking error            // of the last image whose address was asked for, that nothing is bound to it
	record  []uint32         // words of the vertices' records, lane after lane
	words   *abi.Words       // where the driver places varyings, once it is asked for
	frag    *fragState
	fetches *[ir.NumAttribSlots]fetch // vertex buffers, once they are asked for
	check   *checker
	grid    *gridWave // of a vertex shader that runs as compute
	driver  *driverMemory
}

// NewWave makes a wave about to start.
func (p *program) NewWave(l *emu.Launch) emu.Wave {
	switch p.api {
	case ir.StageTessCtrl, ir.StageTessEval:
		return &tessWaves{p: p, l: l}
	case ir.StageGeometry:
		return &geometryWaves{p: p, l: l}
	}
	w := p.newWave(l)
	if p.meta.Next != ir.StageNone {
		w.ownGrid()
	}
	return w
}

func (p *program) newWave(l *emu.Launch) *wave {
	w := &wave{p: p, l: l, n: min(l.NumLanes, lanes)}
	r, ok := p.pool.Get().(*registers)
	if !ok {
		r = new(registers)
	}
	w.registers = r
	if w.n > 0 {
		w.all = ^uint32(0) >> (lanes - w.n)
	}
	if l.Check {
		w.check = newChecker(p)
	}
	return w
}

// Run executes until the wave ends, meets a barrier or used up its fuel.
func (w *wave) Run(fuel int) (emu.Status, error) {
	if w.err != nil {
		return emu.StatusDone, w.err
	}
	if !w.started {
		w.started = true
		if err := w.start(); err != nil {
			w.err = fmt.Errorf("agx core: %w", err)
			return emu.StatusDone, w.err
		}
	}
	code, given := w.p.code, fuel
	for ; fuel > 0 && !w.done; fuel-- {
		x := &code[w.at]
		if w.check != nil {
			if err := w.check.before(w, x); err != nil {
				return w.fail(x, err)
			}
		}
		if w.p.counts != nil {
			w.p.counts[w.at].Add(bits.OnesCount32(w.exec))
		}
		w.next = w.at + 1
		if err := x.exec(w, x); err != nil {
			return w.fail(x, err)
		}
		if w.check != nil {
			if w.fault != nil {
				return w.fail(x, w.fault)
			}
			w.check.after(w, x)
		}
		w.at = w.next
		if w.barrier {
			w.barrier = false
			w.l.Ran = given - fuel + 1
			return emu.StatusBarrier, nil
		}
		if w.yields {
			w.yields = false
			return emu.StatusYield, nil
		}
	}
	if !w.done {
		return emu.StatusYield, nil
	}
	w.l.Ran = given - fuel
	w.release()
	return emu.StatusDone, nil
}

// part runs a wave that is a part of one that l launched, which has run ran instructions of its fuel.
func (w *wave) part(l *emu.Launch, fuel int, ran *int) (emu.Status, error) {
	if *ran >= fuel {
		return emu.StatusYield, nil
	}
	st, err := w.Run(fuel - *ran)
	*ran += w.l.Ran
	l.Ran = *ran
	return st, err
}

// release hands the storage of an ended wave to the next one.
func (w *wave) release() {
	if w.registers != nil {
		w.p.pool.Put(w.registers)
		w.registers = nil
	}
	if w.check != nil {
		w.p.checkPool.Put(w.check)
		w.check = nil
	}
}

func (w *wave) fail(x *inst, err error) (emu.Status, error) {
	text, where := "", ""
	if x.err == nil && x.Op != 0 {
		text = x.Text() + ": "
	}
	if w.preamble {
		where = "preamble, "
	}
	w.err = fmt.Errorf("agx core: %spc %#x: %s%w", where, x.pc, text, err)
	return emu.StatusDone, w.err
}
