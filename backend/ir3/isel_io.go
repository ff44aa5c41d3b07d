package ir3

import (
	"slices"

	"nirc/backend"
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/backend/resource"
	"nirc/ir"
)

// inputs is what the shader receives: system values and attributes in
// registers, varyings to be fetched, driver parameters and push constants.
type inputs struct {
	sysvals [abi.NumSysvals]mach.Value
	wanted  [abi.NumSysvals]bool
	// parts of the vector system values.
	parts [abi.NumSysvals][]opnd
	// slots are the input slots in use, by slot.
	slots   [ir.NumVaryingSlots]inputSlot
	fetches []*ir.Instr // varying loads, all done in the first block
	pushLo  uint32
	pushHi  uint32
	driver  int // scalars of driver parameters
	defs    []inputDef
	// prefetches are done before the shader starts.
	prefetches []prefetch
}

type inputSlot struct {
	mask   uint8
	interp ir.Interp
	half   bool
	inLoc  int
	val    mach.Value
	ops    []opnd
}

// inputDef ties a value that arrives in registers to its metadata.
type inputDef struct {
	val      mach.Value
	sysval   abi.SysvalKind
	slot     ir.Slot
	attrib   bool
	prefetch int // number of the prefetch, plus 1
}

// scan finds out what the shader needs before anything is selected.
func (s *isel) scan() {
	s.in.pushLo = ^uint32(0)
	for _, b := range s.irBlocks {
		if b == nil {
			continue
		}
		for in := range b.Instrs() {
			if in.Kind == ir.KindIntrinsic {
				s.scanIntrinsic(in)
			}
		}
	}
	if s.meta.Chain.Next != ir.StageNone && !faults.has(faultChainIDs) {
		// The next stage finds them in their registers, whether this one has a use for them or not.
		for _, k := range chainRegs(s.sh.Stage, s.meta.Chain.Next) {
			s.want(k)
		}
	}
	s.planPrefetches()
	lo, hi := s.in.pushLo, s.in.pushHi
	if lo > hi {
		lo, hi = 0, 0
	}
	s.consts.layOut(s.gpu, s.sh.Stage, lo, hi, s.in.driver, s.sh.SharedSize)
	if s.sh.Options != nil && s.sh.Options.SafeConsts && s.sh.Stage != ir.StageCompute {
		s.consts.limit = min(s.consts.limit, 4*abi.SafeConst)
	}
	if s.err == nil && !s.noPush {
		s.consts.pushUBOs(s.gpu)
		s.pre.first = s.consts.immAt
		n := s.planPreamble()
		s.pre.at, s.pre.end = s.pre.first, s.pre.first+n
		s.consts.reserve(n)
	}
	s.consts.placeChain()
	if n := s.consts.immAt; n > s.consts.limit && s.err == nil {
		s.fail(nil, "%d consts of push constants and parameters are not supported, there is room for %d", n, s.consts.limit)
	}
}

func (s *isel) want(k abi.SysvalKind) { s.in.wanted[k] = true }

// param notes that driver parameter n is used.
func (s *isel) param(n int) { s.in.driver = max(s.in.driver, n+1) }

