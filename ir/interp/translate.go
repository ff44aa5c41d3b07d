package interp

import (
	"nirc/internal/lazy"
	"nirc/ir"
	"nirc/ir/optab"
)

// instr translates an instruction that is neither phi nor jump.
func (c *compiler) instr(in *ir.Instr) {
	switch in.Kind {
	case ir.KindALU:
		c.aluInstr(in)
	case ir.KindDeref:
		c.deref(in)
	case ir.KindCall:
		c.call(in)
	case ir.KindTex:
		c.tex(in)
	case ir.KindParallelCopy:
		c.parallelCopy(in)
	case ir.KindIntrinsic:
		c.intrinsic(in)
	default:
		c.refuse(in, "instructions of this kind are not supported")
	}
}

func (c *compiler) call(in *ir.Instr) {
	f := c.fns[in.CallInfo().Callee]
	if f == nil || len(f.params) != len(in.Srcs) {
		c.failf(in, "the arguments do not fit the callee")
		return
	}
	for i := range in.Srcs {
		s := c.src(in, i)
		if len(s) < len(f.params[i]) {
			c.failf(in, "argument %d has %d components, the parameter %d", i, len(s), len(f.params[i]))
			return
		}
		for k, d := range f.params[i] {
			c.emit(inst{op: opCopy, dst: d, a: s[k]})
		}
	}
	c.emit(inst{op: opCall, imm: uint64(f.start), x: &extra{in: in}})
}

func (c *compiler) parallelCopy(in *ir.Instr) {
	info := in.CopyInfo()
	var dst, src []int32
	slotsOf := func(d *ir.Def, reg bool) []int32 {
		if !reg {
			return c.f.defs[d.Index]
		}
		r := c.f.regs[d]
		if r == nil {
			c.failf(in, "an entry names no register")
			return nil
		}
		var s []int32
		for k := range r.comps {
			s = append(s, r.first+int32(k*c.p.lanes))
		}
		return s
	}
	for i := range info.Entries {
		e := &info.Entries[i]
		s := slotsOf(in.Srcs[i].Def, e.SrcIsReg)
		var d []int32
		if e.DstReg != nil {
			d = slotsOf(e.DstReg, true)
		} else {
			d = slotsOf(&e.Dst, false)
		}
		for k := range min(len(d), len(s)) {
			if d[k] != s[k] {
				dst, src = append(dst, d[k]), append(src, s[k])
			}
		}
	}
	c.parallel(dst, src)
}

// spaces are the interpreter's names of the spaces whose memory it holds.
var spaces = lazy.Value[map[optab.Space]space]{Make: func() map[optab.Space]space {
	return map[optab.Space]space{
		ir.SpaceUbo: spBuffer, ir.SpaceSsbo: spBuffer, ir.SpaceShared: spShared, ir.SpaceGlobal: spGlobal, ir.SpacePush: spPush,
		ir.SpaceConstant: spData, ir.SpaceScratch: spPrivate, ir.SpaceTaskPayload: spPayload,
	}
}}

func memBytes(bits uint8) uint8 {
	if bits == 1 {
		return 4
	}
	return bits / 8
}

// explicitMemory translates accesses by a scalar address; false: in is none.
func (c *compiler) explicitMemory(in *ir.Instr) bool {
	m := in.Memory()
	sp, ok := spaces.Get()[m.Space]
	if !ok || !m.Plain() || in.Intr.Info().Srcs[m.Addr] != 1 || in.Intr.Info().Target != "" {
		return false
	}
	i := inst{a: c.src(in, int(m.Addr))[0], imm: in.Get(ir.IdxBase), x: &extra{in: in, space: sp, helper: sp >= spBuffer}}
	if m.Handle >= 0 {
		i.b = c.src(in, int(m.Handle))[0]
	}
	switch m.Op {
	case ir.MemLoad:
		i.op, i.n, i.bits, i.dst = opLoadMem, in.Def.NumComponents, in.Def.BitSize, c.dst(in)
	case ir.MemStore:
		i.op, i.bits = opStoreMem, in.Srcs[m.Data].Def.BitSize
		i.x.src, i.x.mask = [][]int32{c.src(in, int(m.Data))}, uint16(in.Get(ir.IdxWriteMask))
	case ir.MemAtomic, ir.MemSwap:
		i.op, i.n, i.bits, i.dst = opAtomic, 1, in.Def.BitSize, c.dst(in)
		for k := int(m.Data); k < len(in.Srcs); k++ {
			i.x.src = append(i.x.src, c.src(in, k))
		}
		c.checkAtomic(in)
	default:
		return false
	}
	if i.op != opAtomic {
		i.x.bytes, i.x.comp = memBytes(i.bits), uint32(memBytes(i.bits))
	}
	c.emit(i)
	return true
}

