package agx

import (
	"nirc/backend/mach"
	"nirc/internal/slab"
)

// A texture operation destroys four registers until it has been waited for, of which a shader may want one. An order of few registers splits each
// result at once; what comes next then takes the registers that were left, and waits for the operation. So splits go
// down to where their pieces are read as far as registers cost no threads, and several operations are under way at a time.

// splitDelay is the state of a region whose splits go down.
type splitDelay struct {
	left  []int32 // by name: uses that are to come in the region; more if it is live after it
	maker []int32 // by name: the held split that makes it, plus 1
	held  []int32
	order []int32
	live  int32
}

// delaySplits is an order of the region, base or its own if that is nil, with its splits as late as room for so many
// halves allows; nil if none goes down.
func (p *scheduler) delaySplits(base []int32, room int32) []int32 {
	n, late, d := &p.names, &p.late, &p.splits
	late.count(n, len(p.list))
	*d = splitDelay{left: late.left, live: late.live, maker: slab.Zeroed(d.maker, len(n.vals)), held: d.held[:0], order: d.order[:0]}
	delayed := false
	for k := range p.list {
		i := int32(k)
		if base != nil {
			i = base[k]
		}
		if d.shrinks(p, i) {
			d.hold(n, i)
			continue
		}
		delayed = delayed || len(d.held) > 0
		for _, v := range n.reads(i) {
			d.release(n, d.maker[v]-1)
		}
		if len(d.held) == maxInFlight || len(d.held) > 0 && d.live+d.peak(n, i) > room {
			d.releaseAll(n)
		}
		d.place(n, i)
	}
	d.releaseAll(n)
	if !delayed {
		return nil
	}
	return d.order
}

// shrinks reports whether an instruction splits a result that has to be waited for, of which not all is read.
func (d *splitDelay) shrinks(p *scheduler, i int32) bool {
	if p.list[i].Op != mach.OpSplit {
		return false
	}
	writes, reads := p.names.both(i)
	if len(reads) != 1 || d.left[reads[0]] != 1 || p.def[reads[0]] == 0 || !asks(p.list[p.def[reads[0]]-1]) {
		return false
	}
	size := p.names.size[reads[0]]
	for _, v := range writes {
		if d.left[v] > 0 {
			size -= p.names.size[v]
		}
	}
	return size > 0
}

// hold keeps a split for later.
func (d *splitDelay) hold(n *regionNames, i int32) {
	d.held = append(d.held, i)
	for _, v := range n.writes(i) {
		d.maker[v] = i + 1
	}
}

// release places split i, if it is held.
func (d *splitDelay) release(n *regionNames, i int32) {
	for k, h := range d.held {
		if h == i {
			d.held = append(d.held[:k], d.held[k+1:]...)
			d.place(n, i)
			return
		}
	}
}

func (d *splitDelay) releaseAll(n *regionNames) {
	for _, i := range d.held {
		d.place(n, i)
	}
	d.held = d.held[:0]
}

// peak is how many halves more are live while an instruction runs.
func (d *splitDelay) peak(n *regionNames, i int32) (halves int32) {
	writes, reads := n.both(i)
	for _, v := range writes {
		halves += n.size[v]
	}
	for _, v := range reads {
		if d.left[v] == 1 {
			halves -= n.size[v]
		}
	}
	return halves
}

// place puts an instruction next.
func (d *splitDelay) place(n *regionNames, i int32) {
	d.order = append(d.order, i)
	writes, reads := n.both(i)
	for _, v := range writes {
		if d.left[v] > 0 {
			d.live += n.size[v]
		}
	}
	for _, v := range reads {
		if d.left[v]--; d.left[v] == 0 {
			d.live -= n.size[v]
		}
	}
}
