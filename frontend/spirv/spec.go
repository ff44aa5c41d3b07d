package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
	"nirc/ir/optab"
)

// SpecConstant is a specialization constant of a module.
type SpecConstant struct {
	// ID is the SpecId, Result the constant's id.
	ID, Result uint32
	// Class and Bits give its type; booleans have 1 bit.
	Class ir.TypeClass
	Bits  uint8
	// Default is the value without specialization.
	Default uint64
	Name    string
}

// SpecConstants lists the module's scalar specialization constants that have
// a SpecId, in their order.
func SpecConstants(m *spv.Module) []SpecConstant {
	t := &translator{m: m}
	var list []SpecConstant
	if t.guard(func() {
		t.tables()
		t.collectDecorations()
		for i := range m.Insts {
			in := &m.Insts[i]
			if in.Op == spv.OpFunction {
				break
			}
			if c, ok := t.specConstant(in, i); ok {
				list = append(list, c)
			}
		}
	}) != nil {
		return nil
	}
	return list
}

func (t *translator) specConstant(in *spv.Instruction, i int) (SpecConstant, bool) {
	c := SpecConstant{Result: uint32(in.Result()), Bits: 1, Class: ir.ClassBool}
	switch in.Op {
	case spv.OpSpecConstantTrue:
		c.Default = 1
	case spv.OpSpecConstantFalse:
	case spv.OpSpecConstant:
		num, ok := t.m.NumberType(in.ResultType())
		if !ok {
			return c, false
		}
		c.Bits, c.Default = num.Bits, uint64(in.Arg(0))
		if in.NumArgs() > 1 {
			c.Default |= uint64(in.Arg(1)) << 32
		}
		switch num.Encoding {
		case spv.Unsigned:
			c.Class = ir.ClassUint
		case spv.Signed:
			c.Class = ir.ClassInt
		default:
			c.Class = ir.ClassFloat
		}
	default:
		return c, false
	}
	id, ok := t.decOf(i, spv.DecorationSpecId)
	c.ID, c.Name = id, t.nameOf(c.Result)
	return c, ok
}

// specValue returns the value that the options give the constant defined at i.
func (t *translator) specValue(i int) (uint64, bool) {
	if t.specVals == nil {
		return 0, false
	}
	id, ok := t.decOf(i, spv.DecorationSpecId)
	if !ok {
		return 0, false
	}
	v, ok := t.specVals[id]
	return v, ok
}

// specOp evaluates an OpSpecConstantOp: the operation is translated into a
// scratch function like any other and the instructions made are evaluated.
func (t *translator) specOp(in *inst, ty *typ) *cnst {
	inner := inst{op: spv.Op(in.args[0]), typ: in.typ, id: in.id, args: in.args[1:], word: in.word}
	if t.scratch == nil {
		t.scratch = new(fctx)
	}
	old := t.f
	t.f = t.scratch
	defer func() {
		t.f.forgetConsts(t)
		t.f.b.Shader.Release()
		t.f = old
		t.vals[t.index(in.id)] = value{}
	}()
	t.f.frozen = t.caps.frozen
	t.f.reset(scratchFunction())
	t.instruction(&inner)
	l := t.get(in.id)
	vals, bad := evaluate(t.f.b.Impl)
	if bad != nil {
		t.fail(in.id, "%s cannot be evaluated as a constant", inner.op)
	}
	k := 0
	return t.constFrom(ty, l, vals, &k)
}

// constFrom builds a constant of the type from evaluated leaves.
func (t *translator) constFrom(ty *typ, l []*ir.Def, vals [][]uint64, k *int) *cnst {
	c := &cnst{typ: ty}
	if ty.isLeaf() {
		v := vals[l[*k].Index]
		*k++
		if copy(c.v[:], v) < len(v) {
			c.v, c.kind = [4]uint64{}, cComposite
			for _, x := range v {
				c.parts = append(c.parts, &cnst{typ: ty.elem, v: [4]uint64{x}})
			}
		}
		return c
	}
	c.kind = cComposite
	n := int(ty.n)
	if ty.kind == tStruct {
		n = len(ty.members)
	}
	for i := range n {
		m := ty.elem
		if ty.kind == tStruct {
			m = ty.members[i]
		}
		c.parts = append(c.parts, t.constFrom(m, l, vals, k))
	}
	return c
}

// evaluate computes all values of a straight-line function of constants and
// ALU instructions, by Def.Index, or returns the instruction that is neither.
func evaluate(impl *ir.Impl) (vals [][]uint64, bad *ir.Instr) {
	vals = make([][]uint64, impl.NumDefs)
	for in := impl.Start().First(); in != nil; in = in.Next() {
		switch in.Kind {
		case ir.KindLoadConst:
			vals[in.Def.Index] = in.Imm
		case ir.KindUndef:
			vals[in.Def.Index] = make([]uint64, in.Def.NumComponents)
		case ir.KindALU:
			out, ok := evalALU(in, vals)
			if !ok {
				return nil, in
			}
			vals[in.Def.Index] = out
		default:
			return nil, in
		}
	}
	return vals, nil
}

// evalALU evaluates one ALU instruction by its row's own functions.
func evalALU(in *ir.Instr, vals [][]uint64) ([]uint64, bool) {
	row := in.Op.Info()
	out := make([]uint64, in.Def.NumComponents)
	bits := in.OpBits()
	if row.EvalVec != nil {
		src := make([][]uint64, len(in.Srcs))
		for i := range in.Srcs {
			src[i] = make([]uint64, in.SrcComps(i))
			for c := range src[i] {
				src[i][c] = vals[in.Srcs[i].Def.Index][in.Srcs[i].Swizzle.Lane(c)]
			}
		}
		row.EvalVec(optab.Mode{}, bits, src, out)
	} else {
		if row.Eval == nil || len(in.Srcs) > 4 {
			return nil, false
		}
		for c := range out {
			var s [4]uint64
			for i := range in.Srcs {
				s[i] = vals[in.Srcs[i].Def.Index][in.Srcs[i].Swizzle.Lane(c)]
			}
			out[c] = row.Eval(optab.Mode{}, bits, &s)
		}
	}
	for c := range out {
		out[c] &= 1<<in.Def.BitSize - 1
	}
	return out, true
}
