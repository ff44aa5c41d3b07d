package midgard

import (
	"errors"
	"fmt"

	"nirc/backend"
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// CompileOptions steer Compile.
type CompileOptions struct {
	// GPU is the chip's name, "" for DefaultGPU.
	GPU string
	// Verify validates the IR before selection.
	Verify bool
	// Dump, if not nil, receives the program's text after each step: isel, ra, final.
	Dump func(step, text string)
	// Registers, if not 0, bounds the work registers (for tests of spilling).
	Registers int
	// Blend, if not "", compiles a fragment shader as a blend program for a render
	// target of this format: see abi.Blend.
	Blend string
	// plan, if not 0, is the number of the one plan that is tried where it does (for
	// tests), counted from 1.
	plan int
}

// Binary is a compiled shader.
type Binary struct {
	Code  []byte
	Meta  abi.Meta
	Stats Stats
	// Lines has the source location (an index into ir.Shader.Locs) of the code
	// from a byte offset on.
	Lines []backend.CodeLine
}

// Compile generates code for a shader in the form that the package comment
// describes. It changes the shader. What cannot be compiled is an error that says
// what and, if known, where in the source.
func Compile(s *ir.Shader, opts CompileOptions) (*Binary, error) {
	g, err := FindGPU(opts.GPU)
	if err != nil {
		return nil, err
	}
	c := &compiler{s: s, gpu: g, opts: opts}
	return c.run()
}

type compiler struct {
	s        *ir.Shader
	gpu      *GPU
	opts     CompileOptions
	meta     abi.Meta
	res      *resources
	uniforms int // limit of the uniform registers
	blend    *blendLayout
	mem      *memory
}

// Uniform registers: more than the first number cost work registers.
const (
	freeUniforms = abi.UniformTop + 1 - abi.MaxWork
	maxThreads   = 64 // of a workgroup that may use all work registers
	maxScratch   = 1 << 24
)

func (c *compiler) run() (b *Binary, err error) {
	switch c.s.Stage {
	case ir.StageVertex, ir.StageFragment, ir.StageCompute:
	default:
		return nil, fmt.Errorf("midgard: %s shaders are not supported", c.s.Stage)
	}
	if c.opts.Blend != "" {
		if c.s.Stage != ir.StageFragment {
			return nil, fmt.Errorf("midgard: a blend program is a fragment shader, not a %s shader", c.s.Stage)
		}
		if c.blend, err = layoutOf(c.opts.Blend); err != nil {
			return nil, err
		}
	}
	if c.s.ScratchSize > maxScratch {
		return nil, fmt.Errorf("midgard: %d bytes of private memory a thread are not supported, there are up to %d", c.s.ScratchSize, maxScratch)
	}
	entry := c.s.Entry()
	if entry == nil || entry.Impl == nil {
		return nil, errors.New("midgard: the shader has no entry point")
	}
	var untold *ir.Instr
	if c.res, untold = lowerHandles(c.s, entry.Impl); untold != nil {
		return nil, backend.Refuse("midgard", c.s, untold, "an index into one of several arrays of buffers of unknown size is not supported")
	}
	sumRows(entry.Impl)
	if c.blend == nil {
		lowerOffsets(entry.Impl)
	}
	if c.opts.Verify {
		if err := ir.Validate(c.s); err != nil {
			return nil, err
		}
	}
	c.mem = memories.Get().(*memory)
	// Many uniform registers, unless that makes values spill.
	b, err = c.attempt(abi.MaxUniforms)
	if err == nil && b.Stats.Spills+b.Stats.Fills > 0 && len(b.Meta.Uniforms) > freeUniforms {
		b, err = c.attempt(freeUniforms)
	}
	memories.Put(c.mem)
	return b, err
}

// attempt compiles with at most so many uniform registers.
func (c *compiler) attempt(uniforms int) (*Binary, error) {
	c.uniforms = uniforms
	c.meta = abi.Meta{Stage: c.s.Stage, Alias: c.gpu.Alias, NoUpperALU: c.gpu.NoUpperALU, BrokenLOD: c.gpu.BrokenLod}
	if c.blend != nil {
		c.meta.Blend = &abi.Blend{Format: c.opts.Blend}
	}
	s, err := c.selectFunc()
	if err != nil {
		return nil, err
	}
	f := s.f
	f.mem = c.mem
	f.mem.reset()
	f.coalesce()
	f.removeDead()
	f.fuseWriteouts()
	f.fuseConditions()
	f.removeDead()
	c.dump("isel", f)
	base := (int(c.s.ScratchSize) + 15) &^ 15
	best, err := c.choose(f, s.floor, base)
	if err != nil {
		return nil, err
	}
	c.dump("ra", best.f)
	if c.blend != nil && best.slots+base > 0 {
		return nil, fmt.Errorf("midgard: a blend program with more than %d work registers or with arrays in memory is not supported", blendWork)
	}
	p := best.p
	c.describe(best.used, base, best.slots)
	b := &Binary{Stats: p.stats()}
	if err := p.encode(b); err != nil {
		return nil, err
	}
	c.meta.FirstTag = isa.Tag(b.Code[0] & 15)
	b.Meta = c.meta
	b.Stats.finish(&b.Meta, len(b.Code), f.loops)
	if c.opts.Dump != nil {
		c.opts.Dump("final", p.String())
	}
	return b, b.Meta.Check()
}

func (c *compiler) dump(step string, f *function) {
	if c.opts.Dump != nil {
		c.opts.Dump(step, f.String())
	}
}
