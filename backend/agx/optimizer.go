package agx

import (
	"math"

	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/internal/slab"
)

// optimize folds instructions into their neighbours where the encoding has
// room (agx.md §13): backward, what an instruction does to
// its only source into the one that computes it: saturation and the conversion to 16 bits;
// then forward, what an instruction does to its source into all that read it: moves of uniforms, float
// modifiers, widening, sign extension, negated bits, comparisons. Selection folds what it sees in the IR on the
// way; this is for what only machine instructions show.
func optimize(f *mach.Func) {
	n := f.NumValues()
	c := templates(f)
	o := &c.opt
	*o = optimizer{f: f, code: c, uses: slab.Zeroed(o.uses, n), def: slab.Zeroed(o.def, n), kind: slab.Zeroed(o.kind, n), block: slab.Zeroed(o.block, n),
		fits: o.fits, sites: o.sites[:0]}
	o.count()
	if o.moves > 0 {
		o.backward()
	}
	if o.candidates > 0 {
		o.joinTests()
		o.forward()
	}
}

type optimizer struct {
	f    *mach.Func
	code *code
	uses []int32
	// def is the instruction of a value that instructions with templates define.
	def []*mach.Instr
	// moves counts float moves, candidates what forward may fold.
	moves, candidates int
	kind              []foldKind // by value
	fits              []int32    // by value: the uses that can take its instruction over
	block             []int32    // by value: where it is defined
	sites             []site
}

// site is a source that may take over what computes its value.
type site struct {
	in *mach.Instr
	i  int
}

// foldKind is what forward may fold of an instruction.
type foldKind uint8

const (
	foldNone  foldKind = iota
	foldMove           // bitop of tableA: a copy or a zero extension of a register or a uniform
	foldNot            // bitop of tableNot
	foldFloat          // fadd of -0: modifiers and widening
	foldSign           // iadd of 0 with a sign extension
	foldTest           // a comparison that gives 0 or 1
)

// negativeZero is the immediate that a float move adds.
var negativeZero, _ = isa.F(math.Copysign(0, -1))

// count finds definitions, and counts uses and what there is to fold.
func (o *optimizer) count() {
	for b := range o.f.Blocks {
		for _, in := range o.f.Blocks[b].Instrs {
			for _, u := range in.Uses() {
				o.uses[u.Val]++
			}
			if in.Op < mach.FirstTargetOp || in.Op >= opInputs || in.NDefs != 1 || in.Ops[0].Flags != 0 {
				continue
			}
			v := in.Ops[0].Val
			o.def[v], o.block[v] = in, int32(b)
			if o.isFloatMove(in) {
				o.moves++
			}
			if o.kind[v] = o.kindOf(in); o.kind[v] != foldNone {
				o.candidates++
			}
		}
	}
}

func (o *optimizer) template(in *mach.Instr) *isa.Instr { return &o.code.tmpl[in.Ext] }

// isFloatMove reports whether an instruction adds -0 to a register.
func (o *optimizer) isFloatMove(in *mach.Instr) bool {
	if op := isaOp(in.Op); op != isa.OpFadd32 && op != isa.OpFadd16 {
		return false
	}
	t := o.template(in)
	return t.Srcs[1] == negativeZero && t.Srcs[0].Kind == isa.Reg
}

// backward folds float moves into what computes their sources. Consumers come
// first, so that one move folds into another on the way.
func (o *optimizer) backward() {
	any := false
	for b := len(o.f.Blocks) - 1; b >= 0; b-- {
		l := o.f.Blocks[b].Instrs
		for i := len(l) - 1; i >= 0; i-- {
			if in := l[i]; in.Op >= mach.FirstTargetOp && in.NDefs == 1 && o.isFloatMove(in) && o.fuse(in) {
				in.Op, any = mach.OpNone, true
			}
		}
	}
	if any {
		o.sweep()
	}
}

