// Package resource is what targets share in placing a shader's resources: it
// numbers buffer bindings, turns handles into numbers and follows texture
// derefs to their variables. What a number means is the target's; nothing here
// knows an instruction set.
package resource

import (
	"cmp"
	"math"
	"slices"

	"nirc/ir"
)

// Range are the entries of one buffer binding: element e is entry First + e*Stride.
// Count 0 is an array of unknown size.
type Range struct{ Set, Binding, First, Stride, Count uint32 }

// Table numbers the buffer bindings of a shader.
type Table struct {
	Ranges []Range // by First; those of unknown size last
	// Total is the number of entries, those of unknown size as the caller counts them.
	Total uint32
	// Sized says that no size is unknown.
	Sized bool
}

// Buffers numbers the bindings of uniform and storage buffers. unsized is how
// many entries an array of unknown size takes up.
func Buffers(s *ir.Shader, impl *ir.Impl, unsized uint32) *Table {
	t := &Table{Sized: true}
	for _, v := range s.Variables {
		if v.HasBinding && (v.Mode == ir.ModeUBO || v.Mode == ir.ModeSSBO) {
			t.add(v.Set, v.Binding, ArrayCount(v.Type))
		}
	}
	if s.Contents()&ir.HasHandle != 0 {
		t.addIndexed(impl)
	}
	slices.SortStableFunc(t.Ranges, func(a, b Range) int {
		if (a.Count == 0) != (b.Count == 0) {
			if a.Count != 0 {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.Binding, b.Binding))
	})
	for i := range t.Ranges {
		r := &t.Ranges[i]
		r.First, r.Stride = t.Total, 1
		if r.Count == 0 {
			t.Sized = false
			t.Total = together(t.Total, unsized)
		}
		t.Total = together(t.Total, r.Count)
	}
	return t
}

// addIndexed adds the bindings that the function makes handles of.
func (t *Table) addIndexed(impl *ir.Impl) {
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.IsIntrinsic(ir.IntrVulkanResourceIndex) {
				count := uint32(0)
				if c, ok := in.Srcs[0].Def.Const(0); ok {
					count = uint32(c) + 1
				}
				t.add(uint32(in.Get(ir.IdxDescSet)), uint32(in.Get(ir.IdxBinding)), count)
			}
		}
	}
}

// together adds numbers of entries; what is too large stays so.
func together(a, b uint32) uint32 { return uint32(min(uint64(a)+uint64(b), math.MaxUint32)) }

func (t *Table) add(set, binding, count uint32) {
	if r := t.Find(set, binding); r == nil {
		t.Ranges = append(t.Ranges, Range{Set: set, Binding: binding, Count: count})
	} else if r.Count != 0 {
		r.Count = max(r.Count, count)
	}
}

// Find returns the range of a binding, or nil.
func (t *Table) Find(set, binding uint32) *Range {
	for i := range t.Ranges {
		if t.Ranges[i].Set == set && t.Ranges[i].Binding == binding {
			return &t.Ranges[i]
		}
	}
	return nil
}

// Entry returns the range that entry n is in and its element there.
func (t *Table) Entry(n uint32) (r *Range, element uint32, ok bool) {
	for i := range t.Ranges {
		r := &t.Ranges[i]
		if n < r.First || (n-r.First)%r.Stride != 0 {
			continue
		}
		if element = (n - r.First) / r.Stride; r.Count == 0 || element < r.Count {
			return r, element, true
		}
	}
	return nil, 0, false
}

// ArrayCount is the number of descriptors of a variable's type, 0 unknown, and
// the largest number where it is more than that.
func ArrayCount(t *ir.Type) uint32 {
	n := uint64(1)
	for t.IsArray() {
		n = min(n*uint64(t.Len), math.MaxUint32)
		t = t.Elem
	}
	return uint32(n)
}

// LowerHandles rewrites the intrinsics that make handles: a handle becomes first plus
// stride times the element, a constant where the element is one. It leaves the control flow alone.
func LowerHandles(impl *ir.Impl, place func(set, binding uint32) (first, stride uint32)) {
	if impl.Shader.Contents()&ir.HasHandle == 0 {
		return
	}
	changed := false
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind == ir.KindIntrinsic {
				changed = lowerHandle(in, place) || changed
			}
		}
	}
	if changed {
		impl.Preserve(ir.MetaControlFlow)
	}
}

