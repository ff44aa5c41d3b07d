package main

import (
	"cmp"
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
	stages, jobs, layout, err := b.stages(ctx, group)
	if err != nil {
		return err
	}
	var errs []error
	for _, d := range b.compile.devicesOf(&group[0]) {
		o := b.compile.base
		o.Target, o.GPU, o.Layout = d.target, d.gpu, layout
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

// stages loads the shaders of a pipeline, each with the job that it comes of, and the layout that a database has of it.
func (b *cacheBuild) stages(ctx context.Context, group []input) (stages []cache.PipelineStage, jobs []buildJob, layout *nirc.Layout, err error) {
	c := &b.compile
	choice := newLinkChoice(c.entry, c.stage, c.spec)
	for i := range group {
		in := &group[i]
		from := c.moduleOptions(in)
		m, err := c.load(ctx, in, from)
		if err != nil {
			return nil, nil, nil, unreadError{in.named(err)}
		}
		if m.FromGLSL {
			b.glsl.Add(1)
			if !m.Kept {
				b.made.Add(1)
			}
		}
		list, err := choice.shaders(m, in)
		if err != nil {
			return nil, nil, nil, err
		}
		mod := cache.NewModule(m, c.debug)
		for k := range list {
			v := &list[k]
			layout = cmp.Or(v.layoutOr(nil), layout)
			stages = append(stages, cache.PipelineStage{Module: mod, Entry: v.Name, Stage: v.Stage, Spec: v.spec})
			jobs = append(jobs, buildJob{input: *in})
		}
	}
	return stages, jobs, cmp.Or(layout, c.base.Layout), choice.check()
}
