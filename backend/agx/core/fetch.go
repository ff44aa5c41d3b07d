package core

import (
	"errors"
	"math"

	"nirc/backend/agx/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

var errNoDraw = errors.New("the launch has no pipeline, which a linked program needs")

// fetch is an attribute as a driver gives it to the vertex prolog.
type fetch struct {
	data  []byte // from the attribute's first element on; nil if there is none
	clamp uint32 // the last element inside
	known bool
}

func attribAddr(slot uint32) uint64 { return abi.AttribAddr + uint64(slot)<<40 }

// fetchOf finds an attribute slot among the vertex buffers of the draw. The
// second slot of a 64-bit attribute is its second half.
func (w *wave) fetchOf(slot uint32) *fetch {
	if slot >= ir.NumAttribSlots {
		return &fetch{}
	}
	if w.fetches == nil {
		w.fetches = new([ir.NumAttribSlots]fetch)
	}
	f := &w.fetches[slot]
	if !f.known {
		*f = fetch{known: true}
		w.findFetch(f, slot)
	}
	return f
}

func (w *wave) findFetch(f *fetch, slot uint32) {
	draw := w.l.Draw
	if draw == nil {
		return
	}
	for i := range draw.Attributes {
		a := &draw.Attributes[i]
		off := uint64(a.Offset)
		size := uint64(a.Format.Bytes)
		if a.Location+1 == slot && a.Format.IsWide() && size > 16 {
			off, size = off+16, size-16
		} else if a.Location != slot {
			continue
		}
		for k := range draw.Bindings {
			if b := &draw.Bindings[k]; b.Binding == a.Binding {
				f.set(b, off, size)
			}
		}
	}
}

func (f *fetch) set(b *emu.VertexBinding, off, size uint64) {
	n := uint64(len(b.Data))
	if n < off+size {
		return
	}
	f.data, f.clamp = b.Data[off:], math.MaxUint32
	if b.Stride != 0 {
		f.clamp = uint32(min((n-off-size)/uint64(b.Stride), math.MaxUint32))
	}
}
