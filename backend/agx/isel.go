package agx

import (
	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/internal/slab"
	"nirc/ir"
)

// isel selects machine instructions for one function, block by block.
type isel struct {
	sh   *ir.Shader
	impl *ir.Impl
	gpu  *GPU
	f    *mach.Func
	code *code
	uni  *uniforms
	meta *abi.Meta
	res  *resources
	loc  uint32
	now  *ir.Instr // what is being selected
	err  error

	vals backend.Values[opnd]

	blk        mach.BlockID
	blocks     []mach.BlockID // by IR block index
	irBlocks   []*ir.Block    // by machine block
	endsIn     *ir.Block      // see lastBlock
	immCache   mach.ImmCache
	epoch      uint32
	vectors    [4]sameVector // the last ones that were made of immediates and uniforms alone
	nextVector int
	splits     []splitVector // the vectors that were split, in the order of their elements
	heap       [8]heapLoad   // the last descriptors that were loaded
	nextHeap   int
	phis       []pendingPhi

	nest nesting
	in   inputs
	out  outputs
	// writesImages: the shader stores to an image, which may be another that it loads from too.
	writesImages bool
	// testsFirst: samples are tested before anything else.
	testsFirst bool
	// early: the preamble is being selected.
	early bool
	// lanesMatter: terminated lanes must leave the execution mask.
	lanesMatter bool
	// shuffles: lanes read others by an index in r0h.
	shuffles bool

	// part says which part of a program the shader is, slots which attributes
	// its prolog gives (of vertex parts).
	part      abi.Part
	slots     []ir.Slot
	firstCoef int // of a prolog
	hand      handover

	elems  []element // offsets in the current block
	guards []guard
	bnd    []bound // limits of buffers in the current block
	mem    memState
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

// selectFunc translates the entry point.
func selectFunc(c *compiler, sh *ir.Shader, meta *abi.Meta) (*mach.Func, error) {
	impl := sh.Entry().Impl
	impl.Require(ir.MetaBlockIndex | ir.MetaDominance)
	code := codes.Get().(*code)
	s := &code.sel
	s.sh, s.impl, s.gpu, s.code, s.meta, s.uni, s.res, s.early = sh, impl, c.gpu, code, meta, &c.uni, c.res, sh != c.s
	s.part, s.slots, s.testsFirst, s.firstCoef = c.opts.Part, c.slots, c.testsFirst, c.opts.FirstCoef
	s.f = mach.NewFunc(sh.Name, newISA())
	if s.f.Name == "" {
		s.f.Name = "main"
	}
	s.f.Ext = code
	s.vals.Reset(int(impl.NumDefs))
	s.makeBlocks()
	s.findLanes()
	if s.nest.wrapped = s.wraps(); s.nest.wrapped {
		s.nest.depth = 1
	}
	s.makeInputs()
	if s.early {
		s.storeLimits()
		s.storeLayouts()
	}
	for id := range s.irBlocks {
		if b := s.irBlocks[id]; b != nil && b.Reachable() && s.err == nil {
			s.block(mach.BlockID(id))
		}
	}
	if s.err != nil {
		return nil, s.err
	}
	s.finishPhis()
	s.finishOutputs()
	s.control()
	s.f.SetFileFloor(fileGPR, s.floor())
	return s.f, s.err
}

// empty forgets all but the memory. It is 10 KB: zeroing it once where it is, when a function is released, takes a third of
// what building an empty one and copying it took, twice for each function, 3 % of an empty shader's compile.
func (s *isel) empty() {
	out := s.out
	out.vals.Reset()
	vals, blocks, irBlocks, phis := s.vals, s.blocks, s.irBlocks, s.phis
	elems, bnd, splits := s.elems, s.bnd, s.splits
	clear(elems[:cap(elems)])
	*s = isel{}
	s.vals, s.blocks, s.irBlocks, s.phis = vals, blocks, irBlocks[:0], phis[:0]
	s.elems, s.bnd, s.splits = elems[:0], bnd[:0], splits[:0]
	s.out = outputs{vars: out.vars[:0], locs: out.locs[:0], vals: out.vals}
}

// makeBlocks makes a machine block for each block, in source order, and the
// end block. Unreachable ones only hold what ends their nesting level, and no edge.
func (s *isel) makeBlocks() {
	s.blocks = slab.Zeroed(s.blocks, int(s.impl.NumBlocks)+1)
	for b := range s.impl.Blocks() {
		s.blocks[b.Index] = s.addBlock(b, backend.LoopDepth(b))
	}
	end := s.impl.End
	if s.endsIn = lastBlock(s.impl); s.endsIn != nil {
		s.blocks[end.Index] = s.blocks[s.endsIn.Index]
	} else {
		s.blocks[end.Index] = s.addBlock(end, 0)
	}
	for b := range s.impl.Blocks() {
		if !b.Reachable() || b == s.endsIn {
			continue
		}
		for _, t := range b.Succ {
			if t != nil {
				s.f.AddEdge(s.blocks[b.Index], s.blocks[t.Index])
			}
		}
	}
}

// lastBlock is the block from which alone a function ends, with all lanes that began it; nil if there are several, or
// lanes halt there. What ends the program stands in it: in most shaders that is all there is, and their results are
// computed beside the stores of them.
func lastBlock(impl *ir.Impl) *ir.Block {
	b := impl.Body.LastBlock()
	if len(impl.End.Preds) != 1 || impl.End.Preds[0] != b || !b.Reachable() {
		return nil
	}
	if j := b.Jump(); j != nil && j.Jump != ir.JumpReturn {
		return nil
	}
	return b
}

func (s *isel) addBlock(b *ir.Block, depth int32) mach.BlockID {
	id := s.f.NewBlock()
	s.irBlocks = append(s.irBlocks, b)
	s.f.Blocks[id].LoopDepth = depth
	return id
}

func (s *isel) end() mach.BlockID { return s.blocks[s.impl.End.Index] }

// setComps gives def its operands, which are as many and as large as it says.
func (s *isel) setComps(d *ir.Def, ops ...opnd) {
	ok := s.vals.Set(d, ops)
	for i := range ops {
		ok = ok && (ops[i].size() == 16) == isHalf(d)
	}
	if !ok {
		s.fail(d.Instr, "a result of this size is not supported: %s", ir.PrintInstr(d.Instr))
	}
}

// isHalf reports whether components of d live in 16-bit registers.
func isHalf(d *ir.Def) bool { return d.BitSize <= 16 }

// comp returns component c (a word of a 64-bit component counts as one) of d.
func (s *isel) comp(d *ir.Def, c int) opnd {
	if c >= int(d.NumComponents)*backend.Parts(d) {
		s.wrongSource(d, "is too small")
		return immediate(0, isHalf(d))
	}
	if bits, ok := backend.Literal(d, c); ok {
		return immediate(bits, isHalf(d))
	}
	o, ok := s.vals.At(d, c)
	if !ok {
		s.fail(s.now, "%s", backend.Unselected(d))
		return immediate(0, isHalf(d))
	}
	return o
}

// wrongSource refuses what reads d.
func (s *isel) wrongSource(d *ir.Def, what string) {
	reader := ""
	if s.now != nil {
		reader = ": " + ir.PrintInstr(s.now)
	}
	s.broken(s.now, "%%%d of %d x %d bits %s%s", d.Index, d.NumComponents, d.BitSize, what, reader)
}

// src returns what an ALU source reads.
func (s *isel) src(in *ir.Instr, i int) opnd {
	return s.comp(in.Srcs[i].Def, in.Srcs[i].Swizzle.Lane(0))
}

func (s *isel) block(id mach.BlockID) {
	s.enter(id)
	for in := range s.irBlocks[id].Instrs() {
		s.loc, s.now = in.Loc, in
		s.instr(in)
		if s.err != nil {
			return
		}
	}
	s.out.vals.Leave(s.f, id)
}

// enter makes id the current block.
func (s *isel) enter(id mach.BlockID) {
	s.blk = id
	s.epoch++
	s.bnd, s.elems, s.guards = s.bnd[:0], s.elems[:0], s.guards[:0]
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
			src := p.in.PhiSrc(s.irBlocks[pred])
			if src == nil {
				s.broken(p.in, "a phi has no source for one of its predecessors")
				return
			}
			s.enter(pred)
			s.loc, s.now = p.in.Loc, p.in
			p.mach.Uses()[k].Val = s.reg(s.comp(src.Def, p.comp))
		}
	}
}

// cond is a comparison of two operands.
type cond struct {
	op   isa.Cond // not inverted
	inv  bool
	flt  bool
	a, b opnd
}

// condition returns a boolean as a comparison: its own, if that is where it
// comes from, else that it is not 0.
func (s *isel) condition(src *ir.Def, lane int) cond {
	d, inv := src, false
	for d.Instr.IsALU(ir.OpInot) && d.NumComponents == 1 {
		d, lane, inv = d.Instr.Srcs[0].Def, d.Instr.Srcs[0].Swizzle.Lane(0), !inv
	}
	if in := d.Instr; in.Kind == ir.KindALU && d.NumComponents == 1 {
		if c, ok := s.compare(in); ok {
			c.inv = c.inv != inv
			return c
		}
	}
	return cond{op: isa.CondUEQ, inv: !inv, a: s.comp(d, lane), b: imm16(0)}
}