func (c *compiler) checkAtomic(in *ir.Instr) {
	if b := in.Def.BitSize; b < 16 {
		c.refuse(in, "atomics of %d bits are not supported", b)
	}
	if in.Get(ir.IdxAtomicOp) > uint64(ir.AtomicDecWrap) {
		c.refuse(in, "atomic operation %d is not supported", in.Get(ir.IdxAtomicOp))
	}
}

// intrinsic translates an intrinsic.
func (c *compiler) intrinsic(in *ir.Instr) {
	if c.explicitMemory(in) {
		return
	}
	if c.imageAccess(in) {
		return
	}
	if in.Intr == ir.IntrLoadAttachment || in.Intr == ir.IntrLoadOutput && ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).FBFetch {
		c.emit(inst{op: opInterlock})
	}
	switch in.Intr {
	case ir.IntrDeclReg: // what was never stored is undefined
		r := c.f.regs[&in.Def]
		undef := c.undef(uint8(in.Get(ir.IdxBitSize)))
		for k := range r.comps * r.elem {
			c.emit(inst{op: opCopy, dst: r.first + int32(k*c.p.lanes), a: undef})
		}
	case ir.IntrLoadParam, ir.IntrLoadVulkanDescriptor, ir.IntrAsUniform, ir.IntrNop, ir.IntrUse, ir.IntrRtResume, ir.IntrDebugBreak:
	case ir.IntrBeginInvocationInterlock:
		c.emit(inst{op: opInterlock})
	case ir.IntrEndInvocationInterlock:
		c.emit(inst{op: opInterlockEnd})
	case ir.IntrLoadDeref, ir.IntrStoreDeref, ir.IntrDerefAtomic, ir.IntrDerefAtomicSwap, ir.IntrDerefBufferArrayLength:
		c.derefAccess(in)
	case ir.IntrCopyDeref:
		c.copyDeref(in)
	case ir.IntrMemcpyDeref:
		c.memcpyDeref(in)
	case ir.IntrLoadReg, ir.IntrLoadRegIndirect, ir.IntrStoreReg, ir.IntrStoreRegIndirect:
		c.regAccess(in)
	case ir.IntrVulkanResourceIndex:
		c.emit(inst{op: opResource, n: 1, dst: c.dst(in), a: c.src(in, 0)[0], imm: in.Get(ir.IdxDescSet)<<32 | in.Get(ir.IdxBinding), x: &extra{in: in}})
	case ir.IntrVulkanResourceReindex:
		c.emit(inst{op: opIadd, bits: 32, dst: c.dst(in), a: c.src(in, 0)[0], b: c.src(in, 1)[0], x: &extra{in: in}})
	default:
		c.other(in)
	}
}

// other emits an intrinsic that is executed by its name.
func (c *compiler) other(in *ir.Instr) {
	x := &extra{in: in, io: ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))}
	for i := range in.Srcs {
		x.src = append(x.src, c.src(in, i))
	}
	i := inst{op: opIntrinsic, n: in.Def.NumComponents, bits: in.Def.BitSize, x: x}
	if in.HasDef() {
		i.dst = c.dst(in)
	}
	switch in.Intr {
	case ir.IntrTraceRay, ir.IntrExecuteCallable, ir.IntrRtTraceRay, ir.IntrRtExecuteCallable:
		c.callData(in, x)
	case ir.IntrStorePreamble:
		c.p.preambleHalves = max(c.p.preambleHalves, preambleAt(in, len(x.src[0]), in.Srcs[0].Def.BitSize))
	case ir.IntrReduce, ir.IntrInclusiveScan, ir.IntrExclusiveScan:
		op := in.Get(ir.IdxReductionOp)
		if op >= uint64(ir.NumOps) || ir.Op(op).Info().Eval == nil || len(ir.Op(op).Info().In) != 2 {
			c.refuse(in, "reduction operation %d is not supported", op)
			return
		}
		x.eval = ir.Op(op).Info().Eval
	case ir.IntrInterpDerefAtCentroid, ir.IntrInterpDerefAtSample, ir.IntrInterpDerefAtOffset, ir.IntrInterpDerefAtVertex:
		x.comp = uint32(c.ptrOf(in, 0).comp)
	}
	if sv := sysvalIntrinsics[in.Intr]; sv >= svRayOrigin && !hasHitValue(sv, c.s.Stage) {
		c.refuse(in, "this system value is not supported in stage %s", c.s.Stage)
		return
	}
	if !supported(in.Intr) {
		if in.Intr.Info().SysVal {
			c.refuse(in, "this system value is not supported")
		} else {
			c.refuse(in, "the intrinsic is not supported by the interpreter")
		}
		return
	}
	c.emit(i)
}

