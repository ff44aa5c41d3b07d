package abi

import "nirc/ir"

// Interps says how a fragment program interpolates each slot; those that it does not read are
// InterpNone.
type Interps [ir.NumVaryingSlots]ir.Interp

// Interps returns how a fragment program interpolates what it reads.
func (m *Meta) Interps() (l Interps) {
	for _, c := range m.Coefs {
		if c.Source == CoefVarying {
			l[c.Slot] = c.Interp
		}
	}
	return l
}

// Words are the places of user varyings in the record of a vertex for a fragment program.
type Words struct {
	// Base is the word of a slot's component First, NoWord of slots that are no user varyings.
	Base  [ir.NumVaryingSlots]int
	First [ir.NumVaryingSlots]uint8
	// Count is the number of words of a slot.
	Count [ir.NumVaryingSlots]uint8
	// Smooth, Flat and Linear are the words of each group, which stand in this order from UserWord
	// on: what a driver tells the hardware (agx.md §9.4).
	Smooth, Flat, Linear int
}

// Place is how a driver places the user varyings of a vertex stage for the fragment program after
// it: what UniformVaryingWord is, and what the coefficient registers are bound to. Slots that the
// fragment program does not read count as smooth.
func (m *Meta) Place(read *Interps) (w Words) {
	for i := range w.Base {
		w.Base[i] = NoWord
	}
	at := UserWord
	group := func(want ir.Interp) (words int) {
		for _, v := range m.Varyings {
			if !v.User || groupOf(v.Slot, read) != want {
				continue
			}
			w.Base[v.Slot], w.First[v.Slot], w.Count[v.Slot] = at, v.First, v.Count
			at += int(v.Count)
			words += int(v.Count)
		}
		return words
	}
	w.Smooth, w.Flat, w.Linear = group(ir.InterpSmooth), group(ir.InterpFlat), group(ir.InterpNoPerspective)
	return w
}

// groupOf is the group that a slot stands in. The viewport index and the primitive's number are
// flat and what stands for cull distances is linear whatever is read.
func groupOf(slot ir.Slot, read *Interps) ir.Interp {
	switch slot {
	case ir.SlotViewport, ir.SlotPrimitiveID:
		return ir.InterpFlat
	case CullSlot0, CullSlot0 + 1:
		return ir.InterpNoPerspective
	}
	switch i := read[slot]; i {
	case ir.InterpFlat, ir.InterpNoPerspective:
		return i
	}
	return ir.InterpSmooth
}

// Word is the word of a component of a slot, false of those that the stage does not leave.
func (w *Words) Word(slot ir.Slot, comp uint8) (int, bool) {
	base, first := w.Base[slot], w.First[slot]
	if base == NoWord || comp < first || comp >= first+w.Count[slot] {
		return 0, false
	}
	return base + int(comp-first), true
}
