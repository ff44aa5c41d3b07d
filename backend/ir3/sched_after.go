package ir3

import "nirc/backend/ir3/isa"

// Results that the blocks after this one read soon are wanted as early as those that this one waits for.

// soonSlots and soonBlocks bound how far into the blocks after one reads count.
const (
	soonSlots  = 6
	soonBlocks = 3
)

// lateReads lets the nodes of block b whose results are read right after it count that wait as a way to go.
func (s *scheduler) lateReads(b int, ins []pinstr) {
	s.ins = ins
	for _, next := range s.p.blocks[b].succs {
		s.readsOf(next, 0, soonBlocks)
	}
}

// readsOf counts the reads of a block that begins so many slots after the one under way.
func (s *scheduler) readsOf(b, slots, depth int32) {
	blk := &s.p.blocks[b]
	for i := range blk.ins {
		in := &blk.ins[i]
		s.t.ofAliased(in)
		for _, r := range s.t.reads {
			s.lateRead(&in.Instr, r, slots)
		}
		if slots += int32(s.p.gpu.slots(&in.Instr)); slots >= soonSlots {
			return
		}
	}
	if depth > 1 {
		for _, next := range blk.succs {
			s.readsOf(next, slots, depth-1)
		}
	}
}

// lateRead counts a read so many slots after the block. What is written in between is not looked for: then
// the read is another's, and a node goes earlier than it must.
func (s *scheduler) lateRead(in *isa.Instr, r span, slots int32) {
	last := int32(-1)
	for u := r.unit; u < r.unit+r.n; u++ {
		w := s.writer[u]
		if w < 0 || w == last {
			continue
		}
		last = w
		n := &s.nodes[w]
		_, soft, _ := s.latency(&s.ins[n.first+n.n-1].Instr, in, r)
		n.critical = max(n.critical, soft-slots)
	}
}
