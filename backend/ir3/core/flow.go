package core

import (
	"errors"

	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// pred returns the fibers whose predicate operand (xor inv) is set.
func (w *wave) pred(o isa.Operand) emu.Mask {
	m := w.preds[int(o.Val-isa.P0)&3]
	if o.Flags&isa.Inv != 0 {
		m = andNot(w.all, m)
	}
	return m
}

func execNop(w *wave, x *inst) error {
	if x.Flags&isa.EQ == 0 {
		return nil
	}
	w.endHelpers()
	if !w.active.Any() {
		w.resume(w.next)
	}
	return nil
}

// endHelpers ends the fibers that only help, and those that will from now on.
func (w *wave) endHelpers() {
	w.noHelp = true
	w.drop(w.helper)
	w.remask()
}

// drop ends fibers wherever they are.
func (w *wave) drop(m emu.Mask) {
	w.active = andNot(w.active, m)
	w.alive = andNot(w.alive, m)
	kept := w.parked[:0]
	for _, p := range w.parked {
		if p.mask = andNot(p.mask, m); p.mask.Any() {
			kept = append(kept, p)
		}
	}
	w.parked = kept
}

func execBr(w *wave, x *inst) error {
	taken := w.pred(x.Srcs[0])
	switch x.Op {
	case isa.OpBraa:
		taken = and(taken, w.pred(x.Srcs[1]))
	case isa.OpBrao:
		taken = or(taken, w.pred(x.Srcs[1]))
	}
	w.split(and(taken, w.active), w.pc+int(x.Target))
	return nil
}

// execUniform is bany and ball.
func execUniform(w *wave, x *inst) error {
	taken := and(w.pred(x.Srcs[0]), w.active)
	if x.Op == isa.OpBany && taken.Any() || x.Op == isa.OpBall && taken == w.active {
		w.resume(w.pc + int(x.Target))
	}
	return nil
}

func execJump(w *wave, x *inst) error {
	w.resume(w.pc + int(x.Target))
	return nil
}

// execKill makes fibers helpers for good. When no other is left the hardware may end the wave or go
// on with them; in checking mode it goes on.
func execKill(w *wave, x *inst) error {
	k := and(w.pred(x.Srcs[0]), w.exec)
	w.killed, w.helper = or(w.killed, k), or(w.helper, k)
	left := andNot(w.alive, w.helper)
	switch {
	case !left.Any() && w.check == nil:
		w.drop(w.alive)
		w.done = true
	case w.noHelp:
		w.drop(k)
		w.remask()
		if !w.active.Any() {
			w.resume(w.next)
		}
	}
	return nil
}

func execGetone(w *wave, x *inst) error {
	rest := w.active
	rest.Clear(first(&w.active))
	w.split(rest, w.pc+int(x.Target))
	return nil
}

// execGetlast: of the lowest cluster of 8 with active fibers, all active ones
// but the last take the branch.
func execGetlast(w *wave, x *inst) error {
	f := first(&w.active)
	base, last := f&^7, f
	var taken emu.Mask
	for i := base; i < base+8; i++ {
		if w.active.Get(i) {
			last = i
			taken.Set(i)
		}
	}
	taken.Clear(last)
	w.split(taken, w.pc+int(x.Target))
	return nil
}

func execBar(w *wave, x *inst) error {
	if len(w.parked) > 0 {
		return errors.New("a barrier is executed while fibers of the wave are parked")
	}
	w.barrier = w.p.meta.Stage == ir.StageCompute
	return nil
}

// execEnd copies the outputs of the fibers that got here.
func execEnd(w *wave, _ *inst) error {
	for lane := range w.n {
		if !w.active.Get(lane) || len(w.out) <= lane {
			continue
		}
		w.outputs(&w.out[lane], lane)
		if isGeometry(w.p) {
			w.emitVertex(lane)
		}
	}
	for i := range w.l.Live {
		w.l.Live[i] |= w.active[i] &^ w.killed[i]
	}
	if w.p.meta.Stage == ir.StageFragment {
		for i := range w.l.Live {
			w.l.Live[i] &^= w.helper[i]
		}
	}
	w.alive = andNot(w.alive, w.active)
	w.active = emu.Mask{}
	w.resume(w.next)
	return nil
}

func (w *wave) outputs(out *emu.Slots, lane int) {
	for i := range w.p.meta.Outputs {
		o := &w.p.meta.Outputs[i]
		slot := o.Slot
		if o.Index == 1 && w.p.meta.Stage == ir.StageFragment {
			slot = ir.SlotData0 + 7
		}
		for k := 0; k < 4; k++ {
			if o.Mask>>k&1 == 0 || o.VertexFlags {
				continue
			}
			if o.AliasRT>>k&1 != 0 {
				out[slot][k] = w.rt[(int(slot-ir.SlotData0)*4+k)&31]
			} else {
				v := w.laneGet(o.Reg+k, lane, o.Half)
				if o.Half {
					v = widen(v, o.As)
				}
				if slot == ir.SlotShadingRate && w.p.meta.Stage != ir.StageFragment {
					v = turnedRate(v)
				}
				out[slot][k] = v
			}
		}
	}
}

// turnedRate exchanges the axes of a shading rate, of which the hardware has the width first (ir3.md §6.1).
func turnedRate(v uint32) uint32 { return v&3<<2 | v>>2&3 }

func widen(v uint32, as isa.Type) uint32 {
	switch as {
	case isa.F32:
		return floatBits(h2f(v))
	case isa.S32:
		return uint32(int32(int16(v)))
	}
	return v
}
