package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"nirc"
	"nirc/ir"
	"nirc/passes"
)

// dumps reports whether a flag asks to see something on the way.
func (r *shared) dumps() bool {
	return len(r.dumpBefore)+len(r.dumpAfter) > 0 || r.printChanged || r.timePasses
}

// runLevel is the optimisation of shaders that are run: the interpreter runs the IR as the frontend made it, unless -O is given.
func (r *shared) runLevel(target string) string {
	if target == nirc.IRTarget && !r.set.Changed("opt-level") {
		return "0"
	}
	return r.level
}

// runOptions are the options for shaders that are run on a device.
func (r *shared) runOptions(d device) (nirc.Options, error) {
	o := r.base
	o.Target, o.GPU = d.target, d.gpu
	var err error
	o.Level, err = passes.ParseLevel("O" + r.runLevel(d.target))
	return o, err
}

// options turns the flags into options. target is one target's name.
func (r *shared) options(target string) (nirc.Options, error) {
	o := nirc.Options{Target: target, PrintCFG: r.cfg, DispatchBase: r.dispatchBase, SampleShading: r.sampleShading, Multiview: r.multiview, Points: r.points, SafeConsts: r.safeConsts, HardFaults: r.hardFaults}
	var err error
	if r.robust != "" { // of commands that have the flag
		if o.Robust, err = ir.ParseRobust(r.robust); err != nil {
			return o, nirc.Usagef("--robust %s", err)
		}
	}
	o.LocalMemory = r.localMemory
	if o.WorkgroupSize, err = parseWorkgroupSize(r.workgroupSize); err != nil {
		return o, err
	}
	if o.Uniforms, err = parseUniforms(r.uniforms); err != nil {
		return o, nirc.Usagef("--inline-uniform %s", err)
	}
	if o.Layout, err = readLayout(r.layoutFile); err != nil {
		return o, err
	}
	if o.Level, err = passes.ParseLevel("O" + r.level); err != nil {
		return o, nirc.Usagef("-O%s: %s", r.level, err)
	}
	if r.set.Changed("passes") {
		if r.pipeline != "" {
			return o, nirc.Usagef("--passes and --pipeline exclude each other")
		}
		if o.Passes, err = passes.ParsePassList(r.passes); err != nil {
			return o, nirc.Usagef("%s", err)
		}
	}
	if r.pipeline != "" {
		text, err := readFile(r.pipeline)
		if err != nil {
			return o, err
		}
		if o.Pipelines, err = passes.Load(text, r.pipeline); err != nil {
			return o, nirc.Usagef("%s", err)
		}
	}
	o.Run = passes.RunOptions{DumpBefore: r.dumpBefore, DumpAfter: r.dumpAfter, PrintChanged: r.printChanged, VerifyEach: r.verify,
		Disable: r.disable, StartBefore: r.startBefore, StopAfter: r.stopAt}
	if r.bisect != "" {
		if o.Run.Bisect, err = passes.ParseBisect(r.bisect); err != nil {
			return o, nirc.Usagef("%s", err)
		}
	}
	return o, nil
}

// readLayout reads --layout; none is nil.
func readLayout(file string) (*nirc.Layout, error) {
	if file == "" {
		return nil, nil
	}
	text, err := readFile(file)
	if err != nil {
		return nil, err
	}
	return nirc.ReadLayout(file, text)
}

// readState reads --state where that is no input that settle reads.
func readState(file string) (*nirc.State, error) {
	text, err := readFile(file)
	if err != nil {
		return nil, err
	}
	return nirc.ReadState(file, text)
}

// watch is what one unit tells on its way.
type watch struct {
	w     io.Writer
	times *passes.Times
	seen  []string // names of the steps that were dumped
	unit  *nirc.Unit
}

