package nirc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"nirc/backend"
	"nirc/backend/layout"
	"nirc/backend/object"
	"nirc/frontend/spirv"
	"nirc/frontend/spirv/spv"
	"nirc/internal/capability"
	"nirc/internal/layouts"
	"nirc/ir"
	"nirc/passes"
)

// Unit is one shader on its way through the compiler: New, Translate,
// Optimize, Generate in this order. It belongs to one goroutine.
type Unit struct {
	// Shader is the shader as the last stage left it, nil before Translate.
	Shader *ir.Shader
	// Reflection is the shader's interface, known from Translate on.
	Reflection object.Reflection

	opts       Options
	module     *Module
	links      []StageLink
	back       backend.Backend // nil of IRTarget
	ins        *passes.Instrument
	generating bool
	wished     ir.Stage // the stage that the shader's Options are for, StageNone if they are not the target's

	// What ins and the code generator point to: a part of the unit, so that they are made together.
	instrument passes.Instrument
	job        backend.Job
}

// New starts a unit. The error is a UsageError.
func New(o Options) (*Unit, error) {
	switch {
	case o.Backend != nil:
		o.Target = o.Backend.Name()
	case o.Target == "":
		o.Target = DefaultTarget
	}
	u := &Unit{opts: o}
	if o.Layout != nil {
		if p := o.Layout.Check(); p != nil {
			return nil, Usagef("the pipeline layout: %s", p)
		}
	}
	if o.State != nil && o.State.Shader != nil {
		if err := o.State.Shader.Check(); err != nil {
			return nil, Usagef("the pipeline state: %s", err)
		}
	}
	if o.Target != IRTarget {
		b, err := o.backend()
		if err != nil {
			return nil, err
		}
		if err := checkGPU(b, o.GPU); err != nil {
			return nil, err
		}
		if !backend.HasABI(b, o.ABI) {
			return nil, Usagef("%s: the ABI %q is not supported: it has %s", o.Target, o.ABI, strings.Join(backend.ABIKinds(b), ", "))
		}
		if o.State != nil && o.State.WantsParts() && backend.HasABI(b, SeparateABI) && o.ABI != "" && o.ABI != SeparateABI {
			return nil, Usagef("%s: a pipeline state is for shaders of parts, not for the ABI %q", o.Target, o.ABI)
		}
		if o.GPU == "" {
			u.opts.GPU = b.GPUs()[0].Name
		}
		u.back = b
	}
	if o.Run.NamesSteps() {
		var steps []backend.StepInfo
		if u.back != nil {
			steps = u.back.Steps(u.opts.GPU)
		}
		if err := checkSteps(&o.Run, steps); err != nil {
			return nil, err
		}
	}
	run := o.Run
	if o.Run.Dump != nil {
		run.Dump = u.dump
	}
	u.ins = &u.instrument
	u.ins.Set(run)
	return u, nil
}

// The names of the stages that the library itself asks about.
const (
	translateStep = "translate"
	generateStage = "generate"
)

// dump passes a dump on, printed again with the flow of control if asked for.
func (u *Unit) dump(title, text string) {
	if u.opts.PrintCFG && !u.generating && u.Shader != nil {
		text = ir.PrintWith(u.Shader, ir.PrintOptions{CFG: true})
	}
	u.opts.Run.Dump(title, text)
}

// Target returns the name of the unit's target, GPU its GPU ("" of IRTarget).
func (u *Unit) Target() string { return u.opts.Target }

// Links are what linking did between the unit's shader and its neighbours, nil if it was not linked.
func (u *Unit) Links() []StageLink { return u.links }

// GPU returns the name of the GPU, "" of IRTarget.
func (u *Unit) GPU() string { return u.opts.GPU }

// Missed names the cut, RunOptions.StartBefore or StopAfter, that the stages so
// far have not reached, "" if there is none: with it all, or nothing, has run.
func (u *Unit) Missed() string { return u.ins.Missed() }

// Stopped reports whether RunOptions.StopAfter cuts the compile in its passes: no code can
// be generated then. Cut in a machine step, Generate gives ErrStopped.
func (u *Unit) Stopped() bool { return u.opts.Run.StopAfter != "" && isPass(u.opts.Run.StopAfter) }