func (s *isel) scanIntrinsic(in *ir.Instr) {
	if in.Has(ir.IdxAccess) && ir.Access(in.Get(ir.IdxAccess))&(ir.AccessCoherent|ir.AccessVolatile) != 0 {
		s.meta.Coherent = true
	}
	switch in.Intr {
	case ir.IntrLoadPushConstant:
		s.scanPush(in)
	case ir.IntrLoadUbo:
		s.scanUBO(in)
	case ir.IntrLoadInput:
		s.scanInput(in, ir.InterpFlat)
	case ir.IntrLoadInterpolatedInput:
		mode := ir.InterpSmooth
		if m, ok := computedMode(in.Srcs[0].Def, 0); ok && m == ir.InterpNoPerspective {
			mode = m
		}
		s.scanInput(in, mode)
	case ir.IntrLoadPointCoord:
		// A varying that the rasteriser makes.
		i := &s.in.slots[ir.SlotPointCoord]
		i.mask, i.interp = i.mask|3, ir.InterpSmooth
		s.want(abi.IJPerspPixel)
		s.in.fetches = append(s.in.fetches, in)
	case ir.IntrLoadVertexId, ir.IntrLoadVertexIdZeroBase:
		s.want(abi.VertexID)
		if in.Intr == ir.IntrLoadVertexIdZeroBase {
			s.param(abi.ParamVSVertexBase)
		}
	case ir.IntrLoadInstanceId:
		s.want(abi.InstanceID)
	case ir.IntrLoadBaseInstance:
		s.param(abi.ParamVSInstanceBase)
	case ir.IntrLoadFirstVertex:
		s.param(abi.ParamVSVertexBase)
	case ir.IntrLoadBaseVertex, ir.IntrLoadIsIndexedDraw:
		s.param(abi.ParamVSIsIndexed)
	case ir.IntrLoadDrawId:
		s.param(abi.ParamVSDrawID)
	case ir.IntrLoadViewIndex:
		if s.sh.Stage == ir.StageFragment {
			s.madeVarying(in, ir.SlotViewIndex)
			return
		}
		s.want(abi.ViewIndex)
	case ir.IntrLoadPrimitiveParamIr3, ir.IntrLoadPrimitiveLocationIr3, ir.IntrLoadTessCoordXy, ir.IntrLoadRelPatchIdIr3, ir.IntrLoadTcsHeaderIr3,
		ir.IntrLoadGsHeaderIr3, ir.IntrLoadPrimitiveId:
		s.scanChain(in)
	case ir.IntrLoadFragCoord, ir.IntrLoadFragCoordUnscaledIr3, ir.IntrLoadFragCoordZw, ir.IntrLoadPixelCoord:
		s.want(abi.FragCoord)
	case ir.IntrLoadFrontFace, ir.IntrLoadFrontFaceFsign:
		s.want(abi.FrontFace)
	case ir.IntrLoadSampleId, ir.IntrLoadSampleIdNoPerSample:
		s.want(abi.SampleID)
		s.meta.PerSample = s.meta.PerSample || in.Intr == ir.IntrLoadSampleId
	case ir.IntrLoadSampleMaskIn, ir.IntrLoadHelperInvocation:
		s.want(abi.SampleMaskIn)
	case ir.IntrLoadBarycentricPixel, ir.IntrLoadBarycentricCentroid, ir.IntrLoadBarycentricSample:
		if k, ok := baryKind(in); ok {
			s.want(k)
		}
		s.meta.PerSample = s.meta.PerSample || in.Intr == ir.IntrLoadBarycentricSample
	case ir.IntrLoadFragShadingRate:
		s.want(abi.ShadingRate)
		if s.gpu.FSMinConst {
			s.want(abi.SampleMaskIn) // these devices give it with the mask only
		}
	case ir.IntrLoadPerspCenterRhwIr3:
		s.want(abi.IJPerspCenterRHW)
	case ir.IntrLoadLocalInvocationId, ir.IntrLoadLocalInvocationIndex, ir.IntrLoadSubgroupInvocation, ir.IntrLoadSubgroupId:
		s.want(abi.LocalInvocationID)
		s.param(abi.ParamCSSubgroupIDShift)
	case ir.IntrLoadGlobalInvocationId:
		s.want(abi.LocalInvocationID)
		s.want(abi.WorkgroupID)
	case ir.IntrLoadWorkgroupId, ir.IntrLoadWorkgroupIndex:
		s.want(abi.WorkgroupID)
		s.param(abi.ParamCSNumWorkgroups + 2)
	case ir.IntrLoadNumWorkgroups:
		s.param(abi.ParamCSNumWorkgroups + 2)
	case ir.IntrLoadBaseWorkgroupId:
		s.param(abi.ParamCSBaseWorkgroup + 2)
	case ir.IntrLoadSubgroupSize, ir.IntrLoadNumSubgroups, ir.IntrLoadSubgroupIdShiftIr3:
		if s.sh.Stage == ir.StageCompute {
			s.param(abi.ParamCSSubgroupIDShift)
		} else {
			s.param(abi.ParamFSSubgroupSize)
		}
	}
}

