package reduce

import (
	"slices"

	"nirc/frontend/spirv/spv"
)

// spirvDraft is a module between an edit and the module that comes of it:
// finish removes blocks that nothing leads to, brings phis in line with the edges,
// drops remarks about what is gone, and declares undefs for values that are still used.
type spirvDraft struct {
	f      *spirvForm
	insts  []spirvInst // words nil: dropped
	rename map[uint32]uint32
	null   []uint32 // ids that become null constants rather than undefs
	bound  uint32
	undefs map[uint32]uint32 // by type
	extra  []spirvInst       // constants to declare
}

func newSpirvDraft(f *spirvForm) *spirvDraft {
	return &spirvDraft{f: f, insts: slices.Clone(f.insts), rename: map[uint32]uint32{}, bound: f.m.Bound, undefs: map[uint32]uint32{}}
}

func (d *spirvDraft) drop(i int) { d.insts[i].words = nil }

// set puts another instruction in place of one.
func (d *spirvDraft) set(i int, op spv.Op, typ, res uint32, ids ...uint32) {
	d.insts[i] = makeInst(op, typ, res, ids...)
	d.insts[i].body = true
}

// makeInst makes an instruction whose operands are ids.
func makeInst(op spv.Op, typ, res uint32, ids ...uint32) spirvInst {
	in := spirvInst{op: op, typ: typ, res: res, words: []uint32{0}}
	for _, id := range []uint32{typ, res} {
		if id != 0 {
			in.words = append(in.words, id)
		}
	}
	for _, id := range ids {
		in.ids = append(in.ids, uint16(len(in.words)))
		in.words = append(in.words, id)
	}
	in.words[0] = uint32(len(in.words))<<16 | uint32(op)
	return in
}

// branch makes a branch of the terminator i; the merge instruction before it goes.
func (d *spirvDraft) branch(i int, to uint32) {
	if d.insts[i].words == nil || !terminator(d.f.insts[i].op) {
		return
	}
	d.set(i, spv.OpBranch, 0, 0, to)
	if d.f.insts[i-1].op == spv.OpSelectionMerge || d.f.insts[i-1].op == spv.OpLoopMerge && to == d.f.insts[i-1].words[1] {
		d.drop(i - 1)
	}
}

// join drops the branch i and the label after it.
func (d *spirvDraft) join(i int) {
	label := d.f.insts[i+1].res
	d.drop(i)
	d.drop(i + 1)
	for k := i; k >= 0; k-- {
		if d.f.insts[k].op == spv.OpLabel && d.insts[k].words != nil {
			d.rename[label] = d.f.insts[k].res
			return
		}
	}
}

// dropFunction drops a function and the calls of it.
func (d *spirvDraft) dropFunction(i int) {
	for k := range d.f.insts {
		if in := &d.f.insts[k]; in.op == spv.OpFunctionCall && in.words[3] == d.f.insts[i].res {
			d.drop(k)
		}
	}
	for ; d.f.insts[i].op != spv.OpFunctionEnd; i++ {
		d.drop(i)
	}
	d.drop(i)
}

// finish returns the words of the module; ok is false if there is none.
func (d *spirvDraft) finish() (words []uint32, ok bool) {
	d.renameIDs()
	for i := 0; i < len(d.insts); i++ {
		if d.insts[i].op == spv.OpFunction && d.insts[i].words != nil {
			end := i
			for d.insts[end].op != spv.OpFunctionEnd {
				end++
			}
			d.function(i, end)
			i = end
		}
	}
	if !d.ids() {
		return nil, false
	}
	words = append(words, d.f.m.Words[:5]...)
	words[3] = d.bound
	declared := false
	for i := range d.insts {
		if d.insts[i].op == spv.OpFunction && !declared {
			declared = true
			for _, e := range d.extra {
				words = append(words, e.words...)
			}
		}
		words = append(words, d.insts[i].words...)
	}
	return words, true
}

// renameIDs replaces ids by others, chains of them to the end.
func (d *spirvDraft) renameIDs() {
	if len(d.rename) == 0 {
		return
	}
	for i := range d.insts {
		in := &d.insts[i]
		if in.words == nil || in.remark() {
			continue
		}
		cloned := false
		for _, at := range in.ids {
			id, n := in.words[at], 0
			for to, ok := d.rename[id]; ok && n <= len(d.rename); to, ok = d.rename[id] {
				id = to
				n++
			}
			if id != in.words[at] {
				if !cloned {
					in.words, cloned = slices.Clone(in.words), true
				}
				in.words[at] = id
			}
		}
	}
}

// spirvBlock is a block of a function: instructions first to last.
type spirvBlock struct {
	label       uint32
	first, last int
	succs       []uint32
	preds       []uint32
	reached     bool
	merge       bool   // a reached block names it as its merge block
	header      uint32 // and as the continue target of this loop
}

