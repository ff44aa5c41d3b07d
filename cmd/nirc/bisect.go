package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"nirc"
	"nirc/internal/bisect"

	"github.com/spf13/cobra"
)

const bisectLong = `Find the pass that makes a script fail, and the first of its rewrites that does.

The interpreter runs the script's shaders after fewer and fewer of the target's passes; if they
are right there with all passes, the target's core runs them with ever fewer of the steps that may
be left out. Of a pass that counts its rewrites the first wrong one is named. --dump shows the
shader without and with it.

The exit code is 0 if a culprit is found, 1 if the script does not fail, or fails without any
pass.`

type bisectCommand struct {
	*app
	shared
	dump bool
}

func (a *app) bisectScript() *cobra.Command {
	c := &bisectCommand{app: a}
	cmd := &cobra.Command{Use: "bisect SCRIPT", Short: "Find the pass and rewrite that make a script fail", Long: bisectLong, Args: cobra.ExactArgs(1), RunE: c.run}
	f := cmd.Flags()
	c.declare(f, targetFlags, choiceFlags, []string{"abi"}, coreFlags, reportFlags)
	f.BoolVar(&c.dump, "dump", false, "write the shader before and after the culprit")
	return cmd
}

// bisectReport is the JSON document.
type bisectReport struct {
	head
	Script   string           `json:"script"`
	Culprits []bisectedDevice `json:"culprits"`
}

// bisectedDevice is what was found for one target and GPU.
type bisectedDevice struct {
	Target string `json:"target"`
	GPU    string `json:"gpu,omitempty"`
	*bisect.Culprit
}

func (c *bisectCommand) run(cmd *cobra.Command, args []string) error {
	if err := c.settle(c.app); err != nil {
		return err
	}
	paths, err := scripts(args)
	if err != nil {
		return err
	}
	if len(paths) != 1 || paths[0] != args[0] {
		return nirc.Usagef("%s: want one script", args[0])
	}
	doc := bisectReport{head{1, "nirc bisect"}, args[0], []bisectedDevice{}}
	text, t := "", &sheet{columns: []string{"target", "gpu", "stage", "entry", "judge", "step", "run", "steps", "rewrite", "line", "reason"}}
	var failed []error
	for _, d := range c.devices() {
		o := c.base
		o.Target, o.GPU = d.target, d.gpu
		b := bisect.Bisection{Options: o, Timeout: c.timeout, Dumps: c.dump, Limits: c.limits()}
		found, err := c.script(cmd.Context(), &b, args[0])
		if err != nil {
			failed = append(failed, err)
			continue
		}
		doc.Culprits = append(doc.Culprits, bisectedDevice{d.target, d.gpu, found})
		t.add(d.target, d.gpu, found.Stage, found.Entry, found.Judge, found.Step, found.Run, found.Steps, found.Rewrite, found.Line, found.Reason)
		text += culpritText(args[0], found)
	}
	if len(doc.Culprits) > 0 || len(failed) == 0 {
		err = c.present(&c.shared, doc, t, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	}
	return errors.Join(append(failed, err)...)
}

// script bisects on one device; a bar counts the runs of the script.
func (c *bisectCommand) script(ctx context.Context, b *bisect.Bisection, path string) (*bisect.Culprit, error) {
	bar := c.progress(0)
	defer bar.close()
	b.Tried = bar.step
	return b.Script(ctx, path)
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
