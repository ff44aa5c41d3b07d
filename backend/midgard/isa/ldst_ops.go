package isa

import (
	"fmt"
	"sync"
)

// LdOp is a load/store opcode: the number in the instruction word.
type LdOp uint8

// Load/store opcodes (midgard.md §5.4).
const (
	LdNop               LdOp = 0x03
	LdUnpackF32         LdOp = 0x04
	LdUnpackF16         LdOp = 0x05
	LdUnpackU32         LdOp = 0x06
	LdUnpackS32         LdOp = 0x07
	LdPackF32           LdOp = 0x08
	LdPackF16           LdOp = 0x09
	LdPackU32           LdOp = 0x0a
	LdPackS32           LdOp = 0x0b
	LdLea               LdOp = 0x0c
	LdLeaImage          LdOp = 0x0d
	LdCubemap           LdOp = 0x0e
	LdMov               LdOp = 0x10
	LdPerspDivY         LdOp = 0x11
	LdPerspDivZ         LdOp = 0x12
	LdPerspDivW         LdOp = 0x13
	LdAtomicAdd         LdOp = 0x40
	LdAtomicAdd64       LdOp = 0x41
	LdAtomicAddBe       LdOp = 0x42
	LdAtomicAdd64Be     LdOp = 0x43
	LdAtomicAnd         LdOp = 0x44
	LdAtomicAnd64       LdOp = 0x45
	LdAtomicAndBe       LdOp = 0x46
	LdAtomicAnd64Be     LdOp = 0x47
	LdAtomicOr          LdOp = 0x48
	LdAtomicOr64        LdOp = 0x49
	LdAtomicOrBe        LdOp = 0x4a
	LdAtomicOr64Be      LdOp = 0x4b
	LdAtomicXor         LdOp = 0x4c
	LdAtomicXor64       LdOp = 0x4d
	LdAtomicXorBe       LdOp = 0x4e
	LdAtomicXor64Be     LdOp = 0x4f
	LdAtomicSmin        LdOp = 0x50
	LdAtomicSmin64      LdOp = 0x51
	LdAtomicSminBe      LdOp = 0x52
	LdAtomicSmin64Be    LdOp = 0x53
	LdAtomicUmin        LdOp = 0x54
	LdAtomicUmin64      LdOp = 0x55
	LdAtomicUminBe      LdOp = 0x56
	LdAtomicUmin64Be    LdOp = 0x57
	LdAtomicSmax        LdOp = 0x58
	LdAtomicSmax64      LdOp = 0x59
	LdAtomicSmaxBe      LdOp = 0x5a
	LdAtomicSmax64Be    LdOp = 0x5b
	LdAtomicUmax        LdOp = 0x5c
	LdAtomicUmax64      LdOp = 0x5d
	LdAtomicUmaxBe      LdOp = 0x5e
	LdAtomicUmax64Be    LdOp = 0x5f
	LdAtomicXchg        LdOp = 0x60
	LdAtomicXchg64      LdOp = 0x61
	LdAtomicXchgBe      LdOp = 0x62
	LdAtomicXchg64Be    LdOp = 0x63
	LdAtomicCmpXchg     LdOp = 0x64
	LdAtomicCmpXchg64   LdOp = 0x65
	LdAtomicCmpXchgBe   LdOp = 0x66
	LdAtomicCmpXchg64Be LdOp = 0x67
	LdU8                LdOp = 0x80
	LdS8                LdOp = 0x81
	LdU16               LdOp = 0x84
	LdS16               LdOp = 0x85
	LdU16Be             LdOp = 0x86
	LdS16Be             LdOp = 0x87
	Ld32                LdOp = 0x88
	Ld32Bswap2          LdOp = 0x89
	Ld32Bswap4          LdOp = 0x8a
	Ld64                LdOp = 0x8c
	Ld64Bswap2          LdOp = 0x8d
	Ld64Bswap4          LdOp = 0x8e
	Ld64Bswap8          LdOp = 0x8f
	Ld128               LdOp = 0x90
	Ld128Bswap2         LdOp = 0x91
	Ld128Bswap4         LdOp = 0x92
	Ld128Bswap8         LdOp = 0x93
	LdAttrF32           LdOp = 0x94
	LdAttrF16           LdOp = 0x95
	LdAttrU32           LdOp = 0x96
	LdAttrS32           LdOp = 0x97
	LdVaryF32           LdOp = 0x98
	LdVaryF16           LdOp = 0x99
	LdVaryU32           LdOp = 0x9a
	LdVaryS32           LdOp = 0x9b
	LdSpecialF32        LdOp = 0x9c
	LdSpecialF16        LdOp = 0x9d
	LdSpecialU32        LdOp = 0x9e
	LdSpecialS32        LdOp = 0x9f
	LdUboU8             LdOp = 0xa0
	LdUboS8             LdOp = 0xa1
	LdUboU16            LdOp = 0xa4
	LdUboS16            LdOp = 0xa5
	LdUboU16Be          LdOp = 0xa6
	LdUboS16Be          LdOp = 0xa7
	LdUbo32             LdOp = 0xa8
	LdUbo32Bswap2       LdOp = 0xa9
	LdUbo32Bswap4       LdOp = 0xaa
	LdUbo64             LdOp = 0xac
	LdUbo64Bswap2       LdOp = 0xad
	LdUbo64Bswap4       LdOp = 0xae
	LdUbo64Bswap8       LdOp = 0xaf
	LdUbo128            LdOp = 0xb0
	LdUbo128Bswap2      LdOp = 0xb1
	LdUbo128Bswap4      LdOp = 0xb2
	LdUbo128Bswap8      LdOp = 0xb3
	LdImageF32          LdOp = 0xb4
	LdImageF16          LdOp = 0xb5
	LdImageU32          LdOp = 0xb6
	LdImageS32          LdOp = 0xb7
	LdTileF32           LdOp = 0xb8
	LdTileF16           LdOp = 0xb9
	LdTileRaw           LdOp = 0xba
	StU8                LdOp = 0xc0
	StS8                LdOp = 0xc1
	StU16               LdOp = 0xc4
	StS16               LdOp = 0xc5
	StU16Be             LdOp = 0xc6
	StS16Be             LdOp = 0xc7
	St32                LdOp = 0xc8
	St32Bswap2          LdOp = 0xc9
	St32Bswap4          LdOp = 0xca
	St64                LdOp = 0xcc
	St64Bswap2          LdOp = 0xcd
	St64Bswap4          LdOp = 0xce
	St64Bswap8          LdOp = 0xcf
	St128               LdOp = 0xd0
	St128Bswap2         LdOp = 0xd1
	St128Bswap4         LdOp = 0xd2
	St128Bswap8         LdOp = 0xd3
	StVaryF32           LdOp = 0xd4
	StVaryF16           LdOp = 0xd5
	StVaryU32           LdOp = 0xd6
	StVaryS32           LdOp = 0xd7
	StImageF32          LdOp = 0xd8
	StImageF16          LdOp = 0xd9
	StImageU32          LdOp = 0xda
	StImageS32          LdOp = 0xdb
	StSpecialF32        LdOp = 0xdc
	StSpecialF16        LdOp = 0xdd
	StSpecialU32        LdOp = 0xde
	StSpecialS32        LdOp = 0xdf
	StTileF32           LdOp = 0xe8
	StTileF16           LdOp = 0xe9
	StTileRaw           LdOp = 0xea
	LdTrap              LdOp = 0xfc
)

