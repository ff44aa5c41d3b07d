package isa

// Instr is one decoded instruction: a plain comparable value. Fields that the
// instruction's encoding has no room for are zero; Pack checks that.
//
// Dst is the register written, Srcs the other operands in assembly order:
// loads (base, index), stores (data, base, index), stack and uniform stores
// (data, index), atomics (base, index, data), texture_* (heap, texture,
// sampler, coordinates, lod, compare and offset), image_write (data,
// coordinates, lod, heap, image), cmpsel (A, B, X, Y). The if, else, while and
// pop instructions have Dst = H(0), which is r0l.
type Instr struct {
	Op     Op
	Flags  Flags
	Cond   Cond   // compares
	Shift  uint8  // "lsl n" of iadd, imadd, memory indices
	Bits   uint8  // "mask": width of the bit-field mask, 0 none
	Table  uint8  // bitop: truth table, bit b<<1|a
	Mode   uint8  // ConvertMode, AtomicOp, ReduceOp, texture mode, map target, async shape
	Round  Round  // convert, image writes
	Format Format // memory and tile formats
	Mask   uint8  // components, bit 0 = x
	Slot   uint8  // scoreboard slot; of wait too
	Nest   uint8  // n of the execution mask instructions
	Dim    Dim
	Lod    Lod
	Gather Gather
	Interp Interp
	Imm    uint32 // mov_imm value, barrier and doorbell codes, tile offset, stack words
	Target int32  // branch offset in bytes from the branch's first byte
	// Extra holds the fields of unknown meaning, as difference (xor) from their
	// customary values: zero is what compilers emit. See Field and SetField.
	Extra uint32
	Dst   Operand
	Srcs  [6]Operand
}

// Flags are the one-bit properties of an instruction. Which instruction can
// carry which is decided by the table; Pack refuses a flag without a bit.
type Flags uint16

// Instruction flags.
const (
	Sat      Flags = 1 << iota // .sat
	Sub                        // isub, imsub: the last addend is negated
	Long                       // long form although the short one would do
	Unsigned                   // memory index is zero-extended
	Kill                       // helper invocations end here
	Compare                    // texture: depth reference in the last operand
	Forward                    // iter: result goes to the next texture_sample
	Elide                      // iter: no ordering against neighbours
	Simd                       // reduce over the SIMD-group, not the quad
	Prefix                     // reduce: exclusive scan
)

// Kind is the kind of an operand.
type Kind uint8

// Operand kinds; Val means what the comment says.
const (
	None    Kind = iota
	Reg          // half index of the first register, 0..255
	Uniform      // half index of the first uniform, 0..511
	Imm          // integer immediate
	FImm         // float immediate: the 8-bit minifloat code, see FloatImm
	SR           // special register number
	TS           // texture state number
	SS           // sampler state number
	CF           // coefficient register number
)

// OpFlags are the modifiers of an operand.
type OpFlags uint8

// Operand modifiers.
const (
	Cache   OpFlags = 1 << iota // keep in the operand cache
	Discard                     // last use
	Abs
	Neg
	SignExt // .sx
)

// Operand is one operand: a run of Count registers of Size bits, or a number.
type Operand struct {
	Kind  Kind
	Size  uint8 // bits of an element: 16, 32, 64; 0 for what is no register
	Count uint8 // elements of a register run; 0 for what is no register
	Flags OpFlags
	Val   int32
}

// R is the 32-bit register rn.
func R(n int) Operand { return Operand{Kind: Reg, Size: 32, Count: 1, Val: int32(2 * n)} }

// H is the 16-bit register with half index h: 2n is rnl, 2n+1 is rnh.
func H(h int) Operand { return Operand{Kind: Reg, Size: 16, Count: 1, Val: int32(h)} }

// R64 is the 64-bit pair rn_r(n+1).
func R64(n int) Operand { return Operand{Kind: Reg, Size: 64, Count: 1, Val: int32(2 * n)} }

// U is the 32-bit uniform un.
func U(n int) Operand { return Operand{Kind: Uniform, Size: 32, Count: 1, Val: int32(2 * n)} }

// UH is the 16-bit uniform with half index h.
func UH(h int) Operand { return Operand{Kind: Uniform, Size: 16, Count: 1, Val: int32(h)} }

// U64 is the 64-bit uniform pair un_u(n+1).
func U64(n int) Operand { return Operand{Kind: Uniform, Size: 64, Count: 1, Val: int32(2 * n)} }

// I is an integer immediate.
func I(v int) Operand { return Operand{Kind: Imm, Val: int32(v)} }

// F is the float immediate v; ok is false if v is none.
func F(v float64) (o Operand, ok bool) {
	code, ok := FloatImmCode(v)
	return Operand{Kind: FImm, Val: int32(code)}, ok
}

// With returns the operand with modifiers added.
func (o Operand) With(f OpFlags) Operand {
	o.Flags |= f
	return o
}

// Run returns a run of n registers that starts at o.
func (o Operand) Run(n int) Operand {
	o.Count = uint8(n)
	return o
}

// Halves returns the number of 16-bit register halves the operand covers.
func (o Operand) Halves() int { return int(o.Size) / 16 * int(o.Count) }

// R0L is the nesting counter's half index.
const R0L = 0