// derefAccess translates what reads or writes through a deref.
func (c *compiler) derefAccess(in *ir.Instr) {
	p := c.ptrOf(in, 0)
	if c.err != nil {
		return
	}
	if p.space == spOpaque || len(p.dims) > 0 {
		c.failf(in, "a deref of type %s can not be accessed", p.t)
		return
	}
	x := &extra{in: in, space: p.space, comp: p.comp, helper: p.space >= spBuffer}
	i := inst{a: p.at, b: p.handle, x: x}
	switch in.Intr {
	case ir.IntrLoadDeref:
		i.op, i.n, i.bits, i.dst = opLoadMem, in.Def.NumComponents, in.Def.BitSize, c.dst(in)
		x.bytes = memBytes(p.t.MemBits())
	case ir.IntrStoreDeref:
		i.op, i.bits = opStoreMem, in.Srcs[1].Def.BitSize
		x.bytes, x.mask = memBytes(p.t.MemBits()), uint16(in.Get(ir.IdxWriteMask))
		x.src = [][]int32{c.src(in, 1)}
		if p.lay == slots && p.t.MemBits() < 32 {
			x.bytes = 4 // the whole word of the slot
		}
	case ir.IntrDerefBufferArrayLength:
		c.arrayLength(in, p, i)
		return
	default:
		c.checkAtomic(in)
		i.op, i.n, i.bits, i.dst = opAtomic, 1, in.Def.BitSize, c.dst(in)
		for k := 1; k < len(in.Srcs); k++ {
			x.src = append(x.src, c.src(in, k))
		}
	}
	if i.op != opAtomic && !p.t.IsVectorOrScalar() {
		c.failf(in, "access to a whole %s", p.t)
		return
	}
	c.emit(i)
}

// arrayLength emits (size of the range - offset of the array) / stride.
func (c *compiler) arrayLength(in *ir.Instr, p *pointer, i inst) {
	t, off := p.t, uint32(0)
	if t.IsStruct() && len(t.Fields) > 0 {
		off = p.lay.field(t, len(t.Fields)-1)
		t = t.Fields[len(t.Fields)-1].Type
	}
	if p.space != spBuffer || !t.IsArray() || p.lay.stride(t) == 0 {
		c.failf(in, "the length of a %s is not known", p.t)
		return
	}
	i.op, i.n, i.bits, i.dst = opIntrinsic, 1, in.Def.BitSize, c.dst(in)
	i.x.src = [][]int32{{p.handle, p.at}}
	i.imm, i.x.comp = uint64(off), p.lay.stride(t)
	c.emit(i)
}

func (c *compiler) regAccess(in *ir.Instr) {
	store := in.Intr == ir.IntrStoreReg || in.Intr == ir.IntrStoreRegIndirect
	at := 0
	if store {
		at = 1
	}
	r := c.f.regs[in.Srcs[at].Def]
	if r == nil {
		c.failf(in, "source %d is no register", at)
		return
	}
	i := inst{op: opLoadReg, a: r.first, b: -1, imm: in.Get(ir.IdxBase), x: &extra{in: in, comp: uint32(r.elem), bytes: uint8(r.comps)}}
	if in.Intr == ir.IntrLoadRegIndirect || in.Intr == ir.IntrStoreRegIndirect {
		i.b = c.src(in, at+1)[0]
	}
	if store {
		s := c.src(in, 0)
		i.op, i.n, i.bits = opStoreReg, uint8(min(r.comps, len(s))), in.Srcs[0].Def.BitSize
		i.x.src, i.x.mask, i.x.helper = [][]int32{s}, uint16(in.Get(ir.IdxWriteMask)), in.Get(ir.IdxLegacyFsat) != 0
	} else {
		i.n, i.bits, i.dst = uint8(min(r.comps, int(in.Def.NumComponents))), in.Def.BitSize, c.dst(in)
		i.x.mask = uint16(in.Get(ir.IdxLegacyFabs)&1 | in.Get(ir.IdxLegacyFneg)&1<<1)
	}
	c.emit(i)
}
