package interp

import (
	"math/bits"

	"nirc/internal/emu"
)

func or(a, b emu.Mask) emu.Mask     { return emu.Mask{a[0] | b[0], a[1] | b[1]} }
func and(a, b emu.Mask) emu.Mask    { return emu.Mask{a[0] & b[0], a[1] & b[1]} }
func andNot(a, b emu.Mask) emu.Mask { return emu.Mask{a[0] &^ b[0], a[1] &^ b[1]} }

// firstLanes returns the mask of the first n lanes.
func firstLanes(n int) emu.Mask {
	if n >= 64 {
		return emu.Mask{^uint64(0), 1<<(n-64) - 1}
	}
	return emu.Mask{1<<n - 1, 0}
}

// setActive makes m the executing lanes.
func (w *Wave) setActive(m emu.Mask) {
	w.active = m
	l := w.laneBuf[:0]
	for v := m[0]; v != 0; v &= v - 1 {
		l = append(l, uint8(bits.TrailingZeros64(v)))
	}
	for v := m[1]; v != 0; v &= v - 1 {
		l = append(l, uint8(64+bits.TrailingZeros64(v)))
	}
	w.on = l
	w.dense = 0
	if n := len(l); n > 0 && int(l[n-1]) == n-1 {
		w.dense = n
	}
}

// where1 returns the active lanes in which the value at slot is not zero.
func (w *Wave) where1(slot int32) emu.Mask {
	var m emu.Mask
	v := w.regs[slot:]
	for _, l := range w.on {
		if v[l] != 0 {
			m[l>>6] |= 1 << (l & 63)
		}
	}
	return m
}
