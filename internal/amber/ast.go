// Package amber runs AmberScript and VkScript, the languages of the Khronos
// Vulkan conformance tests' scripts (https://github.com/google/amber), on the
// software GPU of package emu. Parse turns a script of either language into a
// Script, a Runner runs one, RunFiles runs many. Who compiles the shaders is a Target's
// affair: nothing here knows an instruction set or the compiler, and no
// script passes whose expectations were not all evaluated and true.
//
// The languages are those that Amber's docs/amber_script.md and
// docs/vk_script.md describe, the second with what VkRunner adds to it.
package amber

import (
	"nirc/internal/emu"
	"nirc/internal/raytrace"

	"nirc/ir"
)

// Script is a parsed script. Names are resolved: what refers to a buffer or a
// shader points to it.
type Script struct {
	// Name is the path that files named by the script are relative to.
	Name string
	// VkScript says that the text is not AmberScript but the older VkScript.
	VkScript bool

	Requirements []Requirement
	EngineData   []EngineDatum
	Files        []*VirtualFile
	Shaders      []*ShaderDecl
	Structs      []*Struct
	Buffers      []*Buffer
	Samplers     []*Sampler
	Accels       []*AccelStruct
	Pipelines    []*Pipeline
	Commands     []Command
}

// RequirementKind is what a Requirement asks for.
type RequirementKind uint8

// Kinds of requirements.
const (
	RequireFeature RequirementKind = iota
	RequireProperty
	RequireDeviceExtension
	RequireInstanceExtension
)

// Requirement is something that the device must have for the script to run.
type Requirement struct {
	Kind RequirementKind
	Name string
	Line int
}

// EngineDatum is a SET ENGINE_DATA command. Its only one is a time for real
// hardware, which does not bound the software GPU.
type EngineDatum struct {
	Name  string
	Value uint32
	Line  int
}

// VirtualFile is a file inside the script.
type VirtualFile struct {
	Path, Text string
	Line       int
}

// ShaderStage is the kind of a shader as scripts name it: a row of ir.StageTable, or StageMulti.
type ShaderStage uint8

// Shader stages.
const (
	StageVertex ShaderStage = iota
	StageTessCtrl
	StageTessEval
	StageGeometry
	StageFragment
	StageCompute
	stageTask // scripts have no word for these two
	stageMesh
	StageRayGen
	StageAnyHit
	StageClosestHit
	StageMiss
	StageIntersection
	StageCallable
	// StageMulti is a module with several entry points, one of which is chosen
	// where it is attached.
	StageMulti
)

// ShaderFormat is the language of a shader's source.
type ShaderFormat uint8

// Shader languages.
const (
	FormatPassthrough ShaderFormat = iota
	FormatGLSL
	FormatHLSL
	FormatSpirvAsm
	FormatSpirvHex
	FormatSpirvBin
	FormatOpenCL
)

// ShaderDecl is a SHADER command.
type ShaderDecl struct {
	Name   string
	Stage  ShaderStage
	Format ShaderFormat
	// TargetEnv is the environment given, or "".
	TargetEnv string
	// Source is the text inside the script. File names a file of the file
	// system and Virtual a file inside the script instead.
	Source  string
	File    string
	Virtual *VirtualFile
	// Line is that of the command, SourceLine that of Source's first line.
	Line, SourceLine int
}

// Init is how a buffer's first contents are given.
type Init uint8

// Ways to initialise a buffer.
const (
	InitZero Init = iota
	InitData
	InitFill
	InitSeries
	InitPNG
	InitBinary
	InitText
)

// Number is a literal: an integer (two's complement in U), or a float.
type Number struct {
	U       uint64
	F       float64 // the value as a float, of integers too
	IsFloat bool
}

// Buffer is a BUFFER or IMAGE command: memory with a format.
type Buffer struct {
	Name   string
	Line   int
	Format *Format
	// IsImage tells an IMAGE command; Dim is its dimensionality, 0 when none
	// was given.
	IsImage bool
	Dim     int
	// Elements is the number of elements at mip level 0, one a texel whatever
	// the sample count. Width, Height, Depth are 0 unless the script gives them or
	// the buffer is an attachment, whose framebuffer gives them.
	Elements             int
	Width, Height, Depth int
	MipLevels, Samples   int

	Init Init
	Data []byte // InitData, in the layout of Format
	// Fill and Inc are the value, or first value and step.
	Fill, Inc Number
	File      string // InitPNG, InitBinary, InitText

	index int // in Script.Buffers
}

