package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// Rules about the layout of memory, and about resources and interface variables, that a module must keep.
const (
	ruleLayout    = "SPIR-V 2.16.2: composite objects in explicitly laid out storage have Offset, ArrayStride and MatrixStride"
	ruleAligned   = "Vulkan, Offset and Stride Assignment: offsets and strides are multiples of the scalar alignment"
	ruleStride    = "SPIR-V 2.16.2: elements of an array and columns of a matrix do not overlap"
	ruleBool      = "SPIR-V 2.16.1: booleans have no place in memory that is laid out explicitly"
	ruleRuntime   = "SPIR-V 2.16.1: a run-time array is the last member of a block"
	ruleBlock     = "VUID-StandaloneSpirv-Uniform-06676: buffer variables are of a type decorated Block or BufferBlock"
	rulePush      = "VUID-StandaloneSpirv-PushConstant-06675: push constants are of a type decorated Block"
	ruleBinding   = "VUID-StandaloneSpirv-UniformConstant-06677: resources have DescriptorSet and Binding"
	ruleOpaque    = "VUID-StandaloneSpirv-UniformConstant-04655: only images, samplers and what is like them is there: Vulkan has uniforms in blocks"
	ruleCompute   = "Vulkan, shader interfaces: those of a compute shader are built-in variables only"
	ruleLocation  = "VUID-StandaloneSpirv-OpEntryPoint-08721: no two variables of an interface share a location and component"
	ruleComponent = "VUID-StandaloneSpirv-Component-04921: components end with the location"
	ruleStorage   = "SPIR-V 3.52, OpAccessChain: the result's storage class is the base's"
)

// checkLayout checks that a type has what objects in explicitly laid out memory need. The first
// fault found is the error.
func (t *translator) checkLayout(ty *typ) {
	if !ty.laidOut {
		t.layoutAlign(ty, ty.ir, inStruct)
		ty.laidOut = true
	}
}

// layoutPlace is where a type stands: in a struct (or alone), in an array, in an array of arrays.
type layoutPlace uint8

const (
	inStruct layoutPlace = iota
	_
	inArrays
)

// layoutAlign checks a type, laid out as it says, and returns its scalar alignment. Of a matrix in an
// array of arrays, nested, producers leave out the MatrixStride, and spirv-val does not ask for it.
func (t *translator) layoutAlign(ty *typ, it *ir.Type, within layoutPlace) uint32 {
	nested := within == inArrays
	switch ty.kind {
	case tBool:
		t.broken(ruleBool, ty.id, "%s stands in memory that is laid out explicitly", ty)
	case tVector:
		return t.layoutAlign(ty.elem, it, within)
	case tMatrix:
		column := uint32(ty.elem.n) * uint32(ty.bits) / 8
		if it.IsArray() { // of rows
			column = ty.n * uint32(ty.bits) / 8
		}
		if it.Stride != 0 || !nested { // columns stand side by side otherwise
			t.checkStride("MatrixStride", ty, it.Stride, column, uint32(ty.bits)/8)
		}
		return uint32(ty.bits) / 8
	case tArray, tRuntimeArray:
		a := t.layoutAlign(ty.elem, it.Elem, min(within+1, inArrays))
		if !ty.elem.opaque() {
			t.checkStride("ArrayStride", ty, it.Stride, uint32(min(it.Elem.Size(), 1<<31)), a)
		}
		return a
	case tStruct:
		return t.layoutStruct(ty)
	case tPointer:
		return 8
	}
	return max(uint32(ty.bits)/8, 1)
}

// checkStride checks the stride of a type whose elements have so many bytes.
func (t *translator) checkStride(what string, ty *typ, stride, size, align uint32) {
	switch {
	case stride == 0:
		t.broken(ruleLayout, ty.id, "%s has no %s", ty, what)
	case stride%align != 0:
		t.broken(ruleAligned, ty.id, "the %s %d of %s is not a multiple of %d", what, stride, ty, align)
	case stride < size && ty.n != 1:
		t.broken(ruleStride, ty.id, "the %s %d of %s is less than the %d bytes of an element", what, stride, ty, size)
	}
}

func (t *translator) layoutStruct(ty *typ) uint32 {
	if ty.laidOut {
		return ty.align
	}
	ty.align = 1
	for k, m := range ty.members {
		f := &ty.memb[k]
		if f.Offset < 0 {
			t.broken(ruleLayout, ty.id, "member %d of %s has no Offset", k, ty)
		}
		if m.kind == tRuntimeArray && k != len(ty.members)-1 {
			t.broken(ruleRuntime, ty.id, "member %d of %s is a run-time array and not the last", k, ty)
		}
		a := t.layoutAlign(m, f.Type, inStruct)
		if uint32(f.Offset)%a != 0 {
			t.broken(ruleAligned, ty.id, "the Offset %d of member %d of %s is not a multiple of %d", f.Offset, k, ty, a)
		}
		ty.align = max(ty.align, a)
	}
	ty.laidOut = true
	return ty.align
}

