package irshape

// hSlot is a slot of the CSE table; in is 0 where empty.
type hSlot struct {
	hash, in uint32
}

// passes runs the three passes.
func (s *hShader) passes(x *hScratch) {
	s.copyProp()
	s.cse(x)
	s.dce(x)
}

// copyProp makes the readers of movs read the mov's source: ALU readers through any swizzle, others when the mov
// copies the whole value.
func (s *hShader) copyProp() {
	instrs := s.instrs
	for b := range s.blocks {
		for h := s.blocks[b].first; h != 0; h = instrs[h].next {
			if instrs[h].op == opMov {
				s.propagate(&instrs[h])
			}
		}
	}
}

func (s *hShader) propagate(in *hInstr) {
	instrs, srcs := s.instrs, s.srcs
	from, swizzle := srcs[in.srcFirst].def, srcs[in.srcFirst].swizzle
	comps := instrs[from].comps
	whole := comps == in.comps && swizzle == identityFor(comps)
	for h := in.uses; h != 0; {
		u := &srcs[h]
		next := u.nextUse
		reader := &instrs[u.instr]
		if ops[reader.op].alu {
			u.swizzle = compose(swizzle, u.swizzle, reader.comps)
		} else if !whole {
			h = next
			continue
		}
		s.unuse(u)
		s.use(h, from)
		h = next
	}
}

// cse replaces an instruction by an equal one that dominates it. Blocks stand in preorder of the dominator tree, so
// an entry that does not dominate the block at hand never will again and is overwritten.
func (s *hShader) cse(x *hScratch) {
	size := 16
	for size < 2*len(s.instrs) {
		size *= 2
	}
	if len(x.table) < size {
		x.table = make([]hSlot, size)
	} else {
		clear(x.table)
	}
	table, instrs := x.table, s.instrs
	mask := uint32(len(table) - 1)
	for b := range s.blocks {
		for i := s.blocks[b].first; i != 0; i = instrs[i].next {
			in := &instrs[i]
			if !ops[in.op].cse {
				continue
			}
			h := uint32(s.hash(in))
			at := h & mask
			for table[at].in != 0 && (table[at].hash != h || !s.equal(in, &instrs[table[at].in])) {
				at = (at + 1) & mask
			}
			if old := table[at].in; old != 0 {
				if d := instrs[old].block; uint32(b) >= d && uint32(b) < s.blocks[d].domEnd {
					s.replaceUses(in, old)
					s.remove(in)
					continue
				}
			}
			table[at] = hSlot{h, i}
		}
	}
}

func (s *hShader) hash(in *hInstr) uint64 {
	h := hashHead(in.op, in.bits, in.comps, in.imm)
	srcs := s.sources(in)
	for i := range srcs {
		h = mix(mix(h, uint64(srcs[i].def)), srcs[i].swizzle)
	}
	return h
}

func (s *hShader) equal(a, b *hInstr) bool {
	if a.op != b.op || a.bits != b.bits || a.comps != b.comps || a.imm != b.imm {
		return false
	}
	as, bs := s.sources(a), s.sources(b)
	for i := range as {
		if as[i].def != bs[i].def || as[i].swizzle != bs[i].swizzle {
			return false
		}
	}
	return true
}

// replaceUses moves all uses of in to the head of those of the instruction to.
func (s *hShader) replaceUses(in *hInstr, to uint32) {
	var last uint32
	for u := in.uses; u != 0; u = s.srcs[u].nextUse {
		s.srcs[u].def = to
		last = u
	}
	if last == 0 {
		return
	}
	def := &s.instrs[to]
	s.srcs[last].nextUse = def.uses
	if def.uses != 0 {
		s.srcs[def.uses].prevUse = last
	}
	def.uses, in.uses = in.uses, 0
}

// dce marks what effects need with a worklist and removes the rest.
func (s *hShader) dce(x *hScratch) {
	instrs, work := s.instrs, x.work[:0]
	for b := range s.blocks {
		for h := s.blocks[b].first; h != 0; h = instrs[h].next {
			instrs[h].live = ops[instrs[h].op].root
			if instrs[h].live {
				work = append(work, h)
			}
		}
	}
	for len(work) > 0 {
		in := &instrs[work[len(work)-1]]
		work = work[:len(work)-1]
		srcs := s.sources(in)
		for i := range srcs {
			if d := srcs[i].def; !instrs[d].live {
				instrs[d].live = true
				work = append(work, d)
			}
		}
	}
	x.work = work
	for b := range s.blocks {
		for h := s.blocks[b].first; h != 0; h = instrs[h].next {
			if !instrs[h].live {
				s.remove(&instrs[h])
			}
		}
	}
}