// Done ends a compile that came out with err: the shader's memory goes to the
// next one, and nothing of Shader may be used afterwards. After an error that is not about the
// input the shader stays, for the error may speak of it.
func (u *Unit) Done(err error) {
	if u.Shader != nil && (err == nil || isDiagnostic(err)) {
		u.Shader.Release()
	}
}

// isDiagnostic reports whether an error lists what is wrong with the input.
func isDiagnostic(err error) bool {
	var about Diagnostics
	return errors.As(err, &about)
}

// backend is what generates the code.
func (o *Options) backend() (backend.Backend, error) {
	if o.Backend != nil {
		return o.Backend, nil
	}
	return Backend(o.Target)
}

// stage runs one stage of the compile.
func (u *Unit) stage(ctx context.Context, name string, f func() error) (err error) {
	if u.opts.Log != nil {
		defer u.tell(ctx, name, time.Now(), &err)
	}
	u.ins.Begin(ctx)
	g := guard{ctx: ctx, file: u.opts.File, target: u.opts.Target, stage: name, ins: u.ins}
	if u.back == nil || name == translateStep {
		g.target = ""
	}
	return g.run(f)
}

// Translate makes the shader of the entry point that the options choose.
func (u *Unit) Translate(ctx context.Context, m *Module) error {
	u.module = m
	if u.opts.File == "" {
		u.opts.File = m.Name
	}
	return u.stage(ctx, translateStep, func() error {
		if u.ins.Plain() {
			outer, err := u.ins.Enter(translateStep)
			if err == nil {
				err = u.translate(m)
			}
			if err == nil {
				u.ins.Leave(outer)
			}
			return err
		}
		st := passes.Step{Name: translateStep, Print: func() string { return u.printSource(m) }}
		st.Run = func() (bool, error) { return true, u.translate(m) }
		if b := u.opts.Run.Bisect; u.opts.Run.StartBefore != "" || b != nil && b.Every {
			return u.translate(m) // the cut is about passes
		}
		if _, err := u.ins.Do(&st); err != nil {
			return err
		}
		if u.opts.Run.VerifyEach {
			if err := ir.Validate(u.Shader); err != nil {
				return &InternalError{Pass: translateStep, Value: err}
			}
		}
		return nil
	})
}

// printSource is the state around the translation: assembly before it, the
// shader after it.
func (u *Unit) printSource(m *Module) string {
	if u.Shader != nil {
		return ir.Print(u.Shader)
	}
	text, err := m.Disassemble()
	if err != nil {
		return ir.Print(m.shader)
	}
	return text
}

func (u *Unit) translate(m *Module) error {
	s, err := u.take(m)
	if err != nil {
		return err
	}
	if err := u.setOptions(s); err != nil {
		return err
	}
	if u.opts.Layout != nil {
		if err := u.checkLayout(s); err != nil {
			return err
		}
	}
	if m.shader != nil {
		if name, bits, why := s.Info.FloatControls.Beyond(s.Options.FloatControls); name != "" && u.back != nil {
			return Diagnose(ir.Unsupportedf("the float mode %s of %d bits is not supported: %s", name, bits, why), u.opts.File, u.opts.Target)
		}
		// Load has checked what holds for any target: the rest is the text's fault too.
		if err := ir.Validate(s); err != nil {
			return err
		}
	}
	u.Shader, u.Reflection = s, Reflect(s)
	return nil
}

// take is the shader of a module: a copy of IR text's, or what SPIR-V means for the target.
func (u *Unit) take(m *Module) (*ir.Shader, error) {
	if m.shader == nil {
		return u.fromSPIRV(m.SPIRV)
	}
	if u.opts.Entry != "" && u.opts.Entry != m.shader.Name {
		return nil, fmt.Errorf("the shader's name is %q, not %q", m.shader.Name, u.opts.Entry)
	}
	if u.opts.Stage != ir.StageNone && u.opts.Stage != m.shader.Stage {
		return nil, fmt.Errorf("the shader's stage is %s, not %s", m.shader.Stage, u.opts.Stage)
	}
	if len(u.opts.Spec) > 0 {
		return nil, fmt.Errorf("IR text has no specialization constants")
	}
	return ir.Clone(m.shader), nil
}

