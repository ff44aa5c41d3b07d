package abi

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/layout"
)

// ConstDataUBO is the index of Meta.ConstData among the uniform buffers that are the stage's own:
// the table that instructions reach without a bindless base, which no descriptor set touches.
const ConstDataUBO = 0

// maxSlots is how many slots a set has: indices have 16 bits in handles.
const maxSlots = 1 << 16

// Slots is how descriptors are numbered in the bindless table of a set. A combined image and
// sampler takes two slots, the image first; without a layout each binding does. A6xx has
// 5 bindless bases, a7xx 8 (ir3.md §6.10).
func Slots(gen isa.Gen) *layout.Table {
	if gen == isa.A6xx {
		return &slots[0]
	}
	return &slots[1]
}

var slots = [2]layout.Table{slotsOf(5), slotsOf(8)}

// highBindings: without a layout a set has up to 256 bindings.
const highBindings = 3

func slotsOf(sets uint32) layout.Table {
	return layout.Table{
		Name: "descriptor slots", Entries: slotsPerElement, Limit: maxSlots, PerSet: true, DynamicApart: true,
		Unit: 2, Bindings: 64, Sets: sets, Elements: maxSlots/(2*64) - highBindings, High: highBindings,
	}
}

func slotsPerElement(t layout.Type) uint32 {
	switch t {
	case layout.CombinedImageSampler:
		return 2
	case layout.Other:
		return 0
	}
	return 1
}

// Element returns the element of the binding that a slot is in, and which of its slots.
func (d *Descriptor) Element(slot uint32) (element, part uint32, ok bool) {
	per := d.SlotsPerElement()
	stride := max(d.Stride, per)
	if slot < d.Slot {
		return 0, 0, false
	}
	element, part = (slot-d.Slot)/stride, (slot-d.Slot)%stride
	return element, part, part < per && (d.Count == 0 || element < d.Count)
}
