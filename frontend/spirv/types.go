package spirv

import (
	"fmt"
	"slices"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// tkind is the kind of a SPIR-V type.
type tkind uint8

const (
	tVoid tkind = iota
	tBool
	tInt
	tFloat
	tVector
	tMatrix
	tArray
	tRuntimeArray
	tStruct
	tPointer
	tImage
	tSampler
	tSampledImage
	tAccel
	tRayQuery
	tBuffer // whose memory a descriptor of a heap has
	tFunction
)

// Limits that keep types and values in proportion to what shaders need.
const (
	maxLeaves    = 1 << 16 // leaves of a value
	maxTypeNodes = 1 << 15 // nodes of a type written out as a tree
	maxTypeDepth = 255     // SPIR-V's limit of structure nesting
)

// typ is a SPIR-V type.
type typ struct {
	kind tkind
	id   uint32
	bits uint8  // of a number; booleans 1
	sign bool   // signed integer
	n    uint32 // components, columns, elements
	elem *typ   // component, column, element, pointee, image; result of a function
	// sampled is memory for the type of what an image and a sampler are together.
	sampled *ir.Type
	names   int32 // definition's index, for messages and names
	// members are a struct's members or a function's parameters.
	members []*typ
	sc      spv.StorageClass
	stride  uint32 // ArrayStride of an array or a pointer
	// strideID and offsets are what layouts of descriptors name by ids of constants (heap.go): ArrayStrideIdEXT, OffsetIdEXT.
	strideID uint32
	offsets  []decoration
	block    bool
	long     bool        // array that is a vector of more than four components
	coop     *coopMatrix // array that is a lane's part of a cooperative matrix
	untyped  bool        // a pointer that does not say to what
	buffer   bool        // BufferBlock
	image    imageShape
	// leaves is the number of leaves of a value, saturating; nodes and depth
	// measure the type's tree.
	leaves, nodes uint32
	depth         uint32
	physical      bool         // pointer of a kernel, an address of 64 bits
	packed        bool         // struct: CPacked
	encoding      narrowFloat  // a float for conversions alone
	align         uint32       // struct that is laidOut: the scalar alignment
	laidOut       bool         // checkLayout has found no fault
	xfb           []captureDec // struct: of the members, if any
	memb          []ir.Field   // struct: decorations of the members, types with layout
	ir            *ir.Type     // with layout
	plain         *ir.Type     // without
	temp          *ir.Type     // of temporaries: plain with images and samplers as the pointers to them
}

// imageShape is what OpTypeImage says.
type imageShape struct {
	dim            spv.Dim
	depth, sampled uint32
	arrayed, ms    bool
	format         spv.ImageFormat
}

func (ty *typ) isScalar() bool { return ty.kind >= tBool && ty.kind <= tFloat }

// numeric reports whether ty is a scalar or vector of numbers or booleans.
func (ty *typ) numeric() bool { return ty.kind >= tBool && ty.kind <= tVector }

// narrow reports whether ty is a scalar or a vector of up to 4 components.
func (ty *typ) narrow() bool { return ty.numeric() && ty.n <= 4 }

// isLeaf reports whether a value of the type is one IR value.
func (ty *typ) isLeaf() bool { return ty.numeric() || ty.kind == tPointer || ty.opaque() }

func (ty *typ) opaque() bool { return ty.kind >= tImage && ty.kind <= tAccel }

// byReference reports whether a value of the type is the pointer to it: of images and samplers, but not of acceleration
// structures, whose values are addresses.
func (ty *typ) byReference() bool { return ty.opaque() && ty.kind != tAccel }

// scalarType returns the component type of a scalar, vector or matrix.
func (ty *typ) scalarType() *typ {
	for ty.kind == tVector || ty.kind == tMatrix {
		ty = ty.elem
	}
	return ty
}

// withoutArray returns what arrays of arrays are of in the end.
func (ty *typ) withoutArray() *typ {
	for ty.kind == tArray || ty.kind == tRuntimeArray {
		ty = ty.elem
	}
	return ty
}

// isInt, isFloat and isBool tell the class of a scalar's or vector's components.
func (ty *typ) isInt() bool   { return ty.scalarType().kind == tInt }
func (ty *typ) isFloat() bool { return ty.scalarType().kind == tFloat }
func (ty *typ) isBool() bool  { return ty.scalarType().kind == tBool }

// shape returns components and bit size of a leaf.
func (ty *typ) shape() (comps, bits uint8) {
	switch ty.kind {
	case tVector:
		return uint8(ty.n), ty.elem.bits
	case tPointer:
		if ty.physical {
			return 1, 64
		}
		return addressShape(ty.sc)
	case tImage, tSampler, tSampledImage:
		return 1, ir.LogicalPtrBits
	case tAccel:
		return 1, 64
	}
	return 1, ty.bits
}

// addressShape returns the shape of a pointer value of a storage class.
func addressShape(sc spv.StorageClass) (comps, bits uint8) {
	switch sc {
	case spv.StorageClassUniform, spv.StorageClassStorageBuffer:
		return 2, 32
	case spv.StorageClassPhysicalStorageBuffer:
		return 1, 64
	}
	return 1, ir.LogicalPtrBits
}

// String spells the type for messages.
func (ty *typ) String() string {
	switch ty.kind {
	case tVoid:
		return "void"
	case tBool:
		return "bool"
	case tInt:
		if ty.sign {
			return fmt.Sprintf("int%d", ty.bits)
		}
		return fmt.Sprintf("uint%d", ty.bits)
	case tFloat:
		return fmt.Sprintf("float%d", ty.bits)
	case tVector:
		return fmt.Sprintf("vec%d of %s", ty.n, ty.elem)
	case tMatrix:
		return fmt.Sprintf("matrix of %d %s", ty.n, ty.elem)
	case tArray:
		if ty.coop != nil {
			return fmt.Sprintf("cooperative matrix of %d x %d %s", ty.coop.rows, ty.coop.cols, ty.elem)
		}
		return fmt.Sprintf("array %%%d", ty.id)
	case tRuntimeArray:
		return fmt.Sprintf("run-time array %%%d", ty.id)
	case tStruct:
		return fmt.Sprintf("struct %%%d", ty.id)
	case tPointer:
		return fmt.Sprintf("pointer %%%d to %s", ty.id, ty.sc)
	case tAccel:
		return "acceleration structure"
	case tRayQuery:
		return "ray query"
	case tBuffer:
		return "buffer"
	}
	return fmt.Sprintf("type %%%d", ty.id)
}

// sameShape reports whether values of both types have the same leaves in the
// same tree: what OpCopyLogical, loads and stores need.
func (ty *typ) sameShape(u *typ) bool {
	if ty == u {
		return true
	}
	if ty.kind != u.kind || ty.bits != u.bits || ty.sign != u.sign || ty.encoding != u.encoding || ty.n != u.n || ty.image != u.image || len(ty.members) != len(u.members) || ty.leaves != u.leaves {
		return false
	}
	if ty.kind == tPointer {
		return ty.sc == u.sc
	}
	if (ty.coop == nil) != (u.coop == nil) || ty.coop != nil && *ty.coop != *u.coop {
		return false
	}
	if ty.elem != nil && !ty.elem.sameShape(u.elem) {
		return false
	}
	for i := range ty.members {
		if !ty.members[i].sameShape(u.members[i]) {
			return false
		}
	}
	return true
}

// typeDecl translates a type declaration.
func (t *translator) typeDecl(in *inst) {
	ty := t.typs.New()
	ty.id, ty.n, ty.leaves, ty.nodes = in.id, 1, 1, 1
	i := t.index(in.id)
	ty.names = int32(i)
	switch in.op {
	case spv.OpTypeVoid:
		ty.kind, ty.leaves = tVoid, 0
	case spv.OpTypeBool:
		ty.kind, ty.bits = tBool, 1
	case spv.OpTypeInt:
		ty.kind, ty.sign = tInt, in.args[1] != 0
		ty.bits = t.numberBits(in, 8)
	case spv.OpTypeFloat:
		ty.kind = tFloat
		if len(in.args) > 1 {
			ty.encoding, ty.bits = t.floatEncoding(in)
		} else {
			ty.bits = t.numberBits(in, 16)
		}
	case spv.OpTypeVector:
		t.vectorType(in, ty)
	case spv.OpTypeMatrix:
		ty.kind, ty.elem, ty.n = tMatrix, t.typeOf(in.args[0]), in.args[1]
		if ty.elem.kind != tVector || ty.elem.elem.kind != tFloat || ty.n < 2 || ty.n > 4 {
			t.fail(in.id, "a matrix has 2 to 4 columns that are float vectors")
		}
		ty.bits, ty.leaves = ty.elem.elem.bits, ty.n
	case spv.OpTypeVectorIdEXT:
		t.longVectorType(in, ty)
	case spv.OpTypeArray, spv.OpTypeRuntimeArray:
		t.arrayType(in, ty, i)
	case spv.OpTypeStruct:
		t.structType(in, ty, i)
	case spv.OpTypePointer:
		t.pointerType(in, ty, i)
		return
	case spv.OpTypeForwardPointer:
		return
	case spv.OpTypeUntypedPointerKHR:
		t.untypedPointer(in, ty)
	case spv.OpTypeEvent: // which say nothing: what makes one has ended (groupCopy)
		ty.kind, ty.bits = tInt, 32
	case spv.OpTypeCooperativeMatrixKHR, spv.OpTypeCooperativeMatrixNV:
		t.coopMatrixType(in, ty)
	case spv.OpTypeFunction:
		ty.kind, ty.leaves, ty.elem = tFunction, 0, t.typeOf(in.args[0])
		for _, a := range in.args[1:] {
			ty.members = append(ty.members, t.typeOf(a))
		}
	default:
		if !t.opaqueType(in, ty) {
			t.unsupported(in)
		}
	}
	t.irTypes(ty)
	t.vals[i] = value{kind: vType, typ: ty}
}

func (t *translator) numberBits(in *inst, least uint32) uint8 {
	switch b := in.args[0]; {
	case b == 8 && least == 8, b == 16, b == 32, b == 64:
		return uint8(b)
	}
	t.refuse(in.id, "%s of %d bits is not supported", in.op, in.args[0])
	return 0
}

func (t *translator) vectorType(in *inst, ty *typ) {
	ty.kind, ty.elem, ty.n = tVector, t.typeOf(in.args[0]), in.args[1]
	if !ty.elem.isScalar() || ty.n < 2 {
		t.fail(in.id, "a vector has at least 2 components that are scalars")
	}
	switch wide := ty.n == 8 || ty.n == 16; {
	case ty.n <= 4, wide && t.kernel:
	case wide:
		t.refuse(in.id, "vectors of %d components (capability Vector16) are not supported in shaders: Vulkan does not have them", ty.n)
	default:
		t.refuse(in.id, "vectors of %d components are not supported: kernels have those of 2, 3, 4, 8 and 16", ty.n)
	}
	ty.bits = ty.elem.bits
}

func (t *translator) arrayType(in *inst, ty *typ, i int) {
	ty.kind, ty.elem, ty.n = tRuntimeArray, t.typeOf(in.args[0]), 0
	ty.leaves = 0
	if ty.elem.kind == tVoid || ty.elem.kind == tFunction || ty.elem.kind == tRuntimeArray {
		t.fail(in.id, "an array of %s is not allowed", ty.elem)
	}
	if in.op == spv.OpTypeArray {
		ty.kind = tArray
		v := t.val(in.args[1])
		c, ok := v.obj.(*cnst)
		if v.kind != vConst || !ok || c.typ.kind != tInt {
			t.fail(in.id, "the length of an array is not an integer constant")
		}
		n := c.signed()
		if n < 1 || n > 1<<31-1 {
			t.fail(in.id, "an array of length %d is not allowed", n)
		}
		ty.n = uint32(n)
		ty.leaves = satMul(ty.n, ty.elem.leaves)
	}
	ty.nodes, ty.depth = ty.elem.nodes+1, ty.elem.depth+1
	if ty.nodes > maxTypeNodes || ty.depth > maxTypeDepth {
		t.fail(in.id, "the array type is too large or too deep")
	}
	t.eachDec(i, func(d *decoration) {
		switch d.dec {
		case spv.DecorationArrayStride:
			ty.stride = d.arg(0)
		case spv.DecorationArrayStrideIdEXT:
			ty.strideID = d.arg(0)
		}
	})
	if t.kernel && ty.stride == 0 {
		ty.stride = t.kernelStride(in.id, ty.elem)
	}
}

func satMul(a, b uint32) uint32 { return uint32(min(uint64(a)*uint64(b), 1<<30)) }

func (t *translator) pointerType(in *inst, ty *typ, i int) {
	if old := t.vals[i]; old.kind == vType { // declared forward
		ty = old.typ
		if ty.sc != spv.StorageClass(in.args[0]) {
			t.fail(in.id, "the pointer was declared forward with storage class %s", ty.sc)
		}
	}
	ty.kind, ty.id, ty.sc, ty.physical = tPointer, in.id, spv.StorageClass(in.args[0]), t.kernel
	ty.leaves, ty.n = 1, 1
	t.eachDec(i, func(d *decoration) {
		// Workgroup memory without an explicit layout is laid out here: a stride says nothing there.
		if d.dec == spv.DecorationArrayStride && (ty.sc != spv.StorageClassWorkgroup || t.caps.explicitShared) {
			ty.stride = d.arg(0)
		}
	})
	t.irTypes(ty)
	t.vals[i] = value{kind: vType, typ: ty}
	// A forward pointer's pointee is translated later than the pointer's users.
	ty.elem = t.typeOf(in.args[1])
}

// forwardPointer makes the type of an OpTypeForwardPointer, whose pointee
// comes later.
func (t *translator) forwardPointer(in *inst) {
	i := t.index(in.args[0])
	if t.m.Insts[i].Op != spv.OpTypePointer || t.vals[i].kind != vNone {
		t.fail(in.args[0], "a forward pointer is not a pointer declared later")
	}
	ty := t.typs.New()
	*ty = typ{kind: tPointer, id: in.args[0], sc: spv.StorageClass(in.args[1]), leaves: 1, nodes: 1, n: 1, names: int32(i), physical: t.kernel}
	t.irTypes(ty)
	t.vals[i] = value{kind: vType, typ: ty}
}

// pointee returns what a pointer type points to.
func (t *translator) pointee(ty *typ) *typ {
	if ty.kind != tPointer || ty.elem == nil {
		t.fail(ty.id, "%s is not a pointer type that can be used", ty)
	}
	return ty.elem
}

func (t *translator) structType(in *inst, ty *typ, i int) {
	ty.kind, ty.leaves, ty.n = tStruct, 0, 0
	ty.members = make([]*typ, len(in.args))
	ty.memb = make([]ir.Field, len(in.args))
	for k, a := range in.args {
		m := t.typeOf(a)
		if m.kind == tVoid || m.kind == tFunction {
			t.fail(in.id, "a member of %s is not allowed", m)
		}
		ty.members[k] = m
		ty.leaves = min(ty.leaves+m.leaves, 1<<30)
		ty.nodes += m.nodes
		ty.depth = max(ty.depth, m.depth)
		ty.memb[k] = ir.Field{Offset: -1, Location: -1, BuiltIn: -1, XfbBuffer: -1, XfbOffset: -1}
	}
	ty.depth++
	if ty.nodes > maxTypeNodes || ty.depth > maxTypeDepth {
		t.fail(in.id, "the struct type is too large or too deep")
	}
	type matrix struct {
		stride   uint32
		rowMajor bool
	}
	mats := make([]matrix, len(in.args))
	t.eachDec(i, func(d *decoration) {
		if d.member < 0 {
			ty.block = ty.block || d.dec == spv.DecorationBlock
			ty.buffer = ty.buffer || d.dec == spv.DecorationBufferBlock
			ty.packed = ty.packed || d.dec == spv.DecorationCPacked
			return
		}
		if int(d.member) >= len(ty.memb) {
			return
		}
		f := &ty.memb[d.member]
		switch d.dec {
		case decMemberName:
			f.Name, _ = t.m.Insts[d.args[0]].StringArg(2)
		case spv.DecorationOffset:
			f.Offset = int32(d.arg(0) & 0x7fffffff)
		case spv.DecorationOffsetIdEXT:
			ty.offsets = append(ty.offsets, *d)
		case spv.DecorationMatrixStride:
			mats[d.member].stride = d.arg(0)
		case spv.DecorationRowMajor:
			mats[d.member].rowMajor = true
		default:
			if !ty.memberCapture(d.member, d) {
				t.interfaceDecoration(in.id, f, d)
			}
		}
	})
	for k, m := range ty.members {
		ty.memb[k].Type = m.ir
		if mats[k].stride != 0 || mats[k].rowMajor {
			ty.memb[k].Type = matrixLayout(m, mats[k].stride, mats[k].rowMajor)
		}
	}
	if t.kernel {
		t.placeMembers(in.id, ty)
	}
}

// matrixLayout returns the IR type of a member that is a matrix, or an array
// of matrices, with the member's matrix layout. A row-major matrix is laid
// out as what it is in memory: an array of its rows.
func matrixLayout(m *typ, stride uint32, rowMajor bool) *ir.Type {
	switch m.kind {
	case tArray:
		return ir.ArrayType(matrixLayout(m.elem, stride, rowMajor), m.n, m.stride)
	case tRuntimeArray:
		return ir.ArrayType(matrixLayout(m.elem, stride, rowMajor), 0, m.stride)
	case tMatrix:
		if rowMajor {
			return ir.ArrayType(ir.VectorType(ir.BaseFloat, m.bits, uint8(m.n)), m.elem.n, stride)
		}
		mt := ir.MatrixType(m.bits, uint8(m.n), uint8(m.elem.n))
		mt.Stride = stride
		return mt
	}
	return m.ir
}

// irTypes fills the IR's forms of the type.
func (t *translator) irTypes(ty *typ) {
	switch ty.kind {
	case tBool:
		ty.ir = ir.BoolType
	case tInt:
		b := ir.BaseUint
		if ty.sign {
			b = ir.BaseInt
		}
		ty.ir = ir.ScalarType(b, ty.bits)
	case tFloat:
		ty.ir = ir.ScalarType(ir.BaseFloat, ty.bits)
	case tVector:
		ty.ir = ir.VectorType(ty.elem.ir.Base, ty.elem.bits, uint8(ty.n))
	case tMatrix:
		ty.ir = ir.MatrixType(ty.bits, uint8(ty.n), uint8(ty.elem.n))
	case tArray, tRuntimeArray:
		ty.ir = ir.ArrayType(ty.elem.ir, ty.n, ty.stride)
		ty.plain = ir.ArrayType(ty.elem.plain, ty.n, 0)
		ty.temp = ty.plain
		if ty.elem.temp != ty.elem.plain {
			ty.temp = ir.ArrayType(ty.elem.temp, ty.n, 0)
		}
		return
	case tStruct:
		name := t.nameOf(ty.id)
		ty.ir = &ir.Type{Base: ir.BaseStruct, Name: name, Fields: ty.memb, Block: ty.block || ty.buffer}
		ty.plain = &ir.Type{Base: ir.BaseStruct, Name: name, Fields: make([]ir.Field, len(ty.members))}
		for i, m := range ty.members {
			ty.plain.Fields[i] = ir.Field{Name: ty.memb[i].Name, Type: m.plain, Offset: -1, Location: -1, BuiltIn: -1, XfbBuffer: -1, XfbOffset: -1}
		}
		ty.temp = tempStruct(ty)
		return
	case tPointer:
		c, b := ty.shape()
		ty.ir = ir.VectorType(ir.BaseUint, b, c)
	case tVoid, tFunction:
		ty.ir = ir.VoidType
	}
	ty.plain, ty.temp = ty.ir, ty.ir
	if ty.opaque() {
		c, b := ty.shape()
		ty.temp = ir.VectorType(ir.BaseUint, b, c)
	}
}

// tempStruct is the type of a structure's temporaries.
func tempStruct(ty *typ) *ir.Type {
	same := true
	for _, m := range ty.members {
		same = same && m.temp == m.plain
	}
	if same {
		return ty.plain
	}
	s := *ty.plain
	s.Fields = slices.Clone(s.Fields)
	for i, m := range ty.members {
		s.Fields[i].Type = m.temp
	}
	return &s
}

// opaqueType translates the types of images and samplers.
func (t *translator) opaqueType(in *inst, ty *typ) bool {
	switch in.op {
	case spv.OpTypeImage:
		t.imageType(in, ty)
	case spv.OpTypeSampler:
		ty.kind = tSampler
		ty.ir = &ir.Type{Base: ir.BaseSampler}
	case spv.OpTypeSampledImage:
		ty.kind, ty.elem = tSampledImage, t.typeOf(in.args[0])
		if ty.elem.kind != tImage {
			t.fail(in.id, "a sampled image is not of an image type")
		}
		ty.image = ty.elem.image
		ty.ir = ty.elem.sampled
		*ty.ir = *ty.elem.ir
		ty.ir.Base = ir.BaseSampledImage
	case spv.OpTypeAccelerationStructureKHR:
		ty.kind = tAccel
		ty.ir = &ir.Type{Base: ir.BaseAccelStruct}
	case spv.OpTypeBufferEXT:
		ty.kind, ty.sc = tBuffer, spv.StorageClass(in.args[0])
		ty.ir = ir.VoidType
	case spv.OpTypeRayQueryKHR:
		ty.kind = tRayQuery
		ty.ir = &ir.Type{Base: ir.BaseRayQuery}
	default:
		return false
	}
	return true
}

func (t *translator) imageType(in *inst, ty *typ) {
	texel := t.typeOf(in.args[0])
	if texel.kind != tVoid && texel.kind != tInt && texel.kind != tFloat {
		t.fail(in.id, "the sampled type of an image is not a number")
	}
	sh := imageShape{dim: spv.Dim(in.args[1]), depth: in.args[2], arrayed: in.args[3] != 0, ms: in.args[4] != 0, sampled: in.args[5], format: spv.ImageFormat(in.args[6])}
	if t.kernel {
		sh.accessedShape(in.args)
	}
	if sh.dim == spv.DimTileImageDataEXT {
		t.tileType(in.id, ty, sh, texel)
		return
	}
	dims := [...]ir.Dim{ir.Dim1D, ir.Dim2D, ir.Dim3D, ir.DimCube, ir.DimRect, ir.DimBuf, ir.DimSubpass}
	if int(sh.dim) >= len(dims) {
		t.refuse(in.id, "images of dimension %s are not supported", sh.dim)
	}
	if sh.ms && sh.dim != spv.Dim2D && sh.dim != spv.DimSubpassData {
		t.fail(in.id, "multisampled images of dimension %s do not exist", sh.dim)
	}
	if sh.arrayed && sh.dim != spv.Dim1D && sh.dim != spv.Dim2D && sh.dim != spv.DimCube {
		t.fail(in.id, "arrays of images of dimension %s do not exist", sh.dim)
	}
	ty.kind, ty.image, ty.elem = tImage, sh, texel
	both := new([2]ir.Type) // most images are sampled: their types are made at once
	ty.ir, ty.sampled = &both[0], &both[1]
	*ty.ir = ir.Type{Base: ir.BaseTexture, Dim: dims[sh.dim], Arrayed: sh.arrayed, Shadow: sh.depth == 1, MS: sh.ms, TexelBits: texel.bits}
	if sh.ms {
		ty.ir.Dim = ir.DimMS
		if sh.dim == spv.DimSubpassData {
			ty.ir.Dim = ir.DimSubpassMS
		}
	}
	if sh.sampled == 2 && sh.dim != spv.DimSubpassData {
		ty.ir.Base = ir.BaseImage
	}
	switch {
	case texel.kind == tFloat:
		ty.ir.Texel = ir.BaseFloat
	case texel.kind == tInt && texel.sign:
		ty.ir.Texel = ir.BaseInt
	case texel.kind == tInt:
		ty.ir.Texel = ir.BaseUint
	}
}