func (u *Unit) fromSPIRV(m *spv.Module) (*ir.Shader, error) {
	o := spirv.Options{Entry: u.opts.Entry, Stage: u.opts.Stage, Spec: u.opts.Spec, Robust: u.opts.Robust, Debug: u.opts.Debug, WorkgroupSize: u.opts.WorkgroupSize, LocalMemory: u.opts.LocalMemory, AnySize: u.opts.anySize, Printf: u.opts.Printf != nil, TargetName: u.opts.Target, Why: capability.Frontend}
	if u.back != nil {
		o.GPUName, o.Machine = u.opts.GPU, (*machine)(u)
		u.opts.Layout = cmp.Or(u.opts.Layout, impliedLayout(m))
	}
	return spirv.Translate(m, o)
}

// impliedLayout is the layout of a module that no Options.Layout is for, nil if there is none: descriptor heaps have one.
func impliedLayout(m *spv.Module) *Layout {
	if m != nil && m.Declares(spv.CapabilityDescriptorHeapEXT) {
		return layout.Heaps()
	}
	return nil
}

// machine is a unit as the frontend asks it.
type machine Unit

// Options are the target's for a stage, nil if it refuses the stage: setOptions says why.
func (m *machine) Options(stage ir.Stage) *ir.Options {
	o, err := m.back.Options(m.opts.GPU, stage)
	if err != nil {
		return nil
	}
	m.wished = stage
	return o
}

// Lacks is why the GPU lacks a capability that cannot be seen in the IR.
func (m *machine) Lacks(c spv.Capability) string {
	if staysInIR(c) {
		return ""
	}
	return capability.Why(c, m.opts.Target, m.opts.GPU)
}

// setOptions gives a shader what its target wants lowered, and what the pipeline's state says.
func (u *Unit) setOptions(s *ir.Shader) (err error) {
	if u.back != nil {
		if u.wished != s.Stage {
			if s.Options, err = u.back.Options(u.opts.GPU, s.Stage); err != nil {
				return Diagnose(err, u.opts.File, u.opts.Target)
			}
		}
		s.Options.DispatchBase = u.opts.DispatchBase
		s.Options.SafeConsts = u.opts.SafeConsts
		s.Options.HardFaults = u.opts.HardFaults
		u.joinDistances(s)
		if u.opts.SampleShading && s.Stage == ir.StageFragment {
			s.Options.SampleShading, s.Info.UsesSampleShading = true, true
		}
	} else {
		own := *s.Options
		own.UniformCost = 16
		s.Options = &own
	}
	s.Options.YCbCr = u.opts.Layout.Conversions()
	s.Options.Robust, s.Options.Multiview, s.Options.Points = u.opts.Robust, u.opts.Multiview, u.opts.Points
	return nil
}

// joinDistances keeps the option of one array of distances where the stage after the shader, as far as it is known, wants that.
func (u *Unit) joinDistances(s *ir.Shader) {
	s.Options.JoinsDistances = s.Options.JoinsDistances && meetsRasteriser(s.Stage, u.opts.Next)
}

// meetsRasteriser reports whether the rasteriser takes what a stage before next leaves, or gives it its inputs.
func meetsRasteriser(stage, next ir.Stage) bool {
	return stage == ir.StageGeometry || stage == ir.StageFragment || next == ir.StageNone || next == ir.StageFragment
}

// checkLayout says, as Diagnostics, what a shader uses that its pipeline layout does not have.
func (u *Unit) checkLayout(s *ir.Shader) error {
	var list Diagnostics
	for _, p := range layouts.Check(s, u.opts.Layout) {
		list = append(list, placed(s, u.opts.File, p.Loc, p.Msg))
	}
	if list == nil {
		return nil
	}
	return list
}

// placed is a diagnostic about a place of a shader.
func placed(s *ir.Shader, file string, loc ir.Loc, msg string) Diagnostic {
	d := Diagnostic{File: file, ID: loc.ID, Word: int(loc.Word), Msg: msg}
	if loc.Line != 0 {
		d.ID, d.Word = 0, 0
		source := ""
		if int(loc.File) < len(s.Files) {
			source = s.Files[loc.File]
		}
		d.place(source, loc.Line, loc.Col)
	}
	return d
}

