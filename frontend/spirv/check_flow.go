package spirv

import (
	"slices"

	"nirc/frontend/spirv/spv"
	"nirc/internal/slab"
	"nirc/ir"
)

// Rules of the SPIR-V specification (1.6 revision 2) and of Vulkan's environment for it
// that a module must keep for its translation to mean anything. A message about one that
// is broken ends with it.
const (
	ruleDominance = "SPIR-V 2.16.1: a definition dominates its uses"
	rulePhi       = "SPIR-V 3.52, OpPhi: one value of the result type for each parent of the block"
	ruleMerge     = "SPIR-V 2.16.2: a merge instruction stands directly before the branch"
	ruleMergeOnce = "SPIR-V 2.16.2: a merge block belongs to one header"
	ruleBackEdge  = "SPIR-V 2.16.2: a loop header has one back edge"
	ruleVariables = "SPIR-V 2.16.1: a function's variables stand first in its first block"
	ruleReturn    = "SPIR-V 3.52, OpReturn: the function's result type is void"
	ruleTypes     = "SPIR-V 2.16.1: operands have the types that the instruction names"
)

// broken fails for a rule that the module breaks.
func (t *translator) broken(rule string, id uint32, format string, args ...any) {
	err := t.errorf(id, format, args...)
	err.Msg += " [" + rule + "]"
	panic(bail{err})
}

// parents are the blocks that branch to each block of a function, each once: those of block
// b are list[start[b]:start[b+1]]. The other slices mark blocks by serial numbers.
type parents struct {
	start, list  []int32
	parent, seen []int32
	serial       int32
	made         bool
}

// findParents fills the function's parents; those of unreachable blocks count as well.
func (t *translator) findParents() {
	p, blocks := &t.parents, t.f.blocks
	if p.made {
		return
	}
	n := len(blocks)
	p.start = slab.Zeroed(p.start, n+2)
	p.parent, p.seen = slab.Zeroed(p.parent, n), slab.Zeroed(p.seen, n)
	p.serial = 0
	each := func(f func(from, to int32)) {
		for b := range blocks {
			p.serial++
			t.successors(&blocks[b], func(s int32) {
				if p.seen[s] != p.serial {
					p.seen[s] = p.serial
					f(int32(b), s)
				}
			})
		}
	}
	total := int32(0)
	each(func(_, to int32) { p.start[to+2]++; total++ })
	for b := 2; b <= n+1; b++ {
		p.start[b] += p.start[b-1]
	}
	p.list = slab.Zeroed(p.list, int(total))
	each(func(from, to int32) {
		p.list[p.start[to+1]] = from
		p.start[to+1]++
	})
	p.made = true // not before: a terminator that names no block ends all of this
}

// of are the parents of block b.
func (p *parents) of(b int32) []int32 { return p.list[p.start[b]:p.start[b+1]] }

// markParents marks the parents of block b for checkPhi.
func (t *translator) markParents(b int32) {
	t.findParents()
	p := &t.parents
	p.serial++
	for _, k := range p.of(b) {
		p.parent[k] = p.serial
	}
}

// checkPhi checks that an OpPhi of block b, whose parents are marked, has one value of its type for each.
func (t *translator) checkPhi(b int32, in *spv.Instruction, ty *typ) {
	p := &t.parents
	id, a := uint32(in.Result()), in.Args()
	mark := p.parent
	block := p.serial
	list := p.of(b)
	if n := len(a) / 2; n != len(list) || n == 0 {
		t.broken(rulePhi, id, "OpPhi has %d values, its block %%%d has %d parents", n, t.f.blocks[b].label, len(list))
	}
	phi := int32(len(t.f.phis)) + 1
	for k := 0; k+1 < len(a); k += 2 {
		from := t.blockOf(a[k+1])
		if mark[from] != block {
			t.broken(rulePhi, id, "OpPhi names %%%d, which is no parent of its block %%%d", a[k+1], t.f.blocks[b].label)
		}
		if p.seen[from] == -phi {
			t.broken(rulePhi, id, "OpPhi names the parent %%%d twice", a[k+1])
		}
		p.seen[from] = -phi
		def := &t.m.Insts[t.index(a[k])]
		if rt := def.ResultType(); rt == 0 || rt != in.ResultType() && !t.typeOf(uint32(rt)).sameShape(ty) {
			t.broken(rulePhi, id, "OpPhi of type %s takes %%%d, which is not of that type", ty, a[k])
		}
	}
}

