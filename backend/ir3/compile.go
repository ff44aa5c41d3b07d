package ir3

import (
	"errors"
	"fmt"
	"strings"

	"nirc/backend"
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
	"nirc/passes"
)

// CompileOptions steer Compile.
type CompileOptions struct {
	// GPU is the device's name, "" for DefaultGPU.
	GPU string
	// Verify tests what steps leave of the IR and runs the allocation checker.
	Verify bool
	// Next is the stage whose threads go on where this one ends: tessellation
	// control or geometry after vertex, geometry after tessellation evaluation. None
	// means that outputs are left in registers.
	Next ir.Stage
	// Lists runs the lists ir3_… of pipeline.yaml.
	Lists passes.Lists
	// Registers, if not 0, bounds the vec4 registers that may be used (for tests of spilling).
	Registers int
	// Run looks into the steps and leaves some out, where job does not say so (for tests).
	Run passes.RunOptions
	// job is what the compile belongs to, nil if it stands alone.
	job *backend.Job
	// shareAll puts all uniform values of the program that can be there into shared registers,
	// and maskAll masks all sides of ifs that can be masked, worth it or not (for tests).
	shareAll, maskAll bool
	// scalarAlways moves each preamble to shared registers that can be there, worth it or not (for tests).
	scalarAlways bool
	// onePlan keeps the first program that compiles (for tests).
	onePlan bool
}

// Binary is a compiled shader.
type Binary struct {
	Code  []byte
	Meta  abi.Meta
	Stats Stats
	// Locs[i] is the source location (an index into ir.Shader.Locs) of instruction i.
	Locs []uint32
}

// Compile generates code for a shader in the form that the package comment
// describes. It changes the shader. What cannot be compiled is an error that says what and,
// if known, where in the source.
func Compile(s *ir.Shader, opts CompileOptions) (*Binary, error) {
	g, err := FindGPU(opts.GPU)
	if err != nil {
		return nil, err
	}
	if opts.job == nil {
		opts.Run.VerifyEach = opts.Run.VerifyEach || opts.Verify
		opts.job = &backend.Job{Instrument: passes.NewInstrument(opts.Run), Dump: opts.Run.Dump != nil}
	}
	c := &compiler{s: s, gpu: g, opts: opts, mem: memories.Get().(*memory)}
	b, err := c.run()
	c.release()
	return b, err
}

// compiler is a shader on its way: what the steps (steps.go) work on.
type compiler struct {
	s    *ir.Shader
	impl *ir.Impl
	gpu  *GPU
	opts CompileOptions
	mem  *memory
	meta abi.Meta
	// groups are the repeat groups that are planned in the IR, nil if nobody has planned yet.
	groups *vecPlan
	// without is what the plan of this attempt leaves out, told in words by plan.
	without struct{ preamble, scalarPreamble, scalarUniform bool }
	plan    []string
	// first is a program that took more registers than its order was for, if there is one, firstTime its
	// time; within are the registers that the next order is for.
	first     *Binary
	firstTime int64
	within    int
	attempt
}

// attempt is what a compile by one plan knows.
type attempt struct {
	sel *isel
	// repeat: operations are brought together in groups.
	repeat bool
	rpt    RptStats
	// limit is the number of units that values may have in registers; pressure the most that
	// live at once, live where: up to presched, and from spill to ra; nil if it is not known.
	limit, pressure int
	// planned is the number of waves on a scheduler that blocks were ordered for.
	planned int
	live    *mach.Liveness
	// shared: uniform values of the program are in shared registers; scalar: the preamble is.
	shared, scalar bool
	// spillStart is where the spill area begins in private memory, in bytes.
	spillStart int
	// runs are values that would like consecutive registers.
	runs  [][]mach.Value
	check *mach.Checker
	// phys is the physical program, list the same in its order.
	phys *phys
	list []pinstr
	// stack is the depth of the branch stack.
	stack int
	bin   *Binary
}

// run compiles by the first plan that does.
func (c *compiler) run() (*Binary, error) {
	if err := c.begin(); err != nil {
		return nil, err
	}
	if err := backend.RunSteps(c.opts.job, loweringSteps, c, (*compiler).text); err != nil {
		return nil, err
	}
	lowered := c.meta
	for {
		err := backend.RunSteps(c.opts.job, codeSteps, c, (*compiler).text)
		switch {
		case err == nil && !c.secondPlan():
			return c.better(), nil
		case err == nil:
		case c.first != nil:
			return c.first, nil
		case !c.replan(err):
			return nil, err
		}
		c.endAttempt()
		c.meta = lowered
	}
}

