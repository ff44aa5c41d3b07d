// Package report writes costs as pages that one opens from disk: a page a shader with source, IR and machine
// code side by side, and a page of a set. A page is one file: nothing is fetched, and all that scripts
// add can be read without them. Nothing is compiled here.
package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"
	"sync"

	"nirc"
	"nirc/internal/costs"
	"nirc/internal/figures"
)

//go:embed page.html
var pageText string

// pages are the templates "shader" and "set".
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{"number": number, "percent": percent, "join": strings.Join, "highlight": highlight, "figure": figures.Format}).Parse(pageText))
})

// MaxBytes bounds a page.
const MaxBytes = 8 << 20

// Line is a line of a listing; Key is the place that it comes from, "" if that is not known. Lines of one
// key light up together.
type Line struct {
	Number int
	Text   string
	Key    string
	Share  float64 // of the cycles, percent
	Note   string  // what stands beside it
}

// Listing is a column of a page: the source, the IR, or machine code.
type Listing struct {
	Title string
	Lines []Line
}

// Graph is the flow of control of machine code, drawn.
type Graph struct {
	Title string
	SVG   template.HTML // made here, of numbers alone
}

// Step is a pass or a machine step.
type Step struct {
	Name           string
	Added, Removed int    // lines of its text
	Rules          []Rule // those that rewrote something
}

// Changed reports whether the step changed anything.
func (s *Step) Changed() bool { return s.Added+s.Removed > 0 }

// Rule is a rule of the algebraic passes, and how often it rewrote something.
type Rule struct {
	Name string
	Hits uint32
}

// Pipeline is what the passes did for a target. Texts are those after each step, or nil.
type Pipeline struct {
	Target string
	Steps  []Step
	Texts  *Texts
}

// Changes counts the steps that changed something.
func (p *Pipeline) Changes() (n int) {
	for i := range p.Steps {
		if p.Steps[i].Changed() {
			n++
		}
	}
	return n
}

// Shader is a page.
type Shader struct {
	Name      string
	Costs     []*costs.Shader // a target each
	Listings  []Listing
	Live      []Graph // registers over the code
	Graphs    []Graph
	Pipelines []*Pipeline
	Version   string
	Index     string // the page of the set, "" if there is none
}

// Row is a shader of a set.
type Row struct {
	*costs.Shader
	Page string
}

// Set is the page of a set.
type Set struct {
	Rows    []Row
	Version string
	Charts  []Graph
	// Diff compares the set with an earlier one, if there is one.
	Diff *figures.Diff
}

// WriteShader writes a shader's page.
func WriteShader(w io.Writer, s *Shader) error {
	s.Version = nirc.Version
	return write(w, "shader", s)
}

// WriteSet writes the page of a set.
func WriteSet(w io.Writer, s *Set) error {
	s.Version = nirc.Version
	s.Charts = charts(s.Rows)
	return write(w, "set", s)
}

// write fills in a template, and refuses a page beyond the bound.
func write(w io.Writer, name string, v any) error {
	b := &strings.Builder{}
	if err := pages().ExecuteTemplate(b, name, v); err != nil {
		return err
	}
	if b.Len() > MaxBytes {
		return fmt.Errorf("the page would have %d bytes, more than %d: choose fewer targets or shaders", b.Len(), MaxBytes)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func number(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), ".")
}

func percent(v, of float64) string {
	if of <= 0 {
		return "0"
	}
	return number(math.Min(100, 100*v/of))
}
