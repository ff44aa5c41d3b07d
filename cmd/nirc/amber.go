package main

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/annotate"
	"nirc/internal/exec"

	"github.com/spf13/cobra"
)

const amberLong = `Run AmberScript and VkScript tests: their shaders are compiled for the target and run on its
software core (ir: on the IR interpreter). Directories are searched for *.amber, *.vkscript and
*.shader_test files.

One line a script: "PASS path", "FAIL path: why" or "SKIP path: why", then a summary. The exit
code is 1 if any script fails. PASS says in brackets which expectations hold only because Amber
lets a TOLERANCE of 1 cover all colours; --strict fails them. --report junit=FILE writes the
outcomes for CI systems.

--layout script compiles and runs each pipeline with the layout of what the script binds to it, as
Amber does.`

type amberCommand struct {
	*app
	shared
	strict  bool
	link    bool
	folders bool
	doc     amberReport
	// scriptLayouts: each pipeline has the layout of what its script binds.
	scriptLayouts bool
}

func (a *app) amber() *cobra.Command {
	c := &amberCommand{app: a}
	cmd := &cobra.Command{Use: "amber FILE|DIR…", Short: "Run AmberScript tests on a software core", Long: amberLong, Args: cobra.MinimumNArgs(1), RunE: c.run}
	f := cmd.Flags()
	c.declare(f, targetFlags, choiceFlags, []string{"abi"}, []string{"jobs"}, coreFlags, countFlags, reportFlags)
	f.BoolVar(&c.folders, "folders", false, "before the summary, show figures of each folder and what was skipped why")
	f.BoolVar(&c.link, "link", false, "compile the stages of each graphics pipeline together")
	f.BoolVar(&c.strict, "strict", false, "count absolute tolerances of colours in 255ths, as colours are; Amber's count of 1 is the whole range")
	return cmd
}

func (c *amberCommand) run(cmd *cobra.Command, args []string) error {
	form, err := c.form()
	if err != nil {
		return err
	}
	if c.folders && form != "table" {
		return nirc.Usagef("--folders is for --format table: %s has each script's path and reason", form)
	}
	if c.scriptLayouts = c.layoutFile == "script"; c.scriptLayouts {
		c.layoutFile = ""
	}
	if err := c.settle(c.app); err != nil {
		return err
	}
	devices := c.devices()
	if err := c.profile.check(devices); err != nil {
		return err
	}
	defer useProcessors(c.jobs)()
	paths, err := scripts(args)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return nirc.Usagef("no *.amber, *.vkscript or *.shader_test file in %s", strings.Join(args, ", "))
	}
	c.doc = amberReport{head: head{1, "nirc amber"}, Scripts: []scriptResult{}, Summary: []batchSummary{}}
	bar := c.progress(len(paths) * len(devices))
	defer bar.close()
	failed := false
	for _, d := range devices {
		fail, err := c.device(cmd.Context(), d, paths, form, len(devices) > 1, bar)
		failed = failed || fail
		if err != nil {
			return err
		}
	}
	bar.close()
	if form != "table" {
		if err := c.present(&c.shared, c.doc, c.doc.sheet(), nil); err != nil {
			return err
		}
	}
	if failed {
		// The lines above say all.
		return errReported{nirc.Diagnostics{{Msg: "scripts failed"}}}
	}
	return nil
}

// device runs the scripts on one device, and reports whether one failed.
func (c *amberCommand) device(ctx context.Context, d device, paths []string, form string, many bool, bar *progress) (failed bool, err error) {
	o, err := c.runOptions(d)
	if err != nil {
		return false, err
	}
	ctx, err = c.profile.start(ctx, &o)
	if err != nil {
		return false, err
	}
	target, err := exec.AmberTarget(o)
	if err != nil {
		return false, err
	}
	if many && form == "table" {
		if _, err := fmt.Fprintf(c.out, "%s:\n", d); err != nil {
			return false, ioError(err)
		}
	}
	b := &amberBatch{amberCommand: c, device: d, form: form, bar: bar, suite: annotate.Suite{Name: d.String()}}
	b.Batch = amber.Batch{Runner: &amber.Runner{Target: target, Strict: c.strict, Link: c.link, Limits: c.limits(), Layout: o.Layout, ScriptLayouts: c.scriptLayouts}, Timeout: c.timeout}
	err = b.run(ctx, paths)
	c.report.suites = append(c.report.suites, b.suite)
	if err != nil {
		return false, err
	}
	return b.sum.Fail > 0, c.profile.finish(ctx, c.app)
}

