package passes

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// RunOptions are the switches of a compile that look into its steps. The zero
// value runs everything and looks at nothing.
type RunOptions struct {
	// DumpBefore and DumpAfter name passes or machine steps; "all" is every one.
	DumpBefore, DumpAfter []string
	// PrintChanged dumps after each step that changed something.
	PrintChanged bool
	// Dump receives a dump; title is "before NAME" or "after NAME".
	Dump func(title, text string)
	// Times collects the time of each pass if not nil.
	Times *Times
	// VerifyEach validates the shader after each pass and tests what the pass
	// said about progress and metadata.
	VerifyEach bool
	// Bisect limits the optional steps that run, if not nil.
	Bisect *BisectLimit
	// BisectLog is told of each step that Bisect counts, the optional ones without
	// it: its number from 1 and whether it ran.
	BisectLog func(n int, name string, ran bool)
	// Disable names optional steps to leave out.
	Disable []string
	// StartBefore and StopAfter cut the pipeline: "NAME" or "NAME:K" for its
	// K-th run, counted from 1. Steps outside are left out.
	StartBefore, StopAfter string
	// RuleHits counts firings of algebraic rules by rule number if not nil.
	RuleHits []uint32
}

// NamesSteps reports whether a switch names passes or machine steps.
func (o *RunOptions) NamesSteps() bool {
	return len(o.DumpBefore)+len(o.DumpAfter)+len(o.Disable) > 0 || o.StartBefore != "" || o.StopAfter != ""
}

// BisectLimit runs the first Runs optional steps, and of the last of them only
// the first Rewrites rewrites unless that is negative.
type BisectLimit struct {
	Runs, Rewrites int
	// Every counts all steps and not only the optional ones: what is left can
	// be executed by the interpreter, but hardly be compiled further.
	Every bool
}

// ParseBisect reads "N" or "N.M".
func ParseBisect(text string) (*BisectLimit, error) {
	runs, rew, ok := strings.Cut(text, ".")
	b := &BisectLimit{Rewrites: -1}
	var err error
	if b.Runs, err = strconv.Atoi(runs); err == nil && ok {
		b.Rewrites, err = strconv.Atoi(rew)
	}
	if err != nil || b.Runs < 0 || ok && b.Rewrites < 0 {
		return nil, fmt.Errorf("bisect limit %q: want N or N.M", text)
	}
	return b, nil
}

// Times collects the time that steps took.
type Times struct {
	// Steps are in order of their first run.
	Steps []StepTime
	// Clock is what is read before and after a step, if not nil, in place of the
	// time of day: the CPU time of a thread, say.
	Clock func() time.Duration
	// Loops are the pipeline's loops, the outermost ones, in order of their first
	// run, with all that runs in them.
	Loops []LoopTime
	// OnlyLoops leaves Steps empty: reading a clock costs more than a short step.
	OnlyLoops bool
}

// watch starts to time a step; what it returns tells the time since.
func (t *Times) watch() func() time.Duration {
	if t.Clock == nil {
		start := time.Now()
		return func() time.Duration { return time.Since(start) }
	}
	start := t.Clock()
	return func() time.Duration { return t.Clock() - start }
}

// LoopTime is the time of all runs of one loop of a pipeline.
type LoopTime struct {
	// Line is where the loop stands in the pipeline's file.
	Line int
	Time time.Duration
}

// InLoops is the time of all loops.
func (t *Times) InLoops() (sum time.Duration) {
	for _, l := range t.Loops {
		sum += l.Time
	}
	return sum
}

func (t *Times) addLoop(line int, d time.Duration) {
	for i := range t.Loops {
		if t.Loops[i].Line == line {
			t.Loops[i].Time += d
			return
		}
	}
	t.Loops = append(t.Loops, LoopTime{line, d})
}

// StepTime is the time of all runs of one step, without that of the steps
// inside it.
type StepTime struct {
	Name string
	Runs int
	// Changes counts the runs that changed something.
	Changes int
	Time    time.Duration
}

