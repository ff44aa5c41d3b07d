package ir

// Shader is one shader stage: its functions, variables and facts. It owns all
// of its objects; dropping it frees them, Release hands their memory on.
type Shader struct {
	Stage     Stage
	Name      string // the entry point's name
	Functions []*Function
	// Variables are all but those of ModeFunctionTemp, in order of creation.
	Variables []*Variable
	Info      Info
	Options   *Options // what the target wants lowered; never nil
	// ConstantData is the shader's constant memory (ModeConstant).
	ConstantData []byte
	// ScratchSize is private memory in bytes an invocation, SharedSize workgroup memory.
	ScratchSize, SharedSize uint32
	// Captures is what transform feedback writes for each vertex.
	Captures []Capture
	// Arguments are those of a kernel, in their order, hidden ones last.
	Arguments []Argument
	// Locs[i] is a place in the source; Locs[0] is unknown.
	Locs []Loc
	// Files and Funcs are strings that Locs refer to, Names those of defs; index 0 is "".
	Files, Funcs, Names []string

	nextVar uint32
	curLoc  uint32
	// contents is what Contents returns; gone is what instructions were that went since Recount, which then saw counted functions.
	contents, gone Contents
	counted        int

	*slabs // nil after Release
}

// Loc is a place in the source: file (index into Shader.Files), line and
// column from 1 (0 unknown), and the SPIR-V result id and word offset it came from. Func is the
// function that it stands in, an index into Shader.Funcs, and Call the place of the call where that
// was inlined, an index into Shader.Locs below its own; 0 if it is not known, or was not inlined.
type Loc struct {
	File, Line, Col uint32
	ID, Word        uint32
	Func, Call      uint32
}

// NewShader returns an empty shader.
func NewShader(stage Stage, opts *Options) *Shader {
	if opts == nil {
		opts = &Options{}
	}
	m := slabPool.Get().(*slabs)
	return &Shader{Stage: stage, Options: opts, Locs: noLoc[:], Files: noString[:], Funcs: noString[:], Names: noString[:], slabs: m,
		Functions: m.functions[:0], Variables: m.variables[:0]}
}

// What all shaders begin with: without room after it, so that the first that is appended makes a copy.
var (
	noLoc    [1]Loc
	noString [1]string
)

// The values of Info.DerivativeGroup: squares of 2x2 invocations, or four with
// local invocation indices in a row.
const (
	DerivativeNone uint8 = iota
	DerivativeQuads
	DerivativeLinear
)

// Info are facts about a shader. The frontend fills what the module declares;
// gather_info recomputes the rest (marked R) from the instructions.
type Info struct {
	// R: masks by slot. Vertex inputs by attribute, fragment outputs by result slot.
	InputsRead, OutputsWritten, OutputsRead [2]uint64
	// R: slots that are accessed at an index that is not constant, whole arrays of them.
	InputsReadIndirectly, OutputsAccessedIndirectly [2]uint64
	// R: bindings that are accessed, bit SET*32 + BINDING of the first four sets and their first 32 bindings.
	TexturesUsed, ImagesUsed, BuffersUsed [2]uint64
	SystemValuesRead                      [2]uint64 // R: by Intrinsic index - first system value; see gather_info
	NumUBOs, NumSSBOs                     uint32    // R
	NumTextures, NumImages                uint32    // R
	WritesMemory, UsesDiscard, UsesDemote bool      // R
	NeedsQuadHelpers, UsesControlBarrier  bool      // R
	UsesSampleShading                     bool      // R
	IOLowered                             bool
	// SampleInputs: the interface has SampleId, SamplePosition or an input with Sample. Fragments are shaded by
	// sample then, whether it is read or not (Vulkan, "SampleId" and "SamplePosition").
	SampleInputs bool
	// NonCoherentColorReads, and the same of depth and of stencil: what attachments hold is read (load_output with fb_fetch,
	// load_attachment) of fragments that the application has ordered by barriers alone (SPIR-V, NonCoherentColorAttachmentReadEXT
	// and its like); else fragments of a sample take turns.
	NonCoherentColorReads, NonCoherentDepthReads, NonCoherentStencilReads bool
	// CoherentShared: some loads and stores of workgroup memory are atomic (OpAtomicLoad, OpAtomicStore), so that others may access
	// the same words unordered. Which they are, load_shared and store_shared do not say.
	CoherentShared bool

	WorkgroupSize         [3]uint32
	WorkgroupSizeVariable bool
	// Kernel is an entry point of OpenCL: pointers to its variables in temporary, workgroup and constant memory have 64 bits.
	Kernel        bool
	SubgroupSize  uint8 // 0: the target's
	FloatControls FloatControls
	// DerivativeGroup says which invocations of a workgroup are neighbours for
	// derivatives and operations of quads.
	DerivativeGroup           uint8
	ZeroInitShared            bool
	SharedExplicitLayout      bool
	ClipDistances             uint8
	CullDistances             uint8
	EarlyFragmentTests        bool
	PostDepthCoverage         bool
	DepthLayout               uint8 // 0 none, 1 any, 2 greater, 3 less, 4 unchanged
	DepthReplacing            bool
	FullQuads                 bool // RequireFullQuads
	StencilReplacing          bool
	SubgroupUniform, MaximalR bool // SubgroupUniformControlFlow, MaximallyReconverges

	Tess TessInfo
	Geom GeomInfo
	Mesh MeshInfo
	// TaskPayloadSize is the bytes that a task shader hands to its mesh shaders.
	TaskPayloadSize uint32

	Xfb bool
	// XfbStrides are the bytes that a vertex takes in each transform feedback buffer.
	XfbStrides [NumXfbBuffers]uint32
}

