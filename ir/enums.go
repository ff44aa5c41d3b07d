package ir

// Mode is a set of variable modes: what kind of storage a variable or a
// pointer refers to (NIR's nir_variable_mode). A variable has exactly one
// bit; a deref may have several only among ModeGeneric.
type Mode uint32

// Variable modes.
const (
	ModeShaderIn Mode = 1 << iota
	ModeShaderOut
	ModeUniform // samplers, textures
	ModeImage   // storage images
	ModeSystemValue
	ModeUBO
	ModeSSBO
	ModePushConst
	ModeConstant
	ModeShared
	ModeGlobal
	ModeShaderTemp
	ModeFunctionTemp
	// ModeTaskPayload is what a task shader hands to the mesh shaders that it launches.
	ModeTaskPayload
	// ModeShaderCall is what shaders of ray tracing hand to those that they call and get back.
	ModeShaderCall
	// ModeHitAttrib is what an intersection shader says of a hit.
	ModeHitAttrib
	modeEnd
)

// Sets of modes.
const (
	ModeNone    Mode = 0
	ModeGeneric      = ModeShaderTemp | ModeFunctionTemp | ModeShared | ModeGlobal
	// ModeReadOnly are the modes that nothing may store to.
	ModeReadOnly = ModeShaderIn | ModeUniform | ModeSystemValue | ModeUBO | ModePushConst | ModeConstant
	// ModeVecIndexable are the modes where a deref may index a vector.
	ModeVecIndexable = ModeShaderTemp | ModeFunctionTemp | ModeUBO | ModeSSBO | ModeShared | ModeGlobal | ModePushConst | ModeSystemValue |
		ModeTaskPayload | ModeShaderCall | ModeHitAttrib
	// ModeExplicit are the modes whose types carry offsets and strides.
	ModeExplicit = ModeUBO | ModeSSBO | ModePushConst | ModeConstant | ModeGlobal
)

var modeNames = [...]string{"shader_in", "shader_out", "uniform", "image", "system_value", "mem_ubo", "mem_ssbo", "mem_push_const", "mem_constant", "mem_shared", "mem_global", "shader_temp", "function_temp",
	"mem_task_payload", "shader_call_data", "ray_hit_attrib"}

// String joins the names of the set's modes with '|'; the empty set is "none".
func (m Mode) String() string {
	if m == 0 {
		return "none"
	}
	s := ""
	for i, n := range modeNames {
		if m&(1<<i) != 0 {
			if s != "" {
				s += "|"
			}
			s += n
		}
	}
	return s
}

// ParseMode returns the single mode of that name, or ModeNone.
func ParseMode(name string) Mode {
	for i, n := range modeNames {
		if n == name {
			return 1 << i
		}
	}
	return ModeNone
}

// Access is a set of memory access qualifiers (SPIR-V's decorations and
// memory operands).
type Access uint16

// Access bits. AccessCanReorder: no one writes this memory while the shader
// runs. AccessCanSpeculate: the load may run even when its branch is not taken. AccessSmallSteps:
// the offset has steps smaller than a component, so a shift that it is made of may be the
// application's own, which wraps around; only the offset as a whole says which component it is.
const (
	AccessCoherent Access = 1 << iota
	AccessRestrict
	AccessVolatile
	AccessNonReadable
	AccessNonWriteable
	AccessNonUniform
	AccessCanReorder
	AccessNonTemporal
	AccessIncludeHelpers
	AccessCanSpeculate
	AccessAliased // of a variable: others may reach its memory
	AccessSmallSteps
)

var accessNames = [...]string{"coherent", "restrict", "volatile", "non_readable", "non_writeable", "non_uniform", "can_reorder", "non_temporal", "include_helpers", "can_speculate", "aliased", "small_steps"}

// Interp is how a fragment input is interpolated.
type Interp uint8

// Interpolation modes.
const (
	InterpNone Interp = iota
	InterpSmooth
	InterpFlat
	InterpNoPerspective
	InterpExplicit
)

