package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"nirc"
	"nirc/backend"
	"nirc/ir"
	"nirc/passes"

	"github.com/spf13/cobra"
)

const passesLong = `List the passes: name, class (A needed for correct code, B better code), what they do, their
options with defaults, where in a pipeline they must stand and why, and of those that nothing runs
what does their work, and why they stay. JSON and CSV say which pipelines run each, too.

With -t on the command line, the passes that the target's pipeline runs, in order, and then the
machine steps of its code generator; loops and conditions are flattened; the stage is fragment
unless --stage says another. --file prints the default pipeline file, to be changed and given to
--pipeline.`

type passInfo struct {
	Name     string       `json:"name"`
	Class    string       `json:"class,omitempty"`
	Optional bool         `json:"optional"`
	Doc      string       `json:"doc"`
	Options  []passOption `json:"options,omitempty"`
	// RunBy are the pipelines that run it, the lists of code generators, and "state"; Instead says of one that nothing runs what
	// does its work, and why it stays.
	RunBy   []string `json:"run_by,omitempty"`
	Instead string   `json:"instead,omitempty"`
	// Requirements say where in a pipeline it must stand, and why.
	Requirements []string `json:"requirements,omitempty"`
}

type passOption struct {
	Name    string `json:"name"`
	Doc     string `json:"doc"`
	Default string `json:"default"`
}

func (a *app) passesCommand() *cobra.Command {
	var (
		r                 shared
		showFile, showNIR bool
	)
	cmd := &cobra.Command{Use: "passes", Short: "List passes and pipelines", Long: passesLong}
	f := cmd.Flags()
	r.declare(f, targetFlags, []string{"opt-level", "stage", "next", "pipeline", "state", "inline-uniform"}, reportFlags)
	f.BoolVar(&showFile, "file", false, "print the default pipeline file")
	f.BoolVar(&showNIR, "nir", false, "list the files of NIR: class, how deep it is done here, what stands for it, and what lacks")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		form, err := r.form()
		switch {
		case err != nil:
			return err
		case form != "table" && (showNIR || showFile):
			return nirc.Usagef("--format %s: --nir and --file print a text", form)
		case showNIR:
			return a.listNIR()
		case showFile:
			return a.writeFile("-", nirc.PipelineFile())
		case r.set.Changed("target") && !a.preset["target"]:
			return a.listPipelines(&r)
		}
		return a.listPasses(&r)
	}
	return cmd
}

// pipelineReport is the JSON document of nirc passes -t.
type pipelineReport struct {
	head
	Pipelines []pipelineList `json:"pipelines"`
}

// pipelineList is what a compile runs: passes, then the machine steps of the target.
type pipelineList struct {
	Target string             `json:"target"`
	GPU    string             `json:"gpu,omitempty"`
	Stage  string             `json:"stage"`
	Passes []string           `json:"passes"`
	Steps  []backend.StepInfo `json:"steps,omitempty"`
}

func (a *app) listPipelines(r *shared) error {
	if err := r.settle(a); err != nil {
		return err
	}
	stage := r.stage
	if stage == ir.StageNone {
		stage = ir.StageFragment
	}
	doc, t := pipelineReport{head: head{1, "nirc passes -t"}}, &sheet{columns: []string{"target", "gpu", "kind", "name", "doc"}}
	for _, d := range r.devices() {
		o := r.base
		o.Target, o.GPU = d.target, d.gpu
		names, err := nirc.PipelinePasses(o, stage)
		if err != nil {
			return err
		}
		l := pipelineList{Target: d.target, GPU: d.gpu, Stage: stage.String(), Passes: names}
		for _, n := range names {
			t.add(d.target, d.gpu, "pass", n, passDoc(n))
		}
		if b, err := nirc.Backend(d.target); err == nil {
			l.Steps = b.Steps(d.gpu)
		}
		for _, s := range l.Steps {
			t.add(d.target, d.gpu, stepKind(s), s.Name, summary(s.Doc))
		}
		doc.Pipelines = append(doc.Pipelines, l)
	}
	return a.present(r, doc, t, func(out io.Writer) error { return writePipelines(out, doc.Pipelines) })
}

