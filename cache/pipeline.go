package cache

import (
	"cmp"
	"context"
	"slices"

	"nirc"
	"nirc/frontend/spirv"
	"nirc/ir"
)

// LinkedStage is another stage of the pipeline that a shader was linked in: as much part of its request as its own module.
type LinkedStage struct {
	Module Digest            `json:"module"`
	Entry  string            `json:"entry"`
	Stage  string            `json:"stage"`
	Spec   []spirv.SpecValue `json:"spec,omitempty"` // by id
}

// PipelineStage is a shader of a pipeline for Builder.Linked.
type PipelineStage struct {
	Module *Module
	Entry  string
	Stage  ir.Stage
	Spec   []spirv.SpecValue
}

// LinkedRequest makes the request for stage i of a pipeline that is linked. The order in which stages are given makes no difference.
func (b *Builder) LinkedRequest(stages []PipelineStage, i int, o *nirc.Options) Request {
	own := *o
	s := &stages[i]
	own.Entry, own.Stage, own.Spec, own.Next = s.Entry, s.Stage, s.Spec, ir.StageNone // the other stages say what follows
	r := b.Request(s.Module, &own)
	r.Alone = len(stages) == 1
	for k := range stages {
		if x := &stages[k]; k != i {
			r.Linked = append(r.Linked, LinkedStage{x.Module.digest, x.Entry, x.Stage.String(), sortedSpec(x.Spec)})
		}
	}
	slices.SortStableFunc(r.Linked, func(x, y LinkedStage) int {
		return cmp.Compare(ir.ParseStage(x.Stage), ir.ParseStage(y.Stage))
	})
	return r
}

// Linked sees to it that the store has the stages of a pipeline, linked with each other. The results are in the order of the stages; each is
// its own entry, under a key that covers all of them. An error is about the store or the shaders: refusals of linked stages
// are not kept, nor is what comes with warnings, which would be told once only.
func (b *Builder) Linked(ctx context.Context, stages []PipelineStage, o nirc.Options) ([]Result, nirc.Diagnostics, error) {
	results := make([]Result, len(stages))
	whole := true
	for i := range stages {
		req := b.LinkedRequest(stages, i, &o)
		results[i] = Result{Key: req.Key(), Request: req}
		if err := b.find(&results[i]); err != nil {
			return nil, nil, err
		}
		whole = whole && results[i].Outcome == Hit
	}
	if whole {
		return results, nil, nil
	}
	p, err := compileLinked(ctx, stages, o)
	if err != nil {
		return nil, nil, err
	}
	for i := range results {
		r := &results[i]
		r.Entry = &Entry{Request: r.Request}
		if r.Entry.Object, err = p.Objects[i].Bytes(); err != nil {
			return nil, nil, err
		}
		if len(p.Warnings) > 0 || r.Outcome == Hit {
			continue
		}
		if err := b.keepModule(stages[i].Module); err != nil {
			return nil, nil, err
		}
		data, err := r.Entry.Bytes()
		if err == nil {
			err = b.Store.Put(r.Key, data)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return results, p.Warnings, nil
}

func compileLinked(ctx context.Context, stages []PipelineStage, o nirc.Options) (*nirc.Pipeline, error) {
	list := make([]nirc.PipelineStage, len(stages))
	for i, s := range stages {
		list[i] = nirc.PipelineStage{Module: s.Module.Module, Entry: s.Entry, Stage: s.Stage, Spec: s.Spec}
	}
	return nirc.CompilePipeline(ctx, list, o)
}

// recompileLinked compiles the pipeline of a linked entry again; ok is false if a module is not there.
func (v *Verifier) recompileLinked(ctx context.Context, r *Request, o nirc.Options) (e *Entry, ok bool, err error) {
	stages := make([]PipelineStage, 0, 1+len(r.Linked))
	add := func(d Digest, entry, stage string, spec []spirv.SpecValue) error {
		data, err := v.Dir.Get(moduleKey(d))
		if err != nil || len(data) == 0 {
			ok = false
			return nil
		}
		m, err := nirc.Load(data[1:], "")
		stages = append(stages, PipelineStage{&Module{Module: m}, entry, ir.ParseStage(stage), spec})
		return err
	}
	ok = true
	if err = add(r.Module, r.Entry, r.Stage, r.Spec); err != nil {
		return nil, ok, err
	}
	for _, s := range r.Linked {
		if err = add(s.Module, s.Entry, s.Stage, s.Spec); err != nil {
			return nil, ok, err
		}
	}
	if !ok {
		return nil, false, nil
	}
	o.Entry, o.Stage, o.Spec = "", ir.StageNone, nil
	p, err := compileLinked(ctx, stages, o)
	if err != nil {
		return nil, true, err
	}
	e = &Entry{Request: *r}
	e.Object, err = p.Objects[0].Bytes()
	return e, true, err
}
