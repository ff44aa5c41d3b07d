package midgard

import "fmt"

// newBundle makes the block's next bundle.
func (s *scheduler) newBundle() *bundle {
	if len(s.slab) == 0 {
		s.slab = s.mem.bundles.next()
	}
	b := &s.slab[0]
	s.slab = s.slab[1:]
	*b = bundle{size: 4, block: s.block}
	s.out = append(s.out, b)
	return b
}

// schedule packs the blocks into bundles.
func schedule(f *function, gpu *GPU) (*program, error) {
	m := f.memory()
	p := m.programs.New()
	*p = program{gpu: gpu, blocks: m.places.Slice(len(f.blocks))}
	s := &m.sched
	*s = scheduler{g: newGraph(f), mem: m, ready: s.ready[:0]}
	for i := range f.blocks {
		s.block, s.out = i, s.mem.packed.Slice(len(f.blocks[i].list) + 1)[:0]
		p.blocks[i].list = s.run(f.blocks[i].list)
		if s.err != nil {
			return nil, s.err
		}
	}
	return p, nil
}

// scheduler is the state of one block.
type scheduler struct {
	block int
	g     *graph
	out   []*bundle
	ready []*node
	err   error
	mem   *memory
	slab  []bundle // what is left of it
}

func (s *scheduler) run(list []*inst) []*bundle {
	var last *inst
	if k := len(list) - 1; k >= 0 && terminator(list[k]) {
		last, list = list[k], list[:k]
	}
	g := s.g
	g.build(list)
	for i := len(g.nodes) - 1; i >= 0; i-- {
		if n := &g.nodes[i]; n.left == 0 {
			s.ready = append(s.ready, n)
		}
	}
	left := len(g.nodes)
	for left > 0 {
		k := s.fill()
		if k == 0 {
			s.err = fmt.Errorf("midgard: no bundle can hold %s", s.ready[0].in)
			return nil
		}
		left -= k
	}
	if last != nil {
		s.terminate(last)
	}
	return s.out
}

// better reports whether a goes before b.
func better(a, b *node) bool {
	if a.height != b.height {
		return a.height > b.height
	}
	return a.order < b.order
}

// pick returns the best ready node that f takes.
func (s *scheduler) pick(f func(n *node) bool) *node {
	var best *node
	for _, n := range s.ready {
		if (best == nil || better(n, best)) && f(n) {
			best = n
		}
	}
	return best
}

// placed takes n off the ready list and readies its successors.
func (s *scheduler) placed(n *node, b *bundle) {
	n.at = b
	for i := range s.ready {
		if s.ready[i] == n {
			s.ready[i] = s.ready[len(s.ready)-1]
			s.ready = s.ready[:len(s.ready)-1]
			break
		}
	}
	for _, d := range n.succs {
		to := &s.g.nodes[d.to]
		if to.left--; to.left == 0 {
			s.ready = append(s.ready, to)
		}
	}
}

// fill makes one bundle and returns the number of instructions in it.
func (s *scheduler) fill() int {
	b := s.newBundle()
	first := s.pick(func(*node) bool { return true })
	switch first.in.kind {
	case kindLdSt:
		return s.fillLdSt(b, first)
	case kindTex:
		b.tex = first.in
		s.placed(first, b)
		return 1
	}
	count := 0
	for {
		n := s.pick(func(n *node) bool { return n.in.kind == kindALU && s.fitALU(b, n, false) })
		if n == nil {
			return count
		}
		s.fitALU(b, n, true)
		s.placed(n, b)
		count++
	}
}

func (s *scheduler) fillLdSt(b *bundle, first *node) int {
	b.ldst[0] = first.in
	s.placed(first, b)
	vary := isVaryStore(first.in)
	n := s.pick(func(n *node) bool {
		if n.in.kind != kindLdSt || isVaryStore(n.in) != vary && !faults.has(faultVaryPairs) {
			return false
		}
		for _, d := range n.preds {
			if s.g.nodes[d.to].at == b {
				return false
			}
		}
		return true
	})
	if n == nil {
		return 1
	}
	b.ldst[1] = n.in
	s.placed(n, b)
	return 2
}
