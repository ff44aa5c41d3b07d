package passes

import (
	"fmt"
	"sync"

	"nirc/internal/lazy"
	"nirc/ir"
)

var lowerExplicitIOPass = &Pass{
	Name: "lower_explicit_io", ForOptions: forExplicitIO, Class: "A", Run: lowerExplicitIO, Idempotent: true,
	Doc: "Turns derefs of laid out memory into address arithmetic and loads, stores and atomics through them into the explicit memory intrinsics. " +
		"Input: explicit types, no copy_deref of these modes. Address formats: UBO and SSBO 2x32 (resource, byte offset), global 1x64, the others a 32-bit byte offset; with ssbo=1x64 storage buffers are global memory, from load_ssbo_address on, " +
		"pointers to them that are stored, compared or chosen are addresses (in two halves where they had two components) and nothing tests bounds. " +
		"Output: load_ubo, load_ssbo, load_push_constant, load_shared, load_scratch, load_constant, load_global, load_task_payload and their stores and atomics, with alignment; " +
		"booleans are 32 bits in memory. Pointers of kernels that are values are generic ones, 62bit_generic with constants; accesses by those that may lead to several kinds of memory become ifs.",
	Options: []Option{
		{Name: "modes", Doc: "modes to lower", Default: ir.ModeUBO | ir.ModeSSBO | ir.ModePushConst | ir.ModeShared | ir.ModeGlobal | ir.ModeConstant},
		{Name: "ssbo", Doc: "address format of storage buffers: 2x32 or 1x64", Default: "2x32"},
	},
}

// forExplicitIO are derefs of the modes. What the pass refuses it refuses of any shader.
func forExplicitIO(c *Context) (has ir.Contents) {
	const temporaries = ir.ModeFunctionTemp | ir.ModeShaderTemp
	if f := c.String("ssbo"); f != "2x32" && f != "1x64" {
		return 0
	}
	if c.Modes("modes")&temporaries != 0 {
		has |= ir.HasTemp
	}
	if c.Modes("modes")&^temporaries != 0 {
		has |= ir.HasObject
	}
	return has
}

// address is a lowered pointer.
type address struct {
	res *ir.Def // resource of a 2x32 pointer, else nil
	off *ir.Def // byte offset or address
	// far is a pointer to a buffer that is an address of 64 bits; base is where its buffer begins, if known.
	far  bool
	base *ir.Def
	// tag is what the pointer as a value says of its memory (ir.GenericTag), if off is a place in that; else 0.
	tag uint64
	// whole is the pointer as one value, once made.
	whole *ir.Def
	// Alignment: (address - offset) mod mul = 0; mul 0 is unknown.
	mul, offset uint32
	// step is the largest power of two that divides every distance which an index was multiplied by; 0 without one.
	step uint32
	// vecStride is the distance in bytes between the components of a vector that
	// is the column of a row-major matrix, else 0.
	vecStride uint32
	// size is that of the push constant block in bytes, 0 of other memory.
	size   uint32
	access ir.Access
	room   room
	span   span
}

type explicitIO struct {
	s     *ir.Shader
	modes ir.Mode
	far   ir.Mode // modes of buffers whose pointers are addresses
	b     *ir.Builder
	addrs []address // by Flags of the deref; the first is of those of other modes
	err   error
	split bool // control flow has changed
	// derefs are those that are lowered, parents first.
	derefs []*ir.Instr
}

// explicitIOs keeps the memory of runs that are over.
var explicitIOs = sync.Pool{New: func() any { return new(explicitIO) }}

func lowerExplicitIO(c *Context, s *ir.Shader) (bool, error) {
	far, err := farModes(c, s)
	if err != nil {
		return false, err
	}
	progress := false
	e := explicitIOs.Get().(*explicitIO)
	defer func() {
		clear(e.addrs)
		clear(e.derefs)
		*e = explicitIO{addrs: e.addrs[:0], derefs: e.derefs[:0]}
		explicitIOs.Put(e)
	}()
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		e.s, e.modes, e.b = s, c.Modes("modes"), ir.NewBuilder(ir.AtStart(f.Impl.Start()))
		e.far, e.split = far, false
		if e.function(f.Impl) {
			keep := ir.Metadata(ir.MetaControlFlow)
			if e.split {
				keep = ir.MetaNone
			}
			f.Impl.Preserve(keep)
			progress = true
		}
		if e.err != nil {
			return false, e.err
		}
	}
	return progress, nil
}

