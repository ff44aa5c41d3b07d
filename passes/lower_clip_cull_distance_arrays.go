package passes

import (
	"fmt"

	"nirc/ir"
)

var lowerClipCullDistanceArraysPass = &Pass{
	Name: "lower_clip_cull_distance_arrays", Class: "A", Run: lowerClipCullDistanceArrays, Idempotent: true,
	Instead: "linking: fixed functions and the next stage take clip and cull distances as slots of their own; it stays for those that take one array",
	Doc: "Puts the cull distances after the clip distances into one compact array, as hardware takes them. Input: compact float arrays at slots CLIP_DIST0 and " +
		"CULL_DIST0, accessed element by element (lower_var_copies before). Output: one array at CLIP_DIST0, clip_distances and cull_distances in the shader's " +
		"facts. Both stages of an interface take it. Arrays that are declared and not used stay.",
}

// distanceArray returns the compact array of a mode at a slot, or nil.
func distanceArray(s *ir.Shader, mode ir.Mode, slot ir.Slot) *ir.Variable {
	if mode == ir.ModeShaderIn && s.Stage == ir.StageVertex || mode == ir.ModeShaderOut && s.Stage == ir.StageFragment {
		return nil // attributes and results have other slots
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

// withDistances returns t with n elements in its innermost array.
func withDistances(t *ir.Type, n uint32) *ir.Type {
	if t.Elem.IsArray() {
		return ir.ArrayType(withDistances(t.Elem, n), t.Len, t.Stride)
	}
	return ir.ArrayType(t.Elem, n, t.Stride)
}

func lowerClipCullDistanceArrays(_ *Context, s *ir.Shader) (progress bool, err error) {
	for _, mode := range []ir.Mode{ir.ModeShaderIn, ir.ModeShaderOut} {
		clip, cull := distanceArray(s, mode, ir.SlotClipDist0), distanceArray(s, mode, ir.SlotCullDist0)
		if cull == nil {
			continue
		}
		live := make([]bool, highestVarID(s)+1)
		if liveVariables(s, live); !live[cull.ID] && (clip == nil || !live[clip.ID]) {
			continue
		}
		n, k := distanceLen(clip), distanceLen(cull)
		if n+k > 8 {
			return progress, fmt.Errorf("%d clip and %d cull distances are more than 8", n, k)
		}
		if clip != nil {
			if err := joinDistances(s, clip, cull, n, k); err != nil {
				return progress, err
			}
		} else {
			cull.Location = int32(ir.SlotClipDist0)
		}
		if mode == ir.ModeShaderOut {
			s.Captures = moveCaptures(s.Captures, n)
		}
		if mode == ir.ModeShaderOut || s.Stage == ir.StageFragment {
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

// joinDistances makes clip hold the n distances it has and the k of cull,
// which goes.
func joinDistances(s *ir.Shader, clip, cull *ir.Variable, n, k uint32) error {
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		if in := wholeDistances(f.Impl, clip, cull); in != nil {
			return diag(s, in, "clip or cull distances copied as a whole")
		}
	}
	clip.Type = withDistances(clip.Type, n+k)
	eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (changed bool) {
		for b := range impl.Blocks() {
			for in := range b.Instrs() {
				if in.Kind == ir.KindDeref {
					changed = joinDeref(in, clip, cull, n) || changed
				}
			}
		}
		return changed
	})
	for i, v := range s.Variables {
		if v == cull {
			s.Variables = append(s.Variables[:i], s.Variables[i+1:]...)
			break
		}
	}
	return nil
}

// wholeDistances returns an access to more than an element of the arrays, or nil.
func wholeDistances(impl *ir.Impl, clip, cull *ir.Variable) *ir.Instr {
	for b := range impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			if in.Kind != ir.KindDeref {
				continue
			}
			if v := rootVar(in); v != clip && v != cull {
				continue
			}
			if in.Deref != ir.DerefVar && in.Deref != ir.DerefArray {
				return in
			}
			for u := in.Def.FirstUse(); u != nil; u = u.NextUse() {
				if u.Instr.Kind != ir.KindDeref && !in.DerefInfo().Type.IsScalar() {
					return u.Instr
				}
			}
		}
	}
	return nil
}

// joinDeref brings a deref of either array to the joined one.
func joinDeref(in *ir.Instr, clip, cull *ir.Variable, n uint32) bool {
	d := in.DerefInfo()
	if in.Deref == ir.DerefVar {
		if d.Var != clip && d.Var != cull {
			return false
		}
		if d.Var == cull {
			in.Flags = 1 // its elements move
		} else {
			in.Flags = 0
		}
		d.Var, d.Type = clip, clip.Type
		return true
	}
	if rootVar(in) != clip {
		return false
	}
	p := in.Srcs[0].Def.Instr
	in.Flags = p.Flags
	if d.Type.IsScalar() && in.Flags == 1 {
		b := ir.NewBuilder(ir.Before(in))
		i := in.Srcs[1].Def
		if k, ok := i.Const(0); ok {
			in.Srcs[1].Set(b.ImmInt(int64(k)+int64(n), i.BitSize))
		} else {
			in.Srcs[1].Set(b.IAddImm(i, int64(n)))
		}
	}
	d.Type = p.DerefInfo().Type.Child()
	return true
}
