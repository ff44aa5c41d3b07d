// Package bisect finds the step of a compile that makes a script fail: the shader, the pass or machine
// step, and the rewrite. It runs the script again and again with fewer steps; it knows nothing of
// what the steps do.
package bisect

import (
	"context"
	"fmt"
	"time"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/passes"
)

// Culprit is the step of a compile that turns a script's PASS into FAIL.
type Culprit struct {
	// Reason is why the script fails with all steps, Line the line it is about or 0.
	Reason string `json:"reason"`
	Line   int    `json:"line,omitempty"`
	// Judge is what ran the shaders: IRTarget is the interpreter, after the
	// passes of the target, else the target's core.
	Judge string `json:"judge"`
	// Shader is the number of the shader of Shaders, from 1 in the order in which the
	// script compiles them.
	Shader  int    `json:"shader"`
	Shaders int    `json:"shaders"`
	Stage   string `json:"stage"`
	Entry   string `json:"entry"`
	// Step is the pass, or step of the code generator, Run its number of
	// Steps. The interpreter judges all passes; a core only those that can be left out.
	Step  string `json:"step"`
	Run   int    `json:"run"`
	Steps int    `json:"steps"`
	// Since is the first step that may be the culprit: less than Run if the shader
	// cannot be executed in the forms between.
	Since int `json:"since"`
	// Rewrite is the number, from 1, of the step's rewrite that does it; 0 if
	// the step does not count its rewrites.
	Rewrite int `json:"rewrite,omitempty"`
	// Before and After are the shader without and with that step or rewrite.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Bisection finds the step of a compile that makes a script fail.
type Bisection struct {
	// Options are those of the compile; Entry, Stage and Spec are the script's.
	Options nirc.Options
	Limits  emu.Limits
	// Timeout is the time for each run of the script, 0 for no limit.
	Timeout time.Duration
	// Dumps asks for Before and After.
	Dumps bool
	// Tried, if not nil, is called after each run of the script.
	Tried func()

	path    string
	interp  bool
	modules amber.ModuleCache
	verdict amber.Result // with all steps
	shaders []*tried
}

// tried is what is known about one of the script's shaders.
type tried struct {
	shader amber.Shader
	steps  []string
}

// Script finds the culprit of a script that fails. First the interpreter
// executes the shaders after the target's passes: if they fail there, any pass may be
// the culprit. Else the target's core does, and any step that may be left out.
func (b *Bisection) Script(ctx context.Context, path string) (*Culprit, error) {
	if _, err := nirc.New(b.Options); err != nil {
		return nil, err
	}
	if b.Options.Target == "" {
		b.Options.Target = nirc.DefaultTarget
	}
	target := b.Options.Target
	b.path = path
	full := b.trial(ctx, nil)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if full.Verdict != amber.Fail {
		why := ""
		if full.Reason != "" {
			why = ": " + full.Reason
		}
		return nil, nirc.Diagnostics{{File: path, Msg: fmt.Sprintf("%s on %s%s: there is nothing to find", full.Verdict, target, why), Target: target}}
	}
	for _, b.interp = range []bool{true, false} {
		if !b.interp && target == nirc.IRTarget {
			break
		}
		if r := b.trial(ctx, nil); !same(r, full) {
			continue
		}
		b.verdict = full
		if b.trial(ctx, b.cut(0, 0, -1)).Verdict == amber.Pass {
			c, err := b.find(ctx)
			if c != nil {
				c.Reason, c.Line = full.Reason, full.Line
			}
			return c, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	what := "without its optional steps, and its passes do not make it fail on the interpreter: what the target cannot leave out is wrong"
	if target == nirc.IRTarget || b.translated(ctx).Verdict != amber.Pass {
		what = "without passes: the script, the frontend or the interpreter is wrong"
	}
	return nil, nirc.Diagnostics{{File: path, Msg: "it fails on " + target + " " + what + ": " + full.Reason, Target: target}}
}

// translated runs the script on the interpreter as the frontend makes it.
func (b *Bisection) translated(ctx context.Context) amber.Result {
	b.interp, b.shaders = true, nil
	return b.trial(ctx, b.cut(0, 0, -1))
}

// same reports whether two failures are of the same kind.
func same(a, b amber.Result) bool { return a.Verdict == b.Verdict && a.Cause == b.Cause }

// limits gives the limit of each shader by its number.
type limits func(shader int) *passes.BisectLimit

// cut lets all steps of the shaders before one run, of that one the first
// runs, and none of those after it.
func (b *Bisection) cut(shader, runs, rewrites int) limits {
	every := b.interp
	return func(k int) *passes.BisectLimit {
		switch {
		case k < shader:
			return &passes.BisectLimit{Runs: 1 << 30, Rewrites: -1, Every: every}
		case k > shader:
			return &passes.BisectLimit{Rewrites: -1, Every: every}
		}
		return &passes.BisectLimit{Runs: runs, Rewrites: rewrites, Every: every}
	}
}

// trial runs the script; nil limits let everything run and note what that is.
func (b *Bisection) trial(ctx context.Context, l limits) amber.Result {
	return b.watch(ctx, l, nil)
}

// watch is trial with a hook into the options of each shader's compile.
func (b *Bisection) watch(ctx context.Context, l limits, hook func(shader int, o *passes.RunOptions)) amber.Result {
	t := &bisectTarget{b: b, limits: l, hook: hook}
	if l == nil {
		b.shaders = nil
		t.limits = b.cut(1<<30, 0, -1)
	}
	r := &amber.Runner{Target: t, Limits: b.Limits, Modules: &b.modules, Layout: b.Options.Layout}
	batch := amber.Batch{Runner: r, Timeout: b.Timeout}
	if b.Tried != nil {
		defer b.Tried()
	}
	return batch.RunFile(ctx, b.path)
}

// bisectTarget compiles a script's shaders within limits.
type bisectTarget struct {
	b      *Bisection
	limits limits
	hook   func(int, *passes.RunOptions)
	next   int
}

func (t *bisectTarget) Name() string { return t.b.Options.Target }

func (t *bisectTarget) Compile(ctx context.Context, sh amber.Shader) (emu.Program, error) {
	b, k := t.b, t.next
	t.next++
	if k >= len(b.shaders) {
		b.shaders = append(b.shaders, &tried{shader: sh})
	}
	a := &exec.ScriptTarget{Options: b.Options, Interpret: b.interp}
	run := &a.Options.Run
	run.Bisect = t.limits(k)
	run.BisectLog = func(n int, name string, _ bool) {
		if steps := &b.shaders[k].steps; n > len(*steps) {
			*steps = append(*steps, name)
		}
	}
	if t.hook != nil {
		t.hook(k, run)
	}
	return a.Compile(ctx, sh)
}

// find searches the shader, the step and the rewrite, knowing that the script
// fails with all steps and passes with none.
func (b *Bisection) find(ctx context.Context) (*Culprit, error) {
	c := &Culprit{Judge: nirc.IRTarget, Shaders: len(b.shaders)}
	if !b.interp {
		c.Judge = b.Options.Target
	}
	_, shader := b.search(len(b.shaders), func(k int) amber.Result { return b.trial(ctx, b.cut(k, 0, -1)) })
	shader--
	sh := b.shaders[shader]
	c.Shader, c.Stage, c.Entry, c.Steps = shader+1, sh.shader.Stage.String(), sh.shader.Entry, len(sh.steps)
	var low int
	low, c.Run = b.search(c.Steps, func(n int) amber.Result { return b.trial(ctx, b.cut(shader, n, -1)) })
	c.Since = low + 1
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.Run == 0 {
		return nil, nirc.Diagnostics{{File: b.path, Msg: fmt.Sprintf("%s shader %s fails in a step that cannot be left out", c.Stage, c.Entry)}}
	}
	c.Step = sh.steps[c.Run-1]
	if c.Since == c.Run {
		c.Rewrite = b.rewrite(ctx, shader, c.Run)
	}
	if b.Dumps {
		c.Before, c.After = b.dumps(ctx, shader, c)
	}
	return c, ctx.Err()
}

// search finds neighbours of 0…n of which the lower passes and the upper fails
// as all do. What neither passes nor fails so is stepped over.
func (b *Bisection) search(n int, try func(int) amber.Result) (pass, fail int) {
	pass, fail = 0, n
	for pass+1 < fail {
		mid, found := (pass+fail)/2, false
		for _, m := range outwards(mid, pass, fail) {
			r := try(m)
			if r.Verdict == amber.Pass {
				pass, found = m, true
			} else if same(r, b.verdict) {
				fail, found = m, true
			}
			if found {
				break
			}
		}
		if !found {
			break
		}
	}
	return pass, fail
}

// outwards lists the numbers between two bounds, from the middle outwards.
func outwards(mid, low, high int) []int {
	list := []int{mid}
	for d := 1; mid-d > low || mid+d < high; d++ {
		if mid+d < high {
			list = append(list, mid+d)
		}
		if mid-d > low {
			list = append(list, mid-d)
		}
	}
	return list
}

// rewrite finds the first rewrite of a step that makes the script fail, from
// 1; 0 if the step fails before its first or does not count them.
func (b *Bisection) rewrite(ctx context.Context, shader, run int) int {
	try := func(n int) amber.Result { return b.trial(ctx, b.cut(shader, run, n)) }
	if try(0).Verdict != amber.Pass {
		return 0
	}
	top := 1
	for !same(try(top), b.verdict) {
		if top *= 2; top > 1<<24 || ctx.Err() != nil {
			return 0
		}
	}
	low, fail := b.search(top, try)
	if low+1 != fail {
		return 0
	}
	return fail
}

// dumps returns the shader before and after the culprit.
func (b *Bisection) dumps(ctx context.Context, shader int, c *Culprit) (before, after string) {
	at := func(rewrites int) (before, after string) {
		b.watch(ctx, b.cut(shader, c.Run, rewrites), func(k int, o *passes.RunOptions) {
			if k != shader {
				return
			}
			o.DumpBefore, o.DumpAfter = []string{c.Step}, []string{c.Step}
			o.Dump = func(title, text string) {
				// The last run of the step is the culprit's.
				if title == "before "+c.Step {
					before = text
				} else {
					after = text
				}
			}
		})
		return before, after
	}
	if c.Rewrite == 0 {
		return at(-1)
	}
	_, after = at(c.Rewrite)
	_, before = at(c.Rewrite - 1)
	return before, after
}
