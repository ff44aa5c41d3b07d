package agx

import (
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/cost"
)

// lane is the state of control of one lane (agx.md §6.1): the line it is at, its nesting count
// in r0l, and whether it runs.
type lane struct {
	line    int
	waiting uint16
	active  bool
}

// maxStates bounds the states that are followed, for each line.
const maxStates = 64

// walker finds the ways of a SIMD-group with a single lane through the code: each comparison goes either
// way, and jumps are taken as that lane's mask says. What is executed while the lane waits takes
// time all the same.
type walker struct {
	lines []isa.Line
	at    map[int]int32 // line by offset
	// end is the offset after a part of a program, which the next part follows; 0 where the program ends by itself. What
	// stands there in the object, a preamble or padding, is not reached.
	end   int
	nodes map[lane]int32
	list  []cost.Node
	todo  []lane
}

// walk makes the nodes from the entry on, which is the first, and tells which lines are reached. There are no nodes if the
// code does with r0l what is not understood.
func (w *walker) walk(entry int) []bool {
	reached := make([]bool, len(w.lines))
	for i := range w.lines {
		w.at[w.lines[i].PC] = int32(i)
	}
	first, ok := w.at[entry]
	if !ok {
		return reached
	}
	w.node(lane{line: int(first), active: true})
	known := true // what is understood so far
	for len(w.todo) > 0 {
		s := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		reached[s.line] = true
		next, ok := w.step(s)
		if known = known && ok; !known {
			break
		}
		succ := make([]int32, len(next))
		for i, t := range next {
			succ[i] = w.node(t)
		}
		w.list[w.nodes[s]].Succ = succ
	}
	if !known {
		w.list = nil
	}
	return reached
}

// aside marks the instructions of a geometry shader's other programs, which run for invocations of their own.
func (w *walker) aside(list []cost.Instr, m *abi.Meta) {
	if m.Geometry == nil {
		return
	}
	for _, part := range []*abi.Meta{m.Geometry.Raster, m.Geometry.Count} {
		if part == nil {
			continue
		}
		other := walker{lines: w.lines, at: w.at, nodes: map[lane]int32{}}
		for i, reached := range other.walk(int(part.Entry)) {
			list[i].Aside = list[i].Aside || reached && list[i].Once
		}
	}
}

// node returns the number of a state.
func (w *walker) node(s lane) int32 {
	n, ok := w.nodes[s]
	if !ok {
		n = int32(len(w.list))
		w.nodes[s] = n
		w.list = append(w.list, cost.Node{Instr: int32(s.line), Idle: !s.active})
		w.todo = append(w.todo, s)
	}
	return n
}

// step returns the states that may follow.
func (w *walker) step(s lane) (next []lane, ok bool) {
	l := &w.lines[s.line]
	in := &l.Instr
	add := func(line int, v int, active bool) {
		if line < len(w.lines) && (w.end == 0 || w.lines[line].PC != w.end) {
			t := lane{line, uint16(v), active}
			if len(next) == 0 || next[0] != t {
				next = append(next, t)
			}
		}
	}
	v, k := int(s.waiting), int(in.Nest)
	behind := s.line + 1
	mask := func(values ...int) {
		for _, v := range values {
			add(behind, v, v == 0)
		}
	}
	switch in.Op {
	case isa.OpStop, isa.OpTrap, isa.OpInvalid:
		return nil, true
	case isa.OpJmpExecAny, isa.OpJmpExecNone:
		if s.active != (in.Op == isa.OpJmpExecAny) {
			add(behind, v, s.active)
		} else if t, found := w.at[l.Target]; found {
			add(int(t), v, s.active)
		}
	case isa.OpIfIcmp, isa.OpIfFcmp:
		if v != 0 {
			mask(min(v+k, 1<<16-1))
		} else {
			mask(outcomes(in, 0, 1)...)
		}
	case isa.OpElseIcmp, isa.OpElseFcmp:
		switch {
		case v == 0:
			mask(k)
		case v == 1:
			mask(outcomes(in, 0, 1)...)
		default:
			mask(v)
		}
	case isa.OpWhileIcmp, isa.OpWhileFcmp:
		if v < k {
			mask(outcomes(in, 0, k)...)
		} else {
			mask(v)
		}
	case isa.OpPopExec:
		mask(max(v-k, 0))
	case isa.OpCall, isa.OpCallReg, isa.OpRet, isa.OpPopExec2, isa.OpJmpIncomplete, isa.OpJmpIfSkippingDoorbell:
		return nil, false
	default:
		for _, v := range written(in, s) {
			add(behind, v, s.active)
		}
	}
	return next, len(w.list) <= maxStates*len(w.lines)
}

// outcomes are the values that a comparison can give: yes, no, or both.
func outcomes(in *isa.Instr, yes, no int) []int {
	a, b := in.Srcs[0], in.Srcs[1]
	if a == b && (a.Kind == isa.Imm || a.Kind == isa.FImm) {
		if equal := in.Cond.Base(); equal == isa.CondUEQ || equal == isa.CondSEQ || equal == isa.CondFEQ {
			if in.Cond.Inverted() {
				return []int{no}
			}
			return []int{yes}
		}
	}
	return []int{yes, no}
}

// written are the values that r0l can have after an instruction that is no control flow.
func written(in *isa.Instr, s lane) []int {
	v := int(s.waiting)
	if !s.active || in.Dst.Kind != isa.Reg || in.Dst.Val != isa.R0L {
		return []int{v}
	}
	value := func(o isa.Operand) int {
		if o.Kind == isa.Imm {
			return int(o.Val)
		}
		return v // itself
	}
	switch in.Op {
	case isa.OpMovImm16, isa.OpMovImm32:
		return []int{int(in.Imm & 0xffff)}
	case isa.OpIcmpsel, isa.OpFcmpsel:
		return []int{value(in.Srcs[2]), value(in.Srcs[3])}
	}
	return []int{v} // r0 of a program without control flow
}
