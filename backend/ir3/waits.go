package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/internal/slab"
)

// syncState is what is under way at a point of the program.
type syncState struct {
	ss, sy unitSet // results
	warSS  unitSet // sources that only (ss) releases
	warAny unitSet // sources that (ss) or (sy) releases
	// Results of the scalar unit, full and half, and what it may still read: (ss)
	// releases them, and it runs in order itself.
	scalar    [2]unitSet
	warScalar unitSet
	barrier   bool // after a barrier: the next instruction waits for everything
	consts    bool // writes to the const file, until (ss)
	copies    bool // the same, until (sy)
}

func (s *syncState) union(t *syncState) bool {
	g := s.ss.union(&t.ss)
	g = s.sy.union(&t.sy) || g
	g = s.warSS.union(&t.warSS) || g
	g = s.warAny.union(&t.warAny) || g
	g = s.scalar[0].union(&t.scalar[0]) || g
	g = s.scalar[1].union(&t.scalar[1]) || g
	g = s.warScalar.union(&t.warScalar) || g
	if t.barrier && !s.barrier {
		s.barrier, g = true, true
	}
	if t.consts && !s.consts {
		s.consts, g = true, true
	}
	if t.copies && !s.copies {
		s.copies, g = true, true
	}
	return g
}

// sync gives instructions their (ss) and (sy) flags
// (ir3.md §4.3 to 4.5), as late as a result is needed. outputs are what end reads, early what is being written when the
// program starts. What is under way to shared registers also arrives where control drops to
// fibers that wait.
func (p *phys) sync(outputs, early []span) {
	m, n := p.memory(), len(p.blocks)
	m.states = slab.Zeroed(m.states, 2*n)
	in, out := m.states[:n], m.states[n:]
	t := &m.touches[0]
	for _, s := range early {
		in[0].sy.add(s)
	}
	in[0].barrier = p.waitFirst
	if n > 1 || len(p.blocks[0].preds)+len(p.blocks[0].physPreds) > 0 {
		p.flow(in, out, outputs)
	}
	m.turnOver()
	for b := range p.blocks {
		blk := &p.blocks[b]
		st := in[b]
		list := m.room(len(blk.ins) + len(blk.ins)/8 + 2)
		for i := range blk.ins {
			x := blk.ins[i]
			var flags isa.Flags
			whole := st.barrier && len(x.alias) > 0 // names cannot wait by (sy), and nops may come to stand before them
			st.step(p.gpu, &x, t, outputs, &flags)
			if whole {
				list = append(list, pinstr{Instr: isa.Instr{Op: isa.OpNop, Flags: flags}, loc: x.loc, to: -1})
				flags = 0
			}
			if flags&isa.SS != 0 && !takesSS(&x.Instr) && len(x.alias) == 0 {
				list = append(list, pinstr{Instr: isa.Instr{Op: isa.OpNop, Flags: isa.SS}, loc: x.loc, to: -1})
				flags &^= isa.SS
			}
			if !faults.has(faultWaits) {
				x.Flags |= flags
			}
			list = append(list, x)
			if waitsAfter(&x.Instr) {
				list = append(list, pinstr{Instr: isa.Instr{Op: isa.OpNop, Flags: isa.SS}, loc: x.loc, to: -1})
			}
		}
		blk.ins = list
	}
}

// flow finds what is under way at the starts and ends of blocks. A block is walked over again only if more is under way at its
// start than before: most shaders have one block, or few loops, and to walk once more over all was a hundredth of their compile.
func (p *phys) flow(in, out []syncState, outputs []span) {
	t := &p.memory().touches[0]
	for first, changed := true, true; changed; first = false {
		changed = false
		for b := range p.blocks {
			blk := &p.blocks[b]
			more := first
			for _, q := range blk.preds {
				more = in[b].union(&out[q]) || more
			}
			for _, q := range blk.physPreds {
				more = in[b].union(&out[q]) || more
			}
			if !more {
				continue
			}
			st := in[b]
			for i := range blk.ins {
				st.step(p.gpu, &blk.ins[i], t, outputs, nil)
			}
			changed = out[b].union(&st) || changed
		}
	}
}