func (t *Times) add(name string, changed bool, d time.Duration) {
	for i := range t.Steps {
		if t.Steps[i].Name == name {
			t.Steps[i].count(changed, d)
			return
		}
	}
	t.Steps = append(t.Steps, StepTime{Name: name})
	t.Steps[len(t.Steps)-1].count(changed, d)
}

func (s *StepTime) count(changed bool, d time.Duration) {
	s.Runs++
	s.Time += d
	if changed {
		s.Changes++
	}
}

// Merge adds the times of another compile.
func (t *Times) Merge(u *Times) {
	for _, l := range u.Loops {
		t.addLoop(l.Line, l.Time)
	}
	for _, s := range u.Steps {
		t.add(s.Name, false, 0)
		for i := range t.Steps {
			if d := &t.Steps[i]; d.Name == s.Name {
				d.Runs += s.Runs - 1
				d.Changes += s.Changes
				d.Time += s.Time
			}
		}
	}
}

// Instrument applies RunOptions to the steps of one compile: IR passes and the
// machine steps of a backend share its counters. A nil Instrument runs
// everything. It belongs to one goroutine.
type Instrument struct {
	opt     RunOptions
	on      bool // any switch is set
	started bool
	stopped bool
	seen    []nameCount // runs of the names in StartBefore and StopAfter
	runs    int         // counted steps so far
	left    int         // rewrites left to the running step, -1 all
	ctx     context.Context
	running string // the innermost step that began and has not ended well
	// inner is the time of the steps that ended inside the running one.
	inner time.Duration
}

type nameCount struct {
	name string
	n    int
}

// NewInstrument returns the instrument of one compile.
func NewInstrument(opt RunOptions) *Instrument {
	i := new(Instrument)
	i.Set(opt)
	return i
}

// Set makes i the instrument of one compile.
func (i *Instrument) Set(opt RunOptions) {
	*i = Instrument{opt: opt, started: opt.StartBefore == "", left: -1}
	i.on = len(opt.DumpBefore)+len(opt.DumpAfter)+len(opt.Disable) > 0 || opt.PrintChanged || opt.Times != nil ||
		opt.VerifyEach || opt.Bisect != nil || opt.BisectLog != nil || opt.StartBefore != "" || opt.StopAfter != ""
}

// Step is one named step of a compile.
type Step struct {
	Name string
	// Optional steps are counted and cut by bisection, and may be disabled.
	Optional bool
	// Print returns the state as text for dumps; nil if there is none.
	Print func() string
	// Verify, if not nil, checks the state after the step under VerifyEach.
	Verify func(changed bool) error
	// Run does the work and reports whether anything changed.
	Run func() (changed bool, err error)
}

// VerifyEach reports whether steps are to check their results.
func (i *Instrument) VerifyEach() bool { return i != nil && i.opt.VerifyEach }

// Rewrite reports whether the running step may do its next rewrite.
func (i *Instrument) Rewrite() bool {
	if i == nil || i.left < 0 {
		return true
	}
	if i.left == 0 {
		return false
	}
	i.left--
	return true
}

// Begin starts a part of the compile: its steps end when ctx does.
func (i *Instrument) Begin(ctx context.Context) { i.ctx, i.running = ctx, "" }

// Running names the innermost step that is running. After a step that failed or
// panicked it is that one; "" outside of steps.
func (i *Instrument) Running() string {
	if i == nil {
		return ""
	}
	return i.running
}

// Do runs a step under the switches. The error is the step's, or that of the
// context, which is looked at before each step.
func (i *Instrument) Do(s *Step) (changed bool, err error) {
	if i == nil {
		return s.Run()
	}
	outer, err := i.Enter(s.Name)
	if err != nil {
		return false, err
	}
	if changed, err = i.do(s); err == nil {
		i.Leave(outer)
	}
	return changed, err
}

// Plain reports whether no switch is set: a step then needs only Enter before it and Leave after it.
func (i *Instrument) Plain() bool { return i == nil || !i.on }

