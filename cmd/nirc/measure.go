package main

import (
	"context"
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
	shared
	look bool // at the IR and at what passes change
}

func (c *measureFlags) flags(f *pflag.FlagSet) { c.declare(f, compileFlags, batchFlags) }

// setup reads the flags.
func (c *measureFlags) setup() error {
	c.debug = true // costs are told by the source's lines
	if err := c.settle(c.app); err != nil {
		return err
	}
	return c.needCode(", so nothing has a cost")
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
	bar := c.progress(len(inputs))
	defer bar.close()
	useHugePages(len(inputs), c.inputBytes)
	ordered(len(inputs), c.jobs, 1, func(i int) []measured { return c.file(ctx, &inputs[i]) }, func(_ int, list []measured) bool {
		bar.step()
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
	m, err := c.load(ctx, in, c.loadOptions(c.app))
	if err != nil {
		return failed(err)
	}
	list, err := variants(m, in, c.entry, c.stage, c.spec)
	if err != nil {
		return failed(err)
	}
	var all []measured
	for i := range list {
		for _, d := range c.devices() {
			all = append(all, c.shader(ctx, in, m, &list[i], d))
		}
	}
	return all
}

// ofObject measures an object; how often its loops run is known if it has lines.
func ofObject(ctx context.Context, path string, data []byte) (*measured, error) {
	o, err := object.Read(data)
	if err != nil {
		return nil, nirc.Diagnose(err, path, "")
	}
	p, loops, err := nirc.CostLoops(ctx, o)
	if err != nil {
		return nil, nirc.Diagnose(err, path, o.Target)
	}
	return &measured{Shader: costs.New(path, o.Entry, o, p, loops), obj: o}, nil
}

// shader measures a shader on one GPU.
func (c *measureFlags) shader(ctx context.Context, in *input, m *nirc.Module, v *variant, d device) measured {
	o := c.base
	o.File, o.Entry, o.Stage, o.Spec, o.Target, o.GPU = in.path, v.Name, v.Stage, v.spec, d.target, d.gpu
	o.Next, o.Layout = v.follows(o.Next), v.layoutOr(o.Layout)
	v.asked(&o)
	var s seen
	var look func(*ir.Shader)
	if c.look {
		s.watch(&o)
		look = s.shader
	}
	obj, p, loops, err := costOf(ctx, m, o, look)
	if err != nil {
		s := &costs.Shader{File: in.path, Entry: v.label, Target: d.target, GPU: d.gpu, Error: reason(in.path, err)}
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
