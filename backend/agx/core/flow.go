package core

import (
	"errors"
	"fmt"

	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

var errKill = errors.New("ending helper invocations early is not supported")

// execNest runs the instructions that change the nesting counter r0l and set
// the execution mask by it (agx.md §6.1). They work on all lanes.
func execNest(w *wave, x *inst) error {
	var c uint32
	k := uint32(x.Nest)
	if x.nsrc > 0 {
		c = w.compare(x)
	}
	r := &w.regs[0]
	exec := uint32(0)
	for i := range r {
		v := r[i] & 0xffff
		hold := ^c >> i & 1 // 1 where the comparison fails
		switch {
		case x.nest == nestPop:
			v -= min(v, k)
		case x.nest == nestIf && v != 0:
			v = (v + k) & 0xffff
		case x.nest == nestElse && v == 0:
			v = k
		case x.nest == nestIf, x.nest == nestElse && v == 1:
			v = hold
		case x.nest == nestWhile && v < k:
			v = hold * k
		}
		r[i] = r[i]&0xffff0000 | v
		if v == 0 {
			exec |= 1 << i
		}
	}
	w.exec = exec & w.all
	return nil
}

// nestKind is what an instruction does to the nesting counter.
type nestKind uint8

const (
	nestPop nestKind = iota
	nestIf
	nestElse
	nestWhile
)

func nestOf(op isa.Op) nestKind {
	switch op {
	case isa.OpIfIcmp, isa.OpIfFcmp:
		return nestIf
	case isa.OpElseIcmp, isa.OpElseFcmp:
		return nestElse
	case isa.OpWhileIcmp, isa.OpWhileFcmp:
		return nestWhile
	}
	return nestPop
}

func execJump(w *wave, x *inst) error {
	any := w.exec != 0
	if x.Op == isa.OpCall {
		for i := range w.res {
			w.res[i] = uint32(x.pc + int(x.n))
		}
		w.put(dst{num: 1, bits: 32}, &w.res)
	} else if any == (x.Op == isa.OpJmpExecNone) {
		return nil
	}
	if x.target < 0 {
		return errors.New("the branch goes where no instruction starts")
	}
	w.next = int(x.target)
	return nil
}

func execStop(w *wave, _ *inst) error {
	if w.check != nil && w.p.trapsAfter(w.at) < fetchedAhead {
		return fmt.Errorf("%d traps follow, and %d instructions are fetched ahead", w.p.trapsAfter(w.at), fetchedAhead)
	}
	if w.preamble {
		return w.endPreamble()
	}
	w.done = true
	return w.finish()
}

// fetchedAhead is how many instructions after the last one hardware may look at (agx.md §10.3).
const fetchedAhead = 8

// trapsAfter counts the traps right after an instruction.
func (p *program) trapsAfter(at int) (n int) {
	for _, x := range p.code[at+1:] {
		if x.Op != isa.OpTrap || n == fetchedAhead {
			break
		}
		n++
	}
	return n
}

func execTrap(*wave, *inst) error { return errors.New("a trap is executed") }

func execBarrier(w *wave, _ *inst) error {
	if w.preamble {
		return errors.New("there are no barriers in a preamble")
	}
	w.barrier = w.p.meta.Stage == ir.StageCompute
	return nil
}

func execIdle(*wave, *inst) error { return nil }

// endPreamble goes on with the main program: only uniforms stay.
func (w *wave) endPreamble() error {
	w.preamble = false
	if w.empty {
		w.done = true
		return nil
	}
	w.next = w.p.entry
	w.clearRegs()
	w.frames, w.stackTop = w.frames[:0], 0
	w.exec = w.all
	if w.check != nil {
		w.check.reset(w)
	}
	return w.startRegs()
}

// finish hands the results to emu.
func (w *wave) finish() error {
	l := w.l
	if w.p.meta.Stage == ir.StageFragment {
		return w.finishFragment()
	}
	l.Live = emu.Mask{uint64(w.all)}
	if w.p.meta.Stage == ir.StageVertex && w.grid == nil {
		return w.finishRecord()
	}
	if w.grid != nil && w.grid.own {
		w.finishGrid()
	}
	return nil
}
