package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"nirc"
	"nirc/backend"
	"nirc/backend/object"
	"nirc/cache"
	"nirc/internal/figures"
	"nirc/ir"
	"nirc/passes"
)

// compiled is the outcome of one job.
type compiled struct {
	job      *compileJob
	forCache *cache.Module // nil without a cache
	shown    bytes.Buffer  // dumps and statistics
	parts    []part
	deps     []string // files that the input includes
	times    *passes.Times
	rules    []uint32
	warnings nirc.Diagnostics
	err      error
}

// part is one artefact, of one entry point.
type part struct {
	entry nirc.EntryPoint
	out   string // path or "-"
	data  []byte
	key   cache.Digest // for an archive
}

// compileOne does one job; what it has to say waits in the result for its turn.
func (c *compileCommand) compileOne(ctx context.Context, j *compileJob) *compiled {
	r := &compiled{job: j}
	m, forCache, err := c.module(ctx, j.src)
	if err != nil {
		r.err = err
		return r
	}
	if j.src.alone && forCache == nil {
		defer m.Release()
	}
	r.deps, r.forCache = m.Deps, forCache
	if c.emit == "spvasm" && c.writeOut {
		text, err := m.Disassemble()
		if r.err = err; err == nil {
			r.parts = []part{{out: c.outputName(j, nirc.EntryPoint{}, false), data: []byte(text)}}
		}
		return r
	}
	w := c.wantedOf(j.input)
	list, err := variants(m, j.input, w.entry, stageOf(w.stage), w.spec)
	if err == nil {
		err = c.oneOutput(m, list)
	}
	if err != nil {
		r.err = err
		return r
	}
	for i := range list {
		if err := c.unit(ctx, m, r, &list[i], len(list) > 1); err != nil {
			r.err = errors.Join(r.err, j.named(err))
			if !c.keepGoing || ctx.Err() != nil {
				break
			}
		}
	}
	return r
}

// oneOutput refuses several entry points where there is but one place for
// them, and lists them ready to be chosen.
func (c *compileCommand) oneOutput(m *nirc.Module, list []variant) error {
	if !c.writeOut || c.pack.on || len(list) == 1 || c.template != "" || c.outDir || c.output == "" || c.output == "-" && c.emit != "obj" && c.emit != "bin" {
		return nil
	}
	return nirc.Usagef("%s has %d entry points, but -o %s is one output: choose %s", m.Name, len(list), c.output, entryList(list))
}

// unit takes one of the job's shaders through the compiler.
func (c *compileCommand) unit(ctx context.Context, m *nirc.Module, r *compiled, v *variant, several bool) error {
	o := c.optionsOf(r.job, v)
	if c.rules {
		if r.rules == nil {
			r.rules = newRuleHits()
		}
		o.Run.RuleHits = r.rules
	}
	t := c.attach(&o, c.head(r.job, v.label, several), c.sink(r))
	if err := c.stages(ctx, m, r, t, v, several, &o); err != nil {
		return c.repro(m.Locate(ctx, o, err), m, &o)
	}
	c.timed(r, t)
	warnings, err := c.finish(t, r.job.path)
	r.warnings = append(r.warnings, warnings...)
	return err
}

// optionsOf are the options of one of a job's shaders.
func (c *compileCommand) optionsOf(j *compileJob, v *variant) nirc.Options {
	o := c.base
	o.Target, o.GPU = j.target, j.gpu
	o.File, o.Entry, o.Stage, o.Spec = j.path, v.Name, v.Stage, v.spec
	if n := c.wantedOf(j.input).next; n != "" {
		o.Next = stageOf(n)
	}
	o.Next, o.Layout = v.follows(o.Next), v.layoutOr(o.Layout)
	v.asked(&o)
	return o
}

// timed adds the times of a shader to those of its job.
func (c *compileCommand) timed(r *compiled, t *watch) {
	if t.times == nil {
		return
	}
	if r.times == nil {
		r.times = &passes.Times{}
	}
	r.times.Merge(t.times)
}

// beforeCompile is called before each compile; tests set it.
var beforeCompile = func(*nirc.Unit) error { return nil }

// stages compiles the shader and keeps its artefact.
func (c *compileCommand) stages(ctx context.Context, m *nirc.Module, r *compiled, t *watch, v *variant, several bool, o *nirc.Options) (err error) {
	// The label tells entry points apart, of whom SPIR-V may have several of one name.
	point := nirc.EntryPoint{Name: v.label, Stage: v.Stage}
	p := part{entry: point, out: c.outputName(r.job, point, several)}
	if c.pack.on {
		p.key = c.keyOf(r.forCache, o)
	}
	if ok, err := c.fromCache(ctx, r, &p, o); ok || err != nil {
		if ok {
			r.parts = append(r.parts, p)
		}
		return err
	}
	u, err := nirc.New(*o)
	if err != nil {
		return err
	}
	t.unit = u
	if err := beforeCompile(u); err != nil {
		return err
	}
	defer func() { u.Done(err) }() // all that is wanted of the shader is text by then
	if err := u.Translate(ctx, m); err != nil {
		return err
	}
	if err := u.Optimize(ctx); err != nil {
		return err
	}
	written, err := c.artefactOf(ctx, u, r, &p)
	if err != nil {
		return err
	}
	if written {
		r.parts = append(r.parts, p)
	}
	return nil
}

