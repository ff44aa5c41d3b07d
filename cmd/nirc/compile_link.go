package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nirc"
	"nirc/cache"
	"nirc/frontend/spirv"
	"nirc/internal/foz"
	"nirc/ir"
)

// pipelineInputs are the inputs of the pipelines that arguments name: the files together are one, a
// Fossilize database has its own.
func (a *app) pipelineInputs(args []string) (groups [][]input, err error) {
	var files []input
	list, err := a.expandFiles(args)
	if err != nil {
		return nil, err
	}
	for _, in := range list {
		if in.err == nil && isFoz(in.path) {
			groups = append(groups, a.fozPipelines(in)...)
		} else {
			files = append(files, in)
		}
	}
	if len(files) > 0 {
		groups = slices.Insert(groups, 0, files)
	}
	return groups, nil
}

// fozPipelines are the pipelines of a database; what is damaged there is reported.
func (a *app) fozPipelines(in input) (groups [][]input) {
	db, err := a.openFoz(in.path)
	if err != nil {
		in.err = err
		return [][]input{{in}}
	}
	pipelines, problems := db.Pipelines()
	told := fozProblems(in.path, append(db.Problems, problems...))
	if len(pipelines) == 0 {
		told = append(told, nirc.Diagnostic{File: in.path, Severity: nirc.SeverityWarning, Msg: "there is no graphics pipeline with all its stages in the database"})
	}
	if len(told) > 0 {
		a.report.diagnostics(told)
	}
	for i := range pipelines {
		p := &pipelines[i]
		var g []input
		for k := range p.Stages {
			u := p.Stages[k]
			g = append(g, input{path: fmt.Sprintf("%s:%016x", in.path, u.Module), rel: p.Hash, base: stem(in.rel) + "." + p.Hash + "." + u.Stage.String(),
				module: func() ([]byte, error) { return moduleOf(db, in.path, u.Module) }, uses: []foz.Use{u}})
		}
		groups = append(groups, g)
	}
	return groups
}

// moduleOf is a module of a database, whose file an error names.
func moduleOf(db *foz.DB, file string, hash uint64) ([]byte, error) {
	code, err := db.Module(hash)
	if err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return code, err
}

// linkChoice says which shaders of its inputs a pipeline has, and their specialization constants.
type linkChoice struct {
	entry string
	stage ir.Stage
	spec  []string
	found []bool // by spec: a module has it
}

func newLinkChoice(entry string, stage ir.Stage, spec []string) *linkChoice {
	return &linkChoice{entry, stage, spec, make([]bool, len(spec))}
}

// shaders are those of an input that belong to the pipeline: of a database the one that the pipeline uses. Values go to the
// modules that have the constant.
func (l *linkChoice) shaders(m *nirc.Module, in *input) ([]variant, error) {
	entry, stage := l.entry, l.stage
	if len(in.uses) == 1 {
		entry, stage = in.uses[0].Entry, ir.ParseStage(in.uses[0].Stage.String())
	}
	var own []string
	for i, text := range l.spec {
		id, _, _ := strings.Cut(text, "=")
		num, err := strconv.ParseUint(id, 0, 32)
		if slices.ContainsFunc(m.SpecConstants(), func(c spirv.SpecConstant) bool {
			return err == nil && uint64(c.ID) == num || err != nil && c.Name == id
		}) {
			own, l.found[i] = append(own, text), true
		}
	}
	return variants(m, in, entry, stage, own)
}

// check reports a value for a constant that none of the modules has.
func (l *linkChoice) check() error {
	if i := slices.Index(l.found, false); i >= 0 {
		return nirc.Usagef("--spec %s: no shader of the pipeline has the constant", l.spec[i])
	}
	return nil
}

// linkJob is a pipeline for one GPU.
type linkJob []*compileJob

// planLinks lists the pipelines, each for all GPUs.
func (c *compileCommand) planLinks(args []string) (list []linkJob, err error) {
	if len(c.matrices) > 0 || c.emit == "spvasm" {
		return nil, nirc.Usagef("--link: not with --matrix or --emit spvasm")
	}
	groups, err := c.pipelineInputs(args)
	if err != nil {
		return nil, err
	}
	jobs, err := c.planInputs(slices.Concat(groups...))
	if err != nil {
		return nil, err
	}
	n := len(c.devices())
	for _, g := range groups {
		for d := range n {
			job := linkJob{}
			for i := range g {
				job = append(job, &jobs[i*n+d])
			}
			list = append(list, job)
		}
		jobs = jobs[len(g)*n:]
	}
	return list, nil
}

// linkedUnit is a shader of a pipeline on its way.
type linkedUnit struct {
	m       *nirc.Module
	r       *compiled
	v       variant
	several bool
	o       nirc.Options
	t       *watch
	u       *nirc.Unit
}

// linkOne compiles the stages of a pipeline together. What they bring stands in a result for each input.
func (c *compileCommand) linkOne(ctx context.Context, job linkJob) []*compiled {
	results := make([]*compiled, len(job))
	for i, j := range job {
		results[i] = &compiled{job: j}
	}
	units, err := c.linkedUnits(ctx, results)
	if err == nil {
		c.shareDeps(results)
		var done bool
		if done, err = c.linkedFromCache(ctx, units); done || err != nil {
			return failed(results, err)
		}
		err = c.translateLinked(ctx, units)
	}
	defer func() {
		for i := range units {
			if units[i].u != nil {
				units[i].u.Done(err)
			}
		}
	}()
	if err == nil {
		err = c.linkUnits(ctx, units)
	}
	return failed(results, err)
}

