package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// variable is an OpVariable.
type variable struct {
	id   uint32
	typ  *typ // of the pointee
	sc   spv.StorageClass
	mode ir.Mode
	// iv is the IR variable, or members those of a struct-typed interface
	// variable that is split.
	iv      *ir.Variable
	members []*ir.Variable
	split   bool // members are those of one element after the other
	heap    bool // descriptors that nothing but an access gives a type
	access  ir.Access
	// held is the id of the image or sampler that a variable of a kernel's function holds, 0 before the store (kernel_image.go).
	held uint32
	// cached is the variable's deref (a buffer's block deref) in the current function.
	cached *ir.Def
}

// buffer reports whether pointers to the variable go through a descriptor.
func (v *variable) buffer() bool { return v.mode == ir.ModeUBO || v.mode == ir.ModeSSBO }

// modeOf returns the mode of a storage class's pointers to type ty.
func (t *translator) modeOf(sc spv.StorageClass, ty *typ) ir.Mode {
	if t.kernel {
		return t.kernelMode(sc, ty)
	}
	base := ty.withoutArray()
	switch sc {
	case spv.StorageClassUniform, spv.StorageClassStorageBuffer, spv.StorageClassPushConstant, spv.StorageClassPhysicalStorageBuffer:
		if base == ty || base.kind != tStruct { // arrays of blocks are arrays of descriptors
			t.checkLayout(ty)
		} else {
			t.checkLayout(base)
		}
	}
	switch sc {
	case spv.StorageClassInput:
		return ir.ModeShaderIn
	case spv.StorageClassOutput:
		return ir.ModeShaderOut
	case spv.StorageClassUniform:
		if base.buffer {
			return ir.ModeSSBO
		}
		return ir.ModeUBO
	case spv.StorageClassStorageBuffer:
		return ir.ModeSSBO
	case spv.StorageClassUniformConstant:
		if !base.opaque() {
			t.broken(ruleOpaque, ty.id, "a plain uniform, %s in UniformConstant, is not supported", ty)
		}
		return t.opaqueMode(base)
	case spv.StorageClassAtomicCounter:
		return t.counterMode(ty)
	case spv.StorageClassPushConstant:
		return ir.ModePushConst
	case spv.StorageClassTileImageEXT:
		return ir.ModeShaderOut
	case spv.StorageClassWorkgroup:
		return ir.ModeShared
	case spv.StorageClassPrivate:
		return ir.ModeShaderTemp
	case spv.StorageClassFunction:
		return ir.ModeFunctionTemp
	case spv.StorageClassPhysicalStorageBuffer, spv.StorageClassShaderRecordBufferKHR:
		return ir.ModeGlobal
	case spv.StorageClassTaskPayloadWorkgroupEXT:
		return ir.ModeTaskPayload
	case spv.StorageClassRayPayloadKHR, spv.StorageClassIncomingRayPayloadKHR, spv.StorageClassCallableDataKHR, spv.StorageClassIncomingCallableDataKHR:
		return ir.ModeShaderCall
	case spv.StorageClassHitAttributeKHR:
		return ir.ModeHitAttrib
	}
	caps := ""
	for _, c := range spv.KindStorageClass.Capabilities(uint32(sc)) {
		caps += " " + c.String()
	}
	t.refuse(ty.id, "the storage class %s (capabilities%s) is not supported%s", sc, caps, t.reason(spv.KindStorageClass.Capabilities(uint32(sc))))
	return 0
}

// opaqueMode returns the mode of variables of an image or sampler type.
func (t *translator) opaqueMode(ty *typ) ir.Mode {
	if ty.kind == tImage && ty.image.sampled == 2 && ty.image.dim != spv.DimSubpassData {
		return ir.ModeImage
	}
	return ir.ModeUniform
}