// function drops the blocks of instructions from to end that nothing leads to
// and brings phis in line.
func (d *spirvDraft) function(from, end int) {
	blocks, byLabel := d.blocks(from, end)
	var reach func(id uint32)
	reach = func(id uint32) {
		n, ok := byLabel[id]
		if !ok || blocks[n].reached {
			return
		}
		blocks[n].reached = true
		for _, s := range blocks[n].succs {
			reach(s)
		}
	}
	if len(blocks) > 0 {
		reach(blocks[0].label)
	}
	d.named(blocks, byLabel)
	for i := range blocks {
		b := &blocks[i]
		if b.reached {
			continue
		}
		for k := b.first; k <= b.last; k++ {
			d.drop(k)
		}
		b.succs = nil
		if b.merge || b.header != 0 {
			d.set(b.first, spv.OpLabel, 0, b.label)
			if b.header != 0 {
				d.set(b.last, spv.OpBranch, 0, 0, b.header)
				b.succs = []uint32{b.header}
			} else {
				d.set(b.last, spv.OpUnreachable, 0, 0)
			}
		}
	}
	for i := range blocks {
		for _, s := range blocks[i].succs {
			if n, ok := byLabel[s]; ok && !slices.Contains(blocks[n].preds, blocks[i].label) {
				blocks[n].preds = append(blocks[n].preds, blocks[i].label)
			}
		}
	}
	for i := range blocks {
		if blocks[i].reached {
			d.phis(&blocks[i])
		}
	}
}

// blocks lists a function's blocks.
func (d *spirvDraft) blocks(from, end int) (list []spirvBlock, byLabel map[uint32]int) {
	byLabel = map[uint32]int{}
	for i := from; i < end; i++ {
		in := &d.insts[i]
		if in.words == nil {
			continue
		}
		if in.op == spv.OpLabel {
			byLabel[in.res] = len(list)
			list = append(list, spirvBlock{label: in.res, first: i})
		}
		if len(list) == 0 || !terminator(in.op) {
			continue
		}
		b := &list[len(list)-1]
		b.last = i
		switch in.op {
		case spv.OpBranch, spv.OpSwitch:
			for _, at := range in.ids {
				b.succs = append(b.succs, in.words[at]) // the selector is no label
			}
		case spv.OpBranchConditional:
			b.succs = append(b.succs, in.words[2], in.words[3])
		}
	}
	return list, byLabel
}

// named marks the blocks that merge instructions of reached blocks name.
func (d *spirvDraft) named(blocks []spirvBlock, byLabel map[uint32]int) {
	for i := range blocks {
		b := &blocks[i]
		for k := b.first; b.reached && k < b.last; k++ {
			in := &d.insts[k]
			if in.words == nil || in.op != spv.OpLoopMerge && in.op != spv.OpSelectionMerge {
				continue
			}
			if n, ok := byLabel[in.words[1]]; ok {
				blocks[n].merge = true
			}
			if in.op != spv.OpLoopMerge {
				continue
			}
			if n, ok := byLabel[in.words[2]]; ok {
				blocks[n].header = b.label
			}
		}
	}
}

// phis gives each phi of a block one value for each predecessor.
func (d *spirvDraft) phis(b *spirvBlock) {
	for k := b.first; k <= b.last; k++ {
		in := &d.insts[k]
		if in.op != spv.OpPhi || in.words == nil {
			continue
		}
		var ids []uint32
		for _, p := range b.preds {
			v := uint32(0)
			for a := 3; a+1 < len(in.words); a += 2 {
				if in.words[a+1] == p {
					v = in.words[a]
				}
			}
			if v == 0 {
				v = d.undef(in.typ)
			}
			ids = append(ids, v, p)
		}
		if !slices.Equal(ids, in.words[3:]) {
			d.set(k, spv.OpPhi, in.typ, in.res, ids...)
		}
	}
}

// undef returns the id of an undef of a type.
func (d *spirvDraft) undef(typ uint32) uint32 {
	id, ok := d.undefs[typ]
	if !ok {
		id = d.bound
		d.bound++
		d.undefs[typ] = id
		d.extra = append(d.extra, makeInst(spv.OpUndef, typ, id))
	}
	return id
}

// ids drops remarks about ids that are gone, and declares those that are
// still used. It fails where something other than a value is gone.
func (d *spirvDraft) ids() bool {
	have := make([]bool, d.bound)
	for _, list := range [][]spirvInst{d.insts, d.extra} {
		for i := range list {
			if list[i].words != nil {
				have[list[i].res] = true
			}
		}
	}
	for i := range d.insts {
		if in := &d.insts[i]; in.words != nil && in.remark() {
			d.remark(in, have)
		}
	}
	for i := 0; i < len(d.insts); i++ {
		in := &d.insts[i]
		if in.words == nil {
			continue
		}
		if in.typ != 0 && !have[in.typ] {
			return false
		}
		for _, at := range in.ids {
			id := in.words[at]
			if have[id] {
				continue
			}
			def := d.f.m.Def(spv.ID(id))
			if def == nil || def.ResultType() == 0 || def.Op == spv.OpFunction {
				return false
			}
			op := spv.OpUndef
			if slices.Contains(d.null, id) {
				op = spv.OpConstantNull
			}
			if !have[def.ResultType()] {
				return false
			}
			d.extra = append(d.extra, makeInst(op, uint32(def.ResultType()), id))
			have[id] = true
		}
	}
	return true
}

// remark drops a remark about what is gone; of an interface only the id.
func (d *spirvDraft) remark(in *spirvInst, have []bool) {
	if in.op == spv.OpEntryPoint {
		if !have[in.words[2]] {
			in.words = nil
			return
		}
		var kept []uint32
		for k, w := range in.words {
			if !slices.Contains(in.ids[1:], uint16(k)) || have[w] {
				kept = append(kept, w)
			}
		}
		kept[0] = uint32(len(kept))<<16 | uint32(spv.OpEntryPoint)
		if len(kept) != len(in.words) {
			in.words, in.ids = kept, nil
		}
		return
	}
	for _, at := range in.ids {
		if !have[in.words[at]] {
			in.words = nil
			return
		}
	}
}
