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

// The preamble computes what is the same for all fibers of a draw once, and
// leaves it in the const file (ir3.md §6.9). It is a function of
// its own: selected first, allocated after the main program, so that the
// registers of inputs are left alone.
//
// It is not formed in the IR by passes.Preamble, as AGX's is, for what it is to have is known at selection alone: which
// loads the const file has already (pushedLoad) and how much room is left in it; which conditions, offsets and constants
// the main program's instructions take as operands, so that computing them in both is free and only a value that is
// read as a whole is worth a place; and that a uniform value which the preamble has for another may stay in the main program too
// (kept and inside are apart). Both programs are selected from the one function, with what is selected of handles and of the const file shared.

// preamble is the plan of it.
type preamble struct {
	flags   []bool // memory of the next four
	uniform []bool // by def index: depends on nothing but consts
	root    []bool // its value goes to the const file
	inside  []bool // computed in the preamble
	kept    []bool // uniform, but computed in the main program (too)
	ifs     analysis.PreambleIfs
	// at is where the next root goes, end bounds the area.
	first, at, end int
	f              *mach.Func
	inputs         *mach.Instr
	queue          []opnd // results that are still to be stored
}

// maxPreambleConsts bounds the results of the preamble, in scalars.
const maxPreambleConsts = 256

// markUniform finds what depends on nothing but consts, and reports whether there is something to compute.
func (s *isel) markUniform() bool {
	p := &s.pre
	n := int(s.impl.NumDefs)
	p.flags = slab.Zeroed(p.flags, 4*n)
	flags := p.flags
	p.uniform, p.root, p.inside, p.kept = flags[:n:n], flags[n:2*n:2*n], flags[2*n:3*n:3*n], flags[3*n:]
	any := false
	for _, b := range s.irBlocks {
		if b == nil {
			continue
		}
		for in := range b.Instrs() {
			if in.HasDef() && s.isUniform(in) {
				p.uniform[in.Def.Index] = true
				any = any || in.Kind == ir.KindALU || in.IsIntrinsic(ir.IntrLoadSsbo) || isLookup(in)
			}
		}
	}
	return any
}

func (s *isel) isUniform(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindLoadConst, ir.KindUndef:
		return true
	case ir.KindALU:
		if in.Def.BitSize > 32 {
			return false
		}
	case ir.KindIntrinsic:
		switch in.Intr {
		case ir.IntrLoadUbo:
			if in.Def.BitSize > 32 {
				return false
			}
		case ir.IntrLoadSsbo:
			if in.Def.BitSize > 32 || in.Def.BitSize < 16 || !readOnlyAccess(in) {
				return false
			}
		case ir.IntrLoadPushConstant, ir.IntrBindlessResourceIr3, ir.IntrLoadNumWorkgroups, ir.IntrLoadBaseWorkgroupId,
			ir.IntrLoadWorkgroupSize, ir.IntrLoadBaseInstance, ir.IntrLoadFirstVertex, ir.IntrLoadBaseVertex, ir.IntrLoadDrawId:
		case ir.IntrGetSsboSize, ir.IntrImageDerefSize, ir.IntrImageDerefSamples:
			return s.uniformLookup(in)
		default:
			return false
		}
	case ir.KindTex:
		return s.uniformLookup(in)
	case ir.KindPhi:
		// What an if chooses by what is the same for all.
		x := analysis.Chooser(in)
		if x == nil || !s.pre.uniform[x.Cond.Def.Index] || in.Def.BitSize > 32 || in.Def.BitSize == 8 || in.Def.NumComponents != 1 {
			return false
		}
	default:
		return false
	}
	for i := range in.Srcs {
		if !s.pre.uniform[in.Srcs[i].Def.Index] {
			return false
		}
	}
	return true
}

// rootable reports whether a uniform instruction saves something when its
// result is a const.
func (s *isel) rootable(in *ir.Instr) bool {
	if in.Def.BitSize != 32 {
		return false
	}
	switch in.Kind {
	case ir.KindALU:
		switch in.Op {
		case ir.OpMov, ir.OpFneg, ir.OpFabs:
			return false
		}
		return !in.IsVec() && in.Def.NumComponents == 1
	case ir.KindTex, ir.KindPhi:
		return true
	case ir.KindIntrinsic:
		return in.Intr == ir.IntrLoadSsbo || isLookup(in) || in.Intr == ir.IntrLoadUbo && !s.pushedLoad(in) || in.Intr == ir.IntrLoadPushConstant && !constSrc(in, 0)
	}
	return false
}

