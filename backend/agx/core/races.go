package core

import (
	"fmt"

	"nirc/backend/agx/isa"
	"nirc/internal/emu"
)

// Races are looked for between the accesses that the code makes: what the compiler moves over a
// barrier, or keeps no barrier for, shows here where the shader itself is free of races. Lanes of a
// SIMD-group run in step, so that its accesses follow each other as the code has them; what they
// tell each other through the device's memory takes a barrier all the same (images.go).

// deviceBarrier is the memory_barrier that makes the device's memory available and visible
// (agx.md §7.6).
const deviceBarrier = 0x96

// watchRaces makes the wave tell its accesses, if somebody looks.
func (w *wave) watchRaces() {
	if w.check == nil {
		return
	}
	w.l.Races.Watch(emu.RaceOptions{Words: true, OrderShared: w.p.meta.CoherentShared, Fences: true, Where: func(place uint32) string {
		x := &w.p.code[place]
		return fmt.Sprintf("pc %#x: %s", x.pc, x.Text())
	}})
}

// raceKind is what kind of access an instruction makes: those of the coherent form see whole
// words, old or new, as atomics do.
func raceKind(x *inst, kind emu.AccessKind) emu.AccessKind {
	if x.coherent() {
		return emu.AccessAtomic
	}
	return kind
}

// coherent reports whether an access to the device's memory has the coherent form (agx.md §7.1).
func (x *inst) coherent() bool {
	q, _ := x.Field("u4")
	if x.Op == isa.OpDeviceStore {
		low, _ := x.Field("u6")
		q = q<<1 | low
	}
	return q == 7
}

// tellDevice tells an access to the device's memory; that of the driver is nobody else's.
func (w *wave) tellDevice(x *inst, addr uint64, n, lane int, kind emu.AccessKind) {
	if w.check == nil || w.preamble || addr>>48 != 0 || addr < hole {
		return
	}
	if x.Op != isa.OpAtomic {
		kind = raceKind(x, kind)
	}
	w.l.Races.Global(lane, addr, n, kind, uint32(w.at))
}

// tellTexel tells an access to a texel, v what a store puts there.
func (w *wave) tellTexel(x *inst, lane int, t emu.Texel, kind emu.AccessKind, v *[4]uint32) {
	if w.check == nil || w.preamble {
		return
	}
	field := map[isa.Op]string{isa.OpTextureLoad: "q3", isa.OpImageWrite: "u3"}[x.Op]
	if q, _ := x.Field(field); field != "" && q == 15 {
		kind = emu.AccessAtomic // the coherent form
	}
	w.l.Races.Texel(w.l.Env.Mem, lane, &t, kind, v, uint32(w.at))
}

// tellGroup tells an access to workgroup memory.
func (w *wave) tellGroup(at, n, lane int, kind emu.AccessKind) {
	if w.check != nil {
		w.l.Races.Shared(lane, uint64(at), n, kind, uint32(w.at))
	}
}
