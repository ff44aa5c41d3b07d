package agx

import (
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// outputRank orders the slots in the record of a vertex: position, user
// varyings, point size, layer and viewport, clip and cull distances (the
// agx.md §9.4).
func outputRank(slot ir.Slot) int {
	switch slot {
	case ir.SlotPos:
		return 0
	case ir.SlotPointSize:
		return 2
	case ir.SlotLayer, ir.SlotViewport:
		return 3
	case ir.SlotClipDist0, ir.SlotClipDist1, ir.SlotCullDist0, ir.SlotCullDist1:
		return 4
	}
	return 1
}

// vertexOutputs stores the outputs to the record, the last one by the final store.
func (s *isel) vertexOutputs(vals []opnd) {
	var slots [ir.NumVaryingSlots][4]opnd
	var locs [ir.NumVaryingSlots]uint32
	for k, v := range s.out.vars {
		slots[v.slot][v.comp], locs[v.slot] = vals[k], s.out.locs[k]
	}
	s.meta.LayerViewportWord = abi.NoWord
	word := 0
	var last *mach.Instr
	store := func(word int, o opnd) {
		t := isa.Instr{Op: isa.OpStVar}
		uses := s.register(&t, 0, s.reg(o), nil)
		t.Srcs[1] = isa.I(word)
		last = s.add(t, 0, uses...)
	}
	for rank := range 5 {
		for slot := range slots {
			vs := &slots[slot]
			if outputRank(ir.Slot(slot)) != rank || rank == 3 {
				continue
			}
			if *vs == ([4]opnd{}) {
				continue
			}
			s.loc = locs[slot]
			first, end := 0, 4
			if rank != 0 {
				for vs[first].kind == opNone {
					first++
				}
			}
			for vs[end-1].kind == opNone {
				end--
			}
			s.meta.Varyings = append(s.meta.Varyings, abi.Varying{Slot: ir.Slot(slot), First: uint8(first), Count: uint8(end - first), Word: word})
			for c := first; c < end; c++ {
				if vs[c].kind != opNone {
					if slot == int(ir.SlotPointSize) {
						vs[c] = s.pointSize(vs[c])
					}
					store(word+c-first, vs[c])
				}
			}
			word += end - first
		}
		if rank == 0 {
			word = abi.UserWord
		}
		if layer, view := slots[ir.SlotLayer][0], slots[ir.SlotViewport][0]; rank == 3 && (layer.kind != opNone || view.kind != opNone) {
			s.meta.LayerViewportWord = word
			store(word, s.layerViewport(layer, view))
			word++
		}
	}
	if word > 255 {
		s.fail(nil, "%d output words of a vertex are not supported", word)
		return
	}
	if last == nil {
		s.add(isa.Instr{Op: isa.OpNoVar, Srcs: [6]isa.Operand{isa.R(0), isa.H(0)}}, 0)
		return
	}
	last.Op = machOp(isa.OpStVarFinal)
	s.code.tmpl[last.Ext].Op = isa.OpStVarFinal
}

// layerViewport packs layer and viewport index into one word.
func (s *isel) layerViewport(layer, view opnd) opnd {
	lo, hi := imm16(0), imm16(0)
	if layer.kind != opNone {
		lo, _ = s.halves(layer)
	}
	if view.kind != opNone {
		hi, _ = s.halves(view)
	}
	return s.join(lo, hi)
}

// The sizes of points that the hardware draws.
const (
	minPointSize = 1
	maxPointSize = 511.95
)

// pointSize keeps a size among those that there are.
func (s *isel) pointSize(o opnd) opnd {
	if faults.has(faultPointSize) {
		return o
	}
	for _, c := range [2]struct {
		op    isa.Cond
		limit float32
	}{{isa.CondFGT, minPointSize}, {isa.CondFLT, maxPointSize}} {
		o = s.once(o)
		o = s.selectBy(cond{op: c.op, flt: true, a: o, b: float32Imm(c.limit)}, false, o, float32Imm(c.limit))
	}
	return o
}