func constSrc(in *ir.Instr, i int) bool {
	_, ok := in.Srcs[i].Def.Const(0)
	return ok
}

// chooseRoots finds what the preamble computes, and returns the number of scalars of the const file that it fills. It walks
// backwards: a root is uniform, and something that stays in the main program reads it.
func (s *isel) chooseRoots() int {
	p := &s.pre
	room := s.consts.preambleRoom()
	size := 0
	s.beginIfs()
	for k := len(s.irBlocks) - 1; k >= 0; k-- {
		b := s.irBlocks[k]
		if b == nil {
			continue
		}
		p.ifs.Enter(b, p.uniform)
		for in := b.Last(); in != nil; in = in.Prev() {
			if !in.HasDef() || !p.uniform[in.Def.Index] {
				continue
			}
			main, pre := false, false
			for u := range in.Def.Uses() {
				switch {
				case u.If != nil:
					main, pre = main || !s.vanishes(u.If), pre || s.chooses(u.If) || p.ifs.Kept(u.If)
				case u.Instr == nil || !u.Instr.HasDef() || !p.uniform[u.Instr.Def.Index]:
					main = true
				default:
					main = main || p.kept[u.Instr.Def.Index]
					pre = pre || p.inside[u.Instr.Def.Index]
				}
			}
			n := int(in.Def.NumComponents)
			if main && s.rootable(in) && size+n <= room && !shiftedOffset(in) {
				p.root[in.Def.Index], pre, main = true, true, false
				size += n
			}
			p.kept[in.Def.Index], p.inside[in.Def.Index] = main, pre
			if pre {
				s.computes(in)
			}
		}
	}
	return size
}

// chooses reports whether the preamble computes what an if chooses.
func (s *isel) chooses(x *ir.If) bool {
	b, ok := ir.Next(x).(*ir.Block)
	if !ok {
		return false
	}
	for in := range b.Phis() {
		if s.pre.inside[in.Def.Index] {
			return true
		}
	}
	return false
}

// vanishes reports whether the main program has nothing left of an if: the preamble computes all that it chooses, and
// what its sides hold is for that alone.
func (s *isel) vanishes(x *ir.If) bool {
	p := &s.pre
	if p.uniform == nil || !p.uniform[x.Cond.Def.Index] {
		return false
	}
	b, ok := ir.Next(x).(*ir.Block)
	if !ok || !s.idle(b, true) {
		return false
	}
	for _, l := range [...]*ir.List{&x.Then, &x.Else} {
		for n := range l.Nodes() {
			switch n := n.(type) {
			case *ir.Block:
				if !s.idle(n, false) {
					return false
				}
			case *ir.If:
				if !s.vanishes(n) {
					return false
				}
			default:
				return false
			}
		}
	}
	return true
}

// idle reports whether the main program computes nothing in a block, or no phi of it.
func (s *isel) idle(b *ir.Block, phis bool) bool {
	p := &s.pre
	for in := range b.Instrs() {
		if phis && in.Kind != ir.KindPhi {
			break
		}
		if in.Kind == ir.KindDeref {
			continue // what accesses by it counts
		}
		if !in.HasDef() || !p.uniform[in.Def.Index] || p.kept[in.Def.Index] && in.Kind != ir.KindLoadConst {
			return false
		}
	}
	return true
}

// choice selects what an if chooses, in the preamble, where all is in one block.
func (s *isel) choice(phi *ir.Instr) {
	x := analysis.Chooser(phi)
	side := func(l *ir.List) opnd { return s.comp(phi.PhiSrc(l.LastBlock()).Def, 0) }
	half := isHalf(&phi.Def)
	cond := s.condition(&x.Cond, half)
	switch {
	case cond.kind == opImm && cond.bits != 0:
		s.setComps(&phi.Def, side(&x.Then))
	case cond.kind == opImm:
		s.setComps(&phi.Def, side(&x.Else))
	default:
		s.setComps(&phi.Def, s.sel(half, cond, side(&x.Then), side(&x.Else)))
	}
}

// shiftedOffset reports whether an instruction shifts left what counts words, and nothing reads it but accesses of
// storage buffers: they take the number of words (elements), so that is what the preamble should have.
func shiftedOffset(in *ir.Instr) bool {
	if !in.IsALU(ir.OpIshl) {
		return false
	}
	if n, ok := in.Srcs[1].Const(0); !ok || n&31 < 2 {
		return false
	}
	for u := range in.Def.Uses() {
		if u.If != nil || u.Instr == nil || !(u.Instr.IsIntrinsic(ir.IntrLoadSsbo) && u == &u.Instr.Srcs[1] || u.Instr.IsIntrinsic(ir.IntrStoreSsbo) && u == &u.Instr.Srcs[2]) {
			return false
		}
	}
	return true
}