func (e *explicitIO) function(impl *ir.Impl) bool {
	e.addrs = append(e.addrs[:0], address{})
	derefs := e.derefs[:0]
	changed := e.far != 0 && e.descriptors(impl)
	if e.s.Info.Kernel && e.splitGeneric(impl) {
		changed, e.split = true, true
	}
	defer func() { e.derefs = derefs }()
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			switch in.Kind {
			case ir.KindDeref:
				in.Flags = 0
				if e.mine(in) {
					e.b.AtInstr(in)
					a := e.address(in)
					in.Flags = uint32(len(e.addrs))
					e.addrs = append(e.addrs, a)
					derefs = append(derefs, in)
				}
			case ir.KindTex:
				e.sampled(in)
			case ir.KindIntrinsic:
				switch {
				case in.Intr == ir.IntrCopyDeref:
					e.copied(in)
				case in.Intr == ir.IntrDerefModeIs && e.mine(in.Srcs[0].Def.Instr):
					e.modeIs(in)
				case len(in.Srcs) > 0 && in.Srcs[0].Def.Instr.Kind == ir.KindDeref && e.mine(in.Srcs[0].Def.Instr):
					e.access(in)
				}
			}
			if e.err != nil {
				return true
			}
		}
	}
	// What still uses a pointer uses its value; derefs go, children first.
	for i := len(derefs) - 1; i >= 0; i-- {
		d := derefs[i]
		if !d.Def.Unused() {
			e.b.AtInstr(d)
			d.Def.RewriteUses(e.whole(&e.addrs[d.Flags], d.Def.NumComponents))
		}
		d.Remove()
	}
	return changed || len(derefs) > 0
}

func (e *explicitIO) mine(d *ir.Instr) bool {
	m := d.DerefInfo().Modes
	return m&e.modes != 0 && m&^e.modes == 0
}

// whole is the pointer as one value of n components.
func (e *explicitIO) whole(a *address, n uint8) *ir.Def {
	if a.whole == nil {
		a.whole = a.off
		if a.tag != 0 {
			a.whole = e.tagged(a)
		} else if a.far {
			a.whole = e.farWhole(a, n)
		} else if a.res != nil {
			a.whole = e.b.Vec2(a.res, a.off)
		}
	}
	return a.whole
}

// fail records the first diagnostic.
func (e *explicitIO) fail(in *ir.Instr, format string, args ...any) {
	if e.err == nil {
		e.err = diag(e.s, in, fmt.Sprintf(format, args...))
	}
}

// refuse records that something is not supported, if nothing was wrong before.
func (e *explicitIO) refuse(in *ir.Instr, format string, args ...any) {
	if e.err == nil {
		e.err = refusal(e.s, in, fmt.Sprintf(format, args...))
	}
}

// copied refuses a copy of what is lowered.
func (e *explicitIO) copied(in *ir.Instr) {
	for i := range in.Srcs {
		if d := derefOf(in.Srcs[i].Def); d != nil && e.mine(d) {
			e.refuse(in, "a copy of %s is not supported here: split_var_copies and lower_var_copies must run before", d.DerefInfo().Modes)
		}
	}
}

// sampled refuses a texture or sampler that is in memory.
func (e *explicitIO) sampled(in *ir.Instr) {
	for i := range in.Srcs {
		if d := derefOf(in.Srcs[i].Def); d != nil && e.mine(d) {
			e.refuse(in, "%s of a texture in %s is not supported", in.TexOp, d.DerefInfo().Modes)
		}
	}
}