// checkMerges checks that no two headers have the same merge block.
func (t *translator) checkMerges() {
	f := t.f
	p := &t.parents
	p.seen = slab.Zeroed(p.seen, len(f.blocks))
	for i := range f.blocks {
		b := &f.blocks[i]
		if b.kind == mergeNone {
			continue
		}
		t.word = int(t.m.Insts[b.term].Offset)
		if b.merge == int32(i) {
			t.broken(ruleMergeOnce, b.label, "the block is its own merge block")
		}
		if other := p.seen[b.merge]; other != 0 {
			t.broken(ruleMergeOnce, b.label, "the merge block %%%d is that of header %%%d already", f.blocks[b.merge].label, f.blocks[other-1].label)
		}
		p.seen[b.merge] = int32(i + 1)
	}
}

// checkLoop checks that a loop header, which control reaches, is also branched back to.
func (t *translator) checkLoop(b int32) {
	t.findParents()
	if len(t.parents.of(b)) < 2 {
		t.broken(ruleBackEdge, t.f.blocks[b].label, "no block branches back to the loop header")
	}
}

// checkDominance checks all uses in the function's blocks. It is asked only when
// a use was met that its definition does not dominate in the tree, which the tree of a valid
// module may have as well: see repair.
func (t *translator) checkDominance() {
	f := t.f
	t.dominators()
	in, out := t.dominatorNumbers()
	dominates := func(a, b int32) bool { return f.idom[a] >= 0 && in[a] <= in[b] && out[b] <= out[a] }
	var ops []spv.Operand
	for k := range f.blocks {
		blk := &f.blocks[k]
		if f.idom[k] < 0 {
			continue
		}
		for i := blk.first; i <= blk.term; i++ {
			inst := &t.m.Insts[i]
			if inst.Op == spv.OpExtInst && t.extSets[max(t.m.DefIndex(inst.IDArg(0)), 0)] != spv.ExtSetGLSLstd450 {
				continue
			}
			t.word = int(inst.Offset)
			var err error
			if ops, err = t.m.Decode(ops[:0], inst); err != nil {
				continue // Parse has accepted it
			}
			for n, op := range ops {
				if op.Kind != spv.KindIdRef && op.Kind != spv.KindIdScope && op.Kind != spv.KindIdMemorySemantics {
					continue
				}
				d := t.m.DefIndex(op.ID(inst))
				if d < int(f.fn.first) || d >= int(f.fn.last) || t.m.Insts[d].Op == spv.OpLabel {
					continue
				}
				at := int32(k)
				if inst.Op == spv.OpPhi {
					at = t.blockOf(uint32(ops[n+1].ID(inst)))
				}
				from := t.blockAt(int32(d))
				if f.idom[at] >= 0 && !dominates(from, at) {
					t.broken(ruleDominance, uint32(op.ID(inst)), "the value is used in block %%%d, which its block %%%d does not dominate", f.blocks[at].label, f.blocks[from].label)
				}
			}
		}
	}
}

// blockAt returns the block that the instruction i stands in.
func (t *translator) blockAt(i int32) int32 {
	n, found := slices.BinarySearchFunc(t.f.blocks, i, func(b block, i int32) int { return int(b.first) - int(i) })
	if !found {
		n--
	}
	return int32(n)
}

// dominatorNumbers numbers the blocks of the dominator tree so that a block dominates
// those whose numbers lie within its own.
func (t *translator) dominatorNumbers() (in, out []int32) {
	f := t.f
	in, out = make([]int32, len(f.blocks)), make([]int32, len(f.blocks))
	next := make([]int32, len(f.blocks))
	stack := []int32{0}
	n := int32(1)
	in[0] = n
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		n++
		if k := next[b]; int(k) < len(f.domKids[b]) {
			next[b]++
			kid := f.domKids[b][k]
			in[kid] = n
			stack = append(stack, kid)
			continue
		}
		out[b] = n
		stack = stack[:len(stack)-1]
	}
	return in, out
}

// checkResult checks that the result of an operation on floats or integers is of their class;
// set has compared the shapes.
func (t *translator) checkResult(in *inst, d *ir.Def, isFloat bool) {
	if ty := t.typeOf(in.typ); d.BitSize != 1 && ty.isFloat() != isFloat {
		t.broken(ruleTypes, in.id, "%s does not give %s", in.op, ty)
	}
}
