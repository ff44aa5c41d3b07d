package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// interfaceDecs are the decorations of an interface variable.
type interfaceDecs struct {
	own       ir.Field
	index     uint32
	perVertex bool
	xfb       captureDec
}

// interfaceDecs reads the decorations of an interface variable.
func (t *translator) interfaceDecs(v *variable, i int) (d interfaceDecs) {
	d.own = ir.Field{Location: -1, BuiltIn: -1, XfbBuffer: -1, XfbOffset: -1}
	t.eachDec(i, func(x *decoration) {
		switch x.dec {
		case spv.DecorationIndex:
			d.index = x.arg(0)
		case spv.DecorationPerVertexKHR:
			d.perVertex = true
		default:
			if !d.xfb.read(x) {
				t.interfaceDecoration(v.id, &d.own, x)
			}
		}
	})
	if d.perVertex {
		if t.s.Stage != ir.StageFragment || v.sc != spv.StorageClassInput {
			t.fail(v.id, "PerVertexKHR is for inputs of fragment shaders")
		}
		t.checkLacks(v.id, spv.KindDecoration.Capabilities(uint32(spv.DecorationPerVertexKHR)))
	}
	return d
}

// finishInterface enters the decorations into an IR variable; f and c are those of the
// member, if it is one of a struct.
func (t *translator) finishInterface(v *variable, iv *ir.Variable, d *interfaceDecs, f *ir.Field, c captureDec) {
	iv.Index, iv.PerVertex = d.index, d.perVertex
	t.fillInterface(v, iv, f)
	t.capture(v, iv, c)
}

// interfaceVariable makes the IR variables of an Input or Output variable: one
// each member of a struct, else one.
func (t *translator) interfaceVariable(v *variable, i int, init *cnst) {
	if v.typ.temp != v.typ.plain {
		t.fail(v.id, "%s in storage class %s has images or samplers", v.typ, v.sc)
	}
	if _, ok := t.decOf(i, spv.DecorationBuiltIn); !ok && v.typ.withoutArray().isBool() {
		t.broken(ruleBoolIO, v.id, "%s in storage class %s", v.typ, v.sc)
	}
	d := t.interfaceDecs(v, i)
	v.access = d.own.Access
	t.arrayOfBlocks(v, &d.own)
	st, arrayed := v.typ, t.arrayedInterface(v.sc, d.own.Patch) && v.typ.kind == tArray // of vertices
	if arrayed {
		st = st.elem
	}
	if st.kind == tStruct {
		t.interfaceMembers(v, st, arrayed, &d, init)
		return
	}
	t.noBlockArrayCapture(v, &d.own)
	if !d.perVertex && t.mixed(v, &d.own) {
		t.splitElements(v, &d.own, func(iv *ir.Variable, f *ir.Field) { t.finishInterface(v, iv, &d, f, d.xfb) })
		return
	}
	t.blockInterp(v, &d.own)
	ty := v.typ.plain
	if d.own.BuiltIn == ir.BuiltInPrimitiveIndicesNV && t.stage == ir.StageMesh {
		ty = t.indicesType(v)
	}
	v.iv = t.newInterface(v, d.own.BuiltIn, ty, t.nameOf(v.id))
	t.finishInterface(v, v.iv, &d, &d.own, d.xfb)
	if init != nil {
		v.iv.Init = init.irConstant()
	}
}

// interfaceMembers makes a variable for each member of a block.
func (t *translator) interfaceMembers(v *variable, st *typ, arrayed bool, d *interfaceDecs, init *cnst) {
	v.members = make([]*ir.Variable, len(st.members))
	name := t.nameOf(v.id)
	if name == "" {
		name = st.ir.Name
	}
	loc := d.own.Location
	for k, m := range st.members {
		f := st.memb[k]
		inherit(&f, &d.own)
		if f.XfbBuffer >= 0 {
			f.XfbOffset = f.Offset
		}
		if f.Location >= 0 {
			loc = f.Location
		} else if loc >= 0 && f.BuiltIn < 0 {
			f.Location = loc
		}
		mt := m.plain
		if loc >= 0 {
			loc += int32(min(mt.SlotCount(), 1<<16))
		}
		if arrayed {
			mt = ir.ArrayType(mt, v.typ.n, 0)
		}
		if perViewNV(f.BuiltIn) {
			continue
		}
		iv := t.newInterface(v, f.BuiltIn, mt, name+"."+f.Name)
		iv.InterfaceType = st.plain
		t.finishInterface(v, iv, d, &f, d.xfb.merge(st, k))
		if init != nil && !arrayed {
			iv.Init = init.part(k).irConstant()
		}
		v.members[k] = iv
	}
	if d.own.XfbOffset >= 0 && len(v.members) > 0 && v.members[0] != nil {
		whole := *v.members[0]
		whole.Type, whole.XfbOffset, whole.Compact = st.plain, d.own.XfbOffset, false
		t.captureRuns(v, &whole)
	}
}

