package main

import (
	"errors"

	"nirc"
	"nirc/internal/costs"

	"github.com/spf13/cobra"
)

const costLong = `Say what shaders cost, by the model of docs/cost.md: cycles of each pipe in total, on the shortest and on the
longest path of an invocation, what bounds them, occupancy and what limits it, properties, and hints that
follow from the figures. Nothing is measured: the figures are modelled from the machine code.

The arguments are files, directories, patterns and databases, as of nirc compile, and objects that it wrote (FILE.o), whose
loops have trips that nobody knows. A longest path through a loop of unknown trips is N/A (null in JSON), never a guess.

--lines annotates the source by the module's debug information (else the words of its SPIR-V): each instruction counts once, so
the sum over the lines is the total. A call that was inlined counts where the callee's line is.

--format json writes the schema "performance" of Arm's Mali Offline Compiler, so that scripts made for it read it: GPUs of
midgard are called Mali-T880 and so on. --format nirc writes all that is known, in a schema of nirc's own.`

// costCommand is nirc cost.
type costCommand struct {
	measureFlags
	format    string
	keepGoing bool
	lines     bool
	sort      string
}

func (a *app) cost() *cobra.Command {
	c := &costCommand{measureFlags: measureFlags{app: a}}
	cmd := &cobra.Command{Use: "cost FILE|DIR…", Short: "Say what shaders cost, by a model", Long: costLong, Args: cobra.MinimumNArgs(1), RunE: c.run}
	f := cmd.Flags()
	c.flags(f, "all")
	f.StringVar(&c.format, "format", "table", "table, json (as malioc writes it) or nirc")
	f.BoolVar(&c.lines, "lines", false, "by line of the source: instructions, cycles, share, stalls, registers live; targets beside each other")
	f.StringVar(&c.sort, "sort", "source", "order of --lines: source, or cycles (the dearest first)")
	cmd.AddCommand(a.costDiff())
	f.BoolVar(&c.keepGoing, "keep-going", true, "go on after a shader that does not compile")
	return cmd
}

func (c *costCommand) run(cmd *cobra.Command, args []string) error {
	switch c.format {
	case "table", "json", "nirc":
	default:
		return nirc.Usagef("--format %s: want table, json or nirc", c.format)
	}
	if c.sort != "source" && c.sort != "cycles" {
		return nirc.Usagef("--sort %s: want source or cycles", c.sort)
	}
	if c.lines && c.format == "json" {
		return nirc.Usagef("--format json: malioc's schema has no place for lines; --format nirc has")
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
	if err := c.write(list); err != nil {
		return err
	}
	return errors.Join(all...)
}

// write writes what was measured.
func (c *costCommand) write(list []*costs.Shader) error {
	switch c.format {
	case "json":
		b, err := costs.Malioc(list)
		if err == nil {
			_, err = c.out.Write(b)
		}
		return ioError(err)
	case "nirc":
		return c.writeJSON(costs.NewSet(c.level, list))
	}
	if c.lines {
		return ioError(costs.WriteLines(c.out, list, c.sort == "cycles"))
	}
	return ioError(costs.WriteText(c.out, list))
}
