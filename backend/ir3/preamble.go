package ir3

import (
	"nirc/backend"
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/backend/layout"
	"nirc/backend/mach"
	"nirc/ir"
	"nirc/passes"
)

// The preamble computes what is the same for all fibers of a draw once, and
// leaves it in the const file (ir3.md §6.9). It is a function of
// its own: selected first, allocated after the main program, so that the
// registers of inputs are left alone.
//
// passes.Preamble plans it, as it plans AGX's, when the const file has its ranges of uniform buffers: what these hold is worth no place,
// and the room is what they leave. Both programs are then selected from the one function, for a program
// that does without its preamble, where that or prefetches want too many registers, is selected from the same function again; what is
// selected of handles, and the repeat groups, are of both.

// preamble is the plan of it, and what selection makes of that.
type preamble struct {
	passes.Preamble
	consts *constFile
	layout *layout.Layout
	// at is where the next root goes, end bounds the area; a root is a value that the preamble leaves in the const file.
	first, at, end int
	f              *mach.Func
	inputs         *mach.Instr
	queue          []opnd // results that are still to be stored
	units          []pushedUnit
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
	p.Walk(s)
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
	for queue := p.queue; len(queue) > 0; {
		// The part of the address in a1.x is a multiple of 256.
		n := min(len(queue), 4, 256-p.at&255)
		t := isa.Instr{Op: isa.OpStc, Type: isa.U32, Size: uint16(n)}
		data := s.collect(queue[:n]...)
		if p.at < 256 {
			t.Dst = isa.Operand{Kind: isa.ConstDst, Val: int32(p.at)}
		} else {
			s.writeA1(uint32(p.at &^ 255))
			t.Dst = isa.Operand{Kind: isa.ConstA1, Val: int32(p.at & 255)}
		}
		uses := s.register(&t, 0, data, 0, nil)
		s.add(t, 0, uses...)
		p.at, queue = p.at+n, queue[n:]
	}
	p.queue = p.queue[:0]
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
			if !in.HasDef() || !p.Placed(&in.Def) {
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
	return s.pre.f != nil && in.HasDef() && s.pre.Placed(&in.Def)
}

// scalarPreamble moves the preamble to shared registers, where all of it can be there.
func (c *compiler) scalarPreamble() error {
	f := c.sel.pre.f
	c.scalar = f != nil && c.gpu.ScalarALU && !c.without.scalarPreamble && scalarizable(f) && !c.sel.exactSums() && c.scalarPays(f)
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
		f.Blocks[b].Instrs = gatherBlock(f.InstrList(len(f.Blocks[b].Instrs)), f.Blocks[b].Instrs, isMove, l)
	}
}

// gatherBlock gathers the groups of a block into out, which is empty.
func gatherBlock(out, ins []*mach.Instr, isMove func(*mach.Instr) bool, l *linker) []*mach.Instr {
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
