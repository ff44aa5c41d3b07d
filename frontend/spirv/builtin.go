package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// ruleBuiltIn and ruleBuiltInStage stand for the rules VUID-<BuiltIn>-<BuiltIn>-NNNNN of Vulkan, of which each
// built-in has some.
const (
	ruleBuiltIn      = "Vulkan, Built-In Variables: the type of a built-in"
	ruleBuiltInStage = "Vulkan, Built-In Variables: the stages of a built-in"
	ruleDepth        = "VUID-FragDepth-FragDepth-04216: an entry point that writes FragDepth has the mode DepthReplacing"
	ruleOrigin       = "VUID-StandaloneSpirv-OriginLowerLeft-04653: Vulkan has OriginUpperLeft"
	rulePixelCenter  = "VUID-StandaloneSpirv-PixelCenterInteger-04654: Vulkan's pixel centres are halves"
	ruleVertexID     = "Vulkan, Built-In Variables: there are VertexIndex and InstanceIndex"
	ruleRounding     = "VUID-StandaloneSpirv-FPRoundingMode-04675: the rounding modes are RTE and RTZ"
	ruleBoolIO       = "VUID-StandaloneSpirv-Input-07290: booleans in Input and Output are built-ins"
)

// builtInSlot returns the slot of a built-in that travels between stages or
// is a fragment result; the others are system values. It fails for those that
// are not supported.
func (t *translator) builtInSlot(v *variable, b spv.BuiltIn) (ir.Slot, bool) {
	in := v.sc == spv.StorageClassInput
	// One that several capabilities enable means something else in each stage: as an input it may need none of them.
	if caps := spv.KindBuiltIn.Capabilities(uint32(b)); len(t.lacks) > 0 && (len(caps) == 1 || !in) {
		t.checkLacks(v.id, caps)
	}
	row := ir.FindBuiltIn(int32(b))
	if row != nil {
		if slot, ok := row.SlotIn(t.stage, in); ok {
			return slot, true
		}
	}
	if b == spv.BuiltInVertexId || b == spv.BuiltInInstanceId && t.stage == ir.StageVertex {
		t.broken(ruleVertexID, v.id, "the built-in %s is not supported", b)
	}
	if why := nvReason(b); why != "" {
		t.refuse(v.id, "the built-in %s is not supported: %s", b, why)
	}
	if row == nil || !row.SysVal || !in {
		caps := spv.KindBuiltIn.Capabilities(uint32(b))
		t.refuse(v.id, "the built-in %s of storage class %s (%s) is not supported%s", b, v.sc, capabilityWords(caps), t.reason(caps))
	}
	return 0, false
}

// capabilityWords names capabilities, any of which enables something.
func capabilityWords(list []spv.Capability) string {
	if len(list) == 0 {
		return "no capability"
	}
	words := "capability"
	for i, c := range list {
		if i > 0 {
			words += " or"
		}
		words += " " + c.String()
	}
	return words
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
	case spv.BuiltInPrimitivePointIndicesEXT, spv.BuiltInPrimitiveLineIndicesEXT, spv.BuiltInPrimitiveTriangleIndicesEXT,
		spv.BuiltInPrimitiveIndicesNV, spv.BuiltInCullPrimitiveEXT:
		iv.PerPrimitive = true // whether decorated or not
	case spv.BuiltInFragDepth:
		if !t.s.Info.DepthReplacing {
			t.broken(ruleDepth, v.id, "the entry point has not the mode DepthReplacing, but FragDepth")
		}
	case spv.BuiltInSampleId, spv.BuiltInSamplePosition:
		t.s.Info.SampleInputs = true
	case spv.BuiltInPrimitiveId, spv.BuiltInLayer, spv.BuiltInViewportIndex:
		if iv.Mode == ir.ModeShaderIn {
			iv.Interp = ir.InterpFlat
		}
	}
}

// fitsBuiltIn reports whether a type is that of the built-in.
func fitsBuiltIn(r *ir.BuiltIn, ty *ir.Type) bool {
	if ty.IsArray() != r.Array {
		return false
	}
	if r.Array {
		ty = ty.Elem
	}
	bits := uint8(32)
	if r.Base == ir.BaseBool {
		bits = 1
	}
	base := ty.Base == r.Base || r.Base == ir.BaseInt && ty.Base == ir.BaseUint
	return base && ty.Bits == bits && ty.Cols == 1 && ty.Rows == r.Comps
}

// checkBuiltIn checks the type and the stage of a built-in; ty is the type without the level that
// counts vertices.
func (t *translator) checkBuiltIn(v *variable, b spv.BuiltIn, ty *ir.Type) {
	r := ir.FindBuiltIn(int32(b))
	if r == nil {
		return
	}
	if r.Comps != 0 && !fitsBuiltIn(r, ty) {
		t.broken(ruleBuiltIn, v.id, "the built-in %s is of type %s", b, ty)
	}
	if !r.Stages.Has(t.stage) {
		t.broken(ruleBuiltInStage, v.id, "the built-in %s in a %s shader", b, t.stage)
	}
}

// dropUnwrittenDistances counts no clip and cull distances that the shader has
// declared, as a gl_PerVertex does, but never names: the hardware would clip by
// what the outputs happen to hold.
func (t *translator) dropUnwrittenDistances() {
	info := &t.s.Info
	if t.stage == ir.StageFragment || info.ClipDistances|info.CullDistances == 0 {
		return
	}
	clip, cull := false, false
	note := func(v *ir.Variable) {
		b := spv.BuiltIn(v.BuiltIn)
		clip, cull = clip || b == spv.BuiltInClipDistance, cull || b == spv.BuiltInCullDistance
	}
	for _, v := range t.s.Variables {
		if v.Mode == ir.ModeShaderOut && v.Init != nil {
			note(v)
		}
	}
	for _, f := range t.s.Functions {
		if f.Impl == nil {
			continue
		}
		for blk := range f.Impl.Blocks() {
			for in := range blk.Instrs() {
				if in.Kind == ir.KindDeref && in.Deref == ir.DerefVar && in.DerefInfo().Modes == ir.ModeShaderOut {
					note(in.DerefInfo().Var)
				}
			}
		}
	}
	if !clip {
		info.ClipDistances = 0
	}
	if !cull {
		info.CullDistances = 0
	}
}
