package amber

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"nirc/backend/layout"
	"nirc/internal/emu"
	"nirc/ir"
)

// Runner runs scripts on a target. Its fields are set before the first Run;
// then several goroutines may use it.
type Runner struct {
	Target Target
	// Limits bound every dispatch and draw.
	Limits emu.Limits
	// Parallel is how many goroutines share the workgroups of a dispatch; 0 and
	// 1 give the same result every time.
	Parallel int
	// Strict fails expectations that only hold as Amber counts the absolute tolerances of colours: in
	// units of the whole range, not in 255ths as the colours are.
	Strict bool
	// Layout is the layout of all pipelines, nil for the places that follow from the numbers of
	// bindings. ScriptLayouts makes one of what each pipeline binds instead.
	Layout        *layout.Layout
	ScriptLayouts bool
	// Link compiles the stages of graphics pipelines together, if the target can.
	Link bool
	// OptimizationOff is passed on to the target.
	OptimizationOff bool
	// Glslang is the path of glslangValidator; "" looks it up.
	Glslang string
	// Modules, unless nil, keeps what glslangValidator makes.
	Modules *ModuleCache
}

// Run executes a script. It passes if every command ran and every expectation
// was evaluated and true, or is in the result's notes.
func (r *Runner) Run(ctx context.Context, s *Script) Result {
	e := &engine{r: r, s: s, ctx: ctx}
	err := e.run()
	if err != nil && ctx.Err() != nil {
		// Whatever failed, it failed because time was up.
		err = at(e.line, CauseRun, fmt.Errorf("stopped: %w", context.Cause(ctx)))
	}
	res := resultOf(err, e.checked)
	res.Notes = e.notes
	return res
}

// engine is one run of a script.
type engine struct {
	r        *Runner
	s        *Script
	ctx      context.Context
	mem      *emu.Memory
	res      []resource // by Buffer.index
	pipes    map[*Pipeline]*pipe
	progs    map[attachment]emu.Program // pipelines of a VkScript share theirs
	linked   map[linkedKey][stageTask]emu.Program
	programs map[*ShaderDecl]uint64 // addresses of the variables of OpenCL programs
	line     int                    // of the command being executed
	checked  int
	commands uint32 // dispatches and draws so far
	notes    []Note
}

// pipe is a pipeline in use.
type pipe struct {
	decl     *Pipeline
	layout   *layout.Layout
	programs [stageTask]emu.Program // by ShaderStage: those before stageTask can be run
	kernel   *Kernel                // nil of others
	env      emu.Env
	bindings emu.Bindings
	color    []emu.Attachment
	depth    emu.Attachment

	rays         map[*Attached]emu.Program // of a ray tracing pipeline
	clearColor   [4]float32
	clearDepth   float32
	clearStencil uint8
}

// anyProgram is one of the pipeline's programs: all are of one target.
func (p *pipe) anyProgram() emu.Program {
	for _, prog := range p.programs {
		if prog != nil {
			return prog
		}
	}
	return nil
}

func (e *engine) run() error {
	for i := range e.s.Requirements {
		q := &e.s.Requirements[i]
		if err := q.check(e.r.Target); err != nil {
			return at(q.Line, CauseNone, err)
		}
	}
	e.pipes = make(map[*Pipeline]*pipe)
	e.progs = make(map[attachment]emu.Program)
	e.linked = make(map[linkedKey][stageTask]emu.Program)
	// What cannot run is found before anything runs: first what the script
	// asks for, then what the target says to its shaders.
	if err := e.eachCommand(e.s.Commands, e.checkSupport); err != nil {
		return err
	}
	if err := e.eachCommand(e.s.Commands, e.compile); err != nil {
		return err
	}
	e.mem = e.r.Limits.NewMemory()
	e.res = make([]resource, len(e.s.Buffers))
	return e.execute(e.s.Commands)
}

