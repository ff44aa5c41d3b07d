package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/exec"

	"github.com/spf13/cobra"
)

const amberLong = `Run AmberScript and VkScript tests: their shaders are compiled for the target and run on its software
core (ir: on the IR interpreter). Directories are searched for *.amber, *.vkscript and *.shader_test files.

One line a script: "PASS path", "FAIL path: why" or "SKIP path: why", then a summary. The exit code
is 1 if any script fails. PASS says in brackets which expectations hold only because Amber lets a TOLERANCE of 1
cover all colours; --strict fails them.`

type amberCommand struct {
	*app
	runFlags
	jobs    int
	json    bool
	limits  checkFlags
	strict  bool
	folders bool
	abi     string
	timeout time.Duration
	profile profileFlags
}

func (a *app) amber() *cobra.Command {
	c := &amberCommand{app: a}
	cmd := &cobra.Command{Use: "amber FILE|DIR…", Short: "Run AmberScript tests on a software core", Long: amberLong, Args: cobra.MinimumNArgs(1), RunE: c.run}
	f := cmd.Flags()
	c.targetFlags(f, nirc.IRTarget, "`TARGET`: ir, or one of nirc targets")
	c.levelFlag(f, "")
	c.choiceFlags(f)
	jobsFlag(f, &c.jobs, "scripts")
	abiFlag(f, &c.abi)
	f.BoolVar(&c.json, "json", false, "write one JSON object a script, the summary last")
	f.BoolVar(&c.folders, "folders", false, "before the summary, show figures of each folder and what was skipped why")
	c.limits.flags(f)
	f.BoolVar(&c.strict, "strict", false, "count absolute tolerances of colours in 255ths, as colours are; Amber's count of 1 is the whole range")
	f.DurationVar(&c.timeout, "timeout", 2*time.Minute, "time for each script, 0 for no limit")
	c.profile.flags(f)
	return cmd
}

func (c *amberCommand) run(cmd *cobra.Command, args []string) error {
	o, err := c.runOptions()
	if err != nil {
		return err
	}
	if err := checkJobs(c.jobs); err != nil {
		return err
	}
	defer useProcessors(c.jobs)()
	if c.folders && c.json {
		return nirc.Usagef("--folders is for text: --json gives each script's path and reason")
	}
	if err := checkABI(c.abi); err != nil {
		return err
	}
	o.ABI = c.abi
	ctx, err := c.profile.start(cmd.Context(), &o)
	if err != nil {
		return err
	}
	target, err := exec.AmberTarget(o)
	if err != nil {
		return err
	}
	paths, err := scripts(args)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return nirc.Usagef("no *.amber, *.vkscript or *.shader_test file in %s", strings.Join(args, ", "))
	}
	runner := &amber.Runner{Target: target, Strict: c.strict, Limits: c.limits.limits()}
	batch := &amber.Batch{Runner: runner, Timeout: c.timeout}
	err = c.batch(ctx, batch, paths)
	if ctx.Err() != nil {
		return err
	}
	return errors.Join(err, c.profile.finish(ctx, c.app))
}

// batch runs the scripts and writes their results.
func (c *amberCommand) batch(ctx context.Context, b *amber.Batch, paths []string) error {
	var (
		sum    amber.Summary
		tally  tallies
		failed error
	)
	ordered(len(paths), c.jobs, 1, func(i int) amber.Result { return b.RunFile(ctx, paths[i]) }, func(i int, r amber.Result) bool {
		if ctx.Err() != nil {
			return false // the scripts that were under way have no verdict
		}
		sum.Add(r)
		if c.folders {
			tally.add(paths[i], r)
		}
		failed = ioError(c.result(paths[i], r))
		return failed == nil
	})
	if failed == nil && c.folders {
		if err := tally.write(c.out); err != nil {
			failed = &nirc.IOError{Err: err}
		}
	}
	if failed == nil {
		failed = c.summary(&sum)
	}
	if failed == nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if failed == nil && sum.Fail > 0 {
		// The lines above say all.
		return errReported{nirc.Diagnostics{{Msg: "scripts failed"}}}
	}
	return failed
}

// scriptResult is a line of --json.
type scriptResult struct {
	Path    string `json:"path"`
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
	Line    int    `json:"line,omitempty"`
	Checked int    `json:"checked"`
	// Notes are the expectations that check nothing as Amber counts tolerances.
	Notes []amber.Note `json:"notes,omitempty"`
}

func (c *amberCommand) result(path string, r amber.Result) error {
	if !c.json {
		return amber.WriteResult(c.out, path, r)
	}
	return json.NewEncoder(c.out).Encode(scriptResult{path, r.Verdict.String(), r.Reason, r.Line, r.Checked, r.Notes})
}

// batchSummary is the last line of --json.
type batchSummary struct {
	Scripts int `json:"scripts"`
	Pass    int `json:"pass"`
	Fail    int `json:"fail"`
	Skip    int `json:"skip"`
	Checked int `json:"checked"`
}

func (c *amberCommand) summary(s *amber.Summary) error {
	var err error
	if c.json {
		err = json.NewEncoder(c.out).Encode(batchSummary{s.Pass + s.Fail + s.Skip, s.Pass, s.Fail, s.Skip, s.Checked})
	} else {
		err = s.Write(c.out)
	}
	if err != nil {
		return &nirc.IOError{Err: err}
	}
	return nil
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

// isScript tells by its name whether a file is a script.
func isScript(path string) bool {
	switch filepath.Ext(path) {
	case ".amber", ".vkscript", ".shader_test":
		return true
	}
	return false
}
