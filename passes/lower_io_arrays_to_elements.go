package passes

import (
	"fmt"

	"nirc/ir"
)

var lowerIOArraysToElementsPass = &Pass{
	Name: "lower_io_arrays_to_elements", Class: "B", Run: lowerIOArraysToElements, Idempotent: true,
	Doc: "Splits arrays and matrices among inputs and outputs into one variable an element or column, each at its own slot. Input: derefs with constant indices, " +
		"no copy_deref; a variable that is indexed dynamically, copied, compact or a struct is left alone. The vertex dimension of arrayed interfaces stays. " +
		"Output: the same accesses of variables that are scalars or vectors.",
	Options: []Option{
		{Name: "modes", Doc: "shader_in, shader_out or both", Default: ir.ModeShaderIn | ir.ModeShaderOut},
	},
}

// arraySplit is a variable that is split, with what is made of it.
type arraySplit struct {
	v     *ir.Variable
	inner *ir.Type // without the vertex dimension
	elems []*ir.Variable
}

// leafCount returns how many scalars or vectors a type of arrays and matrices
// has, 0 if it holds anything else.
func leafCount(t *ir.Type) int {
	switch {
	case t.IsVectorOrScalar():
		return 1
	case t.IsMatrix():
		return int(t.Cols)
	case t.IsArray():
		return int(t.Len) * leafCount(t.Elem)
	}
	return 0
}

func lowerIOArraysToElements(c *Context, s *ir.Shader) (bool, error) {
	modes := c.Modes("modes")
	p := newSplitting(s, func(v *ir.Variable) *arraySplit { return chooseArray(s, v, modes) })
	return p.run(s, splittable, func(in *ir.Instr) bool {
		if in.Kind != ir.KindDeref || !in.DerefInfo().Type.IsVectorOrScalar() {
			return false
		}
		x := p.of(in)
		if x != nil {
			x.redirect(in)
		}
		return x != nil
	}), nil
}

// chooseArray returns what is made of a variable that is an array or a matrix, nil of another.
func chooseArray(s *ir.Shader, v *ir.Variable, modes ir.Mode) *arraySplit {
	if v.Mode&modes == 0 || v.Location < 0 || v.Compact || v.Init != nil {
		return nil
	}
	x := &arraySplit{v: v, inner: v.Type}
	if arrayedIO(s, v) {
		if !v.Type.IsArray() {
			return nil
		}
		x.inner = v.Type.Elem
	}
	if !x.inner.IsArray() && !x.inner.IsMatrix() || leafCount(x.inner) == 0 {
		return nil
	}
	return x
}

// splittable reports whether a deref of x leaves it to be split: constant
// indices inside of it, and accesses to nothing larger than a vector.
func splittable(in *ir.Instr, x *arraySplit) bool {
	switch in.Deref {
	case ir.DerefVar:
	case ir.DerefArray:
		vertex := in.Srcs[0].Def.Instr.Deref == ir.DerefVar && x.inner != x.v.Type
		k, ok := in.Srcs[1].Def.Const(0)
		parent := in.Srcs[0].Def.Instr.DerefInfo().Type
		if !vertex && (!ok || k >= uint64(parent.ChildCount())) || parent.IsVector() {
			return false
		}
	default:
		return false
	}
	for u := in.Def.FirstUse(); u != nil; u = u.NextUse() {
		if u.Instr.Kind == ir.KindIntrinsic && (!in.DerefInfo().Type.IsVectorOrScalar() || u.Instr.Intr == ir.IntrCopyDeref) {
			return false
		}
	}
	return true
}

// split makes the variables of the elements.
func (x *arraySplit) split(s *ir.Shader) {
	leaf := x.inner.WithoutArray()
	if leaf.IsMatrix() {
		leaf = leaf.Column()
	}
	for i := range leafCount(x.inner) {
		t := leaf
		if x.inner != x.v.Type {
			t = ir.ArrayType(leaf, x.v.Type.Len, x.v.Type.Stride)
		}
		n := copyVariable(s, x.v, t, fmt.Sprintf("%s[%d]", x.v.Name, i))
		n.Location = x.v.Location + int32(i)*int32(leaf.SlotCount())
		if n.XfbOffset >= 0 {
			n.XfbOffset += int32(i) * int32(leaf.Size())
		}
		x.elems = append(x.elems, n)
	}
}

// redirect makes the users of the deref of a leaf use the leaf's variable.
func (x *arraySplit) redirect(in *ir.Instr) {
	leaf, scale := 0, 1
	d := in
	for ; d.Deref != ir.DerefVar; d = d.Srcs[0].Def.Instr {
		p := d.Srcs[0].Def.Instr
		if p.Deref == ir.DerefVar && x.inner != x.v.Type {
			break
		}
		k, _ := d.Srcs[1].Def.Const(0)
		leaf += int(k) * scale
		scale *= p.DerefInfo().Type.ChildCount()
	}
	b := builderBefore(in)
	n := b.DerefVar(x.elems[leaf])
	if d.Deref != ir.DerefVar {
		n = b.DerefArray(n, d.Srcs[1].Def)
	}
	in.Def.RewriteUses(n)
	removeDeadDerefs(in)
}
