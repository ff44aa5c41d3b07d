package midgard

import (
	"slices"

	"nirc/backend/midgard/isa"
)

// layout puts the bundles of all blocks in a row, forms their words, and fills in
// branches and tags.
func (p *program) layout() {
	start := make([]*bundle, len(p.blocks)+1) // the first bundle from a block on
	n := 0
	for i := range p.blocks {
		n += len(p.blocks[i].list)
	}
	p.list = slices.Grow(p.list, n)
	for i := range p.blocks {
		p.list = append(p.list, p.blocks[i].list...)
	}
	if len(p.list) == 0 {
		b := newBundle()
		b.units[isa.UnitVMUL] = &inst{op: isa.OpImov, dst: isa.RegPipe0, mask: 1, out: isa.OutKeepLow, imm: true, src: [2]source{{reg: regNone}}}
		p.list = []*bundle{b}
	}
	for i := len(p.blocks) - 1; i >= 0; i-- {
		start[i] = start[i+1]
		if len(p.blocks[i].list) > 0 {
			start[i] = p.blocks[i].list[0]
		}
	}
	at := 0
	for _, b := range p.list {
		b.form(p.gpu)
		b.at = at
		at += b.enc.Quads()
	}
	for i, b := range p.list {
		// As isa.Link does it, which takes bundles in a row: copies of them were the most that this step allocated.
		if b.enc.Next = isa.TagBreak; i+1 < len(p.list) {
			b.enc.Next = p.list[i+1].enc.Tag
		}
		if b.branch != nil {
			p.link(b, start, at)
		}
	}
}

// dropJumps removes jumps to the bundle that follows anyway, and those that a branch jumps over.
func (p *program) dropJumps() {
	p.listed = nil
	p.turnBranches()
	for i := len(p.blocks) - 1; i >= 0; i-- {
		list := p.blocks[i].list
		k := len(list) - 1
		if k < 0 || list[k].branch == nil || list[k].branch.kind != kindBranch {
			continue
		}
		t := list[k].branch.target
		if t <= i {
			continue
		}
		empty := true
		for j := i + 1; j < t; j++ {
			empty = empty && len(p.blocks[j].list) == 0
		}
		if !empty {
			continue
		}
		b := list[k]
		for u := range isa.NumALUUnits {
			if b.cond[u] == b.branch {
				b.cond[u] = nil
				b.size -= unitSize(u)
			}
		}
		b.branch = nil
		b.size -= branchSize
		if b.size == 4 {
			p.blocks[i].list = list[:k]
		}
	}
}

// turnBranches makes branches over a jump jump where that does, under the opposite condition.
func (p *program) turnBranches() {
	entered := make([]bool, len(p.blocks)+1) // by block: a branch leads there
	for i := range p.blocks {
		if br := p.jump(i); br != nil {
			entered[br.target] = true
		}
	}
	for i := 0; i+1 < len(p.blocks); i++ {
		br, over := p.jump(i), p.jump(i+1)
		if br == nil || over == nil || !br.hasCond || over.hasCond || entered[i+1] || br.target <= i+1 || !p.reaches(i+2, br.target) {
			continue
		}
		if list := p.blocks[i+1].list; len(list) == 1 && list[0].size == 4+branchSize {
			br.inv, br.target = !br.inv, over.target
			p.blocks[i+1].list = nil
		}
	}
}

// jump is the branch at the end of block i to another one, nil if there is none.
func (p *program) jump(i int) *inst {
	list := p.blocks[i].list
	if len(list) == 0 {
		return nil
	}
	if br := list[len(list)-1].branch; br != nil && br.kind == kindBranch {
		return br
	}
	return nil
}

// reaches reports whether nothing stands from the start of block i to that of block t.
func (p *program) reaches(i, t int) bool {
	for ; i < t; i++ {
		if len(p.blocks[i].list) > 0 {
			return false
		}
	}
	return i == t
}

// link fills in the branch of a bundle; end is the size of the code.
func (p *program) link(b *bundle, start []*bundle, end int) {
	in := b.branch
	br := &b.enc.Extended
	if in.kind == kindDiscard {
		br.Target, br.Offset = isa.TagInvalid, 2
		return
	}
	if in.kind == kindTileWait {
		br.Target, br.Offset = b.enc.Tag, -int32(b.enc.Quads())
		return
	}
	from := b.at + b.enc.Quads()
	if in.kind == kindWriteout && in.wo.last {
		b.enc.Next = isa.TagBreak
	}
	t := start[in.target]
	if t == nil {
		br.Target, br.Offset = isa.TagBreak, int32(end-from)
		return
	}
	br.Target, br.Offset = t.enc.Tag, int32(t.at-from)
}