// Optimize runs the target's passes, or those that the options give.
func (u *Unit) Optimize(ctx context.Context) error {
	return u.stage(ctx, "optimize", func() error {
		p, err := u.pipeline()
		if err != nil {
			return err
		}
		hooks, err := u.hooks(u.Shader.Stage)
		if err != nil {
			return err
		}
		defer u.reflectHooks(hooks)
		if err = p.RunHooked(u.Shader, u.ins, hooks); err == nil {
			err = u.refuseLacking()
		}
		return u.verifyError(asUsage(err))
	})
}

// asUsage makes a hook that the pipeline lacks an error of the options.
func asUsage(err error) error {
	if err == nil {
		return nil
	}
	var missing *passes.MissingHookError
	if errors.As(err, &missing) {
		return Usagef("%s", missing)
	}
	return err
}

// staysInIR reports whether what a capability enables can be seen in the IR, so that it counts only where the passes
// have left it: refuseLacking.
func staysInIR(c spv.Capability) bool {
	return c == spv.CapabilitySparseResidency || c == spv.CapabilityShaderClockKHR
}

// refuseLacking refuses what is left of capabilities that the GPU does not have.
func (u *Unit) refuseLacking() error {
	entry := u.Shader.Entry()
	if entry == nil || entry.Impl == nil {
		return nil
	}
	for b := range entry.Impl.Blocks() {
		for in := range b.Instrs() {
			var c spv.Capability
			switch {
			case in.IsIntrinsic(ir.IntrShaderClock):
				c = spv.CapabilityShaderClockKHR
			case in.Kind == ir.KindTex && in.TexInfo().IsSparse, in.IsIntrinsic(ir.IntrImageDerefSparseLoad):
				c = spv.CapabilitySparseResidency
			default:
				continue
			}
			if why := capability.Why(c, u.opts.Target, u.opts.GPU); why != "" {
				return passes.RefusalAt(u.Shader, in, fmt.Sprintf("%s is not supported on %s: %s", c, u.opts.GPU, why))
			}
		}
	}
	return nil
}

// RunPass runs a pass of the caller's own on the shader, before or after
// Optimize, with the defaults of its options. Under RunOptions.VerifyEach the shader is checked after it.
func (u *Unit) RunPass(ctx context.Context, p *passes.Pass) (progress bool, err error) {
	err = u.stage(ctx, p.Name, func() error {
		u.Shader.SetLoc(0)
		if progress, err = p.Run(passes.NewContext(p), u.Shader); err != nil {
			return err
		}
		if u.opts.Run.VerifyEach {
			if err := ir.Validate(u.Shader); err != nil {
				return &InternalError{Pass: p.Name, Value: err}
			}
		}
		return nil
	})
	return progress, err
}

// reflectHooks adds to the reflection the resources that passes at hooks brought in.
func (u *Unit) reflectHooks(h *passes.Hooks) {
	if h == nil {
		return
	}
	for _, r := range Reflect(u.Shader).Resources {
		have := func(x object.Resource) bool { return x.Set == r.Set && x.Binding == r.Binding }
		if !slices.ContainsFunc(u.Reflection.Resources, have) {
			u.Reflection.Resources = append(u.Reflection.Resources, r)
		}
	}
}

// asks reports whether the options ask for anything beyond the pipeline's list.
func (u *Unit) asks() bool {
	return len(u.opts.Uniforms) > 0 || u.opts.Printf != nil || u.opts.State != nil && u.opts.State.Shader != nil
}

// hooks are what the options ask for beyond the pipeline's list, for a shader of a stage.
func (u *Unit) hooks(stage ir.Stage) (*passes.Hooks, error) {
	if !u.asks() {
		return nil, nil
	}
	asked := passes.Asked{Uniforms: u.opts.Uniforms, Printf: u.opts.Printf}
	if u.opts.State != nil {
		asked.State = u.opts.State.Shader
	}
	h, err := asked.Hooks(stage, u.opts.Next)
	if err != nil {
		return nil, Usagef("the pipeline state: %s", err)
	}
	return h, nil
}

