package passes

import (
	"sync"

	"nirc/internal/slab"
	"nirc/ir"
)

// ssaBuilder turns values that are assigned in several places into SSA: each
// value gets phis on the iterated dominance frontier of its assignments, and a
// walk of the dominator tree then names what each place sees. Values are dense
// numbers; the tree must not change meanwhile.
type ssaBuilder struct {
	impl  *ir.Impl
	comps []uint8 // shape of each value
	bits  []uint8
	// defBlocks are the blocks that assign each value, linked through pool.
	defHead []int32
	pool    []blockLink
	// global values are read in a block before it assigns them: only these need phis.
	global []bool

	phis  [][]placedPhi // by block index
	cur   []*ir.Def     // by value: what the walk sees now
	log   []undo
	stamp []int32 // by block index
	undef []*ir.Def
	stack []ssaFrame
}

// ssaFrame is a block of the walk, the next of its children, and how long the log was before it.
type ssaFrame struct {
	b     *ir.Block
	child int
	log   int
}

type blockLink struct {
	block *ir.Block
	next  int32
}

type placedPhi struct {
	value int32
	phi   *ir.Instr
}

type undo struct {
	value int32
	old   *ir.Def
}

// newSSABuilder starts with no values. Its memory is that of one that was released.
func newSSABuilder(impl *ir.Impl) *ssaBuilder {
	impl.Require(ir.MetaDominance)
	s := ssaBuilders.Get().(*ssaBuilder)
	n := int(impl.NumBlocks)
	s.impl, s.stamp = impl, slab.Zeroed(s.stamp, n)
	s.phis = slab.Resized(s.phis, n)
	for i := range s.phis {
		s.phis[i] = s.phis[i][:0]
	}
	return s
}

var ssaBuilders = sync.Pool{New: func() any { return new(ssaBuilder) }}

// release ends the work of the builder.
func (s *ssaBuilder) release() {
	clear(s.pool)
	clear(s.cur)
	clear(s.undef)
	clear(s.stack)
	s.impl = nil
	s.comps, s.bits, s.defHead, s.global = s.comps[:0], s.bits[:0], s.defHead[:0], s.global[:0]
	s.pool, s.cur, s.undef, s.log, s.stack = s.pool[:0], s.cur[:0], s.undef[:0], s.log[:0], s.stack[:0]
	ssaBuilders.Put(s)
}

// newValue adds a value.
func (s *ssaBuilder) newValue(comps, bits uint8) int32 {
	s.comps = append(s.comps, comps)
	s.bits = append(s.bits, bits)
	s.defHead = append(s.defHead, -1)
	s.global = append(s.global, false)
	s.cur = append(s.cur, nil)
	s.undef = append(s.undef, nil)
	return int32(len(s.comps) - 1)
}

// assigned notes that block b assigns v. Blocks come in source order, reads
// and assignments of one block in its order.
func (s *ssaBuilder) assigned(v int32, b *ir.Block) {
	if h := s.defHead[v]; h >= 0 && s.pool[h].block == b {
		return
	}
	s.pool = append(s.pool, blockLink{b, s.defHead[v]})
	s.defHead[v] = int32(len(s.pool) - 1)
}

// read notes that block b reads v.
func (s *ssaBuilder) read(v int32, b *ir.Block) {
	if h := s.defHead[v]; h < 0 || s.pool[h].block != b {
		s.global[v] = true
	}
}

// placePhis puts empty phis where they are needed.
func (s *ssaBuilder) placePhis() {
	var work []*ir.Block
	for v := range s.comps {
		if !s.global[v] {
			continue
		}
		mark := int32(v) + 1
		work = work[:0]
		for h := s.defHead[v]; h >= 0; h = s.pool[h].next {
			work = append(work, s.pool[h].block)
		}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			for _, f := range b.DomFrontier() {
				if f == s.impl.End || s.stamp[f.Index] == mark {
					continue
				}
				s.stamp[f.Index] = mark
				phi := s.impl.Shader.NewPhi(s.comps[v], s.bits[v])
				ir.AtStart(f).Insert(phi)
				s.phis[f.Index] = append(s.phis[f.Index], placedPhi{int32(v), phi})
				work = append(work, f)
			}
		}
	}
}

// get returns what the walk sees of v now; undef before any assignment.
func (s *ssaBuilder) get(v int32) *ir.Def {
	if d := s.cur[v]; d != nil {
		return d
	}
	if s.undef[v] == nil {
		s.undef[v] = undefAtStart(s.impl, s.comps[v], s.bits[v])
	}
	return s.undef[v]
}

// set assigns v during the walk.
func (s *ssaBuilder) set(v int32, d *ir.Def) {
	s.log = append(s.log, undo{v, s.cur[v]})
	s.cur[v] = d
}

// walk visits every block, dominators first, calling f, which reads and
// assigns values by get and set. Unreachable blocks see undefined values.
func (s *ssaBuilder) walk(f func(*ir.Block)) {
	stack := append(s.stack[:0], ssaFrame{b: s.impl.Start()})
	s.enter(s.impl.Start(), f)
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if kids := t.b.DomChildren(); t.child < len(kids) {
			c := kids[t.child]
			t.child++
			stack = append(stack, ssaFrame{b: c, log: len(s.log)})
			if c != s.impl.End {
				s.enter(c, f)
			}
			continue
		}
		s.undoTo(t.log)
		stack = stack[:len(stack)-1]
	}
	s.stack = stack
	for b := range s.impl.Blocks() {
		if !b.Reachable() {
			n := len(s.log)
			s.enter(b, f)
			s.undoTo(n)
		}
	}
}

func (s *ssaBuilder) undoTo(n int) {
	for i := len(s.log) - 1; i >= n; i-- {
		s.cur[s.log[i].value] = s.log[i].old
	}
	s.log = s.log[:n]
}

