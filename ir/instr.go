package ir

import "iter"

// Kind tells the kinds of instructions apart.
type Kind uint8

// Instruction kinds.
const (
	KindALU Kind = iota
	KindIntrinsic
	KindTex
	KindDeref
	KindLoadConst
	KindUndef
	KindPhi
	KindParallelCopy
	KindJump
	KindCall
)

// Swizzle picks a source component for each of up to 16 lanes: lane i is
// bits 4i..4i+3.
type Swizzle uint64

// IdentitySwizzle is xyzw…
const IdentitySwizzle Swizzle = 0xfedcba9876543210

// Swz makes a swizzle of the given selectors; lanes beyond repeat the last.
func Swz(sel ...int) Swizzle {
	var s Swizzle
	last := 0
	for i := 0; i < 16; i++ {
		if i < len(sel) {
			last = sel[i]
		}
		s |= Swizzle(last&15) << (4 * i)
	}
	return s
}

// Broadcast is the swizzle that reads component c in every lane.
func Broadcast(c int) Swizzle { return Swizzle(c&15) * 0x1111111111111111 }

// Lane returns the selector of lane i.
func (s Swizzle) Lane(i int) int { return int(s>>(4*i)) & 15 }

// With returns s with lane i reading component c.
func (s Swizzle) With(i, c int) Swizzle {
	return s&^(15<<(4*i)) | Swizzle(c&15)<<(4*i)
}

// Compose returns the swizzle that applies outer to a value that inner was
// applied to: lane i reads inner.Lane(outer.Lane(i)).
func (s Swizzle) Compose(inner Swizzle) Swizzle {
	switch {
	case inner == IdentitySwizzle:
		return s
	case s == IdentitySwizzle:
		return inner
	case s == Broadcast(int(s&15)): // all of scalar code
		return Broadcast(inner.Lane(int(s & 15)))
	}
	var r Swizzle
	for i := 0; i < 16; i++ {
		r |= Swizzle(inner.Lane(s.Lane(i))) << (4 * i)
	}
	return r
}

// Same reports whether the first n lanes of s and t agree.
func (s Swizzle) Same(t Swizzle, n int) bool {
	if n >= 16 {
		return s == t
	}
	return (s^t)&(1<<(4*n)-1) == 0
}

// Def is a value: NumComponents components of BitSize bits, made by Instr.
// An instruction without result has a Def of 0 components.
type Def struct {
	Instr         *Instr
	uses          *Src
	Index         uint32 // dense in the function, below Impl.NumDefs
	NumComponents uint8
	BitSize       uint8
	// Divergent and LoopInvariant are written by the divergence analysis.
	Divergent     bool
	LoopInvariant bool
	// Name is the index of a name in Shader.Names for dumps, or 0.
	Name uint32
}

// Src is one operand of an instruction or the condition of an If. It is on
// the use list of its Def, exactly once. Only ALU sources have a swizzle.
type Src struct {
	Def        *Def
	Instr      *Instr // the user, or nil if If is
	If         *If
	prev, next *Src
	Swizzle    Swizzle
}

// Instr is an instruction of any kind. Fields that its kind does not have are
// zero. Instructions are made by a [Builder] or the New functions of [Shader],
// and belong to one block at most.
type Instr struct {
	Kind  Kind
	Deref DerefKind
	Jump  JumpKind
	TexOp TexOp
	Op    Op        // ALU
	Intr  Intrinsic // intrinsic
	// NumComponents is an intrinsic's width where the table says n; else 0.
	NumComponents uint8
	// Exact: no rewrite may change a bit of the result.
	Exact bool
	// NoSignedWrap and NoUnsignedWrap: the source promises no overflow.
	NoSignedWrap, NoUnsignedWrap bool
	// Relaxed: an ALU result of 32 bits may be as imprecise as one of 16
	// (RelaxedPrecision); lower_mediump computes it so if it is asked to.
	Relaxed bool
	// FastMath are the float properties to preserve (FCSignedZeroPreserve …
	// FCNaNPreserve for 16, 32, 64 bits): the low nine bits of FloatControls.
	FastMath FloatControls
	// Index is the instruction's number while MetaInstrIndex is valid.
	Index uint32
	// Flags is scratch space of whatever pass runs; its value is undefined at entry.
	Flags uint32
	// Loc is an index into Shader.Locs, 0 unknown.
	Loc uint32

	Block      *Block
	prev, next *Instr

	Def  Def
	Srcs []Src
	// Imm holds the constants of a load_const (one a component, unused high bits
	// zero) or the constant indices of an intrinsic, in the table's order.
	Imm []uint64
	ext any
}