func (s *isel) scanPush(in *ir.Instr) {
	lo := in.Get(ir.IdxBase)
	n := uint64(in.Def.NumComponents) * uint64(in.Def.BitSize) / 8
	if c, ok := in.Srcs[0].Def.Const(0); ok {
		lo += c
	} else if n = in.Get(ir.IdxRange); n == 0 {
		n = 256 - min(lo, 252)
	}
	if lo > maxPushByte || n > maxPushByte-lo {
		s.fail(in, "push constants after byte %d are not supported", maxPushByte)
		return
	}
	s.in.pushLo, s.in.pushHi = min(s.in.pushLo, uint32(lo&^3)), max(s.in.pushHi, uint32((lo+n+3)&^3))
}

// maxPushByte bounds the push constants: the const file has 512 vec4.
const maxPushByte = 512 * 16

// scanUBO notes a load whose place in its buffer is known.
func (s *isel) scanUBO(in *ir.Instr) {
	set, slot, ok := constBuffer(in.Srcs[0].Def)
	off, ok2 := in.Srcs[1].Def.Const(0)
	if ok && ok2 {
		s.consts.ubos.note(set, slot, uint32(off), uint32(in.Def.NumComponents)*uint32(in.Def.BitSize)/8)
	}
}

// pushedLoad reports whether a uniform buffer load reads the const file only.
func (s *isel) pushedLoad(in *ir.Instr) bool {
	set, slot, ok := constBuffer(in.Srcs[0].Def)
	off, ok2 := in.Srcs[1].Def.Const(0)
	if !ok || !ok2 {
		return false
	}
	end := uint32(off) + uint32(in.Def.NumComponents)*uint32(in.Def.BitSize)/8
	for v := uint32(off) / 16; v < (end+15)/16; v++ {
		if _, ok := s.consts.ubos.find(set, slot, v); !ok {
			return false
		}
	}
	return true
}

// baryMode is the interpolation of a load_barycentric intrinsic.
func baryMode(in *ir.Instr) uint64 {
	if in.Kind != ir.KindIntrinsic {
		return 0
	}
	return in.Get(ir.IdxInterpMode)
}

// baryKind is the system value of a load_barycentric intrinsic.
func baryKind(in *ir.Instr) (abi.SysvalKind, bool) {
	linear := ir.Interp(baryMode(in)) == ir.InterpNoPerspective
	k := abi.SysvalNone
	switch in.Intr {
	case ir.IntrLoadBarycentricPixel:
		k = abi.IJPerspPixel
		if linear {
			k = abi.IJLinearPixel
		}
	case ir.IntrLoadBarycentricCentroid:
		k = abi.IJPerspCentroid
		if linear {
			k = abi.IJLinearCentroid
		}
	case ir.IntrLoadBarycentricSample:
		k = abi.IJPerspSample
		if linear {
			k = abi.IJLinearSample
		}
	}
	return k, k != abi.SysvalNone && in.Kind == ir.KindIntrinsic
}

// ioSlot returns slot and first component of an input or output access with
// a constant offset.
func (s *isel) ioSlot(in *ir.Instr, off *ir.Def) (slot, comp int, ok bool) {
	slot, comp, err := backend.IOSlot(in, off)
	if err != nil {
		s.fail(in, "%v", err)
	}
	return slot, comp, err == nil
}

