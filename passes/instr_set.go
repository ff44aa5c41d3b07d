package passes

import (
	"sync"

	"nirc/internal/slab"
	"nirc/ir"
)

// instrSet is a hash set of instructions for value numbering: open addressing
// over a power of two, the hash kept in Instr.Flags, and beside the slots: of a large shader, what is compared is rarely
// in the cache.
type instrSet struct {
	slots []*ir.Instr
	hash  []uint32 // where there is an instruction
	n     int
	spare []*ir.Instr // empty slots, to grow to
	// out are the instructions that were left out, each at the place that its Flags say.
	out []*ir.Instr
}

var instrSets = sync.Pool{New: func() any { return new(instrSet) }}

// newInstrSet returns an empty set with room for hint instructions, release gives it back.
func newInstrSet(hint int) *instrSet {
	s := instrSets.Get().(*instrSet)
	s.begin(hint)
	return s
}

// begin gives an empty set room for hint instructions. Slots beyond the set's are empty too.
func (s *instrSet) begin(hint int) {
	size := 64
	for size < 2*hint {
		size *= 2
	}
	s.slots, s.hash = slab.Resized(s.slots, size), slab.Resized(s.hash, size)
}

func (s *instrSet) release() {
	s.empty()
	instrSets.Put(s)
}

func (s *instrSet) empty() {
	clear(s.slots)
	clear(s.out)
	s.n, s.out = 0, s.out[:0]
}

// leave notes that an instruction was left out, left reports whether one was.
func (s *instrSet) leave(in *ir.Instr) {
	in.Flags = uint32(len(s.out))
	s.out = append(s.out, in)
}

func (s *instrSet) left(in *ir.Instr) bool {
	return int(in.Flags) < len(s.out) && s.out[in.Flags] == in
}

// add adds an instruction that was left out and may have equals from now on.
func (s *instrSet) add(in *ir.Instr) {
	if p := s.find(in); *p == nil {
		*p = in
		s.n++
	}
}

// find returns the slot of an instruction equal to in, or the free one where
// it belongs.
func (s *instrSet) find(in *ir.Instr) **ir.Instr {
	if s.n*2 >= len(s.slots) {
		s.grow()
	}
	h := hashInstr(in)
	in.Flags = h
	mask := uint32(len(s.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		p := &s.slots[i]
		if *p == nil {
			s.hash[i] = h
			return p
		}
		if s.hash[i] == h && equalInstrs(*p, in) {
			return p
		}
	}
}

func (s *instrSet) grow() {
	old := s.slots
	n := 2 * len(old)
	s.slots, s.hash = slab.Resized(s.spare, n), slab.Resized(s.hash, n)
	mask := uint32(len(s.slots) - 1)
	for _, in := range old {
		if in == nil {
			continue
		}
		i := in.Flags & mask
		for s.slots[i] != nil {
			i = (i + 1) & mask
		}
		s.slots[i], s.hash[i] = in, in.Flags
	}
	clear(old)
	s.spare = old
}

// canMerge reports whether two equal instructions of this kind make the same
// value wherever one dominates the other.
func canMerge(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindALU, ir.KindDeref, ir.KindLoadConst, ir.KindUndef, ir.KindPhi:
		return true
	case ir.KindTex:
		return !in.TexInfo().Aliased
	case ir.KindIntrinsic:
		if in.Intr == ir.IntrDeclReg || !in.HasDef() {
			return false
		}
		return canReorder(in) || isDerivative(in.Intr)
	}
	return false
}

// mix adds v to a hash.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// hashSrc is a source as a hash takes it: of a swizzle the first component, which tells most apart.
func hashSrc(s *ir.Src) uint64 { return uint64(s.Def.Index) | uint64(s.Swizzle)<<60 }

// hashInstr is equal for equal instructions. Most are ALU instructions of one or two sources: those take three products.
func hashInstr(in *ir.Instr) uint32 {
	h := uint64(in.Kind)<<56 ^ uint64(in.Def.NumComponents)<<48 ^ uint64(in.Def.BitSize)<<40
	if in.Kind == ir.KindALU {
		return hashALU(in, h^uint64(in.Op)<<12)
	}
	srcs := in.Srcs
	h ^= uint64(in.Deref)<<32 ^ uint64(in.TexOp)<<24 ^ uint64(in.Intr)
	switch in.Kind {
	case ir.KindPhi:
		h = mix(h, uint64(in.Block.Index))
		sum := uint64(0)
		for i := range srcs {
			sum += uint64(srcs[i].Def.Index) * 0x9e3779b9
		}
		return uint32(mix(h, sum) >> 16)
	case ir.KindDeref:
		d := in.DerefInfo()
		h = mix(h, uint64(d.Field)|uint64(d.Modes)<<32)
		if d.Var != nil {
			h = mix(h, uint64(d.Var.ID))
		}
	}
	for i := range srcs {
		h = mix(h, uint64(srcs[i].Def.Index))
	}
	for _, v := range in.Imm {
		h = mix(h, v)
	}
	return uint32(mix(h, 0) >> 16)
}

