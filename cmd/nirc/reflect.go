package main

import (
	"io"

	"nirc"

	"github.com/spf13/cobra"
)

const reflectLong = `Print the interface of shaders: inputs, outputs, resources with the members of their blocks, push
constants with offsets, specialization constants with types and defaults, the workgroup size.

The arguments are files, directories, patterns and databases, as of nirc compile. Types are the
IR's: vec4f32 is four 32-bit floats. +16 is a byte offset. Of several entry points all are shown
unless --entry or --stage choose. --json writes one document.

With --layout, what a shader uses and the pipeline's layout does not have is an error.`

// reflectReport is the JSON document.
type reflectReport struct {
	head
	Shaders []*nirc.Interface `json:"shaders"`
}

func (a *app) reflect() *cobra.Command {
	s := &shared{}
	cmd := &cobra.Command{Use: "reflect FILE|DIR…", Short: "Print the interface of shaders", Long: reflectLong, Args: cobra.MinimumNArgs(1)}
	s.declare(cmd.Flags(), frontFlags, []string{"layout"}, reportFlags)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s.stage, s.debug = stageOf(s.stageName), true
		doc := reflectReport{head{1, "nirc reflect"}, []*nirc.Interface{}}
		inputs, err := a.expandInputs(args)
		if err != nil {
			return err
		}
		for i := range inputs {
			m, err := a.load(cmd.Context(), &inputs[i], s.loadOptions(a))
			if err != nil {
				return err
			}
			more, err := interfaces(cmd, m, s)
			if err != nil {
				return err
			}
			doc.Shaders = append(doc.Shaders, more...)
		}
		return a.present(s, doc, interfaceSheet(doc.Shaders), func(w io.Writer) error { return writeInterfaces(w, doc.Shaders) })
	}
	return cmd
}

// writeInterfaces writes them for people, a blank line between.
func writeInterfaces(w io.Writer, list []*nirc.Interface) error {
	for i, x := range list {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if err := writeInterface(w, x); err != nil {
			return err
		}
	}
	return nil
}

// interfaces describes the chosen shaders of a module.
func interfaces(cmd *cobra.Command, m *nirc.Module, s *shared) ([]*nirc.Interface, error) {
	entries, err := m.Select(s.entry, s.stage)
	if err != nil {
		return nil, err
	}
	o := nirc.Options{File: m.Name, Target: nirc.IRTarget}
	if o.Layout, err = readLayout(s.layoutFile); err != nil {
		return nil, err
	}
	for _, text := range s.spec {
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