// Kind groups the load/store operations that take their operands alike.
type Kind uint8

// The kinds.
const (
	KindUnknown Kind = iota
	KindNop
	KindUnpack    // raw colour to typed vec4
	KindPack      // typed vec4 to raw colour
	KindLea       // effective address
	KindLeaImage  // address of a texel
	KindCube      // direction to cube map pair
	KindMov       // copy of an address register
	KindPersp     // division by a component
	KindAtomic    // atomic with one operand
	KindCmpXchg   // compare and exchange
	KindLoad      // memory load
	KindAttr      // vertex attribute
	KindVary      // varying
	KindSpecial   // value by selector
	KindUbo       // uniform buffer
	KindImage     // image load
	KindTile      // tilebuffer read
	KindStore     // memory store
	KindStVary    // vertex output
	KindStImage   // image store
	KindStSpecial // store by selector
	KindStTile    // tilebuffer write
	KindTrap
)

// Elem is the type of the components of a typed operation.
type Elem uint8

// The types.
const (
	ElemNone Elem = iota
	ElemF32
	ElemF16
	ElemU32
	ElemS32
)

// AtomicOp is what an atomic does to memory.
type AtomicOp uint8

// The atomic operations.
const (
	AtomicNone AtomicOp = iota
	AtomicAdd
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicSmin
	AtomicUmin
	AtomicSmax
	AtomicUmax
	AtomicXchg
	AtomicCmpXchg
)

