package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// The memory of kernels: all of it is laid out, by OpenCL's rules (OpenCL C 3.0, “Alignment of Types”), and all pointers are addresses of
// 64 bits; those that are not global go by the form that lower_explicit_io gives generic pointers.

// modeGeneric is what a generic pointer of OpenCL may lead to.
const modeGeneric = ir.ModeGlobal | ir.ModeShared | ir.ModeFunctionTemp | ir.ModeShaderTemp

// modeConstant is what a pointer to UniformConstant may lead to: constants of the program, and buffers that nobody writes.
const modeConstant = ir.ModeConstant | ir.ModeGlobal

// kernelMode returns the modes of pointers of a storage class to ty.
func (t *translator) kernelMode(sc spv.StorageClass, ty *typ) ir.Mode {
	switch sc {
	case spv.StorageClassFunction:
		return ir.ModeFunctionTemp
	case spv.StorageClassPrivate:
		return ir.ModeShaderTemp
	case spv.StorageClassWorkgroup:
		return ir.ModeShared
	case spv.StorageClassCrossWorkgroup:
		return ir.ModeGlobal
	case spv.StorageClassGeneric:
		return modeGeneric
	case spv.StorageClassUniformConstant:
		if base := ty.withoutArray(); base.opaque() {
			return t.opaqueMode(base)
		}
		return modeConstant
	case spv.StorageClassInput:
		return ir.ModeFunctionTemp
	}
	t.refuse(ty.id, "the storage class %s (%s) is not supported in kernels", sc, capabilityWords(spv.KindStorageClass.Capabilities(uint32(sc))))
	return 0
}

// kernelLayout is the size and the alignment in bytes of objects of a type in OpenCL: of vectors that of all their components,
// of three as of four.
func (ty *typ) kernelLayout() (size, align uint64) {
	switch ty.kind {
	case tBool:
		return 4, 4
	case tInt, tFloat:
		n := uint64(ty.bits) / 8
		return n, n
	case tVector:
		n := uint64(ty.n)
		if n == 3 {
			n = 4
		}
		if ty.elem.kind == tBool {
			return 4 * n, 4 * n
		}
		return n * uint64(ty.bits) / 8, n * uint64(ty.bits) / 8
	case tArray, tRuntimeArray:
		_, align = ty.elem.kernelLayout()
		return uint64(ty.stride) * uint64(ty.n), align
	case tStruct:
		align = 1
		for k, m := range ty.members {
			n, a := m.kernelLayout()
			size = max(size, uint64(max(ty.memb[k].Offset, 0))+n)
			align = max(align, a)
		}
		if ty.packed {
			return size, 1
		}
		return (size + align - 1) / align * align, align
	case tPointer:
		return 8, 8
	}
	return 1, 1 // void: pointers to it step by bytes
}

// maxStep is the most bytes from an element of an array to the next, and from the beginning of a struct to a member.
const maxStep = 1<<31 - 1

// kernelStride is the distance of the elements of an array.
func (t *translator) kernelStride(id uint32, ty *typ) uint32 {
	size, _ := ty.kernelLayout()
	if size > maxStep {
		t.refuse(id, "elements of %d bytes are not supported, the most is %d", size, maxStep)
	}
	return uint32(size)
}

// placeMembers gives the members of a struct their offsets.
func (t *translator) placeMembers(id uint32, ty *typ) {
	at := uint64(0)
	for k, m := range ty.members {
		size, align := m.kernelLayout()
		if ty.packed {
			align = 1
		}
		f := &ty.memb[k]
		if f.Offset < 0 {
			at = (at + align - 1) / align * align
			if at > maxStep {
				t.refuse(id, "member %d at byte %d of a struct is not supported, the most is %d", k, at, maxStep)
			}
			f.Offset = int32(at)
		}
		at = uint64(f.Offset) + size
	}
}

// underAligned reports whether a kernel's access says that its place is less aligned than its type.
func (t *translator) underAligned(p *pointer, align uint32) bool {
	if !t.kernel || p.typ == nil || !p.typ.isLeaf() {
		return false
	}
	_, natural := p.typ.kernelLayout()
	if p.typ.kind == tVector {
		natural = uint64(p.typ.elem.bits) / 8
	}
	return uint64(align) < natural
}
