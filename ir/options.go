package ir

import "nirc/ir/optab"

// TypeClass is how an operand's bits are read.
type TypeClass = optab.Class

// Type classes.
const (
	ClassNone  = optab.ClassNone
	ClassUint  = optab.ClassUint
	ClassInt   = optab.ClassInt
	ClassFloat = optab.ClassFloat
	ClassBool  = optab.ClassBool
)

// Options say what a target wants lowered and what it has. The zero value
// asks for nothing: every operation stays. They steer the algebraic rules and
// lower_alu (nir-ir.md §4.4).
type Options struct {
	Target string // "agx", "ir3", "midgard", or "" for none

	// Lower*: the operation is rewritten into others.
	LowerFdiv, LowerFlrp, LowerFpow, LowerFmod, LowerFfract     bool
	LowerScmp                                                   bool // slt sge seq sne
	LowerLdexp, LowerIsign, LowerFsign, LowerIabs, LowerIneg    bool
	LowerFfma16, LowerFfma32, LowerFfma64                       bool
	LowerFsqrt, LowerFquantize2f16, LowerFisnormal              bool
	LowerUaddCarry, LowerUsubBorrow, LowerAddSat, LowerUsubSat  bool
	LowerBitfieldInsert, LowerBitfieldExtract                   bool
	LowerBitfieldReverse, LowerBitCount                         bool
	LowerFindLsb, LowerIfindMsb, LowerUfindMsb, LowerUclz       bool
	LowerMulHigh, LowerMul2x32_64                               bool
	LowerExtractByte, LowerExtractWord                          bool
	LowerInsertByte, LowerInsertWord                            bool
	LowerPackSnorm, LowerPackUnorm, LowerPackHalf, LowerPackInt bool
	LowerPackSplit                                              bool // pack_64_2x32 … as split operations
	LowerHadd, LowerFminMaxSignedZero, LowerRotate, LowerIadd3  bool
	LowerFdph, LowerFdot, LowerVectorCmp                        bool // horizontals into scalar chains
	LowerInt64                                                  bool // all 64-bit integer operations
	LowerDouble                                                 bool // 64-bit floats are not supported
	LowerSinCosArg                                              bool // the target's sin and cos want a reduced argument
	LowerFceil, LowerFrem, LowerUabsSub                         bool
	LowerDot4x8, LowerDotSat                                    bool // products of packed bytes, and those whose sums saturate
	LowerSdot4x8                                                bool // products of signed bytes into those of signed and unsigned ones
	LowerBitfieldSelect, LowerMsad, LowerFsatSigned             bool

	// SplitFfma*: ffma rounds its product too, or nobody has written down that it does not.
	SplitFfma16, SplitFfma32 bool
	// Fuse*: fmul + fadd becomes ffma when neither is exact.
	FuseFfma16, FuseFfma32, FuseFfma64 bool
	// Has*: the operation exists.
	HasFsub, HasIsub, HasImul24, HasUmul24, HasIcselEqz, HasIadd3 bool
	// HasLea: ilea_agx and ulea_agx are there, and products of 32 bits by 32 to 64.
	HasLea                                                bool
	HasRotate, HasDot4x8, HasBitTest, HasAmul, HasUmulLow bool
	HasImad24, HasShiftLogic                              bool // ir3's imad24, shrm … andg
	ChainsWait                                            bool // a step of a chain of operations waits for the one before
	HasGlobalInvocationID                                 bool // a register has it, without the base
	SafeConsts                                            bool // ir3: no more consts than each of five stages of a pipeline may take
	HardFaults                                            bool // agx: loads where no memory is end the program, in preambles too
	DispatchBase                                          bool // workgroup ids count from load_base_workgroup_id
	SampleShading                                         bool // fragment shaders run once a sample, whatever they read
	Points                                                bool // the pipeline draws points by the size that its vertex shader stores
	NeedsPointSize                                        bool // the hardware draws points by a size that the last stage stores, and has no other
	// JoinsDistances: the hardware has one array for clip and cull distances, the latter after the former. Stages that hand
	// their outputs to another stage keep two.
	JoinsDistances bool
	Multiview      bool // the pipeline draws views: input attachments are read at the view
	// Robust is what becomes of accesses out of bounds; BoundsByElement: the hardware tests the bounds of
	// buffers itself, for each element of an access.
	Robust          Robust
	BoundsByElement bool
	// LoadsTear: of what others write meanwhile, a load from one address may give some lanes what was there before and others what
	// is there after.
	LoadsTear bool
	// CutsTexels: what the texture unit gives as halves it rounds toward zero, else to nearest even.
	CutsTexels bool
	// UniformCost is how many operations on uniform values linking moves into the stage that reads their result as a
	// varying; SmoothCheaper: a varying that is equal at all vertices costs less if it is interpolated.
	UniformCost   uint8
	SmoothCheaper bool

	// YCbCr are the conversions of immutable samplers that lower_tex carries out, nil none.
	YCbCr *YCbCrTable

	// Vectors: the widest ALU vector the target executes (1: scalar).
	MaxVectorWidth uint8
	// SubgroupSize is the size of every subgroup, 0 where it is known at run time only.
	SubgroupSize uint8
	// MinSubgroupSize is the size of the smallest subgroups where it is known at run time only, 0 if nothing is known.
	MinSubgroupSize uint8
	// MatrixLanes is how many lanes share a cooperative matrix, a power of two that divides the size of each subgroup; 0 is 1.
	MatrixLanes uint8
	// Booleans32: booleans become 32-bit masks before selection.
	Booleans32 bool
	// FloatControls are the modes that the target honours, by property and size. A module that asks for
	// another is refused.
	FloatControls FloatControls
	// LowerIndirect are the modes whose indirect access becomes ifs.
	LowerIndirect Mode
	// NoBaryCoord: interpolation keeps the barycentrics to itself, so shaders
	// cannot read them (BaryCoord).
	NoBaryCoord bool
	// MaxUnroll bounds the trip count of unrolled loops.
	MaxUnroll uint32
	// MaxSampling bounds the instructions that a loop with texture operations becomes of which only the largest trip count is
	// known: its time is theirs. 0: as many as others.
	MaxSampling int
	// Int8ALU and Int16ALU: arithmetic of that size is native.
	Int8ALU, Int16ALU, Float16ALU bool
}
