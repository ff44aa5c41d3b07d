package passes

import "nirc/ir"

var optMovePass = &Pass{
	Name: "opt_move", Class: "B", Run: optMove, Optional: true,
	Doc: "Moves instructions of chosen kinds down inside their block, before their first use there, or to its end if all uses are after it.",
	Options: []Option{
		{"const_undef", "constants and undefs", true},
		{"inputs", "inputs and system values", false},
		{"buffers", "loads from buffers that nobody writes", false},
		{"compares", "comparisons", true},
		{"copies", "moves and vectors", false},
		{"alu", "ALU operations with at most one source that is not constant", false},
	},
}

func optMove(c *Context, s *ir.Shader) (bool, error) {
	k := sinkKinds(c)
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		progress := false
		for blk := range impl.Blocks() {
			progress = moveInBlock(blk, k) || progress
		}
		return progress
	}), nil
}

// moveInBlock goes backward; Instr.Flags numbers the block, and what has moved
// takes the number of what it stands before.
func moveInBlock(blk *ir.Block, k kinds) (progress bool) {
	n := uint32(0)
	for in := range blk.Instrs() {
		in.Flags = n
		n++
	}
	for in := range blk.InstrsReverse() {
		if !in.HasDef() || in.Def.Unused() || mobilityOf(in) == pinned || !k.has(in) {
			continue
		}
		first := blk.Jump()
		for u := range in.Def.Uses() {
			if u.Instr != nil && u.Instr.Block == blk && u.Instr.Kind != ir.KindPhi && (first == nil || u.Instr.Flags < first.Flags || standsBefore(u.Instr, first)) {
				first = u.Instr
			}
		}
		if first == in.Next() {
			continue
		}
		to := ir.AtEnd(blk)
		if first != nil {
			to = ir.Before(first)
			in.Flags = first.Flags
		} else {
			in.Flags = n
		}
		in.MoveTo(to)
		progress = true
	}
	return progress
}

// standsBefore tells the order of two instructions of one number: those that moved
// before the one that has it by right.
func standsBefore(a, b *ir.Instr) bool {
	if a.Flags != b.Flags {
		return false
	}
	for x := a.Next(); x != nil && x.Flags == a.Flags; x = x.Next() {
		if x == b {
			return true
		}
	}
	return false
}
