package ir3

import (
	"nirc/backend"
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/internal/slab"
	"nirc/ir"
	"nirc/passes/analysis"
)

// isel selects machine instructions for one function, block by block.
type isel struct {
	sh     *ir.Shader
	impl   *ir.Impl
	gpu    *GPU
	f      *mach.Func
	code   *code
	consts *constFile
	meta   *abi.Meta
	loc    uint32
	err    error

	vals backend.Values[opnd]
	// opnds is memory for what vectors are taken apart into.
	opnds slab.Slab[opnd]
	// wide[d.Index]: a boolean's form in a full register, if it was made.
	wide []mach.Value

	blk      mach.BlockID
	blocks   []mach.BlockID // by IR block index; -1 unreachable
	irBlocks []*ir.Block    // by machine block, nil of those that selection adds
	// join[h] is the block at the end of the loop with header h where its continues meet, or 0.
	join []mach.BlockID
	// apart are the loops that fibers leave in different iterations: first block, and the one after.
	apart    [][2]mach.BlockID
	end      mach.BlockID
	immCache mach.ImmCache
	epoch    uint32
	// vectors are the last vectors of immediates that were made, the next one takes the place of the oldest.
	vectors    [4]madeVector
	nextVector int
	phis       []pendingPhi
	folded     []bool // by def index: an fsat that its source has taken over

	in   inputs
	out  outputs
	pre  preamble
	link linker
	// a1Value is in a1.x if a1Epoch is the block's.
	a1Value, a1Epoch uint32
	// noPush leaves the const file to push constants, parameters and immediates: there is no preamble.
	noPush bool
	// left are loads that were to read the const file and have no place there.
	left []*ir.Instr
	// numbersFibers: the number of a subgroup or of a fiber in it is computed from the local id.
	numbersFibers bool
}

// pendingPhi is a phi whose sources are still to be filled in.
type pendingPhi struct {
	in   *ir.Instr
	comp int
	mach *mach.Instr
}

// fail notes the first error: what is not supported.
func (s *isel) fail(in *ir.Instr, format string, args ...any) {
	backend.Note(&s.err, backend.Refuse(TargetName, s.sh, in, format, args...))
}

// broken notes that the IR is not as the passes leave it.
func (s *isel) broken(in *ir.Instr, format string, args ...any) {
	backend.Note(&s.err, backend.Broken(TargetName, s.sh, in, format, args...))
}

// selectFunc translates the entry point, without a preamble if the plan says so.
func selectFunc(c *compiler) (*isel, error) {
	impl, m := c.impl, c.mem
	impl.Require(ir.MetaBlockIndex | ir.MetaDominance)
	analysis.RequireDivergence(impl)
	plan := &m.vec.none
	if *plan = (vecPlan{}); c.repeat {
		plan = c.groups
	}
	g := c.gpu
	m.code = code{gen: g.Gen, tmpl: m.tmpl[:0]}
	m.consts = constFile{}
	s := &m.sel
	s.empty()
	s.sh, s.impl, s.gpu, s.code, s.meta, s.consts = c.s, impl, g, &m.code, &c.meta, &m.consts
	s.pre.layout = c.opts.job.Layout
	s.noPush, s.link.plan = c.without.preamble, plan
	s.f = mach.NewFunc(c.s.Name, newISA(g.Gen))
	if s.f.Name == "" {
		s.f.Name = "main"
	}
	s.f.Ext = s.code
	n := int(impl.NumDefs)
	s.vals.Reset(n)
	s.wide, s.folded = slab.Zeroed(s.wide, n), slab.Zeroed(s.folded, n)
	s.makeBlocks()
	s.scan()
	if s.err == nil {
		s.selectPreamble()
	}
	// From here on the preamble can store what is not computed in it.
	s.consts.noImms = s.consts.noImms && s.noPush
	s.makeInputs()
	for id := range s.irBlocks {
		if s.irBlocks[id] != nil && s.err == nil {
			s.block(mach.BlockID(id))
		}
	}
	if s.err != nil {
		return nil, s.err
	}
	s.finishPhis()
	s.finishOutputs()
	s.terminators()
	s.storeImmediates()
	return s, s.err
}

