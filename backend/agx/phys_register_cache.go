package agx

import "nirc/backend/agx/isa"

// cacheWindow is how many instructions ahead a use counts as soon: the operand
// cache is small (agx.md §1.4).
const cacheWindow = 6

// halfSet is a set of register halves.
type halfSet [gprHalves / 64]uint64

func (s *halfSet) touches(o *isa.Operand) bool {
	for h := int(o.Val); h < int(o.Val)+o.Halves() && h < gprHalves; h++ {
		if s[h>>6]>>(h&63)&1 != 0 {
			return true
		}
	}
	return false
}

func (s *halfSet) set(o *isa.Operand, on bool) {
	for h := int(o.Val); h < int(o.Val)+o.Halves() && h < gprHalves; h++ {
		if s[h>>6] &^= 1 << (h & 63); on {
			s[h>>6] |= 1 << (h & 63)
		}
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
				live.set(&o, true)
			}
		}
	}
	// r0l is the execution mask's, r0h the shuffles'.
	live.set(&isa.Operand{Kind: isa.Reg, Size: 16, Count: gprFloor}, true)
	p.markDivergent()
	soon := reads{first: len(p.list)}
	for i := len(p.list) - 1; i >= 0; i-- {
		in := p.list[i]
		p.hints(in, i, &live, &soon)
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

// within reports whether some instruction up to limit reads a half, after what is uncertain is left out.
func (r *reads) within(h, limit int) bool {
	n := int(r.at[h])
	return n != 0 && n-1 < r.first && n-1 <= limit
}

// hints sets those of one instruction and takes what it does to registers into
// account: live are the halves that something after it reads.
func (p *program) hints(in *pinstr, i int, live *halfSet, soon *reads) {
	d := &in.Dst
	if d.Kind == isa.Reg {
		if d.Val >= gprFloor && in.Op.DstAllow()&isa.AllowHints != 0 && p.wanted(d, i, soon) {
			d.Flags |= isa.Cache
		}
		if !in.divergent && in.Op.Traits()&isa.TraitExec == 0 {
			live.set(d, false)
		}
		for h := int(d.Val); h < int(d.Val)+d.Halves() && h < gprHalves; h++ {
			soon.at[h] = 0
		}
	}
	for k := range in.Srcs {
		s := &in.Srcs[k]
		allow := in.Op.SrcAllow(k)
		if s.Kind != isa.Reg || s.Val < gprFloor || allow&(isa.AllowHints|isa.AllowDiscard) == 0 {
			continue
		}
		switch {
		case p.wanted(s, i, soon):
			if allow&isa.AllowHints != 0 {
				s.Flags |= isa.Cache
			}
		case !in.divergent && !live.touches(s):
			s.Flags |= isa.Discard
		}
	}
	for k := range in.Srcs {
		if s := &in.Srcs[k]; s.Kind == isa.Reg {
			live.set(s, true)
			for h := int(s.Val); h < int(s.Val)+s.Halves() && h < gprHalves; h++ {
				soon.at[h] = int32(i + 1)
			}
		}
	}
	if in.Op.Traits()&(isa.TraitExec|isa.TraitBranch) != 0 {
		soon.none(i)
	}
}

// wanted reports whether an operand's registers are read soon after instruction i.
func (p *program) wanted(o *isa.Operand, i int, soon *reads) bool {
	for h := int(o.Val); h < int(o.Val)+o.Halves() && h < gprHalves; h++ {
		if !soon.within(h, i+cacheWindow) {
			return false
		}
	}
	return true
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
