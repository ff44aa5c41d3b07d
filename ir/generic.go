package ir

// Generic pointers are addresses of 64 bits whose upper three say which memory they lead to, as NIR's format 62bit_generic has
// it by two: 0 and 7 global memory, whose addresses are so much shorter, 2 workgroup memory, 4 private memory; and 3, which is
// ours, constant data. The lower 32 bits are the place in all but global memory. In kernels all pointers that are values have this
// form, whatever is known of them.
const (
	genericShift    = 61
	genericShared   = 2
	genericConstant = 3
	genericPrivate  = 4
)

// GenericModes are what generic pointers may lead to.
const GenericModes = ModeGeneric | ModeConstant

// GenericTag is what the pointers to memory of one mode have in their upper bits.
func GenericTag(m Mode) uint64 {
	switch m {
	case ModeShared:
		return genericShared << genericShift
	case ModeConstant:
		return genericConstant << genericShift
	case ModeFunctionTemp, ModeShaderTemp:
		return genericPrivate << genericShift
	}
	return 0
}

// GenericTagShift is where the tag of generic pointers begins.
const GenericTagShift = genericShift

// GenericMode is the memory that a pointer leads to: one of ModeShared, ModeConstant, ModeFunctionTemp and ModeGlobal.
func GenericMode(ptr uint64) Mode {
	switch ptr >> genericShift {
	case genericShared:
		return ModeShared
	case genericConstant:
		return ModeConstant
	case genericPrivate:
		return ModeFunctionTemp
	}
	return ModeGlobal
}
