package cost

import (
	"math"
	"slices"
)

// Path is what a path takes.
type Path struct {
	// Known is false of a longest path with a loop whose trips are not known: the rest is then zero.
	Known bool
	Work
	// Unhidden is the stalls that the other waves leave.
	Unhidden float64
	// Bound are the pipes that take longest, by index; len(Program.Pipes) stands for the stalls.
	Bound []int
}

// Paths are a program's.
type Paths struct{ Total, Shortest, Longest Path }

// Paths computes the paths. The total counts each instruction once.
func (p *Program) Paths() Paths {
	var all Work
	for i := range p.Instrs {
		if in := &p.Instrs[i]; !in.Once {
			all.add(&in.Work, 1)
		}
	}
	r := Paths{Total: p.finish(&all, true)}
	short := search{p: p, longest: false}
	w, ok := short.run()
	r.Shortest = p.finish(&w, ok)
	long := search{p: p, longest: true}
	w, ok = long.run()
	r.Longest = p.finish(&w, ok)
	return r
}

// finish finds what bounds the work.
func (p *Program) finish(w *Work, known bool) Path {
	r := Path{Known: known}
	if !known {
		return r
	}
	r.Work = *w
	r.Unhidden = p.Unhidden(w)
	most := r.Unhidden
	for i := range p.Pipes {
		if !p.Pipes[i].Part {
			most = math.Max(most, w.Pipes[i])
		}
	}
	if most == 0 {
		return r
	}
	near := func(v float64) bool { return v >= most*(1-1e-9) }
	for i := range p.Pipes {
		if near(w.Pipes[i]) && !p.Pipes[i].Part {
			r.Bound = append(r.Bound, i)
		}
	}
	if near(r.Unhidden) {
		r.Bound = append(r.Bound, len(p.Pipes))
	}
	return r
}

// Busiest is the cycles of the pipe that takes longest.
func (p *Program) Busiest(w *Work) (most float64) {
	for i := range p.Pipes {
		if !p.Pipes[i].Part {
			most = math.Max(most, w.Pipes[i])
		}
	}
	return most
}

// Unhidden is the part of the stalls in which no other wave has anything to do: each of the n waves that a
// scheduler interleaves takes issue and stalls alone, and together they cannot be done before
// that, nor before the busiest pipe is.
func (p *Program) Unhidden(w *Work) float64 {
	if p.Hiding <= 0 {
		return 0
	}
	return math.Max(0, (w.Issue+w.Stall)/p.Hiding-p.Busiest(w))
}

// maxNesting bounds the loops inside each other that are followed.
const maxNesting = 64

// search finds the cheapest or the dearest path. Loops are strongly connected parts of the flow of control,
// each inside its own region: the part without the edges back to its header.
type search struct {
	p       *Program
	longest bool
	failed  bool    // a loop of unknown trips is on the way, or one with several entries
	inside  []int32 // region of each node, 0 the outermost
	regions int32
}

// dist is the best work from a region's entry up to a place.
type dist struct {
	Work
	sum     float64
	reached bool
}

func (d *dist) add(w *Work, sum, n float64) {
	d.Work.add(w, n)
	d.sum += n * sum
}

func (s *search) better(a, b *dist) bool {
	if !a.reached || !b.reached {
		return a.reached
	}
	return s.longest && a.sum > b.sum || !s.longest && a.sum < b.sum
}

// run returns the work of the best path from the entry to an end.
func (s *search) run() (Work, bool) {
	n := len(s.p.Nodes)
	if n == 0 {
		return Work{}, false
	}
	nodes := make([]int32, n)
	for i := range nodes {
		nodes[i] = int32(i)
	}
	s.inside = make([]int32, n)
	d := s.region(nodes, s.p.Entry, -1, 0)
	var best dist
	for i := range nodes {
		if x, node := d[int32(i)], &s.p.Nodes[i]; (node.Ends || len(node.Succ) == 0) && s.better(&x, &best) {
			best = x
		}
	}
	return best.Work, best.reached && !s.failed // a program without an end has no path
}

// distances are those of nodes.
type distances map[int32]dist

