package interp

import (
	"nirc/internal/emu"
	"nirc/ir"
)

// Races are looked for between invocations, those of one wave included: the IR
// says where lanes wait for each other.

// watchRaces makes the wave tell its accesses, if somebody looks.
func (w *Wave) watchRaces() {
	if w.l.Races == nil {
		return
	}
	w.races = w.l.Races
	w.races.Watch(emu.RaceOptions{Where: func(pc uint32) string { return w.p.where(w.p.code[pc].x.in) }, Lanes: true, Fences: true})
}

// kindOf returns what kind of access a load or store is to others: of memory that
// is coherent or volatile, whole words are seen, old or new, as of atomics.
func kindOf(in *ir.Instr, kind emu.AccessKind) emu.AccessKind {
	if ir.Access(in.Get(ir.IdxAccess))&(ir.AccessCoherent|ir.AccessVolatile) != 0 {
		return emu.AccessAtomic
	}
	return kind
}

// noteStore tells a store of v to n bytes. One that changes nothing is no write
// that others could tell.
func (w *Wave) noteStore(x *extra, lane int, h, at uint64, n int, v uint64) {
	if b := w.bytesAt(x.space, lane, h, at, n); b != nil && emu.LoadBytes(b, n) != v&lowBits(uint8(8*n)) {
		w.note(x.space, lane, at, n, kindOf(x.in, emu.AccessWrite))
	}
}

// note tells an access to n bytes that are there.
func (w *Wave) note(sp space, lane int, at uint64, n int, kind emu.AccessKind) {
	place := uint32(w.pc - 1)
	switch sp {
	case spShared:
		if in := w.p.code[place].x.in; w.p.shader.Info.CoherentShared && (in.IsIntrinsic(ir.IntrLoadShared) || in.IsIntrinsic(ir.IntrStoreShared)) {
			kind = emu.AccessOrder
		}
		w.races.Shared(lane, at, n, kind, place)
	case spBuffer:
		w.races.Global(lane, w.bufAddr+at, n, kind, place)
	case spGeneric:
		sp, at = resolve(at)
		w.note(sp, lane, at, n, kind)
	case spGlobal:
		w.races.Global(lane, at, n, kind, place)
	}
}

// noteTexel tells an access to a texel, v what a store puts there.
func (w *Wave) noteTexel(m *image, d *emu.Descriptor, lane int, kind emu.AccessKind, v *[4]uint32) {
	if w.races == nil {
		return
	}
	in := w.p.code[w.pc-1].x.in
	if kind != emu.AccessAtomic {
		kind = kindOf(in, kind)
	}
	x, y, z := w.imageAt(m, lane)
	t := emu.Texel{D: d, X: x, Y: y, Z: z, Mip: w.imageScalar(m.lod, lane), Sample: w.imageScalar(m.sample, lane), InBuffer: m.buffer}
	w.races.Texel(w.l.Env.Mem, lane, &t, kind, v, uint32(w.pc-1))
}

// lookup is a lane that looks up a texel with this instruction.
func (w *Wave) lookup(lane int) emu.Lookup {
	return emu.Lookup{Races: w.races, Lane: lane, Place: uint32(w.pc - 1)}
}

// noteBarrier tells what a barrier orders.
func (w *Wave) noteBarrier(in *ir.Instr) {
	if w.races == nil {
		return
	}
	modes := ir.Mode(in.Get(ir.IdxMemoryModes))
	if modes&(ir.ModeSSBO|ir.ModeGlobal) != 0 && ir.Scope(in.Get(ir.IdxMemoryScope)) >= ir.ScopeWorkgroup {
		w.races.Fence()
	}
	if modes&ir.ModeImage != 0 && ir.Scope(in.Get(ir.IdxMemoryScope)) >= ir.ScopeWorkgroup {
		w.races.FenceImages()
	}
	if ir.Scope(in.Get(ir.IdxExecutionScope)) >= ir.ScopeSubgroup && modes != 0 {
		w.races.SubgroupBarrier()
	}
}

// letOn lets younger fragments of the wave's pixels go on, if none of its own is still to come here.
func (w *Wave) letOn() {
	for lane := range w.l.NumLanes {
		if !w.active.Get(lane) && !w.dead.Get(lane) {
			return
		}
	}
	w.l.Pixels.Signal(1)
}