// TessInfo holds the modes of the tessellation stages.
type TessInfo struct {
	OutputVertices uint32
	Domain         uint8 // DomainNone …
	Spacing        uint8 // SpacingEqual …
	CCW, PointMode bool
}

// GeomInfo holds the modes of the geometry stage.
type GeomInfo struct {
	Invocations, MaxVertices uint32
	InPrimitive              uint8 // InPoints …: its vertices
	OutPrimitive             uint8 // OutPoints …
}

// MeshInfo holds the modes of the mesh stage.
type MeshInfo struct {
	// MaxVertices and MaxPrimitives are what a workgroup puts out at most.
	MaxVertices, MaxPrimitives uint32
	// Primitive is the number of a primitive's vertices: 1 of points, 2 of lines, 3 of triangles.
	Primitive uint8
}

// Function is a function with its parameters. It returns nothing: the caller
// passes a deref for the result.
type Function struct {
	Name   string
	Params []Param
	// Impl is the body, nil of a declaration.
	Impl       *Impl
	Shader     *Shader
	IsEntry    bool
	IsPreamble bool
	// ShouldInline and DontInline are the source's hints.
	ShouldInline, DontInline bool
}

// Param is a function parameter: a value of NumComponents components of
// BitSize bits; derefs travel as 32-bit (logical) or 64-bit pointers.
type Param struct {
	NumComponents, BitSize uint8
	IsReturn, IsUniform    bool
	// Type and Modes describe the pointee of a deref parameter; nil of a value.
	Type  *Type
	Modes Mode
	Name  string
}

// NewFunction adds a function with an empty body.
func (s *Shader) NewFunction(name string) *Function {
	m := s.bodies.New()
	f, impl := &m.fn, &m.impl
	*f = Function{Name: name, Shader: s}
	s.Functions = append(s.Functions, f)
	*impl = Impl{Fn: f, Shader: s, Structured: true}
	if n := len(s.doms); n > 0 {
		impl.dom = s.doms[n-1]
		s.doms = s.doms[:n-1]
	}
	impl.Body.impl = impl
	impl.End = s.newBlock(impl)
	start := s.newBlock(impl)
	impl.Body.append(start)
	start.relink()
	f.Impl = impl
	return f
}

// Entry returns the entry point, or nil.
func (s *Shader) Entry() *Function {
	for _, f := range s.Functions {
		if f.IsEntry {
			return f
		}
	}
	return nil
}

// Preamble returns the preamble function, or nil.
func (s *Shader) Preamble() *Function {
	for _, f := range s.Functions {
		if f.IsPreamble {
			return f
		}
	}
	return nil
}

// Impl is a function's body.
type Impl struct {
	Fn     *Function
	Shader *Shader
	Body   List
	// End is the empty block that return and the last block lead to. It is in no list.
	End    *Block
	Locals []*Variable
	// NumDefs bounds Def.Index; NumBlocks bounds Block.Index while MetaBlockIndex is valid.
	NumDefs    uint32
	NumBlocks  uint32
	Structured bool

	valid   Metadata
	cache   [metaCount]any
	dom     domTree
	builder Builder
}