// region computes the distances to the ends of the nodes of a region from its entry, without the edges
// back to its header: that of a loop is its entry; the whole program has none, and its entry may be that of a loop.
func (s *search) region(nodes []int32, entry, header int32, depth int) distances {
	d, into := make(distances, len(nodes)), make(distances, len(nodes))
	if depth > maxNesting {
		s.failed = true
		return d
	}
	id := s.inside[entry]
	into[entry] = dist{reached: true}
	parts := components(s.p.Nodes, nodes, s.inside, entry, header)
	for _, c := range parts.list {
		if s.single(c, header) {
			if in := into[c[0]]; in.reached {
				w := &s.p.Instrs[s.p.Nodes[c[0]].Instr].Work
				in.add(w, s.p.Sum(w), 1)
				d[c[0]] = in
			}
		} else {
			s.loop(c, into, d, depth)
		}
		if s.failed {
			return d
		}
		for _, n := range c {
			at := d[n]
			for _, t := range s.p.Nodes[n].Succ {
				if s.inside[t] != id || t == header || parts.of[t] == parts.of[n] {
					continue
				}
				if old := into[t]; s.better(&at, &old) {
					into[t] = at
				}
			}
		}
	}
	return d
}

// single reports whether a part is one node that does not lead to itself; the edges back to a region's
// header are none of the region.
func (s *search) single(c []int32, header int32) bool {
	return len(c) == 1 && (c[0] == header || !slices.Contains(s.p.Nodes[c[0]].Succ, c[0]))
}

// loop adds the distances of the nodes of a loop.
func (s *search) loop(c []int32, into, d distances, depth int) {
	header, entries := int32(-1), 0
	for _, n := range c {
		if into[n].reached {
			header = n
			entries++
		}
	}
	if entries == 0 {
		return // cannot be reached
	}
	trips := s.p.Trips[s.p.Nodes[header].Instr]
	if entries > 1 || s.longest && trips == 0 {
		s.failed = true
		return
	}
	outer := s.inside[header]
	s.regions++
	for _, n := range c {
		s.inside[n] = s.regions
	}
	inner := s.region(c, header, header, depth+1)
	for _, n := range c {
		s.inside[n] = outer
	}
	var round dist // once around
	for _, n := range c {
		if x := inner[n]; slices.Contains(s.p.Nodes[n].Succ, header) && s.better(&x, &round) {
			round = x
		}
	}
	in := into[header]
	if trips > 1 && round.reached {
		in.add(&round.Work, round.sum, float64(trips-1))
	}
	for n, x := range inner {
		x.add(&in.Work, in.sum, 1)
		d[n] = x
	}
}

// Loop is a loop of the machine code.
type Loop struct {
	Header int32 // index of its first instruction
	Depth  int   // 1 for an outermost one
	// Instrs are all that belong to it, those of inner loops too, ascending.
	Instrs []int32
}

// Loops lists the loops that can be reached, by the place of their headers, outer before inner. ok is false if
// one has several entries, or they are nested too deeply.
func (p *Program) Loops() (list []Loop, ok bool) {
	if len(p.Nodes) == 0 {
		return nil, true
	}
	l := loopFinder{search: search{p: p, inside: make([]int32, len(p.Nodes))}}
	nodes := make([]int32, len(p.Nodes))
	for i := range nodes {
		nodes[i] = int32(i)
	}
	l.find(nodes, p.Entry, -1, 1)
	slices.SortStableFunc(l.list, func(a, b Loop) int {
		if a.Header != b.Header {
			return int(a.Header) - int(b.Header)
		}
		return a.Depth - b.Depth
	})
	return l.list, !l.failed
}

type loopFinder struct {
	search
	list []Loop
}

// find lists the loops of a region, which are depth loops deep.
func (l *loopFinder) find(nodes []int32, entry, header int32, depth int) {
	parts := components(l.p.Nodes, nodes, l.inside, entry, header)
	id := l.inside[entry]
	entered := map[int32]bool{entry: true}
	for _, n := range nodes {
		for _, t := range l.p.Nodes[n].Succ {
			if l.inside[t] == id && parts.of[n] != parts.of[t] && parts.of[n] > 0 {
				entered[t] = true
			}
		}
	}
	for _, c := range parts.list {
		if l.single(c, header) {
			continue
		}
		first, entries := c[0], 0
		loop := Loop{Depth: depth}
		for _, n := range c {
			loop.Instrs = append(loop.Instrs, l.p.Nodes[n].Instr)
			if entered[n] {
				first = n
				entries++
			}
		}
		if entries != 1 || depth > maxNesting {
			l.failed = true
			return
		}
		slices.Sort(loop.Instrs)
		loop.Instrs = slices.Compact(loop.Instrs)
		loop.Header = l.p.Nodes[first].Instr
		l.list = append(l.list, loop)
		l.regions++
		for _, n := range c {
			l.inside[n] = l.regions
		}
		l.find(c, first, first, depth+1)
	}
}