// amberReport is the JSON document.
type amberReport struct {
	head
	Scripts []scriptResult `json:"scripts"`
	Summary []batchSummary `json:"summary"`
}

// scriptResult is what became of a script on one device.
type scriptResult struct {
	Path    string `json:"path"`
	Target  string `json:"target"`
	GPU     string `json:"gpu,omitempty"`
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
	Line    int    `json:"line,omitempty"`
	Checked int    `json:"checked"`
	// Notes are the expectations that check nothing as Amber counts tolerances.
	Notes []amber.Note `json:"notes,omitempty"`
}

// batchSummary counts the scripts of a device, and the expectations that were checked.
type batchSummary struct {
	Target  string `json:"target"`
	GPU     string `json:"gpu,omitempty"`
	Scripts int    `json:"scripts"`
	Pass    int    `json:"pass"`
	Fail    int    `json:"fail"`
	Skip    int    `json:"skip"`
	Checked int    `json:"checked"`
}

func (r *amberReport) sheet() *sheet {
	t := &sheet{columns: []string{"path", "target", "gpu", "verdict", "line", "checked", "reason"}}
	for i := range r.Scripts {
		s := &r.Scripts[i]
		t.add(s.Path, s.Target, s.GPU, s.Verdict, s.Line, s.Checked, s.Reason)
	}
	return t
}

// amberBatch is the run of the scripts on one device.
type amberBatch struct {
	*amberCommand
	amber.Batch
	device device
	form   string
	bar    *progress
	sum    amber.Summary
	tally  tallies
	suite  annotate.Suite // for --report junit=FILE
}

// run runs the scripts; their lines are written as they come.
func (b *amberBatch) run(ctx context.Context, paths []string) (failed error) {
	ordered(len(paths), b.jobs, 1, func(i int) amber.Result { return b.RunFile(ctx, paths[i]) }, func(i int, r amber.Result) bool {
		if ctx.Err() != nil {
			return false // the scripts that were under way have no verdict
		}
		b.sum.Add(r)
		b.suite.Tests = append(b.suite.Tests, testOf(paths[i], &r))
		if b.folders {
			b.tally.add(paths[i], r)
		}
		if b.form == "table" {
			failed = ioError(amber.WriteResult(b.out, paths[i], r))
		} else {
			b.doc.Scripts = append(b.doc.Scripts, scriptResult{paths[i], b.device.target, b.device.gpu, r.Verdict.String(), r.Reason, r.Line, r.Checked, r.Notes})
		}
		b.bar.step()
		return failed == nil
	})
	if failed == nil && b.folders {
		failed = ioError(b.tally.write(b.out))
	}
	if failed == nil && b.form == "table" {
		failed = ioError(b.sum.Write(b.out))
	}
	s := &b.sum
	b.doc.Summary = append(b.doc.Summary, batchSummary{b.device.target, b.device.gpu, s.Pass + s.Fail + s.Skip, s.Pass, s.Fail, s.Skip, s.Checked})
	if failed == nil {
		failed = ctx.Err()
	}
	return failed
}

// testOf is the outcome of a script as a test.
func testOf(path string, r *amber.Result) annotate.Test {
	t := annotate.Test{Name: filepath.ToSlash(path), Line: r.Line}
	switch why := cmp.Or(r.Reason, r.Verdict.String()); r.Verdict {
	case amber.Fail:
		t.Failed = why
	case amber.Skip:
		t.Skipped = why
	}
	return t
}

// scripts lists the scripts that the arguments name: files as they are,
// directories with all scripts below, sorted.
func scripts(args []string) ([]string, error) {
	var paths []string
	for _, arg := range args {
		var found []string
		err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && (path == arg || isScript(path)) {
				found = append(found, path)
			}
			return err
		})
		if err != nil {
			return nil, &nirc.IOError{Err: err}
		}
		sort.Strings(found)
		paths = append(paths, found...)
	}
	return paths, nil
}

// isScript reports by its name whether a file is a script.
func isScript(path string) bool {
	switch filepath.Ext(path) {
	case ".amber", ".vkscript", ".shader_test":
		return true
	}
	return false
}
