package passes

import (
	"sync"

	"nirc/ir"
)

var optDeadWriteVarsPass = &Pass{
	Name: "opt_dead_write_vars", Withstands: ChangeFacts, For: ir.HasStore, Idle: storesOnce, Class: "B", Run: implPass(ir.MetaControlFlow, optDeadWriteVars), Optional: true,
	Doc: "Deletes stores that later stores of the block overwrite before a read.",
}

// optDeadWriteVars deletes stores, or their channels, that later stores of
// the same block overwrite before anything may read them.
func optDeadWriteVars(impl *ir.Impl) (progress bool) {
	w := deadWriters.Get().(*deadWrites)
	defer func() {
		w.release()
		deadWriters.Put(w)
	}()
	for b := range impl.Blocks() {
		w.later = w.later[:0]
		for in := range b.InstrsReverse() {
			progress = w.instr(in) || progress
		}
	}
	return progress
}

// overwrite is an object that is written further on, with nothing between
// that reads it.
type overwrite struct {
	object
	mask uint64 // of a leaf; all ones of a whole object
}

type deadWrites struct {
	later []overwrite
	most  int // the most that there were at a time
}

// deadWriters keeps the memory of runs that are over.
var deadWriters = sync.Pool{New: func() any { return new(deadWrites) }}

func (w *deadWrites) release() {
	clear(w.later[:w.most])
	w.later, w.most = w.later[:0], 0
}

func (w *deadWrites) instr(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindCall, ir.KindJump:
		w.later = w.later[:0]
		return false
	case ir.KindIntrinsic:
	default:
		return false
	}
	volatile := ir.Access(in.Get(ir.IdxAccess)|in.Get(ir.IdxDstAccess))&ir.AccessVolatile != 0
	switch in.Intr {
	case ir.IntrStoreDeref:
		return !volatile && w.store(in, in.Srcs[0].Def.Instr, in.Get(ir.IdxWriteMask))
	case ir.IntrCopyDeref:
		dead := !volatile && w.store(in, in.Srcs[0].Def.Instr, ^uint64(0))
		if !dead {
			w.read(in.Srcs[1].Def.Instr)
		}
		return dead
	case ir.IntrBarrier:
		w.readModes(ir.Mode(in.Get(ir.IdxMemoryModes)))
		return false
	case ir.IntrEmitVertex, ir.IntrEmitVertexWithCounter, ir.IntrTerminate, ir.IntrTerminateIf, ir.IntrDemote, ir.IntrDemoteIf:
		w.readModes(^ir.ModeFunctionTemp)
		return false
	}
	for i := range in.Srcs {
		if d := derefOf(in.Srcs[i].Def); d != nil {
			w.read(d)
		}
	}
	if hasSideEffects(in) {
		w.readModes(^(ir.ModeFunctionTemp | ir.ModeShaderTemp))
	}
	return false
}

// store handles a write of the channels in mask and reports whether it changed in.
func (w *deadWrites) store(in, d *ir.Instr, mask uint64) bool {
	left := mask
	at := -1
	p := newObject(d)
	for i := range w.later {
		switch rel := w.later[i].compare(&p); {
		case rel == derefsEqual:
			left &^= w.later[i].mask
			at = i
		case rel&aContainsB != 0 && w.later[i].mask == ^uint64(0):
			left = 0
		}
	}
	if left == 0 {
		in.Remove()
		return true
	}
	if at >= 0 {
		w.later[at].mask |= mask
	} else if len(w.later) < maxKnown {
		w.later = append(w.later, overwrite{p, mask})
		w.most = max(w.most, len(w.later))
	}
	if left != mask && in.Intr == ir.IntrStoreDeref {
		in.Set(ir.IdxWriteMask, left)
		return true
	}
	return false
}

// read drops what a read of d may see.
func (w *deadWrites) read(d *ir.Instr) {
	if len(w.later) > 0 {
		p := newObject(d)
		w.keep(func(o *overwrite) bool { return o.compare(&p) == noAlias })
	}
}

func (w *deadWrites) readModes(m ir.Mode) {
	w.keep(func(o *overwrite) bool { return o.deref.DerefInfo().Modes&m == 0 })
}

// keep drops all that f does not hold of.
func (w *deadWrites) keep(f func(*overwrite) bool) {
	n := 0
	for i := range w.later {
		if !f(&w.later[i]) {
			continue
		}
		if n < i {
			w.later[n] = w.later[i]
		}
		n++
	}
	w.later = w.later[:n]
}
