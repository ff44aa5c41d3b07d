package main

import (
	"context"
	"errors"

	"nirc"
	"nirc/cache"
)

// linkWithout are the flags of nirc cache build that speak of single shaders.
var linkWithout = []string{"matrix", "manifest", "shard", "remote-executor"}

// pipelines lists what --link builds: the inputs of each pipeline.
func (b *cacheBuild) pipelines(args []string) ([][]input, error) {
	for _, name := range linkWithout {
		if b.compile.set.Changed(name) {
			return nil, nirc.Usagef("--link: not with --%s", name)
		}
	}
	groups, err := b.pipelineInputs(args)
	if err == nil && len(groups) == 0 {
		err = nirc.Usagef("cache build: no input")
	}
	return groups, err
}

// pipeline builds the stages of a pipeline for all targets, linked with each other, under the keys by which nirc compile --link looks.
func (b *cacheBuild) pipeline(ctx context.Context, group []input, r *buildResult) error {
	stages, jobs, base, err := b.stages(ctx, group)
	if err != nil {
		return err
	}
	var errs []error
	for _, d := range b.compile.devicesOf(&group[0]) {
		o := base
		o.Target, o.GPU = d.target, d.gpu
		got, warnings, err := b.builder.Linked(ctx, stages, o)
		r.warnings = append(r.warnings, warnings...)
		var refused nirc.Diagnostics
		switch {
		case errors.As(err, &refused):
			r.counts.Refused += len(stages)
			errs = append(errs, err)
		case err != nil:
			return storeError(err)
		}
		for i := range got {
			x := &got[i]
			r.modules = append(r.modules, x.Request.Module)
			r.counts.count(x)
			if b.manifestOut != "" {
				row := newWanted(&jobs[i], stages[i].Entry, x.Key, &x.Request)
				row.Outcome = x.Outcome.String()
				r.rows = append(r.rows, row)
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return errors.Join(errs...)
}

// stages loads the shaders of a pipeline, each with the job that it comes of, and the options with what a database has of it.
func (b *cacheBuild) stages(ctx context.Context, group []input) (stages []cache.PipelineStage, jobs []buildJob, o nirc.Options, err error) {
	c := &b.compile
	o = c.base
	choice := newLinkChoice(c.entry, c.stage, c.spec)
	for i := range group {
		in := &group[i]
		from := c.moduleOptions(in)
		m, err := c.load(ctx, in, from)
		if err != nil {
			return nil, nil, o, unreadError{in.named(err)}
		}
		if m.FromGLSL {
			b.glsl.Add(1)
			if !m.Kept {
				b.made.Add(1)
			}
		}
		list, err := choice.shaders(m, in)
		if err != nil {
			return nil, nil, o, err
		}
		mod := cache.NewModule(m, c.debug)
		for k := range list {
			v := &list[k]
			o.Layout = v.layoutOr(o.Layout)
			v.asked(&o)
			stages = append(stages, cache.PipelineStage{Module: mod, Entry: v.Name, Stage: v.Stage, Spec: v.spec})
			jobs = append(jobs, buildJob{input: *in})
		}
	}
	return stages, jobs, o, choice.check()
}
