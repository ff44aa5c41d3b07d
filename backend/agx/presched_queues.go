package agx

import "slices"

// The kinds of what is ready, in the order in which it is taken: what asks for results and what leads to that; what only fills
// time; what is made of nothing and used after the region, which would only take a register from what arrives.
const (
	queueEarly = iota
	queueFill
	queueLast
	queueKinds
)

// ready is how much is ready.
func (l *latencyOrder) ready() int {
	n := len(l.waiting)
	for _, q := range l.queues {
		n += len(q)
	}
	return n
}

// enter notes that an instruction is ready.
func (l *latencyOrder) enter(p *scheduler, i int32) {
	if l.due[i] > l.now {
		k := len(l.waiting)
		for k > 0 && l.before(l.waiting[k-1], i) {
			k--
		}
		l.waiting = slices.Insert(l.waiting, k, i)
		return
	}
	q := &l.queues[l.kind(p, i)]
	k, _ := slices.BinarySearchFunc(*q, l.rank[i], func(j, rank int32) int { return int(rank - l.rank[j]) })
	*q = slices.Insert(*q, k, i)
}

// before reports whether i's sources are there before j's.
func (l *latencyOrder) before(i, j int32) bool {
	return l.due[i] < l.due[j] || l.due[i] == l.due[j] && l.rank[i] < l.rank[j]
}

func (l *latencyOrder) kind(p *scheduler, i int32) int {
	switch {
	case l.early[i]:
		return queueEarly
	case l.from[i] == l.from[i+1] && len(p.list[i].Ops) == 1:
		return queueLast
	}
	return queueFill
}

// choose picks from what is ready and has room: what asks for results and what leads to that; then what
// waits for nothing; then what has been waited for longest. What is made of nothing and used after the region comes after
// what waits no longer than for a result. Among equals, and where nothing has room, the order of few
// registers decides. The queues are in that order, so that the first that has room is it.
func (l *latencyOrder) choose(p *scheduler) int32 {
	for n := len(l.waiting); n > 0 && l.due[l.waiting[n-1]] <= l.now; n-- {
		i := l.waiting[n-1]
		l.waiting = l.waiting[:n-1]
		l.enter(p, i)
	}
	for kind := queueEarly; kind <= queueFill; kind++ {
		q := l.queues[kind]
		for k := len(q) - 1; k >= 0; k-- {
			if i := q[k]; l.fits(p, i) {
				l.queues[kind] = slices.Delete(q, k, k+1)
				return i
			}
		}
	}
	if i := l.chooseLast(p); i >= 0 {
		return i
	}
	return l.lowest()
}

// chooseLast picks what has room from what waits and what is made of nothing, -1 if nothing has.
func (l *latencyOrder) chooseLast(p *scheduler) int32 {
	last := l.queues[queueLast]
	w, q := len(l.waiting)-1, len(last)-1
	for w >= 0 || q >= 0 {
		if w >= 0 && (q < 0 || l.sooner(l.waiting[w], last[q])) {
			if i := l.waiting[w]; l.fits(p, i) {
				l.waiting = slices.Delete(l.waiting, w, w+1)
				return i
			}
			w--
			continue
		}
		if i := last[q]; l.fits(p, i) {
			l.queues[queueLast] = slices.Delete(last, q, q+1)
			return i
		}
		q--
	}
	return -1
}

// sooner reports whether i, which waits, comes before j, which is made of nothing.
func (l *latencyOrder) sooner(i, j int32) bool {
	wait := l.due[i] - l.now
	return wait < resultTime || wait == resultTime && l.rank[i] < l.rank[j]
}

// lowest picks what comes first in the order of few registers.
func (l *latencyOrder) lowest() int32 {
	lowest := func(q []int32) (at int) {
		for k := range q {
			if l.rank[q[k]] < l.rank[q[at]] {
				at = k
			}
		}
		return at
	}
	from, at := &l.waiting, lowest(l.waiting)
	for kind := range l.queues {
		q := &l.queues[kind]
		if k := len(*q) - 1; k >= 0 && (len(*from) == 0 || l.rank[(*q)[k]] < l.rank[(*from)[at]]) {
			from, at = q, k
		}
	}
	i := (*from)[at]
	*from = slices.Delete(*from, at, at+1)
	return i
}
