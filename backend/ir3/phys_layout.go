package ir3

import (
	"slices"

	"nirc/backend/ir3/isa"
)

// layOut gives blocks their branches and marks where fibers join; it returns
// the instructions in order with branch offsets filled in, and the branch
// stack that the program needs (ir3.md §5.2 and 5.3).
func (p *phys) layOut() (list []pinstr, branchStack int) {
	order := p.kept()
	next := make([]int32, len(p.blocks)) // the block that follows in memory
	for i, b := range order {
		next[b] = -1
		if i+1 < len(order) {
			next[b] = order[i+1]
		}
	}
	for _, b := range order {
		p.terminate(b, next[b])
	}
	branchStack = p.joins(order)
	addr := make([]int32, len(p.blocks))
	n := 0
	for _, b := range order {
		n += len(p.blocks[b].ins)
	}
	m := p.memory()
	m.turnOver()
	list = m.room(n)
	for _, b := range order {
		addr[b] = int32(len(list))
		blk := &p.blocks[b]
		list = appendInLines(list, blk.ins)
		if at := int(addr[b]); blk.jp && len(list) > at && !faults.has(faultJoins) {
			list[at].Flags |= isa.JP
		}
	}
	for i := range list {
		if list[i].to >= 0 {
			list[i].Target = addr[list[i].to] - int32(i)
		}
	}
	return list, branchStack
}

// lineInstrs is the number of instructions of a line of the instruction cache.
const lineInstrs = 16

// appendInLines appends the instructions of a block. An alias.tex group and its texture
// instruction stand in one line of the instruction cache, after nops where they must: the hardware may
// hang on others (ir3.md §7.9).
func appendInLines(list, ins []pinstr) []pinstr {
	start, group := len(list), false
	for _, x := range ins {
		first := isAliasTex(&x.Instr) && !group
		if group = isAliasTex(&x.Instr); first && !faults.has(faultAliasLine) {
			if at, last := len(list), len(list)+int(x.Index)+1; at/lineInstrs != last/lineInstrs {
				list = padNops(list, start, lineInstrs-at%lineInstrs)
			}
		}
		list = append(list, x)
	}
	return list
}

// padNops appends n nops, by parts of a repeated one at the end where that lies after start and
// is none that the device wants whole (ir3.md §5.4).
func padNops(list []pinstr, start, n int) []pinstr {
	last := len(list) - 1
	for range n {
		if last >= start && list[last].Op == isa.OpNop && list[last].Repeat > 0 && list[last].Repeat < predNopRepeat {
			list[last].Repeat--
		}
		list = append(list, pinstr{Instr: isa.Instr{Op: isa.OpNop}, to: -1})
	}
	return list
}

func isAliasTex(in *isa.Instr) bool { return in.Op == isa.OpAlias && in.Scope == 0 }

// thread follows empty blocks that lead forward.
func (p *phys) thread(b int32) int32 {
	for len(p.blocks[b].ins) == 0 && len(p.blocks[b].succs) == 1 && p.blocks[b].succs[0] > b {
		b = p.blocks[b].succs[0]
	}
	return b
}

// kept are the blocks that remain when empty ones are bypassed, in order.
func (p *phys) kept() []int32 {
	live := make([]bool, len(p.blocks))
	work := []int32{p.thread(0)}
	live[work[0]] = true
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for k, s := range p.blocks[b].succs {
			s = p.thread(s)
			p.blocks[b].succs[k] = s
			if !live[s] {
				live[s] = true
				work = append(work, s)
			}
		}
	}
	// The first block in memory is where the program starts: blocks stand in an
	// order in which everything reachable comes after it.
	var order []int32
	for b := range p.blocks {
		if live[b] {
			order = append(order, int32(b))
		}
	}
	return order
}

// terminate writes the branches at the end of block b; next follows it in memory.
func (p *phys) terminate(b, next int32) {
	blk := &p.blocks[b]
	switch n := len(blk.ins); {
	case len(blk.succs) == 1:
		if blk.succs[0] != next {
			blk.ins = append(blk.ins, pinstr{Instr: isa.Instr{Op: isa.OpJump}, to: blk.succs[0]})
		}
	case len(blk.succs) == 2:
		last := &blk.ins[n-1]
		if last.to >= 0 {
			// A macro's branch: it has its target, the other way comes next.
			last.to = blk.succs[1]
			if blk.succs[0] != next {
				blk.ins = append(blk.ins, pinstr{Instr: isa.Instr{Op: isa.OpJump}, loc: last.loc, to: blk.succs[0]})
			}
			return
		}
		then, els := blk.succs[0], blk.succs[1]
		cond := *last
		blk.ins = blk.ins[:n-1]
		if then == els {
			if then != next {
				cond.Instr = isa.Instr{Op: isa.OpJump, Flags: cond.Flags}
				cond.to = then
				blk.ins = append(blk.ins, cond)
			} else if cond.Flags != 0 {
				blk.ins = append(blk.ins, pinstr{Instr: isa.Instr{Op: isa.OpNop, Flags: cond.Flags}, loc: cond.loc, to: -1})
			}
			return
		}
		inverse := cond
		opposite(&inverse.Instr)
		inverse.to, cond.to = els, then
		switch {
		case els == next:
			blk.ins = append(blk.ins, cond)
		case then == next:
			blk.ins = append(blk.ins, inverse)
		case els <= b: // fibers wait where they leave a loop to, and not between the two
			inverse.Flags = 0
			blk.ins = append(blk.ins, cond, inverse)
		default:
			cond.Flags = 0
			blk.ins = append(blk.ins, inverse, cond)
		}
	}
}

