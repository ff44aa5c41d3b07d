package nirc

import (
	"context"
	"fmt"
	"slices"

	"nirc/backend/object"
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// Reflect describes the interface of a shader by its variables. It is to be
// asked before passes remove them.
func Reflect(s *ir.Shader) object.Reflection {
	r := object.Reflection{Stage: s.Stage.String(), SharedSize: s.SharedSize, ScratchSize: s.ScratchSize}
	switch s.Stage {
	case ir.StageCompute, ir.StageTask, ir.StageMesh, ir.StageKernel:
		if !s.Info.WorkgroupSizeVariable {
			r.WorkgroupSize = slices.Clone(s.Info.WorkgroupSize[:])
		}
	}
	for _, v := range s.Variables {
		switch v.Mode {
		case ir.ModeShaderIn, ir.ModeSystemValue:
			r.Inputs = append(r.Inputs, slotOf(s, v))
		case ir.ModeShaderOut:
			r.Outputs = append(r.Outputs, slotOf(s, v))
		case ir.ModeUniform, ir.ModeImage, ir.ModeUBO, ir.ModeSSBO:
			r.Resources = append(r.Resources, resourceOf(v))
		case ir.ModePushConst:
			r.PushConstants = appendMembers(r.PushConstants, v)
		}
	}
	slices.SortStableFunc(r.Resources, func(a, b object.Resource) int {
		if a.Set != b.Set {
			return int(a.Set) - int(b.Set)
		}
		return int(a.Binding) - int(b.Binding)
	})
	return r
}

func slotOf(s *ir.Shader, v *ir.Variable) object.Slot {
	out := object.Slot{Name: v.Name, Location: locationName(s, v), Component: v.Component, Type: v.Type.String()}
	if s.Stage == ir.StageFragment && v.Mode == ir.ModeShaderIn && v.Interp != ir.InterpNone {
		out.Interp = v.Interp.String()
	}
	return out
}

// varyingNames name the varying slots below SlotVar0.
var varyingNames = [...]string{ir.SlotPos: "position", ir.SlotPointSize: "point_size", ir.SlotClipDist0: "clip_distance0", ir.SlotClipDist1: "clip_distance1",
	ir.SlotCullDist0: "cull_distance0", ir.SlotCullDist1: "cull_distance1", ir.SlotLayer: "layer", ir.SlotViewport: "viewport", ir.SlotPrimitiveID: "primitive_id",
	ir.SlotFace: "face", ir.SlotPointCoord: "point_coord", ir.SlotTessLevelOuter: "tess_level_outer", ir.SlotTessLevelInner: "tess_level_inner",
	ir.SlotViewIndex: "view_index", ir.SlotShadingRate: "shading_rate", ir.SlotBoundingBox0: "bounding_box0", ir.SlotBoundingBox1: "bounding_box1"}

// locationName names where a variable stands: location N, patch N, color N,
// attribute N, or a built-in's name.
func locationName(s *ir.Shader, v *ir.Variable) string {
	switch {
	case v.Mode == ir.ModeSystemValue:
		if v.BuiltIn >= 0 {
			return spv.BuiltIn(v.BuiltIn).String()
		}
		return "system_value"
	case v.Location < 0:
		return "none"
	case s.Stage == ir.StageFragment && v.Mode == ir.ModeShaderOut && v.Index != 0:
		return fmt.Sprintf("color %d index %d", ir.Slot(v.Location)-ir.SlotData0, v.Index)
	}
	return slotLocation(s, v.Mode, ir.Slot(v.Location))
}

// slotLocation names a slot of the stage's inputs or outputs.
func slotLocation(s *ir.Shader, mode ir.Mode, slot ir.Slot) string {
	switch {
	case s.Stage == ir.StageVertex && mode == ir.ModeShaderIn:
		return fmt.Sprintf("attribute %d", slot-ir.SlotAttrib0)
	case s.Stage == ir.StageFragment && mode == ir.ModeShaderOut:
		switch slot {
		case ir.SlotDepth:
			return "depth"
		case ir.SlotStencil:
			return "stencil"
		case ir.SlotSampleMask:
			return "sample_mask"
		}
		return fmt.Sprintf("color %d", slot-ir.SlotData0)
	case slot >= ir.SlotPatch0:
		return fmt.Sprintf("patch %d", slot-ir.SlotPatch0)
	case slot >= ir.SlotVar0:
		return fmt.Sprintf("location %d", slot-ir.SlotVar0)
	case int(slot) < len(varyingNames):
		return varyingNames[slot]
	}
	return fmt.Sprintf("slot %d", slot)
}

func resourceOf(v *ir.Variable) object.Resource {
	r := object.Resource{Name: v.Name, Set: v.Set, Binding: v.Binding, Count: 1}
	t := v.Type
	for t.IsArray() && (t.Elem.IsArray() || t.Elem.IsOpaque() || t.Elem.IsStruct()) {
		r.Count *= t.Len // an array without size makes the count 0
		t = t.Elem
	}
	r.Type = t.String()
	if r.Name == "" && t.IsStruct() {
		r.Name = t.Name
	}
	switch v.Mode {
	case ir.ModeUBO:
		r.Kind = "uniform_buffer"
		return r
	case ir.ModeSSBO:
		r.Kind = "storage_buffer"
		return r
	}
	switch t.Base {
	case ir.BaseSampler:
		r.Kind = "sampler"
	case ir.BaseSampledImage:
		r.Kind = "combined_image_sampler"
		if t.Dim == ir.DimBuf {
			r.Kind = "uniform_texel_buffer"
		}
	case ir.BaseAccelStruct:
		r.Kind = "acceleration_structure"
	case ir.BaseImage:
		r.Kind = "storage_image"
		if t.Dim == ir.DimBuf {
			r.Kind = "storage_texel_buffer"
		}
	default:
		r.Kind = "sampled_image"
		switch t.Dim {
		case ir.DimBuf:
			r.Kind = "uniform_texel_buffer"
		case ir.DimSubpass, ir.DimSubpassMS:
			r.Kind = "input_attachment"
		}
	}
	return r
}

// appendMembers lists the members of a push constant block.
func appendMembers(list []object.Member, v *ir.Variable) []object.Member {
	if !v.Type.IsStruct() {
		return append(list, object.Member{Name: v.Name, Size: uint32(v.Type.Size()), Type: v.Type.String()})
	}
	return typeMembers(list, v.Type)
}

// typeMembers lists the members of a block type.
func typeMembers(list []object.Member, t *ir.Type) []object.Member {
	for i := range t.Fields {
		f := &t.Fields[i]
		list = append(list, object.Member{Name: f.Name, Offset: uint32(max(f.Offset, 0)), Size: uint32(f.Type.Size()), Type: f.Type.String()})
	}
	return list
}

// Interface is the interface of a shader of a module, for people and tools.
type Interface struct {
	File  string `json:"file,omitempty"`
	Entry string `json:"entry"`
	object.Reflection
	// Modes are the execution modes that fixed function goes by.
	Modes []string `json:"modes,omitempty"`
	// Blocks are the buffers whose elements are structures.
	Blocks        []BlockLayout  `json:"blocks,omitempty"`
	SpecConstants []SpecConstant `json:"spec_constants,omitempty"`
	// Captures are the outputs that transform feedback takes, by buffer and offset.
	Captures []CapturedOutput `json:"captures,omitempty"`
	// WorkgroupVariable tells that the workgroup size is not known before
	// the launch.
	WorkgroupVariable bool `json:"workgroup_size_variable,omitempty"`
}

// BlockLayout lists the members of a uniform or storage buffer.
type BlockLayout struct {
	Set     uint32          `json:"set"`
	Binding uint32          `json:"binding"`
	Size    uint32          `json:"size"` // bytes, without a run-time array
	Members []object.Member `json:"members"`
}

// SpecConstant is a specialization constant of the module; Default is the value
// in the constant's type.
type SpecConstant struct {
	ID      uint32 `json:"id"`
	Name    string `json:"name,omitempty"`
	Type    string `json:"type"`
	Default string `json:"default"`
}

// CapturedOutput is a run of components of an output that transform feedback
// writes for each vertex. A 64-bit component counts as two.
type CapturedOutput struct {
	Buffer   uint8  `json:"buffer"`
	Offset   uint32 `json:"offset"` // bytes
	Stride   uint32 `json:"stride"` // bytes a vertex takes
	Stream   uint8  `json:"stream"`
	Location string `json:"location"`
	// First is the first component in its location, Components how many of Bits.
	First      uint8 `json:"first_component"`
	Components uint8 `json:"components"`
	Bits       uint8 `json:"bits"`
}

// capturesOf describes what transform feedback takes of a shader.
func capturesOf(s *ir.Shader) []CapturedOutput {
	var list []CapturedOutput
	for _, c := range s.Captures {
		list = append(list, CapturedOutput{Buffer: c.Buffer, Offset: c.Offset, Stride: s.Info.XfbStrides[c.Buffer], Stream: c.Stream,
			Location: slotLocation(s, ir.ModeShaderOut, c.Slot), First: c.First, Components: c.Count, Bits: c.Bits})
	}
	return list
}

// Interface describes the shader that the options choose. The workgroup size is
// that of the specialization that they give.
func (m *Module) Interface(ctx context.Context, o Options) (*Interface, error) {
	s, err := Translate(ctx, m, o)
	if err != nil {
		return nil, err
	}
	r := &Interface{File: m.Name, Entry: s.Name, Reflection: Reflect(s), Modes: modesOf(s), Captures: capturesOf(s), WorkgroupVariable: s.Info.WorkgroupSizeVariable}
	for _, v := range s.Variables {
		t := v.Type
		for t.IsArray() && t.Elem.IsStruct() {
			t = t.Elem
		}
		if v.Mode&(ir.ModeUBO|ir.ModeSSBO) != 0 && t.IsStruct() {
			b := BlockLayout{Set: v.Set, Binding: v.Binding, Members: typeMembers(nil, t)}
			for _, f := range b.Members {
				b.Size = max(b.Size, f.Offset+f.Size)
			}
			r.Blocks = append(r.Blocks, b)
		}
	}
	slices.SortStableFunc(r.Blocks, func(a, b BlockLayout) int {
		if a.Set != b.Set {
			return int(a.Set) - int(b.Set)
		}
		return int(a.Binding) - int(b.Binding)
	})
	for _, c := range m.SpecConstants() {
		r.SpecConstants = append(r.SpecConstants, SpecConstant{ID: c.ID, Name: c.Name, Type: specType(c.Class, c.Bits), Default: specText(c.Class, c.Bits, c.Default)})
	}
	return r, nil
}

// modesOf lists the execution modes of a shader.
func modesOf(s *ir.Shader) []string {
	var list []string
	add := func(on bool, format string, args ...any) {
		if on {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	name := func(names []string, i uint8) string { return names[min(int(i), len(names)-1)] }
	tess, geom := &s.Info.Tess, &s.Info.Geom
	switch s.Stage {
	case ir.StageTessCtrl:
		add(true, "output_vertices %d", tess.OutputVertices)
	case ir.StageGeometry:
		add(true, "input %s", name(ir.InPrimitiveNames[:], geom.InPrimitive))
		add(true, "output %s", name(ir.OutPrimitiveNames[:], geom.OutPrimitive))
		add(true, "max_vertices %d", geom.MaxVertices)
		add(geom.Invocations > 1, "invocations %d", geom.Invocations)
	case ir.StageFragment:
		add(s.Info.EarlyFragmentTests, "early_fragment_tests")
		add(s.Info.PostDepthCoverage, "post_depth_coverage")
		add(s.Info.DepthReplacing, "depth_replacing")
		add(s.Info.StencilReplacing, "stencil_replacing")
	}
	if s.Stage == ir.StageTessCtrl || s.Stage == ir.StageTessEval {
		add(tess.Domain != ir.DomainNone, "domain %s", name(ir.DomainNames[:], tess.Domain))
		add(tess.Domain != ir.DomainNone, "spacing %s", name(ir.SpacingNames[:], tess.Spacing))
		add(tess.Domain == ir.DomainTriangles || tess.Domain == ir.DomainQuads, "order %s", map[bool]string{true: "ccw", false: "cw"}[tess.CCW])
		add(tess.PointMode, "point_mode")
	}
	return list
}
