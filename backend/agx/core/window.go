package core

import (
	"encoding/binary"
	"math"

	"nirc/backend/agx/abi"
	"nirc/internal/emu"
)

// pushBytes is how much memory there is at the push constants, more than any shader has.
const pushBytes = 4096

// window returns the bytes at an address of the driver's own memory, up to the
// end of the object there; nil outside. Nothing of it can be written.
func (w *wave) window(addr uint64) []byte {
	off := addr & (1<<48 - 1)
	switch addr &^ (1<<48 - 1) {
	case abi.TableAddr:
		return w.tableBytes(off)
	case abi.ConstDataAddr:
		if d := w.p.meta.ConstData; off < uint64(len(d)) {
			return d[off:]
		}
	case abi.PushAddr:
		// Reads beyond the end give zero, so a word that sticks out is padded; far beyond it there is nothing.
		push := w.l.Env.Push
		if off >= pushBytes && w.check != nil {
			return nil
		}
		if off+8 <= uint64(len(push)) {
			return push[off:]
		}
		var t [8]byte
		if off < uint64(len(push)) {
			copy(t[:], push[off:])
		}
		return t[:]
	case abi.BiasAddr:
		return w.biasBytes(off)
	case abi.HeapAddr:
		return w.heapBytes(off)
	case abi.AttribAddr:
		if d := w.fetchOf(uint32(off >> 40)).data; off&(1<<40-1) < uint64(len(d)) {
			return d[off&(1<<40-1):]
		}
	}
	return w.driver.bytes(addr)
}

// biasBytes makes an entry of the table of samplers' biases.
func (w *wave) biasBytes(off uint64) []byte {
	e, ok := abi.SamplerHeap.Lookup(w.l.Env.Layout, 0, uint32(min(off/abi.SamplerBiasSize, math.MaxUint32)))
	if !ok {
		return nil
	}
	v := samplerBias(w.l.Env.Bindings.Lookup(e.Set, e.Binding, e.Element).Sampler)
	var b [abi.SamplerBiasSize]byte
	binary.LittleEndian.PutUint32(b[0:], v[0])
	binary.LittleEndian.PutUint32(b[4:], v[1])
	return b[off%abi.SamplerBiasSize:]
}

// samplerBias is what abi.SamplerBias has of a sampler.
func samplerBias(s *emu.Sampler) [2]uint32 {
	if s == nil {
		return [2]uint32{0, abi.One}
	}
	return [2]uint32{round16(float64(s.LodBias)), fbits(float32(math.Exp2(float64(s.LodBias))))}
}

// tableBytes makes an entry of the descriptor table, which is filled by the pipeline's layout.
// Entries where nothing is bound are zero, and so are those that stand for no binding; in checking mode there are none of these, and entries of arrays
// without anything lead to where an access is told.
func (w *wave) tableBytes(off uint64) []byte {
	var b [abi.TableEntrySize]byte
	e, ok := abi.Buffers.Lookup(w.l.Env.Layout, 0, uint32(min(off/abi.TableEntrySize, math.MaxUint32)))
	if !ok && w.check != nil {
		return nil
	}
	if ok {
		d := w.l.Env.Bindings.Lookup(e.Set, e.Binding, e.Element)
		addr := d.Addr
		if d.Type == emu.DescNone && w.check != nil {
			addr = w.absent.Place(w.l.Env.Bindings, e.Set, e.Binding, e.Element, &w.p.meta.Robust)
		}
		binary.LittleEndian.PutUint64(b[0:], addr)
		binary.LittleEndian.PutUint32(b[8:], uint32(min(d.Size, 1<<32-1)))
	}
	return b[off%abi.TableEntrySize:]
}
