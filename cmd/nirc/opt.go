package main

import (
	"context"

	"nirc"
	"nirc/ir"

	"github.com/spf13/cobra"
)

const optLong = `Run passes on a shader and print it as IR text. The input is IR text, SPIR-V or GLSL; of a module with
several entry points --entry and --stage choose one.

--passes takes names separated by commas, with options and loops:
    nirc opt --passes 'lower_vars_to_ssa,loop(opt_copy_prop,opt_cse,opt_dce)' shader.nir
--passes '' parses and prints. Without --passes the target's pipeline runs.`

// optCommand is nirc opt.
type optCommand struct {
	*app
	runFlags
	output, entry, stage string
	env                  string
	spec                 []string
	locs                 bool
}

func (a *app) opt() *cobra.Command {
	c := &optCommand{app: a}
	cmd := &cobra.Command{Use: "opt FILE|-", Short: "Run passes on IR text", Long: optLong, Args: cobra.ExactArgs(1), RunE: c.run}
	f := cmd.Flags()
	c.targetFlags(f, nirc.IRTarget, "`TARGET` whose pipeline and wishes hold, or ir for those that all share")
	c.levelFlag(f, "2")
	c.passFlags(f)
	f.StringVarP(&c.output, "output", "o", "-", "write to this `FILE`, or - for standard output")
	shaderFlags(f, &c.entry, &c.stage, &c.spec)
	envFlag(f, &c.env)
	f.BoolVarP(&c.locs, "debug", "g", false, "keep source lines in the text")
	return cmd
}

func (c *optCommand) run(cmd *cobra.Command, args []string) error {
	o, err := c.options(c.target)
	if err != nil {
		return err
	}
	m, err := c.shader(cmd.Context(), args[0], &o)
	if err != nil {
		return err
	}
	if m.SPIRV != nil { // IR text may be worked on in place
		if err := checkOverwrite(c.output, args[0]); err != nil {
			return err
		}
	}
	shown := c.err
	if c.output != "-" {
		shown = c.out
	}
	t := c.attach(&o, args[0], shown)
	u, err := nirc.New(o)
	if err != nil {
		return err
	}
	t.unit = u
	if err := u.Translate(cmd.Context(), m); err != nil {
		return err
	}
	if err := u.Optimize(cmd.Context()); err != nil {
		return err
	}
	if t.times != nil {
		writeTimes(shown, t.times)
	}
	warnings, err := c.finish(t, args[0])
	c.report.diagnostics(warnings)
	if err != nil {
		return err
	}
	return c.writeFile(c.output, []byte(ir.PrintWith(u.Shader, ir.PrintOptions{CFG: c.cfg, Locs: c.locs})))
}

// shader reads the module and puts the choice of its one shader into the options.
func (c *optCommand) shader(ctx context.Context, path string, o *nirc.Options) (*nirc.Module, error) {
	stage, err := parseStage(c.stage)
	if err != nil {
		return nil, err
	}
	m, err := nirc.LoadFile(ctx, path, nirc.FileOptions{Stdin: c.in, Stage: stage, Debug: c.locs, Env: c.env})
	if err != nil {
		return nil, err
	}
	list, err := variants(m, &input{path: path}, c.entry, stage, c.spec)
	if err != nil {
		return nil, err
	}
	if len(list) > 1 {
		return nil, nirc.Usagef("%s has %d entry points: choose %s", path, len(list), entryList(list))
	}
	o.File, o.Debug, o.Entry, o.Stage, o.Spec = path, c.locs, list[0].Name, list[0].Stage, list[0].spec
	return m, nil
}
