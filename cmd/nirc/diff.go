package main

import (
	"io"
	"slices"
	"strings"

	"nirc"
	"nirc/internal/costs"
	"nirc/internal/figures"

	"github.com/spf13/cobra"
)

const diffLong = `Compare two outputs of %s: for each figure the totals, what changed, and the
shaders that were helped and hurt, the greatest change first.

--fail-on 'NAME>N' or 'NAME>N%%' is a gate: the exit code is 1 if the figure got worse by more than
N, of any shader or in total (total:NAME>N, shader:NAME>N: only there). What got better never
fails; which way is better, nirc stats --explain NAME says. Under a gate a shader that stopped
compiling fails too. --format markdown is for the comment of a pull request.`

// diffCommand is nirc stats diff and nirc cost diff.
type diffCommand struct {
	*app
	shared
	kind string
	read func(data []byte) (*figures.Set, error)
}

// diff makes the command; source is the command whose outputs it compares.
func (a *app) diff(source string, read func(data []byte) (*figures.Set, error)) *cobra.Command {
	c := &diffCommand{app: a, read: read, kind: source + " diff"}
	long := strings.ReplaceAll(strings.Replace(diffLong, "%s", source+" --json", 1), "%%", "%")
	cmd := &cobra.Command{Use: "diff BEFORE.json AFTER.json", Short: "Compare two outputs of " + source + " --json", Args: cobra.ExactArgs(2), Long: long, RunE: func(_ *cobra.Command, args []string) error { return c.run(args) }}
	f := cmd.Flags()
	c.declare(f, reportFlags, []string{"columns", "worst", "fail-on"})
	return cmd
}

// diffReport is the JSON document.
type diffReport struct {
	head
	*figures.Diff
	Closed []string `json:"gate_closed,omitempty"`
}

func (c *diffCommand) run(args []string) error {
	form, err := c.form()
	if err != nil {
		return err
	}
	var gates []figures.Gate
	for _, text := range c.failOn {
		g, err := figures.ParseGate(text)
		if err != nil {
			return nirc.Usagef("--fail-on %s", err)
		}
		gates = append(gates, g)
	}
	var sets [2]*figures.Set
	for i, path := range args {
		data, err := c.app.read(path)
		if err != nil {
			return err
		}
		if sets[i], err = c.read(data); err != nil {
			return placed(nirc.Diagnose(err, path, ""))
		}
	}
	d := figures.NewDiff(sets[0], sets[1])
	closed := d.Closed(gates)
	if !slices.Contains(c.columns, "all") {
		d.Keep(c.columns)
	}
	if form == "markdown" {
		err = ioError(d.WriteMarkdown(c.out, c.worst, closed))
	} else {
		err = c.present(&c.shared, diffReport{head{1, c.kind}, d, closed}, diffSheet(d), func(w io.Writer) error { return d.Write(w, c.worst) })
	}
	if err != nil || len(closed) == 0 {
		return err
	}
	var list nirc.Diagnostics
	for _, r := range closed {
		list = append(list, nirc.Diagnostic{Msg: "the gate is closed: " + r})
	}
	return list
}

// diffSheet has a row a figure.
func diffSheet(d *figures.Diff) *sheet {
	t := &sheet{columns: []string{"figure", "before", "after", "affected_before", "affected_after", "helped", "hurt"}}
	for i := range d.Columns {
		x := &d.Columns[i]
		t.add(x.Name, x.Before, x.After, x.AffectedBefore, x.AffectedAfter, len(x.Helped), len(x.Hurt))
	}
	return t
}

// statsDiff is nirc stats diff, costDiff nirc cost diff.
func (a *app) statsDiff() *cobra.Command { return a.diff("nirc stats", figures.Read) }

func (a *app) costDiff() *cobra.Command { return a.diff("nirc cost", costs.ReadFigures) }
