package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"nirc"
	"nirc/backend"
	"nirc/ir"
	"nirc/passes"

	"github.com/spf13/cobra"
)

const passesLong = `List the passes: name, class (A needed for correct code, B better code), what they do,
their options with defaults, and where in a pipeline they must stand and why.

With -t, the passes that the target's pipeline runs, in order, and then the machine steps of its code generator; loops and conditions are flattened.
--file prints the default pipeline file, to be changed and given to --pipeline.`

type passInfo struct {
	Name     string       `json:"name"`
	Class    string       `json:"class,omitempty"`
	Optional bool         `json:"optional"`
	Doc      string       `json:"doc"`
	Options  []passOption `json:"options,omitempty"`
	// Requirements say where in a pipeline it must stand, and why.
	Requirements []string `json:"requirements,omitempty"`
}

type passOption struct {
	Name    string `json:"name"`
	Doc     string `json:"doc"`
	Default string `json:"default"`
}

func (a *app) passes() *cobra.Command {
	var (
		r        runFlags
		asJSON   bool
		showFile bool
		showNIR  bool
		stage    string
	)
	cmd := &cobra.Command{Use: "passes", Short: "List passes and pipelines", Long: passesLong}
	f := cmd.Flags()
	f.StringVarP(&r.target, "target", "t", "", "list the pipeline of this `TARGET` (or ir, for the common one)")
	r.levelFlag(f, "2")
	f.StringVar(&stage, "stage", "fragment", "`STAGE` of the pipeline")
	f.StringVar(&r.pipeline, "pipeline", "", "read the pipeline from this `FILE`")
	f.BoolVar(&asJSON, "json", false, "write JSON")
	f.BoolVar(&showFile, "file", false, "print the default pipeline file")
	f.BoolVar(&showNIR, "nir", false, "list the files of NIR, their class and what stands for each, or -")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		s, err := parseStage(stage)
		switch {
		case err != nil:
			return err
		case asJSON && (showNIR || showFile):
			return nirc.Usagef("--json: --nir and --file print a text")
		case showNIR:
			return a.listNIR()
		case showFile:
			return a.writeFile("-", nirc.PipelineFile())
		case r.target != "":
			return a.listPipeline(&r, s, asJSON)
		}
		return a.listPasses(asJSON)
	}
	return cmd
}

// pipelineList is what a compile runs: passes, then the machine steps of the target.
type pipelineList struct {
	Passes []string           `json:"passes"`
	Steps  []backend.StepInfo `json:"steps,omitempty"`
}

func (a *app) listPipeline(r *runFlags, stage ir.Stage, asJSON bool) error {
	o, err := r.options(r.target)
	if err != nil {
		return err
	}
	names, err := nirc.PipelinePasses(o, stage)
	if err != nil {
		return err
	}
	l := pipelineList{Passes: names}
	if o.Target != nirc.IRTarget {
		b, err := nirc.Backend(o.Target)
		if err != nil {
			return err
		}
		l.Steps = b.Steps(o.GPU)
	}
	if asJSON {
		return a.writeJSON(l)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, n := range l.Passes {
		fmt.Fprintln(w, n)
	}
	for _, s := range l.Steps {
		kind := "step"
		if s.Optional {
			kind = "optional step"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, kind, summary(s.Doc))
	}
	return ioError(w.Flush())
}

func (a *app) listPasses(asJSON bool) error {
	list := make([]passInfo, 0, 128)
	for _, p := range passes.Registry() {
		info := passInfo{Name: p.Name, Class: p.Class, Optional: p.Optional, Doc: p.Doc, Requirements: passes.Requirements(p.Name)}
		for _, o := range p.Options {
			info.Options = append(info.Options, passOption{o.Name, o.Doc, fmt.Sprint(o.Default)})
		}
		list = append(list, info)
	}
	if asJSON {
		return a.writeJSON(list)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
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
	}
	return ioError(w.Flush())
}

// summary is the first sentence of a doc.
func summary(doc string) string {
	if i := strings.Index(doc, ". "); i >= 0 {
		return doc[:i+1]
	}
	return doc
}

// writeJSON writes v indented, for people and programs.
func (a *app) writeJSON(v any) error {
	text, err := indentedJSON(v)
	if err == nil {
		_, err = a.out.Write(text)
	}
	return ioError(err)
}

// indentedJSON is the text of writeJSON.
func indentedJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

func ioError(err error) error {
	if err != nil {
		return &nirc.IOError{Err: err}
	}
	return nil
}
