package core

import (
	"fmt"

	"nirc/backend/ir3/isa"
)

// Hazard units: one per half register, normal then shared, then the special
// registers.
const (
	unitShared = 384
	unitA0     = 448
	unitA1     = 449
	unitPred   = 450
	numUnits   = 454
)

// span is a run of registers that an instruction reads or writes.
type span struct {
	unit, n int16
	step    int16 // units to the next iteration of a repeat; 0: no (r)
	cycle   int8  // slots after the issue at which it happens (swz, gat, sct)
	write   bool
	half    bool
	late    bool // third source of category 3
	last    bool // (last): nobody reads it again
}

// syncClass is what a consumer of a result must wait with.
type syncClass uint8

const (
	syncSS syncClass = 1 << iota
	syncSY
)

// hazards is what the checker needs to know about an instruction.
type hazards struct {
	spans      []span
	class      syncClass
	lateRead   bool // sources are read after the issue
	warSS      bool // ... and only (ss) orders a write after it
	slots      int  // issue slots that it takes
	readsConst bool
	relSrc     int8 // index of a relative register source, -1
	relDst     bool
	usesA0     bool
	leader     bool // first of a block
	scalar     bool // could run on the scalar unit
}

func (h *hazards) add(o isa.Operand, regs int, write bool) *span {
	if o.Kind != isa.Reg || regs <= 0 {
		return &span{}
	}
	v := int(o.Val)
	s := span{write: write, half: o.IsHalf(), last: o.Flags&isa.Last != 0}
	per := 2
	if s.half {
		per = 1
	}
	switch {
	case o.IsPred():
		s.unit, s.n = int16(unitPred+v-isa.P0), 1
	case v == isa.A0:
		s.unit, s.n = unitA0, 1
	case v == isa.A1:
		s.unit, s.n = unitA1, 1
	case v >= isa.SharedEnd:
		return &s
	case o.IsShared():
		s.unit, s.n = int16(unitShared+(v-isa.SharedFirst)*per), int16(regs*per)
		s.n = min(s.n, unitA0-s.unit)
	default:
		s.unit, s.n = int16(v*per), int16(regs*per)
	}
	h.spans = append(h.spans, s)
	return &h.spans[len(h.spans)-1]
}

// findHazards lists what the instruction touches.
func (x *inst) findHazards() hazards {
	h := hazards{relSrc: -1}
	switch cat := x.Category(); cat {
	case -1:
		return h
	case 0:
		h.flowSpans(x)
	case 1, 2, 3, 4:
		h.aluSpans(x, cat)
	case 5:
		h.texSpans(x)
	case 6:
		h.memSpans(x)
	case 7:
		h.add(x.Srcs[0], 1, false)
	}
	for i := range x.Srcs {
		switch x.Srcs[i].Kind {
		case isa.Const:
			h.readsConst = true
		case isa.RelConst:
			h.readsConst, h.usesA0 = true, true
		case isa.RelReg:
			h.relSrc, h.usesA0 = int8(i), true
		}
	}
	h.relDst = x.Dst.Kind == isa.RelReg
	if h.usesA0 = h.usesA0 || h.relDst; h.usesA0 {
		h.spans = append(h.spans, span{unit: unitA0, n: 1})
	}
	return h
}

func (h *hazards) flowSpans(x *inst) {
	switch x.Op {
	case isa.OpBr, isa.OpBraa, isa.OpBrao, isa.OpJump:
	default:
		h.slots = 1 + int(x.Repeat)
	}
	switch x.Op {
	case isa.OpPredt, isa.OpPredf:
		h.add(isa.P(0), 1, false)
	case isa.OpBr, isa.OpBraa, isa.OpBrao, isa.OpBany, isa.OpBall, isa.OpKill:
		h.add(x.Srcs[0], 1, false)
		h.add(x.Srcs[1], 1, false)
	}
}

func (h *hazards) aluSpans(x *inst, cat int) {
	h.slots = 1 + int(x.Repeat) + x.Nops()
	shared := x.Dst.IsShared()
	switch x.Op {
	case isa.OpSwz, isa.OpGat, isa.OpSct:
		h.moveSpans(x)
		return
	case isa.OpMovmsk:
		h.add(x.Dst, int(x.Size), true)
		h.slots, h.class = int(x.Size), syncSS
		return
	}
	step := func(s *span, o isa.Operand, rpt bool) {
		if rpt && x.Repeat > 0 {
			s.step = 2
			if o.IsHalf() || s.unit >= unitA0 {
				s.step = 1
			}
		}
	}
	for i := 0; i < 3; i++ {
		o := x.Srcs[i]
		if x.Op == isa.OpFlatB && i == 1 {
			continue
		}
		n := 1
		if x.Op == isa.OpBaryF && i == 1 {
			n = 2
		}
		s := h.add(o, n, false)
		step(s, o, o.Flags&isa.Rpt != 0 && n == 1)
		s.late = cat == 3 && i == 2
	}
	step(h.add(x.Dst, 1, true), x.Dst, true)
	h.scalar = shared && (cat <= 3) && (cat != 1 || x.Srcs[0].IsShared() || x.Srcs[0].Kind == isa.Const || x.Srcs[0].Kind == isa.Imm)
	if cat == 4 {
		h.slots = 0
	}
	if cat == 4 || shared {
		h.class, h.lateRead, h.warSS = syncSS, true, true
	}
}

