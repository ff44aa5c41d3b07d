package passes

import (
	"nirc/ir"
	"nirc/passes/analysis"
)

var fromSSAPass = &Pass{
	Name: "from_ssa", Class: "A", Run: implPass(ir.MetaControlFlow, fromSSA), Idempotent: true,
	Instead: "registers: the code generators leave SSA in machine form, where parallel copies are put in sequence (internal/parcopy) once it is known what shares a register; loads of the IR's registers are values, which need no sequence; it stays for targets that take those registers",
	Doc:     "Turns webs of phis into registers. Other values stay SSA.",
}

// fromSSA takes phis out of SSA: each web of phis and what flows into them
// becomes a register. Phis are first isolated by copies at the ends of their
// predecessors and after themselves; values then join the web's register
// where they are never alive at the same time as another member (Boissinot et
// al., "Revisiting Out-of-SSA Translation for Correctness, Code Quality, and
// Efficiency"). Register loads are SSA values again, so that what a parallel
// copy reads is read before anything is written.
func fromSSA(impl *ir.Impl) bool {
	impl.Require(ir.MetaDominance)
	f := &outOfSSA{impl: impl}
	if !f.isolate() {
		return false
	}
	impl.Preserve(ir.MetaControlFlow)
	impl.ReindexDefs()
	impl.Require(ir.MetaDominance | ir.MetaInstrIndex)
	f.live = analysis.RequireLiveness(impl)
	f.sets()
	f.coalesce()
	f.resolve()
	return true
}

type outOfSSA struct {
	impl *ir.Impl
	live *analysis.Liveness
	// phis in source order; copies are the parallel copies at block ends and
	// after phis.
	phis   []*ir.Instr
	copies []*ir.Instr
	set    []*mergeSet // by Def.Index
}

// mergeSet is a set of values that share a register, in dominance order.
type mergeSet struct {
	members   []*ir.Def
	reg       *ir.Def
	divergent bool
}

// isolate puts parallel copies around all phis.
func (f *outOfSSA) isolate() bool {
	s := f.impl.Shader
	var blocks []*ir.Block
	for b := range f.impl.Blocks() {
		if b.First() != nil && b.First().Kind == ir.KindPhi {
			blocks = append(blocks, b)
		}
	}
	for _, b := range blocks {
		var phis []*ir.Instr
		var defs []*ir.Def
		for phi := range b.Phis() {
			phis = append(phis, phi)
			defs = append(defs, &phi.Def)
		}
		f.phis = append(f.phis, phis...)
		// After the phis: d = copy d'.
		pc := s.NewParallelCopy(defs...)
		ir.AfterPhis(b).Insert(pc)
		for i, d := range defs {
			d.RewriteUses(&pc.CopyInfo().Entries[i].Dst)
			pc.Srcs[i].Set(d)
		}
		f.copies = append(f.copies, pc)
	}
	for _, b := range blocks {
		for _, p := range b.Preds {
			f.isolatePred(b, p)
		}
	}
	return len(blocks) > 0
}

// isolatePred puts the copies s' = s at the end of a predecessor.
func (f *outOfSSA) isolatePred(b, p *ir.Block) {
	var srcs []*ir.Src
	var defs []*ir.Def
	for phi := range b.Phis() {
		if src := phi.PhiSrc(p); !src.Def.IsUndef() {
			srcs = append(srcs, src)
			defs = append(defs, src.Def)
		}
	}
	if len(defs) == 0 {
		return
	}
	pc := f.impl.Shader.NewParallelCopy(defs...)
	ir.BeforeJump(p).Insert(pc)
	for i, src := range srcs {
		src.Set(&pc.CopyInfo().Entries[i].Dst)
	}
	f.copies = append(f.copies, pc)
}

// sets makes the set of each phi with its sources, which the copies keep apart.
func (f *outOfSSA) sets() {
	f.set = make([]*mergeSet, f.impl.NumDefs)
	for _, phi := range f.phis {
		m := &mergeSet{members: []*ir.Def{&phi.Def}, divergent: phi.Def.Divergent}
		for i := range phi.Srcs {
			if d := phi.Srcs[i].Def; !d.IsUndef() {
				m.members = append(m.members, d)
			}
		}
		sortByDominance(m.members)
		for _, d := range m.members {
			f.set[d.Index] = m
		}
	}
}

func before(a, b *ir.Def) bool {
	x, y := a.Instr, b.Instr
	if x.Block != y.Block {
		return x.Block.DomPreorder() < y.Block.DomPreorder()
	}
	if x.Index != y.Index {
		return x.Index < y.Index
	}
	return a.Index < b.Index
}

func sortByDominance(d []*ir.Def) {
	for i := 1; i < len(d); i++ {
		for j := i; j > 0 && before(d[j], d[j-1]); j-- {
			d[j], d[j-1] = d[j-1], d[j]
		}
	}
}

// coalesce joins the two ends of each copy entry where it can.
func (f *outOfSSA) coalesce() {
	for _, pc := range f.copies {
		for i := range pc.Srcs {
			src, dst := pc.Srcs[i].Def, &pc.CopyInfo().Entries[i].Dst
			if src.IsUndef() {
				continue
			}
			a, b := f.setOf(src), f.setOf(dst)
			if a == b || !mayShare(src) {
				continue
			}
			if merged := f.merge(a, b); merged != nil {
				for _, d := range merged.members {
					f.set[d.Index] = merged
				}
			}
		}
	}
}

