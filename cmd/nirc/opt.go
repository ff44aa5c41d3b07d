package main

import (
	"context"

	"nirc"
	"nirc/ir"

	"github.com/spf13/cobra"
)

const optLong = `Run passes on a shader and print it as IR text. The input is IR text, SPIR-V or GLSL; of a module
with several entry points --entry and --stage choose one. Of several targets all are printed.

--passes takes names separated by commas, with options and loops:
    nirc opt --passes 'lower_vars_to_ssa,loop(opt_copy_prop,opt_cse,opt_dce)' shader.nir
--passes '' parses and prints. Without --passes the target's pipeline runs; -t ir runs the passes
that all targets share.`

// optCommand is nirc opt.
type optCommand struct {
	*app
	shared
}

func (a *app) opt() *cobra.Command {
	c := &optCommand{app: a}
	cmd := &cobra.Command{Use: "opt FILE|-", Short: "Run passes on IR text", Long: optLong, Args: cobra.ExactArgs(1), RunE: c.run}
	f := cmd.Flags()
	c.declare(f, compileFlags, watchFlags)
	c.declareOutput(f, "-", "write to this `FILE`, or - for standard output")
	return cmd
}

func (c *optCommand) run(cmd *cobra.Command, args []string) error {
	if err := c.settle(c.app); err != nil {
		return err
	}
	devices := c.devices()
	if len(devices) > 1 && c.output != "-" {
		return nirc.Usagef("-o %s is one file, but there are %d outputs", c.output, len(devices))
	}
	o := c.base
	m, err := c.shader(cmd.Context(), args[0], &o)
	if err != nil {
		return err
	}
	if m.SPIRV != nil { // IR text may be worked on in place
		if err := checkOverwrite(c.output, args[0]); err != nil {
			return err
		}
	}
	var text []byte
	for _, d := range devices {
		o.Target, o.GPU = d.target, d.gpu
		if err := c.device(cmd.Context(), m, o, &text); err != nil {
			return err
		}
	}
	return c.writeFile(c.output, text)
}

// device runs the passes of one target, and appends the shader's text.
func (c *optCommand) device(ctx context.Context, m *nirc.Module, o nirc.Options, text *[]byte) error {
	shown := c.err
	if c.output != "-" {
		shown = c.out
	}
	t := c.attach(&o, o.File, shown)
	u, err := nirc.New(o)
	if err != nil {
		return err
	}
	t.unit = u
	if err := u.Translate(ctx, m); err != nil {
		return err
	}
	if err := u.Optimize(ctx); err != nil {
		return err
	}
	if t.times != nil {
		writeTimes(shown, t.times)
	}
	warnings, err := c.finish(t, o.File)
	c.report.diagnostics(warnings)
	*text = append(*text, ir.PrintWith(u.Shader, ir.PrintOptions{CFG: c.cfg, Locs: c.debug})...)
	return err
}

// shader reads the module and puts the choice of its one shader into the options.
func (c *optCommand) shader(ctx context.Context, path string, o *nirc.Options) (*nirc.Module, error) {
	m, err := nirc.LoadFile(ctx, path, c.loadOptions(c.app))
	if err != nil {
		return nil, err
	}
	list, err := variants(m, &input{path: path}, c.entry, c.stage, c.spec)
	if err != nil {
		return nil, err
	}
	if len(list) > 1 {
		return nil, nirc.Usagef("%s has %d entry points: choose %s", path, len(list), entryList(list))
	}
	o.File, o.Entry, o.Stage, o.Spec = path, list[0].Name, list[0].Stage, list[0].spec
	return m, nil
}
