package passes

import "nirc/ir"

var lowerClipDisablePass = &Pass{
	Name: "lower_clip_disable", Class: "C", Run: lowerClipDisable, Idempotent: true,
	Doc:     "Stores 0, which clips nothing, as the clip distances of planes that are off. Works on store_output of the last stage before the rasteriser.",
	Options: []Option{{"planes", "bit i: plane i is on", 1<<maxClipPlanes - 1}},
}

func lowerClipDisable(c *Context, s *ir.Shader) (bool, error) {
	off := ^c.Int("planes") & (1<<maxClipPlanes - 1)
	if off == 0 || s.Stage == ir.StageFragment {
		return false, nil
	}
	return eachSlot(s, locationMask{ir.SlotClipDist0, 3}, slotStores, func(b *ir.Builder, in *ir.Instr) (bool, error) {
		k, _ := in.Srcs[1].Def.Const(0) // eachSlot takes no other
		first := 4*(int(k)+int(ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location-ir.SlotClipDist0)) + int(in.Get(ir.IdxComponent))
		v, changed := in.Srcs[0].Def, false
		var parts [4]*ir.Def
		for i := range int(v.NumComponents) {
			if off>>(first+i)&1 == 0 || zeroComponent(v, i) {
				parts[i] = b.Channel(v, i)
				continue
			}
			parts[i], changed = b.ImmFloat(0, v.BitSize), true
		}
		if changed {
			in.Srcs[0].Set(b.Vec(parts[:v.NumComponents]...))
		}
		return changed, nil
	})
}

// zeroComponent reports whether a component is the constant 0, perhaps of a vector that is made of values.
func zeroComponent(v *ir.Def, i int) bool {
	if v.Instr.IsVec() {
		v, i = scalarValue(v.Instr.Srcs[i].Def, v.Instr.Srcs[i].Swizzle.Lane(0))
	}
	k, ok := v.Const(i)
	return ok && k == 0
}
