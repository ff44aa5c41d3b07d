package abi

import "nirc/ir"

// Interps says how a fragment program interpolates each component of each slot; those that it does
// not read are InterpNone.
type Interps [ir.NumVaryingSlots][4]ir.Interp

// Set says how components are interpolated.
func (l *Interps) Set(slot ir.Slot, mask uint8, i ir.Interp) {
	for c := range l[slot] {
		if mask>>c&1 != 0 {
			l[slot][c] = i
		}
	}
}

// Interps returns how a fragment program interpolates what it reads.
func (m *Meta) Interps() (l Interps) {
	for _, c := range m.Coefs {
		if c.Source == CoefVarying {
			l.Set(c.Slot, (1<<c.Count-1)<<c.First, c.Interp)
		}
	}
	return l
}

// Words are the places of user varyings in the record of a vertex for a fragment program.
type Words struct {
	// At is the word of each component of a slot, NoWord of those that are in no user varying.
	At [ir.NumVaryingSlots][4]int
	// Smooth, Flat and Linear are the words of each group, which stand in this order from UserWord
	// on: what a driver tells the hardware (agx.md §9.4).
	Smooth, Flat, Linear int
}

// Place is how a driver places the user varyings of a vertex stage for the fragment program after
// it: what UniformVaryingWord is, and what the coefficient registers are bound to. Varyings that the
// fragment program does not read count as smooth; all components of one that it reads are read alike.
func (m *Meta) Place(read *Interps) (w Words) {
	for i := range w.At {
		w.At[i] = [4]int{NoWord, NoWord, NoWord, NoWord}
	}
	at := UserWord
	group := func(want ir.Interp) (words int) {
		for _, v := range m.Varyings {
			if !v.User || groupOf(&v, read) != want {
				continue
			}
			for c := range int(v.Count) {
				w.At[v.Slot][int(v.First)+c] = at + c
			}
			at += int(v.Count)
			words += int(v.Count)
		}
		return words
	}
	w.Smooth, w.Flat, w.Linear = group(ir.InterpSmooth), group(ir.InterpFlat), group(ir.InterpNoPerspective)
	return w
}

// groupOf is the group that a varying stands in. The viewport index and the primitive's number are
// flat and what stands for cull distances is linear whatever is read.
func groupOf(v *Varying, read *Interps) ir.Interp {
	switch v.Slot {
	case ir.SlotViewport, ir.SlotPrimitiveID:
		return ir.InterpFlat
	case CullSlot0, CullSlot0 + 1:
		return ir.InterpNoPerspective
	}
	for _, i := range read[v.Slot][v.First : v.First+v.Count] {
		if i == ir.InterpFlat || i == ir.InterpNoPerspective {
			return i
		}
	}
	return ir.InterpSmooth
}

// Word is the word of a component of a slot, false of those that the stage does not leave.
func (w *Words) Word(slot ir.Slot, comp uint8) (int, bool) {
	at := w.At[slot][comp&3]
	return at, at != NoWord
}
