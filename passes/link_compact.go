package passes

import (
	"cmp"
	"math/bits"
	"slices"

	"nirc/ir"
)

// varyingPair is an input of consumer and the output of producer that it reads.
type varyingPair struct {
	in, out *ir.Variable
	t       *ir.Type // of a vertex
	class   uint32   // what the variables of one slot must share
	slots   int32
	comps   uint8 // of each slot
}

// CompactVaryings moves what both sides have in the
// same shape to the lowest slots and components where it fits, beside others
// of the same interpolation and size: components of a slot stay together, the widest come first, and arrays keep their steps.
// What the sides see differently, structs and captured variables keep their slots, and nothing moves to those that are kept. It reports
// how many components moved.
func CompactVaryings(producer, consumer *ir.Shader, kept []int) (moved int) {
	pairs, taken := pairVaryings(producer, consumer)
	for _, location := range kept {
		taken[int(ir.SlotVar0)+location] = 15
	}
	groups := groupVaryings(pairs)
	var owner [ir.NumVaryingSlots]*varyingPair // whose class a slot has
	slots, comps := make([]int32, 0, len(pairs)), make([]uint8, 0, len(pairs))
	for _, g := range groups {
		slot, comp, ok := placeVaryings(g, &taken, &owner)
		if !ok {
			return 0
		}
		for i := range g {
			slots, comps = append(slots, slot), append(comps, comp)
			comp += uint8(bits.OnesCount8(g[i].comps))
		}
	}
	k := 0
	for _, g := range groups {
		for i := range g {
			p := &g[i]
			if p.in.Location != slots[k] || p.in.Component != comps[k] {
				moved += bits.OnesCount8(p.comps) * int(p.slots)
			}
			for _, v := range [2]*ir.Variable{p.in, p.out} {
				v.Location, v.Component = slots[k], comps[k]
			}
			k++
		}
	}
	return moved
}

// groupVaryings puts what stands in one slot and is of one class together; groups come by class, the widest first.
func groupVaryings(pairs []varyingPair) (groups [][]varyingPair) {
	slices.SortStableFunc(pairs, func(a, b varyingPair) int { return cmp.Or(cmp.Compare(a.class, b.class), compareLocation(a.in, b.in)) })
	for i := 0; i < len(pairs); {
		n := i + 1
		for n < len(pairs) && pairs[n].class == pairs[i].class && pairs[n].in.Location == pairs[i].in.Location && pairs[n].slots == 1 && pairs[i].slots == 1 {
			n++
		}
		groups = append(groups, pairs[i:n])
		i = n
	}
	width := func(g []varyingPair) int { return bits.OnesCount8(groupMask(g)) }
	slices.SortStableFunc(groups, func(a, b []varyingPair) int {
		return cmp.Or(cmp.Compare(a[0].class, b[0].class), cmp.Compare(b[0].slots, a[0].slots), cmp.Compare(width(b), width(a)), compareLocation(a[0].in, b[0].in))
	})
	return groups
}

// groupMask are the components that a group takes from component 0 on.
func groupMask(g []varyingPair) uint8 {
	n := 0
	for i := range g {
		n += bits.OnesCount8(g[i].comps)
	}
	return 1<<n - 1
}

