// Package passes holds the transformations of the IR, one file each, named as
// in NIR, and what runs them: the registry, the pipeline described by
// pipeline.yaml, dumps, timing, verification and bisection.
//
// A pass takes a valid shader and leaves a valid shader. It knows the IR, the
// analyses of passes/analysis and its own options; it never knows a frontend,
// a backend or another pass's internals, and never prints.
package passes

import (
	"fmt"
	"sync"

	"nirc/ir"
)

// Pass is one transformation.
type Pass struct {
	Name string
	// Doc says what the pass does: input form, output form, invariants. The
	// first sentence is the summary that `nirc passes` prints.
	Doc string
	// Class of the row in NIR's listing: "A" needed for correct code, "B" better
	// code, "C" legacy; "" our own.
	Class string
	// Options that pipeline.yaml and --passes may set, as name(opt=value).
	Options []Option
	// Instead says of a pass that no pipeline and no state runs what does its work, and why it stays: a kind (of
	// InsteadKinds), a colon, the reason. A test sees to it that a pass has it if, and only if, nothing runs it.
	Instead string
	// Run transforms s and reports whether anything changed. On progress it has
	// called Preserve on each function changed. An error is a diagnostic about
	// the shader: what the target or the pass cannot do, and where.
	Run func(c *Context, s *ir.Shader) (progress bool, err error)
	// For, if not 0, is what the pass looks for: on a shader that contains none of it the pass would change nothing,
	// and is not run. It is run all the same under VerifyEach, which tests that.
	For ir.Contents
	// ForOptions, if not nil, is For where that depends on the options.
	ForOptions func(c *Context) ir.Contents
	// Idle, if not nil, tells by a short look at a shader that the pass would change nothing: it is not run then, and tested
	// under VerifyEach as For is.
	Idle func(s *ir.Shader) bool
	// Makes is what all of the pass's progress is, 0 if it may be anything. Withstands is what progress of other passes, with
	// nothing else, leaves the pass with nothing to do if it had nothing to do before: it is not run again then. That too is
	// tested under VerifyEach.
	Makes, Withstands Change
	// Idempotent: a second run right after makes no progress.
	Idempotent bool
	// Optional: skipping the pass leaves code that later steps can still compile,
	// so that bisection and --disable-pass may drop it.
	Optional bool
	// Rewrites: the pass asks c.Step before each rewrite, so that bisection
	// reaches single rewrites.
	Rewrites bool
}

// Change is a set of kinds of progress.
type Change uint8

// What progress may be.
const (
	// ChangeFacts: of Shader.Info alone.
	ChangeFacts Change = 1 << iota
	// ChangeRemoval: instructions went whose results nothing used and that had no effect.
	ChangeRemoval
	// ChangeMerge: uses of a value became uses of an equal one, of an instruction with the same sources, and the first went.
	ChangeMerge
	// changeOther is all other progress.
	changeOther
	changeKinds = iota
)

// InsteadKinds are the kinds of reasons that passes are left out for: what the IR's registers would be for, what the hardware does,
// what descriptors decide, what pairs of linked stages want, what kernels want.
var InsteadKinds = []string{"registers", "hardware", "descriptors", "linking", "kernels"}

// Option describes one option of a pass.
type Option struct {
	Name    string
	Doc     string
	Default any // bool, int, float64, string or ir.Mode: gives the type
}

// Context is what a running pass may ask for.
type Context struct {
	// Options are the target's wishes: s.Options of the shader that is run.
	pass *Pass
	args []any // by the pass's Options
	// memo is what the pass made of its options.
	memo *memo
	// step, if set, is asked before each rewrite of a pass that counts them.
	step func() bool
	// RuleHits counts firings of algebraic rules by rule number when not nil.
	RuleHits []uint32
}

// NewContext returns a context for running p with its default options.
func NewContext(p *Pass) *Context {
	c := &Context{pass: p, args: make([]any, len(p.Options)), memo: new(memo)}
	for i, o := range p.Options {
		c.args[i] = o.Default
	}
	return c
}

// SetOption sets an option from its text; it says what is wrong with the value.
func (c *Context) SetOption(name, value string) error {
	for i, o := range c.pass.Options {
		if o.Name != name {
			continue
		}
		v, err := parseOption(o.Default, value)
		if err != nil {
			return fmt.Errorf("%s(%s=%s): %w", c.pass.Name, name, value, err)
		}
		c.args[i], c.memo = v, new(memo)
		return nil
	}
	return fmt.Errorf("%s has no option %q", c.pass.Name, name)
}

// looks is what the pass looks for with these options.
func (c *Context) looks() ir.Contents {
	if f := c.pass.ForOptions; f != nil {
		return f(c)
	}
	return c.pass.For
}

func (c *Context) arg(name string) any {
	for i, o := range c.pass.Options {
		if o.Name == name {
			return c.args[i]
		}
	}
	panic("passes: " + c.pass.Name + " asks for option " + name + " that it does not declare")
}

// memo is what a pass made of its options, once for all its runs.
type memo struct {
	once sync.Once
	form any
	err  error
}

// decoded returns what a pass with many options makes of them, which f does at the first run: looking each up by its name at
// every run took more time than lower_tex did for a shader with one texture. Runs must not change it.
func (c *Context) decoded(f func() (any, error)) (any, error) {
	c.memo.once.Do(func() { c.memo.form, c.memo.err = f() })
	return c.memo.form, c.memo.err
}

// Bool, Int, Float, String and Modes return the pass's own options.
func (c *Context) Bool(name string) bool { return c.arg(name).(bool) }

// Int returns an integer option.
func (c *Context) Int(name string) int { return c.arg(name).(int) }

// Float returns an option that is a number with a fraction.
func (c *Context) Float(name string) float64 { return c.arg(name).(float64) }

// String returns a text option.
func (c *Context) String(name string) string { return c.arg(name).(string) }

// Modes returns a set of variable modes.
func (c *Context) Modes(name string) ir.Mode { return c.arg(name).(ir.Mode) }

// Step reports whether the next rewrite may be done; passes with Rewrites ask
// before each.
func (c *Context) Step() bool { return c.step == nil || c.step() }
