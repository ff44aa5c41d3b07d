package main

import (
	"fmt"
	"text/tabwriter"

	"nirc"

	"github.com/spf13/cobra"
)

func (a *app) targets() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "targets", Short: "List targets and their GPUs, the defaults first"}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	cmd.RunE = func(*cobra.Command, []string) error {
		list := nirc.Targets()
		if asJSON {
			return a.writeJSON(list)
		}
		w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
		for _, t := range list {
			for _, g := range t.GPUs {
				fmt.Fprintf(w, "%s\t%s\t%s\n", t.Name, g.Name, g.Doc)
			}
		}
		return ioError(w.Flush())
	}
	return cmd
}
