package core

import (
	"fmt"

	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/internal/lazy"
	"nirc/ir"
)

// Texture reads go through a cache that sees neither what image_write nor what atomics have
// written until the barriers of agx.md §7.6 have run, and the load has the form for images that
// are written too.

// Barriers that make writes to an image visible.
const (
	sawImage1 = 1 << iota
	sawImage2
	sawImage3
	sawImage4
	sawFlush
	sawWrite  = sawImage1 | sawImage2 | sawImage3 | sawImage4
	sawAtomic = sawWrite | sawFlush
)

var imageBarriers = lazy.Value[map[uint32]uint8]{Make: func() map[uint32]uint8 {
	return map[uint32]uint8{0xaa: sawImage1, 0xae: sawImage2, 0xa9: sawImage3, 0xad: sawImage4, 0x40: sawFlush}
}}

// imageWrite is an image that the wave has written: which barriers that wants, which have run since, and which lanes wrote
// before them. A lane that did not write reads what was there or what others put there, as invocations do that nothing orders.
type imageWrite struct {
	image     *emu.Image
	want, saw uint8
	lanes     uint32
}

// wroteImage notes a lane's write to an image.
func (w *wave) wroteImage(m *emu.Image, lane int, want uint8) {
	if w.check == nil {
		return
	}
	for i := range w.check.images {
		if x := &w.check.images[i]; x.image == m {
			if x.want&^x.saw == 0 {
				x.want, x.lanes = 0, 0
			}
			x.want, x.saw, x.lanes = x.want|want, 0, x.lanes|1<<lane
			return
		}
	}
	w.check.images = append(w.check.images, imageWrite{image: m, want: want, lanes: 1 << lane})
}

// readsImage checks a lane's read through the texture unit.
func (w *wave) readsImage(x *inst, m *emu.Image, lane int) error {
	if w.check == nil {
		return nil
	}
	for i := range w.check.images {
		g := &w.check.images[i]
		if g.image != m {
			continue
		}
		if missing := g.want &^ g.saw; missing != 0 && g.lanes>>lane&1 != 0 {
			return fmt.Errorf("it reads an image whose writes are under way: barriers are missing (%#x)", missing)
		}
		if q, _ := x.Field("q3"); x.Op == isa.OpTextureLoad && q&1 == 0 {
			return fmt.Errorf("bit 43 is not set, and the shader has written the image")
		}
	}
	return nil
}

// memoryBarrier notes what a barrier makes visible. After one, lanes may read what others wrote: where it is not all that the image
// wants, each sees so.
func (c *checker) memoryBarrier(code uint32) {
	for i := range c.images {
		c.images[i].saw |= imageBarriers.Get()[code]
		c.images[i].lanes = ^uint32(0)
	}
	if code == deviceBarrier {
		clear(c.stores)
	}
}

// storeNote is the lane that has stored a byte of device memory since the last barrier.
type storeNote uint8

// stored notes a store, loaded checks a load of the same memory by another lane, which
// nothing orders after it. Fragments and vertices have no barriers: what they share without
// atomics races by the shader's own will.
func (w *wave) stored(addr uint64, n, lane int) {
	if s := w.p.meta.Stage; w.check == nil || s == ir.StageFragment || s == ir.StageVertex || addr < hole { // nothing stays in the hole
		return
	}
	if w.check.stores == nil {
		w.check.stores = map[uint64]storeNote{}
	}
	for a := addr; a < addr+uint64(n); a++ {
		w.check.stores[a] = storeNote(lane)
	}
}

func (w *wave) loaded(x *inst, addr uint64, n, lane int) error {
	if w.check == nil || len(w.check.stores) == 0 {
		return nil
	}
	if x.coherent() {
		return nil
	}
	for a := addr; a < addr+uint64(n); a++ {
		if by, ok := w.check.stores[a]; ok && int(by) != lane {
			return fmt.Errorf("lane %d reads %#x, which lane %d has stored, without a memory barrier", lane, a, by)
		}
	}
	return nil
}
