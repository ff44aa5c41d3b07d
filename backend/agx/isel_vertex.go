package agx

import (
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// What a fixed function reads of a vertex's record, in the order in which the record has it; the
// user's varyings, which only fragment programs read, stand after the position (agx.md §9.4).
const (
	rankPos = iota
	rankUser
	rankPointSize
	rankLayerViewport
	rankClip
	numRanks
)

// outputRank is where a slot stands in the record.
func outputRank(slot ir.Slot) int {
	switch slot {
	case ir.SlotPos:
		return rankPos
	case ir.SlotPointSize:
		return rankPointSize
	case ir.SlotLayer, ir.SlotViewport:
		return rankLayerViewport
	case ir.SlotClipDist0, ir.SlotClipDist1:
		return rankClip
	}
	return rankUser
}

// forFragments reports whether fragment programs read a slot as a varying, beside what fixed
// functions do with it; the layer is in a special register of theirs.
func forFragments(slot ir.Slot) bool {
	switch slot {
	case ir.SlotViewport:
		return !faults.has(faultViewportCopy)
	case ir.SlotClipDist0, ir.SlotClipDist1:
		return !faults.has(faultClipCopy)
	}
	return outputRank(slot) == rankUser
}

// vertexOutputs stores the outputs to the record, the last one by the final store.
func (s *isel) vertexOutputs(vals []opnd) {
	r := vertexRecord{s: s}
	for k, v := range s.out.vars {
		r.slots[v.slot][v.comp], r.locs[v.slot] = vals[k], s.out.locs[k]
	}
	if !r.written(int(ir.SlotPointSize)) && s.drawsPoints() && !faults.has(faultDefaultSize) {
		r.slots[ir.SlotPointSize][0] = float32Imm(minPointSize)
	}
	s.meta.LayerViewportWord = abi.NoWord
	for rank := range numRanks {
		switch rank {
		case rankUser:
			r.word = abi.UserWord
			r.users()
			continue
		case rankLayerViewport:
			r.layerViewport()
			continue
		}
		for slot := range r.slots {
			if outputRank(ir.Slot(slot)) == rank && r.written(slot) {
				v := r.varying(ir.Slot(slot))
				v.Word = r.word
				s.meta.Varyings = append(s.meta.Varyings, v)
				r.output(v, nil)
				r.word += int(v.Count)
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
	if faults.has(faultFinalStore) {
		return
	}
	r.last.Op = machOp(isa.OpStVarFinal)
	s.code.tmpl[r.last.Ext].Op = isa.OpStVarFinal
}

// drawsPoints reports whether the stage's vertices are known to be points.
func (s *isel) drawsPoints() bool {
	switch {
	case s.meta.Tess != nil:
		return s.sh.Info.Tess.PointMode
	case s.sh.Info.Geom.MaxVertices > 0: // what rasterises a geometry shader's vertices
		return s.sh.Info.Geom.OutPrimitive == ir.OutPoints
	}
	return s.sh.Options.Points
}

// vertexRecord is the record of a vertex while it is stored, in the order of outputRank.
type vertexRecord struct {
	s     *isel
	slots [ir.NumVaryingSlots][4]opnd
	locs  [ir.NumVaryingSlots]uint32
	word  int         // the next one
	last  *mach.Instr // the last store
}

func (r *vertexRecord) written(slot int) bool { return r.slots[slot] != ([4]opnd{}) }

// varying describes what is written of a slot: of the position from the first component on, of the
// others from the first that is, all up to the last that is.
func (r *vertexRecord) varying(slot ir.Slot) abi.Varying {
	vs, first, end := &r.slots[slot], 0, 4
	if slot != ir.SlotPos {
		for vs[first].kind == opNone {
			first++
		}
	}
	for vs[end-1].kind == opNone {
		end--
	}
	return abi.Varying{Slot: slot, First: uint8(first), Count: uint8(end - first)}
}

// users stores the user's varyings. The hardware counts those that are interpolated smoothly, then
// the flat ones, then the linear ones, and only the fragment shader says which is which, of each
// output that shares a location too: where there are several, the driver says where each begins.
func (r *vertexRecord) users() {
	m, from := r.s.meta, len(r.s.meta.Varyings)
	starts := outputStarts(r.s.sh)
	for slot := range r.slots {
		if !forFragments(ir.Slot(slot)) || !r.written(slot) {
			continue
		}
		for _, v := range runs(r.varying(ir.Slot(slot)), starts[slot]) {
			v.User, v.Word = true, r.word
			m.Varyings = append(m.Varyings, v)
			r.word += int(v.Count)
		}
	}
	list := m.Varyings[from:]
	for i := range list {
		v := &list[i]
		if len(list) == 1 || faults.has(faultVaryingOrder) {
			r.output(*v, nil)
			continue
		}
		base := r.s.take(nil, abi.Uniform{Kind: abi.UniformVaryingWord, Element: uint32(v.Slot), Offset: 4 * uint32(v.First)}, uniformHalves)
		r.output(*v, &opnd{kind: opUniform, half: true, bits: base})
		v.Word = abi.NoWord
	}
}

// output stores what is written of a slot, from a word of the record or from what base says on.
func (r *vertexRecord) output(v abi.Varying, base *opnd) {
	s, vs := r.s, &r.slots[v.Slot]
	s.loc = r.locs[v.Slot]
	for c := range int(v.Count) {
		o := vs[int(v.First)+c]
		switch {
		case o.kind == opNone:
			continue
		case v.Slot == ir.SlotPointSize:
			o = s.pointSize(o)
		}
		at := imm16(uint32(v.Word + c))
		if base != nil {
			at = s.value(s.reg(s.addSub(true, *base, imm16(uint32(c)), false)))
		}
		r.store(at, o)
	}
}

// layerViewport stores layer and viewport, which share a word.
func (r *vertexRecord) layerViewport() {
	layer, view := r.slots[ir.SlotLayer][0], r.slots[ir.SlotViewport][0]
	if layer.kind == opNone && view.kind == opNone {
		return
	}
	r.s.meta.LayerViewportWord = r.word
	r.store(imm16(uint32(r.word)), r.s.layerViewport(layer, view))
	r.word++
}

// store stores a word of the record.
func (r *vertexRecord) store(word, o opnd) {
	t := isa.Instr{Op: isa.OpStVar}
	uses := r.s.register(&t, 0, r.s.reg(o), nil)
	if t.Srcs[1] = isa.I(int(word.bits)); word.kind == opVal {
		uses = r.s.register(&t, 1, word.val, uses)
	}
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
