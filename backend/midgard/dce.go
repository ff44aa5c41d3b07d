package midgard

import (
	"math/bits"

	"nirc/internal/slab"
)

// removeDead removes instructions and lanes whose results nothing reads.
// It has nothing to do if nothing changed since it last found nothing.
func (f *function) removeDead() {
	for again := !f.settled; again; {
		l := f.liveness()
		f.settled = true
		removed, outside := false, false
		for b := range f.blocks {
			r, o := f.removeDeadIn(b, l)
			removed, outside = removed || r, outside || o
		}
		again = removed && outside
	}
}

// removeDeadIn removes what is dead in a block. removed: there were such
// instructions. outside: something that another block may make was read for
// them or for lanes, and no longer is.
func (f *function) removeDeadIn(b int, l *liveness) (removed, outside bool) {
	live := l.at(b)
	// gone is what was read later and not written since.
	l.gone = slab.Resized(l.gone, len(live))
	gone, some := l.gone, false
	list := f.blocks[b].list
	keep := len(list)
	for i := len(list) - 1; i >= 0; i-- {
		in := list[i]
		lanes, dead := in.liveLanes(live)
		if lanes != in.mask && !some {
			clear(gone)
			some = true
		}
		if some && in.dst != regNone {
			gone.remove(in.dst, in.mask)
		}
		if lanes != in.mask {
			f.settled = false
			in.reads(gone.add)
			in.mask, in.keep = lanes, in.keep&lanes
			in.inlines()
		}
		if dead {
			f.settled, removed = false, true
			continue
		}
		live.step(in)
		keep--
		list[keep] = in
	}
	f.blocks[b].list = list[keep:]
	return removed, some && len(f.blocks) > 1 && l.writtenOf(gone, live)
}

// writtenOf reports whether set has something that less has not and that some
// block writes.
func (l *liveness) writtenOf(set, less compSet) bool {
	for i, w := range set {
		for w &^= less[i]; w != 0; {
			k := bits.TrailingZeros64(w) / 4
			if l.stamp[16*i+k] != 0 {
				return true
			}
			w &^= 15 << (4 * k)
		}
	}
	return false
}

// liveLanes is what is wanted of what the instruction writes; dead if it is not
// wanted at all.
func (in *inst) liveLanes(live compSet) (lanes uint8, dead bool) {
	if in.dst == regNone || in.effects() {
		return in.mask, false
	}
	m := in.mask & live.get(in.dst)
	if in.half == partWide {
		m |= (m&5<<1 | m&10>>1) & in.mask // both words of a lane are written
	}
	if m != 0 && in.kind != kindALU && in.kind != kindLdSt {
		return in.mask, false
	}
	return m, m == 0
}

// inlines makes an embedded constant an inline one, where it is the same in all lanes that are left.
func (in *inst) inlines() {
	if s := &in.src[1]; in.kind == kindALU && !in.imm && in.half == partFull && s.reg == regConst && s.half == partFull && in.mask != 0 {
		in.con, in.imm = inlineConstant(in.op, *s, in.lanesRead(1))
	}
}