// mayShare reports whether what is copied may have one register with its copy, which has its size: registers for constants would
// keep them from being immediates.
func mayShare(d *ir.Def) bool {
	return !d.IsConst() && d.Instr.Kind != ir.KindDeref && !isRegHandle(d)
}

func isRegHandle(d *ir.Def) bool { return d.Instr.IsIntrinsic(ir.IntrDeclReg) }

func (f *outOfSSA) setOf(d *ir.Def) *mergeSet {
	if f.set[d.Index] == nil {
		f.set[d.Index] = &mergeSet{members: []*ir.Def{d}, divergent: d.Divergent}
	}
	return f.set[d.Index]
}

// merge returns the union of two sets, or nil if members interfere. A walk in
// dominance order keeps the dominating members on a stack; it is enough to
// look at the nearest one, for members below it interfere with it too if they
// interfere at all.
func (f *outOfSSA) merge(a, b *mergeSet) *mergeSet {
	all := make([]*ir.Def, 0, len(a.members)+len(b.members))
	stack := make([]*ir.Def, 0, 16)
	i, j := 0, 0
	for i < len(a.members) || j < len(b.members) {
		var d *ir.Def
		if j == len(b.members) || i < len(a.members) && before(a.members[i], b.members[j]) {
			d = a.members[i]
			i++
		} else {
			d = b.members[j]
			j++
		}
		for len(stack) > 0 && !defDominates(stack[len(stack)-1], d) {
			stack = stack[:len(stack)-1]
		}
		if n := len(stack); n > 0 && f.set[stack[n-1].Index] != f.set[d.Index] && f.live.Interfere(stack[n-1], d) {
			return nil
		}
		stack = append(stack, d)
		all = append(all, d)
	}
	return &mergeSet{members: all, divergent: a.divergent || b.divergent}
}

// defDominates reports whether a is defined at or before b on every path to it;
// values of one instruction are at the same place.
func defDominates(a, b *ir.Def) bool {
	if a.Instr == b.Instr {
		return true
	}
	return a.Dominates(b.Instr)
}

// resolve makes registers of the sets with a phi, replaces definitions and
// uses of their members by stores and loads, and writes out the copies.
func (f *outOfSSA) resolve() {
	for _, phi := range f.phis {
		f.register(f.set[phi.Def.Index])
	}
	for _, pc := range f.copies {
		f.resolveCopy(pc)
	}
	for _, phi := range f.phis {
		for i := range phi.Srcs {
			phi.Srcs[i].Set(nil)
		}
		phi.Remove()
	}
	for _, m := range f.set {
		if m == nil || m.reg == nil {
			continue
		}
		for _, d := range m.members {
			if k := d.Instr.Kind; k != ir.KindPhi && k != ir.KindParallelCopy {
				f.storeMember(d, m)
			} else {
				f.loadUses(d, m, nil)
			}
		}
		m.members = nil
	}
	for _, pc := range f.copies {
		pc.Remove()
	}
}

func (f *outOfSSA) register(m *mergeSet) {
	if m.reg != nil {
		return
	}
	d := m.members[0]
	b := ir.NewBuilder(ir.AtStart(f.impl.Start()))
	m.reg = b.DeclReg(d.NumComponents, d.BitSize, 0)
	m.reg.Instr.Set(ir.IdxDivergent, boolBits(m.divergent))
}

// existing returns the set of d, nil if it has none.
func (f *outOfSSA) existing(d *ir.Def) *mergeSet {
	if int(d.Index) < len(f.set) {
		return f.set[d.Index]
	}
	return nil // made by resolving another copy
}

// resolveCopy turns the entries whose ends differ into loads and stores. Plain
// values that a copy defines become the value read.
func (f *outOfSSA) resolveCopy(pc *ir.Instr) {
	b := ir.NewBuilder(ir.Before(pc))
	type move struct {
		reg, val *ir.Def
	}
	var stores []move
	for i := range pc.Srcs {
		src, dst := pc.Srcs[i].Def, &pc.CopyInfo().Entries[i].Dst
		sm, dm := f.existing(src), f.existing(dst)
		if sm == dm && sm != nil {
			continue
		}
		val := src
		if sm != nil && sm.reg != nil && !src.IsUndef() {
			val = b.LoadReg(sm.reg)
		}
		if dm != nil && dm.reg != nil {
			stores = append(stores, move{dm.reg, val})
			continue
		}
		dst.RewriteUses(val)
	}
	for _, s := range stores {
		b.StoreReg(s.reg, s.val, 0)
	}
	for i := range pc.Srcs {
		pc.Srcs[i].Set(nil)
	}
}

// storeMember stores a member right after its definition and makes its uses
// load it.
func (f *outOfSSA) storeMember(d *ir.Def, m *mergeSet) {
	st := ir.NewBuilder(ir.After(d.Instr)).StoreReg(m.reg, d, 0)
	f.loadUses(d, m, &st.Srcs[0])
}

// loadUses makes all uses of d but one load the register right before.
func (f *outOfSSA) loadUses(d *ir.Def, m *mergeSet, but *ir.Src) {
	for u := range d.Uses() {
		if u == but || u.Def != d {
			continue
		}
		switch {
		case u.If != nil:
			u.Set(ir.NewBuilder(ir.AtEnd(ir.Prev(u.If).(*ir.Block))).LoadReg(m.reg))
		case u.Instr.Kind == ir.KindPhi || u.Instr.Kind == ir.KindParallelCopy:
		default:
			u.Set(ir.NewBuilder(ir.Before(u.Instr)).LoadReg(m.reg))
		}
	}
}