func (s *ssaBuilder) enter(b *ir.Block, f func(*ir.Block)) {
	for _, p := range s.phis[b.Index] {
		s.set(p.value, &p.phi.Def)
	}
	f(b)
	for _, succ := range b.Succ {
		if succ == nil {
			continue
		}
		for _, p := range s.phis[succ.Index] {
			s.impl.Shader.AddPhiSrc(p.phi, b, phiSrc(b, s.get(p.value)))
		}
	}
}

// phiSrc returns what a phi reads of d after block b: of a deref that it may
// not have (rule D7) a copy.
func phiSrc(b *ir.Block, d *ir.Def) *ir.Def {
	if d.Instr.Kind != ir.KindDeref || d.Instr.DerefInfo().Modes&(ir.ModeShaderIn|ir.ModeShaderOut|ir.ModeUniform) == 0 {
		return d
	}
	return ir.NewBuilder(ir.BeforeJump(b)).Mov(d)
}

// repairSSA gives each use that its definition does not dominate any more a
// value: phis of the definition and undef. Passes that move code across
// control flow call it.
func repairSSA(impl *ir.Impl) (progress bool) {
	impl.Require(ir.MetaDominance)
	var broken []*ir.Def
	for b := range impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			if in.HasDef() && brokenUse(&in.Def) {
				broken = append(broken, &in.Def)
			}
		}
	}
	for _, d := range broken {
		newRepair(impl, d).run()
	}
	return len(broken) > 0
}

// useBlock is where a use reads its value: for a phi source at the end of the
// predecessor.
func useBlock(u *ir.Src) *ir.Block {
	if u.If != nil {
		return ir.Prev(u.If).(*ir.Block)
	}
	if u.Instr.Kind == ir.KindPhi {
		for i := range u.Instr.Srcs {
			if u == &u.Instr.Srcs[i] {
				return u.Instr.PhiInfo().Preds[i]
			}
		}
	}
	return u.Instr.Block
}

func brokenUse(d *ir.Def) bool {
	for u := d.FirstUse(); u != nil; u = u.NextUse() {
		if !d.Instr.Block.Dominates(useBlock(u)) {
			return true
		}
	}
	return false
}

// repair is the repair of one value: a definition, the phis placed for it and
// what each block sees at its end.
type repair struct {
	impl  *ir.Impl
	def   *ir.Def
	phis  map[*ir.Block]*ir.Instr
	order []*ir.Block
	undef *ir.Def
}

func newRepair(impl *ir.Impl, d *ir.Def) *repair {
	return &repair{impl: impl, def: d, phis: map[*ir.Block]*ir.Instr{}}
}

func (r *repair) run() {
	work := []*ir.Block{r.def.Instr.Block}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, f := range b.DomFrontier() {
			if f == r.impl.End || r.phis[f] != nil {
				continue
			}
			r.phis[f] = r.impl.Shader.NewPhi(r.def.NumComponents, r.def.BitSize)
			r.order = append(r.order, f)
			work = append(work, f)
		}
	}
	for u := range r.def.Uses() {
		if b := useBlock(u); !r.def.Instr.Block.Dominates(b) {
			u.Set(r.atEnd(b))
		}
	}
	// Only phis that are used are put into their blocks; making one may use others.
	for again := true; again; {
		again = false
		for _, b := range r.order {
			phi := r.phis[b]
			if phi.Block != nil || phi.Def.Unused() {
				continue
			}
			ir.AtStart(b).Insert(phi)
			for _, p := range b.Preds {
				r.impl.Shader.AddPhiSrc(phi, p, r.atEnd(p))
			}
			again = true
		}
	}
}

// atEnd returns what the value is at the end of b.
func (r *repair) atEnd(b *ir.Block) *ir.Def {
	for ; b != nil; b = b.IDom() {
		if b == r.def.Instr.Block {
			return r.def
		}
		if phi := r.phis[b]; phi != nil {
			return &phi.Def
		}
	}
	if r.undef == nil {
		r.undef = undefAtStart(r.impl, r.def.NumComponents, r.def.BitSize)
	}
	return r.undef
}

// savedPhi is a phi with its sources, while the edges change.
type savedPhi struct {
	phi   *ir.Instr
	preds []*ir.Block
	defs  []*ir.Def
}

func savePhi(phi *ir.Instr) savedPhi {
	s := savedPhi{phi: phi, preds: append([]*ir.Block(nil), phi.PhiInfo().Preds...)}
	for i := range phi.Srcs {
		s.defs = append(s.defs, phi.Srcs[i].Def)
	}
	return s
}

// setPhiSrcs gives phi the sources that f names for the predecessors of its block.
func setPhiSrcs(phi *ir.Instr, f func(pred *ir.Block) *ir.Def) {
	s := phi.Block.Impl().Shader
	for len(phi.Srcs) > 0 {
		phi.RemoveSrc(len(phi.Srcs) - 1)
	}
	for _, p := range phi.Block.Preds {
		d := f(p)
		if d == nil {
			d = undefAtStart(phi.Block.Impl(), phi.Def.NumComponents, phi.Def.BitSize)
		}
		s.AddPhiSrc(phi, p, d)
	}
}

func (s *savedPhi) from(p *ir.Block) *ir.Def {
	for i, q := range s.preds {
		if q == p {
			return s.defs[i]
		}
	}
	return nil
}

// replacePhis makes b's phis what comes from pred.
func replacePhis(b, pred *ir.Block) {
	for phi := range b.Phis() {
		if s := phi.PhiSrc(pred); s != nil {
			phi.Def.RewriteUses(s.Def)
		}
		for i := range phi.Srcs {
			phi.Srcs[i].Set(nil)
		}
		phi.Remove()
	}
}
