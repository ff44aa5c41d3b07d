package midgard

import (
	"math/bits"

	"nirc/backend/midgard/isa"
)

// sink puts the one instruction that makes the source of the move list[at] to an input of the load/store or texture
// pipe where the move stands, where it can write the input: earlier the input holds what another access takes.
func (c *coalescer) sink(list []*inst, first, at int, lane *[4]uint8) {
	m, in := list[at], list[first]
	s := m.src[1].reg
	if in == nil || in.dst != s || m.dst.virtual() || c.defs[index(s)] != 1 || !in.redirects(lane, c.f.node(s).first) || !c.runsLater(in, list[first+1:at]) {
		return
	}
	c.retarget(in, m, lane)
	list[first], list[at] = nil, in
	c.f.settled = false
	k := index(s)
	c.defs[k], c.count[k], c.reads[k] = 0, 0, 0
}

// runsLater reports whether an instruction makes the same behind those in list, and whether what it reads takes no more
// registers until then than its result would.
func (c *coalescer) runsLater(in *inst, list []*inst) bool {
	switch in.kind {
	case kindALU:
	case kindLdSt:
		return in.loadsFixed()
	default:
		return false
	}
	ok, ends := true, 0
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
	return ok && ends <= bits.OnesCount8(in.mask)
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
