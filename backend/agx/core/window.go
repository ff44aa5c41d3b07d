package core

import (
	"encoding/binary"
	"sort"

	"nirc/backend/agx/abi"
)

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
		// Reads beyond the end give zero, so a word that sticks out is padded.
		push := w.l.Env.Push
		if off+8 <= uint64(len(push)) {
			return push[off:]
		}
		var t [8]byte
		if off < uint64(len(push)) {
			copy(t[:], push[off:])
		}
		return t[:]
	case abi.HeapAddr:
		return w.heapBytes(off)
	case abi.AttribAddr:
		if d := w.fetchOf(uint32(off >> 40)).data; off&(1<<40-1) < uint64(len(d)) {
			return d[off&(1<<40-1):]
		}
	}
	return w.driver.bytes(addr)
}

// tableBytes makes an entry of the descriptor table. Entries that belong to no
// range, or where nothing is bound, are zero.
func (w *wave) tableBytes(off uint64) []byte {
	entry := off / abi.TableEntrySize
	t := w.p.meta.Table
	i := sort.Search(len(t), func(i int) bool { return uint64(t[i].First) > entry }) - 1
	var b [abi.TableEntrySize]byte
	if i >= 0 && (t[i].Count == 0 || entry < uint64(t[i].First)+uint64(t[i].Count)) {
		d := w.l.Env.Bindings.Lookup(t[i].Set, t[i].Binding, uint32(entry)-t[i].First)
		binary.LittleEndian.PutUint64(b[0:], d.Addr)
		binary.LittleEndian.PutUint32(b[8:], uint32(min(d.Size, 1<<32-1)))
	}
	return b[off%abi.TableEntrySize:]
}