// empty forgets all but the memory. It is large: zeroing it where it is takes half of what building an empty one and copying
// it took, which was 1 % of a small shader's compile.
func (s *isel) empty() {
	out := s.out
	out.vals.Reset()
	out.made.empty()
	s.opnds.Reset()
	vals, wide, folded, blocks, irBlocks, join, apart, phis, opnds := s.vals, s.wide, s.folded, s.blocks, s.irBlocks, s.join, s.apart, s.phis, s.opnds
	fetches, fetched, defs, prefetches, plan := s.in.fetches, s.in.fetched, s.in.defs, s.in.prefetches, s.pre.Preamble
	queue, units := s.pre.queue[:0], s.pre.units[:0]
	plan.Forget()
	*s = isel{}
	s.vals, s.wide, s.folded, s.blocks, s.irBlocks, s.join, s.apart, s.phis, s.opnds = vals, wide, folded, blocks, irBlocks[:0], join, apart[:0], phis[:0], opnds
	s.in.fetches, s.in.fetched, s.in.defs, s.in.prefetches = fetches[:0], fetched[:0], defs[:0], prefetches[:0]
	s.out = outputs{vars: out.vars[:0], locs: out.locs[:0], vals: out.vals, words: out.words[:0], made: out.made}
	s.pre.Preamble, s.pre.queue, s.pre.units = plan, queue, units
}

// makeBlocks makes a machine block for each reachable one, in source order,
// and the end block. Loops that are continued from several places get a block at their end
// where all of those meet before they go back, so that fibers join there.
func (s *isel) makeBlocks() {
	s.blocks = slab.Zeroed(s.blocks, int(s.impl.NumBlocks)+1)
	type continued struct{ head, join mach.BlockID }
	var joins []continued
	for b := range s.impl.Blocks() {
		if l, ok := ir.Prev(b).(*ir.Loop); ok {
			head := l.Body.FirstBlock()
			if h := s.blocks[head.Index]; h >= 0 && s.backEdges(head) > 1 {
				joins = append(joins, continued{h, s.addBlock(nil, backend.LoopDepth(head))})
			}
			if h := s.blocks[head.Index]; h >= 0 && l.DivergentBreak {
				s.apart = append(s.apart, [2]mach.BlockID{h, mach.BlockID(len(s.f.Blocks))})
			}
		}
		s.blocks[b.Index] = -1
		if b.Reachable() {
			s.blocks[b.Index] = s.addBlock(b, backend.LoopDepth(b))
		}
	}
	s.end = s.addBlock(nil, 0)
	s.blocks[s.impl.End.Index] = s.end
	s.join = slab.Zeroed(s.join, len(s.f.Blocks))
	for _, j := range joins {
		s.join[j.head] = j.join
		s.f.AddEdge(j.join, j.head)
	}
	for b := range s.impl.Blocks() {
		from := s.blocks[b.Index]
		if from < 0 {
			continue
		}
		for _, t := range b.Succ {
			if t == nil {
				continue
			}
			to := s.blocks[t.Index]
			if to <= from && s.join[to] != 0 {
				to = s.join[to]
			}
			s.f.AddEdge(from, to)
		}
	}
}

// addBlock makes the machine block of b, or one that the source does not have.
func (s *isel) addBlock(b *ir.Block, depth int32) mach.BlockID {
	id := s.f.NewBlock()
	s.irBlocks = append(s.irBlocks, b)
	s.f.Blocks[id].LoopDepth = depth
	return id
}

// backEdges counts the reachable blocks that lead back to a loop header.
func (s *isel) backEdges(head *ir.Block) int {
	n := 0
	for _, p := range head.Preds {
		if p.Reachable() && s.blocks[p.Index] >= s.blocks[head.Index] {
			n++
		}
	}
	return n
}

