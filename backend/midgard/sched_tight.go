package midgard

// tight reports whether as many components are live as there is room for.
func (s *scheduler) tight() bool { return s.room > 0 && s.now >= s.room }

// final is the last of the block's instructions that are not placed: nothing holds it back, and where it is always
// what is taken, the order stays as it was.
func (s *scheduler) final() *node {
	for s.g.nodes[s.last].at != nil {
		s.last--
	}
	return &s.g.nodes[s.last]
}

// Near the last instruction that is not placed, nearLast before it at most, what takes some registers may come where that is
// no more than overRoom components too many: most results take more than the step before them gives back.
const nearLast, overRoom = 96, 4

// suits reports whether a node may be placed: where registers are scarce the last, what takes none of them, and a little near the
// last.
func (s *scheduler) suits(n *node) bool {
	if !s.tight() {
		return true
	}
	last := s.final()
	if n == last {
		return true
	}
	e := s.effect(n.in)
	return e <= 0 || n.order >= last.order-nearLast && s.now+e <= s.room+overRoom
}

// fillTight makes a bundle where registers are scarce: accesses that free some come first.
func (s *scheduler) fillTight(b *bundle) int {
	if i := s.relief(s.ldst); i >= 0 {
		return s.fillLdStFrom(b, i)
	}
	if i := s.relief(s.tex); i >= 0 {
		return s.fillTex(b, i)
	}
	return s.fillALU(b)
}

// relief finds in a list what frees most registers, or the last of all instructions; below 0 if there is neither.
func (s *scheduler) relief(l readyList) int {
	best, least, last := -1, 0, s.final()
	for i, k := range l {
		n := &s.g.nodes[k]
		if n == last {
			return i
		}
		if e := s.effect(n.in); e < least {
			best, least = i, e
		}
	}
	return best
}