// DerefKind is the kind of a deref instruction.
type DerefKind uint8

// Deref kinds. Srcs[0] is the parent except of a var deref, Srcs[1] the index
// of array and ptr_as_array.
const (
	DerefVar DerefKind = iota
	DerefArray
	DerefArrayWildcard
	DerefPtrAsArray
	DerefStruct
	DerefCast
)

// DerefInfo is what a deref instruction has besides its sources.
type DerefInfo struct {
	Modes Mode
	Type  *Type
	Var   *Variable // DerefVar
	Field int       // DerefStruct
	// InBounds promises that the index is inside the array.
	InBounds bool
	// DerefCast: stride of pointer arithmetic in bytes and known alignment
	// ((address - AlignOffset) mod AlignMul = 0; AlignMul 0: unknown).
	PtrStride             uint32
	AlignMul, AlignOffset uint32
}

// JumpKind is the kind of a jump instruction.
type JumpKind uint8

// Jumps. Return goes to the end of the function, Halt leaves the shader.
const (
	JumpReturn JumpKind = iota
	JumpHalt
	JumpBreak
	JumpContinue
)

// PhiInfo holds the predecessors of a phi: source i comes from Preds[i].
type PhiInfo struct {
	Preds []*Block
}

// CallInfo names the callee of a call; sources are the arguments in order.
type CallInfo struct {
	Callee *Function
}

// CopyEntry is one copy of a parallel copy: all entries read before any
// writes. Source i of the instruction belongs to entry i. A register end is
// named by its handle (the result of decl_reg).
type CopyEntry struct {
	SrcIsReg bool
	// Dst is the value defined, unless DstReg is the register written.
	Dst    Def
	DstReg *Def
}

// CopyInfo holds the entries of a parallel copy.
type CopyInfo struct {
	Entries []CopyEntry
}

// TexInfo is what a texture instruction has besides its sources.
type TexInfo struct {
	// SrcKinds[i] says what Srcs[i] is; each kind at most once.
	SrcKinds []TexSrc
	Dim      Dim
	IsArray  bool
	IsShadow bool
	// NewStyleShadow: one result component instead of four.
	NewStyleShadow bool
	// IsSparse: one more component, the residency code.
	IsSparse                bool
	CoordComponents         uint8
	DestType                ALUType
	Component               uint8 // tg4
	HasOffsets              bool
	Offsets                 [4][2]int8 // tg4 with four constant offsets
	TextureIndex            uint32
	SamplerIndex            uint32
	TextureNonUniform       bool
	SamplerNonUniform       bool
	GatherImplicitLod       bool
	ArrayIsLoweredCube      bool
	BackendFlags            uint32
	Precise16               bool // RelaxedPrecision
	CanSpeculate            bool
	SkipHelpers             bool
	Aliased                 bool   // stores to other images may change what it reads
	TextureBase, SamplerSet uint32 // descriptor sets, for targets that address by set
}

// ALUType is a typed size: a class and a bit size (0: the instruction's own).
type ALUType struct {
	Class TypeClass
	Bits  uint8
}

// TexInfo returns the texture fields of a KindTex instruction.
func (in *Instr) TexInfo() *TexInfo { return in.ext.(*TexInfo) }

// DerefInfo returns the fields of a KindDeref instruction.
func (in *Instr) DerefInfo() *DerefInfo { return in.ext.(*DerefInfo) }

// PhiInfo returns the predecessors of a KindPhi instruction.
func (in *Instr) PhiInfo() *PhiInfo { return in.ext.(*PhiInfo) }

// CallInfo returns the callee of a KindCall instruction.
func (in *Instr) CallInfo() *CallInfo { return in.ext.(*CallInfo) }

// CopyInfo returns the entries of a KindParallelCopy instruction.
func (in *Instr) CopyInfo() *CopyInfo { return in.ext.(*CopyInfo) }

// Next and Prev return the neighbours in the block, or nil.
func (in *Instr) Next() *Instr { return in.next }

// Prev returns the instruction before in, or nil.
func (in *Instr) Prev() *Instr { return in.prev }

