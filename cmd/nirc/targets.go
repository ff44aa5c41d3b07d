package main

import (
	"strings"

	"nirc"

	"github.com/spf13/cobra"
)

// targetReport is the JSON document of nirc targets.
type targetReport struct {
	head
	Targets []nirc.Target `json:"targets"`
}

// capabilityReport is the JSON document of nirc targets --capabilities.
type capabilityReport struct {
	head
	// Source says where the facts about drivers come from.
	Source       string                 `json:"source"`
	Counts       []nirc.CapabilityCount `json:"counts"`
	Capabilities []nirc.Capability      `json:"capabilities"`
}

const targetsLong = `List targets and their GPUs, the defaults first.

--capabilities lists SPIR-V's capabilities instead: the version or extension of Vulkan that knows
each, and for each target yes, no, in part, or the GPUs that have it, with the reasons. JSON counts
them by GPU too, against what Mesa's drivers expose; what is there in part does not count.`

func (a *app) targetsCommand() *cobra.Command {
	s := &shared{}
	cmd := &cobra.Command{Use: "targets", Short: "List targets and their GPUs, the defaults first", Long: targetsLong}
	s.declare(cmd.Flags(), reportFlags)
	capabilities := cmd.Flags().Bool("capabilities", false, "list SPIR-V's capabilities, and who has them or why not")
	cmd.RunE = func(*cobra.Command, []string) error {
		if *capabilities {
			doc := capabilityReport{head{1, "nirc targets --capabilities"}, nirc.CapabilitySource, nirc.CapabilityCounts(), nirc.Capabilities()}
			return a.present(s, doc, capabilitySheet(doc.Capabilities), nil)
		}
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

// capabilitySheet has a row for each capability and a column for each target.
func capabilitySheet(list []nirc.Capability) *sheet {
	t := &sheet{columns: []string{"capability", "vulkan"}}
	for _, x := range nirc.Targets() {
		t.columns = append(t.columns, x.Name)
	}
	t.columns = append(t.columns, "why not")
	for i := range list {
		c := &list[i]
		row := []any{c.Name, c.Vulkan}
		reasons := &reasons{}
		for _, x := range nirc.Targets() {
			row = append(row, supportOf(c, x.Name, reasons))
		}
		t.add(append(row, reasons.text())...)
	}
	return t
}

// reasons are why targets lack a capability, each once.
type reasons struct {
	list []string
	by   []string
}

func (r *reasons) add(target, why string) {
	for i, w := range r.list {
		if w == why {
			if !strings.HasSuffix(r.by[i], target) {
				r.by[i] += ", " + target
			}
			return
		}
	}
	r.list, r.by = append(r.list, why), append(r.by, target)
}

func (r *reasons) text() string {
	parts := make([]string, len(r.list))
	for i := range parts {
		parts[i] = r.by[i] + ": " + r.list[i]
	}
	return strings.Join(parts, "; ")
}

// supportOf is yes, no, in part, or the GPUs of a target that have a capability.
func supportOf(c *nirc.Capability, target string, why *reasons) string {
	var has, lack []string
	part := false
	for _, g := range c.GPUs {
		switch {
		case g.Target != target:
		case g.Supported:
			has = append(has, g.GPU)
		default:
			lack = append(lack, g.GPU)
			part = part || g.Part
			why.add(target, g.Why)
		}
	}
	switch {
	case len(lack) == 0:
		return "yes"
	case len(has) == 0 && part:
		return "in part"
	case len(has) == 0:
		return "no"
	case len(lack) < len(has)/4:
		return "except for " + strings.Join(lack, " ")
	}
	return strings.Join(has, " ")
}
