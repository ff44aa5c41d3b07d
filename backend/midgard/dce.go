package midgard

import (
	"errors"
	"math/bits"

	"nirc/internal/slab"
)

// removeDead removes what is dead. A function that says that it has nothing is taken at its word, but where it is verified.
func (c *compiler) removeDead() error {
	f := c.f
	if !f.settled || !f.verify {
		f.removeDead()
		return nil
	}
	before := f.String()
	f.settled = false
	if f.removeDead(); f.String() != before {
		return errors.New("something is dead in a function of which a step said that nothing is:\n" + before)
	}
	return nil
}

// removeDead removes instructions and lanes whose results nothing reads.
// Within a block one walk backwards finds all: another round is only for what
// blocks no longer leave to each other. Steps after which nothing more is dead
// leave settled as it is, which saves a fiftieth of a shader's compile.
func (f *function) removeDead() {
	for again := !f.settled; again; {
		l := f.liveness()
		outside, through := false, false
		for b := range f.blocks {
			o, t := f.removeDeadIn(b, l)
			outside, through = outside || o, through || t
		}
		again, f.settled = outside, !outside && !through
	}
}

// removeDeadIn removes what is dead in a block. outside: something that another
// block may make was read for it, and no longer is. through: that is live at the
// block's end too, which round a loop may be for what is gone now.
func (f *function) removeDeadIn(b int, l *liveness) (outside, through bool) {
	live := l.at(b)
	// gone is what was read later and not written since.
	l.gone = slab.Resized(l.gone, len(live))
	gone, some := l.gone, false
	list := f.blocks[b].list
	keep := len(list)
	for i := len(list) - 1; i >= 0; i-- {
		in := list[i]
		lanes, dead := in.liveLanes(live)
		change := dead || lanes != in.mask
		if change && !some {
			clear(gone)
			some = true
		}
		if some && in.dst != regNone {
			gone.remove(in.dst, in.mask)
		}
		if change {
			in.reads(gone.add)
			in.mask, in.keep = lanes, in.keep&lanes
			in.inlines()
		}
		if dead {
			continue
		}
		live.step(in)
		keep--
		list[keep] = in
	}
	f.blocks[b].list = list[keep:]
	if !some || len(f.blocks) == 1 {
		return false, false
	}
	outside = l.writtenOf(gone, live)
	for _, x := range l.out[b] {
		live.remove(x.r, x.m)
	}
	return outside, l.writtenOf(gone, live)
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