// passDoc says in a sentence what a pass does, which a pipeline names with its options.
func passDoc(name string) string {
	name, _, _ = strings.Cut(name, "(")
	if p := passes.Find(name); p != nil {
		return summary(p.Doc)
	}
	return ""
}

func stepKind(s backend.StepInfo) string {
	if s.Optional {
		return "optional step"
	}
	return "step"
}

// writePipelines writes pipelines for people.
func writePipelines(out io.Writer, list []pipelineList) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, l := range list {
		if len(list) > 1 {
			fmt.Fprintf(w, "%s:\n", device{l.Target, l.GPU})
		}
		for _, n := range l.Passes {
			fmt.Fprintln(w, n)
		}
		for _, s := range l.Steps {
			fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, stepKind(s), summary(s.Doc))
		}
	}
	return w.Flush()
}

// passReport is the JSON document of nirc passes.
type passReport struct {
	head
	Passes []passInfo `json:"passes"`
}

func (a *app) listPasses(r *shared) error {
	doc, t := passReport{head: head{1, "nirc passes"}}, &sheet{columns: []string{"name", "class", "optional", "doc", "options", "requirements", "run by", "instead"}}
	all, err := nirc.DefaultPipelines()
	if err != nil {
		return err
	}
	uses := all.Uses()
	for _, p := range passes.Registry() {
		info := passInfo{Name: p.Name, Class: p.Class, Optional: p.Optional, Doc: p.Doc, Requirements: passes.Requirements(p.Name), RunBy: uses[p.Name], Instead: p.Instead}
		var options []string
		for _, o := range p.Options {
			info.Options = append(info.Options, passOption{o.Name, o.Doc, fmt.Sprint(o.Default)})
			options = append(options, fmt.Sprintf("%s=%v: %s", o.Name, o.Default, o.Doc))
		}
		doc.Passes = append(doc.Passes, info)
		t.add(p.Name, p.Class, p.Optional, p.Doc, strings.Join(options, "; "), strings.Join(info.Requirements, "; "), strings.Join(info.RunBy, " "), p.Instead)
	}
	return a.present(r, doc, t, func(out io.Writer) error { return writePasses(out, doc.Passes) })
}

// writePasses writes passes for people.
func writePasses(out io.Writer, list []passInfo) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, p := range list {
		class := p.Class
		if class == "" {
			class = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", p.Name, class, summary(p.Doc))
		for _, o := range p.Options {
			fmt.Fprintf(w, "\t\t    %s=%s: %s\n", o.Name, o.Default, o.Doc)
		}
		for _, r := range p.Requirements {
			fmt.Fprintf(w, "\t\t    %s\n", r)
		}
		if p.Instead != "" {
			fmt.Fprintf(w, "\t\t    not run: %s\n", p.Instead)
		}
	}
	w.Flush()
	return writeUses(out, list)
}

// writeUses writes how many passes something runs, and how many have another reason, by its kind.
func writeUses(out io.Writer, list []passInfo) error {
	run, idle, kinds := 0, 0, make([]int, len(passes.InsteadKinds))
	for _, p := range list {
		kind, _, _ := strings.Cut(p.Instead, ":")
		switch k := slices.Index(passes.InsteadKinds, kind); {
		case len(p.RunBy) > 0:
			run++
		case k >= 0:
			kinds[k]++
		default:
			idle++
		}
	}
	fmt.Fprintf(out, "%d passes: pipelines, states and linking run %d; not run,", len(list), run)
	for k, n := range kinds {
		fmt.Fprintf(out, " %s: %d,", passes.InsteadKinds[k], n)
	}
	_, err := fmt.Fprintf(out, " without a reason: %d\n", idle)
	return err
}

// summary is the first sentence of a doc.
func summary(doc string) string {
	if i := strings.Index(doc, ". "); i >= 0 {
		return doc[:i+1]
	}
	return doc
}