func hashALU(in *ir.Instr, h uint64) uint32 {
	srcs := in.Srcs
	if len(srcs) > 1 && in.Op.Info().Props&commutative != 0 {
		// The order of the first two sources does not count.
		h, srcs = mix(h, mix(0, hashSrc(&srcs[0]))+mix(0, hashSrc(&srcs[1]))), srcs[2:]
	}
	for i := range srcs {
		h = mix(h, hashSrc(&srcs[i]))
	}
	return uint32(mix(h, 0) >> 16)
}

func equalInstrs(a, b *ir.Instr) bool {
	if a.Kind != b.Kind || a.Def.NumComponents != b.Def.NumComponents || a.Def.BitSize != b.Def.BitSize || len(a.Srcs) != len(b.Srcs) {
		return false
	}
	switch a.Kind {
	case ir.KindALU:
		return equalALU(a, b)
	case ir.KindPhi:
		return equalPhis(a, b)
	case ir.KindDeref:
		if a.Deref != b.Deref || !equalDerefs(a.DerefInfo(), b.DerefInfo()) {
			return false
		}
	case ir.KindTex:
		if a.TexOp != b.TexOp || !equalTex(a.TexInfo(), b.TexInfo()) {
			return false
		}
	case ir.KindIntrinsic:
		if a.Intr != b.Intr || a.NumComponents != b.NumComponents {
			return false
		}
	}
	for i := range a.Imm {
		if a.Imm[i] != b.Imm[i] {
			return false
		}
	}
	for i := range a.Srcs {
		if a.Srcs[i].Def != b.Srcs[i].Def {
			return false
		}
	}
	return true
}

func equalALU(a, b *ir.Instr) bool {
	if a.Op != b.Op {
		return false
	}
	same := func(i, j int) bool {
		s, t := &a.Srcs[i], &b.Srcs[j]
		return s.Def == t.Def && s.Swizzle.Same(t.Swizzle, a.SrcComps(i))
	}
	first := 0
	if a.Op.Info().Props&commutative != 0 {
		if !(same(0, 0) && same(1, 1)) && !(same(0, 1) && same(1, 0)) {
			return false
		}
		first = 2
	}
	for i := first; i < len(a.Srcs); i++ {
		if !same(i, i) {
			return false
		}
	}
	return true
}

func equalPhis(a, b *ir.Instr) bool {
	if a.Block != b.Block {
		return false
	}
	for i, p := range a.PhiInfo().Preds {
		s := b.PhiSrc(p)
		if s == nil || s.Def != a.Srcs[i].Def {
			return false
		}
	}
	return true
}

func equalDerefs(a, b *ir.DerefInfo) bool {
	return a.Var == b.Var && a.Field == b.Field && a.Modes == b.Modes && a.InBounds == b.InBounds && a.PtrStride == b.PtrStride &&
		a.AlignMul == b.AlignMul && a.AlignOffset == b.AlignOffset && a.Type.Equal(b.Type)
}

func equalTex(a, b *ir.TexInfo) bool {
	if len(a.SrcKinds) != len(b.SrcKinds) {
		return false
	}
	for i := range a.SrcKinds {
		if a.SrcKinds[i] != b.SrcKinds[i] {
			return false
		}
	}
	x, y := *a, *b
	x.SrcKinds, y.SrcKinds = nil, nil
	return equalTexFields(&x, &y)
}

func equalTexFields(a, b *ir.TexInfo) bool {
	return a.Dim == b.Dim && a.IsArray == b.IsArray && a.IsShadow == b.IsShadow && a.NewStyleShadow == b.NewStyleShadow &&
		a.IsSparse == b.IsSparse && a.CoordComponents == b.CoordComponents && a.DestType == b.DestType && a.Component == b.Component &&
		a.HasOffsets == b.HasOffsets && a.Offsets == b.Offsets && a.TextureIndex == b.TextureIndex && a.SamplerIndex == b.SamplerIndex &&
		a.TextureNonUniform == b.TextureNonUniform && a.SamplerNonUniform == b.SamplerNonUniform && a.GatherImplicitLod == b.GatherImplicitLod &&
		a.ArrayIsLoweredCube == b.ArrayIsLoweredCube && a.BackendFlags == b.BackendFlags && a.Precise16 == b.Precise16 &&
		a.CanSpeculate == b.CanSpeculate && a.SkipHelpers == b.SkipHelpers && a.TextureBase == b.TextureBase && a.SamplerSet == b.SamplerSet
}