// moveSpans: gat and swz read source k in cycle k, sct and swz write
// destination k in cycle k.
func (h *hazards) moveSpans(x *inst) {
	n := 4
	switch x.Op {
	case isa.OpSwz:
		n = 2
		for k := 0; k < 2; k++ {
			h.add(x.Srcs[k], 1, false).cycle = int8(k)
		}
		h.add(x.Dst, 1, true)
		h.add(x.Srcs[2], 1, true).cycle = 1
	case isa.OpGat:
		for k := 0; k < 4; k++ {
			h.add(x.Srcs[k], 1, false).cycle = int8(k)
		}
		h.add(x.Dst, 4, true).cycle = 3
	case isa.OpSct:
		h.add(x.Srcs[0], 4, false)
		h.add(x.Dst, 1, true)
		for k := 1; k < 4; k++ {
			h.add(x.Srcs[k], 1, true).cycle = int8(k)
		}
	}
	h.slots = n
}

func (h *hazards) texSpans(x *inst) {
	if x.Op == isa.OpTcinv {
		return
	}
	if !x.StartsPair() {
		h.class, h.lateRead = syncSY, true
	}
	n1, n2, n3 := x.TexSources()
	h.texReads(x, x.Srcs[0], n1)
	h.texReads(x, x.Srcs[1], n2)
	h.texReads(x, x.Srcs[2], n3)
	switch x.Mode {
	case isa.TexBindlessA1, isa.TexBindlessA1Nonu, isa.TexBindlessA1Imm:
		h.add(isa.R(isa.A1), 1, false)
	}
	for k := int32(0); k < 4; k++ {
		if x.WrMask>>k&1 != 0 {
			d := x.Dst
			d.Val += k
			h.add(d, 1, true)
		}
	}
	if x.Op == isa.OpBrcstActive {
		h.add(x.Dst, 1, false)
	}
}

func (h *hazards) memSpans(x *inst) {
	size := int(x.Size)
	h.lateRead, h.class = true, syncSY
	s := x.Srcs
	switch x.Op {
	case isa.OpGetfiberid, isa.OpGetwid, isa.OpGetspid:
		h.lateRead, h.class = false, syncSS
		h.add(x.Dst, 1, true)
	case isa.OpLdg, isa.OpLdgA6, isa.OpLdgA7:
		h.add(s[0], 2, false)
		h.add(s[1], 1, false)
		h.add(x.Dst, size, true)
	case isa.OpStg, isa.OpStgA6, isa.OpStgA7:
		h.add(s[0], 2, false)
		h.add(s[1], size, false)
		h.add(s[2], 1, false)
		h.class, h.warSS = 0, true
	case isa.OpLdgK:
		h.add(s[0], 2, false)
		h.class = 0
	case isa.OpLdl, isa.OpLdlw, isa.OpLdlv:
		h.add(s[0], 1, false)
		h.add(x.Dst, size, true)
		h.class, h.warSS = syncSS, true
	case isa.OpLdp:
		h.add(s[0], 1, false)
		h.add(x.Dst, size, true)
	case isa.OpStl, isa.OpStlw, isa.OpStp:
		h.add(s[0], 1, false)
		h.add(s[1], size, false)
		h.class, h.warSS = 0, true
	case isa.OpStc:
		h.add(s[0], size, false)
		h.class, h.warSS = 0, true
	case isa.OpStsc:
		h.class = 0
	default:
		h.descSpans(x)
	}
	if x.Dst.Kind == isa.ConstA1 {
		h.spans = append(h.spans, span{unit: unitA1, n: 1})
	}
}