// begin checks that there is something to compile.
func (c *compiler) begin() error {
	switch c.s.Stage {
	case ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry, ir.StageFragment, ir.StageCompute:
	default:
		return ir.Unsupportedf("ir3: %s shaders are not supported", c.s.Stage)
	}
	entry := c.s.Entry()
	if entry == nil || entry.Impl == nil {
		return errors.New("ir3: the shader has no entry point")
	}
	if err := backend.CheckQuads(TargetName, c.s); err != nil {
		return err
	}
	if c.gpu.NoGeometry && abi.GeometryStage(c.s.Stage) {
		return backend.Refuse(TargetName, c.s, nil, "%s shaders are not supported on %s: the hardware has no such stage", c.s.Stage, c.gpu.Name)
	}
	if n := c.s.SharedSize; n > uint32(c.gpu.LocalMem) {
		return backend.Refuse(TargetName, c.s, nil, "%d bytes of workgroup memory are not supported on %s, which has %d", n, c.gpu.Name, c.gpu.LocalMem)
	}
	if what := c.gpu.CheckWorkgroup(c.s.Info.WorkgroupSize); c.s.Stage == ir.StageCompute && what != "" {
		return backend.Refuse(TargetName, c.s, nil, "%s", what)
	}
	c.impl = entry.Impl
	c.meta = abi.Meta{Gen: c.gpu.Gen, GPU: c.gpu.Name, Stage: c.s.Stage, Robust: c.s.Options.Robust}
	return nil
}

// What does not fit and ends an attempt.
var (
	errUnits      = errors.New("ir3: the const file has no room for arrays that are to be there")
	errNoArrays   = errors.New("ir3: arrays need more registers than there are")
	errNotPlaced  = errors.New("ir3: uniform values need more shared registers than there are")
	errNotShared  = errors.New("ir3: the preamble needs more shared registers than there are")
	errNoPreamble = errors.New("ir3: the preamble needs more registers than there are")
	errPrefetch   = errors.New("ir3: prefetches need registers that they cannot write")
)

// replans say what the next attempt does without where one fails: each error comes at most once, and errUnits of fewer loads each time.
var replans = [...]struct {
	err   error
	what  string
	leave func(*compiler)
}{
	{errUnits, "arrays that the const file has no room for", (*compiler).lowerLeft},
	{errNoArrays, "arrays in registers", func(c *compiler) { arraysToMemory(c.s, c.impl); c.groups = nil }},
	{errNotPlaced, "uniform values of the program in shared registers", func(c *compiler) { c.without.scalarUniform = true }},
	{errNotShared, "the preamble in shared registers", func(c *compiler) { c.without.scalarPreamble = true }},
	{errNoPreamble, "a preamble", func(c *compiler) { c.without.preamble = true }},
	{errPrefetch, "a preamble and prefetches", func(c *compiler) { c.without.preamble = true }},
}

// replan makes the plan of the next attempt after one that failed; if there is
// none it reports false.
func (c *compiler) replan(err error) bool {
	for i := range replans {
		if r := &replans[i]; err == r.err {
			r.leave(c)
			c.plan = append(c.plan, r.what)
			return true
		}
	}
	return false
}

// Lowering is the shader before selection.
func (c *compiler) Lowering() *ir.Shader {
	if c.sel != nil {
		return nil
	}
	return c.s
}

// text is the state of the compile: the IR, the functions of the machine, or
// the program.
func (c *compiler) text() string {
	var w strings.Builder
	for _, what := range c.plan {
		fmt.Fprintf(&w, "; without %s\n", what)
	}
	switch {
	case c.list != nil:
		w.WriteString(listing(c.list, c.gpu.Gen))
	case c.phys != nil:
		w.WriteString(c.phys.text())
	case c.sel != nil:
		w.WriteString(c.sel.f.String())
		if c.sel.pre.f != nil {
			w.WriteString(c.sel.pre.f.String())
		}
	default:
		w.WriteString(ir.Print(c.s))
	}
	return w.String()
}

// outputSpans are the registers that the end of the program reads.
func (c *compiler) outputSpans() []span {
	outs := c.mem.outs[:0]
	for _, o := range c.meta.Outputs {
		for k := range 4 {
			if o.Registers()>>k&1 == 0 {
				continue
			}
			r := isa.R(o.Reg + k)
			if o.Half {
				r = isa.HR(o.Reg + k)
			}
			if sp, ok := operandSpan(r, 1); ok {
				outs = append(outs, sp)
			}
		}
	}
	c.mem.outs = outs
	return outs
}
