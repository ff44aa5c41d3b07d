package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// vkind is what an id stands for.
type vkind uint8

const (
	vNone     vkind = iota // not translated (yet)
	vBad                   // failed; obj is the *Error, raised when used
	vType                  // typ
	vConst                 // obj is the *cnst
	vUndef                 // OpUndef of typ
	vVariable              // obj is the *variable
	vPointer               // obj is the *pointer; typ is the pointer's type
	vLeaves                // leaves
	vOpaque                // a loaded image or sampler; obj is the *pointer to it
	vSampled               // an OpSampledImage; obj is the *sampledImage
	vTexel                 // an OpImageTexelPointer; obj is the *texel
	vAddress               // a constant address of a kernel (kernel_program.go); typ is the pointer's type
	vSampler               // an OpConstantSampler; obj is the *literalSampler
	vFunction              // obj is the *function
	vLabel
	vExtSet
	vString
)

// value is what an id stands for. A value of an aggregate type is the flat
// list of its leaves (scalars, vectors, matrix columns, pointers) in order of
// members and elements, so a part of it is a slice of it.
type value struct {
	kind   vkind
	typ    *typ
	leaves []*ir.Def
	obj    any
}

// index returns where an id is defined, failing if it is nowhere.
func (t *translator) index(id uint32) int {
	i := t.m.DefIndex(spv.ID(id))
	if i < 0 {
		t.fail(id, "the id is used but not defined")
	}
	return i
}

// atUse gives the error of a declaration, which has no line, that of its use.
func (t *translator) atUse(err *Error) *Error {
	if err.Line != 0 || t.line.line == 0 {
		return err
	}
	at := *err
	at.File, at.Line, at.Col = t.fileName(t.line.file), t.line.line, t.line.col
	return &at
}

// val returns what an id stands for, failing if that is an error or nothing yet.
func (t *translator) val(id uint32) *value {
	i := t.index(id)
	v := &t.vals[i]
	switch v.kind {
	case vBad:
		panic(bail{t.atUse(v.obj.(*Error))})
	case vFunction, vExtSet:
		return v
	case vNone:
		t.fail(id, "%s %%%d is used before its definition, or where its kind is not allowed", t.m.Insts[i].Op, id)
	}
	if t.f != nil && t.f.fn != nil && i > int(t.funcs[0].def) && (i < int(t.f.fn.def) || i > int(t.f.fn.last)) {
		t.fail(id, "the id belongs to another function")
	}
	return v
}

// typeOf returns the type that an id names.
func (t *translator) typeOf(id uint32) *typ {
	v := t.val(id)
	if v.kind != vType {
		t.fail(id, "the id is not a type")
	}
	return v.typ
}

// valType returns the type of the value that an id names.
func (t *translator) valType(id uint32) *typ {
	v := t.val(id)
	switch v.kind {
	case vType, vFunction, vLabel, vExtSet, vString:
		t.fail(id, "the id is not a value")
	}
	return v.typ
}

// get returns the leaves of the value that an id names. Constants and
// undefined values are made in the current function when first asked for.
func (t *translator) get(id uint32) []*ir.Def {
	v := t.val(id)
	switch v.kind {
	case vLeaves:
		return v.leaves
	case vConst:
		return t.constLeaves(id, v)
	case vUndef:
		return t.undefLeaves(v)
	case vPointer:
		return t.leaf(t.pointerValue(v.obj.(*pointer)))
	case vAddress:
		return t.leaf(t.pointerValue(t.constantAddress(id, v.typ)))
	case vVariable:
		return t.leaf(t.pointerValue(t.pointerTo(v.obj.(*variable))))
	case vOpaque:
		return t.leaf(t.derefOf(v.obj.(*pointer)))
	}
	t.fail(id, "the id is not a value that can be used here")
	return nil
}

// one returns the value of a scalar or vector (or pointer) id.
func (t *translator) one(id uint32) *ir.Def {
	l := t.get(id)
	if len(l) != 1 {
		t.fail(id, "a scalar or vector is wanted here")
	}
	return l[0]
}

// scalar returns the value of a scalar id.
func (t *translator) scalar(id uint32) *ir.Def {
	d := t.one(id)
	if d.NumComponents != 1 {
		t.fail(id, "a scalar is wanted here")
	}
	return d
}

// vector returns a numeric value that has the type's shape: use it where the
// shape is not checked otherwise.
func (t *translator) vector(id uint32) *ir.Def {
	if ty := t.valType(id); !ty.numeric() {
		t.fail(id, "a number or vector is wanted here")
	}
	return t.one(id)
}

