package exec

import (
	"context"
	"errors"
	"slices"
	"strings"

	"nirc"
	"nirc/backend/object"
	"nirc/frontend/spirv"
	"nirc/frontend/spirv/spv"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
	"nirc/passes"
)

// linkedPipeline is the stages of a pipeline that are compiled together, and again where one of them must be otherwise.
type linkedPipeline struct {
	stages []nirc.PipelineStage
	opts   nirc.Options
	// interpret executes the IR that linking, and from O1 on the passes, leave.
	interpret bool
	subgroups []int // sizes of subgroups that are asked for, nil: none
}

// compile makes the programs of the stages.
func (l *linkedPipeline) compile(ctx context.Context) (list []compiledStage, err error) {
	if l.interpret {
		return l.interpreted(ctx)
	}
	stages := slices.Clone(l.stages)
	for i := range stages {
		if l.readsAttachments(i) {
			stages[i].State = anyState(&l.opts) // its object is not used
		}
	}
	p, err := nirc.CompilePipeline(ctx, stages, l.opts)
	if err != nil {
		return nil, err
	}
	for i, obj := range p.Objects {
		if l.readsAttachments(i) {
			list = append(list, compiledStage{prog: l.forState(i), reflect: obj.Reflect})
			continue
		}
		prog, err := runnable(ctx, l.stages[i].Module, obj, p.ABIs[i], func(ctx context.Context, abi string) (*object.Object, error) {
			again := *l
			again.stages = append([]nirc.PipelineStage(nil), l.stages...)
			again.stages[i].ABI = abi
			p, err := nirc.CompilePipeline(ctx, again.stages, l.opts)
			if err != nil {
				return nil, err
			}
			return p.Objects[i], nil
		})
		if err != nil {
			return nil, err
		}
		list = append(list, compiledStage{prog: prog, obj: obj, reflect: obj.Reflect})
	}
	return list, nil
}

// readsAttachments reports whether a stage is compiled when the state of a draw is known.
func (l *linkedPipeline) readsAttachments(i int) bool {
	o := l.opts
	o.Stage = l.stages[i].Stage
	return readsAttachments(l.stages[i].Module, &o)
}

// forState makes a program of a stage that is compiled, beside the others, for the state of each draw.
func (l *linkedPipeline) forState(i int) emu.Program {
	s := &l.stages[i]
	return &mainPart{target: l.opts.Target, entry: s.Entry, stage: s.Stage, whole: func(ctx context.Context, state *nirc.State) (*object.Object, error) {
		stages := slices.Clone(l.stages)
		stages[i].State = withShader(&l.opts, state)
		p, err := nirc.CompilePipeline(ctx, stages, l.opts)
		if err != nil {
			return nil, err
		}
		return p.Objects[i], nil
	}}
}