// address computes where deref d points, with the builder before d.
func (e *explicitIO) address(d *ir.Instr) address {
	info := d.DerefInfo()
	switch d.Deref {
	case ir.DerefVar:
		v := info.Var
		if info.Modes&(ir.ModeUBO|ir.ModeSSBO) != 0 {
			e.fail(d, "variable %q of %s is addressed without a descriptor", v.Name, info.Modes)
		}
		if v.Mode&(ir.ModeFunctionTemp|ir.ModeShaderTemp|ir.ModeShared|ir.ModeTaskPayload) != 0 && !v.ExplicitLayout {
			e.fail(d, "variable %q of %s has no place in memory: lower_vars_to_explicit_types must run before", v.Name, info.Modes)
		}
		bits := d.Def.BitSize
		if e.near(d) {
			bits = 32
		}
		a := address{off: e.b.ImmInt(int64(v.DriverLocation), bits), mul: 16, offset: v.DriverLocation % 16, access: v.Access}
		if e.near(d) {
			a.tag = ir.GenericTag(info.Modes)
		}
		if info.Modes == ir.ModePushConst {
			a.size = uint32(min(v.Type.Size(), 1<<31))
		}
		return a
	case ir.DerefCast:
		return e.castAddress(d, info)
	}
	parent := d.Srcs[0].Def
	a := e.addrs[parent.Instr.Flags]
	if a.off == nil {
		e.fail(d, "the pointer that this one in %s is made from is in other memory", info.Modes)
		return a
	}
	a.whole = nil
	pt := parent.Instr.DerefInfo().Type
	switch d.Deref {
	case ir.DerefStruct:
		f := pt.Fields[info.Field]
		if f.Offset < 0 {
			e.fail(d, "member %q has no offset", f.Name)
		}
		a.access |= f.Access
		e.addConst(&a, int64(f.Offset))
		a.vecStride = 0
	case ir.DerefArray:
		stride, vec := elementStride(pt, a.vecStride)
		e.addIndex(&a, d.Srcs[1].Def, stride, elements(pt))
		a.vecStride = vec
	case ir.DerefPtrAsArray:
		if a.room.bounded {
			e.addStepBounded(&a, d.Srcs[1].Def, ptrStride(parent.Instr))
		} else {
			e.addIndex(&a, d.Srcs[1].Def, ptrStride(parent.Instr), anyElement)
		}
	default:
		e.fail(d, "wildcard access to %s", info.Modes)
	}
	return a
}

// elementStride returns the bytes between the elements of t and, for the
// columns of a row-major matrix, between the components of an element.
func elementStride(t *ir.Type, vecStride uint32) (stride, vec uint32) {
	switch {
	case t.IsArray():
		return t.Stride, 0
	case t.IsMatrix() && t.RowMajor:
		return uint32(t.Bits / 8), t.Stride
	case t.IsMatrix():
		return t.Stride, 0
	case vecStride != 0:
		return vecStride, 0
	}
	return uint32(t.MemBits() / 8), 0
}

// ptrStride returns the step of pointer arithmetic on a deref.
func ptrStride(d *ir.Instr) uint32 {
	for d.Deref == ir.DerefPtrAsArray {
		d = d.Srcs[0].Def.Instr
	}
	if d.Deref == ir.DerefCast {
		return d.DerefInfo().PtrStride
	}
	s, _ := elementStride(d.Srcs[0].Def.Instr.DerefInfo().Type, 0)
	return s
}

func (e *explicitIO) castAddress(d *ir.Instr, info *ir.DerefInfo) address {
	src := d.Srcs[0].Def
	var a address
	if p := derefOf(src); p != nil && p.DerefInfo().Modes&info.Modes == 0 {
		e.fail(d, "a pointer to %s is cast to %s: that is other memory", p.DerefInfo().Modes, info.Modes)
	}
	if src.Instr.Kind == ir.KindDeref && e.mine(src.Instr) {
		a = e.addrs[src.Instr.Flags]
		a.whole, a.vecStride = nil, 0
	} else if info.Modes&e.far != 0 {
		a = e.farAddress(d, src)
	} else if src.NumComponents == 2 {
		a = address{res: e.b.Channel(src, 0), off: e.bufferOffset(src), whole: src}
		a.room = roomOf(src, e.s.Options.Robust.Of(info.Modes))
		a.span = spanOf(src, a.room)
		if !src.Instr.IsIntrinsic(ir.IntrLoadVulkanDescriptor) {
			a.step = 1 // nobody knows how it was made
		}
	} else {
		a = address{off: src, whole: src}
	}
	if e.s.Info.Kernel && d.Def.BitSize == 64 {
		e.asForm(&a, d)
	}
	if buffer := info.Modes&(ir.ModeUBO|ir.ModeSSBO) != 0; !a.far && buffer != (a.res != nil) {
		e.fail(d, "a pointer of %d components is cast to %s", src.NumComponents, info.Modes)
	}
	if info.AlignMul != 0 && info.AlignMul >= a.mul {
		a.mul, a.offset = info.AlignMul, info.AlignOffset
	}
	return a
}