// setComps gives def its operands, which must be what its size says: what makes
// others of an instruction does not have it in this size.
func (s *isel) setComps(d *ir.Def, ops ...opnd) {
	ok := s.vals.Set(d, ops)
	for i := range ops {
		ok = ok && (ops[i].half == isHalf(d) || d.BitSize == 1)
	}
	if !ok {
		s.fail(d.Instr, "%s with a result of %d x %d bits is not supported", opName(d.Instr), d.NumComponents, d.BitSize)
	}
}

// comp returns component c (a half of a 64-bit component counts as one) of d.
func (s *isel) comp(d *ir.Def, c int) opnd {
	if bits, ok := backend.Literal(d, c); ok {
		return immediate(bits, isHalf(d))
	}
	o, ok := s.vals.At(d, c)
	if !ok {
		s.fail(d.Instr, "%s", backend.Unselected(d))
		return immediate(0, isHalf(d))
	}
	return o
}

// opName is what an instruction does, in a word.
func opName(in *ir.Instr) string {
	switch in.Kind {
	case ir.KindALU:
		return in.Op.String()
	case ir.KindIntrinsic:
		return in.Intr.String()
	case ir.KindTex:
		return in.TexOp.String()
	case ir.KindDeref:
		return "a deref"
	}
	return "a phi"
}

// isHalf reports whether components of d live in half registers.
func isHalf(d *ir.Def) bool { return d.BitSize <= 16 }

// src returns what an ALU source reads.
func (s *isel) src(in *ir.Instr, i int) opnd {
	return s.comp(in.Srcs[i].Def, in.Srcs[i].Swizzle.Lane(0))
}

func (s *isel) block(id mach.BlockID) {
	s.enter(id)
	for in := range s.irBlocks[id].Instrs() {
		if s.isRoot(in) {
			continue
		}
		s.loc = in.Loc
		s.grouped(in)
		if s.err != nil {
			return
		}
	}
	s.out.vals.Leave(s.f, id)
}

// grouped selects in, and links what it became to its repeat group.
func (s *isel) grouped(in *ir.Instr) {
	blk := &s.f.Blocks[s.blk]
	before := len(blk.Instrs)
	s.instr(in)
	if g := s.planned(in); g != 0 && s.err == nil {
		if l := blk.Instrs; len(l) > before && l[len(l)-1].Op >= mach.FirstTargetOp {
			s.link.member(g, l[len(l)-1])
		}
	}
}

// planned is the repeat group that in belongs to, 0 none.
func (s *isel) planned(in *ir.Instr) int32 {
	if !in.HasDef() || int(in.Def.Index) >= len(s.link.plan.group) {
		return 0
	}
	return s.link.plan.group[in.Def.Index]
}

// enter makes id the current block.
func (s *isel) enter(id mach.BlockID) {
	s.blk = id
	s.epoch++
}

func (s *isel) instr(in *ir.Instr) {
	kinds := backend.Kinds[*isel]{ALU: (*isel).alu, Intrinsic: (*isel).intrinsic, Phi: (*isel).phi, Tex: (*isel).tex}
	backend.Note(&s.err, kinds.Select(TargetName, s.sh, s, in))
}

func (s *isel) phi(in *ir.Instr) {
	n := int(in.Def.NumComponents) * backend.Parts(&in.Def)
	ops := make([]opnd, n)
	for c := range ops {
		v := s.newReg(isHalf(&in.Def))
		m := s.f.AppendPhi(s.blk, s.loc, v)
		if !in.Def.Divergent {
			m.Flags = phiUniform
		}
		ops[c] = s.value(v)
		s.phis = append(s.phis, pendingPhi{in, c, m})
	}
	s.setComps(&in.Def, ops...)
}

