package ir

// BlendFactor, BlendOp and LogicOp are what a pipeline does with a colour and
// what its render target holds, in Vulkan's order: passes that blend in the
// shader and the software GPU, which blends after it, speak of the same.
type (
	BlendFactor uint8
	BlendOp     uint8
	LogicOp     uint8
)

// Blend factors.
const (
	BlendZero BlendFactor = iota
	BlendOne
	BlendSrcColor
	BlendOneMinusSrcColor
	BlendDstColor
	BlendOneMinusDstColor
	BlendSrcAlpha
	BlendOneMinusSrcAlpha
	BlendDstAlpha
	BlendOneMinusDstAlpha
	BlendConstantColor
	BlendOneMinusConstantColor
	BlendConstantAlpha
	BlendOneMinusConstantAlpha
	BlendSrcAlphaSaturate
	BlendSrc1Color
	BlendOneMinusSrc1Color
	BlendSrc1Alpha
	BlendOneMinusSrc1Alpha
)

// Blend operations.
const (
	BlendAdd BlendOp = iota
	BlendSubtract
	BlendReverseSubtract
	BlendMin
	BlendMax
)

// Logic operations.
const (
	LogicClear LogicOp = iota
	LogicAnd
	LogicAndReverse
	LogicCopy
	LogicAndInverted
	LogicNoOp
	LogicXor
	LogicOr
	LogicNor
	LogicEquivalent
	LogicInvert
	LogicOrReverse
	LogicCopyInverted
	LogicOrInverted
	LogicNand
	LogicSet
)

// The names of blend factors, blend operations and logic operations, by number:
// Vulkan's in lower case.
var (
	BlendFactorNames = []string{"zero", "one", "src_color", "one_minus_src_color", "dst_color", "one_minus_dst_color", "src_alpha", "one_minus_src_alpha",
		"dst_alpha", "one_minus_dst_alpha", "constant_color", "one_minus_constant_color", "constant_alpha", "one_minus_constant_alpha",
		"src_alpha_saturate", "src1_color", "one_minus_src1_color", "src1_alpha", "one_minus_src1_alpha"}
	BlendOpNames = []string{"add", "subtract", "reverse_subtract", "min", "max"}
	LogicOpNames = []string{"clear", "and", "and_reverse", "copy", "and_inverted", "no_op", "xor", "or", "nor", "equivalent", "invert", "or_reverse",
		"copy_inverted", "or_inverted", "nand", "set"}
)
