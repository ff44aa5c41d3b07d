package agx

import (
	"errors"
	"fmt"

	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// CompileOptions steer Compile.
type CompileOptions struct {
	// GPU is the chip's name, "" for DefaultGPU.
	GPU string
	// Verify validates the IR before selection and runs the allocation checker.
	Verify bool
	// Dump, if not nil, receives the program's text after each step: isel, spill, ra, copies, final.
	Dump func(step, text string)
	// Part says which part of a program of the separate ABI the shader is;
	// abi.PartWhole is one that stands for itself.
	Part abi.Part
	// Tile are the targets that an epilog stores to, Samples the samples of its
	// pixels; Slots the attributes that a vertex prolog gives, in order.
	Tile    []abi.TileTarget
	Samples int
	Slots   []ir.Slot
	// Next is the stage behind a vertex shader, if its vertices go to memory: a
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
	gpu  *GPU
	opts CompileOptions
	meta abi.Meta
	uni  uniforms
	res  *resources
	// slots are the attributes of a vertex part, nil of others.
	slots []ir.Slot
}

func (c *compiler) run() (*Binary, error) {
	stage := c.s.Stage
	switch stage {
	case ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageFragment, ir.StageCompute:
	default:
		return nil, fmt.Errorf("agx: %s shaders are not supported: a driver builds them from compute shaders", c.s.Stage)
	}
	entry := c.s.Entry()
	if entry == nil || entry.Impl == nil {
		return nil, errors.New("agx: the shader has no entry point")
	}
	c.meta.Stage, c.meta.Part, c.meta.LayerViewportWord = c.s.Stage, c.opts.Part, abi.NoWord
	c.meta.Tile, c.meta.Samples, c.meta.Next = c.opts.Tile, c.opts.Samples, c.opts.Next
	c.reserve(entry.Impl)
	var err error
	if stage == ir.StageTessCtrl || stage == ir.StageTessEval {
		as, err := lowerTess(c.s, entry.Impl, &c.meta)
		if err != nil {
			return nil, err
		}
		c.s.Stage = as
		defer func() { c.s.Stage = stage }()
	}
	if err := c.lower(entry.Impl); err != nil {
		return nil, err
	}
	c.uni.keep = needed(c.s, entry.Impl)
	var main, pre *part
	var ps *ir.Shader
	if !c.uni.plain {
		ps = formPreamble(c.s, entry.Impl, &c.uni)
		c.reserve(entry.Impl) // it may have removed loads of attributes
	}
	if main, err = c.generate(c.s, &c.meta); err != nil {
		return nil, err
	}
	if ps == nil && len(c.uni.limits) > 0 {
		ps = newPreamble(c.s)
	}
	if ps != nil {
		if pre, err = c.generate(ps, &abi.Meta{LayerViewportWord: abi.NoWord}); err != nil {
			return nil, err
		}
	}
	b, err := c.finish(main, pre)
	release(main.f)
	if pre != nil {
		release(pre.f)
	}
	if ps != nil && err == nil {
		ps.Release()
	}
	return b, err
}

// lower brings the shader to what selection takes.
func (c *compiler) lower(impl *ir.Impl) error {
	if c.opts.Next == ir.StageNone && c.opts.Part != abi.PartProlog {
		c.meta.CullDistances = uint8(storeCullDistances(c.s, impl))
	}
	if err := cullFragments(c.s, impl, c.opts.CullDistances); err != nil {
		return err
	}
	c.res = lowerDescriptors(c.s, impl)
	// Handles are constants now, and so are most offsets.
	if err := runPasses(c.s, handlePasses); err != nil {
		return err
	}
	dropZeros(impl)
	lowerFragSidefx(c.s, impl)
	lowerSharedBitsize(impl)
	lowerSubgroups(impl)
	lowerTexture(c.s, impl)
	if c.opts.Verify {
		return ir.Validate(c.s)
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

// part is a program of the binary: the shader itself or its preamble.
type part struct {
	s          *ir.Shader
	f          *mach.Func
	meta       *abi.Meta
	preamble   bool
	spillStart int // where the spill area begins on the stack, in bytes
	arrayStart int // where private arrays begin
	code       []byte
	lines      []backend.CodeLine
	p          *program
}

// generate selects and allocates the entry point of a shader.
func (c *compiler) generate(s *ir.Shader, meta *abi.Meta) (*part, error) {
	f, err := selectFunc(c, s, meta)
	if err != nil {
		return nil, err
	}
	pt := &part{s: s, f: f, meta: meta, preamble: s != c.s}
	for _, step := range [...]struct {
		name string
		run  func(*mach.Func)
	}{{"isel", removeDead}, {"cse", cse}, {"optimizer", optimize}, {"dce", removeDead}, {"reindex", mach.Reindex}, {"schedule", pressureSchedule}} {
		step.run(f)
		c.dump(step.name, f)
		if c.opts.Verify {
			if err := validate(f, step.name); err != nil {
				return nil, err
			}
		}
	}
	return pt, c.allocate(pt)
}

func (c *compiler) dump(step string, f *mach.Func) {
	if c.opts.Dump != nil {
		c.opts.Dump(step, f.String())
	}
}

// finish makes the physical programs, improves and encodes them.
func (c *compiler) finish(main, pre *part) (*Binary, error) {
	var err error
	if c.meta.Uniforms, c.meta.UniformHalves, err = c.uni.layOut(); err != nil {
		return nil, err
	}
	if err := c.encode(main); err != nil {
		return nil, err
	}
	b := &Binary{Code: main.code, Lines: main.lines}
	if c.opts.Part != abi.PartWhole {
		c.meta.CodeSize = uint32(len(main.code))
	}
	c.describe(main)
	c.meta.Halves = c.footprint(main.p)
	if pre != nil {
		if err := c.encode(pre); err != nil {
			return nil, err
		}
		c.meta.HasPreamble = true
		if b.Code, err = align(b.Code); err != nil {
			return nil, err
		}
		c.meta.Preamble = uint32(len(b.Code))
		c.meta.PreambleScratch = uint32(pre.scratch())
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

// encode makes the code of a part.
func (c *compiler) encode(pt *part) (err error) {
	if n := pt.scratch(); n > maxFrameBytes {
		return fmt.Errorf("agx: %d bytes of private memory an invocation are not supported, a stack frame has up to %d", n, maxFrameBytes)
	}
	p, err := lowerPseudo(pt.f, &c.uni)
	if err != nil {
		return err
	}
	pt.p = p
	p.emptyElse()
	p.breakIf()
	p.jumpNone()
	p.open = c.opts.Part != abi.PartWhole && !pt.preamble
	p.entry(pt.scratch(), p.open && pt.meta.PerSample)
	p.insertWaits()
	p.registerCache()
	if c.opts.Dump != nil {
		c.opts.Dump("final", p.String())
	}
	pt.code, pt.lines, err = p.encode()
	return err
}

// scratch is the number of bytes of stack that a part addresses.
func (pt *part) scratch() int {
	n := pt.arrayStart + int(pt.s.ScratchSize)
	if k := pt.f.SpillUnits; k > 0 {
		n = max(n, pt.spillStart+2*k)
	}
	return backend.AlignUp(n, 16)
}

// entry puts what every program that needs it begins with in front: the
// nesting counter's start and the stack frame. A part that runs once a sample
// finds the counter at 0; it closes its frame.
func (p *program) entry(scratch int, again bool) {
	var head []*pinstr
	if p.exec && !again {
		head = append(head, p.newInstr(isa.Instr{Op: isa.OpMovImm16, Dst: isa.H(isa.R0L)}, 0))
	}
	if p.r0h {
		head = append(head, p.newInstr(zeroIndex, 0))
	}
	if scratch > 0 {
		words := backend.AlignUp((scratch+3)/4+stackReserved, stackAlign)
		head = append(head, p.newInstr(isa.Instr{Op: isa.OpStackAdjust, Imm: uint32(words)}, 0))
		if p.open {
			stop := p.list[len(p.list)-1]
			p.list[len(p.list)-1] = p.newInstr(isa.Instr{Op: isa.OpStackAdjust, Imm: uint32(-words)}, 0)
			p.list = append(p.list, stop)
		}
	}
	if len(head) > 0 {
		p.list = append(head, p.list...)
	}
}

// describe fills the metadata that follows from the final code.
func (c *compiler) describe(main *part) {
	m := &c.meta
	m.ScratchSize = uint32(main.scratch())
	m.SharedSize = c.s.SharedSize
	if c.s.Stage == ir.StageCompute {
		m.WorkgroupSize = c.s.Info.WorkgroupSize
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