// storageType returns the IR type that storage of the mode has.
func (t *translator) storageType(mode ir.Mode, ty *typ) *ir.Type {
	if t.kernel && !ty.byReference() || mode&(ir.ModeExplicit|ir.ModeTaskPayload) != 0 || mode == ir.ModeShared && t.caps.explicitShared {
		return ty.ir
	}
	if mode&(ir.ModeFunctionTemp|ir.ModeShaderTemp) != 0 {
		return ty.temp
	}
	return ty.plain
}

// ruleWorkgroupInit is about workgroup memory, whose initialisers passes turn into stores.
const ruleWorkgroupInit = "VUID-StandaloneSpirv-OpVariable-04734: a variable of storage class Workgroup has no initialiser but OpConstantNull"

// makeVariables makes the global variables that are used.
func (t *translator) makeVariables() {
	for _, i := range t.globals {
		in := &t.m.Insts[i]
		t.word = int(in.Offset)
		t.decl = makeInst(in)
		var v *variable
		n := len(t.s.Variables)
		if err := t.guard(func() { v = t.globalVariable(&t.decl, int(i)) }); err != nil {
			t.vals[i] = value{kind: vBad, obj: err}
			t.s.Variables = t.s.Variables[:n]
			continue
		}
		t.vals[i] = value{kind: vVariable, typ: t.typeOf(t.decl.typ), obj: v}
	}
	t.checkLocations()
}

func (t *translator) globalVariable(in *inst, i int) *variable {
	pt := t.typeOf(in.typ)
	if in.op == spv.OpUntypedVariableKHR && t.isHeap(i) {
		t.checkLack(in.id, spv.CapabilityDescriptorHeapEXT)
		v := t.variables.New()
		v.id, v.sc, v.mode, v.heap = in.id, spv.StorageClass(in.args[0]), ir.ModeUniform, true
		return v
	}
	ty := t.asVariable(in)
	if ty == nil {
		ty = t.pointee(pt)
	}
	v := t.variables.New()
	v.id, v.typ, v.sc = in.id, ty, spv.StorageClass(in.args[0])
	if v.sc != pt.sc {
		t.fail(in.id, "the variable's storage class is not its pointer type's")
	}
	if v.sc == spv.StorageClassFunction {
		t.fail(in.id, "a variable of storage class Function stands outside a function")
	}
	if t.kernel && t.kernelVariable(v, in, i) {
		return v
	}
	v.mode = t.modeOf(v.sc, ty)
	if v.mode == ir.ModeGlobal && v.sc != spv.StorageClassShaderRecordBufferKHR {
		t.fail(in.id, "a variable cannot be in storage class %s", v.sc)
	}
	init := t.globalInit(in, v.sc)
	switch {
	case t.perTask(i, v.sc):
		v.mode = ir.ModeTaskPayload
		t.payloadVariable(v)
	case v.sc == spv.StorageClassInput || v.sc == spv.StorageClassOutput:
		t.interfaceVariable(v, i, init)
		return v
	case v.sc == spv.StorageClassTileImageEXT:
		t.tileVariable(v, i)
		return v
	case v.mode == ir.ModeTaskPayload:
		t.payloadVariable(v)
	case v.mode&(ir.ModeShaderCall|ir.ModeHitAttrib) != 0:
		t.callVariable(v, i)
	default:
		v.iv = t.s.NewVariable(v.mode, t.storageType(v.mode, ty), t.nameOf(in.id))
	}
	if init != nil {
		v.iv.Init = init.irConstant()
	}
	hasSet := t.descriptor(v, i)
	base := ty.withoutArray()
	if base.kind == tImage && base.image.dim == spv.DimTileImageDataEXT {
		t.fail(in.id, "a tile image in storage class %s", v.sc)
	}
	t.checkResource(v, base, hasSet)
	if v.buffer() {
		if base.kind != tStruct {
			t.fail(in.id, "a buffer variable is not a block")
		}
		v.access |= membersAccess(base)
	}
	if base.kind == tImage {
		v.iv.ImageFormat = ir.ImageFormat(base.image.format)
	}
	v.iv.Access = v.access
	return v
}