func lowerHandle(in *ir.Instr, place func(set, binding uint32) (first, stride uint32)) bool {
	b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
	var x *ir.Def
	switch in.Intr {
	case ir.IntrVulkanResourceIndex:
		first, stride := place(uint32(in.Get(ir.IdxDescSet)), uint32(in.Get(ir.IdxBinding)))
		x = sum(b, times(b, in.Srcs[0].Def, stride), first)
	case ir.IntrLoadVulkanDescriptor:
		x = sum(b, in.Srcs[0].Def, 0)
	default:
		return false
	}
	n := int(in.Def.NumComponents)
	if c, ok := x.Const(0); ok {
		vals := make([]uint64, n)
		vals[0] = c
		in.Def.RewriteUses(b.Const(in.Def.BitSize, vals...))
	} else {
		comps := []*ir.Def{x}
		for len(comps) < n {
			comps = append(comps, b.ImmInt(0, in.Def.BitSize))
		}
		in.Def.RewriteUses(b.Vec(comps...))
	}
	in.Remove()
	return true
}

// times multiplies the first component of a number.
func times(b *ir.Builder, x *ir.Def, stride uint32) *ir.Def {
	if stride == 1 {
		return x
	}
	if c, ok := x.Const(0); ok {
		return b.Imm32(uint32(c) * stride)
	}
	return b.Imul(b.Channel(x, 0), b.Imm32(stride))
}

// sum adds to the first component of a number.
func sum(b *ir.Builder, x *ir.Def, n uint32) *ir.Def {
	if c, ok := x.Const(0); ok {
		return b.Imm32(uint32(c) + n)
	}
	return b.IAddImm(b.Channel(x, 0), int64(n))
}

// Index is one level of an array index: Def times Stride elements.
type Index struct {
	Def    *ir.Def
	Stride uint32
}

// Texture follows the deref of a texture, image or sampler to its variable.
// The element is the sum of the indices. backend.CheckTextures has made sure that there is one.
func Texture(d *ir.Def) (v *ir.Variable, indices []Index) {
	stride := uint32(1)
	for d.Instr.Deref == ir.DerefArray {
		indices = append(indices, Index{d.Instr.Srcs[1].Def, stride})
		d = d.Instr.Srcs[0].Def
		stride *= max(1, uint32(d.Instr.DerefInfo().Type.Len))
	}
	return d.Instr.DerefInfo().Var, indices
}

// Element is Texture with the element's index as a T: add(d, stride, sum) is d*stride + sum.
func Element[T any](d *ir.Def, zero T, add func(d *ir.Def, stride uint32, sum T) T) (v *ir.Variable, index T) {
	v, indices := Texture(d)
	index = zero
	for _, x := range indices {
		index = add(x.Def, x.Stride, index)
	}
	return v, index
}

// Splits64 reports whether an operation takes 64-bit sources as pairs of words
// on targets of 32-bit registers.
func Splits64(op ir.Op) bool {
	switch op {
	case ir.OpBcsel, ir.OpUnpack64_2x32SplitX, ir.OpUnpack64_2x32SplitY, ir.OpU2u32, ir.OpI2i32, ir.OpU2u16, ir.OpI2i16:
		return true
	}
	return false
}

// OutputStore returns the first store_output of a slot, nil if there is none:
// where a refusal of the slot belongs.
func OutputStore(impl *ir.Impl, slot ir.Slot) *ir.Instr {
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.IsIntrinsic(ir.IntrStoreOutput) && ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location == slot {
				return in
			}
		}
	}
	return nil
}

// OnlyInterpolates reports whether barycentrics serve nothing but the
// interpolation of inputs: hardware that interpolates has no value for them.
func OnlyInterpolates(bary *ir.Instr) bool {
	for u := range bary.Def.Uses() {
		if in := u.Instr; in == nil || !in.IsIntrinsic(ir.IntrLoadInterpolatedInput) || &in.Srcs[0] != u {
			return false
		}
	}
	return true
}

// Barycentrics names what makes the barycentrics of a load_interpolated_input,
// for its refusal.
func Barycentrics(by *ir.Instr) string {
	if by.Kind == ir.KindIntrinsic {
		return by.Intr.String()
	}
	return "computed barycentrics"
}
