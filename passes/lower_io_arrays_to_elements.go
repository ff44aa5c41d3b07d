package passes

import (
	"fmt"

	"nirc/ir"
)

var lowerIOArraysToElementsPass = &Pass{
	Name:  "lower_io_arrays_to_elements",
	Class: "B",
	Doc: "Splits arrays and matrices among inputs and outputs into one variable an element or column, each at its own slot. Input: derefs with constant indices, " +
		"no copy_deref; a variable that is indexed dynamically, copied, compact or a struct is left alone. The vertex dimension of arrayed interfaces stays. " +
		"Output: the same accesses of variables that are scalars or vectors.",
	Options: []Option{
		{Name: "modes", Doc: "shader_in, shader_out or both", Default: ir.ModeShaderIn | ir.ModeShaderOut},
	},
	Run:        lowerIOArraysToElements,
	Idempotent: true,
}

// arraySplit is a variable that is split, with what is made of it.
type arraySplit struct {
	v     *ir.Variable
	inner *ir.Type // without the vertex dimension
	elems []*ir.Variable
	skip  bool
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
	at := variableIndex(s)
	splits, byVar := arraySplits(s, c.Modes("modes"))
	if len(splits) == 0 {
		return false, nil
	}
	find := func(in *ir.Instr) *arraySplit {
		if v := rootVar(in); v != nil && v.Mode&(ir.ModeShaderIn|ir.ModeShaderOut) != 0 && int(v.ID) < len(at) {
			return byVar[at[v.ID]]
		}
		return nil
	}
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for b := range f.Impl.Blocks() {
			for in := b.First(); in != nil; in = in.Next() {
				if in.Kind == ir.KindDeref {
					if x := find(in); x != nil && !splittable(in, x) {
						x.skip = true
					}
				}
			}
		}
	}
	progress := false
	for _, x := range splits {
		if !x.skip {
			x.split(s)
			progress = true
		}
	}
	if !progress {
		return false, nil
	}
	eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (changed bool) {
		for b := range impl.Blocks() {
			for in := range b.Instrs() {
				if in.Kind == ir.KindDeref && in.DerefInfo().Type.IsVectorOrScalar() {
					if x := find(in); x != nil && !x.skip {
						x.redirect(in)
						changed = true
					}
				}
			}
		}
		return changed
	})
	removeVariables(s, func(v *ir.Variable) bool { return gone(splits, v) })
	return true, nil
}

// arraySplits lists the variables that are arrays or matrices, also by place
// in the shader's list.
func arraySplits(s *ir.Shader, modes ir.Mode) (splits, byVar []*arraySplit) {
	byVar = make([]*arraySplit, len(s.Variables))
	for i, v := range s.Variables {
		if v.Mode&modes == 0 || v.Location < 0 || v.Compact || v.Init != nil {
			continue
		}
		x := &arraySplit{v: v, inner: v.Type}
		if arrayedIO(s, v) {
			if !v.Type.IsArray() {
				continue
			}
			x.inner = v.Type.Elem
		}
		if (x.inner.IsArray() || x.inner.IsMatrix()) && leafCount(x.inner) > 0 {
			splits = append(splits, x)
			byVar[i] = x
		}
	}
	return splits, byVar
}

// variableIndex returns each variable's place in the shader's list by ID.
func variableIndex(s *ir.Shader) []int32 {
	n := uint32(0)
	for _, v := range s.Variables {
		n = max(n, v.ID)
	}
	at := make([]int32, n+1)
	for i, v := range s.Variables {
		at[v.ID] = int32(i)
	}
	return at
}

// splittable tells whether a deref of x leaves it to be split: constant
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
		if u.Instr == nil || u.Instr.Kind == ir.KindIntrinsic && (!in.DerefInfo().Type.IsVectorOrScalar() || u.Instr.Intr == ir.IntrCopyDeref) {
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

// copyVariable adds a variable that is like v but for its type and name.
func copyVariable(s *ir.Shader, v *ir.Variable, t *ir.Type, name string) *ir.Variable {
	n := s.NewVariable(v.Mode, t, name)
	id := n.ID
	*n = *v
	n.ID, n.Type, n.Name = id, t, name
	return n
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

// gone tells whether a variable has been split.
func gone(splits []*arraySplit, v *ir.Variable) bool {
	for _, x := range splits {
		if x.v == v {
			return !x.skip
		}
	}
	return false
}
