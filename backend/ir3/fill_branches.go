package ir3

import (
	"slices"

	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/internal/slab"
)

const (
	// maxFill bounds the slots that are filled before a branch, fillWindow how many instructions of the side are looked at.
	maxFill, fillWindow = 8, 64
	// toBranch is how long a predicate takes to the branch that reads it (ir3.md §4.1).
	toBranch = 6
)

// What is known of a value when the branch is reached: the side defines it, or its block has asked for it and not waited.
const (
	isOfSide = 1 + iota
	isUnderWay
)

// filler moves what one side of a branch begins with before the branch, where slots would wait for its
// condition. Nothing moves that could fault, and no more than there are idle slots: a fiber that goes the other way
// loses nothing.
type filler struct {
	f    *mach.Func
	code *code
	gpu  *GPU
	at   []int32 // by value: when it is there, in the block under way; 0 of others
	in   []int32 // by value: isOfSide, isUnderWay or 0
	way  []int32 // by instruction of the side: slots from it to the end
	last []int32 // by value: the longest way from one of its readers
}

// run goes through all branches.
func (m *filler) run(f *mach.Func, g *GPU) {
	m.reset(f, g)
	for b := range f.Blocks {
		l := f.Blocks[b].Instrs // the last says where to go on
		if !isBranch(l[len(l)-1].Op) {
			continue
		}
		if s := m.side(mach.BlockID(b)); s >= 0 {
			if idle := m.idle(l); idle > 0 {
				m.fill(mach.BlockID(b), s, min(idle, maxFill))
			}
		}
	}
}

// reset prepares for a function.
func (m *filler) reset(f *mach.Func, g *GPU) {
	n := f.NumValues()
	*m = filler{f: f, code: templates(f), gpu: g, at: slab.Zeroed(m.at, n), in: slab.Zeroed(m.in, n), last: slab.Zeroed(m.last, n), way: m.way}
}

// side is the successor of a block that code moves up from: one that nothing else leads to, of two
// the one in more loops, or the longer; -1 if there is none.
func (m *filler) side(b mach.BlockID) mach.BlockID {
	best := mach.BlockID(-1)
	head := slices.ContainsFunc(m.f.Blocks[b].Preds, func(p mach.BlockID) bool { return p >= b })
	for _, s := range m.f.Blocks[b].Succs {
		if !head {
			s = m.through(s)
		}
		x := &m.f.Blocks[s]
		if len(x.Preds) != 1 || x.Instrs[0].Op == mach.OpPhi {
			continue
		}
		if best >= 0 {
			y := &m.f.Blocks[best]
			if x.LoopDepth < y.LoopDepth || x.LoopDepth == y.LoopDepth && len(x.Instrs) <= len(y.Instrs) {
				continue
			}
		}
		best = s
	}
	return best
}

// through is the block that control is in after those that only lead on to it, of b alone.
func (m *filler) through(b mach.BlockID) mach.BlockID {
	for {
		x := &m.f.Blocks[b]
		if len(x.Preds) != 1 || len(x.Succs) != 1 || len(x.Instrs) != 1 || x.Instrs[0].Op != machOp(isa.OpJump) || len(m.f.Blocks[x.Succs[0]].Preds) != 1 {
			return b
		}
		b = x.Succs[0]
	}
}

// template is an instruction's, nil of those of no instruction set.
func (m *filler) template(in *mach.Instr) *isa.Instr {
	if in.Op < mach.FirstTargetOp || in.Op >= opInputs {
		return nil
	}
	return &m.code.tmpl[in.Ext]
}

// idle is how many slots of a block wait for its branch's condition, at least: what the longest chain takes
// that leads there, less what all instructions take.
func (m *filler) idle(l []*mach.Instr) int {
	slots, end := int32(0), int32(0)
	for _, in := range l {
		start := int32(0)
		for _, u := range in.Uses() {
			start = max(start, m.at[u.Val])
		}
		end = start
		t := m.template(in)
		if t == nil {
			for _, d := range in.Defs() {
				m.at[d.Val] = start
			}
			continue
		}
		n := int32(m.gpu.slots(t))
		slots += n
		wait := int32(3)
		if k := syncOf(t); k.sy || k.ss {
			wait = 10
		}
		for _, d := range in.Defs() {
			if m.at[d.Val] = start + n + wait; m.f.File(d.Val) == filePred {
				m.at[d.Val] = start + n + toBranch
			}
		}
	}
	for _, in := range l {
		for _, d := range in.Defs() {
			m.at[d.Val] = 0
		}
	}
	return int(end - slots)
}