// HasDef reports whether the instruction has a result.
func (in *Instr) HasDef() bool { return in.Def.NumComponents != 0 }

// IsALU reports whether in is the ALU instruction op.
func (in *Instr) IsALU(op Op) bool { return in.Kind == KindALU && in.Op == op }

// IsIntrinsic reports whether in is the intrinsic i.
func (in *Instr) IsIntrinsic(i Intrinsic) bool { return in.Kind == KindIntrinsic && in.Intr == i }

// Const returns component c of the value if d is a load_const.
func (d *Def) Const(c int) (v uint64, ok bool) {
	if d.Instr == nil || d.Instr.Kind != KindLoadConst {
		return 0, false
	}
	return d.Instr.Imm[c], true
}

// IsConst reports whether d comes from a load_const.
func (d *Def) IsConst() bool { return d.Instr.Kind == KindLoadConst }

// IsUndef reports whether d comes from an undef.
func (d *Def) IsUndef() bool { return d.Instr.Kind == KindUndef }

// Const returns the constant that lane i of an ALU source reads, if it is one.
func (s *Src) Const(i int) (v uint64, ok bool) { return s.Def.Const(s.Swizzle.Lane(i)) }

// Unused reports whether nothing uses d.
func (d *Def) Unused() bool { return d.uses == nil }

// UsedOnce reports whether d has exactly one use, conditions of ifs included.
func (d *Def) UsedOnce() bool { return d.uses != nil && d.uses.next == nil }

// ComponentsRead is the set of the components that users of the value choose by their swizzles: all of them where one of
// the users is no ALU instruction, and takes the whole value.
func (d *Def) ComponentsRead() (mask uint32) {
	for u := range d.Uses() {
		if u.Instr == nil || u.Instr.Kind != KindALU {
			return 1<<d.NumComponents - 1
		}
		for k := range u.Instr.Srcs {
			if &u.Instr.Srcs[k] != u {
				continue
			}
			for i := range u.Instr.SrcComps(k) {
				mask |= 1 << u.Swizzle.Lane(i)
			}
		}
	}
	return mask
}

// FirstUse returns the first of d's uses (in no particular order) or nil.
func (d *Def) FirstUse() *Src { return d.uses }

// NextUse returns the use after s on its value's list, or nil.
func (s *Src) NextUse() *Src { return s.next }

// Uses walks d's uses; the loop body may unlink the current one.
func (d *Def) Uses() iter.Seq[*Src] {
	return func(yield func(*Src) bool) {
		for s := d.uses; s != nil; {
			next := s.next
			if !yield(s) {
				return
			}
			s = next
		}
	}
}

// Set makes s refer to d (nil: to nothing), moving it between use lists.
func (s *Src) Set(d *Def) {
	if s.Def == d {
		return
	}
	s.unlink()
	s.link(d)
}

func (s *Src) unlink() {
	if s.Def == nil {
		return
	}
	if s.prev != nil {
		s.prev.next = s.next
	} else {
		s.Def.uses = s.next
	}
	if s.next != nil {
		s.next.prev = s.prev
	}
	s.Def, s.prev, s.next = nil, nil, nil
}

func (s *Src) link(d *Def) {
	s.Def = d
	if d == nil {
		return
	}
	s.prev, s.next = nil, d.uses
	if d.uses != nil {
		d.uses.prev = s
	}
	d.uses = s
}

// RewriteUses makes every use of d use n.
func (d *Def) RewriteUses(n *Def) {
	if d == n {
		return
	}
	for d.uses != nil {
		d.uses.Set(n)
	}
}

// RewriteUsesAfter makes every use of d that is not a source of after itself
// and not before it in its block use n. It needs no metadata; after is
// usually the instruction that makes n from d.
func (d *Def) RewriteUsesAfter(n *Def, after *Instr) {
	for s := range d.Uses() {
		if s.Instr != nil && (s.Instr == after || s.Instr.Block == after.Block && s.Instr.Kind != KindPhi && !precedes(after, s.Instr)) {
			continue
		}
		s.Set(n)
	}
}

// precedes reports whether a comes before b in their block.
func precedes(a, b *Instr) bool {
	for x := a.next; x != nil; x = x.next {
		if x == b {
			return true
		}
	}
	return false
}

