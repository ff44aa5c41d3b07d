package agx

import (
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
)

// joinTests lets a comparison that only feeds an AND, OR or the like of conditions choose
// between the other condition and a constant, which is what the bit operation would have done.
func (o *optimizer) joinTests() {
	for b := range o.f.Blocks {
		for _, in := range o.f.Blocks[b].Instrs {
			if in.Op >= mach.FirstTargetOp && isaOp(in.Op) == isa.OpBitop {
				o.joinTest(in)
			}
		}
	}
}

func (o *optimizer) joinTest(in *mach.Instr) {
	t := o.template(in)
	uses := in.Uses()
	if t.Dst.Size != 16 || len(uses) != 2 || t.Srcs[0].Kind != isa.Reg || t.Srcs[1].Kind != isa.Reg || t.Srcs[0].Size != 16 || t.Srcs[1].Size != 16 {
		return
	}
	for k := range 2 {
		v, other := uses[k].Val, uses[1-k].Val
		if o.kind[v] != foldTest || o.uses[v] != 1 || o.block[v] != o.block[in.Ops[0].Val] || v == other || !o.isBool(other, 0) {
			continue
		}
		table := t.Table
		if k == 1 { // as if the comparison were the first source
			table = table&9 | table&2<<1 | table&4>>1
		}
		if then, ok := chosen(table >> 1 & 5); ok {
			if els, ok := chosen(table & 5); ok {
				o.choose(in, o.def[v], uses[1-k], then, els)
				return
			}
		}
	}
}

// choice is what a bit operation makes of a condition when the other one is known.
type choice uint8

const (
	chooseZero choice = iota
	chooseOther
	chooseOne
)

// chosen reads half of a truth table: bit 0 for a condition of 0, bit 2 for 1.
func chosen(half uint8) (choice, bool) {
	switch half {
	case 0:
		return chooseZero, true
	case 4:
		return chooseOther, true
	case 5:
		return chooseOne, true
	}
	return 0, false // inverts it
}

// choose makes a bit operation the comparison d that gives then or els.
func (o *optimizer) choose(in, d *mach.Instr, other mach.Operand, then, els choice) {
	p := o.template(d)
	t := o.template(in)
	if p.Srcs[2] == isa.I(0) {
		then, els = els, then
	}
	dst := t.Dst
	*t = *p
	t.Dst = dst
	ops := append([]mach.Operand(nil), in.Defs()...)
	ops = append(ops, d.Uses()...)
	for i, c := range []choice{then, els} {
		switch c {
		case chooseZero:
			t.Srcs[2+i] = isa.I(0)
		case chooseOne:
			t.Srcs[2+i] = isa.I(1)
		default:
			t.Srcs[2+i] = isa.Operand{Kind: isa.Reg, Size: 16, Count: 1}
			ops = append(ops, other)
		}
	}
	for _, u := range d.Uses() {
		o.uses[u.Val]++
	}
	o.uses[d.Ops[0].Val]--
	in.Op, in.Ops = d.Op, ops
	o.kind[in.Ops[0].Val] = o.kindOf(in)
}

// maxBoolDepth bounds how far isBool looks.
const maxBoolDepth = 4

// isBool reports whether a value is known to be 0 or 1.
func (o *optimizer) isBool(v mach.Value, depth int) bool {
	d := o.def[v]
	if o.kind[v] == foldTest {
		return true
	}
	if d == nil || depth == maxBoolDepth {
		return false
	}
	t := o.template(d)
	from := 0
	switch isaOp(d.Op) {
	case isa.OpBitop:
		if t.Table&1 != 0 {
			return false
		}
	case isa.OpIcmpsel, isa.OpFcmpsel:
		from = 2
	default:
		return false
	}
	k := useOf(t, from)
	for i := from; i < from+2; i++ {
		switch s := t.Srcs[i]; {
		case s == isa.I(0) || s == isa.I(1):
		case s.Kind == isa.Reg && s.Size == 16 && s.Flags == 0 && o.isBool(d.Uses()[k].Val, depth+1):
			k++
		default:
			return false
		}
	}
	return true
}