// selectPreamble selects the preamble; what it computes are consts from here on.
func (s *isel) selectPreamble() {
	p := &s.pre
	if p.end == p.first {
		s.loadConsts()
		return
	}
	main := s.f
	p.f = mach.NewFunc(main.Name+".preamble", main.ISA)
	p.f.Ext, s.f = main.Ext, p.f
	p.f.NewBlock()
	s.enter(0)
	p.inputs = s.generic(opInputs, nil, nil)
	s.loadConsts()
	s.pre.ifs.Walk(&s.impl.Body, s)
	if s.err != nil {
		return
	}
	s.loc = 0
	s.flushRoots()
	s.add(isa.Instr{Op: isa.OpShpe, Flags: isa.SS | isa.SY}, 0)
	s.f = main
	s.epoch++
	clear(s.wide)
	clear(s.folded)
	s.rootConsts()
}

// appendPreamble lets add put instructions before the last n of the preamble,
// which is made if there is none.
func (s *isel) appendPreamble(n int, add func()) {
	p, main := &s.pre, s.f
	if p.f == nil {
		p.f = mach.NewFunc(main.Name+".preamble", main.ISA)
		p.f.Ext, s.f = main.Ext, p.f
		p.f.NewBlock()
		s.enter(0)
		p.inputs = s.generic(opInputs, nil, nil)
		s.add(isa.Instr{Op: isa.OpShpe, Flags: isa.SS | isa.SY}, 0)
	}
	s.f = p.f
	end := mach.BlockID(len(p.f.Blocks) - 1)
	s.enter(end)
	s.loc = 0
	blk := &p.f.Blocks[end]
	at := len(blk.Instrs) - n
	last := append([]*mach.Instr(nil), blk.Instrs[at:]...)
	blk.Instrs = blk.Instrs[:at]
	add()
	blk.Instrs = append(blk.Instrs, last...)
	s.f = main
	s.epoch++
}

// storeImmediates lets the preamble store the immediates that the program
// wants in the const file, where nobody else puts them there.
func (s *isel) storeImmediates() {
	if !s.gpu.PreambleConsts || len(s.consts.imms) == 0 || s.err != nil {
		return
	}
	// Names of render targets stay last.
	last := 1
	if p := &s.pre; p.f != nil {
		l := p.f.Blocks[len(p.f.Blocks)-1].Instrs
		for last < len(l) && l[len(l)-1-last].Op == machOp(isa.OpAlias) {
			last++
		}
	}
	s.appendPreamble(last, func() {
		s.pre.at = s.consts.immAt
		for _, v := range s.consts.imms {
			s.pre.queue = append(s.pre.queue, immediate(v, false))
		}
		s.flushRoots()
	})
	s.consts.stored = true
}

// storeRoot queues the components of a result for stc. A store would make
// later reads of consts wait, so they come in bunches.
func (s *isel) storeRoot(in *ir.Instr) {
	p := &s.pre
	for c := range int(in.Def.NumComponents) {
		p.queue = append(p.queue, s.comp(&in.Def, c))
	}
	limit := maxQueuedRoots
	if s.gpu.ScalarALU {
		limit = maxQueuedShared
	}
	if len(p.queue) >= limit {
		s.flushRoots()
	}
}

// Results that wait for their store at a time; fewer where shared registers are to hold them.
const (
	maxQueuedRoots  = 48
	maxQueuedShared = 12
)

// flushRoots stores what is queued, up to four consts at a time.
func (s *isel) flushRoots() {
	p := &s.pre
	for len(p.queue) > 0 {
		// The part of the address in a1.x is a multiple of 256.
		n := min(len(p.queue), 4, 256-p.at&255)
		t := isa.Instr{Op: isa.OpStc, Type: isa.U32, Size: uint16(n)}
		data := s.collect(p.queue[:n]...)
		if p.at < 256 {
			t.Dst = isa.Operand{Kind: isa.ConstDst, Val: int32(p.at)}
		} else {
			s.writeA1(uint32(p.at &^ 255))
			t.Dst = isa.Operand{Kind: isa.ConstA1, Val: int32(p.at & 255)}
		}
		uses := s.register(&t, 0, data, 0, nil)
		s.add(t, 0, uses...)
		p.at, p.queue = p.at+n, p.queue[n:]
	}
}