// inherit gives a member the decorations of its variable.
func inherit(f, own *ir.Field) {
	if f.Interp == ir.InterpNone {
		f.Interp = own.Interp
	}
	f.Centroid = f.Centroid || own.Centroid
	f.Sample = f.Sample || own.Sample
	f.Patch = f.Patch || own.Patch
	f.Invariant = f.Invariant || own.Invariant
	f.PerPrimitive = f.PerPrimitive || own.PerPrimitive
	f.Access |= own.Access
	if f.XfbBuffer < 0 {
		f.XfbBuffer = own.XfbBuffer
	}
}

// arrayedInterface reports whether the stage's interface variables of the
// storage class have an array level that counts vertices.
func (t *translator) arrayedInterface(sc spv.StorageClass, patch bool) bool {
	if patch {
		return false
	}
	switch t.stage {
	case ir.StageTessCtrl:
		return true
	case ir.StageTessEval, ir.StageGeometry:
		return sc == spv.StorageClassInput
	case ir.StageMesh:
		return sc == spv.StorageClassOutput
	}
	return false
}

// newInterface makes an interface variable of the mode that its built-in, if
// any, asks for.
func (t *translator) newInterface(v *variable, builtIn int32, ty *ir.Type, name string) *ir.Variable {
	mode := ir.ModeShaderIn
	if v.sc == spv.StorageClassOutput {
		mode = ir.ModeShaderOut
	}
	if builtIn >= 0 {
		if _, ok := t.builtInSlot(v, spv.BuiltIn(builtIn)); !ok {
			mode = ir.ModeSystemValue
		}
	}
	v.mode = mode
	return t.s.NewVariable(mode, ty, name)
}

// fillInterface enters decorations into an interface variable.
func (t *translator) fillInterface(v *variable, iv *ir.Variable, f *ir.Field) {
	iv.Component, iv.Interp, iv.Centroid, iv.Sample, iv.Patch = f.Component, f.Interp, f.Centroid, f.Sample, f.Patch
	iv.Invariant, iv.PerPrimitive, iv.Mediump, iv.Access = f.Invariant, f.PerPrimitive, f.RelaxedPrecis, f.Access
	iv.XfbBuffer, iv.XfbOffset, iv.BuiltIn = f.XfbBuffer, f.XfbOffset, f.BuiltIn
	if t.stage == ir.StageFragment && iv.Mode == ir.ModeShaderIn {
		if iv.Interp == ir.InterpNone {
			iv.Interp = defaultInterp(iv.Type)
		}
		t.s.Info.SampleInputs = t.s.Info.SampleInputs || iv.Sample
	}
	if f.BuiltIn >= 0 {
		t.fillBuiltIn(v, iv, spv.BuiltIn(f.BuiltIn))
		return
	}
	if f.Location < 0 {
		t.fail(v.id, "the interface variable %q has no location", iv.Name)
	}
	first, bound, what := t.slots(iv)
	iv.Location = int32(first) + f.Location
	ty := t.slotType(v, iv)
	if n := int32(min(ty.SlotCount(), 1<<16)); f.Location+n > bound {
		t.refuse(v.id, "the location %d of %q is not supported: it is beyond the last of the %d that %s have by the limits of Vulkan's drivers (maxVertexInputAttributes, 128 components; VUID-RuntimeSpirv-Location-06272)", f.Location+n-1, iv.Name, bound, what)
	}
	if column := ty.WithoutArray(); iv.Component != 0 && column.IsNumeric() && int(iv.Component)+int(column.Rows)*max(int(column.Bits), 32)/32 > 4 {
		t.broken(ruleComponent, v.id, "the variable %q has %d components of %d bits from component %d of a location on", iv.Name, column.Rows, column.Bits, iv.Component)
	}
}
