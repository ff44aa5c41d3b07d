package midgard

import (
	"math/bits"

	"nirc/backend/midgard/isa"
)

// sink puts what makes the source of the move list[at] to an input of the load/store or texture pipe where the move
// stands, where it can write the input: earlier the input holds what another access takes. The makers, from list[first]
// on, take no more registers until then than their result would.
func (c *coalescer) sink(list []*inst, first, at int, lane *[4]uint8) {
	m := list[at]
	s := m.src[1].reg
	if m.dst.virtual() || int(c.defs[index(s)]) > maxSunk {
		return
	}
	pinned := c.f.node(s).first
	room := 0
	for j, in := range list[first:at] {
		if !makes(in, s) {
			continue
		}
		ends, ok := c.runsLater(in, list[first+j+1:at])
		if !ok || !in.redirects(lane, pinned) || in.kind != kindALU && c.defs[index(s)] > 1 {
			return
		}
		room += bits.OnesCount8(in.mask) - ends
	}
	if room < 0 {
		return
	}
	var makers [maxSunk]*inst
	n := 0
	for j := first; j < at; j++ {
		switch in := list[j]; {
		case makes(in, s):
			c.retarget(in, m, lane)
			makers[n] = in
			n++
		case n > 0:
			c.moveUp(list, j, j-n)
		}
	}
	list[at-n] = nil // where m was is a place more
	copy(list[at-n+1:], makers[:n])
	k := index(s)
	c.defs[k], c.count[k], c.reads[k] = 0, 0, 0
}

// maxSunk bounds the instructions that make what is sunk: one for each component.
const maxSunk = 4

// makes reports whether an instruction of the list is there and writes r.
func makes(in *inst, r reg) bool { return in != nil && in.dst == r && in.mask != 0 }

// moveUp puts an instruction further up in the list.
func (c *coalescer) moveUp(list []*inst, from, to int) {
	in := list[from]
	if list[to] = in; in != nil && in.dst.virtual() && c.first[index(in.dst)] == int32(from) {
		c.first[index(in.dst)] = int32(to)
	}
}

// runsLater reports whether an instruction makes the same behind those in list; ends counts the components that it is the
// only one to read.
func (c *coalescer) runsLater(in *inst, list []*inst) (ends int, ok bool) {
	switch in.kind {
	case kindALU:
		ok = true
	case kindLdSt:
		ok = in.loadsFixed()
	}
	if !ok {
		return 0, false
	}
	in.eachSource(func(o *source, lanes uint8) {
		read := o.components(lanes)
		if o.reg.virtual() && c.reads[index(o.reg)] == 1 {
			ends += bits.OnesCount8(read)
		}
		if c.stays(o.reg) {
			return
		}
		for _, w := range list {
			ok = ok && (w == nil || w.dst != o.reg || w.mask&read == 0)
		}
	})
	return ends, ok
}

// loadsFixed reports whether a load gives the same wherever it stands: of inputs, uniform buffers and registers of the address unit, at a
// place that no register names.
func (in *inst) loadsFixed() bool {
	switch in.ld.Op.Info().Kind {
	case isa.KindMov:
		return in.ld.Arg.Reg > 1
	case isa.KindUbo, isa.KindAttr, isa.KindVary:
		var buf [maxUses]liveReg
		return len(in.uses(buf[:0])) == 0
	}
	return false
}
