package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"nirc"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/passes"

	"github.com/spf13/pflag"
)

// runFlags are the flags about passes, which compile, opt and amber share.
type runFlags struct {
	target, gpu, level    string
	dumpBefore, dumpAfter []string
	printChanged, cfg     bool
	timePasses, verify    bool
	bisect                string
	passes, pipeline      string
	disable               []string
	startBefore, stopAt   string
	dispatchBase          bool

	set *pflag.FlagSet
}

// targetFlags adds the choice of the target.
func (r *runFlags) targetFlags(f *pflag.FlagSet, target, help string) {
	f.StringVarP(&r.target, "target", "t", target, help)
	f.StringVar(&r.gpu, "gpu", "", "`GPU` of the target (see nirc targets; default: its first)")
}

// levelFlag adds -O.
func (r *runFlags) levelFlag(f *pflag.FlagSet, level string) {
	f.StringVarP(&r.level, "opt-level", "O", level, "optimisation `LEVEL`: 0, 1, 2 or s")
}

// choiceFlags adds the choice of passes.
func (r *runFlags) choiceFlags(f *pflag.FlagSet) {
	r.set = f
	f.BoolVar(&r.verify, "verify-each", false, "check the shader after each pass")
	f.StringVar(&r.passes, "passes", "", "run these `PASSES` and not the pipeline: a,b(opt=1),loop(c,d)")
	f.StringVar(&r.pipeline, "pipeline", "", "read the pipeline from this `FILE`")
	f.BoolVar(&r.dispatchBase, "dispatch-base", false, "compile for pipelines of vkCmdDispatchBase: workgroup ids count from a base")
	f.StringSliceVar(&r.disable, "disable-pass", nil, "leave out these optional `PASSES`")
}

// passFlags adds the choice of passes and what shows them at work.
func (r *runFlags) passFlags(f *pflag.FlagSet) {
	r.choiceFlags(f)
	f.StringSliceVar(&r.dumpBefore, "dump-before", nil, "dump the shader before these `PASSES`, or all")
	f.StringSliceVar(&r.dumpAfter, "dump-after", nil, "dump the shader after these `PASSES`, or all")
	f.BoolVar(&r.printChanged, "print-changed", false, "dump the shader after each pass that changed it")
	f.BoolVar(&r.cfg, "print-cfg", false, "show predecessors and successors of blocks in the IR's text")
	f.BoolVar(&r.timePasses, "time-passes", false, "tell how long each pass took")
	f.StringVar(&r.bisect, "bisect-limit", "", "run only the first `N[.M]` optional passes (and M rewrites of the last)")
	f.StringVar(&r.startBefore, "start-before", "", "leave out what stands before `PASS[:K]` (its K-th run)")
	f.StringVar(&r.stopAt, "stop-after", "", "leave out what comes after `PASS[:K]`")
}

// shaderFlags adds the choice of a module's shaders and their specialization.
func shaderFlags(f *pflag.FlagSet, entry, stage *string, spec *[]string) {
	f.StringVar(entry, "entry", "", "`NAME` of the entry point (default: all)")
	f.StringVar(stage, "stage", "", "`STAGE` of the entry point, or of GLSL from standard input")
	f.StringArrayVar(spec, "spec", nil, "`ID=VALUE` (or NAME=VALUE) of a specialization constant, read by the constant's type")
}

// envFlag adds the target environment.
func envFlag(f *pflag.FlagSet, env *string) {
	f.StringVar(env, "target-env", "", "`ENV` that modules are for, as of glslc (vulkan1.0 … vulkan1.3) and spirv-as (spv1.0 … spv1.6): GLSL is compiled for it, modules of a later SPIR-V are refused")
}

// checkFlags say how merciless the emulator is.
type checkFlags struct {
	lenient bool
	seed    uint64
}

func (c *checkFlags) flags(f *pflag.FlagSet) {
	f.BoolVar(&c.lenient, "lenient", false, "memory, registers and outputs start as zeros, waves run in order, and what hardware would punish passes")
	f.Uint64Var(&c.seed, "seed", 1, "`N` chooses the garbage that unwritten memory, registers and outputs hold, and the order of waves and workgroups")
}

func (c *checkFlags) limits() emu.Limits { return emu.Limits{Check: !c.lenient, Seed: c.seed} }

// jobsFlag adds -j; checkJobs looks at it.
func jobsFlag(f *pflag.FlagSet, jobs *int, what string) {
	f.IntVarP(jobs, "jobs", "j", runtime.GOMAXPROCS(0), "`N` "+what+" at a time, on N processors at most")
}

// abiFlag adds --abi for one of two; checkABI looks at it.
func abiFlag(f *pflag.FlagSet, abi *string) {
	f.StringVar(abi, "abi", "", "calling convention where the target has several: monolithic or separate")
}

// dumps reports whether a flag asks to see something on the way.
func (r *runFlags) dumps() bool {
	return len(r.dumpBefore)+len(r.dumpAfter) > 0 || r.printChanged || r.timePasses
}

// runOptions are the options for shaders that are run: -O stands at 2 unless
// given, or at 0 for the IR, which is run as the frontend made it.
func (r *runFlags) runOptions() (nirc.Options, error) {
	if r.level == "" {
		r.level = "2"
		if r.target == nirc.IRTarget {
			r.level = "0"
		}
	}
	return r.options(r.target)
}

// options turns the flags into options. target is one target's name.
func (r *runFlags) options(target string) (nirc.Options, error) {
	o := nirc.Options{Target: target, GPU: r.gpu, PrintCFG: r.cfg, DispatchBase: r.dispatchBase}
	var err error
	if o.Level, err = passes.ParseLevel("O" + r.level); err != nil {
		return o, nirc.Usagef("-O%s: %s", r.level, err)
	}
	if r.set != nil && r.set.Changed("passes") {
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

// watch is what one unit tells on its way.
type watch struct {
	w     io.Writer
	times *passes.Times
	seen  []string // names of the steps that were dumped
	unit  *nirc.Unit
}

// attach makes the options write dumps, times and bisection to w. head stands
// in the heading of each dump.
func (r *runFlags) attach(o *nirc.Options, head string, w io.Writer) *watch {
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
func (r *runFlags) finish(t *watch, file string) (warnings nirc.Diagnostics, err error) {
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
func (r *runFlags) onlyPasses() bool {
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

// parseStage reads --stage: a stage's name, or the extension of its GLSL.
func parseStage(name string) (ir.Stage, error) {
	if name == "" {
		return ir.StageNone, nil
	}
	if s := ir.ParseStage(name); s != ir.StageNone {
		return s, nil
	}
	if s := ir.StageOfSuffix(name); s != ir.StageNone {
		return s, nil
	}
	return ir.StageNone, nirc.Usagef("no stage %q (have vertex, tess_ctrl, tess_eval, geometry, fragment, compute)", name)
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