// joins marks the blocks where fibers can wait: every target of a forward branch
// or jump that does not simply follow, and the later target of every branch. It returns the
// largest number of such places that are outstanding at a time.
func (p *phys) joins(order []int32) int {
	pos := make([]int32, len(p.blocks))
	for i, b := range order {
		pos[b] = int32(i)
	}
	start := make([]int32, len(order)) // by position of a join: where its first waiter can leave
	for i := range start {
		start[i] = -1
	}
	type loop struct{ head, latch int32 }
	var loops []loop
	mark := func(from, to int32) {
		f, t := pos[from], pos[to]
		if t <= f {
			loops = append(loops, loop{t, f})
			return
		}
		p.blocks[to].jp = true
		if start[t] < 0 || f < start[t] {
			start[t] = f
		}
	}
	for _, b := range order {
		blk := &p.blocks[b]
		for i := max(0, len(blk.ins)-2); i < len(blk.ins); i++ {
			if blk.ins[i].to >= 0 {
				mark(b, blk.ins[i].to)
			}
		}
		if len(blk.succs) == 2 && blk.divergent {
			later := blk.succs[0]
			if pos[blk.succs[1]] > pos[later] {
				later = blk.succs[1]
			}
			if pos[later] > pos[b] {
				mark(b, later)
			}
		}
	}
	// A place after a loop stays outstanding through later iterations.
	for again := true; again; {
		again = false
		for t := range start {
			for _, l := range loops {
				if s := start[t]; s > l.head && s <= l.latch && int32(t) > l.latch {
					start[t], again = l.head, true
				}
			}
		}
	}
	return deepest(start)
}

// deepest is the largest number of intervals [start[i], i) that share a point.
func deepest(start []int32) int {
	change := make([]int, len(start)+1)
	for i, s := range start {
		if s >= 0 {
			change[s]++
			change[i]--
		}
	}
	n, most := 0, 0
	for _, c := range change {
		n += c
		most = max(most, n)
	}
	return most
}

// markUL gives (ul) to the last user of each value of a0.x in its block.
func (p *phys) markUL() {
	for b := range p.blocks {
		ins := p.blocks[b].ins
		last := -1
		for i := range ins {
			in := &ins[i].Instr
			uses := in.Dst.Kind == isa.RelReg
			for _, o := range in.Srcs {
				uses = uses || o.Kind == isa.RelReg || o.Kind == isa.RelConst
			}
			switch {
			case uses:
				last = i
			case in.Op == isa.OpMova && last >= 0:
				ins[last].Flags |= isa.UL
				last = -1
			}
		}
		if last >= 0 {
			ins[last].Flags |= isa.UL
		}
	}
}

// lastFetch is the index of the last varying fetch of a block, -1 if there is none.
func lastFetch(ins []pinstr) int {
	for i := len(ins) - 1; i >= 0; i-- {
		if isFetch(ins[i].Op) {
			return i
		}
	}
	return -1
}

// markEI gives (ei) to the last varying fetch, if all of them are in the first
// block and before any kill; else the storage is released at the program's end. Where only prefetches
// read inputs, a fetch to nowhere ends them.
func (p *phys) markEI(prefetches bool) {
	blk := &p.blocks[p.start[0]]
	ins := blk.ins
	for b := range p.blocks {
		if b != int(p.start[0]) && lastFetch(p.blocks[b].ins) >= 0 {
			return
		}
	}
	if i := lastFetch(ins); i >= 0 {
		for k := range ins[:i] {
			if ins[k].Op == isa.OpKill {
				return
			}
		}
		if faults.has(faultEarlyEnd) {
			i = slices.IndexFunc(ins, func(x pinstr) bool { return isFetch(x.Op) })
		}
		ins[i].Flags |= isa.EI
		return
	}
	if prefetches {
		end := isa.Instr{Op: isa.OpBaryF, Flags: isa.EI, Dst: isa.R(isa.NoReg), Srcs: [4]isa.Operand{isa.I(0), isa.R(0)}}
		blk.ins = append(append(p.memory().room(len(ins)+1), pinstr{Instr: end, to: -1}), ins...)
	}
}
