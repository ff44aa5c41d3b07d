package passes

import "nirc/ir"

var lowerSysvalsToVaryingsPass = &Pass{
	Name: "lower_sysvals_to_varyings", Class: "A", Run: lowerSysvalsToVaryings, Idempotent: true,
	Instead: "hardware: system values come in registers, or the code generator names what fixed functions interpolate (PointCoord on all targets, FragCoord and FrontFacing on midgard), after the pipeline's state has turned them; it stays for those where they are plain varyings",
	Doc: "Makes chosen system values of fragment shaders inputs, for targets whose hardware gives them as varyings. Input: variables of mode system_value " +
		"(before lower_system_values). Output: the same variables with mode shader_in at the slots POS (window coordinates), FACE, PNTC, LAYER, PRIMITIVE_ID " +
		"and VIEW_INDEX.",
	Options: []Option{
		{Name: "frag_coord", Doc: "FragCoord", Default: false},
		{Name: "front_face", Doc: "FrontFacing", Default: false},
		{Name: "point_coord", Doc: "PointCoord", Default: true},
		{Name: "layer_id", Doc: "Layer", Default: false},
		{Name: "primitive_id", Doc: "PrimitiveId", Default: false},
		{Name: "view_index", Doc: "ViewIndex", Default: false},
	},
}

// sysvalVaryings are the built-ins that have a slot.
var sysvalVaryings = [...]struct {
	option  string
	builtin int32
	slot    ir.Slot
	interp  ir.Interp
}{
	{"frag_coord", ir.BuiltInFragCoord, ir.SlotPos, ir.InterpNoPerspective},
	{"front_face", ir.BuiltInFrontFacing, ir.SlotFace, ir.InterpFlat},
	{"point_coord", ir.BuiltInPointCoord, ir.SlotPointCoord, ir.InterpSmooth},
	{"layer_id", ir.BuiltInLayer, ir.SlotLayer, ir.InterpFlat},
	{"primitive_id", ir.BuiltInPrimitiveID, ir.SlotPrimitiveID, ir.InterpFlat},
	{"view_index", ir.BuiltInViewIndex, ir.SlotViewIndex, ir.InterpFlat},
}

func lowerSysvalsToVaryings(c *Context, s *ir.Shader) (bool, error) {
	if s.Stage != ir.StageFragment {
		return false, nil
	}
	progress := false
	for _, x := range sysvalVaryings {
		if !c.Bool(x.option) {
			continue
		}
		for _, v := range s.Variables {
			if v.Mode == ir.ModeSystemValue && v.BuiltIn == x.builtin {
				v.Mode, v.Location, v.Interp = ir.ModeShaderIn, int32(x.slot), x.interp
				progress = true
			}
		}
	}
	if !progress {
		return false, nil
	}
	return eachImpl(s, ir.MetaAll, func(impl *ir.Impl) (changed bool) {
		for b := range impl.Blocks() {
			for in := b.First(); in != nil; in = in.Next() {
				if in.Kind != ir.KindDeref || in.DerefInfo().Modes != ir.ModeSystemValue {
					continue
				}
				if v := rootVar(in); v != nil && v.Mode == ir.ModeShaderIn {
					in.DerefInfo().Modes = ir.ModeShaderIn
					changed = true
				}
			}
		}
		return changed
	}) || progress, nil
}