// fuse lets the instruction that computes the source of a float move do what
// the move does; false if it cannot.
func (o *optimizer) fuse(in *mach.Instr) bool {
	t := o.template(in)
	v, d := in.Uses()[0].Val, in.Ops[0].Val
	p := o.def[v]
	if p == nil || o.uses[v] != 1 || t.Srcs[0].Flags&(isa.Neg|isa.Abs) != 0 || !isaOp(p.Op).Can(isa.Sat) || isaOp(p.Op).DstAllow()&isa.AllowReg16 == 0 {
		return false
	}
	if op := isaOp(p.Op); op == isa.OpIadd || op == isa.OpImadd {
		return false // they saturate integers
	}
	q := o.template(p)
	if q.Dst.Size != t.Dst.Size && (t.Dst.Size != 16 || isaOp(p.Op).SrcAllow(0)&isa.AllowReg32 == 0) {
		return false
	}
	q.Flags |= t.Flags & isa.Sat
	q.Dst = t.Dst
	p.Ops[0].Val = d
	o.def[d], o.def[v] = p, nil
	o.kind[d], o.kind[v] = o.kindOf(p), foldNone
	return true
}

// sweep takes out what has become nothing.
func (o *optimizer) sweep() {
	for b := range o.f.Blocks {
		l := o.f.Blocks[b].Instrs
		n := 0
		for _, in := range l {
			if in.Op != mach.OpNone {
				l[n] = in
				n++
			}
		}
		o.f.Blocks[b].Instrs = l[:n]
	}
}

// kindOf says what forward may fold of an instruction.
func (o *optimizer) kindOf(in *mach.Instr) foldKind {
	t := o.template(in)
	switch isaOp(in.Op) {
	case isa.OpBitop:
		if t.Srcs[1] != isa.I(0) || t.Srcs[0].Kind != isa.Reg && t.Srcs[0].Kind != isa.Uniform {
			break
		}
		if t.Table == tableA {
			return foldMove
		}
		if t.Table == tableNot && t.Srcs[0].Size == t.Dst.Size {
			return foldNot
		}
	case isa.OpFadd32, isa.OpFadd16:
		if t.Srcs[1] == negativeZero && t.Flags&isa.Sat == 0 && (t.Dst.Size == 32 || isaOp(in.Op) == isa.OpFadd16) && t.Srcs[0].Kind != isa.FImm {
			return foldFloat
		}
	case isa.OpIadd:
		if t.Dst.Size == 32 && t.Flags == 0 && t.Shift == 0 && t.Srcs[1] == isa.I(0) && t.Srcs[0].Size == 16 && t.Srcs[0].Flags == isa.SignExt {
			return foldSign
		}
	case isa.OpIcmpsel, isa.OpFcmpsel:
		if x, y := t.Srcs[2], t.Srcs[3]; t.Dst.Size == 16 && (x == isa.I(1) && y == isa.I(0) || x == isa.I(0) && y == isa.I(1)) {
			return foldTest
		}
	}
	return foldNone
}

// forward folds instructions into all their users, if all can take them.
func (o *optimizer) forward() {
	o.fits = slab.Zeroed(o.fits, len(o.def))
	for b := range o.f.Blocks {
		for _, in := range o.f.Blocks[b].Instrs {
			o.visit(in)
		}
	}
	for _, s := range o.sites {
		k := useOf(o.template(s.in), s.i)
		v := s.in.Uses()[k].Val
		if o.kind[v] != foldNone && o.fits[v] == o.uses[v] && o.fit(s.in, s.i, v) {
			o.apply(s.in, k, s.i, v)
		}
	}
}

// useOf is the use that source i of a template stands for.
func useOf(t *isa.Instr, i int) int {
	k := 0
	for _, s := range t.Srcs[:i] {
		if s.Kind == isa.Reg {
			k++
		}
	}
	return k
}

// visit notes the sources of an instruction that can take over what computes them.
func (o *optimizer) visit(in *mach.Instr) {
	uses := in.Uses()
	any := false
	for k := range uses {
		any = any || o.kind[uses[k].Val] != foldNone
	}
	if !any || in.Op < mach.FirstTargetOp || in.Op >= opInputs && in.Op != opIf {
		return
	}
	t := o.template(in)
	k := 0
	for i := range t.Srcs {
		if t.Srcs[i].Kind != isa.Reg || k == len(uses) {
			continue // r0l stands after the values and is none
		}
		if v := uses[k].Val; o.kind[v] != foldNone && o.fit(in, i, v) {
			o.fits[v]++
			o.sites = append(o.sites, site{in, i})
		}
		k++
	}
}

// plainSources are the sources that may be any of what their place allows; of those after them a mode of the texture operation
// says what they are.
const plainSources = 4

