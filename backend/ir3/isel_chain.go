package ir3

import (
	"nirc/backend"
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// scanChain notes what a chained stage needs.
func (s *isel) scanChain(in *ir.Instr) {
	grow := func(a *abi.Area) {
		n := in.Get(ir.IdxBase)
		if n > maxChainConst {
			s.fail(in, "%s of %d is not supported, at most %d is", in.Intr, n, maxChainConst)
			return
		}
		a.Size = max(a.Size, backend.AlignUp(int(n)+1, 4))
	}
	switch in.Intr {
	case ir.IntrLoadPrimitiveParamIr3:
		grow(&s.consts.primitive)
	case ir.IntrLoadPrimitiveLocationIr3:
		grow(&s.consts.slots)
	case ir.IntrLoadPrimitiveId:
		if s.sh.Stage == ir.StageFragment {
			s.madeVarying(in, ir.SlotPrimitiveID)
			return
		}
		s.want(abi.PrimitiveID)
	default:
		s.want(chainSysval(in.Intr))
	}
}

// madeVarying notes a flat varying of a fragment shader that the rasteriser makes.
func (s *isel) madeVarying(in *ir.Instr, slot ir.Slot) {
	s.in.slots[slot].mask |= 1
	s.in.slots[slot].interp = ir.InterpFlat
	s.in.fetches = append(s.in.fetches, in)
}

// maxChainConst is the last const of the parameters and of the map of chained stages.
const maxChainConst = 255

// chainSysval is the system value of a intrinsic of the chained stages.
func chainSysval(op ir.Intrinsic) abi.SysvalKind {
	switch op {
	case ir.IntrLoadTessCoordXy:
		return abi.TessCoord
	case ir.IntrLoadRelPatchIdIr3:
		return abi.RelPatchID
	case ir.IntrLoadTcsHeaderIr3:
		return abi.TCSHeader
	case ir.IntrLoadGsHeaderIr3:
		return abi.GSHeader
	}
	return abi.SysvalNone
}

// chainValue selects what scanChain noted; false if in is something else.
func (s *isel) chainValue(in *ir.Instr) bool {
	switch in.Intr {
	case ir.IntrLoadPrimitiveParamIr3:
		s.setComps(&in.Def, opnd{kind: opConst, bits: uint32(s.consts.primitive.Offset) + uint32(in.Get(ir.IdxBase))})
	case ir.IntrLoadPrimitiveLocationIr3:
		s.setComps(&in.Def, opnd{kind: opConst, bits: uint32(s.consts.slots.Offset) + uint32(in.Get(ir.IdxBase))})
	case ir.IntrLoadPrimitiveId:
		if s.sh.Stage != ir.StageFragment {
			s.setComps(&in.Def, s.in.parts[abi.PrimitiveID]...)
		}
	default:
		k := chainSysval(in.Intr)
		if k == abi.SysvalNone {
			return false
		}
		s.setComps(&in.Def, s.in.parts[k]...)
	}
	return true
}

// chainRegs is what a stage whose threads go on from, or on to, others gets in
// fixed registers, in their order.
func chainRegs(stage, next ir.Stage) []abi.SysvalKind {
	switch {
	case stage == ir.StageTessCtrl || next == ir.StageTessCtrl:
		return []abi.SysvalKind{abi.TCSHeader, abi.RelPatchID, abi.PrimitiveID}
	case stage == ir.StageGeometry || next == ir.StageGeometry:
		return []abi.SysvalKind{abi.GSHeader, abi.PrimitiveID}
	}
	return nil
}

// fixChain puts what chained stages share into its registers: r0.x, r0.y, r0.z.
func (s *isel) fixChain(in *mach.Instr) {
	for n, kind := range chainRegs(s.sh.Stage, s.meta.Chain.Next) {
		for k := range s.in.defs {
			if s.in.defs[k].sysval == kind {
				in.Ops[k].Flags |= mach.Fixed
				in.Ops[k].Reg = mach.Reg(2 * n)
			}
		}
	}
}

// handOver ends a stage whose threads the next one takes over.
func (s *isel) handOver() {
	kinds := chainRegs(s.sh.Stage, s.meta.Chain.Next)
	var uses []mach.Value
	var at []mach.Reg
	for n, k := range kinds {
		if v := s.in.sysvals[k]; v != 0 {
			uses, at = append(uses, v), append(at, mach.Reg(2*n))
		}
	}
	in := s.add(isa.Instr{Op: isa.OpChmask}, 0, uses...)
	for n := range uses {
		in.Ops[n].Flags |= mach.Fixed
		in.Ops[n].Reg = at[n]
	}
	s.add(isa.Instr{Op: isa.OpChsh}, 0)
}

// stageOp is the load or store of the memory between stages.
func (s *isel) stageOp(shared, local isa.Op) isa.Op {
	if s.meta.Chain.TessLocal && (s.sh.Stage == ir.StageTessCtrl || s.meta.Chain.Next == ir.StageTessCtrl) {
		return local
	}
	return shared
}

// globalAt sets the address operands of ldg.a or stg.a: a pair of registers
// and a dword offset.
func (s *isel) globalAt(t *isa.Instr, off int, base, at *ir.Def, uses []mach.Value, data func(uses []mach.Value) []mach.Value) []mach.Value {
	o := s.comp(at, 0)
	if s.gpu.Gen == isa.A7xx {
		o = s.alu2(isa.Instr{Op: isa.OpShlB}, false, false, immInt, o, immediate(2, false))
	}
	reg := s.reg(o)
	uses = s.register(t, 0, s.address(base), 0, uses)
	uses = data(uses)
	return s.register(t, off, reg, 0, uses)
}

// loadGlobalAt selects load_global_ir3.
func (s *isel) loadGlobalAt(in *ir.Instr) {
	n := int(in.Def.NumComponents)
	t := isa.Instr{Op: isa.OpLdgA6, Type: memType(in.Def.BitSize), Size: uint16(n)}
	if s.gpu.Gen == isa.A7xx {
		t.Op = isa.OpLdgA7
	}
	uses := s.globalAt(&t, 1, in.Srcs[0].Def, in.Srcs[1].Def, nil, func(u []mach.Value) []mach.Value { return u })
	d := s.f.NewValue(classFull, n)
	s.add(t, d, uses...)
	s.setComps(&in.Def, s.split(d, n)...)
}

// storeGlobalAt selects store_global_ir3.
func (s *isel) storeGlobalAt(in *ir.Instr) {
	val := in.Srcs[0].Def
	n := int(val.NumComponents)
	t := isa.Instr{Op: isa.OpStgA6, Type: memType(val.BitSize), Size: uint16(n)}
	if s.gpu.Gen == isa.A7xx {
		t.Op = isa.OpStgA7
	}
	data := s.data(val, 0, n)
	uses := s.globalAt(&t, 2, in.Srcs[1].Def, in.Srcs[2].Def, nil, func(u []mach.Value) []mach.Value {
		return s.register(&t, 1, data, 0, u)
	})
	s.add(t, 0, uses...)
}

// storeStage selects store_shared_ir3.
func (s *isel) storeStage(in *ir.Instr) {
	val := in.Srcs[0].Def
	n := int(val.NumComponents)
	off, imm := s.byteOffset(in.Srcs[1].Def, uint32(in.Get(ir.IdxBase)))
	t := isa.Instr{Op: s.stageOp(isa.OpStlw, isa.OpStl), Type: memType(val.BitSize), Size: uint16(n), Off: int32(imm)}
	uses := s.register(&t, 0, s.reg(off), 0, nil)
	uses = s.register(&t, 1, s.data(val, 0, n), 0, uses)
	s.add(t, 0, uses...)
}

// vertexFlags leaves the flags of a geometry shader's vertex.
func (s *isel) vertexFlags(in *ir.Instr) {
	s.out.set(s.out.find(outputVar{flags: true}), s.comp(in.Srcs[0].Def, 0), in.Loc)
}