// Sampler is a SAMPLER command.
type Sampler struct {
	Name                 string
	Line                 int
	MagLinear, MinLinear bool
	Address              [3]emu.AddressMode
	Border               emu.BorderColor
	MinLod, MaxLod       float32
	Unnormalized         bool
	Compare              bool
	CompareOp            emu.CompareOp
}

// AccelStruct is an ACCELERATION_STRUCTURE command.
type AccelStruct struct {
	Name string
	Line int
	// Top is the contents of a TOP_LEVEL structure, else nil; Bottom those of a BOTTOM_LEVEL one.
	Top    *raytrace.Scene
	Bottom raytrace.Bottom
}

// PipelineKind is the kind of a pipeline.
type PipelineKind uint8

// Pipeline kinds.
const (
	PipelineCompute PipelineKind = iota
	PipelineGraphics
	PipelineRayTracing
)

// Pipeline is a PIPELINE or DERIVE_PIPELINE command.
type Pipeline struct {
	Name    string
	Kind    PipelineKind
	Line    int
	Shaders []*Attached

	// FramebufferWidth and FramebufferHeight default to 250.
	FramebufferWidth, FramebufferHeight int
	Viewport                            *emu.Viewport
	Polygon                             emu.PolygonMode
	PatchControlPoints                  uint32
	Depth                               emu.DepthState
	DepthClamp                          bool
	DepthBias                           bool
	BiasConstant, BiasClamp, BiasSlope  float32
	// What only VkScript can set.
	Cull                                       emu.CullMode
	FrontClockwise, Discard, Restart, LogicOps bool
	Logic                                      ir.LogicOp
	LineWidth                                  float32 // 0 counts as 1
	// Blend is the state of all colour attachments. AdvancedBlend is the
	// name of a blend operation of VK_EXT_blend_operation_advanced, or "".
	Blend         emu.AttachmentBlend
	AdvancedBlend string

	Color        []ColorBinding
	DepthStencil *Buffer
	Resolve      []*Buffer
	Push         *Buffer
	Bindings     []*Binding
	Vertex       []VertexData
	Index        *Buffer

	// Args are the arguments of an OpenCL kernel.
	Args []KernelArg
	// What only ray tracing pipelines have. MaxRecursion is MAX_RAY_RECURSION_DEPTH, 1 if it is not given.
	Groups       []*ShaderGroup
	Tables       []*ShaderTable
	Libraries    []*Pipeline
	MaxRecursion uint32
}

// ShaderGroup is a SHADER_GROUP of a ray tracing pipeline.
type ShaderGroup struct {
	Name    string
	Shaders []*Attached
}

// ShaderTable is a SHADER_BINDING_TABLE.
type ShaderTable struct {
	Name   string
	Groups []*ShaderGroup
}

// Attached is a shader of a pipeline.
type Attached struct {
	Shader *ShaderDecl
	Stage  ShaderStage
	Entry  string
	Spec   []Specialization
	// Optimize lists the spirv-opt passes of SHADER_OPTIMIZATION. Options are the
	// COMPILE_OPTIONS of an OpenCL shader.
	Optimize, Options []string
	// FullSubgroups, VaryingSubgroups and RequiredSubgroup are the SUBGROUP
	// block; RequiredSubgroup is a size, SubgroupMin, SubgroupMax, or 0.
	FullSubgroups, VaryingSubgroups bool
	RequiredSubgroup                int
	Line                            int
}

// Values of Attached.RequiredSubgroup besides sizes.
const (
	SubgroupMin = -1
	SubgroupMax = -2
)

// Specialization is one SPECIALIZE of an attached shader.
type Specialization struct {
	ID   uint32
	Bits uint64
}

// ColorBinding is a colour attachment.
type ColorBinding struct {
	Buffer        *Buffer
	Location, Mip int
	Line          int
}

// BindingKind is the descriptor type of a binding.
type BindingKind uint8

// Binding kinds.
const (
	BindUniform BindingKind = iota
	BindStorage
	BindUniformDynamic
	BindStorageDynamic
	BindUniformTexel
	BindStorageTexel
	BindSampledImage
	BindStorageImage
	BindCombined
	BindSampler
	BindAccel
)

