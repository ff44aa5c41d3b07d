package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// interfaceVariable makes the IR variables of an Input or Output variable: one
// each member of a struct, else one.
func (t *translator) interfaceVariable(v *variable, i int, init *cnst) {
	if v.typ.temp != v.typ.plain {
		t.fail(v.id, "%s in storage class %s has images or samplers", v.typ, v.sc)
	}
	if _, ok := t.decOf(i, spv.DecorationBuiltIn); !ok && v.typ.withoutArray().isBool() {
		t.broken(ruleBoolIO, v.id, "%s in storage class %s", v.typ, v.sc)
	}
	own := ir.Field{Location: -1, BuiltIn: -1, XfbBuffer: -1, XfbOffset: -1}
	var index uint32
	var xfb captureDec
	perVertex := false
	t.eachDec(i, func(d *decoration) {
		switch d.dec {
		case spv.DecorationIndex:
			index = d.arg(0)
		case spv.DecorationPerVertexKHR:
			perVertex = true
		default:
			if !xfb.read(d) {
				interfaceDecoration(&own, d)
			}
		}
	})
	v.access = own.Access
	if perVertex && (t.s.Stage != ir.StageFragment || v.sc != spv.StorageClassInput) {
		t.fail(v.id, "PerVertexKHR is for inputs of fragment shaders")
	}
	t.arrayOfBlocks(v, &own)
	finish := func(iv *ir.Variable, f *ir.Field, c captureDec) {
		iv.Index, iv.PerVertex = index, perVertex
		t.fillInterface(v, iv, f)
		t.capture(v, iv, c)
	}
	arrayed := t.arrayedInterface(v.sc, own.Patch) && v.typ.kind == tArray // of vertices
	st := v.typ
	if arrayed {
		st = st.elem
	}
	if st.kind != tStruct {
		t.noBlockArrayCapture(v, &own)
		if !perVertex && t.mixed(v, &own) {
			t.splitElements(v, &own, func(iv *ir.Variable, f *ir.Field) { finish(iv, f, xfb) })
			return
		}
		t.blockInterp(v, &own)
		v.iv = t.newInterface(v, own.BuiltIn, v.typ.plain, t.nameOf(v.id))
		finish(v.iv, &own, xfb)
		if init != nil {
			v.iv.Init = init.irConstant()
		}
		return
	}
	v.members = make([]*ir.Variable, len(st.members))
	loc := own.Location
	for k, m := range st.members {
		f := st.memb[k]
		inherit(&f, &own)
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
		name := t.nameOf(v.id)
		if name == "" {
			name = st.ir.Name
		}
		iv := t.newInterface(v, f.BuiltIn, mt, name+"."+f.Name)
		iv.InterfaceType = st.plain
		finish(iv, &f, xfb.merge(st, k))
		if init != nil && !arrayed {
			iv.Init = init.part(k).irConstant()
		}
		v.members[k] = iv
	}
	if own.XfbOffset >= 0 && len(v.members) > 0 {
		whole := *v.members[0]
		whole.Type, whole.XfbOffset, whole.Compact = st.plain, own.XfbOffset, false
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
	if t.stage == ir.StageFragment && iv.Mode == ir.ModeShaderIn && iv.Interp == ir.InterpNone {
		iv.Interp = defaultInterp(iv.Type)
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
		t.fail(v.id, "the location %d of %q is not supported: it is beyond the last of the %d that %s have", f.Location+n-1, iv.Name, bound, what)
	}
	if column := ty.WithoutArray(); iv.Component != 0 && column.IsNumeric() && int(iv.Component)+int(column.Rows)*max(int(column.Bits), 32)/32 > 4 {
		t.broken(ruleComponent, v.id, "the variable %q has %d components of %d bits from component %d of a location on", iv.Name, column.Rows, column.Bits, iv.Component)
	}
}

// fillBuiltIn enters slot and facts of a built-in variable.
func (t *translator) fillBuiltIn(v *variable, iv *ir.Variable, b spv.BuiltIn) {
	if slot, ok := t.builtInSlot(v, b); ok {
		iv.Location = int32(slot)
	}
	switch b {
	case spv.BuiltInTessLevelOuter, spv.BuiltInTessLevelInner:
		iv.Patch = true // whether decorated or not
	}
	ty := t.slotType(v, iv)
	t.checkBuiltIn(v, b, ty)
	switch b {
	case spv.BuiltInClipDistance, spv.BuiltInCullDistance:
		iv.Compact = true
		if !ty.IsArray() || ty.Len == 0 || ty.Len > 8 || !ty.Elem.IsScalar() {
			t.fail(v.id, "%s is not an array of 1 to 8 floats", b)
		}
		if (v.sc == spv.StorageClassOutput) || t.stage == ir.StageFragment {
			if b == spv.BuiltInClipDistance {
				t.s.Info.ClipDistances = uint8(ty.Len)
			} else {
				t.s.Info.CullDistances = uint8(ty.Len)
			}
		}
	case spv.BuiltInTessLevelOuter, spv.BuiltInTessLevelInner:
		iv.Compact = true
		if !iv.Type.IsArray() || !iv.Type.Elem.IsScalar() {
			t.fail(v.id, "%s is not an array of floats", b)
		}
	case spv.BuiltInFragDepth:
		if !t.s.Info.DepthReplacing {
			t.broken(ruleDepth, v.id, "the entry point has not the mode DepthReplacing, but FragDepth")
		}
	case spv.BuiltInSampleId, spv.BuiltInSamplePosition:
		t.s.Info.UsesSampleShading = true
	case spv.BuiltInPrimitiveId, spv.BuiltInLayer, spv.BuiltInViewportIndex:
		if iv.Mode == ir.ModeShaderIn {
			iv.Interp = ir.InterpFlat
		}
	}
}

// builtInSlot returns the slot of a built-in that travels between stages or
// is a fragment result; the others are system values. It fails for those that
// are not supported.
func (t *translator) builtInSlot(v *variable, b spv.BuiltIn) (ir.Slot, bool) {
	in := v.sc == spv.StorageClassInput
	frag := t.stage == ir.StageFragment
	switch b {
	case spv.BuiltInPosition:
		return ir.SlotPos, true
	case spv.BuiltInPointSize:
		return ir.SlotPointSize, true
	case spv.BuiltInClipDistance:
		return ir.SlotClipDist0, true
	case spv.BuiltInCullDistance:
		return ir.SlotCullDist0, true
	case spv.BuiltInLayer:
		return ir.SlotLayer, true
	case spv.BuiltInViewportIndex:
		return ir.SlotViewport, true
	case spv.BuiltInPrimitiveId:
		return ir.SlotPrimitiveID, !in || frag
	case spv.BuiltInTessLevelOuter:
		return ir.SlotTessLevelOuter, true
	case spv.BuiltInTessLevelInner:
		return ir.SlotTessLevelInner, true
	case spv.BuiltInPrimitiveShadingRateKHR:
		return ir.SlotShadingRate, true
	case spv.BuiltInFragDepth:
		return ir.SlotDepth, true
	case spv.BuiltInFragStencilRefEXT:
		return ir.SlotStencil, true
	case spv.BuiltInSampleMask:
		return ir.SlotSampleMask, !in
	}
	if b == spv.BuiltInVertexId || b == spv.BuiltInInstanceId {
		t.broken(ruleVertexID, v.id, "the built-in %s is not supported", b)
	}
	if !systemValue(b) || !in {
		t.fail(v.id, "the built-in %s of storage class %s is not supported", b, v.sc)
	}
	return 0, false
}

// systemValue reports whether the built-in is one that lower_system_values knows.
func systemValue(b spv.BuiltIn) bool {
	switch b {
	case spv.BuiltInVertexIndex, spv.BuiltInInstanceIndex,
		spv.BuiltInBaseVertex, spv.BuiltInBaseInstance, spv.BuiltInDrawIndex, spv.BuiltInDeviceIndex, spv.BuiltInViewIndex,
		spv.BuiltInInvocationId, spv.BuiltInTessCoord, spv.BuiltInPatchVertices, spv.BuiltInPrimitiveId,
		spv.BuiltInFragCoord, spv.BuiltInPointCoord, spv.BuiltInFrontFacing, spv.BuiltInSampleId,
		spv.BuiltInSamplePosition, spv.BuiltInSampleMask, spv.BuiltInHelperInvocation, spv.BuiltInFullyCoveredEXT,
		spv.BuiltInBaryCoordKHR, spv.BuiltInBaryCoordNoPerspKHR, spv.BuiltInFragSizeEXT,
		spv.BuiltInFragInvocationCountEXT, spv.BuiltInShadingRateKHR,
		spv.BuiltInNumWorkgroups, spv.BuiltInWorkgroupSize, spv.BuiltInWorkgroupId, spv.BuiltInLocalInvocationId,
		spv.BuiltInGlobalInvocationId, spv.BuiltInLocalInvocationIndex,
		spv.BuiltInSubgroupSize, spv.BuiltInNumSubgroups, spv.BuiltInSubgroupId, spv.BuiltInSubgroupLocalInvocationId,
		spv.BuiltInSubgroupEqMask, spv.BuiltInSubgroupGeMask, spv.BuiltInSubgroupGtMask, spv.BuiltInSubgroupLeMask,
		spv.BuiltInSubgroupLtMask:
		return true
	}
	return false
}