var interpNames = [...]string{"none", "smooth", "flat", "noperspective", "explicit"}

// String returns the mode's name as the text form spells it.
func (i Interp) String() string {
	if int(i) < len(interpNames) {
		return interpNames[i]
	}
	return "interp?"
}

// Slot is the location of a stage's input or output: one vec4 of 32-bit
// values. Three name spaces share the type: vertex attributes
// (SlotAttrib0+n, only vertex inputs), varyings and fragment results.
type Slot uint8

// Varying slots (vertex outputs, fragment inputs, and between the others).
const (
	SlotPos Slot = iota
	SlotPointSize
	SlotClipDist0
	SlotClipDist1
	SlotCullDist0
	SlotCullDist1
	SlotLayer
	SlotViewport
	SlotPrimitiveID
	SlotFace
	SlotPointCoord
	SlotTessLevelOuter
	SlotTessLevelInner
	SlotViewIndex
	SlotShadingRate
	SlotBoundingBox0
	SlotBoundingBox1
	// Of mesh and task shaders: the vertices of a primitive, how many primitives and mesh workgroups
	// there are (once a workgroup), and that a primitive is culled.
	SlotPrimitiveIndices
	SlotPrimitiveCount
	SlotTaskCount
	SlotCullPrimitive
	// SlotVar0+n is Location n.
	SlotVar0 Slot = 32
	// SlotPatch0+n is Location n of a per-patch variable.
	SlotPatch0 Slot = 64
	// NumVaryingSlots bounds the varying slots.
	NumVaryingSlots = 96
)

// Vertex attribute slots: SlotAttrib0+n is Location n.
const (
	SlotAttrib0 Slot = 0
	// NumAttribSlots bounds the vertex attribute slots.
	NumAttribSlots = 32
)

// Fragment result slots: SlotData0+n is Location n.
const (
	SlotDepth Slot = iota
	SlotStencil
	SlotSampleMask
	SlotData0 Slot = 4
	// NumResultSlots bounds the fragment result slots.
	NumResultSlots = 12
	// MaxColors is how many colour attachments there are.
	MaxColors = NumResultSlots - 4
)

// Dim is the shape of an image or a sampled texture.
type Dim uint8

// Image dimensions.
const (
	Dim1D Dim = iota
	Dim2D
	Dim3D
	DimCube
	DimRect
	DimBuf
	DimExternal
	DimMS
	DimSubpass
	DimSubpassMS
)

var dimNames = [...]string{"1D", "2D", "3D", "CUBE", "RECT", "BUF", "EXTERNAL", "MS", "SUBPASS", "SUBPASS_MS"}

// String returns the dimension's name as the text form spells it.
func (d Dim) String() string {
	if int(d) < len(dimNames) {
		return dimNames[d]
	}
	return "dim?"
}

// IsSubpass reports whether d is the shape of an input attachment.
func (d Dim) IsSubpass() bool { return d == DimSubpass || d == DimSubpassMS }

// AtomicOp is the operation of an atomic intrinsic (constant index atomic_op).
type AtomicOp uint8

// Atomic operations.
const (
	AtomicIAdd AtomicOp = iota
	AtomicIMin
	AtomicUMin
	AtomicIMax
	AtomicUMax
	AtomicIAnd
	AtomicIOr
	AtomicIXor
	AtomicXchg
	AtomicFAdd
	AtomicFMin
	AtomicFMax
	AtomicCmpXchg
	AtomicFCmpXchg
	AtomicIncWrap
	AtomicDecWrap
)

// AtomicOpNames are the names of the atomic operations in the text form.
var AtomicOpNames = [...]string{"iadd", "imin", "umin", "imax", "umax", "iand", "ior", "ixor", "xchg", "fadd", "fmin", "fmax", "cmpxchg", "fcmpxchg", "inc_wrap", "dec_wrap"}

// IsFloat reports whether the operation reads its operands as floats.
func (op AtomicOp) IsFloat() bool {
	return op >= AtomicFAdd && op <= AtomicFMax || op == AtomicFCmpXchg
}

