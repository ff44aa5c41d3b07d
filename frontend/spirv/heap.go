package spirv

import (
	"math/bits"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// Descriptor heaps (SPV_EXT_descriptor_heap) are memory in which an application lays out descriptors by types of its own: untyped
// pointers into it count bytes, and the type that an access names says what stands there. To the IR each heap is one binding, an array
// without a size whose elements take ir.DescriptorSize bytes each, seen as images of one shape or another, samplers or buffers.

// ruleHeapData is SPIR-V's: what an untyped pointer into a heap is loaded as.
const ruleHeapData = "SPV_EXT_descriptor_heap: a heap has descriptors of images, samplers, buffers and acceleration structures"

// isHeap reports whether a variable is a heap.
func (t *translator) isHeap(i int) bool {
	b, ok := t.decOf(i, spv.DecorationBuiltIn)
	return ok && (spv.BuiltIn(b) == spv.BuiltInResourceHeapEXT || spv.BuiltIn(b) == spv.BuiltInSamplerHeapEXT)
}

// heapPointer is a place in a heap, at a number of bytes from its beginning. The heap is the one that has what an access wants.
func (t *translator) heapPointer(at *ir.Def) *pointer {
	p := pointer{mode: ir.ModeUniform, addr: at, heap: true}
	if k, ok := at.Const(0); ok {
		p.descriptor = t.f.u32(uint32(k) / ir.DescriptorSize)
	}
	return t.newPointer(p)
}

// heapStep moves a place by times bytes, once if times is nil. Where these are whole descriptors the number of the descriptor is known
// without a shift, which would say that the sum of the bytes has 32 bits.
func (t *translator) heapStep(p *pointer, to *typ, bytes uint32, times *ir.Def) *pointer {
	b := t.f.b
	by := func(n uint32) *ir.Def {
		if times == nil {
			return t.f.u32(n)
		}
		return b.IMulImm(times, int64(n))
	}
	n := t.heapAs(p, to)
	n.addr = b.Iadd(p.addr, by(bytes))
	if n.descriptor = nil; p.descriptor != nil && bytes%ir.DescriptorSize == 0 {
		n.descriptor = b.Iadd(p.descriptor, by(bytes/ir.DescriptorSize))
	}
	return n
}

// heapAs is a place in a heap as one of a type.
func (t *translator) heapAs(p *pointer, ty *typ) *pointer {
	n := t.newPointer(*p)
	n.typ = ty
	if ty.opaque() {
		n.mode = t.opaqueMode(ty)
	}
	return n
}

// stepHeap follows one index of an access chain through a heap.
func (t *translator) stepHeap(p *pointer, ix index) *pointer {
	ty := p.typ
	switch ty.kind {
	case tStruct:
		if !ix.known || ix.c < 0 || ix.c >= int64(len(ty.members)) {
			t.fail(ix.id, "the index of a struct member is not a constant below %d", len(ty.members))
		}
		return t.heapStep(p, ty.members[ix.c], t.memberOffset(ty, int(ix.c)), nil)
	case tArray, tRuntimeArray:
		return t.heapStep(p, ty.elem, t.heapStride(ty), t.indexDef(ix, 32))
	}
	t.fail(ix.id, "an access chain goes into %s, which has no parts", ty)
	return nil
}

// memberOffset is where a member of a struct of descriptors begins.
func (t *translator) memberOffset(ty *typ, k int) uint32 {
	for _, d := range ty.offsets {
		if d.member == int32(k) {
			return t.layoutConst(d.args, "OffsetIdEXT")
		}
	}
	if ty.memb[k].Offset < 0 {
		t.fail(ty.id, "member %d of %s has no offset", k, ty)
	}
	return uint32(ty.memb[k].Offset)
}

// heapStride is the bytes from one element of an array of descriptors to the next.
func (t *translator) heapStride(ty *typ) uint32 {
	switch {
	case ty.strideID != 0:
		return t.layoutConst([]uint32{ty.strideID}, "ArrayStrideIdEXT")
	case ty.stride == 0:
		t.fail(ty.id, "%s has no ArrayStrideIdEXT", ty)
	}
	return ty.stride
}

// layoutConst is the value of the constant that a decoration of a layout names.
func (t *translator) layoutConst(args []uint32, what string) uint32 {
	if len(args) == 0 {
		t.fail(0, "%s without an operand", what)
	}
	n, ok := t.intConst(args[0])
	if !ok || n < 0 || n > 1<<31-1 {
		t.fail(args[0], "%s is no constant of up to 2^31 - 1 bytes", what)
	}
	return uint32(n)
}

// sizeOfConst is the value of OpConstantSizeOfEXT.
func (t *translator) sizeOfConst(in *inst) uint64 {
	switch of := t.typeOf(in.args[0]); of.kind {
	case tBuffer, tImage, tSampler, tAccel:
	default:
		t.fail(in.id, "%s: %s is no type of descriptors", in.op, of)
	}
	return ir.DescriptorSize
}

// heapDeref makes the deref of the descriptor at a place in a heap.
func (t *translator) heapDeref(p *pointer) *ir.Def {
	ty := p.typ
	if ty == nil || !ty.opaque() || ty.kind == tSampledImage {
		t.broken(ruleHeapData, 0, "%s is loaded from a heap", ty)
	}
	if ty.kind == tImage && ty.image.dim == spv.DimSubpassData {
		t.refuse(ty.id, "input attachments in a heap are not supported: which attachment one is, its variable says")
	}
	set := uint32(ir.ResourceHeapSet)
	if ty.kind == tSampler {
		set = ir.SamplerHeapSet
	}
	v := t.heapVariable(set, p.mode, ty.id, ty.plain)
	if ty.kind == tImage {
		v.ImageFormat = ir.ImageFormat(ty.image.format)
	}
	b := t.f.b
	d := b.DerefArray(b.DerefVar(v), t.descriptorAt(p))
	d.Instr.DerefInfo().InBounds = false
	return d
}

// descriptorAt is the number of the descriptor at a place.
func (t *translator) descriptorAt(p *pointer) *ir.Def {
	if p.descriptor != nil {
		return p.descriptor
	}
	return t.f.b.Ushr(p.addr, t.f.u32(uint32(bits.TrailingZeros32(ir.DescriptorSize))))
}

// heapVariable finds or makes the variable by which the IR sees a heap as descriptors of one type.
func (t *translator) heapVariable(set uint32, mode ir.Mode, id uint32, of *ir.Type) *ir.Variable {
	for _, h := range t.heapViews {
		if h.id == id && h.v.Mode == mode {
			return h.v
		}
	}
	for _, v := range t.s.Variables {
		if v.HasBinding && (v.Set == ir.ResourceHeapSet || v.Set == ir.SamplerHeapSet) && !t.isView(v) {
			t.refuse(0, "%q in descriptor set %d is not supported in a shader with descriptor heaps, which are sets %d and %d", v.Name, v.Set, ir.ResourceHeapSet, ir.SamplerHeapSet)
		}
	}
	v := t.s.NewVariable(mode, ir.ArrayType(of, 0, 0), "")
	v.Set, v.HasBinding = set, true
	if v.Name = "resource_heap"; set == ir.SamplerHeapSet {
		v.Name = "sampler_heap"
	}
	t.heapViews = append(t.heapViews, heapView{id, v})
	return v
}

// heapView is a heap as descriptors of one type, 0 for buffers.
type heapView struct {
	id uint32
	v  *ir.Variable
}

func (t *translator) isView(v *ir.Variable) bool {
	for _, h := range t.heapViews {
		if h.v == v {
			return true
		}
	}
	return false
}

// bufferPointer translates OpBufferPointerEXT: the memory of the buffer whose descriptor is at a place in the heap of resources.
func (t *translator) bufferPointer(in *inst) {
	p := t.anyPtr(t.arg(in, 0))
	if !p.heap {
		t.fail(in.id, "%s: the pointer leads into no heap", in.op)
	}
	ty := t.typeOf(in.typ)
	if ty.kind != tPointer || ty.sc != spv.StorageClassUniform && ty.sc != spv.StorageClassStorageBuffer {
		t.fail(in.id, "%s: the result is no pointer to Uniform or StorageBuffer", in.op)
	}
	n := t.newPointer(pointer{mode: untypedMode(ty.sc), access: p.access})
	if !ty.untyped {
		n.typ = t.pointee(ty)
		n.mode = t.modeOf(ty.sc, n.typ)
		if n.typ.kind != tStruct {
			t.fail(in.id, "%s: the result points to %s, not to a block", in.op, n.typ)
		}
		n.access |= membersAccess(n.typ)
	}
	v := t.heapVariable(ir.ResourceHeapSet, n.mode, 0, &ir.Type{Base: ir.BaseStruct, Block: true})
	n.addr = t.bufferDescriptor(v, t.descriptorAt(p), t.insertHere)
	t.decorateAccess(in, &n)
	if n.typ != nil {
		info := ir.DerefInfo{Modes: n.mode, Type: n.typ.ir, AlignMul: 16}
		n.deref, n.addr = t.insertHere(t.f.b.Shader.NewDeref(ir.DerefCast, info, 2, 32, n.addr)), nil
	}
	t.setPointer(in, n)
}

func (t *translator) insertHere(in *ir.Instr) *ir.Def { return &t.f.b.Insert(in).Def }

// heapTexelPointer translates OpUntypedImageTexelPointerEXT.
func (t *translator) heapTexelPointer(in *inst) {
	ty := t.typeOf(t.arg(in, 0))
	p := t.anyPtr(t.arg(in, 1))
	if !p.heap || ty.kind != tImage || t.opaqueMode(ty) != ir.ModeImage {
		t.fail(in.id, "%s is not of a storage image in a heap", in.op)
	}
	x := *in
	x.args = in.args[1:]
	t.texelOf(&x, t.heapAs(p, ty))
}
