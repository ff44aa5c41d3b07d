package spirv

import (
	"math"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// ckind is the form of a constant.
type ckind uint8

const (
	cValue     ckind = iota // scalar or vector of up to 4 components: v
	cComposite              // parts
	cNull
	cUndef
)

// cnst is a constant, perhaps a specialization constant whose value is fixed.
// Composites share their parts, so a constant is no larger than the module.
type cnst struct {
	typ   *typ
	kind  ckind
	v     [4]uint64
	parts []*cnst
	ir    *ir.Constant
}

// signed returns a scalar integer as a number, sign extended if it is signed.
func (c *cnst) signed() int64 {
	v := c.v[0]
	if c.typ.sign && c.typ.bits < 64 {
		s := 64 - c.typ.bits
		return int64(v<<s) >> s
	}
	if !c.typ.sign && v > 1<<62 {
		return 1 << 62
	}
	return int64(v)
}

// part returns a component, column, element or member.
func (c *cnst) part(i int) *cnst {
	ty := c.typ.elem
	if c.typ.kind == tStruct {
		ty = c.typ.members[i]
	}
	switch {
	case c.kind == cComposite:
		return c.parts[i]
	case c.kind == cValue:
		return &cnst{typ: ty, v: [4]uint64{c.v[i]}}
	}
	return &cnst{typ: ty, kind: c.kind}
}

// constDecl translates a constant instruction.
func (t *translator) constDecl(in *inst) {
	i := t.index(in.id)
	ty := t.typeOf(in.typ)
	if in.op == spv.OpConstantSampler && t.kernel {
		t.samplerConst(in)
		return
	}
	c := t.newConst(cnst{typ: ty})
	switch in.op {
	case spv.OpConstantTrue, spv.OpConstantFalse, spv.OpSpecConstantTrue, spv.OpSpecConstantFalse:
		if ty.kind != tBool {
			t.fail(in.id, "%s: the type is not bool", in.op)
		}
		if in.op == spv.OpConstantTrue || in.op == spv.OpSpecConstantTrue {
			c.v[0] = 1
		}
		if v, ok := t.specValue(i); ok {
			c.v[0] = 0
			if v != 0 {
				c.v[0] = 1
			}
		}
	case spv.OpConstant, spv.OpSpecConstant:
		if ty.kind != tInt && ty.kind != tFloat {
			t.fail(in.id, "%s: the type is not a number", in.op)
		}
		c.v[0] = uint64(in.args[0])
		if len(in.args) > 1 {
			c.v[0] |= uint64(in.args[1]) << 32
		}
		if v, ok := t.specValue(i); ok {
			c.v[0] = v
		}
		if ty.bits < 64 {
			c.v[0] &= 1<<ty.bits - 1
		}
	case spv.OpConstantComposite, spv.OpSpecConstantComposite:
		t.composite(in, c)
	case spv.OpConstantCompositeReplicateEXT, spv.OpSpecConstantCompositeReplicateEXT:
		t.composite(t.replicated(in), c)
	case spv.OpConstantDataKHR, spv.OpSpecConstantDataKHR:
		if _, ok := t.specValue(i); ok {
			t.refuse(in.id, "%s with a specialization constant is not supported: values of those are numbers, and not arrays", in.op)
		}
		t.constData(in, c)
	case spv.OpConstantSizeOfEXT:
		if ty.kind != tInt || ty.bits < 32 {
			t.fail(in.id, "%s: the type is no integer of 32 or 64 bits", in.op)
		}
		c.v[0] = t.sizeOfConst(in)
	case spv.OpConstantNull:
		c.kind = cNull
		if ty.narrow() || ty.kind == tPointer {
			c.kind = cValue
		}
		if ty.kind == tPointer && ty.sc != spv.StorageClassPhysicalStorageBuffer && !ty.physical {
			// Handle 0 and offset 0 are places in memory.
			c.v[0], c.v[1] = math.MaxUint32, math.MaxUint32
		}
	case spv.OpSpecConstantOp:
		if t.kernel && ty.kind == tPointer {
			t.vals[i] = value{kind: vAddress, typ: ty, obj: t.addressConst(in)}
			return
		}
		c = t.specOp(in, ty)
	default:
		t.unsupported(in)
	}
	if b, ok := t.decOf(i, spv.DecorationBuiltIn); ok && spv.BuiltIn(b) == spv.BuiltInWorkgroupSize {
		t.workgroupSize = c
	}
	t.vals[i] = value{kind: vConst, typ: ty, obj: c}
}

// constData fills an array of integers from words in which they stand without gaps (SPV_KHR_constant_data).
func (t *translator) constData(in *inst, c *cnst) {
	ty := c.typ
	if ty.kind != tArray || ty.coop != nil || ty.elem.kind != tInt {
		t.fail(in.id, "%s: the type %s is no array of integers", in.op, ty)
	}
	size := uint64(ty.elem.bits)
	if have, want := uint64(len(in.args)), (uint64(ty.n)*size+31)/32; have != want {
		t.fail(in.id, "%s: %d words are given, the type %s has %d", in.op, have, ty, want)
	}
	t.spend(int(ty.n))
	c.kind, c.parts = cComposite, make([]*cnst, ty.n)
	for k := range c.parts {
		bit := uint64(k) * size
		v := uint64(in.args[bit/32]) >> (bit % 32)
		if size == 64 {
			v |= uint64(in.args[bit/32+1]) << 32
		} else {
			v &= 1<<size - 1
		}
		c.parts[k] = t.newConst(cnst{typ: ty.elem, v: [4]uint64{v}})
	}
}

// composite fills a composite constant from its parts.
func (t *translator) composite(in *inst, c *cnst) {
	ty := c.typ
	if ty.coop != nil {
		in = t.replicated(in)
	}
	var n int
	switch ty.kind {
	case tVector, tMatrix, tArray:
		n = int(ty.n)
	case tStruct:
		n = len(ty.members)
	default:
		t.fail(in.id, "%s: the type %s is not composite", in.op, ty)
	}
	if n != len(in.args) {
		t.fail(in.id, "%s: %d parts are given, the type %s has %d", in.op, len(in.args), ty, n)
	}
	c.kind = cComposite
	parts := make([]*cnst, n)
	for k, id := range in.args {
		p := t.constOf(id)
		want := ty.elem
		if ty.kind == tStruct {
			want = ty.members[k]
		}
		// Of a specialization constant's parts spirv-val does not compare the signs.
		if !p.typ.sameShape(want) && !(p.typ.kind == tInt && want.kind == tInt && p.typ.bits == want.bits) {
			t.fail(in.id, "%s: part %d has type %s instead of %s", in.op, k, p.typ, want)
		}
		parts[k] = p
		if ty.kind == tVector && ty.narrow() {
			c.v[k] = p.v[0]
		}
	}
	if ty.kind == tVector && ty.narrow() {
		c.kind = cValue
		return
	}
	c.parts = parts
}

// constOf returns the constant that an id names.
func (t *translator) constOf(id uint32) *cnst {
	v := t.val(id)
	switch v.kind {
	case vConst:
		return v.obj.(*cnst)
	case vUndef:
		if v.typ.narrow() {
			return &cnst{typ: v.typ}
		}
		return &cnst{typ: v.typ, kind: cUndef}
	}
	t.fail(id, "a constant is wanted here")
	return nil
}

// intConst returns the value of an id that is an integer constant.
func (t *translator) intConst(id uint32) (int64, bool) {
	v := t.val(id)
	if v.kind != vConst {
		return 0, false
	}
	c := v.obj.(*cnst)
	if c.typ.kind != tInt {
		return 0, false
	}
	return c.signed(), true
}

// constArg returns the value of operand i, which has to be an integer constant.
func (t *translator) constArg(in *inst, i int) uint32 {
	v, ok := t.intConst(t.arg(in, i))
	if !ok {
		t.fail(in.id, "%s: operand %d is not an integer constant", in.op, i)
	}
	return uint32(v)
}

// constLeaves makes a constant's leaves in the current function.
func (t *translator) constLeaves(id uint32, v *value) []*ir.Def {
	if v.leaves != nil {
		return v.leaves
	}
	n := t.leafCount(v.typ)
	out := t.leaves.Slice(n)[:0]
	out = t.appendConst(out, v.obj.(*cnst))
	v.leaves = out
	t.f.consts = append(t.f.consts, int32(t.index(id)))
	return out
}

func (t *translator) appendConst(out []*ir.Def, c *cnst) []*ir.Def {
	switch c.kind {
	case cValue:
		n, b := c.typ.shape()
		return append(out, t.f.constant(b, c.v[:n]...))
	case cComposite:
		if c.typ.kind == tVector {
			v := make([]uint64, len(c.parts))
			for k, p := range c.parts {
				v[k] = p.v[0]
			}
			return append(out, t.f.constant(c.typ.bits, v...))
		}
		for _, p := range c.parts {
			out = t.appendConst(out, p)
		}
		return out
	}
	t.eachLeaf(c.typ, func(n, b uint8) {
		if c.kind == cUndef {
			out = append(out, t.f.undef(n, b))
			return
		}
		var zero [16]uint64
		out = append(out, t.f.constant(b, zero[:n]...))
	})
	return out
}

// irConstant returns the constant as a variable's initialiser.
func (c *cnst) irConstant() *ir.Constant {
	if c.ir != nil {
		return c.ir
	}
	k := &ir.Constant{}
	c.ir = k
	switch c.kind {
	case cValue:
		k.Values = c.v
		k.Zero = c.v == [4]uint64{}
	case cComposite:
		k.Elems = make([]*ir.Constant, len(c.parts))
		for i, p := range c.parts {
			k.Elems[i] = p.irConstant()
		}
	default:
		k.Zero = true
	}
	return k
}
