package main

import (
	"nirc"
	"nirc/ir"

	"github.com/spf13/cobra"
)

const reflectLong = `Print the interface of shaders: inputs, outputs, resources with the members of their blocks, push
constants with offsets, specialization constants with types and defaults, the workgroup size.

The arguments are files, directories, patterns and databases, as of nirc compile. Types are the IR's: vec4f32 is four 32-bit floats. +16 is a byte offset. Of several entry points
all are shown unless --entry or --stage choose. --json writes one document, a list of shaders.`

func (a *app) reflect() *cobra.Command {
	var (
		asJSON       bool
		entry, stage string
		env          string
		spec         []string
	)
	cmd := &cobra.Command{Use: "reflect FILE|DIR…", Short: "Print the interface of shaders", Long: reflectLong, Args: cobra.MinimumNArgs(1)}
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "write JSON")
	shaderFlags(f, &entry, &stage, &spec)
	envFlag(f, &env)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		st, err := parseStage(stage)
		if err != nil {
			return err
		}
		list := []*nirc.Interface{}
		inputs, err := a.expandInputs(args)
		if err != nil {
			return err
		}
		for i := range inputs {
			m, err := a.load(cmd.Context(), &inputs[i], nirc.FileOptions{Stdin: a.in, Stage: st, Debug: true, Env: env})
			if err != nil {
				return err
			}
			more, err := interfaces(cmd, m, entry, st, spec)
			if err != nil {
				return err
			}
			list = append(list, more...)
		}
		if asJSON {
			return a.writeJSON(list)
		}
		for i, x := range list {
			if i > 0 {
				if _, err := a.out.Write([]byte("\n")); err != nil {
					return ioError(err)
				}
			}
			if err := writeInterface(a.out, x); err != nil {
				return ioError(err)
			}
		}
		return nil
	}
	return cmd
}

// interfaces describes the chosen shaders of a module.
func interfaces(cmd *cobra.Command, m *nirc.Module, entry string, stage ir.Stage, spec []string) ([]*nirc.Interface, error) {
	entries, err := m.Select(entry, stage)
	if err != nil {
		return nil, err
	}
	o := nirc.Options{File: m.Name, Target: nirc.IRTarget}
	for _, text := range spec {
		v, err := m.Spec(text)
		if err != nil {
			return nil, err
		}
		o.Spec = append(o.Spec, v)
	}
	var list []*nirc.Interface
	for _, e := range entries {
		o.Entry, o.Stage = e.Name, e.Stage
		x, err := m.Interface(cmd.Context(), o)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}
