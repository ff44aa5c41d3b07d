package main

import (
	"errors"

	"nirc"
	"nirc/internal/costs"
	"nirc/internal/figures"

	"github.com/spf13/cobra"
)

const costLong = `Say what shaders cost, by the model of docs/cost.md: cycles of each pipe in total, on the shortest
and on the longest path of an invocation, what bounds them, occupancy and what limits it,
properties, and hints that follow from the figures. Nothing is measured: the figures are modelled
from the machine code.

The arguments are files, directories, patterns and databases, as of nirc compile, and objects that
it wrote (FILE.o), whose loops have trips that nobody knows. A longest path through a loop of
unknown trips is N/A (null in JSON), never a guess.

--lines annotates the source by the module's debug information (else the words of its SPIR-V):
each instruction counts once, so the sum over the lines is the total. A call that was inlined
counts where the callee's line is.

--json writes the schema "performance" of Arm's Mali Offline Compiler, so that scripts made for it
read it unchanged (GPUs of midgard are called Mali-T880 and so on). Its member nirc has all that is
known, the lines of --lines among it, in a schema of nirc's own (docs/schemas).`

// costCommand is nirc cost.
type costCommand struct {
	measureFlags
	lines bool
	sort  string
}

func (a *app) cost() *cobra.Command {
	c := &costCommand{measureFlags: measureFlags{app: a}}
	cmd := &cobra.Command{Use: "cost FILE|DIR…", Short: "Say what shaders cost, by a model", Long: costLong, Args: cobra.MinimumNArgs(1), RunE: c.run}
	f := cmd.Flags()
	c.flags(f)
	c.declare(f, reportFlags)
	f.BoolVar(&c.lines, "lines", false, "by line of the source: instructions, cycles, share, stalls, registers live; targets beside each other")
	f.StringVar(&c.sort, "sort", "source", "order of --lines: source, or cycles (the dearest first)")
	f.Lookup("sort").Value = checked{f.Lookup("sort").Value, choice("source", "cycles")}
	cmd.AddCommand(a.costDiff())
	return cmd
}

func (c *costCommand) run(cmd *cobra.Command, args []string) error {
	form, err := c.form()
	switch {
	case err != nil:
		return err
	case c.lines && form == "csv":
		return nirc.Usagef("--lines: CSV has no place for lines; --json has")
	}
	if err := c.setup(); err != nil {
		return err
	}
	var (
		all  []error
		list []*costs.Shader
	)
	if err := c.each(cmd.Context(), args, func(some []measured) bool {
		for i := range some {
			if c.lines {
				some[i].AddLines()
			}
			list = append(list, some[i].Shader)
		}
		all = append(all, c.tell(some)...)
		return len(all) == 0 || c.keepGoing
	}); err != nil {
		return err
	}
	if err := c.write(form, list); err != nil {
		return err
	}
	return errors.Join(all...)
}

// write writes what was measured.
func (c *costCommand) write(form string, list []*costs.Shader) error {
	set := costs.NewSet(c.level, list)
	switch {
	case form == "json":
		return c.writeJSON(set.Report())
	case form != "table":
		return ioError(set.Figures().WriteStream(c.out, figures.NewLayout(form, costFigures, c.targets, false)))
	case c.lines:
		return ioError(costs.WriteLines(c.out, list, c.sort == "cycles"))
	}
	return ioError(costs.WriteText(c.out, list))
}

// costFigures are the columns of CSV and Markdown.
var costFigures = []string{"total cycles", "shortest cycles", "longest cycles", "stall cycles", "weighed cycles", "inst", "regs", "spills", "fills", "waves", "threads"}
