package core

import (
	"nirc/internal/emu"
	"nirc/ir"
)

// In checking mode nothing starts as zero that hardware does not set: registers, uniforms that
// the meta names for nothing, the stack and outputs hold garbage, which differs from wave to
// wave and from lane to lane. A shader that depends on it gives results that change.

// poison is a sequence of garbage.
type poison struct{ emu.Garbage }

func (p *poison) next() uint32 { return p.Word() }

// newPoison is the garbage of a wave: the same in each run of a draw or dispatch by one seed.
func (w *wave) newPoison() poison {
	p := poison{w.l.Garbage()}
	if !p.On() {
		p.Garbage = emu.Poison(1) // a launch that is made by hand
	}
	return p
}

// clearRegs makes registers what they are at the start of a program: nothing that it can rely on.
func (w *wave) clearRegs() {
	if w.check == nil {
		clear(w.regs[:w.p.top])
		return
	}
	p := w.newPoison()
	p.Mark("register half or word", 0, 2*len(w.regs[0]))
	for r := range w.regs[:w.p.top] {
		for lane := range w.regs[r] {
			w.regs[r][lane] = p.next()
		}
	}
}

// clearUniforms does so with uniforms that nobody fills.
func (w *wave) clearUniforms() {
	if w.check == nil {
		clear(w.unis[:])
		return
	}
	p := w.newPoison()
	p.Mark("uniform register", 0, 2)
	for i := range w.unis {
		w.unis[i] = p.next()
	}
}

// growStack makes room for n bytes of stack.
func (w *wave) growStack(n int) {
	if n <= len(w.stack) {
		return
	}
	first := len(w.stack)
	w.stack = append(w.stack, make([]byte, n-first)...)
	if w.check == nil {
		return
	}
	p := w.newPoison()
	p.Mark("stack, byte", first, 2)
	for i := first; i < n; i++ {
		w.stack[i] = byte(p.next())
	}
}

// poisonOutputs spoils the user varyings that a vertex stage may leave unwritten.
func (w *wave) poisonOutputs() {
	if w.check == nil || w.grid != nil {
		return
	}
	p := w.newPoison()
	for lane := 0; lane < w.n; lane++ {
		out := &w.l.Out[lane]
		for slot := ir.SlotVar0; slot < ir.NumVaryingSlots; slot++ {
			for c := range out[slot] {
				out[slot][c] = p.next()
			}
		}
	}
}
