package figures

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"nirc"
	"nirc/backend"
)

// Figure is a figure, and the targets on which it is the same.
type Figure struct {
	backend.Figure
	Targets []string
}

// modelled are the figures of the cost model, which all targets with code have.
var modelled = []backend.Figure{
	{Name: "total cycles", Unit: "modelled cycles", Doc: "cycles of the busiest pipe if each instruction runs once (docs/cost.md)", Care: "to compare two versions of a shader", More: -1, Scale: 100},
	{Name: "shortest cycles", Unit: "modelled cycles", Doc: "cycles of the busiest pipe on the shortest path of an invocation", Care: "if most invocations leave early", More: -1, Scale: 100},
	{Name: "longest cycles", Unit: "modelled cycles", Doc: "cycles of the busiest pipe on the longest path; absent if a loop's trips are not known", Care: "for the worst invocation", More: -1, Scale: 100},
	{Name: "weighed cycles", Unit: "modelled cycles", Doc: "cycles that a wave takes to issue and to wait, waits divided among the waves; a loop weighs its trips, or 8, a preamble a 16th (docs/cost.md)", Care: "to compare two compilers, or a loop with its unrolled form", More: -1, Scale: 100},
	{Name: "stall cycles", Unit: "modelled cycles", Doc: "waits of the whole code that no other wave hides", Care: "when it is not 0: more waves or earlier loads would help", More: -1, Scale: 100},
}

// ofIR are the figures of the IR.
var ofIR = []backend.Figure{
	{Name: "alu", Unit: "instructions", Doc: "arithmetic instructions", Care: backend.CarePerInvocation, More: -1},
	{Name: "tex", Unit: "instructions", Doc: "texture instructions", Care: "when it is the largest", More: -1},
	{Name: "functions", Unit: "functions", Doc: "functions with a body", Care: "when calls were not inlined"},
	{Name: "blocks", Unit: "blocks", Doc: "basic blocks", Care: "as a measure of control flow"},
	{Name: "instructions", Unit: "instructions", Doc: "instructions of the IR", Care: "to compare passes", More: -1},
	{Name: "intrinsic", Unit: "instructions", Doc: "intrinsics: memory, inputs, outputs, barriers", Care: "to compare passes"},
	{Name: "deref", Unit: "instructions", Doc: "derefs of variables", Care: "to compare passes"},
	{Name: "phi", Unit: "instructions", Doc: "phis", Care: "to compare passes"},
	{Name: "load_const", Unit: "instructions", Doc: "constants", Care: "to compare passes"},
	{Name: "jump", Unit: "instructions", Doc: "jumps: break, continue, return", Care: "to compare passes"},
}

// Figures returns the words for all figures. docs/figures.md is made of them, nirc stats --explain reads them.
var Figures = sync.OnceValue(func() (all []Figure) {
	for _, target := range append(targetNames(), nirc.IRTarget) {
		for _, f := range figuresOf(target) {
			i := slices.IndexFunc(all, func(o Figure) bool { return o.Figure == f })
			if i < 0 {
				i, all = len(all), append(all, Figure{Figure: f})
			}
			all[i].Targets = append(all[i].Targets, target)
		}
	}
	return all
})

func targetNames() (names []string) {
	for _, t := range nirc.Targets() {
		names = append(names, t.Name)
	}
	return names
}

// figuresOf lists the figures of a target, in the order of their page.
func figuresOf(target string) []backend.Figure {
	if target == nirc.IRTarget {
		return ofIR
	}
	b, err := nirc.Backend(target)
	if err != nil {
		return nil
	}
	return slices.Concat(modelled, b.Figures())
}

// Find returns the first figure of a name, nil if there is none. Those of one name agree in
// what is better, in whether they have a total, and in their scale.
func Find(name string) *Figure {
	for i := range Figures() {
		if Figures()[i].Name == name {
			return &Figures()[i]
		}
	}
	return nil
}

// Of reports whether the figure is one of a target's.
func (f *Figure) Of(target string) bool { return slices.Contains(f.Targets, target) }

// better says in words which way is better.
func (f *Figure) better() string { return [...]string{"less", "neither", "more"}[f.More+1] }

// Explain says in a few lines what the figure is.
func (f *Figure) Explain() string {
	sum := ""
	if f.NoSum {
		sum = "; has no total"
	}
	return fmt.Sprintf("%s (%s)\n  counts  %s\n  unit    %s\n  better  %s%s\n  care    %s\n", f.Name, strings.Join(f.Targets, ", "), f.Doc, f.Unit, f.better(), sum, f.Care)
}

// Markdown is the page of all figures.
func Markdown() string {
	var b strings.Builder
	for _, target := range append(targetNames(), nirc.IRTarget) {
		fmt.Fprintf(&b, "## %s\n\n| figure | counts | unit | better | total | when to care |\n| --- | --- | --- | --- | --- | --- |\n", target)
		for i := range Figures() {
			f := &Figures()[i]
			if !f.Of(target) {
				continue
			}
			total := "sum"
			if f.NoSum {
				total = "none"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", f.Name, f.Doc, f.Unit, f.better(), total, f.Care)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Format writes a figure's value.
func Format(name string, v int64) string {
	f := Find(name)
	if f == nil || f.Scale <= 1 {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", float64(v)/float64(f.Scale)), "0"), ".")
}