// rootConsts makes the roots consts for the main program.
func (s *isel) rootConsts() {
	p := &s.pre
	at := p.first
	for _, b := range s.irBlocks {
		if b == nil {
			continue
		}
		for in := range b.Instrs() {
			if !in.HasDef() || !p.root[in.Def.Index] {
				continue
			}
			ops := make([]opnd, in.Def.NumComponents)
			for c := range ops {
				ops[c] = opnd{kind: opConst, bits: uint32(at + c)}
			}
			at += len(ops)
			s.setComps(&in.Def, ops...)
		}
	}
}

// isRoot reports whether the preamble has computed the result of in.
func (s *isel) isRoot(in *ir.Instr) bool {
	return s.pre.f != nil && in.HasDef() && s.pre.root[in.Def.Index]
}

// scalarPreamble moves the preamble to shared registers, where all of it can be there.
func (c *compiler) scalarPreamble() error {
	f := c.sel.pre.f
	c.scalar = f != nil && c.gpu.ScalarALU && !c.without.scalarPreamble && scalarizable(f) && !c.sel.exactSums()
	if c.scalar {
		scalarize(f, &c.sel.link)
	}
	return nil
}

// gatherGroups brings members of repeat groups of a preamble together: the
// moves of consts that stand between them go ahead, as a group of their own.
func gatherGroups(f *mach.Func, l *linker) {
	isMove := func(in *mach.Instr) bool {
		return in.Op == machOp(isa.OpMov) && in.NDefs == 1 && len(in.Uses()) == 0
	}
	for b := range f.Blocks {
		f.Blocks[b].Instrs = gatherBlock(f.Blocks[b].Instrs, isMove, l)
	}
}

// gatherBlock gathers the groups of a block.
func gatherBlock(ins []*mach.Instr, isMove func(*mach.Instr) bool, l *linker) []*mach.Instr {
	out := make([]*mach.Instr, 0, len(ins))
	var members []*mach.Instr
	for i := 0; i < len(ins); {
		g := ins[i].Aux
		if ins[i].Op < mach.FirstTargetOp || g == 0 {
			out = append(out, ins[i])
			i++
			continue
		}
		members = append(members[:0], ins[i])
		moves, end := len(out), i+1 // moves go to out, the others wait
		for j := end; j < len(ins) && (ins[j].Aux == g || isMove(ins[j])); j++ {
			if ins[j].Aux == g {
				out = append(out, ins[end:j]...)
				members, end = append(members, ins[j]), j+1
			}
		}
		if n := len(out) - moves; n > 1 && n == len(members)-1 && moves > 0 && isMove(out[moves-1]) && out[moves-1].Aux == 0 {
			moves-- // that of the first member
		}
		if len(out)-moves > 1 {
			l.groups++
			for _, m := range out[moves:] {
				m.Aux = l.groups
			}
		}
		out = append(out, members...)
		i = end
	}
	return out
}

// holdInputs defines values in the registers of the main program's inputs, in
// the file that the preamble works in, and uses them at the end of the preamble.
func (c *compiler) holdInputs(file uint8) {
	p := &c.sel.pre
	f := p.f
	var held []mach.Operand
	for b := range c.sel.f.Blocks {
		for _, in := range c.sel.f.Blocks[b].Instrs {
			if in.Op != opInputs || faults.has(faultHeldInputs) {
				continue
			}
			for _, d := range in.Defs() {
				if d.Flags&mach.Dead != 0 || c.sel.f.File(d.Val) != file {
					continue
				}
				class := c.sel.f.Class(d.Val)
				held = append(held, mach.Operand{Val: f.NewValue(class, c.sel.f.Elems(d.Val)), Reg: d.Reg, Flags: mach.Fixed})
			}
		}
	}
	blk := &f.Blocks[0]
	if len(held) == 0 {
		blk.Instrs = blk.Instrs[1:]
		return
	}
	in := f.NewInstr(opInputs, len(held), 0)
	copy(in.Ops, held)
	blk.Instrs[0] = in
	blk = &f.Blocks[len(f.Blocks)-1]
	last := blk.Instrs[len(blk.Instrs)-1]
	end := f.NewInstr(last.Op, 0, len(held))
	end.Ext, end.Loc = last.Ext, last.Loc
	copy(end.Ops, held)
	blk.Instrs[len(blk.Instrs)-1] = end
}

// describePreamble fills the const area of the preamble in.
func (p *preamble) area() abi.Area {
	if p.f == nil {
		return abi.Area{}
	}
	return abi.Area{Offset: p.first, Size: backend.AlignUp(p.end-p.first, 4)}
}
