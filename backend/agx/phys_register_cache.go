package agx

import "nirc/backend/agx/isa"

// cacheWindow is how many instructions ahead a use counts as soon: the operand
// cache is small (agx.md §1.4).
const cacheWindow = 6

// halfSet is a set of register halves.
type halfSet [gprHalves / 64]uint64

// in is the word of a set that has half h, and the bits there of the next n halves: a run goes on in the next word
// only where it has more than that has left.
func (s *halfSet) in(h, n int) (w *uint64, bits uint64, left int) {
	k := min(n, 64-h&63)
	return &s[h>>6], (1<<k - 1) << (h & 63), n - k
}

func (s *halfSet) touches(h, n int) bool {
	for n = min(n, gprHalves-h); n > 0; {
		w, bits, left := s.in(h, n)
		if *w&bits != 0 {
			return true
		}
		h, n = h+n-left, left
	}
	return false
}

func (s *halfSet) add(h, n int) {
	for n = min(n, gprHalves-h); n > 0; {
		w, bits, left := s.in(h, n)
		*w |= bits
		h, n = h+n-left, left
	}
}

func (s *halfSet) remove(h, n int) {
	for n = min(n, gprHalves-h); n > 0; {
		w, bits, left := s.in(h, n)
		*w &^= bits
		h, n = h+n-left, left
	}
}

// registerCache sets the hints for the operand cache: that a value is wanted
// again soon, or that this was its last use. Last uses are only told where all lanes
// run, for the others' values would be lost too.
func (p *program) registerCache() {
	var live halfSet
	for b := range p.f.Blocks {
		for _, in := range p.f.Blocks[b].Instrs {
			if in.Op != opEnd {
				continue
			}
			uses := in.Uses()
			for k := range uses {
				o := p.register(&uses[k])
				live.add(int(o.Val), o.Halves())
			}
		}
	}
	// r0l is the execution mask's, r0h the shuffles', as far as values stay away from them.
	floor := p.f.FileFloor(fileGPR)
	live.add(0, floor)
	p.markDivergent()
	soon := reads{first: len(p.list)}
	for i := len(p.list) - 1; i >= 0; i-- {
		in := p.list[i]
		p.hints(in, i, int32(floor), &live, &soon)
	}
}

// reads are the next reads of registers after an instruction, while one goes backwards.
type reads struct {
	at [gprHalves]int32 // the instruction that reads the half next, plus 1; 0: none
	// first is the instruction from which on reads do not count: forgetting them takes no walk over the registers.
	first int
}

// none notes that instruction i makes all reads after it, and its own, uncertain.
func (r *reads) none(i int) { r.first = i }

// hints sets those of one instruction and takes what it does to registers into
// account: live are the halves that something after it reads, floor the first that values have.
func (p *program) hints(in *pinstr, i int, floor int32, live *halfSet, soon *reads) {
	traits := in.Op.Traits()
	if d := &in.Dst; d.Kind == isa.Reg {
		if d.Val >= floor && in.Op.DstAllow()&isa.AllowHints != 0 && soon.wanted(d, i) {
			d.Flags |= isa.Cache
		}
		if !in.divergent && traits&isa.TraitExec == 0 {
			live.remove(int(d.Val), d.Halves())
		}
		soon.set(d, 0)
	}
	for k := range in.Srcs {
		s := &in.Srcs[k]
		if s.Kind != isa.Reg || s.Val < floor {
			continue
		}
		allow := in.Op.SrcAllow(k)
		if allow&(isa.AllowHints|isa.AllowDiscard) == 0 {
			continue
		}
		switch {
		case soon.wanted(s, i):
			if allow&isa.AllowHints != 0 {
				s.Flags |= isa.Cache
			}
		case !in.divergent && !live.touches(int(s.Val), s.Halves()):
			s.Flags |= isa.Discard
		}
	}
	for k := range in.Srcs {
		if s := &in.Srcs[k]; s.Kind == isa.Reg {
			live.add(int(s.Val), s.Halves())
			soon.set(s, i+1)
		}
	}
	if traits&(isa.TraitExec|isa.TraitBranch) != 0 {
		soon.none(i)
	}
}

// wanted reports whether an operand's registers are read soon after instruction i.
func (r *reads) wanted(o *isa.Operand, i int) bool {
	for _, n := range r.at[o.Val:min(int(o.Val)+o.Halves(), gprHalves)] {
		if n == 0 || int(n) > r.first || int(n) > i+cacheWindow+1 {
			return false
		}
	}
	return true
}

// set notes that the instruction before the nth, from the start, reads an operand's registers next; 0: none does.
func (r *reads) set(o *isa.Operand, n int) {
	at := r.at[o.Val:min(int(o.Val)+o.Halves(), gprHalves)]
	for k := range at {
		at[k] = int32(n)
	}
}

// markDivergent marks the instructions inside conditionals and loops.
func (p *program) markDivergent() {
	depth := 0
	for i, in := range p.list {
		in.addr = i
		switch in.Op {
		case isa.OpPopExec:
			// Loops that nothing surrounds open no level.
			depth = max(0, depth-int(in.Nest))
		case isa.OpIfIcmp, isa.OpIfFcmp:
			depth += int(in.Nest)
		}
		in.divergent = depth > 0
	}
	for i, in := range p.list {
		if in.to == nil || in.to.addr > i {
			continue
		}
		for _, body := range p.list[in.to.addr : i+1] {
			body.divergent = true
		}
	}
}