// failed gives a pipeline that came out with an error nothing but that.
func failed(results []*compiled, err error) []*compiled {
	if err != nil {
		for _, r := range results {
			r.parts = nil
		}
		last := results[len(results)-1]
		last.err = errors.Join(last.err, err)
	}
	return results
}

// shareDeps notes that what each input gives depends on all of them.
func (c *compileCommand) shareDeps(results []*compiled) {
	var all []string
	for _, r := range results {
		for _, f := range append([]string{r.job.file()}, r.deps...) {
			if !slices.Contains(all, f) {
				all = append(all, f)
			}
		}
	}
	for _, r := range results {
		r.deps = slices.DeleteFunc(slices.Clone(all), func(f string) bool { return f == r.job.file() })
	}
}

// linkedFromCache takes the stages of a pipeline from the cache, which compiles what it does not have; done is false if
// they are to be compiled all the same.
func (c *compileCommand) linkedFromCache(ctx context.Context, units []linkedUnit) (done bool, err error) {
	if c.builder == nil || units[0].o.Target == nirc.IRTarget || c.emit == "json" {
		return false, nil
	}
	stages := cacheStages(units)
	got, warnings, err := c.builder.Linked(ctx, stages, units[0].o)
	var refused nirc.Diagnostics
	switch {
	case errors.As(err, &refused):
		return false, nil // told with places
	case err != nil:
		return false, storeError(err)
	}
	units[0].r.warnings = append(units[0].r.warnings, warnings...)
	for i := range units {
		x := &units[i]
		p := c.linkedPart(units, i)
		if p.data, err = objectArtefact(c.emit, x.r.job.path, got[i].Entry.Object, c.debug); err != nil {
			return false, err
		}
		x.r.parts = append(x.r.parts, p)
	}
	return true, nil
}

// cacheStages are the shaders of a pipeline as a cache has them.
func cacheStages(units []linkedUnit) []cache.PipelineStage {
	stages := make([]cache.PipelineStage, len(units))
	for i := range units {
		x := &units[i]
		stages[i] = cache.PipelineStage{Module: x.r.forCache, Entry: x.o.Entry, Stage: x.o.Stage, Spec: x.o.Spec}
	}
	return stages
}

// linkedPart is the artefact of a shader of a pipeline, without its contents.
func (c *compileCommand) linkedPart(units []linkedUnit, i int) part {
	x := &units[i]
	point := nirc.EntryPoint{Name: x.v.label, Stage: x.v.Stage}
	p := part{entry: point, out: c.outputName(x.r.job, point, x.several)}
	if c.pack.on {
		r := c.pack.keys.LinkedRequest(cacheStages(units), i, &x.o)
		p.key = r.Key()
	}
	return p
}

// linkedUnits lists the shaders of a pipeline.
func (c *compileCommand) linkedUnits(ctx context.Context, results []*compiled) (units []linkedUnit, err error) {
	choice := newLinkChoice(c.entry, c.stage, c.spec)
	for _, r := range results {
		m, forCache, err := c.module(ctx, r.job.src)
		if err != nil {
			return units, err
		}
		r.deps, r.forCache = m.Deps, forCache
		list, err := choice.shaders(m, r.job.input)
		if err == nil {
			err = c.oneOutput(m, list)
		}
		if err != nil {
			return units, err
		}
		for i := range list {
			units = append(units, linkedUnit{m: m, r: r, v: list[i], several: len(list) > 1})
		}
	}
	if err := choice.check(); err != nil {
		return units, err
	}
	for i := range units {
		x := &units[i]
		x.o = c.optionsOf(x.r.job, &x.v)
		if c.rules {
			if x.r.rules == nil {
				x.r.rules = newRuleHits()
			}
			x.o.Run.RuleHits = x.r.rules
		}
		x.t = c.attach(&x.o, c.head(x.r.job, x.v.label, x.several), c.sink(x.r))
	}
	return units, nil
}

// translateLinked translates the shaders of a pipeline.
func (c *compileCommand) translateLinked(ctx context.Context, units []linkedUnit) (err error) {
	for i := range units {
		x := &units[i]
		if x.u, err = nirc.New(x.o); err != nil {
			return err
		}
		x.t.unit = x.u
		if err := x.u.Translate(ctx, x.m); err != nil {
			return x.r.job.named(x.m.Locate(ctx, x.o, err))
		}
	}
	return nil
}

// linkUnits links the shaders and makes their artefacts.
func (c *compileCommand) linkUnits(ctx context.Context, units []linkedUnit) error {
	list := make([]*nirc.Unit, len(units))
	for i := range units {
		list[i] = units[i].u
	}
	_, warnings, err := nirc.LinkUnits(ctx, list)
	if err != nil {
		return err
	}
	units[0].r.warnings = append(units[0].r.warnings, warnings...)
	for i := range units {
		x := &units[i]
		if err := c.linkedArtefact(ctx, x, c.linkedPart(units, i)); err != nil {
			return x.r.job.named(x.m.Locate(ctx, x.o, err))
		}
	}
	return nil
}

// linkedArtefact takes a linked shader to its end.
func (c *compileCommand) linkedArtefact(ctx context.Context, x *linkedUnit, p part) error {
	if err := x.u.Optimize(ctx); err != nil {
		return err
	}
	written, err := c.artefactOf(ctx, x.u, x.r, &p)
	if err != nil {
		return err
	}
	if written {
		x.r.parts = append(x.r.parts, p)
	}
	c.timed(x.r, x.t)
	warnings, err := c.finish(x.t, x.r.job.path)
	x.r.warnings = append(x.r.warnings, warnings...)
	return err
}
