package core

import (
	"nirc/ir"
)

// In checking mode nothing starts as zero that hardware does not set: registers, uniforms that
// the meta names for nothing, the stack and outputs hold garbage, which differs from wave to
// wave and from lane to lane. A shader that depends on it gives results that change.

// poison is a sequence of garbage (splitmix64).
type poison uint64

func (p *poison) next() uint32 {
	*p += 0x9e3779b97f4a7c15
	z := uint64(*p)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return uint32(z >> 32)
}

// newPoison is the garbage of a wave: the same in each run of a draw or dispatch.
func (w *wave) newPoison() poison {
	p := poison(w.p.meta.Stage) + 1
	mix := func(v uint32) { p = poison(uint64(p)*0x100000001b3 ^ uint64(v)) }
	mix(uint32(w.n))
	switch l := w.l; {
	case w.p.meta.Stage == ir.StageVertex && len(l.Vertex) > 0:
		mix(l.Vertex[0].VertexIndex)
		mix(l.Vertex[0].InstanceIndex)
	case w.p.meta.Stage == ir.StageFragment && len(l.Fragment) > 0:
		mix(uint32(l.Fragment[0].X))
		mix(uint32(l.Fragment[0].Y))
	case l.Compute != nil:
		for _, v := range l.Compute.WorkgroupID {
			mix(v)
		}
		mix(l.Compute.SubgroupID)
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
