package irshape

// pSlot is a slot of the CSE table; in is nil where empty.
type pSlot struct {
	hash uint64
	in   *pInstr
}

// passes runs the three passes.
func (s *pShader) passes(x *pScratch) {
	s.copyProp()
	s.cse(x)
	s.dce(x)
}

// copyProp makes the readers of movs read the mov's source: ALU readers through any swizzle, others when the mov
// copies the whole value.
func (s *pShader) copyProp() {
	for _, b := range s.blocks {
		for in := b.first; in != nil; in = in.next {
			if in.op == opMov {
				in.propagate()
			}
		}
	}
}

func (in *pInstr) propagate() {
	from, swizzle := in.srcs[0].def, in.srcs[0].swizzle
	whole := from.comps == in.def.comps && swizzle == identityFor(from.comps)
	for u := in.def.uses; u != nil; {
		next := u.next
		if ops[u.instr.op].alu {
			u.swizzle = compose(swizzle, u.swizzle, u.instr.def.comps)
		} else if !whole {
			u = next
			continue
		}
		u.unuse()
		u.use(from)
		u = next
	}
}

// cse replaces an instruction by an equal one that dominates it. Blocks stand in preorder of the dominator tree, so
// an entry that does not dominate the block at hand never will again and is overwritten.
func (s *pShader) cse(x *pScratch) {
	size := 16
	for size < 2*s.made {
		size *= 2
	}
	if len(x.table) < size {
		x.table = make([]pSlot, size)
	} else {
		clear(x.table)
	}
	mask := uint64(len(x.table) - 1)
	for _, b := range s.blocks {
		for in := b.first; in != nil; in = in.next {
			if !ops[in.op].cse {
				continue
			}
			h := in.hash()
			at := h & mask
			for x.table[at].in != nil && (x.table[at].hash != h || !in.equal(x.table[at].in)) {
				at = (at + 1) & mask
			}
			old := x.table[at].in
			if old != nil && b.index >= old.block.index && b.index < old.block.domEnd {
				in.replaceUses(old)
				in.remove()
				continue
			}
			x.table[at] = pSlot{h, in}
		}
	}
}

func (in *pInstr) hash() uint64 {
	h := hashHead(in.op, in.def.bits, in.def.comps, in.imm)
	for i := range in.srcs {
		h = mix(mix(h, uint64(in.srcs[i].def.index)), in.srcs[i].swizzle)
	}
	return h
}

func (in *pInstr) equal(o *pInstr) bool {
	if in.op != o.op || in.def.bits != o.def.bits || in.def.comps != o.def.comps || in.imm != o.imm {
		return false
	}
	for i := range in.srcs {
		if in.srcs[i].def != o.srcs[i].def || in.srcs[i].swizzle != o.srcs[i].swizzle {
			return false
		}
	}
	return true
}

// replaceUses moves all uses of in to the head of those of to.
func (in *pInstr) replaceUses(to *pInstr) {
	var last *pSrc
	for u := in.def.uses; u != nil; u = u.next {
		u.def = &to.def
		last = u
	}
	if last == nil {
		return
	}
	last.next = to.def.uses
	if last.next != nil {
		last.next.prev = last
	}
	to.def.uses, in.def.uses = in.def.uses, nil
}

// dce marks what effects need with a worklist and removes the rest.
func (s *pShader) dce(x *pScratch) {
	work := x.work[:0]
	for _, b := range s.blocks {
		for in := b.first; in != nil; in = in.next {
			in.live = ops[in.op].root
			if in.live {
				work = append(work, in)
			}
		}
	}
	for len(work) > 0 {
		in := work[len(work)-1]
		work = work[:len(work)-1]
		for i := range in.srcs {
			if d := in.srcs[i].def.parent; !d.live {
				d.live = true
				work = append(work, d)
			}
		}
	}
	x.work = work
	for _, b := range s.blocks {
		for in := b.first; in != nil; in = in.next {
			if !in.live {
				in.remove()
			}
		}
	}
}
