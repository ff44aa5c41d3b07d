package algebraic

import (
	"nirc/ir"
	"nirc/ir/optab"
)

// maxSteps bounds the steps of a replacement.
const maxSteps = 48

// value is a built value with the swizzle to read it through.
type value struct {
	def *ir.Def
	swz ir.Swizzle
}

// builder makes the instructions of a replacement before the matched root.
type builder struct {
	m    *matcher
	s    *ir.Shader
	mode optab.Mode
	done [maxSteps]value
	// made collects the new ALU instructions.
	made []*ir.Instr
}

// replace builds rule r's replacement of the matched root and returns it.
func (b *builder) replace(r *rule) value {
	old := b.s.SetLoc(b.m.root.Loc)
	b.made = b.made[:0]
	for i := r.first; i < r.last; i++ {
		b.done[i-r.first] = b.step(&steps[i])
	}
	b.s.SetLoc(old)
	return b.operand(r.result)
}

// operand returns what a ref stands for.
func (b *builder) operand(r ref) value {
	var v value
	if r.slot >= 0 {
		s := &b.m.slots[r.slot]
		v = value{s.def, s.swz}
	} else {
		v = b.done[r.step]
	}
	if r.comp != 0 {
		v.swz = ir.Broadcast(v.swz.Lane(int(r.comp - 1)))
	}
	return v
}

// size returns the size that a step's code stands for.
func (b *builder) size(code uint8) uint8 {
	switch {
	case code >= sizeSlot:
		return b.m.slots[code-sizeSlot].def.BitSize
	case code == sizeRoot:
		return b.m.root.Def.BitSize
	}
	return code
}

func (b *builder) step(t *step) value {
	width := t.width
	if width == 0 {
		width = b.m.root.Def.NumComponents
	}
	bits := b.size(t.size)
	if t.kind == stepOp {
		return b.alu(t, width, bits)
	}
	var vals [16]uint64
	for i := range int(width) {
		switch t.kind {
		case stepInt:
			vals[i] = t.val
		case stepFloat:
			vals[i] = floatBits(t.val, bits)
		case stepHelper:
			vals[i] = b.help(t, i)
		}
	}
	in := b.s.NewConst(bits, vals[:width]...)
	ir.Before(b.m.root).Insert(in)
	return value{&in.Def, ir.IdentitySwizzle}
}

// help computes lane i of a helper's constant; its size argument is that of
// the first source.
func (b *builder) help(t *step, i int) uint64 {
	var v [3]uint64
	bits := uint8(0)
	for k := range int(t.nargs) {
		s := &b.m.slots[t.args[k].slot]
		v[k] = s.lane(i)
		if k == 0 {
			bits = s.def.BitSize
		}
	}
	return helpers[t.helper].fn(bits, &v)
}

// alu builds an instruction, or its value if all sources are constants.
func (b *builder) alu(t *step, width, bits uint8) value {
	var defs [4]*ir.Def
	var swz [4]ir.Swizzle
	constant := true
	for k := range int(t.nargs) {
		v := b.operand(t.args[k])
		defs[k], swz[k] = v.def, v.swz
		constant = constant && v.def.IsConst()
	}
	in := b.s.NewALU(t.op, width, bits, defs[:t.nargs]...)
	for k := range int(t.nargs) {
		in.Srcs[k].Swizzle = swz[k]
	}
	root := b.m.root
	in.FastMath = root.FastMath
	in.Exact = b.m.exact && t.flags&stepInexact == 0 || t.flags&stepExact != 0
	if constant {
		if vals, ok := ir.EvalConstALU(in, b.mode); ok {
			for k := range in.Srcs {
				in.Srcs[k].Set(nil)
			}
			c := b.s.NewConst(bits, vals[:width]...)
			ir.Before(root).Insert(c)
			return value{&c.Def, ir.IdentitySwizzle}
		}
	}
	ir.Before(root).Insert(in)
	b.made = append(b.made, in)
	return value{&in.Def, ir.IdentitySwizzle}
}
