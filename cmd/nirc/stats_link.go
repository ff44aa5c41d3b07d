package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"nirc"
	"nirc/backend/object"
	"nirc/internal/costs"
	"nirc/internal/figures"
	"nirc/ir"

	"github.com/spf13/cobra"
)

// linkedReport is the JSON document of --link.
type linkedReport struct {
	head
	*figures.Linked
}

// runLinked is --link: pipelines, stage by stage and linked.
func (c *statsCommand) runLinked(cmd *cobra.Command, args []string) error {
	groups, err := c.pipelineInputs(args)
	if err != nil {
		return err
	}
	devices := c.devices()
	all := &figures.Linked{Stages: []figures.LinkedStage{}, Links: []figures.LinkedPair{}, Sums: []figures.LinkedSummary{}}
	bar := c.progress(len(groups) * len(devices))
	defer bar.close()
	defer useProcessors(c.jobs)()
	var failed []error
	ordered(len(groups)*len(devices), c.jobs, 1, func(i int) linkedStats {
		return c.linkedPipeline(cmd.Context(), groups[i/len(devices)], devices[i%len(devices)])
	}, func(i int, r linkedStats) bool {
		c.report.diagnostics(r.warnings)
		if r.err != nil {
			c.report.error(r.err)
			failed = append(failed, errReported{r.err})
		} else {
			all.Add(r.stages, r.links)
		}
		bar.step()
		return cmd.Context().Err() == nil && (r.err == nil || c.keepGoing)
	})
	bar.close()
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	if err := errors.Join(failed...); err != nil && (!c.keepGoing || exitCode(err) > exitRefused) {
		return err
	}
	return c.present(&c.shared, linkedReport{head{1, "nirc stats --link"}, all}, linkedSheet(all), all.Write)
}

// linkedSheet has a row a stage; varyings are those that it reads.
func linkedSheet(l *figures.Linked) *sheet {
	t := &sheet{columns: []string{"pipeline", "file", "entry", "stage", "target", "gpu", "inst", "inst_linked", "cycles", "cycles_linked", "varyings", "varyings_linked", "slots", "slots_linked"}}
	for i := range l.Stages {
		s := &l.Stages[i]
		row := []any{s.Pipeline, s.File, s.Entry, s.Stage, s.Target, s.GPU, s.Alone.Instructions, s.Linked.Instructions, s.Alone.Cycles, s.Linked.Cycles}
		k := slices.IndexFunc(l.Links, func(p figures.LinkedPair) bool {
			return p.Pipeline == s.Pipeline && p.Target == s.Target && p.GPU == s.GPU && p.To == s.Stage
		})
		if k >= 0 {
			p := &l.Links[k]
			row = append(row, p.Before, p.After, p.SlotsBefore, p.SlotsAfter)
		} else {
			row = append(row, "", "", "", "")
		}
		t.add(row...)
	}
	return t
}

// linkedStats are the figures of a pipeline on one GPU.
type linkedStats struct {
	stages   []figures.LinkedStage
	links    []figures.Link
	warnings nirc.Diagnostics
	err      error
}

// pipelineShader is a shader of a pipeline, and how it is compiled.
type pipelineShader struct {
	m *nirc.Module
	v variant
	o nirc.Options
}

// linkedPipeline compiles the stages of a pipeline, each by itself and together.
func (c *statsCommand) linkedPipeline(ctx context.Context, group []input, d device) (r linkedStats) {
	list, err := c.pipelineShaders(ctx, group, d)
	if err != nil {
		return linkedStats{err: err}
	}
	name := pipelineName(group)
	has := func(s ir.Stage) bool {
		return slices.ContainsFunc(list, func(x pipelineShader) bool { return x.v.Stage == s })
	}
	units := make([]*nirc.Unit, len(list))
	for i := range list {
		x := &list[i]
		x.o.Next = ir.NextStage(x.v.Stage, has)
		doc, _, err := documentOf(ctx, x.m, x.o, true)
		if err != nil {
			return linkedStats{err: x.m.Locate(ctx, x.o, err)}
		}
		r.stages = append(r.stages, figures.LinkedStage{Pipeline: name, File: x.o.File, Entry: x.v.label, Stage: doc.Stage, Target: doc.Target, GPU: doc.GPU, Alone: figures.NewStageFigures(doc.Stats)})
		if units[i], err = nirc.New(x.o); err == nil {
			err = units[i].Translate(ctx, x.m)
		}
		if err != nil {
			return linkedStats{err: err}
		}
	}
	links, warnings, err := nirc.LinkUnits(ctx, units)
	if err != nil {
		return linkedStats{err: err}
	}
	r.warnings, r.links = warnings, figures.NewLinks(links)
	for i, u := range units {
		stats, err := figuresOf(ctx, u, list[i].o)
		if err != nil {
			return linkedStats{err: err}
		}
		r.stages[i].Linked = figures.NewStageFigures(stats)
	}
	return r
}

// figuresOf takes a unit to its end and gives its figures, those of the model with them.
func figuresOf(ctx context.Context, u *nirc.Unit, o nirc.Options) ([]object.Stat, error) {
	if err := u.Optimize(ctx); err != nil {
		return nil, err
	}
	if u.Target() == nirc.IRTarget {
		return figures.IRStats(u.Shader), nil
	}
	obj, p, loops, err := u.GenerateCosted(ctx)
	if err != nil {
		return nil, err
	}
	return append(slices.Clone(obj.Stats), costs.New(o.File, o.Entry, obj, p, loops).Figures()...), nil
}

// pipelineShaders reads the modules of a pipeline: its shaders, in the order of the stages.
func (c *statsCommand) pipelineShaders(ctx context.Context, group []input, d device) (list []pipelineShader, err error) {
	choice := newLinkChoice(c.entry, c.stage, c.spec)
	for i := range group {
		in := &group[i]
		m, err := c.load(ctx, in, c.loadOptions(c.app))
		if err != nil {
			return nil, err
		}
		found, err := choice.shaders(m, in)
		if err != nil {
			return nil, err
		}
		for _, v := range found {
			o := c.base
			o.Target, o.GPU = d.target, d.gpu
			o.File, o.Entry, o.Stage, o.Spec, o.Layout = in.path, v.Name, v.Stage, v.spec, v.layoutOr(o.Layout)
			v.asked(&o)
			list = append(list, pipelineShader{m, v, o})
		}
	}
	if err := choice.check(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b pipelineShader) int { return int(a.v.Stage) - int(b.v.Stage) })
	return list, nil
}

// pipelineName is the hash of a database's pipeline, or the files.
func pipelineName(group []input) string {
	if group[0].base != "" {
		return group[0].rel
	}
	var names []string
	for i := range group {
		names = append(names, group[i].path)
	}
	return strings.Join(names, " ")
}