func (s *isel) scanInput(in *ir.Instr, interp ir.Interp) {
	slot, comp, ok := s.ioSlot(in, in.Srcs[len(in.Srcs)-1].Def)
	if !ok {
		return
	}
	if b := in.Def.BitSize; b != 32 && b != 16 {
		s.fail(in, "inputs of %d bits are not supported: they must be lowered to 32 bits", b)
		return
	}
	if n := s.gpu.MaxInputs; s.sh.Stage == ir.StageVertex && n > 0 && slot >= n {
		s.fail(in, "vertex attribute %d is not supported on %s, which has %d", slot, s.gpu.Name, n)
		return
	}
	i := &s.in.slots[slot]
	i.mask |= uint8(1<<in.Def.NumComponents-1) << comp
	if s.sh.Stage == ir.StageFragment && (slot == int(ir.SlotClipDist0) || slot == int(ir.SlotClipDist1)) {
		// The rasteriser hands on all distances of a slot.
		n := int(s.sh.Info.ClipDistances+s.sh.Info.CullDistances) - 4*(slot-int(ir.SlotClipDist0))
		i.mask |= uint8(1<<max(0, min(4, n)) - 1)
	}
	i.half = in.Def.BitSize == 16
	i.interp = interp
	if s.sh.Stage == ir.StageFragment {
		s.in.fetches = append(s.in.fetches, in)
	}
}

// makeInputs defines everything that arrives in registers, at the start of
// the first block, and fetches the varyings.
func (s *isel) makeInputs() {
	if s.err != nil {
		return
	}
	s.enter(0)
	s.defineSysvals()
	s.definePrefetches()
	if s.sh.Stage == ir.StageVertex {
		for slot := range s.in.slots {
			i := &s.in.slots[slot]
			if i.mask == 0 {
				continue
			}
			n := 1
			for i.mask>>n != 0 {
				n++
			}
			i.val = s.f.NewValue(classFull, n)
			s.in.defs = append(s.in.defs, inputDef{val: i.val, slot: ir.Slot(slot), attrib: true})
		}
	}
	if len(s.in.defs) > 0 {
		vals := make([]mach.Value, len(s.in.defs))
		for k, d := range s.in.defs {
			vals[k] = d.val
		}
		in := s.generic(opInputs, vals, nil)
		s.fixChain(in)
		if len(s.in.prefetches) > 0 {
			// Prefetches take the barycentrics from r0.x and r0.y.
			for k, d := range s.in.defs {
				if d.sysval == abi.IJPerspPixel {
					in.Ops[k].Flags |= mach.Fixed
					in.Ops[k].Reg = 0
				}
			}
		}
	}
	for slot := range s.in.slots {
		if i := &s.in.slots[slot]; i.val != 0 {
			i.ops = s.split(i.val, s.f.Elems(i.val))
		}
	}
	s.splitSysvals()
	s.splitPrefetches()
	if s.sh.Stage == ir.StageFragment {
		s.fetchVaryings()
	}
	if s.sh.Stage == ir.StageTessCtrl && s.meta.Chain.TessLocal {
		s.add(isa.Instr{Op: isa.OpBar, Flags: isa.SS | isa.SY}, 0) // without .g (ir3.md §6.5)
	}
}

func (s *isel) defineSysvals() {
	for k := abi.SysvalKind(1); k < abi.NumSysvals; k++ {
		if !s.in.wanted[k] {
			continue
		}
		class := gprClass(k.Half())
		if k == abi.WorkgroupID {
			class = classShared
		}
		v := s.f.NewValue(class, k.Count())
		s.in.sysvals[k] = v
		s.in.defs = append(s.in.defs, inputDef{val: v, sysval: k})
	}
}

func (s *isel) splitSysvals() {
	for k := abi.SysvalKind(1); k < abi.NumSysvals; k++ {
		v := s.in.sysvals[k]
		if v == 0 {
			continue
		}
		ops := s.split(v, k.Count())
		if k == abi.WorkgroupID {
			for i := range ops {
				d := s.newReg(false)
				t := isa.Instr{Op: isa.OpMov, Type: isa.U32, SrcType: isa.U32}
				uses := s.register(&t, 0, ops[i].val, 0, nil)
				s.add(t, d, uses...)
				ops[i] = s.value(d)
			}
		}
		s.in.parts[k] = ops
	}
}

