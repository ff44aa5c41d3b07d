package ir3

import (
	"slices"

	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// Devices with a scalar unit (ir3.md §1.4 and 3.9) run
// instructions whose registers are all shared on it: in order, without delay slots. The whole preamble
// is such code: all it computes is the same for everyone. In shared registers it leaves those of the
// inputs alone, and where it touches no others at all it may run before the waves are
// dispatched (early preamble, ir3.md §6.9).

// isScalar reports whether the scalar unit runs an instruction.
func (g *GPU) isScalar(in *isa.Instr) bool {
	if !g.ScalarALU || !in.Dst.IsShared() {
		return false
	}
	switch in.Op.Category() {
	case 1:
		s := in.Srcs[0]
		return in.Op != isa.OpMovmsk && in.Op != isa.OpSwz && (s.Kind == isa.Const || s.Kind == isa.Imm || s.IsShared())
	case 2, 3:
		return true
	}
	return false
}

// slots is the number of issue slots that an instruction takes: on the scalar unit none.
func (g *GPU) slots(in *isa.Instr) int {
	if g.isScalar(in) {
		return 0
	}
	return slots(in)
}

// scalarizable reports whether all of a preamble can be in shared registers.
func scalarizable(f *mach.Func) bool {
	if len(f.Blocks) > 1 {
		return false // branches take predicates
	}
	c := templates(f)
	for _, in := range f.Blocks[0].Instrs {
		switch {
		case in.Op == mach.OpCollect, in.Op == mach.OpSplit, in.Op == mach.OpCopy, in.Op == mach.OpUndef, in.Op == opInputs:
			continue
		case in.Op < mach.FirstTargetOp || in.Op > opInputs:
			return false
		}
		for _, o := range in.Ops {
			if f.File(o.Val) != fileGPR {
				return false
			}
		}
		if !scalarOp(&c.tmpl[in.Ext], len(in.Uses())) {
			return false
		}
	}
	return true
}

// scalarOp reports whether there is a form of an instruction for shared registers.
func scalarOp(t *isa.Instr, uses int) bool {
	for _, o := range t.Srcs {
		if o.Kind == isa.RelReg || o.Kind == isa.RelConst {
			return false
		}
	}
	switch op := t.Op; op.Category() {
	case 0:
		return op == isa.OpShpe
	case 1:
		return op == isa.OpMov || op == isa.OpCov || op == isa.OpMova1 && uses == 0
	case 2:
		return op != isa.OpBaryF && op != isa.OpFlatB && op != isa.OpSetrm
	case 3:
		switch op {
		case isa.OpMadF16, isa.OpMadF32, isa.OpMadshM16:
			return true
		case isa.OpSadS16, isa.OpSadS32:
			return (t.Srcs[0].Flags|t.Srcs[1].Flags|t.Srcs[2].Flags)&^isa.Half == 0
		}
		return scalarCat3(op)
	case 4:
		return true
	case 6:
		return op == isa.OpStc || (op == isa.OpLdc || op == isa.OpLdcK || op == isa.OpStsc) && uses == 0
	case 7:
		return op == isa.OpAlias
	}
	return false
}

// scalarCat3 reports whether the scalar unit has an operation of three sources as it is.
func scalarCat3(op isa.Op) bool {
	switch op {
	case isa.OpSelB16, isa.OpSelB32, isa.OpShrm, isa.OpShlm, isa.OpShrg, isa.OpShlg, isa.OpAndg:
		return true
	}
	return false
}

// scalarize brings a preamble into shared registers. Repeat groups stay groups,
// those of sums of products become two each.
func scalarize(f *mach.Func, l *linker) {
	s := &scalarizer{f: f, code: templates(f), link: l, repl: make([]mach.Value, f.NumValues())}
	blk := &f.Blocks[0]
	s.out = make([]*mach.Instr, 0, len(blk.Instrs))
	for _, in := range blk.Instrs {
		for i := range in.Ops {
			in.Ops[i].Val = s.shared(in.Ops[i].Val)
		}
	}
	for i := 0; i < len(blk.Instrs); {
		n := 1
		for i+n < len(blk.Instrs) && s.isSum(blk.Instrs[i]) && blk.Instrs[i].Aux != 0 && blk.Instrs[i+n].Aux == blk.Instrs[i].Aux && s.isSum(blk.Instrs[i+n]) {
			n++
		}
		if n > 1 {
			s.sums(blk.Instrs[i : i+n])
		} else {
			s.instr(blk.Instrs[i])
		}
		i += n
	}
	blk.Instrs = s.out
}

type scalarizer struct {
	f    *mach.Func
	code *code
	link *linker
	repl []mach.Value // by value of the vector form
	out  []*mach.Instr
}

// isSum reports whether in is the sum of a product.
func (s *scalarizer) isSum(in *mach.Instr) bool {
	return in.Op == machOp(isa.OpMadF32) || in.Op == machOp(isa.OpMadF16)
}

// sums appends the products of a group, then the sums. Members of a group do
// not depend on each other.
func (s *scalarizer) sums(group []*mach.Instr) {
	products := make([]mach.Value, len(group))
	for step := range 2 {
		s.link.groups++
		for k, in := range group {
			t := s.code.tmpl[in.Ext]
			if step == 0 {
				products[k] = s.then(in, isa.Instr{Op: isa.OpMulF, Srcs: [4]isa.Operand{t.Srcs[0], t.Srcs[1]}}, 0, 2)
			} else {
				s.last(in, isa.Instr{Op: isa.OpAddF, Flags: t.Flags & isa.Sat}, products[k], t.Srcs[2])
			}
			s.out[len(s.out)-1].Aux = s.link.groups
		}
	}
}

// shared is the shared register that stands for v.
func (s *scalarizer) shared(v mach.Value) mach.Value {
	if v == 0 {
		return 0
	}
	if s.repl[v] == 0 {
		class := classShared
		if s.f.Class(v) == classHalf {
			class = classSharedHalf
		}
		s.repl[v] = s.f.NewValue(class, s.f.Elems(v))
	}
	return s.repl[v]
}

// instr appends in, or what stands for it.
func (s *scalarizer) instr(in *mach.Instr) {
	if in.Op < mach.FirstTargetOp || in.Op == opInputs {
		s.out = append(s.out, in)
		return
	}
	t := s.code.tmpl[in.Ext]
	switch t.Op {
	case isa.OpMadF16, isa.OpMadF32:
		add := isa.Instr{Op: isa.OpAddF, Flags: t.Flags & isa.Sat}
		d := s.then(in, isa.Instr{Op: isa.OpMulF, Srcs: [4]isa.Operand{t.Srcs[0], t.Srcs[1]}}, 0, 2)
		s.last(in, add, d, t.Srcs[2])
	case isa.OpSadS16, isa.OpSadS32:
		// As three sources to be added.
		d := s.then(in, isa.Instr{Op: isa.OpAddU, Srcs: [4]isa.Operand{t.Srcs[0], t.Srcs[1]}}, 0, 2)
		s.last(in, isa.Instr{Op: isa.OpAddU}, d, t.Srcs[2])
	case isa.OpMadshM16:
		// Low half of the first times high half of the second, shifted, plus the third.
		reg := isa.R(0)
		h := s.then(in, isa.Instr{Op: isa.OpShrB, Srcs: [4]isa.Operand{t.Srcs[1], isa.I(16)}}, 1, 2)
		m := s.value(in, isa.Instr{Op: isa.OpMullU, Srcs: [4]isa.Operand{t.Srcs[0], reg}}, append(s.uses(in, &t, 0, 1), h))
		m = s.value(in, isa.Instr{Op: isa.OpShlB, Srcs: [4]isa.Operand{reg, isa.I(16)}}, []mach.Value{m})
		s.last(in, isa.Instr{Op: isa.OpAddU}, m, t.Srcs[2])
	default:
		if t.Op == isa.OpLdc {
			t.Flags |= isa.Uniform
		}
		in.Ext = s.code.new(t)
		s.out = append(s.out, in)
	}
}

// uses are the values of sources [from, to) of template t of in.
func (s *scalarizer) uses(in *mach.Instr, t *isa.Instr, from, to int) (vals []mach.Value) {
	k := 0
	for i := range to {
		if t.Srcs[i].Kind != isa.Reg {
			continue
		}
		if i >= from {
			vals = append(vals, in.Uses()[k].Val)
		}
		k++
	}
	return vals
}

// then appends t, which takes the sources [from, to) of in, and returns its new result.
func (s *scalarizer) then(in *mach.Instr, t isa.Instr, from, to int) mach.Value {
	return s.value(in, t, s.uses(in, &s.code.tmpl[in.Ext], from, to))
}

func (s *scalarizer) value(in *mach.Instr, t isa.Instr, uses []mach.Value) mach.Value {
	d := s.f.Clone(in.Ops[0].Val)
	s.add(in, t, d, uses)
	return d
}

// last appends t, which makes in's result of v and in's third source.
func (s *scalarizer) last(in *mach.Instr, t isa.Instr, v mach.Value, third isa.Operand) {
	reg := isa.R(0)
	if s.f.Class(v) == classSharedHalf {
		reg = isa.HR(0)
	}
	t.Srcs[0], t.Srcs[1] = reg, third
	s.add(in, t, in.Ops[0].Val, append([]mach.Value{v}, s.uses(in, &s.code.tmpl[in.Ext], 2, 3)...))
}

func (s *scalarizer) add(in *mach.Instr, t isa.Instr, d mach.Value, uses []mach.Value) {
	t.Dst = standIn(s.f.Class(d))
	x := s.f.NewInstr(machOp(t.Op), 1, len(uses))
	x.Ops[0].Val = d
	for k, u := range uses {
		x.Ops[1+k].Val = u
	}
	x.Loc, x.Ext = in.Loc, s.code.new(t)
	s.out = append(s.out, x)
}

// exactSums reports whether the preamble has sums of products that must be
// rounded once: the scalar unit has none.
func (s *isel) exactSums() bool {
	for _, b := range s.irBlocks {
		if b == nil {
			continue
		}
		for in := range b.Instrs() {
			if in.IsALU(ir.OpFfma) && in.Exact && s.pre.Needed(&in.Def) {
				return true
			}
		}
	}
	return false
}

// isEarly reports whether the preamble may run before dispatch: it has no
// normal registers, no predicates and nothing relative.
func (p *phys) isEarly() bool {
	if !p.gpu.EarlyPreamble || p.preamble == 0 {
		return false
	}
	if faults.has(faultEarlyPreamble) {
		return true
	}
	late := func(r span) bool { return r.unit < unitShared || r.unit == unitA0 || r.unit >= unitPred }
	var t touch
	for b := range p.preamble {
		for i := range p.blocks[b].ins {
			t.of(&p.blocks[b].ins[i].Instr)
			if slices.ContainsFunc(t.reads, late) || slices.ContainsFunc(t.writes, late) {
				return false
			}
		}
	}
	return true
}

// markEarly gives the preamble the marks that it needs to run early on a7xx:
// writes of a1.x are waited for with (ss), and (r) says so.
func (p *phys) markEarly() {
	if p.early = p.isEarly(); !p.early || p.gpu.Gen != isa.A7xx {
		return
	}
	for b := range p.preamble {
		ins := p.blocks[b].ins
		for i := range ins {
			if ins[i].Op == isa.OpMova1 {
				ins[i].Srcs[0].Flags |= isa.Rpt
			}
		}
	}
}

// waitsA1 reports whether in is a write of a1.x that is waited for with (ss).
func waitsA1(in *isa.Instr) bool {
	return in.Op == isa.OpMova1 && in.Srcs[0].Flags&isa.Rpt != 0
}