// Scope is a synchronisation scope, narrow to wide.
type Scope uint8

// Scopes of barriers.
const (
	ScopeNone Scope = iota
	ScopeInvocation
	ScopeSubgroup
	ScopeShaderCall
	ScopeWorkgroup
	ScopeQueueFamily
	ScopeDevice
)

// ScopeNames are the names of the scopes in the text form.
var ScopeNames = [...]string{"none", "invocation", "subgroup", "shader_call", "workgroup", "queue_family", "device"}

// Semantics is the memory_semantics index of a barrier.
type Semantics uint8

// Memory semantics bits.
const (
	SemAcquire Semantics = 1 << iota
	SemRelease
	SemMakeAvailable
	SemMakeVisible
)

// SemanticsNames are the names of the memory semantics bits in the text form.
var SemanticsNames = [...]string{"acquire", "release", "make_available", "make_visible"}

// FloatControls are a shader's float execution modes: three bits (for 16, 32
// and 64-bit floats, in this order) for each of seven properties.
type FloatControls uint32

// First bit (the 16-bit one) of each property; shift left by 1 for 32, by 2 for 64 bits: times 3 is 16 and 32.
const (
	FCSignedZeroPreserve FloatControls = 1 << (3 * iota)
	FCInfPreserve
	FCNaNPreserve
	FCDenormPreserve
	FCDenormFlush
	FCRoundRTE
	FCRoundRTZ
)

// Has reports whether property p (one of the first-bit constants) holds for
// floats of the given bit size.
func (f FloatControls) Has(p FloatControls, bits uint8) bool {
	return f&(p<<floatSizeIndex(bits)) != 0
}

// With returns f with property p set for floats of the given bit size.
func (f FloatControls) With(p FloatControls, bits uint8) FloatControls {
	return f | p<<floatSizeIndex(bits)
}

// FloatModes are the execution modes about floats, by the names that SPIR-V gives them, with the
// properties that they stand for and why a target may lack them.
var FloatModes = [...]struct {
	Name       string
	Properties FloatControls // first bits
	Lacking    string
}{
	{"SignedZeroInfNanPreserve", FCSignedZeroPreserve | FCInfPreserve | FCNaNPreserve, "zeros, infinities and NaNs are not kept apart"},
	{"DenormPreserve", FCDenormPreserve, "denormals are flushed to zero"},
	{"DenormFlushToZero", FCDenormFlush, "denormals are kept"},
	{"RoundingModeRTE", FCRoundRTE, "results are not rounded to nearest even"},
	{"RoundingModeRTZ", FCRoundRTZ, "results are rounded to nearest even"},
}

// FloatSizes are the sizes of floats that modes are about.
var FloatSizes = [...]uint8{16, 32, 64}

// HasAll reports whether all the properties p (first bits) hold for floats of the given bit size.
func (f FloatControls) HasAll(p FloatControls, bits uint8) bool {
	p <<= floatSizeIndex(bits)
	return f&p == p
}

// SoftwareDoubles are the modes of 64-bit floats, all of which passes/lower_doubles honours.
const SoftwareDoubles = (FCSignedZeroPreserve | FCInfPreserve | FCNaNPreserve | FCDenormPreserve | FCDenormFlush | FCRoundRTE | FCRoundRTZ) << 2

// Beyond returns the first mode that f has and a target that honours has does not; name is "" if there is none.
func (f FloatControls) Beyond(has FloatControls) (name string, bits uint8, why string) {
	for i := range FloatModes {
		m := &FloatModes[i]
		for _, b := range FloatSizes {
			if f.HasAll(m.Properties, b) && !has.HasAll(m.Properties, b) {
				return m.Name, b, m.Lacking
			}
		}
	}
	return "", 0, ""
}

func floatSizeIndex(bits uint8) uint {
	switch bits {
	case 16:
		return 0
	case 32:
		return 1
	}
	return 2
}
