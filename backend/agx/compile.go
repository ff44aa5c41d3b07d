package agx

import (
	"errors"
	"slices"

	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/ir"
	"nirc/passes"
)

// CompileOptions steer Compile.
type CompileOptions struct {
	// GPU is the chip's name, "" for DefaultGPU.
	GPU string
	// Job, if not nil, has the switches of the compile: what it dumps, checks and leaves out.
	Job *backend.Job
	// Part says which part of a program of the separate ABI the shader is;
	// abi.PartWhole is one that stands for itself.
	Part abi.Part
	// Tile are the targets that an epilog stores to, Samples the samples of its
	// pixels; Slots the attributes that a vertex prolog gives, in order.
	Tile       []abi.TileTarget
	TileLayout *abi.TileLayout
	Samples    int
	// Translucent says that the stores of an epilog leave targets, components or samples as they were.
	Translucent bool
	Slots       []ir.Slot
	// Next is the stage after a vertex shader, if its vertices go to memory: a
	// program for compute is made then. StageNone is the rasteriser.
	Next ir.Stage
	// CullDistances makes a whole fragment program drop what as many cull distances of the stage
	// before it cull.
	CullDistances int
	// FirstCoef is the first coefficient register that a prolog may have.
	FirstCoef int
	// Halves, if not 0, bounds the register halves that may be used (for tests of spilling).
	Halves int
}

// job is Job, or one that looks at nothing.
func (o *CompileOptions) job() *backend.Job {
	if o.Job == nil {
		return &backend.Job{}
	}
	return o.Job
}

// lists runs the lists agx_… of pipeline.yaml.
func (o *CompileOptions) lists() passes.Lists { return o.job().Lists }

// verify reports whether the steps are to check their results.
func (c *compiler) verify() bool { return c.opts.job().Instrument.VerifyEach() }

// Binary is a compiled shader.
type Binary struct {
	Code  []byte
	Meta  abi.Meta
	Stats Stats
	// Lines tells the source location (an index into ir.Shader.Locs) of the code
	// from a byte offset on.
	Lines []backend.CodeLine
}

// Compile generates code for a shader in the form that the package comment
// describes. It changes the shader. What cannot be compiled is an error that
// says what and, if known, where in the source.
func Compile(s *ir.Shader, opts CompileOptions) (*Binary, error) {
	g, err := FindGPU(opts.GPU)
	if err != nil {
		return nil, err
	}
	c := &compiler{s: s, gpu: g, opts: opts}
	if s.Stage == ir.StageGeometry {
		return c.geometry()
	}
	return c.run()
}

type compiler struct {
	s    *ir.Shader
	impl *ir.Impl // of the entry point
	gpu  *GPU
	opts CompileOptions
	meta abi.Meta
	mem  *memory
	uni  uniforms
	res  *resources
	// slots are the attributes of a vertex part, nil of others.
	slots []ir.Slot
	// testsFirst: the shader has its samples tested before anything else.
	testsFirst bool
	// parts are the shader's own program and, once it is formed, its preamble's.
	parts []*part
	// Their memory: a shader has two at most.
	main part
	two  [2]*part
}

// part is a program of the binary: the shader itself or its preamble.
type part struct {
	s        *ir.Shader
	meta     *abi.Meta
	preamble bool
	// f is the machine form, from selection on; check knows its values since before allocation.
	f          *mach.Func
	check      *mach.Checker
	room       int // halves that an order of blocks may use where waits are long; 0, of a preamble, is to take no threads from the program
	pressure   int // how many halves live at once before allocation; fewHalves where no more can
	spillStart int // where the spill area begins on the stack, in bytes
	arrayStart int // where private arrays begin
	p          *program
	code       []byte
	lines      []backend.CodeLine
}