// SetSrcs replaces the source list of in by new sources reading defs with
// identity swizzles.
func (s *Shader) SetSrcs(in *Instr, defs ...*Def) {
	for i := range in.Srcs {
		in.Srcs[i].unlink()
	}
	srcs := s.srcs.Slice(len(defs))
	in.Srcs = srcs
	for i := range srcs {
		src := &srcs[i]
		src.Instr, src.Swizzle = in, IdentitySwizzle
		src.link(defs[i])
	}
}

// AddPhiSrc adds a source to a phi.
func (s *Shader) AddPhiSrc(phi *Instr, pred *Block, d *Def) {
	s.growSrcs(phi)
	n := len(phi.Srcs) - 1
	phi.Srcs[n].Set(d)
	p := phi.PhiInfo()
	p.Preds = s.appendBlock(p.Preds, pred)
}

// appendBlock is append, with memory of the shader's.
func (s *Shader) appendBlock(list []*Block, b *Block) []*Block {
	if n := len(list); n == cap(list) {
		list = append(s.preds.Slice(max(2, 2*n))[:0], list...)
	}
	return append(list, b)
}

// AddTexSrc adds a source to a texture instruction.
func (s *Shader) AddTexSrc(tex *Instr, kind TexSrc, d *Def) {
	s.growSrcs(tex)
	tex.Srcs[len(tex.Srcs)-1].Set(d)
	t := tex.TexInfo()
	t.SrcKinds = append(t.SrcKinds, kind)
}

// growSrcs gives in one more, empty source, relinking those that move.
func (s *Shader) growSrcs(in *Instr) {
	old := in.Srcs
	if cap(old) > len(old) {
		in.Srcs = old[:len(old)+1]
		in.Srcs[len(old)] = Src{Instr: in, Swizzle: IdentitySwizzle}
		return
	}
	grown := s.srcs.Slice(max(2, 2*len(old)))[:len(old)+1]
	for i := range old {
		d := old[i].Def
		old[i].unlink()
		grown[i] = Src{Instr: in, Swizzle: old[i].Swizzle}
		grown[i].link(d)
	}
	grown[len(old)] = Src{Instr: in, Swizzle: IdentitySwizzle}
	in.Srcs = grown
}

// RemoveSrc removes source i of a phi or texture instruction.
func (in *Instr) RemoveSrc(i int) {
	n := len(in.Srcs) - 1
	for j := i; j < n; j++ {
		in.Srcs[j].Set(in.Srcs[j+1].Def)
		in.Srcs[j].Swizzle = in.Srcs[j+1].Swizzle
	}
	in.Srcs[n].unlink()
	in.Srcs = in.Srcs[:n]
	switch in.Kind {
	case KindPhi:
		p := in.PhiInfo()
		p.Preds = append(p.Preds[:i], p.Preds[i+1:]...)
	case KindTex:
		t := in.TexInfo()
		t.SrcKinds = append(t.SrcKinds[:i], t.SrcKinds[i+1:]...)
	}
}

// PhiSrc returns the phi's source from pred, or nil.
func (in *Instr) PhiSrc(pred *Block) *Src {
	for i, p := range in.PhiInfo().Preds {
		if p == pred {
			return &in.Srcs[i]
		}
	}
	return nil
}

// TexSrc returns the texture source of that kind, or nil.
func (in *Instr) TexSrc(kind TexSrc) *Src {
	for i, k := range in.TexInfo().SrcKinds {
		if k == kind {
			return &in.Srcs[i]
		}
	}
	return nil
}

// Remove takes in out of its block and its sources off their use lists. The
// caller makes sure that nothing uses its result. A jump's edges are put back
// to those of a block that falls through.
func (in *Instr) Remove() {
	for i := range in.Srcs {
		in.Srcs[i].unlink()
	}
	b := in.Block
	in.goes()
	in.unlink()
	if in.Kind == KindJump && b != nil {
		b.relink()
	}
}

// unlink takes in out of its block's list, nothing else.
func (in *Instr) unlink() {
	b := in.Block
	if b == nil {
		return
	}
	if in.prev != nil {
		in.prev.next = in.next
	} else {
		b.first = in.next
	}
	if in.next != nil {
		in.next.prev = in.prev
	} else {
		b.last = in.prev
	}
	in.Block, in.prev, in.next = nil, nil, nil
}

// MoveTo takes in (not a jump) out of its place and inserts it at c.
func (in *Instr) MoveTo(c Cursor) {
	if c.At == in {
		return
	}
	in.unlink()
	c.Block.insert(in, c.At)
}