// pipeline returns the passes to run.
func (u *Unit) pipeline() (*passes.Pipeline, error) {
	if u.opts.Passes != nil {
		return u.opts.Passes, nil
	}
	all, err := u.pipelines()
	if err != nil {
		return nil, err
	}
	name := u.opts.Target
	if u.back == nil && !u.asks() {
		name = commonPipeline
	}
	p, err := all.Resolve(name, u.opts.Level, u.Shader.Stage)
	if err != nil {
		return nil, Usagef("%s", err)
	}
	return p, nil
}

// pipelines returns the pipeline file to go by.
func (u *Unit) pipelines() (*passes.Pipelines, error) {
	if u.opts.Pipelines != nil {
		return u.opts.Pipelines, nil
	}
	p, err := DefaultPipelines()
	if err != nil {
		return nil, &InternalError{Value: err}
	}
	return p, nil
}

// codegenLists returns what runs the lists of the code generator. The built-in
// file has all of them.
func (u *Unit) codegenLists() (passes.Lists, error) {
	all, err := u.pipelines()
	if err != nil {
		return nil, err
	}
	builtin, err := DefaultPipelines()
	if err != nil {
		return nil, &InternalError{Value: err}
	}
	return all.Codegen(u.opts.Target, u.opts.Level, builtin, u.ins), nil
}

// Guard runs work on a shader that is no stage of a unit: a link, a load, a run. A panic of the
// compiler becomes an InternalError that names stage, the end of ctx its error, everything about the
// input Diagnostics.
func Guard(ctx context.Context, stage, file, target string, f func() error) error {
	g := guard{ctx: ctx, file: file, target: target, stage: stage}
	return g.run(f)
}

// guard is what turns the outcome of a stage into the errors of this package.
type guard struct {
	ctx                 context.Context
	file, target, stage string
	// ins knows the step that is running; it may be nil.
	ins *passes.Instrument
}

// where names the step that is running, or failed.
func (g *guard) where() string {
	if step := g.ins.Running(); step != "" {
		return step
	}
	return g.stage
}

func (g *guard) run(f func() error) (err error) {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	defer func() {
		if r := recover(); r != nil {
			err = &InternalError{Pass: g.where(), Value: r, Stack: debug.Stack()}
		}
		if err != nil && g.ctx.Err() != nil {
			err = g.ctx.Err()
		}
		err = Diagnose(g.internal(err), g.file, g.target)
	}()
	return f()
}

// internal turns the errors by which a part of the compiler says that it is
// wrong itself into an InternalError.
func (g *guard) internal(err error) error {
	if err == nil {
		return nil
	}
	var front *spirv.Error
	if errors.As(err, &front) && front.Internal {
		return &InternalError{Pass: translateStep, Value: err, Stack: front.Stack}
	}
	return err
}

// verifyError makes a step's breach of the IR's rules an InternalError.
func (u *Unit) verifyError(err error) error {
	if err == nil {
		return nil
	}
	var broken *ir.ValidationError
	if !errors.As(err, &broken) {
		return err
	}
	return &InternalError{Pass: u.ins.Running(), Value: err}
}

// tell says to Options.Log how a stage of the compile ended that began at a time.
func (u *Unit) tell(ctx context.Context, stage string, began time.Time, err *error) {
	level := slog.LevelDebug
	if stage == generateStage && *err == nil {
		level = slog.LevelInfo
	}
	if !u.opts.Log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{slog.String("file", u.opts.File), slog.String("target", u.opts.Target)}
	if u.opts.GPU != "" {
		attrs = append(attrs, slog.String("gpu", u.opts.GPU))
	}
	if u.Shader != nil {
		attrs = append(attrs, slog.String("entry", u.Shader.Name), slog.String("stage", u.Shader.Stage.String()))
	}
	attrs = append(attrs, slog.Duration("time", time.Since(began)))
	if *err != nil {
		attrs = append(attrs, slog.Any("error", *err))
	}
	u.opts.Log.LogAttrs(ctx, level, stage, attrs...)
}