// Start returns the first block.
func (impl *Impl) Start() *Block { return impl.Body.First().(*Block) }

// Variable is a variable of any mode.
type Variable struct {
	Name string
	Type *Type
	Mode Mode
	// ID is unique in the shader and names the variable in the text form.
	ID uint32
	// Location is the slot (see Slot), -1 unknown; Component the first component in it.
	Location       int32
	Component      uint8
	DriverLocation uint32
	// Index is 1 of a second dual-source colour, or the input attachment index.
	Index        uint32
	Set, Binding uint32
	BuiltIn      int32 // SPIR-V BuiltIn, -1 none
	Interp       Interp
	Centroid     bool
	Sample       bool
	Patch        bool
	Invariant    bool
	Mediump      bool
	Compact      bool // array of scalars, one component each
	PerView      bool
	PerVertex    bool
	PerPrimitive bool
	Incoming     bool // of ModeShaderCall: what the caller hands on
	FBFetch      bool
	HasBinding   bool
	// ExplicitLayout says that lower_vars_to_explicit_types has placed the variable.
	ExplicitLayout bool
	// Temporary says that lower_io_to_temporaries has given the variable a temporary.
	Temporary     bool
	AlwaysActive  bool
	Stream        uint8
	DepthLayout   uint8
	Access        Access
	ImageFormat   ImageFormat
	XfbBuffer     int32 // -1 none
	XfbStride     uint32
	XfbOffset     int32
	Init          *Constant // constant initialiser, or nil
	PointerInit   *Variable
	InterfaceType *Type
}

// IsCounter reports whether the variable is an atomic counter of OpenGL's: a uniform that is no opaque object, at a binding.
func (v *Variable) IsCounter() bool {
	return v.Mode == ModeUniform && v.HasBinding && v.Type.WithoutArray().IsNumeric()
}

// Constant is an initialiser: Values of a scalar or of a vector of up to 4 components, Elems of anything else. A wider vector has its
// components as Elems.
type Constant struct {
	Values [4]uint64
	Elems  []*Constant
	// Zero says that all is zero; Elems may then be missing.
	Zero bool
}

// VectorConstant is the initialiser of a scalar or vector.
func VectorConstant(values ...uint64) *Constant {
	c := &Constant{}
	if copy(c.Values[:], values) == len(values) {
		return c
	}
	c.Values = [4]uint64{}
	for _, v := range values {
		c.Elems = append(c.Elems, &Constant{Values: [4]uint64{v}})
	}
	return c
}

// Value returns component k of a scalar or vector, 0 if the constant does not have it.
func (c *Constant) Value(k int) uint64 {
	switch {
	case k < len(c.Elems):
		return c.Elems[k].Values[0]
	case k < len(c.Values):
		return c.Values[k]
	}
	return 0
}

// NewVariable adds a variable to the shader (not of ModeFunctionTemp).
func (s *Shader) NewVariable(mode Mode, t *Type, name string) *Variable {
	v := s.makeVariable(mode, t, name)
	s.Variables = append(s.Variables, v)
	return v
}

// NewLocal adds a ModeFunctionTemp variable.
func (impl *Impl) NewLocal(t *Type, name string) *Variable {
	v := impl.Shader.makeVariable(ModeFunctionTemp, t, name)
	impl.Locals = append(impl.Locals, v)
	return v
}

func (s *Shader) makeVariable(mode Mode, t *Type, name string) *Variable {
	s.nextVar++
	v := s.vars.New()
	*v = Variable{ID: s.nextVar, Mode: mode, Type: t, Name: name, Location: -1, BuiltIn: -1, XfbBuffer: -1, XfbOffset: -1}
	return v
}

// NewALU makes an ALU instruction outside any block. The sources' swizzles are
// identities; comps and bits give the result.
func (s *Shader) NewALU(op Op, comps, bits uint8, srcs ...*Def) *Instr {
	in := s.newInstr(KindALU)
	in.Op = op
	s.SetSrcs(in, srcs...)
	s.initDef(in, comps, bits)
	return in
}