// fit reports whether source i of an instruction can be what value v is made of.
func (o *optimizer) fit(in *mach.Instr, i int, v mach.Value) bool {
	t, p := o.template(in), o.template(o.def[v])
	if t.Srcs[i].Count != 1 || i >= plainSources {
		return false
	}
	allow := t.Op.SrcAllow(i)
	s := &p.Srcs[0]
	if o.kind[v] != foldTest && !holds(t.Op, allow, s) {
		return false
	}
	switch o.kind[v] {
	case foldMove:
		return s.Size == p.Dst.Size || extends(t, i)
	case foldNot:
		return t.Op == isa.OpBitop && t.Dst.Size == p.Dst.Size
	case foldFloat:
		return allow&isa.AllowAbsNeg != 0
	case foldSign:
		return (t.Op == isa.OpIadd || t.Op == isa.OpImadd) && allow&isa.AllowSignExt != 0 && t.Dst.Size == 32
	case foldTest:
		if i != 0 || t.Srcs[1] != isa.I(0) || t.Cond.Base() != isa.CondUEQ {
			return false
		}
		return t.Op == isa.OpIfIcmp || t.Op == isa.OpIcmpsel
	}
	return false
}

// holds reports whether a source takes a register or a uniform of that size.
func holds(op isa.Op, allow isa.Allow, s *isa.Operand) bool {
	want := isa.AllowReg32
	switch {
	case s.Kind == isa.Uniform && noUniforms(op):
		return false
	case s.Kind == isa.Uniform && s.Size == 16:
		want = isa.AllowUniform16
	case s.Kind == isa.Uniform:
		want = isa.AllowUniform32
	case s.Size == 16:
		want = isa.AllowReg16
	}
	return allow&want != 0
}

// extends reports whether a 32-bit source may be a 16-bit register, whose upper
// bits are then zeros.
func extends(t *isa.Instr, i int) bool {
	if t.Srcs[i].Flags != 0 {
		return false
	}
	switch t.Op {
	case isa.OpBitop, isa.OpIadd, isa.OpImadd, isa.OpBfi, isa.OpBfeil:
		return true
	case isa.OpIcmpsel, isa.OpIfIcmp:
		return i < 2 && t.Cond&4 == 0
	}
	return false
}

// apply makes source i of an instruction, its use k, what value v is made of.
func (o *optimizer) apply(in *mach.Instr, k, i int, v mach.Value) {
	d := o.def[v]
	if o.kind[v] == foldTest {
		o.applyTest(in, d)
		return
	}
	t, p := o.template(in), o.template(d)
	old := t.Srcs[i].Flags
	t.Srcs[i] = p.Srcs[0]
	switch o.kind[v] {
	case foldMove, foldFloat:
		if old&isa.Abs != 0 {
			t.Srcs[i].Flags = old
		} else {
			t.Srcs[i].Flags ^= old
		}
	case foldNot:
		t.Table = invertTable(t.Table, i)
	}
	if p.Srcs[0].Kind == isa.Reg {
		in.Uses()[k].Val = d.Uses()[0].Val
	} else {
		in.RemoveUse(k)
	}
}

// invertTable is the truth table of a bitop with one source inverted.
func invertTable(t uint8, i int) uint8 {
	if i == 0 {
		return t&5<<1 | t&10>>1
	}
	return t&3<<2 | t&12>>2
}

// applyTest makes an instruction that asks whether the result of a comparison
// is 0 do the comparison itself.
func (o *optimizer) applyTest(in, d *mach.Instr) {
	t, p := o.template(in), o.template(d)
	ops := append([]mach.Operand(nil), in.Defs()...)
	ops = append(ops, d.Uses()...) // X and Y of d are immediates
	rest := in.Uses()[1:]
	// That it is 0 says that the comparison does not hold, unless that gave 1.
	if inverted := t.Cond.Inverted() != (p.Srcs[2] == isa.I(1)); inverted && t.Op == isa.OpIfIcmp {
		t.Cond = p.Cond | condInverted
	} else {
		t.Cond = p.Cond
		if inverted {
			t.Srcs[2], t.Srcs[3] = t.Srcs[3], t.Srcs[2]
			if len(rest) == 2 {
				rest[0], rest[1] = rest[1], rest[0]
			}
		}
	}
	t.Srcs[0], t.Srcs[1] = p.Srcs[0], p.Srcs[1]
	in.Ops = append(ops, rest...)
	if isaOp(d.Op) == isa.OpFcmpsel {
		t.Op += isa.OpFcmpsel - isa.OpIcmpsel
		if in.Op != opIf {
			in.Op = machOp(t.Op)
		}
	}
}
