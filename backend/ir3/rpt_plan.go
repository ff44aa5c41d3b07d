package ir3

import (
	"nirc/internal/slab"
	"nirc/ir"
)

// Repeat groups, the first of five steps
// (ir3.md §8): right before selection, up to four equal scalar operations of a block
// whose sources come from the same values, from the same group, or are constants, are brought
// together. They stay scalar instructions, one a component of what would be a vector
// operation; selection links what it makes of them.

// vecPlan says which group each value belongs to, 0 none. Many
// groups have one member.
type vecPlan struct {
	group []int32 // by def index
	last  int32
}

// maxGroup is the number of members of a repeat group.
const maxGroup = 4

// vectorizer looks for groups in one block after the other.
type vectorizer struct {
	plan  *vecPlan
	own   vecPlan   // the last one, whose memory the next has
	none  vecPlan   // of a compile without groups
	table []vecSlot // open addressing
	epoch int32
	used  int
}

// vecSlot is the youngest group with a certain key in the current block.
type vecSlot struct {
	epoch int32
	n     int32
	key   vecKey
	last  *ir.Instr
}

type vecKey struct {
	op   ir.Op
	bits uint8
	n    uint8
	srcs [3]uint64
}

// vectorize moves the members of groups together: each one after the one
// before it, where its sources are there already, as they are those of the first.
func vectorize(impl *ir.Impl, m *memory) *vecPlan {
	v := &m.vec // its epoch goes on, so that what the table has of other functions is void
	v.own = vecPlan{group: slab.Zeroed(v.own.group, int(impl.NumDefs))}
	v.plan = &v.own
	if v.table == nil {
		v.table = make([]vecSlot, 64)
	}
	for b := range impl.Blocks() {
		v.epoch++
		v.used = 0
		for in := b.First(); in != nil; {
			next := in.Next()
			if vectorizable(in) {
				v.instr(in)
			}
			in = next
		}
	}
	impl.Preserve(ir.MetaControlFlow)
	return v.plan
}

// vectorizable reports whether in becomes one instruction that can repeat, which rcp cannot, or a part of it, as an fsat of a
// sum or product does: what reads it is a group then.
func vectorizable(in *ir.Instr) bool {
	if in.Kind != ir.KindALU || in.Def.NumComponents != 1 || in.Def.BitSize < 16 || in.Def.BitSize > 32 || len(in.Srcs) > 3 {
		return false
	}
	switch in.Op {
	case ir.OpFrcp, ir.OpUmulLow:
		return false
	case ir.OpFsat, ir.OpFfma, ir.OpFsub, ir.OpIshl, ir.OpIshr, ir.OpUshr, ir.OpF2i32, ir.OpF2u32, ir.OpI2f32, ir.OpU2f32, ir.OpF2f16, ir.OpF2f32, ir.OpImad24Ir3:
		return true
	}
	return simpleOps[in.Op].op != 0 || sfuOps[in.Op].op != 0 || widenedOps[in.Op].op != 0
}

// source identifies what a source is for the purpose of joining.
func (v *vectorizer) source(s *ir.Src) uint64 {
	if _, ok := s.Const(0); ok {
		return 1<<63 | uint64(s.Def.BitSize)
	}
	if g := v.plan.group[s.Def.Index]; g != 0 {
		return 1<<62 | uint64(g)
	}
	return uint64(s.Def.Index)
}

func (v *vectorizer) key(in *ir.Instr) vecKey {
	k := vecKey{op: in.Op, bits: in.Def.BitSize, n: uint8(len(in.Srcs))}
	for i := range in.Srcs {
		k.srcs[i] = v.source(&in.Srcs[i])
	}
	return k
}

func (k *vecKey) hash() uint64 {
	h := uint64(k.op)<<8 | uint64(k.bits)
	for _, s := range k.srcs {
		h = (h ^ s) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

func (v *vectorizer) instr(in *ir.Instr) {
	k := v.key(in)
	s := v.find(&k)
	if s.epoch == v.epoch && s.n < maxGroup {
		v.plan.group[in.Def.Index] = v.plan.group[s.last.Def.Index]
		if in.Prev() != s.last {
			hoistConsts(in)
			in.MoveTo(ir.After(s.last))
		}
		s.last = in
		s.n++
		return
	}
	if s.epoch != v.epoch {
		v.used++
	}
	// A number from the start, so that what reads the first member knows it.
	v.plan.last++
	v.plan.group[in.Def.Index] = v.plan.last
	*s = vecSlot{epoch: v.epoch, n: 1, key: k, last: in}
}

// hoistConsts moves the constants that in reads to the start of their block,
// if they are in its own.
func hoistConsts(in *ir.Instr) {
	for i := range in.Srcs {
		if c := in.Srcs[i].Def.Instr; c.Kind == ir.KindLoadConst && c.Block == in.Block {
			c.MoveTo(ir.AfterPhis(c.Block))
		}
	}
}

// find returns the slot of a key, or the free one where it would go.
func (v *vectorizer) find(k *vecKey) *vecSlot {
	if 2*v.used >= len(v.table) {
		v.grow()
	}
	mask := uint64(len(v.table) - 1)
	for i := k.hash() & mask; ; i = (i + 1) & mask {
		if s := &v.table[i]; s.epoch != v.epoch || s.key == *k {
			return s
		}
	}
}

func (v *vectorizer) grow() {
	old := v.table
	v.table = make([]vecSlot, 2*len(old))
	for i := range old {
		if old[i].epoch == v.epoch {
			*v.find(&old[i].key) = old[i]
		}
	}
}
