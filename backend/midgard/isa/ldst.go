package isa

// Address registers of load/store instructions: what Arg and Index name.
const (
	AddrLdSt0   = 0 // r26
	AddrLdSt1   = 1 // r27
	AddrPCSP    = 2 // xy program counter, zw stack pointer
	AddrLocal   = 3 // xy thread-local storage base, zw work-group storage base
	AddrLocalID = 4 // local invocation id
	AddrGroupID = 5 // work group id
	AddrGlobal  = 6 // global invocation id
	AddrZero    = 7 // reads as zero
)

// IndexFormat says how the index of a memory operation is extended. Of
// attribute-like operations bit 0 is auto-32 and bit 1 the secondary table.
type IndexFormat uint8

// The index formats.
const (
	IndexReserved IndexFormat = 0
	IndexU64      IndexFormat = 1
	IndexU32      IndexFormat = 2
	IndexS32      IndexFormat = 3
	// Attribute-like operations.
	AttrAuto32    IndexFormat = 1
	AttrSecondary IndexFormat = 2
)

// AddrReg is a component of an address register.
type AddrReg struct {
	Reg  uint8 // AddrLdSt0 to AddrZero
	Comp uint8 // in 32-bit units
}

// LoadStore is one instruction of a load/store bundle (midgard.md §3.6). What the
// members mean depends on the operation; the methods below read and write the
// parts of Offset and the fields that some operations reuse.
type LoadStore struct {
	Op      LdOp
	Reg     uint8 // loads: destination register; stores: 0, 1 for r26, r27
	Mask    uint8
	Swizzle Swizzle
	Arg     AddrReg
	Toggle  bool
	Format  IndexFormat
	Index   AddrReg
	Shift   uint8 // left shift of the index
	Offset  int32 // 18 bits signed
}

// EmptySlot is the other half of a bundle with one instruction.
var EmptySlot = LoadStore{Op: LdNop}

var ldstFields = []field[LoadStore]{
	num("op", 0, 8, func(l *LoadStore) *LdOp { return &l.Op }),
	num("reg", 8, 5, func(l *LoadStore) *uint8 { return &l.Reg }),
	num("mask", 13, 4, func(l *LoadStore) *uint8 { return &l.Mask }),
	num("swizzle", 17, 8, func(l *LoadStore) *Swizzle { return &l.Swizzle }),
	num("arg.comp", 25, 2, func(l *LoadStore) *uint8 { return &l.Arg.Comp }),
	num("arg.reg", 27, 3, func(l *LoadStore) *uint8 { return &l.Arg.Reg }),
	flag("toggle", 30, func(l *LoadStore) *bool { return &l.Toggle }),
	num("format", 31, 2, func(l *LoadStore) *IndexFormat { return &l.Format }),
	num("index.comp", 33, 2, func(l *LoadStore) *uint8 { return &l.Index.Comp }),
	num("index.reg", 35, 3, func(l *LoadStore) *uint8 { return &l.Index.Reg }),
	num("shift", 38, 4, func(l *LoadStore) *uint8 { return &l.Shift }),
	signed("offset", 42, 18, func(l *LoadStore) *int32 { return &l.Offset }),
}

func decodeLdSt(v uint64) (l LoadStore) {
	w := word{v}
	unpackFields(&l, ldstFields, &w)
	return l
}

func encodeLdSt(l *LoadStore) (uint64, error) {
	var w word
	err := packFields(l, ldstFields, &w)
	return w[0], err
}

// UBOIndex is the immediate buffer index of LD_UBO: 8 bits that take the place
// of argument, toggle and index format. The reference compiler leaves bit 0 of
// the offset clear with it.
func (l *LoadStore) UBOIndex() int {
	i := int(l.Arg.Comp) | int(l.Arg.Reg)<<2 | int(l.Format)<<6
	if l.Toggle {
		i |= 1 << 5
	}
	return i
}

// SetUBO sets buffer index (0 to 255) and byte offset (0 to 65535) of LD_UBO.
func (l *LoadStore) SetUBO(index, offset int) {
	l.Arg = AddrReg{Comp: uint8(index & 3), Reg: uint8(index >> 2 & 7)}
	l.Toggle = index>>5&1 != 0
	l.Format = IndexFormat(index >> 6 & 3)
	l.Offset = int32(uint32(offset)<<16) >> 14
}

// UBOOffset is the byte offset of LD_UBO as the hardware takes it, 16 bits
// unsigned.
func (l *LoadStore) UBOOffset() int { return int(l.Offset>>2) & 0xffff }

// Slot is the immediate part of the descriptor index of attribute-like
// operations, and the selector of special ones.
func (l *LoadStore) Slot() int { return int(l.Offset >> 9) }

// Param is the low part of the offset of attribute-like operations: varying
// parameters, or a vertex offset.
func (l *LoadStore) Param() int { return int(l.Offset & 0x1ff) }

// SetSlot sets descriptor index (-256 to 255) and parameters (9 bits).
func (l *LoadStore) SetSlot(slot, param int) { l.Offset = int32(slot<<9 | param&0x1ff) }

// Varying parameters: the low 9 bits of the offset of LD_VARY.
const (
	VaryDivY       = 1 // divide by y
	VaryDivZ       = 2 // divide by z
	VaryDivW       = 3 // divide by w
	VaryCube       = 4 // produce the cube map pair
	VaryFlat       = 1 << 3
	VaryPersp      = 1 << 4
	VaryCentroid   = 1 << 5
	VarySample     = 1 << 6
	VarySmooth     = VaryPersp | VarySample
	VaryFlatParams = VarySmooth | VaryFlat
)

// AtomicSrc is the register (r26 + Reg) and component of the operand of an
// atomic, kept in the swizzle field.
func (l *LoadStore) AtomicSrc() AddrReg {
	return AddrReg{Reg: uint8(l.Swizzle) >> 2 & 7, Comp: uint8(l.Swizzle) & 3}
}

// SetAtomicSrc sets the operand of an atomic.
func (l *LoadStore) SetAtomicSrc(a AddrReg) { l.Swizzle = Swizzle(a.Comp&3 | a.Reg&7<<2) }

// TargetDepth is what tilebuffer operations name the depth by, beside the numbers of render targets (midgard.md §5.8).
const TargetDepth = 0x1f

// TargetIndex is the immediate render target of the tilebuffer operations.
func (l *LoadStore) TargetIndex() int { return int(l.Index.Comp) | int(l.Index.Reg)<<2 }

// ColorFormat is the format specifier of the colour operations.
func (l *LoadStore) ColorFormat() int { return int(l.Offset)<<4&0x3fffff | int(l.Shift) }
