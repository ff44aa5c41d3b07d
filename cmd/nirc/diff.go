package main

import (
	"strings"

	"nirc"
	"nirc/internal/costs"
	"nirc/internal/figures"

	"github.com/spf13/cobra"
)

const diffLong = `Compare two outputs of %s: for each figure the totals, what changed, and the shaders that were
helped and hurt, the greatest change first.

--fail-on 'NAME>N' or 'NAME>N%%' is a gate: the exit code is 1 if the figure got worse by more than N, of any shader or in total
(total:NAME>N, shader:NAME>N: only there). What got better never fails; which way is better, nirc stats --explain NAME says.
Under a gate a shader that stopped compiling fails too. --format markdown is for the comment of a pull request.`

// diffCommand is nirc stats diff and nirc cost diff.
type diffCommand struct {
	*app
	format  string
	asJSON  bool
	n       int
	columns []string
	failOn  []string
	read    func(data []byte) (*figures.Set, error)
}

// diff makes the command; source is the command whose outputs it compares.
func (a *app) diff(source string, read func(data []byte) (*figures.Set, error)) *cobra.Command {
	c := &diffCommand{app: a, read: read}
	cmd := &cobra.Command{Use: "diff BEFORE.json AFTER.json", Short: "Compare two outputs of " + source, Args: cobra.ExactArgs(2),
		Long: strings.ReplaceAll(strings.Replace(diffLong, "%s", source, 1), "%%", "%"), RunE: func(_ *cobra.Command, args []string) error { return c.run(args) }}
	f := cmd.Flags()
	f.StringVar(&c.format, "format", "table", "table, json or markdown")
	f.BoolVar(&c.asJSON, "json", false, "write JSON")
	f.IntVar(&c.n, "worst", 5, "list `N` shaders of each kind")
	f.StringSliceVar(&c.columns, "columns", nil, "only these `FIGURES`")
	f.StringArrayVar(&c.failOn, "fail-on", nil, "`'NAME>N[%]'`: exit with 1 if the figure got worse by more")
	return cmd
}

func (c *diffCommand) run(args []string) error {
	if c.asJSON {
		c.format = "json"
	}
	var gates []figures.Gate
	for _, text := range c.failOn {
		g, err := figures.ParseGate(text)
		if err != nil {
			return nirc.Usagef("--fail-on %s", err)
		}
		gates = append(gates, g)
	}
	for _, n := range c.columns {
		if figures.Find(n) == nil {
			return nirc.Usagef("--columns: no figure %q", n)
		}
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
	d.Keep(c.columns)
	var err error
	switch c.format {
	case "table":
		err = ioError(d.Write(c.out, c.n))
	case "markdown":
		err = ioError(d.WriteMarkdown(c.out, c.n, closed))
	case "json":
		err = c.writeJSON(struct {
			*figures.Diff
			Closed []string `json:"gate_closed,omitempty"`
		}{d, closed})
	default:
		return nirc.Usagef("--format %s: want table, json or markdown", c.format)
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

// statsDiff is nirc stats diff, costDiff nirc cost diff.
func (a *app) statsDiff() *cobra.Command {
	return a.diff("nirc stats --format json", figures.Read)
}

func (a *app) costDiff() *cobra.Command {
	return a.diff("nirc cost --format nirc", costs.ReadFigures)
}