// bufferOffset is the byte offset of a pointer to a buffer: a descriptor's own is where
// the buffer begins.
func (e *explicitIO) bufferOffset(ptr *ir.Def) *ir.Def {
	if ptr.Instr.IsIntrinsic(ir.IntrLoadVulkanDescriptor) {
		return e.b.ImmInt(0, ptr.BitSize)
	}
	return e.b.Channel(ptr, 1)
}

func (e *explicitIO) addConst(a *address, n int64) {
	a.span.move(n)
	if a.room.bounded {
		e.addConstBounded(a, n)
	} else {
		a.off = e.b.IAddImm(a.off, n)
	}
	if a.mul != 0 {
		a.offset = uint32((int64(a.offset) + n) & int64(a.mul-1))
	}
}

// anyElement is the number of elements where a pointer steps beyond what it points to.
const anyElement = ^uint32(0)

// addIndex adds index elements of stride bytes. They are of an array of n elements, or of an unknown number if n is 0, in which
// the application promises to stay, so that their number of bytes does not wrap; not if n is anyElement.
func (e *explicitIO) addIndex(a *address, index *ir.Def, stride, n uint32) {
	if k, ok := index.Const(0); ok {
		// Indices are signed; bits above the size are zero in constants.
		sh := 64 - index.BitSize
		e.addConst(a, int64(k)<<sh>>sh*int64(stride))
		return
	}
	if a.room.bounded {
		e.addIndexBounded(a, index, stride)
		return
	}
	switch {
	case index.BitSize < a.off.BitSize:
		index = e.b.I2i64(index)
	case index.BitSize > a.off.BitSize:
		index = e.b.I2i32(index)
	}
	var step *ir.Def
	if e.s.Options.HasAmul && stride&(stride-1) != 0 {
		step = e.b.Amul(index, e.b.ImmInt(int64(stride), index.BitSize))
	} else {
		step = e.b.IMulImm(index, int64(stride))
	}
	if n != anyElement && step != index && step.BitSize == 32 {
		step.Instr.NoUnsignedWrap = true
	}
	a.span.choose(n, stride)
	a.off = e.b.Iadd(a.off, step)
	a.strided(stride)
}

// strided notes that multiples of stride were added.
func (a *address) strided(stride uint32) {
	if stride == 0 {
		return
	}
	most := stride & -stride
	if a.mul != 0 {
		a.mul = min(a.mul, most)
		a.offset &= a.mul - 1
	}
	if a.step == 0 || most < a.step {
		a.step = most
	}
}

// steps is what an access of components of so many bytes says of its offset.
func (a *address) steps(bytes uint32) ir.Access {
	if a.step != 0 && a.step < bytes {
		return ir.AccessSmallSteps
	}
	return 0
}

// ChosenOpaque says of what still chooses between images or samplers when variables
// are lowered that no target can.
const ChosenOpaque = "an image or sampler that control flow or values choose is not supported"

// access lowers an intrinsic whose source 0 is a deref of ours.
func (e *explicitIO) access(in *ir.Instr) {
	d := in.Srcs[0].Def.Instr
	a := &e.addrs[d.Flags]
	t := d.DerefInfo().Type
	mode := d.DerefInfo().Modes
	if t.IsOpaque() {
		e.refuse(in, ChosenOpaque)
		return
	}
	if a.far {
		mode = ir.ModeGlobal
	}
	if bits := a.off.BitSize; bits != 32 && mode != ir.ModeGlobal {
		e.refuse(in, "a pointer of %d bits to %s is not supported", bits, mode)
		return
	}
	e.b.AtInstr(in)
	e.b.Exact, e.b.FastMath = false, 0
	switch in.Intr {
	case ir.IntrLoadDeref:
		in.Def.RewriteUses(e.load(in, a, t, mode))
	case ir.IntrStoreDeref:
		e.store(in, a, t, mode)
	case ir.IntrDerefAtomic, ir.IntrDerefAtomicSwap:
		v := e.atomic(in, a, mode)
		if v == nil {
			e.fail(in, "atomic on %s", mode)
			return
		}
		in.Def.RewriteUses(v)
	case ir.IntrDerefBufferArrayLength:
		in.Def.RewriteUses(e.arrayLength(in, a, t))
	case ir.IntrLaunchMeshWorkgroupsWithPayloadDeref:
		e.launch(in, d)
	default:
		e.refuse(in, "%s on %s is not supported by lower_explicit_io", in.Intr, mode)
		return
	}
	in.Remove()
}

