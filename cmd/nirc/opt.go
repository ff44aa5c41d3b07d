package main

import (
	"nirc"
	"nirc/ir"

	"github.com/spf13/cobra"
)

const optLong = `Run passes on a shader and print it as IR text. The input is IR text, SPIR-V or GLSL.

--passes takes names separated by commas, with options and loops:
    nirc opt --passes 'lower_vars_to_ssa,loop(opt_copy_prop,opt_cse,opt_dce)' shader.nir
--passes '' parses and prints. Without --passes the target's pipeline runs.`

func (a *app) opt() *cobra.Command {
	var (
		r      runFlags
		output string
		locs   bool
	)
	cmd := &cobra.Command{Use: "opt FILE|-", Short: "Run passes on IR text", Long: optLong, Args: cobra.ExactArgs(1)}
	f := cmd.Flags()
	r.targetFlags(f, nirc.IRTarget, "`TARGET` whose pipeline and wishes hold, or ir for those that all share")
	r.levelFlag(f, "2")
	r.passFlags(f)
	f.StringVarP(&output, "output", "o", "-", "write to this `FILE`, or - for standard output")
	f.BoolVarP(&locs, "debug", "g", false, "keep source lines in the text")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o, err := r.options(r.target)
		if err != nil {
			return err
		}
		m, err := nirc.LoadFile(cmd.Context(), args[0], nirc.FileOptions{Stdin: a.in, Debug: locs})
		if err != nil {
			return err
		}
		o.Debug, o.File = locs, args[0]
		shown := a.err
		if output != "-" {
			shown = a.out
		}
		t := r.attach(&o, args[0], shown)
		u, err := nirc.New(o)
		if err != nil {
			return err
		}
		if err := u.Translate(cmd.Context(), m); err != nil {
			return err
		}
		if err := u.Optimize(cmd.Context()); err != nil {
			return err
		}
		if t.times != nil {
			writeTimes(shown, t.times)
		}
		warnings, err := r.finish(t, args[0])
		a.report.diagnostics(warnings)
		if err != nil {
			return err
		}
		return a.writeFile(output, []byte(ir.PrintWith(u.Shader, ir.PrintOptions{CFG: r.cfg, Locs: locs})))
	}
	return cmd
}
