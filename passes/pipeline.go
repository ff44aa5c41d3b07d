package passes

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"nirc/ir"
)

// Level is an optimisation level.
type Level uint8

// The levels of -O0, -O1, -O2 and -Os.
const (
	O0 Level = iota
	O1
	O2
	Os
)

var levelNames = [...]string{"O0", "O1", "O2", "Os"}

// String returns the level as the command line spells it, without the dash.
func (l Level) String() string {
	if int(l) < len(levelNames) {
		return levelNames[l]
	}
	return "O?"
}

// ParseLevel reads "O2" or "-O2".
func ParseLevel(text string) (Level, error) {
	for i, n := range levelNames {
		if strings.TrimPrefix(text, "-") == n {
			return Level(i), nil
		}
	}
	return O0, fmt.Errorf("no optimisation level %q (have O0, O1, O2, Os)", text)
}

// Pipelines are the pass lists of a pipeline file, one a target.
type Pipelines struct {
	name  string
	lists map[string]*list
	// names are the pipelines in the file's order; "common" is for all targets.
	names []string
	// codegen are the lists that code generators run, in the file's order.
	codegen []string
	// rest reads the lists of the built-in file that have not been asked for; nil where all are in lists.
	rest   *loader
	restMu sync.Mutex
}

// list returns the list of that name, nil if there is none.
func (p *Pipelines) list(name string) *list {
	if p.rest == nil {
		return p.lists[name]
	}
	p.restMu.Lock()
	defer p.restMu.Unlock()
	at := p.rest.nodes[name]
	if at == nil {
		return nil
	}
	l, err := p.rest.list(name, at)
	if err != nil {
		panic(err) // TestBuiltinTree: the tree is the file's, which loads whole in other tests
	}
	return l
}

// list is a named list as the file gives it.
type list struct {
	name  string
	items []*item
	line  int
	kind  listKind
	// resolved keeps what resolve made: nothing of it changes, and every compile asks for it. There are few, and to look through
	// them is cheaper than to hash two strings and two numbers.
	resolved atomic.Pointer[[]*Pipeline]
}

// known returns what resolve made of a list, nil if it has not yet.
func (l *list) known(env *condEnv) *Pipeline {
	if all := l.resolved.Load(); all != nil {
		for _, p := range *all {
			if p.env == *env {
				return p
			}
		}
	}
	return nil
}

// keep adds a resolved pipeline, unless another goroutine was quicker, and returns the one that is kept.
func (l *list) keep(p *Pipeline) *Pipeline {
	for {
		old := l.resolved.Load()
		if have := l.known(&p.env); have != nil {
			return have
		}
		var all []*Pipeline
		if old != nil {
			all = append(all, *old...)
		}
		if all = append(all, p); l.resolved.CompareAndSwap(old, &all) {
			return p
		}
	}
}

// listKind says who runs a list.
type listKind uint8

const (
	usedList     listKind = iota // other lists
	pipelineList                 // a compile: the passes of a target
	codegenList                  // a code generator, between its steps
)

// item is one entry of a list: exactly one of pass, use, body (a loop), hook and
// cond is set.
type item struct {
	line int
	pass *Context
	use  *list
	hook string
	loop bool
	max  int
	body []*item
	cond *cond
	els  []*item
}

// Targets returns the names of the pipelines in the file's order.
func (p *Pipelines) Targets() []string { return append([]string(nil), p.names...) }

// Pipeline is what runs on a shader of one stage: a tree of steps with all
// conditions but those on the shader's facts decided. It is immutable and may
// be run by several goroutines at once.
type Pipeline struct {
	Name  string
	steps []step
	slots int
	env   condEnv
	has   map[string]bool // pass names, for checking options
	hooks []string        // those that it has
}

// step is one entry of a resolved pipeline: a pass, a hook, a loop or a condition. Those of a list stand in a row, and
// what most of them need no more than stands first: a run goes over some two hundred, and they were a thirtieth of what it fetched.
type step struct {
	ctx        *Context
	looks      ir.Contents // the pass's For with its options
	slot       int         // the same for steps with equal pass and options
	withstands Change      // the pass's

	loop bool
	hook string
	cond *cond
	body []step
	els  []step
	max  int
	line int
}

// defaultMax bounds the turns of a loop that does not say.
const defaultMax = 64

// Resolve returns the pipeline of a target for shaders of a stage. An unknown
// target is an error.
func (p *Pipelines) Resolve(target string, level Level, stage ir.Stage) (*Pipeline, error) {
	l := p.list(target)
	if l == nil || l.kind != pipelineList {
		return nil, fmt.Errorf("%s: no pipeline %q (have %s)", p.name, target, strings.Join(p.names, ", "))
	}
	return l.resolve(condEnv{target: target, level: level, stage: stage}), nil
}