// NewIntrinsic makes an intrinsic outside any block, all constant indices 0.
// comps is the result's component count (0: none) and, where the table says n
// for any operand, NumComponents, which the caller otherwise sets.
func (s *Shader) NewIntrinsic(i Intrinsic, comps, bits uint8, srcs ...*Def) *Instr {
	in := s.newInstr(KindIntrinsic)
	in.Intr = i
	info := i.Info()
	in.Imm = s.imms.Slice(len(info.Indices))
	s.SetSrcs(in, srcs...)
	if info.HasDest {
		s.initDef(in, comps, bits)
	}
	if info.Vectorized() {
		in.NumComponents = comps
		if !info.HasDest {
			for k, c := range info.Srcs {
				if c == 0 && srcs[k] != nil {
					in.NumComponents = srcs[k].NumComponents
				}
			}
		}
	}
	return in
}

// NewTex makes a texture instruction without sources (AddTexSrc adds them).
func (s *Shader) NewTex(op TexOp, comps, bits uint8) *Instr {
	in := s.newInstr(KindTex)
	in.TexOp = op
	in.ext = s.texs.New()
	s.initDef(in, comps, bits)
	return in
}

// NewDeref makes a deref; its result is a pointer of comps x bits.
func (s *Shader) NewDeref(kind DerefKind, info DerefInfo, comps, bits uint8, srcs ...*Def) *Instr {
	in := s.newInstr(KindDeref)
	in.Deref = kind
	d := s.derefs.New()
	*d = info
	in.ext = d
	s.SetSrcs(in, srcs...)
	s.initDef(in, comps, bits)
	return in
}

// NewConst makes a load_const of the given components.
func (s *Shader) NewConst(bits uint8, vals ...uint64) *Instr {
	in := s.newInstr(KindLoadConst)
	in.Imm = s.imms.Slice(len(vals))
	for i, v := range vals {
		if bits < 64 {
			v &= 1<<bits - 1
		}
		in.Imm[i] = v
	}
	s.initDef(in, uint8(len(vals)), bits)
	return in
}

// NewUndef makes an undef.
func (s *Shader) NewUndef(comps, bits uint8) *Instr {
	in := s.newInstr(KindUndef)
	s.initDef(in, comps, bits)
	return in
}

// NewPhi makes a phi without sources (AddPhiSrc adds them).
func (s *Shader) NewPhi(comps, bits uint8) *Instr {
	in := s.newInstr(KindPhi)
	in.ext = s.phis.New()
	s.initDef(in, comps, bits)
	return in
}

// NewJump makes a jump.
func (s *Shader) NewJump(kind JumpKind) *Instr {
	in := s.newInstr(KindJump)
	in.Jump = kind
	return in
}

// NewCall makes a call.
func (s *Shader) NewCall(callee *Function, args ...*Def) *Instr {
	in := s.newInstr(KindCall)
	in.ext = &CallInfo{Callee: callee}
	s.SetSrcs(in, args...)
	return in
}

// NewParallelCopy makes a parallel copy of len(srcs) entries whose Dst values
// have the sources' shapes; entries may then be turned to registers.
func (s *Shader) NewParallelCopy(srcs ...*Def) *Instr {
	in := s.newInstr(KindParallelCopy)
	info := &CopyInfo{Entries: make([]CopyEntry, len(srcs))}
	in.ext = info
	s.SetSrcs(in, srcs...)
	for i, d := range srcs {
		e := &info.Entries[i]
		e.Dst = Def{Instr: in, Index: noIndex, NumComponents: d.NumComponents, BitSize: d.BitSize}
	}
	return in
}

// noIndex marks a value that is in no function yet.
const noIndex = ^uint32(0)

// SetLoc makes new instructions carry Loc i (an index into Locs, 0: unknown)
// and returns what was set before. Passes that build code for an existing
// instruction set its Loc.
func (s *Shader) SetLoc(i uint32) uint32 {
	old := s.curLoc
	s.curLoc = i
	return old
}

func (s *Shader) newInstr(k Kind) *Instr {
	in := s.instrs.New()
	in.Kind = k
	in.Def.Index = noIndex
	in.Loc = s.curLoc
	return in
}

func (s *Shader) initDef(in *Instr, comps, bits uint8) {
	in.Def.Instr = in
	in.Def.NumComponents = comps
	in.Def.BitSize = bits
}

// WholeQuads reports whether no quad of a subgroup lacks lanes: fragments come in quads, a workgroup has as many lanes as invocations, and of
// other stages nobody knows how many come together.
func (s *Shader) WholeQuads() bool {
	switch s.Stage {
	case StageFragment:
		return true
	case StageCompute:
		w := s.Info.WorkgroupSize
		return !s.Info.WorkgroupSizeVariable && w[0]*w[1]*w[2]%4 == 0
	}
	return false
}
