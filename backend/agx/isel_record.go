package agx

import (
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/ir"
)

// runsAsCompute reports whether a shader before a stage is no hardware
// stage: the vertices that tessellation control and geometry shaders read stand in memory
// (agx.md §11.6).
func runsAsCompute(stage, next ir.Stage) bool {
	switch stage {
	case ir.StageVertex:
		return next == ir.StageTessCtrl || next == ir.StageGeometry
	case ir.StageTessEval:
		return next == ir.StageGeometry
	}
	return false
}

// recordOutputs stores the outputs of a vertex or tessellation evaluation shader that
// runs as compute to the vertex's record, a store for each slot.
func (s *isel) recordOutputs(vals []opnd) {
	var slots [ir.NumVaryingSlots][4]opnd
	var locs [ir.NumVaryingSlots]uint32
	for k, v := range s.out.vars {
		slots[v.slot][v.comp], locs[v.slot] = vals[k], s.out.locs[k]
	}
	for slot := range slots {
		if slots[slot] != ([4]opnd{}) {
			s.meta.Record = append(s.meta.Record, ir.Slot(slot))
		}
	}
	if len(s.meta.Record) == 0 {
		return
	}
	s.meta.RecordStarts = recordStarts(s.sh, s.meta.Record)
	base := s.take(nil, abi.Uniform{Kind: abi.UniformRecords}, baseHalves)
	record := s.in.gridVertex
	if s.meta.Stage == ir.StageVertex { // the points of all instances are counted on
		record = s.intOp(isa.Instr{Op: isa.OpImadd}, false, s.in.instanceID, s.driver(nil, abi.UniformGridVertices, 0), record)
	}
	for k, slot := range s.meta.Record {
		s.loc = locs[slot]
		// Elements are words, the index counts slots.
		t := isa.Instr{Op: isa.OpDeviceStore, Format: isa.FormatI32, Flags: isa.Unsigned, Shift: 2}
		var comps [4]opnd
		n := 0
		for c, o := range slots[slot] {
			if o.kind != opNone {
				comps[n] = o
				n++
				t.Mask |= 1 << c
			}
		}
		index := s.intOp(isa.Instr{Op: isa.OpImadd}, false, record, imm32(uint32(len(s.meta.Record))), imm32(uint32(k)))
		uses := s.register(&t, 0, s.collect(comps[:n]...), nil)
		uses = s.baseSource(&t, 1, address{uniform: true, number: base}, uses)
		uses = s.index(&t, 2, index, uses)
		s.add(t, 0, uses...)
	}
}