func (l *list) resolve(env condEnv) *Pipeline {
	if out := l.known(&env); out != nil {
		return out
	}
	r := resolver{env: env, keys: map[string]int{}}
	out := &Pipeline{Name: l.name, env: env, has: map[string]bool{}}
	out.steps = r.items(l.items, out)
	out.slots = len(r.keys)
	return l.keep(out)
}

// resolver turns items into steps.
type resolver struct {
	env  condEnv
	keys map[string]int
}

// items returns the steps of a list, in a row that does not grow: to copy it whenever it did touched forty new pages at the first compile.
func (r *resolver) items(items []*item, p *Pipeline) []step {
	return r.append(make([]step, 0, rowOf(items)), items, p)
}

// rowOf is how many steps of a list stand in a row at most.
func rowOf(items []*item) (n int) {
	for _, it := range items {
		switch {
		case it.use != nil:
			n += rowOf(it.use.items)
		case it.cond != nil:
			n += max(1, rowOf(it.body), rowOf(it.els))
		default:
			n++
		}
	}
	return n
}

// append appends the steps of items.
func (r *resolver) append(out []step, items []*item, p *Pipeline) []step {
	for _, it := range items {
		switch {
		case it.use != nil:
			out = r.append(out, it.use.items, p)
		case it.pass != nil:
			out = append(out, r.pass(it, p))
		case it.hook != "":
			p.hooks = append(p.hooks, it.hook)
			out = append(out, step{line: it.line, hook: it.hook})
		case it.loop:
			if body := r.items(it.body, p); len(body) > 0 {
				out = append(out, step{line: it.line, loop: true, max: it.max, body: body})
			}
		case it.cond != nil:
			switch c, known := it.cond.partial(&r.env); {
			case known && c:
				out = r.append(out, it.body, p)
			case known:
				out = r.append(out, it.els, p)
			default:
				out = append(out, step{line: it.line, cond: it.cond, body: r.items(it.body, p), els: r.items(it.els, p)})
			}
		}
	}
	return out
}

func (r *resolver) pass(it *item, p *Pipeline) step {
	key := it.pass.Describe()
	slot, ok := r.keys[key]
	if !ok {
		slot = len(r.keys)
		r.keys[key] = slot
	}
	p.has[it.pass.pass.Name] = true
	return stepOf(it.pass, slot, it.line)
}

// stepOf is the step that runs a pass.
func stepOf(c *Context, slot, line int) step {
	return step{ctx: c, looks: c.looks(), slot: slot, withstands: c.pass.Withstands, line: line}
}

// Passes returns the pipeline's passes in order, loops and conditions
// flattened, as name(option=value,…) with the options that differ from their defaults.
func (p *Pipeline) Passes() []string {
	var out []string
	walkSteps(p.steps, func(s *step) { out = append(out, s.ctx.Describe()) })
	return out
}

// PassesWith is Passes with what runs at hooks.
func (p *Pipeline) PassesWith(h *Hooks) (out []string) {
	var walk func(steps []step)
	walk = func(steps []step) {
		for i := range steps {
			s := &steps[i]
			switch {
			case s.ctx != nil:
				out = append(out, s.ctx.Describe())
			case s.hook != "":
				out = append(out, h.Passes(s.hook)...)
			}
			walk(s.body)
			walk(s.els)
		}
	}
	walk(p.steps)
	return out
}

// Has reports whether the pipeline contains the pass.
func (p *Pipeline) Has(pass string) bool { return p.has[pass] }

func walkSteps(steps []step, f func(*step)) {
	for i := range steps {
		s := &steps[i]
		if s.ctx != nil {
			f(s)
			continue
		}
		walkSteps(s.body, f)
		walkSteps(s.els, f)
	}
}

// Describe returns the pass with those options that differ from their defaults.
func (c *Context) Describe() string {
	var opts []string
	for i, o := range c.pass.Options {
		if c.args[i] != o.Default {
			opts = append(opts, fmt.Sprintf("%s=%v", o.Name, c.args[i]))
		}
	}
	if len(opts) == 0 {
		return c.pass.Name
	}
	return c.pass.Name + "(" + strings.Join(opts, ",") + ")"
}

// Uses lists by name of a pass who runs it: pipelines, lists of code generators, and "state" for what hooks run, each once in the
// file's order.
func (p *Pipelines) Uses() map[string][]string {
	uses := map[string][]string{}
	note := func(pass, by string) {
		if !slices.Contains(uses[pass], by) {
			uses[pass] = append(uses[pass], by)
		}
	}
	var walk func(items []*item, by string)
	walk = func(items []*item, by string) {
		for _, it := range items {
			if it.pass != nil {
				note(it.pass.pass.Name, by)
			}
			if it.use != nil {
				walk(it.use.items, by)
			}
			walk(it.body, by)
			walk(it.els, by)
		}
	}
	for _, name := range append(p.Targets(), p.CodegenLists()...) {
		walk(p.list(name).items, name)
	}
	for _, pass := range HookPasses() {
		note(pass, "state")
	}
	return uses
}