// fill moves up to the given number of slots of block s to the end of block b, the longest chains first.
func (m *filler) fill(b, s mach.BlockID, room int) {
	to, from := &m.f.Blocks[b], &m.f.Blocks[s]
	list := from.Instrs
	m.ways(list)
	for _, in := range list {
		for _, d := range in.Defs() {
			m.in[d.Val] = isOfSide
		}
	}
	m.underWay(to.Instrs)
	br := to.Instrs[len(to.Instrs)-1]
	moved := to.Instrs[:len(to.Instrs)-1]
	for room > 0 {
		best := -1
		for i, in := range list[:min(len(list), fillWindow)] {
			if in != nil && (best < 0 || m.way[i] > m.way[best]) && leads(list, i) && m.groupFree(list[i:], room) > 0 {
				best = i
			}
		}
		if best < 0 {
			break
		}
		for k, in := range list[best : best+m.groupFree(list[best:], room)] {
			room -= m.gpu.slots(m.template(in))
			moved = append(moved, in)
			m.in[in.Ops[0].Val] = 0
			list[best+k] = nil
		}
	}
	m.arrived(to.Instrs)
	to.Instrs = append(moved, br)
	kept := list[:0]
	for _, in := range list {
		if in != nil {
			kept = append(kept, in)
		}
	}
	from.Instrs = kept
	for _, in := range kept {
		for _, d := range in.Defs() {
			m.in[d.Val] = 0
		}
	}
}

// underWay marks the results of a block that are waited for by a flag and that nothing in it reads: a reader that came
// up from the side would wait there, longer than for the condition.
func (m *filler) underWay(l []*mach.Instr) {
	for _, in := range l {
		mark := int32(0)
		if t := m.template(in); t != nil {
			if k := syncOf(t); k.sy || k.ss {
				mark = isUnderWay
			}
		}
		for _, u := range in.Uses() {
			if m.in[u.Val] != isUnderWay {
				continue
			}
			if in.Op == mach.OpSplit {
				mark = isUnderWay
			} else {
				m.in[u.Val] = 0
			}
		}
		for _, d := range in.Defs() {
			m.in[d.Val] = mark
		}
	}
}

// arrived takes the marks of a block away.
func (m *filler) arrived(l []*mach.Instr) {
	for _, in := range l {
		for _, d := range in.Defs() {
			m.in[d.Val] = 0
		}
	}
}

// leads reports whether an instruction is the first of its repeat group, or of none.
func leads(list []*mach.Instr, i int) bool {
	return list[i].Aux == 0 || i == 0 || list[i-1] == nil || list[i-1].Aux != list[i].Aux
}

// groupFree is how many instructions move with the first of a list, itself and the rest of its repeat group, 0 if
// one of them may not.
func (m *filler) groupFree(list []*mach.Instr, room int) (n int) {
	aux := list[0].Aux
	for n < len(list) && list[n] != nil && (n == 0 || aux != 0 && list[n].Aux == aux) {
		if !m.free(list[n], room) {
			return 0
		}
		room -= m.gpu.slots(m.template(list[n]))
		n++
	}
	return n
}

// free reports whether an instruction of the side may move: it only computes, in registers of each fiber, from
// what is there before the branch.
func (m *filler) free(in *mach.Instr, room int) bool {
	t := m.template(in)
	if t == nil || in.NDefs != 1 || m.f.File(in.Ops[0].Val) != fileGPR || !(pure(m.f, in) || movesImmediate(t)) {
		return false
	}
	if c := t.Op.Category(); c < 1 || c > 3 || m.gpu.slots(t) > room {
		return false
	}
	for _, u := range in.Uses() {
		if m.in[u.Val] != 0 || m.f.File(u.Val) != fileGPR {
			return false
		}
	}
	for _, o := range t.Srcs {
		if o.Kind == isa.RelConst || o.Kind == isa.RelReg {
			return false
		}
	}
	return t.Dst.Kind != isa.RelReg
}

// ways computes the longest way of each instruction to the end of its block.
func (m *filler) ways(list []*mach.Instr) {
	m.way = slab.Resized(m.way, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		in := list[i]
		way := int32(0)
		for _, d := range in.Defs() {
			way = max(way, m.last[d.Val])
		}
		far := int32(0)
		if t := m.template(in); t != nil {
			way += int32(m.gpu.slots(t))
			switch k := syncOf(t); {
			case k.sy:
				way += 86
			case k.ss:
				way += 10
			default:
				way += 3
			}
			if t.Op.Category() > 3 {
				far = 3
			}
		}
		m.way[i] = way
		for _, u := range in.Uses() {
			m.last[u.Val] = max(m.last[u.Val], way+far)
		}
	}
	for _, in := range list {
		for _, o := range in.Ops {
			m.last[o.Val] = 0
		}
	}
}

// movesImmediate reports whether an instruction moves an immediate.
func movesImmediate(t *isa.Instr) bool { return t.Op == isa.OpMov && t.Srcs[0].Kind == isa.Imm }