// descriptor reads where a variable's descriptor stands and what is known of its accesses, and reports whether it names a set.
func (t *translator) descriptor(v *variable, i int) (hasSet bool) {
	t.eachDec(i, func(d *decoration) {
		switch d.dec {
		case spv.DecorationBinding:
			v.iv.Binding, v.iv.HasBinding = d.arg(0), true
		case spv.DecorationDescriptorSet:
			v.iv.Set, hasSet = d.arg(0), true
		case spv.DecorationInputAttachmentIndex:
			v.iv.Index = d.arg(0)
		case spv.DecorationOffset:
			v.counterAt(d.arg(0))
		case spv.DecorationRelaxedPrecision:
			v.iv.Mediump = true
		default:
			v.access |= accessBit(d.dec)
			t.checkDecoration(v.id, d.dec)
		}
	})
	return hasSet
}

// globalInit is the initialiser of a variable of a storage class, or nil.
func (t *translator) globalInit(in *inst, sc spv.StorageClass) *cnst {
	if len(in.args) <= 1 {
		return nil
	}
	switch sc {
	case spv.StorageClassOutput, spv.StorageClassPrivate, spv.StorageClassWorkgroup:
	default:
		t.fail(in.id, "a variable of storage class %s has an initialiser", sc)
	}
	if t.startsAsPointer(in) {
		if sc != spv.StorageClassPrivate {
			t.fail(in.id, "a variable of storage class %s has a pointer as initialiser", sc)
		}
		t.pointerInits = append(t.pointerInits, [2]uint32{in.id, in.args[1]})
		return nil
	}
	init := t.initialiser(in)
	if sc == spv.StorageClassWorkgroup && !isZero(init.irConstant()) {
		t.broken(ruleWorkgroupInit, in.id, "the variable is initialised with other values")
	}
	return init
}

// membersAccess is what all members of a block say of reading and writing.
func membersAccess(block *typ) ir.Access {
	if len(block.memb) == 0 {
		return 0
	}
	all := ir.AccessNonWriteable | ir.AccessNonReadable
	for k := range block.memb {
		all &= block.memb[k].Access
	}
	return all
}

// isZero reports whether all of a constant is zero.
func isZero(c *ir.Constant) bool {
	if c.Zero {
		return true
	}
	for _, e := range c.Elems {
		if !isZero(e) {
			return false
		}
	}
	return len(c.Elems) > 0
}

// startsAsPointer reports variables whose initialiser is a variable of the module.
func (t *translator) startsAsPointer(in *inst) bool {
	i := t.m.DefIndex(spv.ID(in.args[1]))
	return i >= 0 && t.m.Insts[i].Op == spv.OpVariable
}

// storePointer gives a variable the pointer to another that it starts with.
func (t *translator) storePointer(id, to uint32) {
	p := t.ptr(id)
	if ty := t.valType(to); !ty.sameShape(p.typ) {
		t.fail(id, "the initialiser's type %s is not the variable's type %s", ty, p.typ)
	}
	k := 0
	t.storeLeaves(p, t.get(to), &k)
}

// initialiser returns the constant that a variable starts with.
func (t *translator) initialiser(in *inst) *cnst {
	c := t.constOf(in.args[1])
	if pt := t.pointee(t.typeOf(in.typ)); !c.typ.sameShape(pt) {
		t.fail(in.id, "the initialiser's type %s is not the variable's type %s", c.typ, pt)
	}
	if c.kind == cComposite { // it is small because parts are shared, but becomes stores of each
		t.spend(8 * int(c.typ.leaves))
	}
	return c
}

