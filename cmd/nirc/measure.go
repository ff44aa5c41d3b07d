package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"nirc"
	"nirc/backend/cost"
	"nirc/backend/object"
	"nirc/internal/costs"
	"nirc/ir"

	"github.com/spf13/pflag"
)

// measureFlags choose what commands about costs compile: shaders, or objects that nirc made.
type measureFlags struct {
	*app
	runFlags
	entry, stageName, nextName, abi, env string
	spec                                 []string
	jobs                                 int

	base    nirc.Options
	stage   ir.Stage
	targets []string
	gpus    map[string][]string
	look    bool // at the IR and at what passes change
}

func (c *measureFlags) flags(f *pflag.FlagSet, targets string) {
	c.targetFlags(f, targets, "`TARGETS`, separated by commas: those of nirc targets, or all")
	c.levelFlag(f, "2")
	c.choiceFlags(f)
	shaderFlags(f, &c.entry, &c.stageName, &c.spec)
	envFlag(f, &c.env)
	f.StringVar(&c.nextName, "next", "", "`STAGE` that follows in the pipeline, as of nirc compile")
	f.StringVar(&c.abi, "abi", "", "calling convention, as of nirc compile")
	jobsFlag(f, &c.jobs, "files")
}

// setup reads the flags.
func (c *measureFlags) setup() (err error) {
	if c.base, err = c.options(""); err != nil {
		return err
	}
	c.base.Debug, c.base.ABI = true, c.abi
	if c.stage, err = parseStage(c.stageName); err != nil {
		return err
	}
	if c.base.Next, err = parseStage(c.nextName); err != nil {
		return err
	}
	if err := errors.Join(checkABI(c.abi), checkJobs(c.jobs)); err != nil {
		return err
	}
	if c.targets, err = targetList(c.target); err != nil {
		return err
	}
	plan := compileCommand{app: c.app, runFlags: c.runFlags, targets: c.targets}
	if err := plan.chooseGPUs(); err != nil {
		return err
	}
	c.gpus = plan.gpus
	return nil
}

// targetList reads targets that generate code, separated by commas; all is each of them.
func targetList(text string) (list []string, err error) {
	add := func(name string) {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	for _, t := range strings.Split(text, ",") {
		switch {
		case t == "all":
			for _, t := range nirc.Targets() {
				add(t.Name)
			}
		case t == "":
			return nil, nirc.Usagef("--target %q: a name is missing", text)
		case t == nirc.IRTarget:
			return nil, nirc.Usagef("--target %s: it has no code, so nothing has a cost", t)
		default:
			if _, err := nirc.Backend(t); err != nil {
				return nil, err
			}
			add(t)
		}
	}
	return list, nil
}

// measured is the cost of one shader on one GPU, or an error.
type measured struct {
	*costs.Shader
	obj  *object.Object
	err  error
	seen seen
}

// each measures all shaders of the arguments, and hands them on in order: files, entry points,
// targets. What fails is handed on too.
func (c *measureFlags) each(ctx context.Context, args []string, done func(list []measured) bool) error {
	inputs, err := c.expandInputs(args)
	if err != nil {
		return err
	}
	defer useProcessors(c.jobs)()
	ordered(len(inputs), c.jobs, 1, func(i int) []measured { return c.file(ctx, &inputs[i]) }, func(_ int, list []measured) bool {
		return done(list) && ctx.Err() == nil
	})
	return ctx.Err()
}

// file measures the shaders of a file.
func (c *measureFlags) file(ctx context.Context, in *input) []measured {
	failed := func(err error) []measured {
		return []measured{{Shader: &costs.Shader{File: in.path, Target: strings.Join(c.targets, ","), Error: reason(in.path, err)}, err: err}}
	}
	if in.module == nil && in.err == nil && in.path != "-" && strings.HasSuffix(in.path, ".o") {
		data, err := c.read(in.path)
		if err != nil {
			return failed(err)
		}
		if object.IsObject(data) {
			m, err := ofObject(ctx, in.path, data)
			if err != nil {
				return failed(err)
			}
			return []measured{*m}
		}
	}
	m, err := c.load(ctx, in, nirc.FileOptions{Stdin: c.in, Stage: c.stage, Debug: true, Env: c.env})
	if err != nil {
		return failed(err)
	}
	list, err := variants(m, in, c.entry, c.stage, c.spec)
	if err != nil {
		return failed(err)
	}
	var all []measured
	for i := range list {
		for _, t := range c.targets {
			gpus := c.gpus[t]
			if len(gpus) == 0 {
				gpus = []string{""}
			}
			for _, g := range gpus {
				all = append(all, c.shader(ctx, in, m, &list[i], t, g))
			}
		}
	}
	return all
}

// ofObject measures an object; how often its loops run is not known.
func ofObject(ctx context.Context, path string, data []byte) (*measured, error) {
	o, err := object.Read(data)
	if err != nil {
		return nil, nirc.Diagnose(err, path, "")
	}
	p, err := nirc.Cost(ctx, o)
	if err != nil {
		return nil, nirc.Diagnose(err, path, o.Target)
	}
	return &measured{Shader: costs.New(path, o.Entry, o, p, nil), obj: o}, nil
}

// shader measures a shader on one GPU.
func (c *measureFlags) shader(ctx context.Context, in *input, m *nirc.Module, v *variant, target, gpu string) measured {
	o := c.base
	o.File, o.Entry, o.Stage, o.Spec, o.Target, o.GPU = in.path, v.Name, v.Stage, v.spec, target, gpu
	o.Next = v.follows(o.Next)
	var s seen
	var look func(*ir.Shader)
	if c.look {
		s.watch(&o)
		look = s.shader
	}
	obj, p, loops, err := costOf(ctx, m, o, look)
	if err != nil {
		s := &costs.Shader{File: in.path, Entry: v.label, Target: target, GPU: gpu, Error: reason(in.path, err)}
		if v.Stage != ir.StageNone {
			s.Stage = v.Stage.String()
		}
		return measured{Shader: s, err: err}
	}
	return measured{Shader: costs.New(in.path, v.label, obj, p, loops), obj: obj, seen: s}
}

// costOf compiles a shader and models it; look sees it before code is generated.
func costOf(ctx context.Context, m *nirc.Module, o nirc.Options, look func(*ir.Shader)) (obj *object.Object, p *cost.Program, loops []nirc.LoopCost, err error) {
	u, err := nirc.New(o)
	if err != nil {
		return nil, nil, nil, err
	}
	defer func() { u.Done(err) }()
	if err = u.Translate(ctx, m); err != nil {
		return nil, nil, nil, err
	}
	if err = u.Optimize(ctx); err != nil {
		return nil, nil, nil, err
	}
	if look != nil {
		look(u.Shader)
	}
	return u.GenerateCosted(ctx)
}

// report tells the errors of measured shaders and returns them.
func (c *measureFlags) tell(list []measured) (all []error) {
	for i := range list {
		if err := list[i].err; err != nil {
			c.report.error(err)
			all = append(all, errReported{err})
		}
	}
	return all
}
