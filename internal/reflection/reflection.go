// Package reflection describes what a shader wants bound and what it hands on, by its variables, in the words that
// objects and `nirc reflect` use: slots, resources, members of blocks, execution modes.
//
// Nothing is changed here, and nothing is asked of a target: the description is of the shader as the frontend made it.
package reflection

import (
	"fmt"
	"slices"
	"strconv"

	"nirc/backend/object"
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// Of describes the interface of a shader by its variables. It is to be
// asked before passes remove them.
func Of(s *ir.Shader) object.Reflection {
	r := object.Reflection{Stage: s.Stage.String(), SharedSize: s.SharedSize, ScratchSize: s.ScratchSize}
	if ir.GroupStages.Has(s.Stage) && !s.Info.WorkgroupSizeVariable {
		r.WorkgroupSize = slices.Clone(s.Info.WorkgroupSize[:])
	}
	makeRoom(&r, s.Variables)
	for _, v := range s.Variables {
		switch v.Mode {
		case ir.ModeShaderIn, ir.ModeSystemValue:
			r.Inputs = append(r.Inputs, slotOf(s, v))
		case ir.ModeShaderOut:
			if v.FBFetch { // a tile image: what is there before
				r.Inputs = append(r.Inputs, slotOf(s, v))
				continue
			}
			r.Outputs = append(r.Outputs, slotOf(s, v))
		case ir.ModeUniform, ir.ModeImage, ir.ModeUBO, ir.ModeSSBO:
			if v.IsCounter() {
				r.Resources = counterBuffer(r.Resources, v)
				continue
			}
			r.Resources = append(r.Resources, Resource(v))
			x := &r.Resources[len(r.Resources)-1]
			if x.Binding = Binding(s, v); s.Info.Kernel && !v.HasBinding {
				x.Set, x.Binding = s.ArgumentBinding(v, true)
			}
		case ir.ModePushConst:
			r.PushConstants = PushMembers(r.PushConstants, v)
		}
	}
	r.Arguments = arguments(s)
	slices.SortStableFunc(r.Resources, func(a, b object.Resource) int {
		if a.Set != b.Set {
			return int(a.Set) - int(b.Set)
		}
		return int(a.Binding) - int(b.Binding)
	})
	return r
}

// makeRoom makes the lists as long as they may become, inputs and outputs in one piece of memory.
func makeRoom(r *object.Reflection, vars []*ir.Variable) {
	in, out, resources := 0, 0, 0
	for _, v := range vars {
		switch {
		case v.Mode == ir.ModeShaderIn || v.Mode == ir.ModeSystemValue || v.FBFetch:
			in++
		case v.Mode == ir.ModeShaderOut:
			out++
		case v.Mode&(ir.ModeUniform|ir.ModeImage|ir.ModeUBO|ir.ModeSSBO) != 0:
			resources++
		}
	}
	slots := make([]object.Slot, in+out)
	if in > 0 {
		r.Inputs = slots[:0:in]
	}
	if out > 0 {
		r.Outputs = slots[in : in : in+out]
	}
	if resources > 0 {
		r.Resources = make([]object.Resource, 0, resources)
	}
}

// arguments lists those of a kernel.
func arguments(s *ir.Shader) []object.Argument {
	var list []object.Argument
	for i, a := range s.Arguments {
		x := object.Argument{Name: a.Name, Kind: a.Kind.String(), Offset: a.Offset, Size: a.Size, Memory: a.Memory, Init: a.Init}
		for _, l := range a.Links {
			x.Links = append(x.Links, object.ArgumentLink(l))
		}
		if a.Kind == ir.ArgImage || a.Kind == ir.ArgSampler {
			for _, v := range s.Variables {
				if v.Mode&(ir.ModeUniform|ir.ModeImage) != 0 && int(v.Location) == i {
					x.Set, x.Binding = v.Set, v.Binding
					if !v.HasBinding {
						x.Set, x.Binding = s.ArgumentBinding(v, true)
					}
				}
			}
		}
		list = append(list, x)
	}
	return list
}

// counterBuffer adds the storage buffer that an atomic counter becomes a word of, unless it is listed.
func counterBuffer(list []object.Resource, v *ir.Variable) []object.Resource {
	x := object.Resource{Kind: "storage_buffer", Name: v.Name, Binding: v.Binding, Count: 1, Type: "u32[]"}
	if slices.ContainsFunc(list, func(r object.Resource) bool { return r.Set == 0 && r.Binding == x.Binding && r.Type == x.Type }) {
		return list
	}
	return append(list, x)
}

// Binding is where a variable's descriptor stands: storage buffers move up by what atomic counters take (lower_atomics_to_ssbo).
func Binding(s *ir.Shader, v *ir.Variable) uint32 {
	n := uint32(0)
	if v.Mode == ir.ModeSSBO && v.Set == 0 {
		for _, c := range s.Variables {
			if c.IsCounter() {
				n = max(n, c.Binding+1)
			}
		}
	}
	return v.Binding + n
}

func slotOf(s *ir.Shader, v *ir.Variable) object.Slot {
	out := object.Slot{Name: v.Name, Location: locationName(s, v), Component: v.Component, Type: v.Type.String()}
	if s.Stage == ir.StageFragment && v.Mode == ir.ModeShaderIn && v.Interp != ir.InterpNone {
		out.Interp = v.Interp.String()
	}
	out.PerPrimitive = v.PerPrimitive
	return out
}

// varyingNames name the varying slots below SlotVar0.
var varyingNames = [...]string{ir.SlotPos: "position", ir.SlotPointSize: "point_size", ir.SlotClipDist0: "clip_distance0", ir.SlotClipDist1: "clip_distance1",
	ir.SlotCullDist0: "cull_distance0", ir.SlotCullDist1: "cull_distance1", ir.SlotLayer: "layer", ir.SlotViewport: "viewport", ir.SlotPrimitiveID: "primitive_id",
	ir.SlotFace: "face", ir.SlotPointCoord: "point_coord", ir.SlotTessLevelOuter: "tess_level_outer", ir.SlotTessLevelInner: "tess_level_inner",
	ir.SlotViewIndex: "view_index", ir.SlotShadingRate: "shading_rate", ir.SlotBoundingBox0: "bounding_box0", ir.SlotBoundingBox1: "bounding_box1",
	ir.SlotPrimitiveIndices: "primitive_indices", ir.SlotPrimitiveCount: "primitive_count", ir.SlotTaskCount: "task_count", ir.SlotCullPrimitive: "cull_primitive"}

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
	return Location(s, v.Mode, ir.Slot(v.Location))
}