var explicitLoads = lazy.Value[map[ir.Mode]ir.Intrinsic]{Make: func() map[ir.Mode]ir.Intrinsic {
	return map[ir.Mode]ir.Intrinsic{
		ir.ModeUBO: ir.IntrLoadUbo, ir.ModeSSBO: ir.IntrLoadSsbo, ir.ModePushConst: ir.IntrLoadPushConstant, ir.ModeShared: ir.IntrLoadShared,
		ir.ModeFunctionTemp: ir.IntrLoadScratch, ir.ModeShaderTemp: ir.IntrLoadScratch, ir.ModeConstant: ir.IntrLoadConstant, ir.ModeGlobal: ir.IntrLoadGlobal,
		ir.ModeTaskPayload: ir.IntrLoadTaskPayload,
	}
}}

var explicitStores = lazy.Value[map[ir.Mode]ir.Intrinsic]{Make: func() map[ir.Mode]ir.Intrinsic {
	return map[ir.Mode]ir.Intrinsic{
		ir.ModeSSBO: ir.IntrStoreSsbo, ir.ModeShared: ir.IntrStoreShared, ir.ModeFunctionTemp: ir.IntrStoreScratch,
		ir.ModeShaderTemp: ir.IntrStoreScratch, ir.ModeGlobal: ir.IntrStoreGlobal, ir.ModeTaskPayload: ir.IntrStoreTaskPayload,
	}
}}

// setMemory fills in the constant indices of a memory access of bytes bytes a
// component at byte delta from a.
func (e *explicitIO) setMemory(in *ir.Instr, a *address, delta, bytes uint32, access ir.Access) {
	mul, off := a.mul, uint32(0)
	if mul == 0 {
		mul = bytes
	} else {
		off = (a.offset + delta) & (mul - 1)
	}
	in.Set(ir.IdxAlignMul, uint64(mul)).Set(ir.IdxAlignOffset, uint64(off)).Set(ir.IdxAccess, uint64(access|a.steps(bytes)))
	switch {
	case in.Intr == ir.IntrLoadPushConstant && a.size != 0:
		in.Set(ir.IdxRange, uint64(a.size))
	case in.Intr == ir.IntrLoadUbo && a.span.known:
		n := uint32(in.Def.NumComponents) * bytes
		in.Set(ir.IdxRangeBase, uint64(a.span.first+delta)).Set(ir.IdxRange, uint64(a.span.extra+n))
	case in.Has(ir.IdxRange):
		in.Set(ir.IdxRange, 0xffffffff)
	}
}

func (e *explicitIO) load(in *ir.Instr, a *address, t *ir.Type, mode ir.Mode) *ir.Def {
	op, ok := explicitLoads.Get()[mode]
	if !ok {
		e.fail(in, "load from %s", mode)
		return &in.Def
	}
	bits := t.MemBits()
	access := a.access | ir.Access(in.Get(ir.IdxAccess))
	if mode&(ir.ModeUBO|ir.ModePushConst|ir.ModeConstant) != 0 {
		access |= ir.AccessCanReorder | ir.AccessNonWriteable
	}
	one := func(comps uint8, delta uint32) *ir.Def {
		off := e.part(a, delta)
		var l *ir.Instr
		if a.res != nil {
			l = e.b.Intrinsic(op, comps, bits, a.res, off)
		} else {
			l = e.b.Intrinsic(op, comps, bits, off)
		}
		e.setMemory(l, a, delta, uint32(bits/8), access)
		return &l.Def
	}
	var v *ir.Def
	if a.vecStride != 0 && t.Rows > 1 {
		parts := make([]*ir.Def, t.Rows)
		for i := range parts {
			parts[i] = one(1, uint32(i)*a.vecStride)
		}
		v = e.b.Vec(parts...)
	} else {
		v = one(t.Rows, 0)
	}
	if t.Base == ir.BaseBool && in.Def.BitSize == 1 {
		v = e.b.Ine(v, e.b.Imm32(0))
	}
	return v
}