// checkResource checks the decorations that a descriptor or the push constants need; base is the
// type without arrays.
func (t *translator) checkResource(v *variable, base *typ, hasSet bool) {
	switch {
	case v.mode == ir.ModePushConst:
		if base.kind != tStruct || !base.block {
			t.broken(rulePush, v.id, "the push constants %q are no Block", t.nameOf(v.id))
		}
		return
	case v.mode&(ir.ModeUBO|ir.ModeSSBO|ir.ModeUniform|ir.ModeImage) == 0:
		return
	case v.buffer() && !base.block && !base.buffer:
		t.broken(ruleBlock, v.id, "the buffer %q is no Block", t.nameOf(v.id))
	case !v.iv.HasBinding:
		t.broken(ruleBinding, v.id, "the resource %q has no Binding", t.nameOf(v.id))
	case !hasSet && v.sc != spv.StorageClassAtomicCounter:
		t.broken(ruleBinding, v.id, "the resource %q has no DescriptorSet", t.nameOf(v.id))
	}
}

// places are the components of the locations that interface variables take: of inputs, and of
// outputs by their Index.
type places [3][ir.NumVaryingSlots]uint8

// take notes the components of a variable; overlap is the first location taken before.
func (p *places) take(iv *ir.Variable, ty *ir.Type) (overlap ir.Slot, ok bool) {
	row := &p[0]
	if iv.Mode == ir.ModeShaderOut {
		row = &p[1+min(iv.Index, 1)]
	}
	at := uint32(iv.Location)
	ok = true
	eachSlot(ty, iv.Component, func(mask uint8) {
		if at < ir.NumVaryingSlots {
			if row[at]&mask != 0 && ok {
				overlap, ok = ir.Slot(at), false
			}
			row[at] |= mask
		}
		at++
	})
	return overlap, ok
}

// eachSlot calls f with the components that a type takes of each location, in order.
func eachSlot(ty *ir.Type, first uint8, f func(mask uint8)) {
	switch {
	case ty.IsArray():
		for range ty.Len {
			eachSlot(ty.Elem, first, f)
		}
	case ty.IsStruct():
		for i := range ty.Fields {
			eachSlot(ty.Fields[i].Type, first, f)
		}
	case ty.IsNumeric():
		for range ty.Cols {
			n := uint(ty.Rows)
			if ty.Bits == 64 {
				n *= 2
			}
			for at := uint(first); n > 0; at = 0 {
				k := min(n, 4-at)
				f(uint8((1<<k - 1) << at))
				n -= k
			}
		}
	}
}

// checkLocations checks that no two inputs, nor two outputs, take the same components.
func (t *translator) checkLocations() {
	var p places
	for _, id := range t.entry.Interface {
		i := t.m.DefIndex(spv.ID(id))
		if i < 0 || t.vals[i].kind != vVariable {
			continue
		}
		v := t.vals[i].obj.(*variable)
		if v.sc != spv.StorageClassInput && v.sc != spv.StorageClassOutput {
			continue
		}
		t.word = int(t.m.Insts[i].Offset)
		if v.iv != nil {
			t.takePlaces(&p, v, v.iv)
		}
		for _, iv := range v.members {
			if iv != nil {
				t.takePlaces(&p, v, iv)
			}
		}
	}
}

func (t *translator) takePlaces(p *places, v *variable, iv *ir.Variable) {
	if iv.BuiltIn >= 0 || iv.Location < 0 {
		return
	}
	if t.stage == ir.StageCompute {
		t.broken(ruleCompute, v.id, "%q has a location", iv.Name)
	}
	if at, ok := p.take(iv, t.slotType(v, iv)); !ok {
		first, _, _ := t.slots(iv)
		t.broken(ruleLocation, v.id, "the location %d of %q is taken by another variable", at-first, iv.Name)
	}
}

// slotType is the type of an interface variable without the level that counts vertices.
func (t *translator) slotType(v *variable, iv *ir.Variable) *ir.Type {
	ty := iv.Type
	if ty.IsArray() && (iv.PerVertex || t.arrayedInterface(v.sc, iv.Patch)) {
		ty = ty.Elem
	}
	return ty
}

// slots says where the locations of variables like iv begin, how many there are and what has them.
func (t *translator) slots(iv *ir.Variable) (first ir.Slot, n int32, what string) {
	switch {
	case iv.Patch:
		return ir.SlotPatch0, int32(ir.NumVaryingSlots - ir.SlotPatch0), "variables of a patch"
	case t.stage == ir.StageVertex && iv.Mode == ir.ModeShaderIn:
		return ir.SlotAttrib0, ir.NumAttribSlots, "vertex attributes"
	case t.stage == ir.StageFragment && iv.Mode == ir.ModeShaderOut:
		return ir.SlotData0, int32(ir.NumResultSlots - ir.SlotData0), "colours of a fragment"
	}
	return ir.SlotVar0, int32(ir.SlotPatch0 - ir.SlotVar0), "variables between stages"
}