// The names of the first slots of a kind, which most shaders have.
var (
	attributes = [8]string{"attribute 0", "attribute 1", "attribute 2", "attribute 3", "attribute 4", "attribute 5", "attribute 6", "attribute 7"}
	colors     = [8]string{"color 0", "color 1", "color 2", "color 3", "color 4", "color 5", "color 6", "color 7"}
	locations  = [8]string{"location 0", "location 1", "location 2", "location 3", "location 4", "location 5", "location 6", "location 7"}
)

// numbered is a slot's name, from the list of the first of its kind if it is there.
func numbered(list []string, kind string, n int) string {
	if uint(n) < uint(len(list)) {
		return list[n]
	}
	return kind + strconv.Itoa(n)
}

// Location names a slot of the stage's inputs or outputs.
func Location(s *ir.Shader, mode ir.Mode, slot ir.Slot) string {
	switch {
	case s.Stage == ir.StageVertex && mode == ir.ModeShaderIn:
		return numbered(attributes[:], "attribute ", int(slot-ir.SlotAttrib0))
	case s.Stage == ir.StageFragment && mode == ir.ModeShaderOut:
		switch slot {
		case ir.SlotDepth:
			return "depth"
		case ir.SlotStencil:
			return "stencil"
		case ir.SlotSampleMask:
			return "sample_mask"
		}
		return numbered(colors[:], "color ", int(slot-ir.SlotData0))
	case slot >= ir.SlotPatch0:
		return "patch " + strconv.Itoa(int(slot-ir.SlotPatch0))
	case slot >= ir.SlotVar0:
		return numbered(locations[:], "location ", int(slot-ir.SlotVar0))
	case int(slot) < len(varyingNames):
		return varyingNames[slot]
	}
	return fmt.Sprintf("slot %d", slot)
}

// Resource describes a variable that a descriptor stands for: its kind in Vulkan's words, and its descriptors, 0
// of a run-time array.
func Resource(v *ir.Variable) object.Resource {
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

// PushMembers adds the members of a block of push constants to a list, a variable without members as one.
func PushMembers(list []object.Member, v *ir.Variable) []object.Member {
	if !v.Type.IsStruct() {
		return append(list, object.Member{Name: v.Name, Size: uint32(v.Type.Size()), Type: v.Type.String()})
	}
	return Members(list, v.Type)
}

// Members adds the members of a block type to a list, offsets and sizes in bytes.
func Members(list []object.Member, t *ir.Type) []object.Member {
	for i := range t.Fields {
		f := &t.Fields[i]
		list = append(list, object.Member{Name: f.Name, Offset: uint32(max(f.Offset, 0)), Size: uint32(f.Type.Size()), Type: f.Type.String()})
	}
	return list
}