// pairVaryings lists the variables that may move, and the slots of those that
// may not.
func pairVaryings(producer, consumer *ir.Shader) (pairs []varyingPair, taken [ir.NumVaryingSlots]uint8) {
	pin := func(s *ir.Shader, v *ir.Variable) {
		for k := range int32(vertexType(s, v).SlotCount()) {
			if at := v.Location + k; at >= 0 && at < ir.NumVaryingSlots {
				taken[at] = 15
			}
		}
	}
	var outs, ins []*ir.Variable
	for _, v := range producer.Variables {
		if isVarying(producer, v, ir.ModeShaderOut) {
			outs = append(outs, v)
		} else if v.Mode == ir.ModeShaderOut && v.Location >= int32(ir.SlotVar0) {
			pin(producer, v) // of another stream
		}
	}
	for _, v := range consumer.Variables {
		if isVarying(consumer, v, ir.ModeShaderIn) {
			ins = append(ins, v)
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
		if meets == 1 && !paired[match] && movable(producer, outs[match], consumer, in) {
			paired[match] = true
			pairs = append(pairs, newPair(consumer, in, outs[match]))
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

func newPair(consumer *ir.Shader, in, out *ir.Variable) varyingPair {
	t := vertexType(consumer, in)
	return varyingPair{in: in, out: out, t: t, class: varyingClass(consumer, in), slots: int32(t.SlotCount()), comps: uint8(leafMask(t.WithoutArray(), 0))}
}

// movable reports whether an output and an input are of the same shape: scalars, vectors or arrays of them.
func movable(producer *ir.Shader, out *ir.Variable, consumer *ir.Shader, in *ir.Variable) bool {
	t, u := vertexType(producer, out), vertexType(consumer, in)
	leaf := u.WithoutArray()
	return sameShape(t, u) && leaf.IsVectorOrScalar() && leaf.IsNumeric() && leaf.Bits <= 32 && !in.Compact && !out.Compact &&
		out.Location == in.Location && out.Component == in.Component && out.Patch == in.Patch && out.XfbBuffer < 0 && !out.AlwaysActive && !in.AlwaysActive &&
		out.PerPrimitive == in.PerPrimitive && !in.PerView && !out.PerView
}

// sameShape reports whether two types have the same arrays of the same components.
func sameShape(t, u *ir.Type) bool {
	for t.IsArray() && u.IsArray() {
		if t.Len != u.Len {
			return false
		}
		t, u = t.Elem, u.Elem
	}
	return t.IsVectorOrScalar() && u.IsVectorOrScalar() && t.Base == u.Base && t.Bits == u.Bits && t.Rows == u.Rows
}

// varyingClass is what the variables of one slot must share: the size, and where consumer interpolates, how.
func varyingClass(consumer *ir.Shader, v *ir.Variable) uint32 {
	leaf := v.Type.WithoutArray()
	k := uint32(leaf.Bits >> 4)
	if leaf.Bits == 16 && leaf.Base == ir.BaseFloat { // hardware widens halves otherwise than integers
		k |= 1 << 7
	}
	if v.Patch {
		k |= 1 << 8
	}
	if consumer.Stage != ir.StageFragment {
		return k
	}
	k |= uint32(v.Interp) << 9
	for i, x := range [...]bool{v.Centroid, v.Sample, v.PerPrimitive, v.PerVertex} {
		if x {
			k |= 1 << (16 + i)
		}
	}
	return k
}

// placeVaryings takes the first place where a group fits, if there is one.
func placeVaryings(g []varyingPair, taken *[ir.NumVaryingSlots]uint8, owner *[ir.NumVaryingSlots]*varyingPair) (slot int32, comp uint8, ok bool) {
	first, end := int32(ir.SlotVar0), int32(ir.SlotPatch0)
	if g[0].in.Patch {
		first, end = end, ir.NumVaryingSlots
	}
	need, n := groupMask(g), g[0].slots
	fits := func(slot int32, comp uint8) bool {
		for k := slot; k < slot+n; k++ {
			if taken[k]&(need<<comp) != 0 || owner[k] != nil && owner[k].class != g[0].class {
				return false
			}
		}
		return true
	}
	for slot = first; slot+n <= end; slot++ {
		for comp = 0; need<<comp <= 15 && need<<comp != 0; comp++ {
			if fits(slot, comp) {
				for k := slot; k < slot+n; k++ {
					taken[k] |= need << comp
					owner[k] = &g[0]
				}
				return slot, comp, true
			}
		}
	}
	return 0, 0, false
}