// attach makes the options write dumps, times and bisection to w. head stands
// in the heading of each dump.
func (r *shared) attach(o *nirc.Options, head string, w io.Writer) *watch {
	t := &watch{w: w}
	if len(r.dumpBefore)+len(r.dumpAfter) > 0 || r.printChanged {
		o.Run.Dump = func(title, text string) {
			t.seen = append(t.seen, title)
			fmt.Fprintf(w, "// %s: %s\n%s", head, title, text)
		}
	}
	if r.timePasses {
		t.times = &passes.Times{}
		o.Run.Times = t.times
	}
	if r.bisect != "" {
		o.Run.BisectLog = func(n int, name string, ran bool) {
			did := "run"
			if !ran {
				did = "not run"
			}
			fmt.Fprintf(w, "bisect: %d %s: %s\n", n, name, did)
		}
	}
	return t
}

// finish tells which of the dumps that were asked for have not come. A pass
// that has not run is worth a warning; a name that is neither a pass nor a step that
// ran is misspelt.
func (r *shared) finish(t *watch, file string) (warnings nirc.Diagnostics, err error) {
	var errs []error
	for _, q := range []struct {
		flag, when string
		names      []string
	}{{"dump-before", "before ", r.dumpBefore}, {"dump-after", "after ", r.dumpAfter}} {
		for _, n := range q.names {
			switch {
			case n == "all" || slices.Contains(t.seen, q.when+n):
			case n == "translate" || passes.Find(n) != nil || machineStep(n) != "":
				warnings = append(warnings, nirc.Diagnostic{File: file, Severity: nirc.SeverityWarning, Msg: fmt.Sprintf("--%s: %s has not run", q.flag, n)})
			default:
				errs = append(errs, nirc.Usagef("--%s: no pass or step %q%s has run", q.flag, n, passes.Suggest(n, append(passNames(), t.steps()...))))
			}
		}
	}
	if t.unit != nil && t.unit.Missed() != "" {
		flag, what := "start-before", "nothing has run"
		if n := t.unit.Missed(); n != r.startBefore || n == r.stopAt {
			flag, what = "stop-after", "all has run"
		}
		warnings = append(warnings, nirc.Diagnostic{File: file, Severity: nirc.SeverityWarning, Msg: fmt.Sprintf("--%s: %s has not run: %s", flag, t.unit.Missed(), what)})
	}
	return warnings, errors.Join(errs...)
}

// steps are the names of the steps that were dumped.
func (t *watch) steps() []string {
	var list []string
	for _, n := range t.seen {
		list = append(list, n[strings.IndexByte(n, ' ')+1:])
	}
	return list
}

// passNames lists the passes.
func passNames() []string {
	var list []string
	for _, p := range passes.Registry() {
		list = append(list, p.Name)
	}
	return list
}

// onlyPasses reports whether all dumps asked for are of the IR.
func (r *shared) onlyPasses() bool {
	for _, n := range append(slices.Clone(r.dumpBefore), r.dumpAfter...) {
		if n != "translate" && passes.Find(n) == nil {
			return false
		}
	}
	return !r.printChanged && !r.timePasses
}

// writeTimes writes the table of --time-passes.
func writeTimes(w io.Writer, t *passes.Times) {
	var sum time.Duration
	for _, s := range t.Steps {
		sum += s.Time
	}
	fmt.Fprintf(w, "%12s %6s %5s %7s  %s\n", "time", "share", "runs", "changes", "pass")
	for _, s := range t.Steps {
		fmt.Fprintf(w, "%12s %5.1f%% %5d %7d  %s\n", s.Time, 100*float64(s.Time)/float64(max(sum, 1)), s.Runs, s.Changes, s.Name)
	}
	fmt.Fprintf(w, "%12s %5.1f%% %5s %7s  in loops of the pipeline\n", t.InLoops(), 100*float64(t.InLoops())/float64(max(sum, 1)), "", "")
	fmt.Fprintf(w, "%12s %6s %5s %7s  total\n", sum, "", "", "")
}

// machineStep returns the name of the machine step, of any target, that a name with or without the number
// of a run stands for; "" if there is none.
func machineStep(name string) string {
	name, _, _ = strings.Cut(name, ":")
	for _, t := range nirc.Targets() {
		for _, s := range t.Steps {
			if s.Name == name {
				return name
			}
		}
	}
	return ""
}