// localVariable translates an OpVariable of a function.
func (t *translator) localVariable(in *inst) {
	pt := t.typeOf(in.typ)
	ty := t.pointee(pt)
	if spv.StorageClass(in.args[0]) != spv.StorageClassFunction || pt.sc != spv.StorageClassFunction {
		t.fail(in.id, "a variable inside a function is not of storage class Function")
	}
	if in.word > int(t.m.Insts[t.f.blocks[0].term].Offset) {
		t.broken(ruleVariables, in.id, "a variable of the function stands after its first block")
	}
	v := t.variables.New()
	v.id, v.typ, v.sc, v.mode = in.id, ty, pt.sc, ir.ModeFunctionTemp
	v.iv = t.f.b.Impl.NewLocal(t.storageType(v.mode, ty), t.nameOf(in.id))
	pointer := len(in.args) > 1 && t.startsAsPointer(in)
	if len(in.args) > 1 && !pointer {
		v.iv.Init = t.initialiser(in).irConstant()
	} else if t.caps.frozen && !pointer && !ty.byReference() {
		v.iv.Init = &ir.Constant{Zero: true}
	}
	if _, ok := t.decOf(t.index(in.id), spv.DecorationRelaxedPrecision); ok {
		v.iv.Mediump = true
	}
	t.vals[t.index(in.id)] = value{kind: vVariable, typ: pt, obj: v}
	if pointer {
		t.storePointer(in.id, in.args[1])
	}
}

// pointerTo returns the pointer that a variable's id stands for.
func (t *translator) pointerTo(v *variable) *pointer {
	if v.heap {
		return t.heapPointer(t.f.u32(0))
	}
	p := t.newPointer(pointer{typ: v.typ, mode: v.mode, access: v.access, v: v})
	switch {
	case v.members != nil:
	case t.kernel && v.sc == spv.StorageClassInput:
		p.deref = t.kernelInput(v)
	case t.kernel && v.sc == spv.StorageClassCrossWorkgroup:
		p.addr, p.v = t.programAddress(v), nil
	case v.buffer():
		if v.typ.kind == tStruct {
			if v.cached == nil {
				v.cached = t.blockDeref(v, v.typ, t.f.u32(0), true)
				t.f.vars = append(t.f.vars, v)
			}
			p.deref = v.cached
		}
	default:
		if v.cached == nil {
			iv := v.iv
			if iv.Mode == ir.ModeGlobal {
				v.cached = t.recordDeref(v)
				t.f.vars = append(t.f.vars, v)
				p.deref = v.cached
				break
			}
			v.cached = t.f.atStart(t.f.b.Shader.NewDeref(ir.DerefVar, ir.DerefInfo{Modes: iv.Mode, Type: iv.Type, Var: iv}, 1, t.s.PtrBits(iv.Mode)))
			t.f.vars = append(t.f.vars, v)
		}
		p.deref = v.cached
	}
	return p
}

// descriptor types, as emu.DescriptorType numbers them.
const (
	descUniformBuffer = 1
	descStorageBuffer = 2
)

// blockDeref makes the deref of a buffer's block: element index of the
// variable's descriptor array. If start, it stands at the function's start.
func (t *translator) blockDeref(v *variable, block *typ, index *ir.Def, start bool) *ir.Def {
	b := t.f.b
	put := func(in *ir.Instr) *ir.Def {
		if start {
			return t.f.atStart(in)
		}
		return &b.Insert(in).Def
	}
	info := ir.DerefInfo{Modes: v.mode, Type: block.ir, AlignMul: 16}
	return put(b.Shader.NewDeref(ir.DerefCast, info, 2, 32, t.bufferDescriptor(v.iv, index, put)))
}

// bufferDescriptor makes the descriptor of an element of a buffer's binding.
func (t *translator) bufferDescriptor(v *ir.Variable, index *ir.Def, put func(*ir.Instr) *ir.Def) *ir.Def {
	desc := uint64(descUniformBuffer)
	if v.Mode == ir.ModeSSBO {
		desc = descStorageBuffer
	}
	s := t.f.b.Shader
	res := s.NewIntrinsic(ir.IntrVulkanResourceIndex, 2, 32, index)
	res.Set(ir.IdxDescSet, uint64(v.Set)).Set(ir.IdxBinding, uint64(v.Binding)).Set(ir.IdxDescType, desc)
	put(res)
	return put(s.NewIntrinsic(ir.IntrLoadVulkanDescriptor, 2, 32, &res.Def).Set(ir.IdxDescType, desc))
}
