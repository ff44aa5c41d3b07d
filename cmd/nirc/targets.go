package main

import (
	"nirc"

	"github.com/spf13/cobra"
)

// targetReport is the JSON document of nirc targets.
type targetReport struct {
	head
	Targets []nirc.Target `json:"targets"`
}

func (a *app) targetsCommand() *cobra.Command {
	s := &shared{}
	cmd := &cobra.Command{Use: "targets", Short: "List targets and their GPUs, the defaults first"}
	s.declare(cmd.Flags(), reportFlags)
	cmd.RunE = func(*cobra.Command, []string) error {
		doc, t := targetReport{head{1, "nirc targets"}, nirc.Targets()}, &sheet{columns: []string{"target", "gpu", "doc"}}
		for _, x := range doc.Targets {
			for _, g := range x.GPUs {
				t.add(x.Name, g.Name, g.Doc)
			}
		}
		return a.present(s, doc, t, nil)
	}
	return cmd
}
