package passes

import "nirc/ir"

// sideFacts is what the sides of an if know of values from its condition.
type sideFacts struct {
	impl      *ir.Impl
	x         *ir.If
	then, els *ir.Block
	consts    map[uint8]*ir.Def // true and false of each size
	progress  bool
}

// maxFacts bounds how deep conditions are taken apart.
const maxFacts = 6

// condInSides replaces, in the sides of an if and in what only one of them
// leads to, its condition by a constant, and what follows of its operands: both
// operands of a true and, both of a false or, and the opposite of a not.
// Operations outside that combine such a value with another become there what
// is left of them.
func condInSides(impl *ir.Impl, x *ir.If) bool {
	f := &sideFacts{impl: impl, x: x, consts: map[uint8]*ir.Def{}, then: x.Then.FirstBlock(), els: x.Else.FirstBlock()}
	f.known(x.Cond.Def, 1, maxFacts)
	f.known(x.Cond.Def, 0, maxFacts)
	return f.progress
}

// side is the side that a use stands in or that alone leads to it: 1 then, 0 else, -1 neither.
func (f *sideFacts) side(u *ir.Src) int {
	b := useBlock(u)
	switch {
	case u == &f.x.Cond || !b.Reachable():
	case f.then.Dominates(b):
		return 1
	case f.els.Dominates(b):
		return 0
	}
	return -1
}

// known notes that in a side d, the condition or what it is, says which side that is.
func (f *sideFacts) known(d *ir.Def, side int, depth int) { f.fact(d, side, side == 1, depth) }

func (f *sideFacts) fact(d *ir.Def, side int, yes bool, depth int) {
	if d.IsConst() || d.Instr.Kind == ir.KindDeref || d.NumComponents != 1 { // a pointer is more than a condition
		return
	}
	f.replace(d, side, yes)
	in := d.Instr
	if depth == 0 || in.Kind != ir.KindALU {
		return
	}
	switch {
	case in.Op == ir.OpInot:
		f.operand(in, 0, side, !yes, depth)
	case in.Op == ir.OpIand && yes, in.Op == ir.OpIor && !yes:
		f.operand(in, 0, side, yes, depth)
		f.operand(in, 1, side, yes, depth)
	}
}

// operand passes what is known on to a scalar operand.
func (f *sideFacts) operand(in *ir.Instr, k, side int, yes bool, depth int) {
	// Of conditions of 32 bits other numbers are neither true nor false.
	if in.Def.BitSize == 1 {
		f.fact(in.Srcs[k].Def, side, yes, depth-1)
	}
}

// replace rewrites the uses of d in a side where d is known.
func (f *sideFacts) replace(d *ir.Def, side int, yes bool) {
	if d.UsedOnce() && d.FirstUse() == &f.x.Cond {
		return
	}
	for u := range d.Uses() {
		switch {
		case u.Instr != nil && u.Instr.Kind == ir.KindALU && u.Swizzle.Lane(0) != 0:
		case f.side(u) == side:
			u.Set(f.truth(d.BitSize, yes))
			f.progress = true
		case u.Instr != nil && d.BitSize == 1 && f.side(u) < 0:
			f.combined(u, side, yes)
		}
	}
}

// combined rewrites, in a side, uses of an operation outside that reads a value known there.
func (f *sideFacts) combined(u *ir.Src, side int, yes bool) {
	in := u.Instr
	if in.Kind != ir.KindALU || in.Def.NumComponents != 1 || in.Def.BitSize != 1 && in.Op != ir.OpBcsel || in.Def.UsedOnce() && in.Def.FirstUse() == &f.x.Cond {
		return
	}
	var rest *ir.Def // nil: the constant value
	value := yes
	switch in.Op {
	case ir.OpInot:
		value = !yes
	case ir.OpBcsel:
		k := 2
		if yes {
			k = 1
		}
		if rest = in.Srcs[k].Def; u != &in.Srcs[0] || rest.NumComponents != 1 {
			return
		}
	case ir.OpIand, ir.OpIor:
		if yes == (in.Op == ir.OpIand) {
			k := 0
			if u == &in.Srcs[0] {
				k = 1
			}
			if rest = in.Srcs[k].Def; rest.NumComponents != 1 {
				return
			}
		}
	default:
		return
	}
	for w := range in.Def.Uses() {
		if f.side(w) != side {
			continue
		}
		if rest != nil {
			w.Set(rest)
		} else {
			w.Set(f.truth(1, value))
		}
		f.progress = true
	}
}

// truth is a boolean constant at the start of the function.
func (f *sideFacts) truth(bits uint8, yes bool) *ir.Def {
	key := bits<<1 | uint8(boolBits(yes))
	if d := f.consts[key]; d != nil {
		return d
	}
	v := boolBits(yes)
	if bits > 1 {
		v = -v
	}
	c := f.impl.Shader.NewConst(bits, v)
	ir.AtStart(f.impl.Start()).Insert(c)
	f.consts[key] = &c.Def
	return &c.Def
}
