package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"nirc"
	"nirc/backend"
	"nirc/ir"
	"nirc/object"
	"nirc/passes"
)

// compiled is the outcome of one job.
type compiled struct {
	job      *compileJob
	shown    bytes.Buffer // dumps and statistics
	artefact []byte
	written  bool // there is an artefact
	times    *passes.Times
	rules    []uint32
	warnings nirc.Diagnostics
	err      error
}

// compileOne does one job; what it has to say waits in the result for its turn.
func (c *compileCommand) compileOne(ctx context.Context, j *compileJob) *compiled {
	r := &compiled{job: j}
	m, err := nirc.LoadFile(ctx, j.file, nirc.FileOptions{Stdin: c.stdin(j.file), Stage: c.stage, Debug: c.debug})
	if err != nil {
		r.err = err
		return r
	}
	if c.emit == "spvasm" && c.writeOut {
		text, err := m.Disassemble()
		r.artefact, r.written, r.err = []byte(text), err == nil, err
		return r
	}
	r.err = c.unit(ctx, m, r)
	return r
}

// unit takes the job's shader through the compiler.
func (c *compileCommand) unit(ctx context.Context, m *nirc.Module, r *compiled) error {
	o := c.base
	o.Target, o.GPU = r.job.target, c.gpus[r.job.target]
	o.File, o.Entry, o.Stage, o.Debug, o.ABI = r.job.file, c.entry, c.stage, c.debug, c.abi
	for _, text := range c.spec {
		v, err := m.Spec(text)
		if err != nil {
			return err
		}
		o.Spec = append(o.Spec, v)
	}
	if c.rules {
		r.rules = newRuleHits()
		o.Run.RuleHits = r.rules
	}
	head := r.job.file
	if len(c.targets) > 1 {
		head += " (" + r.job.target + ")"
	}
	t := c.attach(&o, head, c.sink(r))
	r.times = t.times
	u, err := nirc.New(o)
	if err != nil {
		return err
	}
	if err := u.Translate(ctx, m); err != nil {
		return err
	}
	if err := u.Optimize(ctx); err != nil {
		return err
	}
	if err := c.artefactOf(ctx, u, r, head); err != nil {
		return err
	}
	r.warnings, err = c.finish(t, r.job.file)
	return err
}

// sink is where a job's dumps go: at once if it is the only one at work, so
// that they are there even if a pass never ends.
func (c *compileCommand) sink(r *compiled) io.Writer {
	if c.jobs == 1 {
		return c.shown()
	}
	return &r.shown
}

// artefactOf generates code if anything needs it and fills the job's result.
func (c *compileCommand) artefactOf(ctx context.Context, u *nirc.Unit, r *compiled, head string) error {
	var obj *object.Object
	doc := u.Document
	needed := c.writeOut && c.emit != "ir" || !c.onlyPasses() || c.stats
	if needed && r.job.target != nirc.IRTarget && !u.Stopped() {
		var err error
		if obj, err = u.Generate(ctx); err != nil {
			return err
		}
		doc = func() *nirc.Document { return nirc.NewDocument(r.job.file, obj) }
	}
	if c.stats && !(c.writeOut && c.emit == "json") {
		d := doc()
		gpu := ""
		if d.GPU != "" {
			gpu = " " + d.GPU
		}
		fmt.Fprintf(c.sink(r), "%s: %s%s %s %q: %s\n", r.job.file, d.Target, gpu, d.Stage, d.Entry, d.Stats)
	}
	if !c.writeOut {
		return nil
	}
	r.written = true
	var err error
	switch c.emit {
	case "obj":
		r.artefact, err = obj.Bytes()
	case "bin":
		r.artefact = obj.Code
	case "asm":
		r.artefact, err = listing(obj)
	case "ir":
		r.artefact = []byte(ir.PrintWith(u.Shader, ir.PrintOptions{CFG: c.cfg, Locs: c.debug}))
	case "json":
		r.artefact, err = jsonLine(doc())
	}
	return err
}

// jsonLine returns v as one line of JSON.
func jsonLine(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// listing returns the disassembly of an object's code in the form that the
// assembler reads.
func listing(o *object.Object) ([]byte, error) {
	b, err := nirc.Backend(o.Target)
	if err != nil {
		return nil, err
	}
	lines, err := b.Disassemble(o.GPU, o.Code)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for i := range lines {
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
	if r.err != nil || !r.written {
		return r.err
	}
	return c.writeFile(r.job.out, r.artefact)
}

// writeFile writes an artefact to a path, or to standard output for "-".
func (a *app) writeFile(path string, data []byte) error {
	var err error
	if path == "-" {
		_, err = a.out.Write(data)
	} else {
		err = os.WriteFile(path, data, 0o666)
	}
	if err != nil {
		return &nirc.IOError{Err: err}
	}
	return nil
}

// stdin returns standard input if the path means it. It is read once, whatever
// the number of jobs that want it.
func (c *compileCommand) stdin(path string) io.Reader {
	if path != "-" {
		return nil
	}
	c.stdinOnce.Do(func() { c.stdinData, c.stdinErr = io.ReadAll(c.in) })
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
