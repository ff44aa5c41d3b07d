package midgard

import "nirc/backend/midgard/isa"

// pipeRegisters gives the values that live in one bundle only a pipeline register
// (rule 3 of midgard.md §8.1): made in stage 1, read in stage 2, and nowhere else.
func (p *program) pipeRegisters(f *function) {
	p.listBundles(f)
	l := f.liveness()
	for i := range p.blocks {
		live := l.at(i)
		list, ins := p.blocks[i].list, f.blocks[i].list
		for k := len(list) - 1; k >= 0; k-- {
			b := list[k]
			if b.alu() && (b.branch == nil || b.branch.kind != kindWriteout) {
				b.pipeRegisters(live)
			}
			for range b.count() {
				live.step(ins[len(ins)-1])
				ins = ins[:len(ins)-1]
			}
		}
	}
}

// pipeRegisters is that of one bundle; live is what is live after it.
func (b *bundle) pipeRegisters(live compSet) {
	free := reg(isa.RegPipe0)
	for _, u := range pipeOrder() {
		w := b.units[u]
		if w == nil || free > isa.RegPipe1 || !w.dst.virtual() && w.dst >= 16 || w.half != partFull || live.get(w.dst)&w.mask != 0 {
			continue
		}
		var readers [8]*source
		if n := b.pipeReaders(w, &readers); n > 0 {
			for _, s := range readers[:n] {
				s.reg = free
			}
			w.dst = free
			free++
		}
	}
}

// pipeOrder is the units of stage 1 in the order in which they take pipeline registers: r25 is SADD's beside VMUL's r24
// (midgard.md §8.1).
func pipeOrder() []isa.Unit {
	if faults.has(faultPipeOrder) {
		return tryOne
	}
	return []isa.Unit{isa.UnitVMUL, isa.UnitSADD}
}

// pipeReaders collects the sources that read the result of w in stage 2; 0 if
// something else in the bundle needs it, or needs more than it.
func (b *bundle) pipeReaders(w *inst, readers *[8]*source) int {
	n, ok := 0, true
	reads := func(s *source, lanes uint8) bool { return s.reg == w.dst && s.components(lanes)&w.mask != 0 }
	for u := range isa.NumALUUnits {
		if c := b.cond[u]; c != nil {
			c.conditionMove().eachSource(func(s *source, lanes uint8) { ok = ok && !(u.Stage() == 2 && reads(s, lanes)) })
		}
		in := b.units[u]
		if in == nil || u.Stage() == 1 {
			continue
		}
		ok = ok && (in.dst != w.dst || in.half == partFull)
		for i := range in.src {
			s := &in.src[i]
			if !in.usesSource(i) || !reads(s, in.lanesRead(i)) {
				continue
			}
			ok = ok && s.half == partFull && s.components(in.lanesRead(i))&^w.mask == 0 && n < len(readers)
			if ok {
				readers[n] = s
				n++
			}
		}
	}
	if !ok {
		return 0
	}
	return n
}
