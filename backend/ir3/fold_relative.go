package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
)

// foldRelative lets ALU instructions read c<a0.x + n> themselves, instead of a register that it was moved to
// (ir3.md §6.8): where all that read the register can, and stand in the move's block before a0.x is written again.
func foldRelative(f *mach.Func) {
	r := relativeReads{f: f, code: templates(f)}
	for b := range f.Blocks {
		r.block(f.Blocks[b].Instrs)
	}
	if r.folded {
		removeDead(f)
	}
}

type relativeReads struct {
	f      *mach.Func
	code   *code
	uses   []uint32 // by value, nil as long as there is no move
	move   []int32  // by value, one more than its index in moves
	moves  []relativeMove
	folded bool
}

// relativeMove is a move from c<a0.x + n>.
type relativeMove struct {
	in      *mach.Instr
	readers []*mach.Instr // after it, as long as a0.x is the same
}

func (r *relativeReads) block(ins []*mach.Instr) {
	r.moves = r.moves[:0]
	first := 0 // of the moves by the a0.x that stands
	for _, in := range ins {
		if in.Op == machOp(isa.OpMova) || in.Op >= opInputs {
			first = len(r.moves)
			continue
		}
		if in.Op < mach.FirstTargetOp {
			continue
		}
		if r.uses != nil {
			for _, u := range in.Uses() {
				if k := int(r.move[u.Val]) - 1; k >= first {
					r.moves[k].readers = append(r.moves[k].readers, in)
				}
			}
		}
		if r.isMove(in) {
			r.start()
			r.moves = append(r.moves, relativeMove{in: in})
			r.move[in.Ops[0].Val] = int32(len(r.moves))
		}
	}
	for i := range r.moves {
		r.fold(&r.moves[i])
		r.move[r.moves[i].in.Ops[0].Val] = 0
	}
}

// start counts the uses of all values.
func (r *relativeReads) start() {
	if r.uses != nil {
		return
	}
	r.uses, r.move = make([]uint32, r.f.NumValues()), make([]int32, r.f.NumValues())
	for b := range r.f.Blocks {
		for _, in := range r.f.Blocks[b].Instrs {
			for _, u := range in.Uses() {
				r.uses[u.Val]++
			}
		}
	}
}

// isMove reports whether in moves a const relative to a0.x to a register.
func (r *relativeReads) isMove(in *mach.Instr) bool {
	if in.Op != machOp(isa.OpMov) {
		return false
	}
	t := &r.code.tmpl[in.Ext]
	return t.Type == isa.U32 && t.SrcType == isa.U32 && t.Srcs[0].Kind == isa.RelConst && t.Srcs[0].Flags == 0 && r.f.Class(in.Ops[0].Val) == classFull
}

// fold replaces the register of a move in all that reads it, if all can do without.
func (r *relativeReads) fold(m *relativeMove) {
	d := m.in.Ops[0].Val
	if uint32(len(m.readers)) != r.uses[d] {
		return
	}
	for i, in := range m.readers {
		if i > 0 && in == m.readers[i-1] || r.place(in, d) < 0 {
			return
		}
	}
	for _, in := range m.readers {
		r.replace(in, r.place(in, d), m.in)
		r.folded = true
	}
}

// place returns the source of in that is d, if a relative const may stand there; else -1. The factors of a
// product with addition change places where the second is d.
func (r *relativeReads) place(in *mach.Instr, d mach.Value) int {
	t := &r.code.tmpl[in.Ext]
	if cat := t.Op.Category(); cat != 2 && cat != 3 || len(in.Defs()) != 1 || r.f.Class(in.Ops[0].Val) == classShared {
		return -1
	}
	for i := range in.Ops {
		if in.Ops[i].Flags&^mach.Kill != 0 {
			return -1
		}
	}
	k := 0
	for i := range t.Srcs {
		if t.Srcs[i].Kind != isa.Reg {
			continue
		}
		if in.Uses()[k].Val == d {
			if takesShared(t, i) || i == 1 && factorsCommute(t.Op) && t.Srcs[0].Kind == isa.Reg && r.swapped(t) {
				return i
			}
			return -1
		}
		k++
	}
	return -1
}

// swapped reports whether the first factor could be a relative const if it were the second.
func (r *relativeReads) swapped(t *isa.Instr) bool {
	n := *t
	n.Srcs[0], n.Srcs[1] = n.Srcs[1], n.Srcs[0]
	return takesShared(&n, 0)
}

// factorsCommute reports whether the first two sources may change places.
func factorsCommute(op isa.Op) bool {
	switch op {
	case isa.OpMadF32, isa.OpMadF16, isa.OpMadU24, isa.OpMadS24:
		return true
	}
	return false
}

// replace makes source i of in what move reads.
func (r *relativeReads) replace(in *mach.Instr, i int, move *mach.Instr) {
	n := r.code.tmpl[in.Ext]
	if i == 1 && factorsCommute(n.Op) {
		n.Srcs[0], n.Srcs[1] = n.Srcs[1], n.Srcs[0]
		u := in.Uses()
		u[0], u[1] = u[1], u[0]
		i = 0
	}
	k := 0
	for j := range i {
		if n.Srcs[j].Kind == isa.Reg {
			k++
		}
	}
	flags := n.Srcs[i].Flags
	n.Srcs[i] = r.code.tmpl[move.Ext].Srcs[0].With(flags)
	in.Ext = r.code.new(n)
	in.RemoveUse(k)
	in.Ops = append(in.Ops, move.Uses()[0])
}
