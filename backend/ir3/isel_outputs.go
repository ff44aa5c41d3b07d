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

// outputs collects what the shader leaves in registers at its end.
type outputs struct {
	vars []outputVar
	locs []uint32 // place of the last store, by variable
	vals mach.Stores[opnd]
	// alias, by variable: the preamble has named a const or an immediate for it.
	alias []bool
	// words are the immediates and consts that were brought into registers at ends of blocks.
	words []outputWord
	// repeated is the const that was moved last.
	repeated repeatedConst
	// made are the vectors that were made of them at the end; begin is, by what the end reads, where in its vector an output begins.
	made  outputVectors
	begin []int
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
	st, err := backend.NewIOStore(in)
	if err != nil {
		s.fail(in, "%v", err)
		return
	}
	if st.Slot == ir.SlotShadingRate && s.sh.Stage != ir.StageFragment && !s.gpu.PrimitiveRate {
		s.fail(in, "the shading rate of primitives is not supported on %s, needs a740", s.gpu.Name)
		return
	}
	for c := range st.Written {
		k := s.out.find(outputVar{slot: st.Slot, index: st.Index, comp: uint8(st.Comp + c), half: isHalf(st.Value), as: s.widened(in)})
		s.out.set(k, s.comp(st.Value, c), in.Loc)
	}
}

// finishOutputs brings the outputs to the end block, through phis where
// different paths stored different values, and ends the program.
func (s *isel) finishOutputs() {
	s.aliasOutputs()
	vals := s.f.ValueList(len(s.out.vars))
	reader := mach.Reader[mach.Value]{F: s.f, Of: outputReader{s}}
	for k := range s.out.vars {
		if s.out.aliased(k) {
			continue
		}
		s.loc = s.out.locs[k]
		vals[k] = reader.AtStart(k, s.end)
	}
	s.enter(s.end)
	var groups []outputGroup
	for k := range s.out.vars {
		v := s.out.vars[k]
		if s.outputDone(k) {
			continue
		}
		g, ok := s.gatherOutput(k, vals)
		if !ok {
			return
		}
		s.meta.Outputs = append(s.meta.Outputs, abi.Output{Slot: v.slot, Mask: g.mask, Half: v.half, As: v.as, Index: v.index, VertexFlags: v.flags, AliasRT: g.alias, Reg: abi.NoReg})
		if g.n > 0 {
			g.loc = s.out.locs[k]
			groups = append(groups, g)
		}
	}
	uses := s.collectOutputs(groups)
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
	loc         uint32
}

// collectOutputs makes the vectors of outputs: those of one component last, which may be components of others.
func (s *isel) collectOutputs(groups []outputGroup) []mach.Value {
	uses := s.f.ValueList(len(groups))
	s.out.begin = make([]int, len(groups))
	for _, alone := range []bool{false, true} {
		for i := range groups {
			if g := &groups[i]; alone == (g.n == 1) {
				s.loc = g.loc
				uses[i], s.out.begin[i] = s.out.made.collect(s, g.ops, g.n)
			}
		}
	}
	return uses
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

// outputReader is what mach.Reader asks about output variables.
type outputReader struct{ s *isel }

func (r outputReader) Stored(k int, b mach.BlockID) (mach.Value, bool) { return r.s.outputAt(b, k) }

func (r outputReader) Missing(k int, b mach.BlockID) mach.Value {
	r.s.enter(b)
	return r.s.reg(immediate(0, r.s.out.vars[k].half))
}

func (r outputReader) Join(k int) (mach.Value, mach.Value) {
	v := r.s.newReg(r.s.out.vars[k].half)
	return v, v
}

func (r outputReader) Use(_ mach.BlockID, v mach.Value) mach.Value { return v }

// outputAt brings what b stores to output variable k into a register at its end.
func (s *isel) outputAt(b mach.BlockID, k int) (mach.Value, bool) {
	o, ok := s.out.vals.At(b, k)
	if !ok {
		return 0, false
	}
	s.enter(b)
	o = o.fold()
	if o.kind == opImm {
		v := s.reg(o)
		s.out.words = append(s.out.words, outputWord{v, o})
		return v, true
	}
	if o.kind == opConst && o.mods == 0 {
		v := s.outputConst(o)
		s.out.words = append(s.out.words, outputWord{v, o})
		return v, true
	}
	return s.reg(o), true
}

// repeatedConst is a const that was moved for outputs, and the repeat group of the moves.
type repeatedConst struct {
	word  opnd
	group int32
}

// outputConst moves a const to the register of an output. Outputs of the same const that follow each other are a repeat group, for
// a value that stands in one register would have to be copied.
func (s *isel) outputConst(o opnd) mach.Value {
	c := &s.out.repeated
	if c.word != o {
		*c = repeatedConst{word: o, group: s.link.fresh()}
	}
	v, in := s.ownConst(o)
	s.link.member(c.group, in)
	return v
}
