package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"nirc"
	"nirc/cache"
	"nirc/internal/foz"
	"nirc/ir"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// cacheRequests are the flags that say, with files, which shaders are asked of a cache.
type cacheRequests struct {
	*cacheCommand
	compile compileCommand // for its targets, GPUs and flags about passes
	builder *cache.Builder

	glsl, made atomic.Int64 // modules that are of GLSL, and those that were made now
}

func (c *cacheCommand) requests() *cacheRequests {
	return &cacheRequests{cacheCommand: c, compile: compileCommand{app: c.app}}
}

func (r *cacheRequests) flags(f *pflag.FlagSet) {
	m := &r.compile
	m.declare(f, compileFlags)
}

// prepare checks the flags and makes the builder of a store.
func (r *cacheRequests) prepare(cmd *cobra.Command, store cache.Store) (err error) {
	m := &r.compile
	m.emit, m.jobs = "obj", max(1, m.jobs)
	if err := m.check(cmd); err != nil {
		return err
	}
	if r.builder, err = newBuilder(store, &m.shared); err == nil {
		r.use(store)
	}
	return err
}

// use makes a store the one that is built in.
func (r *cacheRequests) use(store cache.Store) {
	r.builder.Store = store
	r.compile.kept = cache.FrontEnd{Store: store}
}

// newBuilder makes a builder whose keys stand for the flags about passes.
func newBuilder(d cache.Store, r *shared) (*cache.Builder, error) {
	text := nirc.PipelineFile()
	if r.pipeline != "" {
		var err error
		if text, err = readFile(r.pipeline); err != nil {
			return nil, err
		}
	}
	text = plainYAML(text)
	if r.set.Changed("passes") {
		text = []byte("--passes " + strings.Join(strings.Fields(r.passes), ""))
	}
	disabled := slices.Clone(r.disable)
	slices.Sort(disabled)
	disabled = slices.Compact(disabled)
	text = fmt.Appendf(text, "\n--disable-pass %q", disabled)
	if r.base.State != nil {
		plain, err := json.Marshal(r.base.State)
		if err != nil {
			return nil, err
		}
		text = fmt.Appendf(text, "\n--state %x", sha256.Sum256(plain))
	}
	for _, u := range r.base.Uniforms { // their order does not count where each is another word
		text = fmt.Appendf(text, "\n--inline-uniform %s", u.String())
	}
	if r.safeConsts {
		text = append(text, "\n--safe-consts"...)
	}
	if r.hardFaults {
		text = append(text, "\n--hard-faults"...)
	}
	if r.dispatchBase {
		text = append(text, "\n--dispatch-base"...)
	}
	if r.localMemory != 0 {
		text = fmt.Appendf(text, "\n--local-memory %d", r.localMemory)
	}
	if r.workgroupSize != "" {
		text = fmt.Appendf(text, "\n--workgroup-size %d", r.base.WorkgroupSize)
	}
	if r.sampleShading {
		text = append(text, "\n--sample-shading"...)
	}
	if r.multiview {
		text = append(text, "\n--multiview"...)
	}
	if r.points {
		text = append(text, "\n--points"...)
	}
	if b, err := ir.ParseRobust(r.robust); err == nil && b != (ir.Robust{}) {
		text = append(text, "\n--robust "+b.String()...)
	}
	h := sha256.Sum256(text)
	return &cache.Builder{Store: d, Code: codeVersion(), Pipeline: h}, nil
}

// plainYAML is a file's text without what means nothing: comments, blanks, the
// order of a mapping's keys.
func plainYAML(text []byte) []byte {
	var v any
	if yaml.Unmarshal(text, &v) != nil {
		return text
	}
	plain, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return plain
}

// buildJob is one module and what is wanted of it.
type buildJob struct {
	input
	entry, stage, next string
	spec               []string
	layout             *nirc.Layout // of a manifest's line
	state              foz.State    // of the same
}

// jobList lists the modules of arguments, wanted as the flags say.
func (r *cacheRequests) jobList(args []string) ([]buildJob, error) {
	inputs, err := r.expandInputs(args)
	if err != nil {
		return nil, err
	}
	return r.jobsOf(inputs), nil
}

// jobsOf are the jobs of inputs, wanted as flags and matrices say.
func (r *cacheRequests) jobsOf(inputs []input) []buildJob {
	jobs := make([]buildJob, 0, len(inputs))
	for i := range inputs {
		w := r.compile.wantedOf(&inputs[i])
		w.input = inputs[i]
		jobs = append(jobs, w)
	}
	return jobs
}

// wantedOf is what is wanted of an input's module, by the flags and by a matrix.
func (c *compileCommand) wantedOf(in *input) buildJob {
	w := buildJob{entry: c.entry, stage: c.stageName, next: c.nextName, spec: c.spec}
	if q := in.asked; q != nil {
		w.entry, w.stage, w.next = cmp.Or(q.entry, w.entry), cmp.Or(q.stage, w.stage), cmp.Or(q.next, w.next)
		w.spec = slices.Concat(w.spec, q.spec)
	}
	return w
}

// unreadError is about a file, and keeps nobody from the others.
type unreadError struct{ error }

func (e unreadError) Unwrap() error { return e.error }

// each calls f for a module's shaders on all GPUs; the errors of f are joined.
func (r *cacheRequests) each(ctx context.Context, j *buildJob, f func(*cache.Module, nirc.Options, *variant) error) error {
	stage, err := parseStage(j.stage)
	if err != nil {
		return err
	}
	next, err := parseStage(j.next)
	if err != nil {
		return err
	}
	c := &r.compile
	from := c.moduleOptions(&j.input)
	from.Stage, from.Entry = stage, j.entry
	m, err := c.load(ctx, &j.input, from)
	if err != nil {
		return unreadError{j.named(err)}
	}
	if m.FromGLSL {
		r.glsl.Add(1)
		if !m.Kept {
			r.made.Add(1)
		}
	}
	list, err := variants(m, &j.input, j.entry, stage, j.spec)
	if err != nil {
		return err
	}
	o := c.base
	o.File = j.path
	mod := cache.NewModule(m, c.debug)
	var errs []error
	for _, d := range c.devicesOf(&j.input) {
		for i := range list {
			v := &list[i]
			o := o
			o.Target, o.GPU, o.Entry, o.Stage, o.Spec = d.target, d.gpu, v.Name, v.Stage, v.spec
			if v.state == (foz.State{}) {
				v.state = j.state
			}
			v.asked(&o)
			o.Next, o.Layout = v.follows(next), v.layoutOr(cmp.Or(j.layout, c.base.Layout))
			if err := f(mod, o, v); err != nil {
				errs = append(errs, err)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return errors.Join(errs...)
}
