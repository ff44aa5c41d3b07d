package passes

import (
	"slices"

	"nirc/ir"
)

// varyingPair is an input of consumer and the output of producer after it.
type varyingPair struct {
	in, out *ir.Variable
}

// CompactVaryings moves the scalars and vectors that both sides have in the
// same shape to the lowest slots and components where they fit, beside others
// of the same interpolation and type. What the sides see differently, arrays,
// matrices, structs, 64-bit and captured variables keep their slots. It reports
// whether anything moved.
func CompactVaryings(producer, consumer *ir.Shader) bool {
	pairs, taken := pairVaryings(producer, consumer)
	slices.SortStableFunc(pairs, func(a, b varyingPair) int {
		if c := compareClass(a.in, b.in); c != 0 {
			return c
		}
		if a.in.Type.Rows != b.in.Type.Rows {
			return int(b.in.Type.Rows) - int(a.in.Type.Rows) // wide ones first
		}
		return compareLocation(a.in, b.in)
	})
	var owner [ir.NumVaryingSlots]*ir.Variable // whose class a slot has
	slots, comps := make([]int32, len(pairs)), make([]uint8, len(pairs))
	for i, p := range pairs {
		var ok bool
		if slots[i], comps[i], ok = placeVarying(p.in, &taken, &owner); !ok {
			return false
		}
	}
	progress := false
	for i, p := range pairs {
		progress = progress || p.in.Location != slots[i] || p.in.Component != comps[i]
		p.in.Location, p.in.Component = slots[i], comps[i]
		p.out.Location, p.out.Component = slots[i], comps[i]
	}
	return progress
}

// pairVaryings lists the variables that may move, and the slots of those that
// may not.
func pairVaryings(producer, consumer *ir.Shader) (pairs []varyingPair, taken [ir.NumVaryingSlots]uint8) {
	var outs, ins []*ir.Variable
	for _, v := range producer.Variables {
		if isVarying(producer, v, ir.ModeShaderOut) {
			outs = append(outs, v)
		}
	}
	for _, v := range consumer.Variables {
		if isVarying(consumer, v, ir.ModeShaderIn) {
			ins = append(ins, v)
		}
	}
	pin := func(s *ir.Shader, v *ir.Variable) {
		_, t := varyingMask(s, v)
		for k := range int32(t.SlotCount()) {
			if at := v.Location + k; at >= 0 && at < ir.NumVaryingSlots {
				taken[at] = 15
			}
		}
	}
	paired := make([]bool, len(outs))
	for _, in := range ins {
		match, meets := -1, 0
		m, _ := varyingMask(consumer, in)
		for i, out := range outs {
			if o, _ := varyingMask(producer, out); o.meets(&m) {
				meets++
				match = i
			}
		}
		if meets == 1 && movable(producer, outs[match], consumer, in) && !paired[match] {
			paired[match] = true
			pairs = append(pairs, varyingPair{in, outs[match]})
			continue
		}
		pin(consumer, in)
	}
	for i, out := range outs {
		if !paired[i] {
			pin(producer, out)
		}
	}
	// An output whose components meet several inputs has pinned those; one that
	// was paired before must stay with them.
	kept := pairs[:0]
	for _, p := range pairs {
		if taken[p.in.Location] != 0 {
			pin(consumer, p.in)
			continue
		}
		kept = append(kept, p)
	}
	return kept, taken
}

// movable reports whether an output and an input are the same scalar or vector.
func movable(producer *ir.Shader, out *ir.Variable, consumer *ir.Shader, in *ir.Variable) bool {
	_, t := varyingMask(producer, out)
	_, u := varyingMask(consumer, in)
	return t.IsVectorOrScalar() && u.IsVectorOrScalar() && t.Rows == u.Rows && t.Base == u.Base && t.Bits == u.Bits && t.Bits <= 32 &&
		out.Location == in.Location && out.Component == in.Component && out.Patch == in.Patch && out.XfbBuffer < 0 && !out.AlwaysActive && !in.AlwaysActive &&
		!arrayedIO(producer, out) && !arrayedIO(consumer, in)
}

// compareClass orders inputs by what the variables of one slot must share.
func compareClass(a, b *ir.Variable) int {
	key := func(v *ir.Variable) int {
		k := int(v.Interp)<<8 | int(v.Type.Base)<<4 | int(v.Type.Bits>>4)
		for i, x := range [...]bool{v.Patch, v.Centroid, v.Sample, v.PerPrimitive} {
			if x {
				k |= 1 << (12 + i)
			}
		}
		return k
	}
	return key(a) - key(b)
}

// placeVarying takes the first place where v fits, if there is one.
func placeVarying(v *ir.Variable, taken *[ir.NumVaryingSlots]uint8, owner *[ir.NumVaryingSlots]*ir.Variable) (slot int32, comp uint8, ok bool) {
	first, end := int32(ir.SlotVar0), int32(ir.SlotPatch0)
	if v.Patch {
		first, end = end, ir.NumVaryingSlots
	}
	need := uint8(1<<v.Type.Rows - 1)
	for slot = first; slot < end; slot++ {
		if o := owner[slot]; o != nil && compareClass(o, v) != 0 {
			continue
		}
		for comp = 0; comp+v.Type.Rows <= 4; comp++ {
			if taken[slot]&(need<<comp) == 0 {
				taken[slot] |= need << comp
				owner[slot] = v
				return slot, comp, true
			}
		}
	}
	return 0, 0, false
}
