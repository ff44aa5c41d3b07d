package midgard

// orderWindow is how far before the last instruction that could come the
// scheduler for pressure looks (midgard.md §8.4).
const orderWindow = 36

// orderByPressure puts the instructions of each block where more than room components are live at
// a time into an order in which fewer are, where there is one; it reports whether there was, and how many were
// live at most before, in blocks that are worth a look.
func (f *function) orderByPressure(room int) (changed bool, peak int) {
	l := f.liveness()
	o := orderer{g: newGraph(f)}
	for b := range f.blocks {
		list := f.blocks[b].list
		k := len(list)
		if k > 0 && terminator(list[k-1]) {
			k--
		}
		if k < 3 {
			continue
		}
		old := o.peak(l.at(b), list)
		peak = max(peak, old)
		if old <= room {
			continue
		}
		if order := o.order(l.at(b), list[k:], list[:k]); o.peak(l.at(b), order) < old {
			f.blocks[b].list, changed = order, true
		}
	}
	return changed, peak
}

// orderer is the list scheduler for pressure: it goes through a block from its end.
type orderer struct {
	pressure
	g     *graph
	ready []*node
}

// peak is how many components of virtual registers are live at most; live is
// what is at the end.
func (o *orderer) peak(live compSet, list []*inst) int {
	o.start(live)
	top := o.now
	for i := len(list) - 1; i >= 0; i-- {
		o.pass(list[i])
		top = max(top, o.now)
	}
	return top
}

// order schedules list, which end follows, from its end on.
func (o *orderer) order(live compSet, end, list []*inst) []*inst {
	o.start(live)
	for i := len(end) - 1; i >= 0; i-- {
		o.pass(end[i])
	}
	o.g.build(list)
	o.ready = o.ready[:0]
	for i := range o.g.nodes {
		if n := &o.g.nodes[i]; n.after == 0 {
			o.ready = append(o.ready, n)
		}
	}
	out := make([]*inst, len(list)+len(end))
	copy(out[len(list):], end)
	for at := len(list) - 1; at >= 0; at-- {
		n := o.take()
		o.pass(n.in)
		out[at] = n.in
		for _, d := range o.g.preds(n) {
			to := &o.g.nodes[d.to]
			if to.after--; to.after == 0 {
				o.ready = append(o.ready, to)
			}
		}
	}
	return out
}

// take removes the best ready instruction: the one with the least effect, of
// several the last.
func (o *orderer) take() *node {
	last := int32(0)
	for _, n := range o.ready {
		last = max(last, n.order)
	}
	best, least := -1, 0
	for i, n := range o.ready {
		if n.order < last-orderWindow {
			continue
		}
		e := o.effect(n.in)
		if best < 0 || e < least || e == least && n.order > o.ready[best].order {
			best, least = i, e
		}
	}
	n := o.ready[best]
	k := len(o.ready) - 1
	o.ready[best] = o.ready[k]
	o.ready = o.ready[:k]
	return n
}
