package passes

import (
	"fmt"

	"nirc/ir"
)

var lowerClipCullDistanceArraysPass = &Pass{
	Name: "lower_clip_cull_distance_arrays", Class: "A", Run: lowerClipCullDistanceArrays, Idempotent: true,
	Options: []Option{{"modes", "arrays to move: shader_in, shader_out or both", ir.ModeShaderIn | ir.ModeShaderOut}},
	Doc: "Moves the array of cull distances behind that of clip distances, so that the slots CLIP_DIST0 and CLIP_DIST1 hold both, one component each, as " +
		"hardware with one array takes them. Input: compact float arrays at slots CLIP_DIST0 and CULL_DIST0. Output: the latter begins at the component " +
		"after the former; clip_distances and cull_distances in the shader's facts; captures moved. Both stages of an interface take it, with as many " +
		"clip distances. Arrays that are declared and not used stay. Hardware without cull distances keeps two arrays (AGX, midgard): those of culling are varyings, " +
		"whose place a fragment shader that names them alone could not know in one array.",
}

// outerSlots reports whether a mode's slots are those of attributes or results.
func outerSlots(s *ir.Shader, mode ir.Mode) bool {
	return mode == ir.ModeShaderIn && s.Stage == ir.StageVertex || mode == ir.ModeShaderOut && s.Stage == ir.StageFragment
}

// distanceArray returns the compact array of a mode at a slot, or nil.
func distanceArray(s *ir.Shader, mode ir.Mode, slot ir.Slot) *ir.Variable {
	if outerSlots(s, mode) {
		return nil
	}
	for _, v := range s.Variables {
		if v.Mode == mode && v.Compact && v.Location == int32(slot) {
			return v
		}
	}
	return nil
}

// distanceLen is the number of distances that v holds a vertex.
func distanceLen(v *ir.Variable) uint32 {
	if v == nil {
		return 0
	}
	t := v.Type
	for t.Elem.IsArray() {
		t = t.Elem
	}
	return t.Len
}

func lowerClipCullDistanceArrays(c *Context, s *ir.Shader) (progress bool, err error) {
	for _, mode := range []ir.Mode{ir.ModeShaderIn, ir.ModeShaderOut} {
		clip, cull := distanceArray(s, mode, ir.SlotClipDist0), distanceArray(s, mode, ir.SlotCullDist0)
		if c.Modes("modes")&mode == 0 || cull == nil {
			continue
		}
		live := make([]bool, highestVarID(s)+1)
		if liveVariables(s, mode, live); !live[cull.ID] && (clip == nil || !live[clip.ID]) {
			continue
		}
		n, k := distanceLen(clip), distanceLen(cull)
		// The facts are about what the rasteriser takes and gives.
		facts := mode == ir.ModeShaderOut || s.Stage == ir.StageFragment
		if clip == nil && facts {
			n = uint32(s.Info.ClipDistances) // declared, and gone because nothing names it
		}
		if n+k > 8 {
			return progress, fmt.Errorf("%d clip and %d cull distances are more than 8", n, k)
		}
		cull.Location, cull.Component = int32(ir.SlotClipDist0)+int32(n/4), uint8(n%4)
		if mode == ir.ModeShaderOut {
			s.Captures = moveCaptures(s.Captures, n)
		}
		if facts {
			s.Info.ClipDistances, s.Info.CullDistances = uint8(n), uint8(k)
		}
		progress = true
	}
	return progress, nil
}

// moveCaptures brings the captured cull distances after n clip distances. A
// run that then lies in two slots becomes two.
func moveCaptures(list []ir.Capture, n uint32) []ir.Capture {
	var moved []ir.Capture
	for _, c := range list {
		if c.Slot != ir.SlotCullDist0 && c.Slot != ir.SlotCullDist1 {
			moved = append(moved, c)
			continue
		}
		at := uint32(c.Slot-ir.SlotCullDist0)*4 + uint32(c.First) + n
		for left := uint32(c.Count); left > 0; {
			part := min(left, 4-at%4)
			c.Slot, c.First, c.Count = ir.SlotClipDist0+ir.Slot(at/4), uint8(at%4), uint8(part)
			moved = append(moved, c)
			c.Offset += c.Size()
			at += part
			left -= part
		}
	}
	return moved
}