// LdInfo is what the table says of a load/store operation.
type LdInfo struct {
	Text   string // mnemonic
	Kind   Kind
	Size   uint8 // bytes of memory touched
	Signed bool  // loads of 8 and 16 bits sign-extend
	Swap   uint8 // memory holds big-endian units of so many bytes; 0: little-endian
	Elem   Elem
	Atomic AtomicOp
	// Nameless operations print as their number.
	Nameless bool
}

// Info returns the operation's table row; one that the table does not know has
// KindUnknown.
func (o LdOp) Info() *LdInfo { return &ldTable[o] }

// String is the operation's mnemonic.
func (o LdOp) String() string {
	if o == LdNop {
		return "nop"
	}
	return o.mnemonic()
}

// mnemonic is what the operation prints as: nothing for an empty slot, its number if the table does not know it.
func (o LdOp) mnemonic() string {
	if t := ldTable[o].Text; t != "" || o == LdNop {
		return t
	}
	return fmt.Sprintf("ldst_op_%02X", uint8(o))
}

// Load reports whether Reg is a destination.
func (o LdOp) Load() bool {
	k := ldTable[o].Kind
	return k >= KindUnpack && k <= KindTile
}

// Store reports whether Reg is a source, r26 or r27.
func (o LdOp) Store() bool {
	k := ldTable[o].Kind
	return k >= KindStore && k <= KindStTile
}

// attrLike reports whether the operation's offset holds a descriptor index.
func (o LdOp) attrLike() bool {
	switch ldTable[o].Kind {
	case KindAttr, KindVary, KindImage, KindStVary, KindStImage, KindLeaImage:
		return true
	}
	return false
}

var ldByText = sync.OnceValue(func() map[string]LdOp {
	list := map[string]LdOp{}
	for i := range ldTable {
		list[LdOp(i).mnemonic()] = LdOp(i)
	}
	return list
})