// run takes the shader through the steps of the code generator.
func (c *compiler) run() (*Binary, error) {
	stage := c.s.Stage
	switch stage {
	case ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageFragment, ir.StageCompute:
	default:
		return nil, ir.Unsupportedf("agx: %s shaders are not supported: a driver builds them from compute shaders", c.s.Stage)
	}
	entry := c.s.Entry()
	if entry == nil || entry.Impl == nil {
		return nil, errors.New("agx: the shader has no entry point")
	}
	if err := backend.CheckQuads(TargetName, c.s); err != nil {
		return nil, err
	}
	if z := c.s.Info.WorkgroupSize; stage == ir.StageCompute && abi.Invocations(z) > abi.MaxWorkgroup {
		return nil, ir.Unsupportedf("agx: a workgroup of %d x %d x %d invocations is not supported, there are up to %d", z[0], z[1], z[2], abi.MaxWorkgroup)
	}
	if n := c.s.SharedSize; n > abi.MaxShared {
		return nil, ir.Unsupportedf("agx: %d bytes of workgroup memory are not supported, there are up to %d", n, abi.MaxShared)
	}
	c.impl = entry.Impl
	c.meta.Stage, c.meta.Part, c.meta.LayerViewportWord = stage, c.opts.Part, abi.NoWord
	c.meta.Tile, c.meta.TileLayout, c.meta.Samples, c.meta.Next = c.opts.Tile, c.opts.TileLayout, c.opts.Samples, c.opts.Next
	c.main = part{s: c.s, meta: &c.meta}
	c.parts = append(c.two[:0], &c.main)
	c.begin()
	c.reserve(c.impl)
	defer func() { c.s.Stage = stage }() // tessellation runs as another one
	if err := backend.RunSteps(c.opts.job(), steps, c, (*compiler).text); err != nil {
		return nil, err
	}
	defer c.release()
	return c.binary()
}

// release gives the memory of the parts back.
func (c *compiler) release() {
	for _, pt := range c.parts {
		if pt.f != nil {
			release(pt.f)
		}
		if pt.preamble {
			pt.s.Release()
		}
	}
	c.end()
}

// formPreamble adds the preamble of a shader that may have one.
func (c *compiler) formPreamble() error {
	if c.uni.plain {
		return nil
	}
	ps, chosen := formPreamble(c.s, c.impl, c.res, &c.uni, &c.mem.pre, c.opts.job().Layout)
	if ps != nil {
		c.meta.SoftFaults = c.s.Stage != ir.StageCompute && readsPointers(ps) && !faults.has(faultSoftFaults)
		c.addPreamble(ps)
	}
	if chosen {
		if err := c.opts.lists().Run(c.s, "agx_chosen"); err != nil {
			return err
		}
	}
	c.reserve(c.impl) // it may have removed loads of attributes
	return nil
}

func (c *compiler) addPreamble(ps *ir.Shader) {
	c.parts = append(c.parts, &part{s: ps, meta: &abi.Meta{LayerViewportWord: abi.NoWord}, preamble: true})
}

// selectParts makes the machine form. What the shader's own program asks of the preamble
// may be the first that one has to do.
func (c *compiler) selectParts() (err error) {
	main := c.parts[0]
	if main.f, err = selectFunc(c, c.s, main.meta); err != nil {
		return err
	}
	main.room = c.registerLimit()
	if len(c.parts) == 1 && len(c.uni.limits)+len(c.uni.layouts) > 0 {
		c.addPreamble(newPreamble(c.s))
	}
	for _, pre := range c.parts[1:] {
		if pre.f, err = selectFunc(c, pre.s, pre.meta); err != nil {
			return err
		}
		if pre.meta.ConstData != nil {
			c.meta.ConstData = pre.meta.ConstData
		}
	}
	if c.verify() {
		return c.uni.checkNeeded()
	}
	return nil
}

// reserve keeps the uniforms that belong to the parts of a program, and
// leaves prologs and epilogs nothing but those (agx.md §11.4).
func (c *compiler) reserve(impl *ir.Impl) {
	if c.opts.Part == abi.PartWhole {
		return
	}
	c.uni.plain = c.opts.Part != abi.PartMain
	switch c.s.Stage {
	case ir.StageVertex:
		if c.slots = c.opts.Slots; c.opts.Part == abi.PartMain {
			c.slots = attribSlots(impl)
		}
		c.uni.reserved = abi.VertexHalves(len(c.slots))
		if c.opts.Next != ir.StageNone {
			c.uni.reserved = abi.GridHalves(len(c.slots))
		}
	case ir.StageFragment:
		c.uni.reserved = abi.FragmentHalves
	}
}