// step moves the state over one instruction and reports the flags that it needs.
func (s *syncState) step(g *GPU, in *pinstr, t *touch, outputs []span, flags *isa.Flags) {
	t.ofAliased(in)
	reads := t.reads
	if in.Op == isa.OpEnd {
		reads = outputs
	}
	ss, sy := s.barrier || in.Flags&isa.SS != 0, s.barrier || in.Flags&isa.SY != 0
	ss = ss || s.consts && readsConst(&in.Instr)
	sy = sy || s.copies && readsConst(&in.Instr)
	scalar := g.isScalar(&in.Instr)
	for _, r := range reads {
		ss = ss || s.ss.meets(r) || s.waitsScalar(r, scalar)
		sy = sy || s.sy.meets(r)
	}
	for _, w := range t.writes {
		ss = ss || s.ss.meets(w) || s.warSS.meets(w) || !scalar && (s.waitsScalar(w, false) || s.warScalar.meets(w))
		sy = sy || s.sy.meets(w) && in.Op != isa.OpSamgp1 // samgp0, which stands before it, writes for other fibers
	}
	for _, w := range t.writes {
		ss = ss || !sy && s.warAny.meets(w)
	}
	s.barrier = false
	if ss {
		s.waitSS()
	}
	if sy {
		s.sy, s.warAny, s.copies = unitSet{}, unitSet{}, false
	}
	if flags != nil {
		if ss {
			*flags |= isa.SS
		}
		if sy {
			*flags |= isa.SY
		}
	}
	if scalar {
		s.startScalar(t)
		return
	}
	s.start(&in.Instr, t)
	if waitsAfter(&in.Instr) {
		s.waitSS()
	}
}

// waitSS is what (ss) does.
func (s *syncState) waitSS() {
	s.ss, s.warSS, s.warAny, s.consts = unitSet{}, unitSet{}, unitSet{}, false
	s.scalar, s.warScalar = [2]unitSet{}, unitSet{}
}

// waitsAfter reports whether (ss)nop must follow an instruction (ir3.md §4.3).
func waitsAfter(in *isa.Instr) bool {
	return in.Op == isa.OpResinfo && in.Dst.Val != isa.NoReg && !faults.has(faultResinfo)
}

// waitsScalar reports whether a read of r must wait for the scalar unit: its own
// instructions only for results of the other size.
func (s *syncState) waitsScalar(r span, scalar bool) bool {
	if r.unit < unitShared {
		return false
	}
	full, half := s.scalar[0].meets(r), s.scalar[1].meets(r)
	switch {
	case !scalar:
		return full || half
	case r.half:
		return full
	}
	return half
}

// startScalar notes what an instruction of the scalar unit leaves under way.
func (s *syncState) startScalar(t *touch) {
	for _, r := range t.reads {
		if r.unit >= unitShared && r.unit <= unitA0 {
			s.warScalar.add(r)
		}
	}
	for _, w := range t.writes {
		size := 0
		if w.half {
			size = 1
		}
		s.scalar[size].add(w)
	}
}

// start notes what the instruction leaves under way. The first half of a fine derivative waits for
// both, as nothing may stand between them; the second is what is waited for.
func (s *syncState) start(in *isa.Instr, t *touch) {
	if in.StartsPair() {
		return
	}
	k := syncOf(in)
	s.consts = s.consts || in.Op == isa.OpStc || in.Op == isa.OpStsc
	s.copies = s.copies || in.Op == isa.OpLdcK
	if k.late {
		for _, r := range t.reads {
			if k.warSS {
				s.warSS.add(r)
			} else {
				s.warAny.add(r)
			}
		}
	}
	for _, w := range t.writes {
		if k.ss || waitsA1(in) {
			s.ss.add(w)
		}
		if k.sy {
			s.sy.add(w)
		}
	}
	if !faults.has(faultBarrierWait) && in.Op.Category() == 7 && in.Op != isa.OpAlias && in.Op != isa.OpLock && in.Op != isa.OpUnlock {
		s.barrier = true
	}
}

func readsConst(in *isa.Instr) bool {
	for _, o := range in.Srcs {
		if o.Kind == isa.Const || o.Kind == isa.RelConst {
			return true
		}
	}
	return false
}