// ldTable describes every known load/store opcode.
var ldTable = [256]LdInfo{
	LdNop:               {Text: "", Kind: KindNop},
	LdUnpackF32:         {Text: "UNPACK.f32", Kind: KindUnpack, Elem: ElemF32},
	LdUnpackF16:         {Text: "UNPACK.f16", Kind: KindUnpack, Elem: ElemF16},
	LdUnpackU32:         {Text: "UNPACK.u32", Kind: KindUnpack, Elem: ElemU32},
	LdUnpackS32:         {Text: "UNPACK.s32", Kind: KindUnpack, Elem: ElemS32},
	LdPackF32:           {Text: "PACK.f32", Kind: KindPack, Elem: ElemF32},
	LdPackF16:           {Text: "PACK.f16", Kind: KindPack, Elem: ElemF16},
	LdPackU32:           {Text: "PACK.u32", Kind: KindPack, Elem: ElemU32},
	LdPackS32:           {Text: "PACK.s32", Kind: KindPack, Elem: ElemS32},
	LdLea:               {Text: "LEA", Kind: KindLea},
	LdLeaImage:          {Text: "LEA_IMAGE", Kind: KindLeaImage},
	LdCubemap:           {Text: "CUBEMAP", Kind: KindCube},
	LdMov:               {Text: "LDST_MOV", Kind: KindMov},
	LdPerspDivY:         {Text: "LDST_PERSPECTIVE_DIV_Y", Kind: KindPersp},
	LdPerspDivZ:         {Text: "LDST_PERSPECTIVE_DIV_Z", Kind: KindPersp},
	LdPerspDivW:         {Text: "LDST_PERSPECTIVE_DIV_W", Kind: KindPersp},
	LdAtomicAdd:         {Text: "AADD.32", Kind: KindAtomic, Size: 4, Atomic: AtomicAdd},
	LdAtomicAdd64:       {Text: "AADD.64.be", Kind: KindAtomic, Size: 8, Atomic: AtomicAdd},
	LdAtomicAddBe:       {Text: "AADD.32.be", Kind: KindAtomic, Size: 4, Swap: 4, Atomic: AtomicAdd},
	LdAtomicAdd64Be:     {Text: "ldst_op_43", Kind: KindAtomic, Size: 8, Swap: 8, Atomic: AtomicAdd, Nameless: true},
	LdAtomicAnd:         {Text: "AAND.32", Kind: KindAtomic, Size: 4, Atomic: AtomicAnd},
	LdAtomicAnd64:       {Text: "AAND.64.be", Kind: KindAtomic, Size: 8, Atomic: AtomicAnd},
	LdAtomicAndBe:       {Text: "AAND.32.be", Kind: KindAtomic, Size: 4, Swap: 4, Atomic: AtomicAnd},
	LdAtomicAnd64Be:     {Text: "ldst_op_47", Kind: KindAtomic, Size: 8, Swap: 8, Atomic: AtomicAnd, Nameless: true},
	LdAtomicOr:          {Text: "AOR.32", Kind: KindAtomic, Size: 4, Atomic: AtomicOr},
	LdAtomicOr64:        {Text: "AOR.64.be", Kind: KindAtomic, Size: 8, Atomic: AtomicOr},
	LdAtomicOrBe:        {Text: "AOR.32.be", Kind: KindAtomic, Size: 4, Swap: 4, Atomic: AtomicOr},
	LdAtomicOr64Be:      {Text: "ldst_op_4B", Kind: KindAtomic, Size: 8, Swap: 8, Atomic: AtomicOr, Nameless: true},
	LdAtomicXor:         {Text: "AXOR.32", Kind: KindAtomic, Size: 4, Atomic: AtomicXor},
	LdAtomicXor64:       {Text: "AXOR.64.be", Kind: KindAtomic, Size: 8, Atomic: AtomicXor},
	LdAtomicXorBe:       {Text: "AXOR.32.be", Kind: KindAtomic, Size: 4, Swap: 4, Atomic: AtomicXor},
	LdAtomicXor64Be:     {Text: "ldst_op_4F", Kind: KindAtomic, Size: 8, Swap: 8, Atomic: AtomicXor, Nameless: true},
	LdAtomicSmin:        {Text: "AMIN.s32", Kind: KindAtomic, Size: 4, Atomic: AtomicSmin},
	LdAtomicSmin64:      {Text: "AMIN.s64.be", Kind: KindAtomic, Size: 8, Atomic: AtomicSmin},
	LdAtomicSminBe:      {Text: "AMIN.s32.be", Kind: KindAtomic, Size: 4, Swap: 4, Atomic: AtomicSmin},
	LdAtomicSmin64Be:    {Text: "ldst_op_53", Kind: KindAtomic, Size: 8, Swap: 8, Atomic: AtomicSmin, Nameless: true},
	LdAtomicUmin:        {Text: "AMIN.u32", Kind: KindAtomic, Size: 4, Atomic: AtomicUmin},
	LdAtomicUmin64:      {Text: "AMIN.u64.be", Kind: KindAtomic, Size: 8, Atomic: AtomicUmin},
	LdAtomicUminBe:      {Text: "AMIN.u32.be", Kind: KindAtomic, Size: 4, Swap: 4, Atomic: AtomicUmin},
	LdAtomicUmin64Be:    {Text: "ldst_op_57", Kind: KindAtomic, Size: 8, Swap: 8, Atomic: AtomicUmin, Nameless: true},
	LdAtomicSmax:        {Text: "AMAX.s32", Kind: KindAtomic, Size: 4, Atomic: AtomicSmax},
	LdAtomicSmax64:      {Text: "AMAX.s64.be", Kind: KindAtomic, Size: 8, Atomic: AtomicSmax},
	LdAtomicSmaxBe:      {Text: "AMAX.s32.be", Kind: KindAtomic, Size: 4, Swap: 4, Atomic: AtomicSmax},
	LdAtomicSmax64Be:    {Text: "ldst_op_5B", Kind: KindAtomic, Size: 8, Swap: 8, Atomic: AtomicSmax, Nameless: true},
	LdAtomicUmax:        {Text: "AMAX.u32", Kind: KindAtomic, Size: 4, Atomic: AtomicUmax},
	LdAtomicUmax64:      {Text: "AMAX.u64.be", Kind: KindAtomic, Size: 8, Atomic: AtomicUmax},
	LdAtomicUmaxBe:      {Text: "AMAX.u32.be", Kind: KindAtomic, Size: 4, Swap: 4, Atomic: AtomicUmax},
	LdAtomicUmax64Be:    {Text: "ldst_op_5F", Kind: KindAtomic, Size: 8, Swap: 8, Atomic: AtomicUmax, Nameless: true},
	LdAtomicXchg:        {Text: "XCHG.32", Kind: KindAtomic, Size: 4, Atomic: AtomicXchg},
	LdAtomicXchg64:      {Text: "XCHG.64.be", Kind: KindAtomic, Size: 8, Atomic: AtomicXchg},
	LdAtomicXchgBe:      {Text: "XCHG.32.be", Kind: KindAtomic, Size: 4, Swap: 4, Atomic: AtomicXchg},
	LdAtomicXchg64Be:    {Text: "ldst_op_63", Kind: KindAtomic, Size: 8, Swap: 8, Atomic: AtomicXchg, Nameless: true},
	LdAtomicCmpXchg:     {Text: "CMPXCHG.32", Kind: KindCmpXchg, Size: 4, Atomic: AtomicCmpXchg},
	LdAtomicCmpXchg64:   {Text: "CMPXCHG.64.be", Kind: KindCmpXchg, Size: 8, Atomic: AtomicCmpXchg},
	LdAtomicCmpXchgBe:   {Text: "CMPXCHG.32.be", Kind: KindCmpXchg, Size: 4, Swap: 4, Atomic: AtomicCmpXchg},
	LdAtomicCmpXchg64Be: {Text: "ldst_op_67", Kind: KindCmpXchg, Size: 8, Swap: 8, Atomic: AtomicCmpXchg, Nameless: true},
	LdU8:                {Text: "LD.u8", Kind: KindLoad, Size: 1},
	LdS8:                {Text: "LD.s8", Kind: KindLoad, Size: 1, Signed: true},
	LdU16:               {Text: "LD.u16", Kind: KindLoad, Size: 2},
	LdS16:               {Text: "LD.s16", Kind: KindLoad, Size: 2, Signed: true},
	LdU16Be:             {Text: "LD.u16.be", Kind: KindLoad, Size: 2, Swap: 2},
	LdS16Be:             {Text: "LD.s16.be", Kind: KindLoad, Size: 2, Swap: 2, Signed: true},
	Ld32:                {Text: "LD.32", Kind: KindLoad, Size: 4},
	Ld32Bswap2:          {Text: "LD.32.bswap2", Kind: KindLoad, Size: 4, Swap: 2},
	Ld32Bswap4:          {Text: "LD.32.bswap4", Kind: KindLoad, Size: 4, Swap: 4},
	Ld64:                {Text: "LD.64", Kind: KindLoad, Size: 8},
	Ld64Bswap2:          {Text: "LD.64.bswap2", Kind: KindLoad, Size: 8, Swap: 2},
	Ld64Bswap4:          {Text: "LD.64.bswap4", Kind: KindLoad, Size: 8, Swap: 4},
	Ld64Bswap8:          {Text: "LD.64.bswap8", Kind: KindLoad, Size: 8, Swap: 8},
	Ld128:               {Text: "LD.128", Kind: KindLoad, Size: 16},
	Ld128Bswap2:         {Text: "LD.128.bswap2", Kind: KindLoad, Size: 16, Swap: 2},
	Ld128Bswap4:         {Text: "LD.128.bswap4", Kind: KindLoad, Size: 16, Swap: 4},
	Ld128Bswap8:         {Text: "LD.128.bswap8", Kind: KindLoad, Size: 16, Swap: 8},
	LdAttrF32:           {Text: "LD_ATTR.f32", Kind: KindAttr, Elem: ElemF32},
	LdAttrF16:           {Text: "LD_ATTR.f16", Kind: KindAttr, Elem: ElemF16},
	LdAttrU32:           {Text: "LD_ATTR.u32", Kind: KindAttr, Elem: ElemU32},
	LdAttrS32:           {Text: "LD_ATTR.s32", Kind: KindAttr, Elem: ElemS32},
	LdVaryF32:           {Text: "LD_VARY.f32", Kind: KindVary, Elem: ElemF32},
	LdVaryF16:           {Text: "LD_VARY.f16", Kind: KindVary, Elem: ElemF16},
	LdVaryU32:           {Text: "LD_VARY.u32", Kind: KindVary, Elem: ElemU32},
	LdVaryS32:           {Text: "LD_VARY.s32", Kind: KindVary, Elem: ElemS32},
	LdSpecialF32:        {Text: "LD_SPECIAL.f32", Kind: KindSpecial, Elem: ElemF32},
	LdSpecialF16:        {Text: "LD_SPECIAL.f16", Kind: KindSpecial, Elem: ElemF16},
	LdSpecialU32:        {Text: "LD_SPECIAL.u32", Kind: KindSpecial, Elem: ElemU32},
	LdSpecialS32:        {Text: "LD_SPECIAL.s32", Kind: KindSpecial, Elem: ElemS32},
	LdUboU8:             {Text: "LD_UBO.u8", Kind: KindUbo, Size: 1},
	LdUboS8:             {Text: "LD_UBO.s8", Kind: KindUbo, Size: 1, Signed: true},
	LdUboU16:            {Text: "LD_UBO.u16", Kind: KindUbo, Size: 2},
	LdUboS16:            {Text: "LD_UBO.s16", Kind: KindUbo, Size: 2, Signed: true},
	LdUboU16Be:          {Text: "LD_UBO.u16.be", Kind: KindUbo, Size: 2, Swap: 2},
	LdUboS16Be:          {Text: "LD_UBO.s16.be", Kind: KindUbo, Size: 2, Swap: 2, Signed: true},
	LdUbo32:             {Text: "LD_UBO.32", Kind: KindUbo, Size: 4},
	LdUbo32Bswap2:       {Text: "LD_UBO.32.bswap2", Kind: KindUbo, Size: 4, Swap: 2},
	LdUbo32Bswap4:       {Text: "LD_UBO.32.bswap4", Kind: KindUbo, Size: 4, Swap: 4},
	LdUbo64:             {Text: "LD_UBO.64", Kind: KindUbo, Size: 8},
	LdUbo64Bswap2:       {Text: "LD_UBO.64.bswap2", Kind: KindUbo, Size: 8, Swap: 2},
	LdUbo64Bswap4:       {Text: "LD_UBO.64.bswap4", Kind: KindUbo, Size: 8, Swap: 4},
	LdUbo64Bswap8:       {Text: "LD_UBO.64.bswap8", Kind: KindUbo, Size: 8, Swap: 8},
	LdUbo128:            {Text: "LD_UBO.128", Kind: KindUbo, Size: 16},
	LdUbo128Bswap2:      {Text: "LD_UBO.128.bswap2", Kind: KindUbo, Size: 16, Swap: 2},
	LdUbo128Bswap4:      {Text: "LD_UBO.128.bswap4", Kind: KindUbo, Size: 16, Swap: 4},
	LdUbo128Bswap8:      {Text: "LD_UBO.128.bswap8", Kind: KindUbo, Size: 16, Swap: 8},
	LdImageF32:          {Text: "LD_IMAGE.f32", Kind: KindImage, Elem: ElemF32},
	LdImageF16:          {Text: "LD_IMAGE.f16", Kind: KindImage, Elem: ElemF16},
	LdImageU32:          {Text: "LD_IMAGE.u32", Kind: KindImage, Elem: ElemU32},
	LdImageS32:          {Text: "LD_IMAGE.s32", Kind: KindImage, Elem: ElemS32},
	LdTileF32:           {Text: "LD_TILEBUFFER.f32", Kind: KindTile, Elem: ElemF32},
	LdTileF16:           {Text: "LD_TILEBUFFER.f16", Kind: KindTile, Elem: ElemF16},
	LdTileRaw:           {Text: "LD_TILEBUFFER.raw", Kind: KindTile, Elem: ElemU32},
	StU8:                {Text: "ST.u8", Kind: KindStore, Size: 1},
	StS8:                {Text: "ST.s8", Kind: KindStore, Size: 1, Signed: true},
	StU16:               {Text: "ST.u16", Kind: KindStore, Size: 2},
	StS16:               {Text: "ST.s16", Kind: KindStore, Size: 2, Signed: true},
	StU16Be:             {Text: "ST.u16.be", Kind: KindStore, Size: 2, Swap: 2},
	StS16Be:             {Text: "ST.s16.be", Kind: KindStore, Size: 2, Swap: 2, Signed: true},
	St32:                {Text: "ST.32", Kind: KindStore, Size: 4},
	St32Bswap2:          {Text: "ST.32.bswap2", Kind: KindStore, Size: 4, Swap: 2},
	St32Bswap4:          {Text: "ST.32.bswap4", Kind: KindStore, Size: 4, Swap: 4},
	St64:                {Text: "ST.64", Kind: KindStore, Size: 8},
	St64Bswap2:          {Text: "ST.64.bswap2", Kind: KindStore, Size: 8, Swap: 2},
	St64Bswap4:          {Text: "ST.64.bswap4", Kind: KindStore, Size: 8, Swap: 4},
	St64Bswap8:          {Text: "ST.64.bswap8", Kind: KindStore, Size: 8, Swap: 8},
	St128:               {Text: "ST.128", Kind: KindStore, Size: 16},
	St128Bswap2:         {Text: "ST.128.bswap2", Kind: KindStore, Size: 16, Swap: 2},
	St128Bswap4:         {Text: "ST.128.bswap4", Kind: KindStore, Size: 16, Swap: 4},
	St128Bswap8:         {Text: "ST.128.bswap8", Kind: KindStore, Size: 16, Swap: 8},
	StVaryF32:           {Text: "ST_VARY.f32", Kind: KindStVary, Elem: ElemF32},
	StVaryF16:           {Text: "ST_VARY.f16", Kind: KindStVary, Elem: ElemF16},
	StVaryU32:           {Text: "ST_VARY.u32", Kind: KindStVary, Elem: ElemU32},
	StVaryS32:           {Text: "ST_VARY.s32", Kind: KindStVary, Elem: ElemS32},
	StImageF32:          {Text: "ST_IMAGE.f32", Kind: KindStImage, Elem: ElemF32},
	StImageF16:          {Text: "ST_IMAGE.f16", Kind: KindStImage, Elem: ElemF16},
	StImageU32:          {Text: "ST_IMAGE.s32", Kind: KindStImage, Elem: ElemU32},
	StImageS32:          {Text: "ST_IMAGE.u32", Kind: KindStImage, Elem: ElemS32},
	StSpecialF32:        {Text: "ST_SPECIAL.f32", Kind: KindStSpecial, Elem: ElemF32},
	StSpecialF16:        {Text: "ST_SPECIAL.f16", Kind: KindStSpecial, Elem: ElemF16},
	StSpecialU32:        {Text: "ST_SPECIAL.u32", Kind: KindStSpecial, Elem: ElemU32},
	StSpecialS32:        {Text: "ST_SPECIAL.s32", Kind: KindStSpecial, Elem: ElemS32},
	StTileF32:           {Text: "ST_TILEBUFFER.f32", Kind: KindStTile, Elem: ElemF32},
	StTileF16:           {Text: "ST_TILEBUFFER.f16", Kind: KindStTile, Elem: ElemF16},
	StTileRaw:           {Text: "ST_TILEBUFFER.raw", Kind: KindStTile, Elem: ElemU32},
	LdTrap:              {Text: "ldst_op_FC", Kind: KindTrap, Nameless: true},
}