// set defines the result of an instruction as a scalar or vector, checking
// that it has the result type's shape.
func (t *translator) set(in *inst, d *ir.Def) {
	ty := t.typeOf(in.typ)
	if !ty.isLeaf() {
		t.fail(in.id, "%s: the result type is not a scalar or vector", in.op)
	}
	if c, b := ty.shape(); c != d.NumComponents || b != d.BitSize {
		t.fail(in.id, "%s: the operation gives %d x %d bits, the result type is %s", in.op, d.NumComponents, d.BitSize, ty)
	}
	t.nameDef(in.id, d)
	t.vals[t.index(in.id)] = value{kind: vLeaves, typ: ty, leaves: t.leaf(d)}
}

// setLeaves defines the result of an instruction of any type.
func (t *translator) setLeaves(in *inst, ty *typ, l []*ir.Def) {
	if int(ty.leaves) != len(l) {
		t.fail(in.id, "%s: the operation gives %d parts, the result type %s has %d", in.op, len(l), ty, ty.leaves)
	}
	k := 0
	t.checkLeaves(in, ty, l, &k)
	t.vals[t.index(in.id)] = value{kind: vLeaves, typ: ty, leaves: l}
}

// checkLeaves checks the shapes of leaves against a type's.
func (t *translator) checkLeaves(in *inst, ty *typ, l []*ir.Def, k *int) {
	switch {
	case ty.isLeaf():
		if c, b := ty.shape(); c != l[*k].NumComponents || b != l[*k].BitSize {
			t.fail(in.id, "%s: a part has %d x %d bits, its type is %s", in.op, l[*k].NumComponents, l[*k].BitSize, ty)
		}
		*k++
	case ty.kind == tStruct:
		for _, m := range ty.members {
			t.checkLeaves(in, m, l, k)
		}
	default:
		for range ty.n {
			t.checkLeaves(in, ty.elem, l, k)
		}
	}
}

// setPointer defines the result of an instruction as a pointer.
func (t *translator) setPointer(in *inst, p *pointer) {
	ty := t.typeOf(in.typ)
	if ty.kind != tPointer {
		t.fail(in.id, "%s: the result type is not a pointer", in.op)
	}
	t.vals[t.index(in.id)] = value{kind: vPointer, typ: ty, obj: p}
}

// alias makes the result of an instruction stand for what an id stands for,
// with the result type.
func (t *translator) alias(in *inst, v value, ty *typ) {
	v.typ = ty
	t.vals[t.index(in.id)] = v
}

// undefLeaves makes undefined leaves of a type in the current function.
func (t *translator) undefLeaves(v *value) []*ir.Def {
	n := t.leafCount(v.typ)
	out := t.leaves.Slice(n)[:0]
	t.eachLeaf(v.typ, func(c, b uint8) {
		out = append(out, t.f.undef(c, b))
	})
	return out
}

// leafCount returns how many leaves a value of the type has, taking them from
// the budget; types whose values are too large fail.
func (t *translator) leafCount(ty *typ) int {
	if ty.leaves > maxLeaves {
		t.fail(ty.id, "values of type %s are too large", ty)
	}
	if ty.leaves == 0 && ty.kind != tStruct {
		t.fail(ty.id, "there are no values of type %s", ty)
	}
	t.spend(int(ty.leaves))
	return int(ty.leaves)
}

// eachLeaf calls f with the shape of each leaf of the type.
func (t *translator) eachLeaf(ty *typ, f func(comps, bits uint8)) {
	switch {
	case ty.isLeaf():
		f(ty.shape())
	case ty.kind == tStruct:
		for _, m := range ty.members {
			t.eachLeaf(m, f)
		}
	default:
		for range ty.n {
			t.eachLeaf(ty.elem, f)
		}
	}
}

// nameDef gives a value the name that the module gives its id.
func (t *translator) nameDef(id uint32, d *ir.Def) {
	if !t.opts.Debug || t.f == t.scratch {
		return
	}
	i := t.index(id)
	if t.names[i] == 0 {
		return
	}
	if t.nameIdx == nil {
		t.nameIdx = make([]uint32, len(t.m.Insts))
	}
	if t.nameIdx[i] == 0 {
		t.s.Names = append(t.s.Names, t.nameOf(id))
		t.nameIdx[i] = uint32(len(t.s.Names) - 1)
	}
	d.Name = t.nameIdx[i]
}

// nameOf returns the name that an OpName gives the id, or "".
func (t *translator) nameOf(id uint32) string {
	i := t.m.DefIndex(spv.ID(id))
	if i < 0 || t.names[i] == 0 {
		return ""
	}
	s, _ := t.m.Insts[t.names[i]-1].StringArg(1)
	return s
}
