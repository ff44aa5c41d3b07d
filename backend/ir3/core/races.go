package core

import (
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// Races are looked for between the waves of compute and fragment shaders (emu.WaveRaces): fibers of one wave
// access memory in the order of the instructions.

// watchRaces makes the wave tell its accesses, if somebody looks.
func (w *wave) watchRaces() {
	if w.l.Races == nil {
		return
	}
	w.races = w.l.Races
	w.races.Watch(emu.RaceOptions{Words: true, OrderShared: w.p.meta.CoherentShared, Where: func(pc uint32) string { return w.p.code[pc].Text(w.p.meta.Gen) }, Fences: true, Late: true})
}

// invocation is the number of the invocation in the wave that fiber lane runs.
func (w *wave) invocation(lane int) int {
	if w.order == nil {
		return lane
	}
	return w.order[lane]
}

// note tells an access of a fiber to n bytes. Where accesses to the device's memory are coherent nobody says which: any may
// be what another wave waits for.
func (w *wave) note(sp space, lane int, at uint64, n int, kind emu.AccessKind) {
	switch {
	case !w.races.On():
	case sp == spaceLocal:
		w.races.Shared(w.invocation(lane), at, n, kind, uint32(w.pc))
	default:
		if w.p.meta.Coherent {
			kind = emu.AccessOrder
		}
		w.races.Global(w.invocation(lane), at, n, kind, uint32(w.pc))
	}
}

// atomicAccess is what an atomic of a storage buffer is to others: narrow stores are made of and and or.
func (x *inst) atomicAccess() emu.AccessKind {
	if x.Op == isa.OpAtomicBAnd || x.Op == isa.OpAtomicBOr {
		return emu.AccessOrder
	}
	return emu.AccessAtomic
}

// noteFence tells that the wave's accesses to the device's memory are available and visible.
func (w *wave) noteFence(x *inst) {
	if x.Flags&(isa.BarG|isa.BarW) == isa.BarG|isa.BarW {
		w.races.Fence()
		w.races.FenceImages()
	}
}

// looker is a fiber that looks up a texel with this instruction.
func (w *wave) looker(lane int) emu.Lookup {
	if !w.races.On() || w.p.meta.Coherent {
		return emu.Lookup{}
	}
	return emu.Lookup{Races: w.races, Lane: w.invocation(lane), Place: uint32(w.pc)}
}

// noteTexel tells an access of a fiber to a texel, v what a store puts there.
func (w *wave) noteTexel(lane int, d *abi.Descriptor, res *emu.Descriptor, c [4]int, kind emu.AccessKind, v *[4]uint32) {
	if !w.races.On() || w.p.meta.Coherent {
		return
	}
	t := emu.Texel{D: res, X: c[0], Y: c[1], Z: c[2], Sample: c[3], InBuffer: d.View.Dim == ir.DimBuf}
	w.races.Texel(w.l.Env.Mem, w.invocation(lane), &t, kind, v, uint32(w.pc))
}