// descSpans is the rest of category 6: descriptors, atomics, shfl.
func (h *hazards) descSpans(x *inst) {
	size, s := int(x.Size), x.Srcs
	switch {
	case x.Op >= isa.OpAtomicLAdd && x.Op <= isa.OpAtomicGXor || x.Op >= isa.OpAtomicBAdd && x.Op <= isa.OpAtomicBXor:
		h.atomicSpans(x)
	case x.Op == isa.OpLdib:
		h.add(s[0], int(x.Dims), false)
		h.add(s[1], 1, false)
		h.add(x.Dst, size, true)
	case x.Op == isa.OpStib:
		h.add(s[0], size, false)
		h.add(s[1], int(x.Dims), false)
		h.add(s[2], 1, false)
		h.class, h.warSS = 0, true
	case x.Op == isa.OpLdc:
		h.add(s[0], 1, false)
		h.add(s[1], 1, false)
		h.add(x.Dst, size, true)
		if x.Dst.IsShared() {
			h.class |= syncSS
		}
	case x.Op == isa.OpLdcK:
		h.add(s[0], 1, false)
		h.add(s[1], 1, false)
		h.spans = append(h.spans, span{unit: unitA1, n: 1})
		h.class = 0
	case x.Op == isa.OpResinfo || x.Op == isa.OpResbase:
		h.add(s[0], 1, false)
		h.add(x.Dst, 3, true)
		h.class, h.warSS = syncSS, true
	case x.Op >= isa.OpShflXor && x.Op <= isa.OpShflRdown:
		h.add(s[0], 1, false)
		h.add(s[1], 1, false)
		h.add(x.Dst, 1, true)
		h.class, h.warSS = syncSS, true
	default: // ray_intersection
		h.add(s[0], 2, false)
		h.add(s[1], 1, false)
		h.add(s[2], 8, false)
		h.add(s[3], 1, false)
		h.add(x.Dst, 5, false)
		h.add(x.Dst, 5, true)
	}
}

func (h *hazards) atomicSpans(x *inst) {
	s, wide := x.Srcs, 1
	if x.Type == isa.U64 {
		wide = 2
	}
	ops := wide
	switch x.Op {
	case isa.OpAtomicLCmpxchg, isa.OpAtomicGCmpxchg, isa.OpAtomicBCmpxchg:
		ops *= 2
	}
	switch {
	case x.Op <= isa.OpAtomicLXor:
		h.add(s[0], 1, false)
		h.add(s[1], ops, false)
		h.add(x.Dst, 1, true)
		h.class, h.warSS = syncSS, true
	case x.Op <= isa.OpAtomicGXor:
		h.add(s[0], 2, false)
		h.add(s[1], ops, false)
		h.add(x.Dst, wide, true)
	default: // the data vector: old value out, operands in
		operand := s[0]
		operand.Val += int32(wide)
		h.add(operand, ops, false)
		h.add(s[0], wide, true)
		h.add(s[1], int(x.Dims), false)
		h.add(s[2], 1, false)
	}
}

// analyse marks the first instructions of blocks.
func (p *program) analyse() {
	mark := func(pc int) {
		if pc >= 0 && pc < len(p.code) {
			p.code[pc].chk.leader = true
		}
	}
	for pc := range p.code {
		x := &p.code[pc]
		if x.Op.HasTarget() {
			mark(pc + int(x.Target))
			mark(pc + 1)
		}
		if x.Op == isa.OpPredt || x.Op == isa.OpPredf {
			mark(pc + 1)
		}
		if x.Op == isa.OpPrede || x.Flags&isa.JP != 0 {
			mark(pc)
		}
	}
}

// checkPairs looks for halves of fine derivatives that do not stand together, or with
// a wait between them (ir3.md §3.7).
func (p *program) checkPairs() {
	for pc := range p.code {
		x := &p.code[pc]
		if p.static != nil || x.Op != isa.OpDsxpp1 && x.Op != isa.OpDsypp1 {
			continue
		}
		first, second := pc, pc+1
		if !x.StartsPair() {
			first, second = pc-1, pc
		}
		if first >= 0 && second < len(p.code) {
			want := p.code[first].Instr
			want.Flags = want.Flags&^(isa.SY|isa.JP) | isa.TexP
			if p.code[first].StartsPair() && p.code[second].Instr == want && !p.code[second].chk.leader {
				continue
			}
		}
		p.static = fmt.Errorf("ir3 core: pc %d: %s is no pair with the instruction beside it", pc, x.Text(p.meta.Gen))
	}
}

func unitName(u int) string {
	vec := func(prefix string, n int) string { return fmt.Sprintf("%s%d.%c", prefix, n>>2, "xyzw"[n&3]) }
	switch {
	case u == unitA0:
		return "a0.x"
	case u == unitA1:
		return "a1.x"
	case u >= unitPred:
		return "p0." + "xyzw"[u-unitPred:u-unitPred+1]
	case u >= unitShared:
		return vec("r", isa.SharedFirst+(u-unitShared)/2)
	case u < 192:
		return vec("r", u/2) + " (" + vec("hr", u) + ")"
	}
	return vec("r", u/2)
}
