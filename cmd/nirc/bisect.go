package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"nirc"
	"nirc/internal/bisect"

	"github.com/spf13/cobra"
)

const bisectLong = `Find the pass that makes a script fail, and the first of its rewrites that does.

The interpreter runs the script's shaders after fewer and fewer of the target's passes; if they are right
there with all passes, the target's core runs them with ever fewer of the steps that may be
left out. Of a pass that counts its rewrites the first wrong one is named. --dump shows the shader without
and with it.

The exit code is 0 if a culprit is found, 1 if the script does not fail, or fails without any pass.`

type bisectCommand struct {
	*app
	runFlags
	json, dump bool
	limits     checkFlags
	timeout    time.Duration
}

func (a *app) bisectScript() *cobra.Command {
	c := &bisectCommand{app: a}
	cmd := &cobra.Command{Use: "bisect SCRIPT", Short: "Find the pass and rewrite that make a script fail", Long: bisectLong, Args: cobra.ExactArgs(1), RunE: c.run}
	f := cmd.Flags()
	c.targetFlags(f, nirc.IRTarget, "`TARGET`: ir, or one of nirc targets")
	c.levelFlag(f, "2")
	c.choiceFlags(f)
	f.BoolVar(&c.dump, "dump", false, "write the shader before and after the culprit")
	f.BoolVar(&c.json, "json", false, "write one JSON object")
	c.limits.flags(f)
	f.DurationVar(&c.timeout, "timeout", time.Minute, "time for each run of the script, 0 for no limit")
	return cmd
}

func (c *bisectCommand) run(cmd *cobra.Command, args []string) error {
	o, err := c.options(c.target)
	if err != nil {
		return err
	}
	paths, err := scripts(args)
	if err != nil {
		return err
	}
	if len(paths) != 1 || paths[0] != args[0] {
		return nirc.Usagef("%s: want one script", args[0])
	}
	b := bisect.Bisection{Options: o, Timeout: c.timeout, Dumps: c.dump,
		Limits: c.limits.limits()}
	found, err := b.Script(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	if c.json {
		err = json.NewEncoder(c.out).Encode(found)
	} else {
		_, err = c.out.Write([]byte(culpritText(args[0], found)))
	}
	if err != nil {
		return &nirc.IOError{Err: err}
	}
	return nil
}

// culpritText is the report for people.
func culpritText(path string, c *bisect.Culprit) string {
	var w strings.Builder
	judge := "the interpreter"
	if c.Judge != nirc.IRTarget {
		judge = c.Judge + "'s core"
	}
	where := ""
	if c.Line > 0 {
		where = fmt.Sprintf("line %d: ", c.Line)
	}
	fmt.Fprintf(&w, "FAIL %s: %s%s\n", path, where, strings.Join(strings.Fields(c.Reason), " "))
	fmt.Fprintf(&w, "%s shader %s (%d of %d), judged by %s\n", c.Stage, c.Entry, c.Shader, c.Shaders, judge)
	fmt.Fprintf(&w, "step %d of %d turns PASS into FAIL: %s\n", c.Run, c.Steps, c.Step)
	if c.Since < c.Run {
		fmt.Fprintf(&w, "steps %d to %d cannot be told apart: the shader does not run between them\n", c.Since, c.Run)
	}
	if c.Rewrite > 0 {
		fmt.Fprintf(&w, "rewrite %d of it does\n", c.Rewrite)
	}
	if c.Before+c.After != "" {
		fmt.Fprintf(&w, "// before %s\n%s// after %s\n%s", c.Step, c.Before, c.Step, c.After)
	}
	return w.String()
}