// fetchVaryings emits bary.f and flat.b of all inputs whose barycentrics arrive
// in registers: they must come before any kill, and in the first block so that the varying
// storage can be released early.
func (s *isel) fetchVaryings() {
	n := 0
	for slot := range s.in.slots {
		if s.in.slots[slot].mask != 0 {
			s.in.slots[slot].inLoc = 4 * n
			n++
		}
	}
	for i := range s.in.prefetches {
		p := &s.in.prefetches[i]
		p.meta.InLoc = s.in.slots[p.slot].inLoc + p.comp
	}
	for _, in := range s.in.fetches {
		s.loc = in.Loc
		slot, comp := int(ir.SlotPointCoord), 0
		ij := s.in.sysvals[abi.IJPerspPixel]
		switch in.Intr {
		case ir.IntrLoadPointCoord:
		case ir.IntrLoadPrimitiveId:
			slot = int(ir.SlotPrimitiveID)
		case ir.IntrLoadViewIndex:
			slot = int(ir.SlotViewIndex)
		default:
			slot, comp, _ = s.ioSlot(in, in.Srcs[len(in.Srcs)-1].Def)
			if in.Intr == ir.IntrLoadInterpolatedInput {
				kind, ok := baryKind(in.Srcs[0].Def.Instr)
				if !ok {
					continue // interpolated in its place
				}
				ij = s.in.sysvals[kind]
			}
		}
		s.fetch(in, s.in.slots[slot].inLoc+comp, ij)
	}
}

// fetch emits flat.b, or bary.f with the barycentrics ij, for the components
// of in from varying component loc on.
func (s *isel) fetch(in *ir.Instr, loc int, ij mach.Value) {
	flat := in.Intr == ir.IntrLoadInput || in.Intr == ir.IntrLoadPrimitiveId || in.Intr == ir.IntrLoadViewIndex
	ops := make([]opnd, in.Def.NumComponents)
	group := s.link.fresh()
	// Halves of floats come as words, which only bary.f converts.
	convert := flat && isHalf(&in.Def) && ir.UnpackALUType(in.Get(ir.IdxDestType)).Class == ir.ClassFloat
	for c := range ops {
		at := isa.I(int32(loc + c))
		d := s.newReg(isHalf(&in.Def) && !convert)
		t := isa.Instr{Op: isa.OpFlatB, Srcs: [4]isa.Operand{at, at}}
		var uses []mach.Value
		if !flat {
			t = isa.Instr{Op: isa.OpBaryF, Srcs: [4]isa.Operand{at}}
			uses = s.register(&t, 1, ij, 0, nil)
		}
		s.link.member(group, s.add(t, d, uses...))
		ops[c] = s.value(d)
	}
	if convert {
		for c := range ops {
			ops[c] = s.cov(isa.F32, isa.F16, isa.RoundEven, ops[c])
		}
	}
	s.setComps(&in.Def, ops...)
}

// attribute gives the components of a vertex attribute, which arrives in full
// registers whatever its size.
func (s *isel) attribute(in *ir.Instr) {
	slot, comp, ok := s.ioSlot(in, in.Srcs[0].Def)
	if !ok {
		return
	}
	ops := s.in.slots[slot].ops[comp : comp+int(in.Def.NumComponents)]
	if isHalf(&in.Def) {
		halves := make([]opnd, len(ops))
		for k, o := range ops {
			if ir.UnpackALUType(in.Get(ir.IdxDestType)).Class == ir.ClassFloat {
				halves[k] = s.cov(isa.F32, isa.F16, isa.RoundEven, o)
			} else {
				halves[k] = s.narrow(o, 32)
			}
		}
		ops = halves
	}
	s.setComps(&in.Def, ops...)
}

// interpolated fetches an input whose barycentrics are computed; the others are
// there from the start on.
func (s *isel) interpolated(in *ir.Instr) {
	ij := in.Srcs[0].Def
	if _, ok := baryKind(ij.Instr); ok {
		return
	}
	slot, comp, ok := s.ioSlot(in, in.Srcs[1].Def)
	if !ok {
		return
	}
	if ij.BitSize != 32 {
		s.fail(in, "barycentrics of %d bits are not supported", ij.BitSize)
		return
	}
	s.fetch(in, s.in.slots[slot].inLoc+comp, s.collect(s.comp(ij, 0), s.comp(ij, 1)))
}

