package passes

import "nirc/ir"

// loopRoom bounds the words that hoisted values take through each loop. A value that leaves a loop lives in all of it, and
// what registers cannot hold is stored and loaded again, which costs more than to compute it in each round.
type loopRoom struct {
	limit int   // words a loop; 0: any number
	held  []int // by the index of the block before a loop
	known []bool
}

// inspectedUses bounds how many uses of a value are looked at: one of more lives on.
const inspectedUses = 8

func (r *loopRoom) init(impl *ir.Impl, limit int) {
	if r.limit = limit; limit == 0 {
		return
	}
	r.held, r.known = make([]int, impl.NumBlocks), make([]bool, impl.NumDefs)
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.HasDef() {
				r.known[in.Def.Index] = r.alike(in)
			}
		}
	}
}

// alike reports whether an instruction gives the same to all threads of a draw or dispatch: preambles compute that, and it
// takes no registers of theirs.
func (r *loopRoom) alike(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindLoadConst, ir.KindUndef:
		return true
	case ir.KindALU:
	case ir.KindIntrinsic:
		switch in.Intr {
		case ir.IntrLoadPushConstant, ir.IntrLoadUbo, ir.IntrVulkanResourceIndex, ir.IntrVulkanResourceReindex,
			ir.IntrLoadVulkanDescriptor, ir.IntrGetSsboSize:
		default:
			return false
		}
	default:
		return false
	}
	for i := range in.Srcs {
		if !r.known[in.Srcs[i].Def.Index] {
			return false
		}
	}
	return true
}

// reach returns how far an instruction gets on its way out to the block before a loop: as far as the loops on the way have
// room for it.
func (r *loopRoom) reach(in *ir.Instr, to *ir.Block) *ir.Block {
	at := in.Block
	if r.limit == 0 || at == to || r.known[in.Def.Index] {
		return to
	}
	for at != to {
		l := ir.EnclosingLoop(at)
		if l == nil {
			return to
		}
		before := ir.Prev(l).(*ir.Block)
		more := r.more(in, before)
		held := &r.held[before.Index]
		if more > 0 && *held+more > r.limit {
			return at
		}
		*held += more
		at = before
	}
	return at
}

// more is how many words more live through the loop after a block if an instruction leaves it: its result, less
// what it alone reads there.
func (r *loopRoom) more(in *ir.Instr, before *ir.Block) int {
	n := words(&in.Def)
	for i := range in.Srcs {
		d := in.Srcs[i].Def
		if r.known[d.Index] || r.readTwice(in, i) || r.livesOn(d, in, before) {
			continue
		}
		n -= words(d)
	}
	return n
}

// readTwice reports whether an earlier source of an instruction is the value of source i.
func (r *loopRoom) readTwice(in *ir.Instr, i int) bool {
	for k := range i {
		if in.Srcs[k].Def == in.Srcs[i].Def {
			return true
		}
	}
	return false
}

// livesOn reports whether anything but an instruction reads a value in the loop after a block, or behind it.
func (r *loopRoom) livesOn(d *ir.Def, in *ir.Instr, before *ir.Block) bool {
	n := 0
	for u := range d.Uses() {
		if n++; n > inspectedUses {
			return true
		}
		if u.Instr == in {
			continue
		}
		if blk := readAt(u); blk.Index > before.Index {
			return true
		}
	}
	return false
}

// words is the number of 32-bit registers that a value takes.
func words(d *ir.Def) int { return (int(d.NumComponents)*int(d.BitSize) + 31) / 32 }