// interpreted links the stages and makes programs of their IR.
func (l *linkedPipeline) interpreted(ctx context.Context) (list []compiledStage, err error) {
	units := make([]*nirc.Unit, len(l.stages))
	for i := range l.stages {
		s, o := &l.stages[i], l.opts
		o.File, o.Entry, o.Stage, o.Spec = s.Module.Name, s.Entry, s.Stage, s.Spec
		if units[i], err = nirc.New(o); err != nil {
			return nil, err
		}
		if err := units[i].Translate(ctx, s.Module); err != nil {
			return nil, err
		}
	}
	if _, _, err := nirc.LinkUnits(ctx, units); err != nil {
		return nil, err
	}
	for i, u := range units {
		if l.opts.Level != passes.O0 || l.opts.Target != nirc.IRTarget || l.opts.Passes != nil || l.opts.Pipelines != nil {
			if err := u.Optimize(ctx); err != nil {
				return nil, err
			}
		}
		size := 0
		if l.subgroups != nil {
			size = l.subgroups[i]
		}
		c := compiledStage{reflect: u.Reflection}
		err := nirc.Guard(ctx, "interp", l.stages[i].Module.Name, "", func() (err error) {
			c.prog, err = interp.New(u.Shader, interp.Options{WaveSize: size})
			return err
		})
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// one compiles the pipeline with other options, and returns a stage of it.
func (l *linkedPipeline) one(ctx context.Context, i int, change func(*nirc.Options)) (compiledStage, error) {
	again := *l
	change(&again.opts)
	list, err := again.compile(ctx)
	if err != nil {
		return compiledStage{}, err
	}
	return list[i], nil
}

// linked is what the sources of an execution are when they are linked.
func (x *Execution) linked(sources []stageSource) *linkedPipeline {
	l := &linkedPipeline{opts: x.drawOptions(), interpret: x.Options.Target == nirc.IRTarget}
	for _, s := range sources {
		l.stages = append(l.stages, nirc.PipelineStage{Module: s.m, Entry: s.entry.Name, Stage: s.entry.Stage})
	}
	return l
}

// CompilePipeline compiles the shaders of a script's graphics pipeline together.
func (t *ScriptTarget) CompilePipeline(ctx context.Context, shaders []amber.Shader) ([]emu.Program, error) {
	l := &linkedPipeline{opts: t.Options, interpret: t.Options.Target == nirc.IRTarget || t.Interpret}
	for i := range shaders {
		sh := &shaders[i]
		m, err := scriptModule(sh)
		if err != nil {
			return nil, err
		}
		m.Name = sh.Name
		s := nirc.PipelineStage{Module: m, Entry: sh.Entry, Stage: sh.Stage, Spec: make([]spirv.SpecValue, len(sh.Spec))}
		for k, v := range sh.Spec {
			s.Spec[k] = spirv.SpecValue{ID: v.ID, Bits: v.Bits}
		}
		l.stages, l.subgroups = append(l.stages, s), append(l.subgroups, sh.SubgroupSize)
		l.opts.Robust, l.opts.Layout = l.opts.Robust.Max(sh.Robust), sh.Layout
		if sh.OptimizationOff {
			l.opts.Level = passes.O0
		}
	}
	if strings.HasPrefix(l.opts.ABI, nirc.BlendABI) {
		return nil, nirc.Usagef("--link: a blend program has no stage before it")
	}
	list, err := l.compile(ctx)
	if err != nil {
		return nil, unsupportedScript(err)
	}
	programs := make([]emu.Program, len(list))
	for i := range list {
		programs[i] = list[i].prog
		if err := t.keepAgain(&shaders[i], l.stages[i].Module, programs[i], l.opts, func(ctx context.Context, change func(*nirc.Options)) (emu.Program, error) {
			c, err := l.one(ctx, i, change)
			return c.prog, err
		}); err != nil {
			return nil, err
		}
	}
	return programs, nil
}

// unsupportedScript makes the error that skips a script of one of what is not supported.
func unsupportedScript(err error) error {
	var list nirc.Diagnostics
	if errors.As(err, &list) && errors.Is(list, errors.ErrUnsupported) {
		return &amber.Unsupported{What: err.Error()}
	}
	return err
}

// scriptModule reads the module of a script's shader.
func scriptModule(sh *amber.Shader) (m *nirc.Module, err error) {
	m = &nirc.Module{} // the runner adds the shader's name
	if m.SPIRV, err = spv.ParseWords(sh.Words); err != nil {
		return nil, nirc.Diagnose(err, "", "")
	}
	return m, nil
}

// keepAgain keeps how a program is compiled again where a pipeline may want it otherwise (fitPipeline).
func (t *ScriptTarget) keepAgain(sh *amber.Shader, m *nirc.Module, p emu.Program, o nirc.Options, again recompile) error {
	if o.Target == nirc.IRTarget || t.Interpret {
		return nil
	}
	const quad = 4 // what a wave of fragments has where subgroups are of one thread
	if p.WaveSize() <= quad && looksAtSubgroups(m.SPIRV) {
		return &amber.Unsupported{What: "scripts that number subgroups, or ask which of their invocations go on together, expect several invocations in each: this is not supported, a subgroup is one thread"}
	}
	large := sh.Stage != ir.StageCompute && !o.SafeConsts && len(misfits(t.Name(), []emu.Program{p, p})) > 0
	if large || sh.Stage == ir.StageVertex && !o.Points && t.needsPointSize() {
		t.again.Store(p, again)
	}
	return nil
}