// eachCommand calls f once for every command, those of REPEAT blocks too.
func (e *engine) eachCommand(list []Command, f func(Command) error) error {
	for _, c := range list {
		var err error
		if rep, ok := c.(*Repeat); ok {
			err = e.eachCommand(rep.Body, f)
		} else {
			err = f(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkSupport returns an *Unsupported for a command that needs what there
// is not.
func (e *engine) checkSupport(c Command) error {
	switch c := c.(type) {
	case *Run:
		return c.Pipeline.checkSupport(c)
	case *ExpectTexels:
		return checkComparable(c.Pos(), c.Buffer)
	case *ExpectValues:
		return checkComparable(c.Pos(), c.Buffer)
	case *ExpectBuffers:
		return errors.Join(checkComparable(c.Pos(), c.A), checkComparable(c.Pos(), c.B))
	}
	return nil
}

func checkComparable(line int, b *Buffer) error {
	if b.Samples > 1 {
		return at(line, CauseNone, unsupported("comparing multisampled image %q is not supported", b.Name))
	}
	return nil
}

func (pl *Pipeline) checkSupport(c *Run) error {
	skip := func(line int, format string, args ...any) error {
		return at(line, CauseNone, unsupported(format, args...))
	}
	if pl.AdvancedBlend != "" {
		return skip(pl.Line, "blend operation %s is not supported", pl.AdvancedBlend)
	}
	return nil
}

// compile makes the programs of a command's pipeline.
func (e *engine) compile(c Command) error {
	run, ok := c.(*Run)
	if !ok || e.pipes[run.Pipeline] != nil {
		return nil
	}
	p := e.pipe(run.Pipeline)
	if run.Kind == RunRays {
		return e.compileRays(p)
	}
	if t, ok := e.r.Target.(PipelineTarget); ok && e.r.Link && run.Kind != RunCompute {
		return e.compileLinked(t, p)
	}
	for _, a := range p.decl.Shaders {
		e.line = a.Line
		if a.Shader.Format == FormatOpenCL {
			k, err := e.kernel(a, p)
			if err != nil {
				return at(a.Line, CauseCompile, err)
			}
			p.kernel, p.programs[a.Stage] = k, k.Program
			continue
		}
		key := attachment{a, p.decl.next(a.Stage), nil}
		if e.r.ScriptLayouts {
			key.pipeline = p.decl
		}
		if e.progs[key] == nil {
			prog, err := e.program(a, key.next, p.layout)
			if err != nil {
				return at(a.Line, CauseCompile, err)
			}
			e.progs[key] = prog
		}
		p.programs[a.Stage] = e.progs[key]
	}
	return nil
}

// attachment is a shader and the stage that follows it.
type attachment struct {
	shader   *Attached
	next     ir.Stage
	pipeline *Pipeline // if its layout is its own
}

// next is the stage that follows a stage of the pipeline, or none.
func (pl *Pipeline) next(stage ShaderStage) ir.Stage {
	return ir.NextStage(ir.StageTable[stage].Stage, func(s ir.Stage) bool {
		return slices.ContainsFunc(pl.Shaders, func(a *Attached) bool { return a.Stage < stageTask && ir.StageTable[a.Stage].Stage == s })
	})
}

// program compiles an attached shader; next follows it.
func (e *engine) program(a *Attached, next ir.Stage, l *layout.Layout) (emu.Program, error) {
	sh, err := e.shader(a, next, l)
	if err != nil {
		return nil, err
	}
	prog, err := e.r.Target.Compile(e.ctx, sh)
	if err != nil {
		return nil, fmt.Errorf("shader %s: %w", a.Shader.Name, err)
	}
	return prog, e.checkProgram(a, prog)
}

// shader is an attached shader as a target takes it.
func (e *engine) shader(a *Attached, next ir.Stage, l *layout.Layout) (sh Shader, err error) {
	words, err := e.r.spirv(e.ctx, e.s, a.Shader, a.Stage, a.Entry)
	if err == nil {
		words, err = optimize(e.ctx, words, a.Optimize)
	}
	if err != nil {
		return sh, fmt.Errorf("shader %s: %w", a.Shader.Name, err)
	}
	return Shader{
		Name: a.Shader.Name, Stage: ir.StageTable[a.Stage].Stage, Next: next, Words: words, Entry: a.Entry, Spec: a.Spec, Layout: l,
		OptimizationOff: e.r.OptimizationOff, SubgroupSize: max(0, a.RequiredSubgroup), FullSubgroups: a.FullSubgroups, Robust: e.s.robust(),
	}, nil
}

// checkProgram holds what a target made of a shader to what was asked for.
func (e *engine) checkProgram(a *Attached, prog emu.Program) error {
	switch {
	case prog == nil:
		return fmt.Errorf("shader %s: target %s gave no program", a.Shader.Name, e.r.Target.Name())
	case prog.Stage() != ir.StageTable[a.Stage].Stage:
		return fmt.Errorf("shader %s: target %s gave a %v program for stage %v", a.Shader.Name, e.r.Target.Name(), prog.Stage(), ir.StageTable[a.Stage].Stage)
	case a.RequiredSubgroup > 0 && prog.WaveSize() != a.RequiredSubgroup:
		return unsupported("subgroups of %d are not supported, the target has %d", a.RequiredSubgroup, prog.WaveSize())
	}
	return nil
}

// linkedKey is the shaders of a pipeline that are linked.
type linkedKey struct {
	shaders [stageTask]*Attached
	layout  *Pipeline // if its layout is its own
}

// compileLinked makes the programs of a graphics pipeline together.
func (e *engine) compileLinked(t PipelineTarget, p *pipe) error {
	key := linkedKey{}
	if e.r.ScriptLayouts {
		key.layout = p.decl
	}
	for _, a := range p.decl.Shaders {
		key.shaders[a.Stage] = a
	}
	if programs, ok := e.linked[key]; ok {
		p.programs = programs
		return nil
	}
	var list []Shader
	for _, a := range p.decl.Shaders {
		e.line = a.Line
		sh, err := e.shader(a, ir.StageNone, p.layout)
		if err != nil {
			return at(a.Line, CauseCompile, err)
		}
		list = append(list, sh)
	}
	programs, err := t.CompilePipeline(e.ctx, list)
	if err != nil {
		return at(p.decl.Line, CauseCompile, err)
	}
	for i, a := range p.decl.Shaders {
		if err := e.checkProgram(a, programs[i]); err != nil {
			return at(a.Line, CauseCompile, err)
		}
		p.programs[a.Stage] = programs[i]
	}
	e.linked[key] = p.programs
	return nil
}

// pipe returns the state of a pipeline.
func (e *engine) pipe(pl *Pipeline) *pipe {
	p := e.pipes[pl]
	if p == nil {
		p = &pipe{decl: pl, clearDepth: 1, layout: e.r.layoutOf(pl)}
		e.pipes[pl] = p
	}
	return p
}

// execute runs commands in order.
func (e *engine) execute(list []Command) error {
	for _, c := range list {
		e.line = c.Pos()
		if err := e.ctx.Err(); err != nil {
			return err
		}
		cause, err := e.step(c)
		var se *scriptError
		if err != nil && errors.As(err, &se) {
			return err // knows its line
		}
		if err != nil {
			return at(c.Pos(), cause, err)
		}
	}
	return nil
}

// step runs one command; cause is what its error would be.
func (e *engine) step(c Command) (cause Cause, err error) {
	switch c := c.(type) {
	case *Repeat:
		for range c.Count {
			if err := e.execute(c.Body); err != nil {
				return CauseRun, err
			}
		}
	case *Run:
		return CauseRun, e.runPipeline(c)
	case *Clear:
		return CauseRun, e.clear(c)
	case *ClearColor:
		e.pipe(c.Pipeline).clearColor = c.RGBA
	case *ClearDepth:
		e.pipe(c.Pipeline).clearDepth = c.Value
	case *ClearStencil:
		e.pipe(c.Pipeline).clearStencil = c.Value
	case *Copy:
		return CauseRun, e.copy(c)
	case *Write:
		return CauseRun, e.write(c)
	case *ExpectValues:
		return e.expect(c.check, c.Buffer)
	case *ExpectTexels:
		return e.expect(func(data []byte) error { return c.check(data, e.res[c.Buffer.index].extent) }, c.Buffer)
	case *ExpectBuffers:
		return e.expect(func(data []byte) error {
			other, err := e.contents(c.B)
			if err != nil {
				return err
			}
			return c.check(data, other, e.res[c.A.index].extent, e.res[c.B.index].extent)
		}, c.A)
	default:
		return CauseRun, fmt.Errorf("command of type %T is not supported", c)
	}
	return CauseNone, nil
}

// expect evaluates an expectation on a buffer.
func (e *engine) expect(check func([]byte) error, b *Buffer) (Cause, error) {
	data, err := e.contents(b)
	if err != nil {
		return CauseRun, err
	}
	err = check(data)
	var loose *looseError
	switch {
	case err == nil:
		e.checked++
	case errors.As(err, &loose) && !e.r.Strict:
		e.notes = append(e.notes, Note{e.line, err.Error()})
	case loose != nil:
		return CauseExpectation, loose.err
	default:
		return CauseExpectation, err
	}
	return CauseNone, nil
}

func (e *engine) copy(c *Copy) error {
	from, err := e.contents(c.From)
	if err != nil {
		return err
	}
	to, err := e.contents(c.To)
	if err != nil {
		return err
	}
	if !c.From.Format.Equal(c.To.Format) || len(from) != len(to) {
		return fmt.Errorf("COPY from %q to %q, which has another type or size", c.From.Name, c.To.Name)
	}
	copy(to, from)
	return nil
}