// Binding is what stands at one descriptor set and binding.
type Binding struct {
	Kind         BindingKind
	Set, Binding uint32
	Elems        []BindingElem
	Mip          int
	Line         int
}

// BindingElem is one array element of a binding.
type BindingElem struct {
	Buffer  *Buffer
	Sampler *Sampler
	Accel   *AccelStruct
	// Dynamic and Offset are added up; Range is -1 for all the rest.
	Dynamic, Offset uint64
	Range           int64
}

// VertexData is a VERTEX_DATA command.
type VertexData struct {
	Buffer   *Buffer
	Location uint32
	Instance bool
	// Format is nil for the buffer's own; Stride is -1 when not given.
	Format *Format
	Offset uint32
	Stride int64
	Line   int
}

// Command is one of the commands that a script executes.
type Command interface {
	// Pos is the line of the command.
	Pos() int
}

type line int

// Pos returns the command's line.
func (l line) Pos() int { return int(l) }

// RunKind is the form of a RUN command.
type RunKind uint8

// Forms of RUN.
const (
	RunCompute RunKind = iota
	RunRect
	RunGrid
	RunArray
	RunRays
)

// Run is a RUN command.
type Run struct {
	line
	Pipeline *Pipeline
	Kind     RunKind
	Timed    bool
	Groups   [3]uint32 // RunCompute, RunRays
	// Tables are RAYGEN, MISS, HIT and CALL of RunRays, nil where there is none.
	Tables [4]*ShaderTable
	// X, Y, W, H are in pixels (RunRect, RunGrid), or in normalised device
	// coordinates if NDC; Columns and Rows are cells.
	X, Y, W, H    float32
	NDC           bool
	Columns, Rows uint32
	// RunArray, and RunRect as a patch. Count is 0 when not given.
	Topology             emu.Topology
	Indexed              bool
	Start, Count         uint32
	FirstInst, Instances uint32
}

// Clear is a CLEAR command.
type Clear struct {
	line
	Pipeline *Pipeline
}

// ClearColor is a CLEAR_COLOR command; RGBA are 0..1.
type ClearColor struct {
	line
	Pipeline *Pipeline
	RGBA     [4]float32
}

// ClearDepth is a CLEAR_DEPTH command.
type ClearDepth struct {
	line
	Pipeline *Pipeline
	Value    float32
}

// ClearStencil is a CLEAR_STENCIL command.
type ClearStencil struct {
	line
	Pipeline *Pipeline
	Value    uint8
}

// Write is VkScript's command that sets bytes of a buffer.
type Write struct {
	line
	Buffer *Buffer
	Offset int // bytes
	// Format lays Values out: elements one after the other, the last of which may
	// be cut short.
	Format *Format
	Values []Number
}

// Copy is a COPY command.
type Copy struct {
	line
	From, To *Buffer
}

// Repeat is a REPEAT block.
type Repeat struct {
	line
	Count uint32
	Body  []Command
}

// Comparator compares a value of a buffer with an expected one.
type Comparator uint8

// Comparators.
const (
	CmpEQ Comparator = iota
	CmpNE
	CmpLT
	CmpLE
	CmpGT
	CmpGE
)

// Tolerance is how far a value may be off.
type Tolerance struct {
	Value   float64
	Percent bool
}

// ExpectValues is EXPECT buffer IDX offset … values.
type ExpectValues struct {
	line
	Buffer *Buffer
	// Format is the layout to read the buffer with, at any Offset; nil is the
	// buffer's own.
	Format     *Format
	Offset     uint64 // bytes
	Cmp        Comparator
	Tolerances []Tolerance
	Values     []Number
}

// ExpectTexels is EXPECT buffer IDX x y SIZE w h EQ_RGB(A).
type ExpectTexels struct {
	line
	Buffer     *Buffer
	X, Y, W, H int
	Alpha      bool
	// RGBA is 0..1 for normalised formats. Unit is what an absolute tolerance
	// of 1 is worth.
	RGBA       [4]float64
	Unit       float64
	Tolerances []Tolerance
}

// BufferCompare is how two buffers are compared as a whole.
type BufferCompare uint8

// Comparisons of whole buffers.
const (
	CompareEqual BufferCompare = iota
	CompareRMSE
	CompareHistogramEMD
)

// ExpectBuffers is EXPECT a EQ_BUFFER b and its kin.
type ExpectBuffers struct {
	line
	A, B      *Buffer
	Kind      BufferCompare
	Tolerance float64
}