// samplePosition asks for the position of a sample of the render target,
// counted from the pixel's centre.
func (s *isel) samplePosition(in *ir.Instr) {
	t := isa.Instr{Op: isa.OpRgetpos, WrMask: 3, Type: isa.F32}
	uses := s.register(&t, 0, s.reg(s.comp(in.Srcs[0].Def, 0)), 0, nil)
	d := s.f.NewValue(classFull, 2)
	s.add(t, d, uses...)
	s.setComps(&in.Def, s.split(d, 2)...)
}

// driverParam returns a driver parameter.
func (s *isel) driverParam(n int) opnd {
	return opnd{kind: opConst, bits: uint32(s.consts.driver.Offset + n)}
}

// outputs collects what the shader leaves in registers at its end.
type outputs struct {
	vars []outputVar
	locs []uint32 // place of the last store, by variable
	vals mach.Stores[opnd]
	// alias, by variable: the preamble has named a const or an immediate for it.
	alias []bool
	// imms are the immediates that were brought into registers at ends of blocks.
	imms []outputImm
}

// outputVar is one component of an output slot.
type outputVar struct {
	slot  ir.Slot
	index uint8
	comp  uint8
	half  bool
	as    isa.Type // what a half becomes on its way to the rasteriser
	flags bool     // the vertex flags of a geometry shader, and no slot
}

// together reports whether v and w are components of one output.
func (v outputVar) together(w outputVar) bool {
	return v.slot == w.slot && v.index == w.index && v.flags == w.flags
}

func (o *outputs) find(v outputVar) int {
	k := slices.IndexFunc(o.vars, func(w outputVar) bool { return w.together(v) && w.comp == v.comp })
	if k >= 0 {
		return k
	}
	o.vars, o.locs = append(o.vars, v), append(o.locs, 0)
	return len(o.vars) - 1
}

func (o *outputs) set(k int, v opnd, loc uint32) {
	o.locs[k] = loc
	o.vals.Set(k, v)
}

// widened is what the components of a half output become: floats are
// interpolated as words, the fragments' results stay as they are.
func (s *isel) widened(in *ir.Instr) isa.Type {
	if s.sh.Stage != ir.StageFragment && isHalf(in.Srcs[0].Def) && ir.UnpackALUType(in.Get(ir.IdxSrcType)).Class == ir.ClassFloat {
		return isa.F32
	}
	return 0
}

func (s *isel) storeOutput(in *ir.Instr) {
	slot, comp, ok := s.ioSlot(in, in.Srcs[1].Def)
	if !ok {
		return
	}
	val := in.Srcs[0].Def
	if val.BitSize != 32 && val.BitSize != 16 {
		s.fail(in, "outputs of %d bits are not supported: they must be lowered to 32 bits", val.BitSize)
		return
	}
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	mask := in.Get(ir.IdxWriteMask)
	for c := range int(val.NumComponents) {
		if mask>>c&1 == 0 {
			continue
		}
		k := s.out.find(outputVar{slot: ir.Slot(slot), index: sem.DualSourceIndex, comp: uint8(comp + c), half: isHalf(val), as: s.widened(in)})
		if s.out.vars[k].half != isHalf(val) {
			s.fail(in, "output slot %d is stored with 16 and 32 bits, which is not supported", slot)
			return
		}
		s.out.set(k, s.comp(val, c), in.Loc)
	}
}

