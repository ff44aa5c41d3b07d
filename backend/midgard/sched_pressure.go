package midgard

import "math/bits"

// pressure counts, on a way through a block from its end, the components of virtual registers that are live.
type pressure struct {
	live compSet
	now  int
}

// start stands at the end of a block, where live is what is live.
func (p *pressure) start(live compSet) {
	p.live, p.now = live, 0
	for w, word := range live {
		if 16*w >= int(firstVirtual) {
			p.now += bits.OnesCount64(word)
		}
	}
}

// pass walks over an instruction backwards.
func (p *pressure) pass(in *inst) {
	if d := in.dst; d.virtual() {
		p.now -= bits.OnesCount8(p.live.get(d) & in.mask)
		p.live.remove(d, in.mask)
	} else if d != regNone {
		p.live.remove(d, in.mask)
	}
	var buf [maxUses]liveReg
	for _, u := range in.uses(buf[:0]) {
		if u.r.virtual() {
			p.now += bits.OnesCount8(u.m &^ p.live.get(u.r))
		}
		p.live.add(u.r, u.m)
	}
}

// effect is by how much an instruction that comes before what is passed changes
// the number of live components.
func (p *pressure) effect(in *inst) (n int) {
	if in.dst.virtual() {
		n -= bits.OnesCount8(p.live.get(in.dst) & in.mask)
	}
	var buf [maxUses]liveReg
	uses := in.uses(buf[:0])
	for i, u := range uses {
		if !u.r.virtual() {
			continue
		}
		have := p.live.get(u.r)
		if u.r == in.dst {
			have &^= in.mask
		}
		for _, v := range uses[:i] {
			if v.r == u.r {
				have |= v.m
			}
		}
		n += bits.OnesCount8(u.m &^ have)
	}
	return n
}
