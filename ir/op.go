package ir

import (
	"sort"
	"sync"

	"nirc/ir/optab"
)

//go:generate go run nirc/internal/gen/opgen
//go:generate go run nirc/internal/gen/docgen ../docs/ops.md

// Op is an ALU operation: an index into optab.Ops.
type Op uint16

// Intrinsic is an index into optab.Intrinsics.
type Intrinsic uint16

// TexOp is a texture operation: an index into optab.Texs.
type TexOp uint8

// TexSrc is a kind of texture source: an index into optab.TexSources.
type TexSrc uint8

// Index is the name of an intrinsic's constant index.
type Index = optab.Index

// Info returns the operation's row.
func (o Op) Info() *optab.Op { return optab.Ops[o] }

// Info returns the intrinsic's row.
func (i Intrinsic) Info() *optab.Intrinsic { return optab.Intrinsics[i] }

// Info returns the operation's row.
func (t TexOp) Info() *optab.Tex { return &optab.Texs[t] }

// String returns the operation's name.
func (o Op) String() string {
	if int(o) >= len(optab.Ops) {
		return "op?"
	}
	return optab.Ops[o].Name
}

// String returns the intrinsic's name.
func (i Intrinsic) String() string {
	if int(i) >= len(optab.Intrinsics) {
		return "intrinsic?"
	}
	return optab.Intrinsics[i].Name
}

// String returns the operation's name.
func (t TexOp) String() string { return optab.Texs[t].Name }

// String returns the name of the source kind.
func (t TexSrc) String() string {
	if int(t) >= len(optab.TexSources) {
		return "source?"
	}
	return optab.TexSources[t].Name
}

// nameIndex finds rows by name: positions sorted by name, made when first asked.
type nameIndex struct {
	once sync.Once
	pos  []uint16
}

func (x *nameIndex) find(name string, n int, row func(int) string) (int, bool) {
	x.once.Do(func() {
		x.pos = make([]uint16, n)
		for i := range x.pos {
			x.pos[i] = uint16(i)
		}
		sort.Slice(x.pos, func(a, b int) bool { return row(int(x.pos[a])) < row(int(x.pos[b])) })
	})
	k := sort.Search(n, func(k int) bool { return row(int(x.pos[k])) >= name })
	if k < n && row(int(x.pos[k])) == name {
		return int(x.pos[k]), true
	}
	return 0, false
}

var opNames, intrinsicNames nameIndex

// ParseOp returns the ALU operation of that name.
func ParseOp(name string) (Op, bool) {
	i, ok := opNames.find(name, NumOps, func(i int) string { return optab.Ops[i].Name })
	return Op(i), ok
}

// ParseIntrinsic returns the intrinsic of that name.
func ParseIntrinsic(name string) (Intrinsic, bool) {
	i, ok := intrinsicNames.find(name, NumIntrinsics, func(i int) string { return optab.Intrinsics[i].Name })
	return Intrinsic(i), ok
}

// ParseTexOp returns the texture operation of that name.
func ParseTexOp(name string) (TexOp, bool) {
	for i := range optab.Texs {
		if optab.Texs[i].Name == name {
			return TexOp(i), true
		}
	}
	return 0, false
}

// Get returns the constant index x of an intrinsic, 0 if it has none such.
func (in *Instr) Get(x Index) uint64 {
	if p := in.Intr.Info().IndexPos(x); p >= 0 {
		return in.Imm[p]
	}
	return 0
}

// Has reports whether the intrinsic has the constant index x.
func (in *Instr) Has(x Index) bool { return in.Intr.Info().IndexPos(x) >= 0 }

// Set sets the constant index x of an intrinsic and returns in; an index that
// the intrinsic does not have is left out.
func (in *Instr) Set(x Index, v uint64) *Instr {
	if p := in.Intr.Info().IndexPos(x); p >= 0 {
		in.Imm[p] = v
	}
	return in
}

// CopyIndices copies the constant indices that both intrinsics have.
func (in *Instr) CopyIndices(from *Instr) *Instr {
	for i, x := range in.Intr.Info().Indices {
		if p := from.Intr.Info().IndexPos(x); p >= 0 {
			in.Imm[i] = from.Imm[p]
		}
	}
	return in
}

// SrcComps returns how many components source i of an ALU instruction reads.
func (in *Instr) SrcComps(i int) int {
	if c := in.Op.Info().In[i].Comps; c != 0 {
		return int(c)
	}
	return int(in.Def.NumComponents)
}

// OpBits returns the size w that an ALU instruction's unsized operands have:
// that of its first unsized source, else of its result.
func (in *Instr) OpBits() uint8 {
	info := in.Op.Info()
	for i, t := range info.In {
		if t.Bits == 0 {
			return in.Srcs[i].Def.BitSize
		}
	}
	if info.Out.Bits != 0 && len(info.In) > 0 {
		return in.Srcs[0].Def.BitSize
	}
	return in.Def.BitSize
}

// IOSemantics is the unpacked constant index io_semantics.
type IOSemantics struct {
	Location        Slot
	NumSlots        uint8
	DualSourceIndex uint8
	FBFetch         bool
	GSStreams       uint8
	MediumPrecision bool
	PerView         bool
	High16          bool
	Invariant       bool
	HighDvec2       bool
	NoVarying       bool
	NoSysvalOutput  bool
	InterpExplicit  bool
}

func bit(b bool, n uint) uint64 {
	if b {
		return 1 << n
	}
	return 0
}

// Pack returns the semantics as the constant index holds them.
func (s IOSemantics) Pack() uint64 {
	return uint64(s.Location) | uint64(s.NumSlots)<<8 | uint64(s.DualSourceIndex)<<16 | uint64(s.GSStreams)<<24 |
		bit(s.FBFetch, 32) | bit(s.MediumPrecision, 33) | bit(s.PerView, 34) | bit(s.High16, 35) | bit(s.Invariant, 36) |
		bit(s.HighDvec2, 37) | bit(s.NoVarying, 38) | bit(s.NoSysvalOutput, 39) | bit(s.InterpExplicit, 40)
}

// UnpackIOSemantics is the inverse of Pack.
func UnpackIOSemantics(v uint64) IOSemantics {
	has := func(n uint) bool { return v>>n&1 != 0 }
	return IOSemantics{Location: Slot(v), NumSlots: uint8(v >> 8), DualSourceIndex: uint8(v >> 16), GSStreams: uint8(v >> 24),
		FBFetch: has(32), MediumPrecision: has(33), PerView: has(34), High16: has(35), Invariant: has(36),
		HighDvec2: has(37), NoVarying: has(38), NoSysvalOutput: has(39), InterpExplicit: has(40)}
}

// Pack returns the type as the constant indices src_type and dest_type hold it.
func (t ALUType) Pack() uint64 { return uint64(t.Class)<<8 | uint64(t.Bits) }

// UnpackALUType is the inverse of Pack.
func UnpackALUType(v uint64) ALUType { return ALUType{TypeClass(v >> 8), uint8(v)} }

// String spells the type as the text form does: f32, u16, b1.
func (t ALUType) String() string {
	if t.Class == ClassNone {
		return "none"
	}
	return t.Class.String() + itoa(uint64(t.Bits))
}

func itoa(v uint64) string {
	var b [20]byte
	i := len(b)
	for {
		i--
		b[i] = byte('0' + v%10)
		v /= 10
		if v == 0 {
			return string(b[i:])
		}
	}
}