// finishPhis fills in the sources, whose moves go to the predecessors' ends.
func (s *isel) finishPhis() {
	for _, p := range s.phis {
		blk := s.blocks[p.in.Block.Index]
		for k, pred := range s.f.Blocks[blk].Preds {
			if s.irBlocks[pred] != nil {
				p.mach.Uses()[k].Val = s.phiSrc(p, pred)
				continue
			}
			// The block where continues meet: they are joined there first.
			preds := s.f.Blocks[pred].Preds
			m := s.f.NewInstr(mach.OpPhi, 1, len(preds))
			m.Ops[0].Val = s.f.Clone(p.mach.Ops[0].Val)
			m.Flags = p.mach.Flags
			for j, q := range preds {
				m.Uses()[j].Val = s.phiSrc(p, q)
			}
			s.enter(pred)
			s.push(m)
			p.mach.Uses()[k].Val = m.Ops[0].Val
		}
	}
}

// phiSrc brings what a phi reads from a predecessor into a register at its end.
func (s *isel) phiSrc(p pendingPhi, pred mach.BlockID) mach.Value {
	src := p.in.PhiSrc(s.irBlocks[pred])
	if src == nil {
		s.broken(p.in, "a phi has no source for one of its predecessors")
		return p.mach.Ops[0].Val
	}
	s.enter(pred)
	s.loc = p.in.Loc
	return s.reg(s.comp(src.Def, p.comp))
}

// terminators ends every block in its branch, jump or end.
func (s *isel) terminators() {
	for id := range s.f.Blocks {
		if mach.BlockID(id) == s.end {
			continue
		}
		s.enter(mach.BlockID(id))
		s.loc = 0
		b := s.irBlocks[id]
		if b == nil {
			s.add(isa.Instr{Op: isa.OpJump}, 0)
			continue
		}
		switch i, j := b.FollowingIf(), b.Jump(); {
		case j != nil:
			s.loc = j.Loc
			s.add(isa.Instr{Op: isa.OpJump}, 0)
		case i != nil:
			in := i.Cond.Def.Instr
			s.loc = in.Loc
			if isVote(in) && s.branchesOn(in) {
				s.voteBranch(in)
				continue
			}
			if s.pre.Vanishes(i) {
				s.add(isa.Instr{Op: isa.OpJump}, 0) // either side does
				continue
			}
			br := s.branch(i)
			if !i.Cond.Def.Divergent {
				br.Flags = brUniform
			}
		default:
			s.add(isa.Instr{Op: isa.OpJump}, 0)
		}
	}
}

// predicate makes a predicate of a boolean, at the end of a block; inv says that it is its opposite.
func (s *isel) predicate(d *ir.Def) (p mach.Value, inv bool) {
	for d.Instr.IsALU(ir.OpInot) {
		d, inv = d.Instr.Srcs[0].Def, !inv
	}
	p = s.f.NewValue(classPred, 1)
	in := d.Instr
	if in.Kind == ir.KindALU && d.NumComponents == 1 {
		if t, imm, ok := compareOp(in.Op); ok && in.Srcs[0].Def.BitSize >= 16 && in.Srcs[0].Def.BitSize <= 32 {
			s.alu2To(t, p, imm, s.src(in, 0), s.src(in, 1))
			return p, inv
		}
		if op := bitOp(in.Op); op != 0 && d.BitSize == 1 {
			s.alu2To(isa.Instr{Op: op}, p, immInt, s.src(in, 0), s.src(in, 1))
			return p, inv
		}
	}
	o := s.comp(d, 0)
	if o.kind == opImm {
		o = s.value(s.reg(o))
	}
	s.alu2To(isa.Instr{Op: isa.OpCmpsS, Cond: condNE}, p, immInt, o, immediate(0, o.half))
	return p, inv
}

// bitOp is the instruction of a bitwise operation that can write predicates, 0 of others.
func bitOp(op ir.Op) isa.Op {
	switch op {
	case ir.OpIand:
		return isa.OpAndB
	case ir.OpIor:
		return isa.OpOrB
	case ir.OpIxor:
		return isa.OpXorB
	}
	return 0
}
