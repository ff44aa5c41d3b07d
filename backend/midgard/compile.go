package midgard

import (
	"errors"
	"fmt"
	"sync"

	"nirc/backend"
	"nirc/backend/midgard/abi"
	"nirc/ir"
)

// CompileOptions steer Compile.
type CompileOptions struct {
	// GPU is the chip's name, "" for DefaultGPU.
	GPU string
	// Job has the switches of the machine steps; nil for none.
	Job *backend.Job
	// Registers, if not 0, bounds the work registers (for tests of spilling).
	Registers int
	// Blend, if not "", compiles a fragment shader as a blend program for a render
	// target of this format: see abi.Blend.
	Blend string
	// Clip and Cull are the clip and the cull distances of the stage before a fragment
	// shader, which drops what they cut off.
	Clip, Cull int
	// Linear are the outputs of a vertex shader that leave multiplied by w: see abi.Meta.
	Linear backend.Linear
	// Feedback makes the program that transform feedback captures by: see abi.Meta.Captures.
	Feedback bool
	// Next is the stage after a vertex or tessellation evaluation shader whose outputs shaders read: see abi.Meta.Next.
	Next ir.Stage
	// plan, if not "", names the one plan that is tried where it does (for tests).
	plan string
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
// what and, if known, where in the source; backend.ErrStopped says that a switch of
// the job cut the steps before there was code.
func Compile(s *ir.Shader, opts CompileOptions) (*Binary, error) {
	c, err := newCompiler(s, opts)
	if err != nil {
		return nil, err
	}
	c.mem = memories.Get().(*memory)
	b, err := c.run()
	c.mem.sel.empty()
	memories.Put(c.mem)
	return b, err
}

// run takes a shader through all steps: lowerSteps; then, for each limit of the
// uniform registers until nothing spills, selectSteps and the plans; encodeSteps.
func (c *compiler) run() (*Binary, error) {
	stage := c.s.Stage
	defer func() { c.s.Stage = stage }() // what is none of the hardware runs as another one
	if err := c.steps(lowerSteps); err != nil {
		return nil, err
	}
	raster, err := c.raster()
	if err != nil {
		return nil, err
	}
	for i, limit := range uniformLimits {
		c.uniforms, c.meta, c.attempt = limit, c.newMeta(), attempt{}
		if err := c.steps(selectSteps); err != nil {
			return nil, err
		}
		best, err := c.choose()
		if err != nil {
			return nil, err
		}
		c.attempt = *best
		enough := len(c.meta.Uniforms) <= uniformLimits[len(uniformLimits)-1] || best.size.spills == 0
		if enough || i == len(uniformLimits)-1 {
			break
		}
	}
	c.describe()
	if own := c.meta.OwnBuffer(); c.blend != nil && own != "" && !faults.has(faultBlendUniforms) {
		return nil, ir.Unsupportedf("midgard: %s in a blend program are not supported: it runs with the uniform registers and the buffers of the program that calls it", own)
	}
	c.bin = new(Binary)
	if err := c.steps(encodeSteps); err != nil {
		return nil, err
	}
	if raster != nil {
		c.bin.append(raster)
	}
	return c.bin, c.bin.Meta.Check()
}

// uniformLimits bound the uniform registers of one try after the other: many,
// and where values spill then, only those that cost no work registers.
var uniformLimits = [...]int{abi.MaxUniforms, freeUniforms}

const freeUniforms = abi.UniformTop + 1 - abi.MaxWork

// compiler is the state of a shader in the code generator.
type compiler struct {
	s     *ir.Shader
	gpu   *GPU
	opts  CompileOptions
	job   *backend.Job
	mem   *memory
	blend *blendLayout // of a blend program
	res   *resources   // nil until handles are lowered
	stage stageMeta    // of tessellation and geometry shaders

	// Of the uniform limit at hand.
	uniforms int
	meta     abi.Meta
	floor    int // the first work register that is free for values

	attempt
	tried [8]attempt // by plan
	// reordered: presched found better orders. peak is the components that were live at most before, 0 unknown.
	// waited: a load waited for another.
	reordered, waited bool
	peak              int
	bin               *Binary
}

// newCompiler checks what can be said of a shader before any step.
func newCompiler(s *ir.Shader, opts CompileOptions) (c *compiler, err error) {
	c = &compiler{s: s, opts: opts, job: opts.Job}
	if c.job == nil {
		c.job = &backend.Job{}
	}
	if c.gpu, err = FindGPU(opts.GPU); err != nil {
		return nil, err
	}
	switch s.Stage {
	case ir.StageVertex, ir.StageFragment, ir.StageCompute, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry:
	default:
		return nil, ir.Unsupportedf("midgard: %s shaders are not supported", s.Stage)
	}
	if opts.Feedback && (s.Stage != ir.StageVertex || len(s.Captures) == 0) {
		return nil, ir.Unsupportedf("midgard: a program of the ABI xfb is of a vertex shader with outputs that transform feedback captures, which this %s shader is not", s.Stage)
	}
	if opts.Blend != "" {
		if s.Stage != ir.StageFragment {
			return nil, fmt.Errorf("midgard: a blend program is a fragment shader, not a %s shader", s.Stage)
		}
		if c.blend, err = layoutOf(opts.Blend); err != nil {
			return nil, err
		}
	}
	if z := s.Info.WorkgroupSize; s.Stage == ir.StageCompute && abi.WorkLimit(z) == 0 {
		return nil, ir.Unsupportedf("midgard: a workgroup of %d x %d x %d invocations is not supported, a core holds %d threads", z[0], z[1], z[2], abi.MaxThreads)
	}
	if s.SharedSize > abi.MaxShared {
		return nil, ir.Unsupportedf("midgard: %d bytes of workgroup memory are not supported, there are up to %d", s.SharedSize, abi.MaxShared)
	}
	if s.ScratchSize > abi.MaxTLS {
		return nil, ir.Unsupportedf("midgard: %d bytes of private memory a thread are not supported, there are up to %d", s.ScratchSize, abi.MaxTLS)
	}
	if entry := s.Entry(); entry == nil || entry.Impl == nil {
		return nil, errors.New("midgard: the shader has no entry point")
	}
	return c, backend.CheckQuads(TargetName, s)
}

// impl is the body of the entry point.
func (c *compiler) impl() *ir.Impl { return c.s.Entry().Impl }

var memories = sync.Pool{New: func() any { return new(memory) }}
