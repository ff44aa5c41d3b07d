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
	r := vertexRecord{s: s}
	for k, v := range s.out.vars {
		r.slots[v.slot][v.comp], r.locs[v.slot] = vals[k], s.out.locs[k]
	}
	s.meta.LayerViewportWord = abi.NoWord
	for rank := range 5 {
		switch rank {
		case 3:
			r.layerViewport()
			continue
		case 1:
			r.word = abi.UserWord
		}
		for slot := range r.slots {
			if outputRank(ir.Slot(slot)) == rank && r.slots[slot] != ([4]opnd{}) {
				r.output(ir.Slot(slot))
			}
		}
	}
	if r.word > 255 {
		s.fail(nil, "%d output words of a vertex are not supported", r.word)
		return
	}
	if r.last == nil {
		s.add(isa.Instr{Op: isa.OpNoVar, Srcs: [6]isa.Operand{isa.R(0), isa.H(0)}}, 0)
		return
	}
	r.last.Op = machOp(isa.OpStVarFinal)
	s.code.tmpl[r.last.Ext].Op = isa.OpStVarFinal
}

// vertexRecord is the record of a vertex while it is stored, in the order of outputRank.
type vertexRecord struct {
	s     *isel
	slots [ir.NumVaryingSlots][4]opnd
	locs  [ir.NumVaryingSlots]uint32
	word  int         // the next one
	last  *mach.Instr // the last store
}

// output stores a slot: the position from its first component on, the others from the first that
// is written on, all up to the last that is.
func (r *vertexRecord) output(slot ir.Slot) {
	s, vs := r.s, &r.slots[slot]
	s.loc = r.locs[slot]
	first, end := 0, 4
	if slot != ir.SlotPos {
		for vs[first].kind == opNone {
			first++
		}
	}
	for vs[end-1].kind == opNone {
		end--
	}
	s.meta.Varyings = append(s.meta.Varyings, abi.Varying{Slot: slot, First: uint8(first), Count: uint8(end - first), Word: r.word})
	for c := first; c < end; c++ {
		if vs[c].kind == opNone {
			continue
		}
		if slot == ir.SlotPointSize {
			vs[c] = s.pointSize(vs[c])
		}
		r.store(r.word+c-first, vs[c])
	}
	r.word += end - first
}

// layerViewport stores layer and viewport, which share a word.
func (r *vertexRecord) layerViewport() {
	layer, view := r.slots[ir.SlotLayer][0], r.slots[ir.SlotViewport][0]
	if layer.kind == opNone && view.kind == opNone {
		return
	}
	r.s.meta.LayerViewportWord = r.word
	r.store(r.word, r.s.layerViewport(layer, view))
	r.word++
}

func (r *vertexRecord) store(word int, o opnd) {
	t := isa.Instr{Op: isa.OpStVar}
	uses := r.s.register(&t, 0, r.s.reg(o), nil)
	t.Srcs[1] = isa.I(word)
	r.last = r.s.add(t, 0, uses...)
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