// scratch is the number of bytes of stack that a part addresses.
func (pt *part) scratch() int {
	n := pt.arrayStart + int(pt.s.ScratchSize)
	if k := pt.f.SpillUnits; k > 0 {
		n = max(n, pt.spillStart+2*k)
	}
	return backend.AlignUp(n, 16)
}

// frameBytes is the number of bytes that a part's stack_adjust takes.
func (pt *part) frameBytes() uint32 {
	n := pt.scratch()
	if n == 0 || faults.has(faultScratchSize) {
		return uint32(n)
	}
	return uint32(4 * frameWords(n))
}

// describe fills the metadata that follows from the final code.
func (c *compiler) describe(main *part) {
	m := &c.meta
	m.Robust = c.s.Options.Robust
	m.ScratchSize = main.frameBytes()
	m.SharedSize, m.CoherentShared = c.s.SharedSize, c.s.Info.CoherentShared
	if c.s.Stage == ir.StageCompute {
		m.WorkgroupSize = c.s.Info.WorkgroupSize
	}
	if c.s.Stage == ir.StageFragment {
		m.NeedsQuads = m.NeedsQuads || c.s.Info.FullQuads
		m.Pass = passFacts(main.p.list, m)
		m.Pass.Translucent = m.Pass.Translucent || c.opts.Translucent
	}
	for _, pt := range c.parts {
		m.Fetches = m.Fetches || !faults.has(faultFetchSampler) && pt.p.has(isa.OpTextureLoad)
	}
	m.EarlyFragmentTests = c.s.Info.EarlyFragmentTests
	m.ClipDistances = c.s.Info.ClipDistances
	if m.Next != ir.StageNone {
		m.CullDistances = c.s.Info.CullDistances
	}
	if len(c.s.Captures) > 0 {
		m.Feedback = &abi.Feedback{Captures: c.s.Captures, Strides: c.s.Info.XfbStrides}
	}
	m.Table = c.res.table
	m.Heap, m.Samplers = c.res.heap, c.res.samplerHeap
	m.States = append(append([]abi.State(nil), c.res.textures...), c.res.samplers...)
}

// has reports whether the program has an instruction of an operation.
func (p *program) has(op isa.Op) bool {
	return slices.ContainsFunc(p.list, func(in *pinstr) bool { return in.Op == op })
}

// encode makes the code of the parts.
func (c *compiler) encode() (err error) {
	for _, pt := range c.parts {
		if pt.code, pt.lines, err = pt.p.encode(); err != nil {
			return err
		}
	}
	return nil
}

// binary puts code and metadata together.
func (c *compiler) binary() (_ *Binary, err error) {
	main := c.parts[0]
	b := &Binary{Code: main.code, Lines: main.lines}
	if c.opts.Part != abi.PartWhole {
		c.meta.CodeSize = uint32(len(main.code))
	}
	c.describe(main)
	if c.meta.Halves = c.footprint(main.p); faults.has(faultHalves) {
		c.meta.Halves -= 2
	}
	for _, pre := range c.parts[1:] {
		c.meta.HasPreamble = true
		if b.Code, err = align(b.Code); err != nil {
			return nil, err
		}
		c.meta.Preamble = uint32(len(b.Code))
		c.meta.PreambleScratch = pre.frameBytes()
		c.meta.PreambleHalves = registers(pre.p)
		if pre.scratch() > 0 {
			c.meta.PreambleHalves = gprHalves
		}
		for _, l := range pre.lines {
			b.Lines = append(b.Lines, backend.CodeLine{Offset: l.Offset + len(b.Code), Loc: l.Loc})
		}
		b.Code = append(b.Code, pre.code...)
	}
	b.Meta = c.meta
	b.Stats = c.stats(main, len(b.Code))
	return b, b.Meta.Check()
}