// finishOutputs brings the outputs to the end block, through phis where
// different paths stored different values, and ends the program.
func (s *isel) finishOutputs() {
	if s.err != nil {
		return
	}
	s.aliasOutputs()
	vals := make([]mach.Value, len(s.out.vars))
	for k := range s.out.vars {
		if s.out.aliased(k) {
			continue
		}
		s.loc = s.out.locs[k]
		vals[k] = s.outputReader(k).AtStart(s.end)
	}
	s.enter(s.end)
	var uses []mach.Value
	var made outputVectors
	for k := 0; k < len(s.out.vars); k++ {
		v := s.out.vars[k]
		if s.outputDone(k) {
			continue
		}
		s.loc = s.out.locs[k]
		g, ok := s.gatherOutput(k, vals)
		if !ok {
			return
		}
		s.meta.Outputs = append(s.meta.Outputs, abi.Output{Slot: v.slot, Mask: g.mask, Half: v.half, As: v.as, Index: v.index, VertexFlags: v.flags, AliasRT: g.alias, Reg: abi.NoReg})
		if g.n > 0 {
			uses = append(uses, made.collect(s, g.ops, g.n))
		}
	}
	s.loc = 0
	if s.gpu.Lock && s.sh.Stage == ir.StageCompute && !faults.has(faultLock) {
		s.add(isa.Instr{Op: isa.OpLock, Flags: isa.SY | isa.SS | isa.JP}, 0)
		s.add(isa.Instr{Op: isa.OpUnlock}, 0)
	}
	if s.meta.Chain.Next != ir.StageNone {
		s.handOver()
		return
	}
	s.add(isa.Instr{Op: isa.OpEnd}, 0, uses...)
}

// outputGroup is what one output register vector holds.
type outputGroup struct {
	ops         [4]opnd
	n           int   // components up to the last one in a register
	mask, alias uint8 // components: all, and those that alias.rt gives
}

// gatherOutput collects the components that go with variable k, the first of its vector; false
// after a failure.
func (s *isel) gatherOutput(k int, vals []mach.Value) (g outputGroup, ok bool) {
	v := s.out.vars[k]
	for j := k; j < len(s.out.vars); j++ {
		w := s.out.vars[j]
		if !w.together(v) {
			continue
		}
		if w.comp > 3 {
			s.broken(resource.OutputStore(s.impl, w.slot), "output slot %d: component %d does not exist", w.slot, w.comp)
			return g, false
		}
		if w.half != v.half {
			s.fail(resource.OutputStore(s.impl, w.slot), "output slot %d is stored with 16 and 32 bits, which is not supported", w.slot)
			return g, false
		}
		if w.as != v.as {
			s.fail(resource.OutputStore(s.impl, w.slot), "output slot %d of floats and integers of 16 bits is not supported", w.slot)
			return g, false
		}
		g.mask |= 1 << w.comp
		if s.out.aliased(j) {
			g.alias |= 1 << w.comp
			continue
		}
		g.ops[w.comp] = s.value(vals[j])
		g.n = max(g.n, int(w.comp)+1)
	}
	for c := range g.n {
		if g.ops[c].kind == opNone {
			g.ops[c] = immediate(0, v.half)
		}
	}
	return g, true
}

// outputDone reports whether variable k's slot was seen before k.
func (s *isel) outputDone(k int) bool {
	for j := range k {
		if s.out.vars[j].together(s.out.vars[k]) {
			return true
		}
	}
	return false
}

// outputReader finds the value of output variable k.
func (s *isel) outputReader(k int) *mach.Reader[mach.Value] {
	half := s.out.vars[k].half
	return &mach.Reader[mach.Value]{
		F:       s.f,
		Stored:  func(b mach.BlockID) (mach.Value, bool) { return s.outputAt(b, k) },
		Missing: func(b mach.BlockID) mach.Value { s.enter(b); return s.reg(immediate(0, half)) },
		Join:    func() (mach.Value, mach.Value) { v := s.newReg(half); return v, v },
		Use:     func(_ mach.BlockID, v mach.Value) mach.Value { return v },
	}
}

// outputAt brings what b stores to output variable k into a register at its end.
func (s *isel) outputAt(b mach.BlockID, k int) (mach.Value, bool) {
	o, ok := s.out.vals.At(b, k)
	if !ok {
		return 0, false
	}
	s.enter(b)
	o = o.fold()
	v := s.reg(o)
	if o.kind == opImm {
		s.out.imms = append(s.out.imms, outputImm{v, o.bits})
	}
	return v, true
}
