package core

import (
	"fmt"

	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
)

// Races are looked for between threads. The hardware has no fences: a control barrier orders
// all that its threads did. Of the device's memory they are looked for where the metadata
// says that threads do not look on at each other's stores without one; else any access may be
// what another thread waits for, and orders what came before.

// watchRaces makes the wave tell its accesses, if somebody looks. A place is twice the byte of a
// bundle, plus the slot.
func (w *wave) watchRaces() {
	if w.l.Races == nil || !w.check {
		return
	}
	w.races = w.l.Races
	w.races.Watch(emu.RaceOptions{Words: true, OrderShared: w.p.meta.CoherentShared, Where: func(place uint32) string {
		for i := range w.p.code {
			if b := &w.p.code[i]; b.addr == int(place>>1) {
				return fmt.Sprintf("bundle at byte %#x, slot %d: %s", b.addr, place&1, b.Bundle)
			}
		}
		return "?"
	}})
}

// note tells an access to n bytes.
func (w *wave) note(s *inputs, a uint64, n int, kind emu.AccessKind) {
	if w.races == nil {
		return
	}
	place := uint32(s.pc)<<1 | uint32(s.slot)
	switch a & (15 << 60) {
	case sharedBase:
		w.races.Shared(s.t.lane, a&^sharedBase, n, kind, place)
	case 0:
		if w.p.meta.Coherent {
			kind = emu.AccessOrder
		}
		w.races.Global(s.t.lane, a, n, kind, place)
	case stageBase:
		if r := &w.driver.regions[regionPatches]; w.l.TessCtrl != nil && a-r.addr < uint64(len(r.data)) {
			w.races.Output(s.t.lane, a-r.addr, n, kind, place)
		}
	}
}

// lookup is a thread that looks up a texel with this bundle.
func (w *wave) lookup(t *thread, b *bundle) emu.Lookup {
	if w.races == nil || w.p.meta.Coherent {
		return emu.Lookup{}
	}
	return emu.Lookup{Races: w.races, Lane: t.lane, Place: uint32(b.addr) << 1}
}

// noteTexel tells an access to a texel, v what a store puts there.
func (w *wave) noteTexel(s *inputs, t emu.Texel, kind emu.AccessKind, v *[4]uint32) {
	if w.races != nil && !w.p.meta.Coherent {
		w.races.Texel(w.l.Env.Mem, s.t.lane, &t, kind, v, uint32(s.pc)<<1|uint32(s.slot))
	}
}

// noteLoad tells what a load reads and keeps: words, or what is less of one.
func (w *wave) noteLoad(s *inputs, l *isa.LoadStore, a uint64, size int) {
	if w.races == nil {
		return
	}
	for i := range 4 {
		c := l.Swizzle.Lane(i)
		if l.Mask>>i&1 != 0 && 4*c < size {
			w.note(s, a+uint64(4*c), min(4, size), emu.AccessRead)
		}
	}
}