func (e *explicitIO) store(in *ir.Instr, a *address, t *ir.Type, mode ir.Mode) {
	op, ok := explicitStores.Get()[mode]
	if !ok {
		e.fail(in, "store to %s", mode)
		return
	}
	v := in.Srcs[1].Def
	if v.BitSize == 1 {
		v = e.b.B2i32(v)
	}
	mask := in.Get(ir.IdxWriteMask)
	access := a.access | ir.Access(in.Get(ir.IdxAccess))
	one := func(v *ir.Def, mask uint64, delta uint32) {
		off := e.part(a, delta)
		var st *ir.Instr
		if a.res != nil {
			st = e.b.Effect(op, v, a.res, off)
		} else {
			st = e.b.Effect(op, v, off)
		}
		st.Set(ir.IdxWriteMask, mask)
		e.setMemory(st, a, delta, uint32(v.BitSize/8), access)
	}
	if a.vecStride != 0 && t.Rows > 1 {
		for i := 0; i < int(t.Rows); i++ {
			if mask>>i&1 != 0 {
				one(e.b.Channel(v, i), 1, uint32(i)*a.vecStride)
			}
		}
		return
	}
	one(v, mask, 0)
}

func (e *explicitIO) atomic(in *ir.Instr, a *address, mode ir.Mode) *ir.Def {
	if mode&(ir.ModeSSBO|ir.ModeShared|ir.ModeGlobal|ir.ModeTaskPayload) == 0 {
		return nil
	}
	op, ok := ir.MemoryIntrinsic(mode, in.Memory().Op)
	if !ok {
		return nil
	}
	srcs := []*ir.Def{a.off}
	if a.res != nil {
		srcs = []*ir.Def{a.res, a.off}
	}
	for i := 1; i < len(in.Srcs); i++ {
		srcs = append(srcs, in.Srcs[i].Def)
	}
	n := e.b.Intrinsic(op, 1, in.Def.BitSize, srcs...)
	n.CopyIndices(in)
	n.Set(ir.IdxAccess, in.Get(ir.IdxAccess)|uint64(a.access|a.steps(uint32(in.Def.BitSize/8))))
	return &n.Def
}

// launch gives the launch of mesh workgroups the bytes of its payload, the variable that d leads to.
func (e *explicitIO) launch(in, d *ir.Instr) {
	v := derefVar(d)
	if v == nil {
		e.fail(in, "the payload is no variable")
		return
	}
	l := e.b.Effect(ir.IntrLaunchMeshWorkgroups, in.Srcs[1].Def)
	l.Set(ir.IdxBase, uint64(v.DriverLocation)).Set(ir.IdxRange, v.Type.Size())
}

// arrayLength computes how many elements of the unsized array at (the end of)
// a fit the bound range: (size - offset) / stride, at least 0.
func (e *explicitIO) arrayLength(in *ir.Instr, a *address, t *ir.Type) *ir.Def {
	off := a.off
	if t.IsStruct() {
		last := t.Fields[len(t.Fields)-1]
		off = e.b.IAddImm(off, int64(last.Offset))
		t = last.Type
	}
	if !t.IsArray() || t.Stride == 0 || a.res == nil && !a.far {
		e.fail(in, "length of what is no unsized array in a storage buffer")
		return &in.Def
	}
	res := a.res
	if a.far {
		if a.base == nil {
			e.refuse(in, "with addresses of 64 bits, the length of an array in a buffer that control flow or values choose is not supported")
			return &in.Def
		}
		res, off = a.base.Instr.Srcs[0].Def, e.b.U2u32(e.b.Isub(off, a.base))
	}
	size := &e.b.Intrinsic(ir.IntrGetSsboSize, 1, 32, res).Set(ir.IdxAccess, uint64(a.access)).Def
	bytes := e.b.UsubSat(size, off)
	n := e.b.Udiv(bytes, e.b.Imm32(t.Stride))
	return resizeUint(e.b, n, in.Def.BitSize)
}