// head names the shader in dumps.
func (c *compileCommand) head(j *compileJob, entry string, several bool) string {
	head := j.path
	if several {
		head += " " + entry
	}
	switch {
	case j.manyGPUs:
		head += " (" + j.target + " " + j.gpu + ")"
	case len(c.targets) > 1:
		head += " (" + j.target + ")"
	}
	return head
}

// sink is where a job's dumps go: at once if it is the only one at work, so
// that they are there even if a pass never ends.
func (c *compileCommand) sink(r *compiled) io.Writer {
	if c.jobs == 1 {
		return c.shown()
	}
	return &r.shown
}

// artefactOf generates code if anything needs it, shows statistics and fills
// the part, if one is wanted.
func (c *compileCommand) artefactOf(ctx context.Context, u *nirc.Unit, r *compiled, p *part) (written bool, err error) {
	var (
		obj *object.Object
		m   *nirc.SourceMap
	)
	doc := func() *figures.Document { return figures.UnitDocument(r.job.path, u) }
	needed := c.writeOut && c.emit != "ir" || !c.onlyPasses() || c.stats
	if needed && r.job.target != nirc.IRTarget && !u.Stopped() {
		if c.writeOut && c.emit == "map" {
			obj, m, err = u.GenerateMapped(ctx)
		} else {
			obj, err = u.Generate(ctx)
		}
		if errors.Is(err, nirc.ErrStopped) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		doc = func() *figures.Document {
			d := figures.NewDocument(r.job.path, obj)
			d.Links = figures.NewLinks(u.Links())
			return d
		}
	}
	if c.stats && !(c.writeOut && c.emit == "json") {
		d := doc()
		gpu := ""
		if d.GPU != "" {
			gpu = " " + d.GPU
		}
		fmt.Fprintf(c.sink(r), "%s: %s%s %s %q: %s\n", r.job.path, d.Target, gpu, d.Stage, d.Entry, d.Stats)
	}
	if !c.writeOut {
		return false, nil
	}
	switch c.emit {
	case "obj":
		p.data, err = obj.Bytes()
	case "bin":
		p.data = obj.Code
	case "asm":
		p.data, err = listing(obj, c.debug)
	case "ir":
		p.data = []byte(ir.PrintWith(u.Shader, ir.PrintOptions{CFG: c.cfg, Locs: c.debug}))
	case "json":
		p.data, err = jsonLine(doc())
	case "map":
		p.data, err = jsonLine(m)
	}
	return err == nil, err
}

// jsonLine returns v as one line of JSON.
func jsonLine(v any) ([]byte, error) {
	written(v)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// listing returns the disassembly of an object's code in the form that the
// assembler reads, with the source's lines as comments if they are wanted.
func listing(o *object.Object, source bool) ([]byte, error) {
	b, err := nirc.Backend(o.Target)
	if err != nil {
		return nil, err
	}
	lines, err := b.Disassemble(o.GPU, o.Code)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	places := interleaved{o: o, src: sources{}}
	for i := range lines {
		if source {
			places.before(&out, lines[i].Offset)
		}
		writeLine(&out, &lines[i])
	}
	return out.Bytes(), nil
}

// writeLine writes an instruction with its label.
func writeLine(w io.Writer, l *backend.Line) {
	if l.Label != "" {
		fmt.Fprintf(w, "%s:\n", l.Label)
	}
	fmt.Fprintf(w, "    %s\n", l.Text)
}

// flush writes what a job brought, in the job's turn.
func (c *compileCommand) flush(r *compiled) error {
	if r.shown.Len() > 0 {
		if _, err := r.shown.WriteTo(c.shown()); err != nil {
			return &nirc.IOError{Err: err}
		}
	}
	c.report.diagnostics(r.warnings)
	err := r.err
	if src := r.job.src; src != nil && err != nil {
		err = src.once(err)
	}
	for i := range r.parts {
		if e := c.writePart(r, &r.parts[i]); e != nil {
			if err = errors.Join(err, e); !c.keepGoing {
				break
			}
		}
	}
	return err
}

// once marks an error as reported that another job of the source has had.
func (s *source) once(err error) error {
	text := err.Error()
	if slices.Contains(s.told, text) {
		return errReported{err}
	}
	s.told = append(s.told, text)
	return err
}

// writePart writes an artefact and the rule about it.
func (c *compileCommand) writePart(r *compiled, p *part) error {
	if c.pack.on {
		c.packPart(r, p)
		return nil
	}
	if err := c.claim(r, p); err != nil {
		return err
	}
	if p.out != "-" && (c.output == "" || c.outDir) {
		if err := c.folder.enter(filepath.Dir(p.out), c.planning); err != nil {
			return err
		}
	}
	if c.folder.isNew(p.out) {
		if err := writeNew(p.out, p.data); err != nil {
			return &nirc.IOError{Err: err}
		}
	} else if err := c.writeFile(p.out, p.data); err != nil {
		return err
	}
	return c.deps.note(c.app, p.out, append([]string{r.job.file()}, r.deps...), c.pipeline)
}

// stdin returns standard input if the path means it. It is read once, whatever
// the number of jobs that want it.
func (c *compileCommand) stdin(path string) io.Reader {
	if path != "-" {
		return nil
	}
	c.stdinOnce.Do(func() { c.stdinData, c.stdinErr = io.ReadAll(io.LimitReader(c.in, maxInput+1)) }) // more is no module
	return io.MultiReader(bytes.NewReader(c.stdinData), failing{c.stdinErr})
}

// failing is a reader that ends with an error, or with EOF if that is nil.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}