// Enter begins a step and returns the one around it. The error is the context's.
func (i *Instrument) Enter(name string) (outer string, err error) {
	if i == nil {
		return "", nil
	}
	if i.ctx != nil {
		if err := i.ctx.Err(); err != nil {
			return "", err
		}
	}
	outer, i.running = i.running, name
	return outer, nil
}

// Leave ends a step that ended well.
func (i *Instrument) Leave(outer string) {
	if i != nil {
		i.running = outer
	}
}

func (i *Instrument) do(s *Step) (changed bool, err error) {
	if !i.on {
		return s.Run()
	}
	if !i.admit(s) {
		return false, nil
	}
	i.dump("before ", s, i.opt.DumpBefore)
	changed, err = i.timed(s)
	i.left = -1
	if err != nil {
		return changed, err
	}
	if i.opt.PrintChanged && changed && s.Print != nil && i.opt.Dump != nil {
		i.opt.Dump("after "+s.Name, s.Print())
	} else {
		i.dump("after ", s, i.opt.DumpAfter)
	}
	if i.opt.VerifyEach && s.Verify != nil {
		err = s.Verify(changed)
	}
	return changed, err
}

func (i *Instrument) timed(s *Step) (bool, error) {
	if i.opt.Times == nil || i.opt.Times.OnlyLoops {
		return s.Run()
	}
	outer := i.inner
	i.inner = 0
	since := i.opt.Times.watch()
	changed, err := s.Run()
	d := since()
	i.opt.Times.add(s.Name, changed, d-i.inner)
	i.inner = outer + d
	return changed, err
}

// admit decides whether a step runs, and counts it.
func (i *Instrument) admit(s *Step) bool {
	if !i.started && i.reached(i.opt.StartBefore, s.Name) {
		i.started = true
	}
	if !i.started || i.stopped {
		return false
	}
	if i.opt.StopAfter != "" && i.reached(i.opt.StopAfter, s.Name) {
		i.stopped = true
	}
	if s.Optional && listed(i.opt.Disable, s.Name) {
		return false
	}
	every := i.opt.Bisect != nil && i.opt.Bisect.Every
	return !s.Optional && !every || i.bisect(s)
}

// Missed names the cut, StartBefore or StopAfter, that the steps so far have
// not reached; "" if there is none.
func (i *Instrument) Missed() string {
	switch {
	case i == nil:
	case !i.started:
		return i.opt.StartBefore
	case !i.stopped:
		return i.opt.StopAfter
	}
	return ""
}

// bisect counts a step against the limit.
func (i *Instrument) bisect(s *Step) bool {
	i.runs++
	ran := true
	if b := i.opt.Bisect; b != nil {
		ran = i.runs <= b.Runs
		if i.runs == b.Runs && b.Rewrites >= 0 {
			i.left = b.Rewrites
		}
	}
	if i.opt.BisectLog != nil {
		i.opt.BisectLog(i.runs, s.Name, ran)
	}
	return ran
}

// reached counts a run of name towards "name:k" and reports whether it is the k-th.
func (i *Instrument) reached(at, name string) bool {
	want, k, ok := strings.Cut(at, ":")
	if want != name {
		return false
	}
	n := 1
	if ok {
		if v, err := strconv.Atoi(k); err == nil {
			n = v
		}
	}
	for j := range i.seen {
		if i.seen[j].name == at {
			i.seen[j].n++
			return i.seen[j].n == n
		}
	}
	i.seen = append(i.seen, nameCount{at, 1})
	return n == 1
}

func (i *Instrument) dump(when string, s *Step, names []string) {
	if i.opt.Dump != nil && s.Print != nil && listed(names, s.Name) {
		i.opt.Dump(when+s.Name, s.Print())
	}
}

// listed reports whether names holds name or "all".
func listed(names []string, name string) bool {
	for _, n := range names {
		if n == name || n == "all" {
			return true
		}
	}
	return false
}
