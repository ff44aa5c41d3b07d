package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"nirc"
	"nirc/internal/costs"
	"nirc/internal/figures"
	"nirc/internal/report"
	"nirc/ir"

	"github.com/spf13/cobra"
)

const reportLong = `Write pages about what shaders cost, to be opened from disk: for each shader the source, the IR
and each target's machine code side by side, a line in one lighting up in the others, with the
cost beside each line, cycles by pipe and path, the flow of control with cycles, and what each
pass changed. Nothing is fetched; the pages can be read without scripts, light or dark, by
keyboard, and are the same bytes for the same input.

One shader is one page. Several are a page of the set, which can be sorted and searched, and a
page a shader in a directory beside it: report.html and report/1.html and so on. With --before
the page of the set says what was helped and what was hurt since. The figures are modelled
(docs/cost.md).`

type reportCommand struct {
	measureFlags
	before string
}

func (a *app) reportPages() *cobra.Command {
	c := &reportCommand{measureFlags: measureFlags{app: a}}
	cmd := &cobra.Command{Use: "report FILE|DIR…", Short: "Write pages about what shaders cost", Long: reportLong, Args: cobra.MinimumNArgs(1), RunE: c.run}
	c.flags(cmd.Flags())
	c.declareOutput(cmd.Flags(), "report.html", "write to this `FILE.html`")
	cmd.Flags().StringVar(&c.before, "before", "", "compare with the costs in `FILE.json`, of nirc cost --json")
	return cmd
}

func (c *reportCommand) run(cmd *cobra.Command, args []string) error {
	if filepath.Ext(c.output) != ".html" {
		return nirc.Usagef("-o %s: want the name of a page, FILE.html", c.output)
	}
	if err := c.setup(); err != nil {
		return err
	}
	earlier, err := c.earlier()
	if err != nil {
		return err
	}
	c.look = true
	var (
		failed []error
		shown  []*report.Shader
		rows   []report.Row
	)
	dir := strings.TrimSuffix(c.output, ".html")
	src := costs.Sources{}
	if err := c.each(cmd.Context(), args, func(some []measured) bool {
		failed = append(failed, c.tell(some)...)
		for len(some) > 0 {
			n := 1
			for n < len(some) && some[n].Entry == some[0].Entry && some[n].Stage == some[0].Stage {
				n++
			}
			page := ""
			if s := shaderPage(src, some[:n]); s != nil {
				shown = append(shown, s)
				page = fmt.Sprintf("%s/%d.html", filepath.Base(dir), len(shown))
			}
			for i := range some[:n] {
				rows = append(rows, report.Row{Shader: some[i].Shader, Page: page})
			}
			some = some[n:]
		}
		return c.keepGoing || len(failed) == 0
	}); err != nil {
		return err
	}
	if len(shown) == 1 && earlier == nil {
		return errors.Join(errors.Join(failed...), c.page(c.output, func(b *bytes.Buffer) error { return report.WriteShader(b, shown[0]) }))
	}
	if err := c.pages(dir, shown); err != nil {
		return err
	}
	err = c.page(c.output, func(b *bytes.Buffer) error { return report.WriteSet(b, pageOfSet(rows, earlier)) })
	return errors.Join(errors.Join(failed...), err)
}

// earlier reads the costs of --before, nil without it.
func (c *reportCommand) earlier() (*figures.Set, error) {
	if c.before == "" {
		return nil, nil
	}
	data, err := c.read(c.before)
	if err != nil {
		return nil, err
	}
	set, err := costs.ReadFigures(data)
	if err != nil {
		return nil, placed(nirc.Diagnose(err, c.before, ""))
	}
	return set, nil
}

// pages writes a page for each shader into a directory beside the page of all.
func (c *reportCommand) pages(dir string, shown []*report.Shader) error {
	if len(shown) > 0 {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return &nirc.IOError{Err: err}
		}
	}
	for i, s := range shown {
		s.Index = "../" + filepath.Base(c.output)
		if err := c.page(filepath.Join(dir, fmt.Sprintf("%d.html", i+1)), func(b *bytes.Buffer) error { return report.WriteShader(b, s) }); err != nil {
			return err
		}
	}
	return nil
}

// pageOfSet compares the rows with an earlier set, if there is one.
func pageOfSet(rows []report.Row, earlier *figures.Set) *report.Set {
	s := &report.Set{Rows: rows}
	if earlier != nil {
		now := &costs.Set{}
		for i := range rows {
			now.Shaders = append(now.Shaders, rows[i].Shader)
		}
		s.Diff = figures.NewDiff(earlier, now.Figures())
	}
	return s
}

// page writes one page, whole or not at all.
func (c *reportCommand) page(path string, write func(b *bytes.Buffer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return nirc.Diagnostics{{File: path, Msg: err.Error()}}
	}
	return c.writeFile(path, b.Bytes())
}

// shaderPage makes the page of a shader from its targets; nil if it compiles for none.
func shaderPage(src costs.Sources, list []measured) *report.Shader {
	s := &report.Shader{Name: list[0].File + " " + list[0].Entry + ", " + list[0].Stage}
	first := true
	for i := range list {
		m := &list[i]
		s.Costs = append(s.Costs, m.Shader)
		if m.err != nil {
			continue
		}
		m.AddLines()
		code, err := codeListing(m)
		if err != nil {
			continue
		}
		if first {
			s.Listings = append(s.Listings, sourceListings(src, m)...)
			if len(m.seen.ir) > 0 {
				s.Listings = append(s.Listings, report.Listing{Title: "IR after the passes of " + m.Target, Lines: m.seen.ir})
			}
			first = false
		}
		s.Listings = append(s.Listings, code)
		if g, ok := report.Flow(m.Target+" "+m.GPU, m.Program()); ok {
			s.Graphs = append(s.Graphs, g)
		}
		if g, ok := report.Live(m.Target+" "+m.GPU, m.Program()); ok {
			s.Live = append(s.Live, g)
		}
		if len(m.seen.steps) > 0 {
			s.Pipelines = append(s.Pipelines, &report.Pipeline{Target: m.Target + " " + m.GPU, Steps: m.seen.steps, Texts: &m.seen.texts})
		}
	}
	if first {
		return nil
	}
	return s
}

// placeKey names a place in a page.
func placeKey(p costs.Place) string {
	switch {
	case p.Line > 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	case p.Word > 0:
		return fmt.Sprintf("word %d", p.Word)
	}
	return ""
}

// sourceListings are the source's files that can be read.
func sourceListings(src costs.Sources, m *measured) (list []report.Listing) {
	share := map[string]float64{}
	var files []string
	for _, l := range m.Lines {
		share[placeKey(l.Place)] += l.Share // by all calls
		if l.Line > 0 && (len(files) == 0 || files[len(files)-1] != l.File) {
			files = append(files, l.File)
		}
	}
	for _, file := range files {
		lines := src.Lines(m.File, file)
		if lines == nil {
			continue
		}
		out := report.Listing{Title: file + ", shares of " + m.Target}
		for i, text := range lines {
			key := placeKey(costs.Place{File: file, Line: uint32(i + 1)})
			out.Lines = append(out.Lines, report.Line{Number: i + 1, Text: text, Key: key, Share: share[key]})
		}
		list = append(list, out)
	}
	return list
}

// codeListing is the machine code with the share of each instruction.
func codeListing(m *measured) (report.Listing, error) {
	out := report.Listing{Title: m.Target + " " + m.GPU}
	back, err := nirc.Backend(m.Target)
	if err != nil {
		return out, err
	}
	lines, err := back.Disassemble(m.obj.GPU, m.obj.Code)
	if err != nil {
		return out, err
	}
	share := m.Shares()
	for i := range lines {
		l := &lines[i]
		for k, text := range strings.Split(strings.TrimRight(l.Text, "\n "), "\n") {
			x := report.Line{Number: l.Offset, Text: strings.TrimRight(text, " "), Key: placeKey(costs.PlaceAt(m.obj, l.Offset))}
			if k == 0 {
				x.Share = share[l.Offset]
			}
			out.Lines = append(out.Lines, x)
		}
	}
	return out, nil
}

// seen is what is looked at on the way through the compiler, for pages.
type seen struct {
	ir    []report.Line
	steps []report.Step
	texts report.Texts
	last  string
	rules []uint32 // how often each had rewritten something after the last step
}

// watch makes the options collect what each pass changed.
func (s *seen) watch(o *nirc.Options) {
	hits := newRuleHits()
	s.rules = newRuleHits()
	o.Run.DumpAfter, o.Run.RuleHits = []string{"all"}, hits
	o.Run.Dump = func(title, text string) {
		step := report.Step{Name: strings.TrimPrefix(title, "after ")}
		if s.last != "" && text != s.last {
			step.Added, step.Removed = compareLines(s.last, text)
		}
		for i, n := range hits {
			if n > s.rules[i] {
				step.Rules = append(step.Rules, report.Rule{Name: ruleName(i), Hits: n - s.rules[i]})
			}
		}
		copy(s.rules, hits)
		s.steps, s.last = append(s.steps, step), text
		s.texts.Add(text)
	}
}

// numbers are those of values and blocks, which are counted from 0 in each text.
var numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%\d+|\bb\d+`) })

// compareLines counts the lines that only one of two texts has, whatever the numbers of values.
func compareLines(before, after string) (added, removed int) {
	have := map[string]int{}
	for l := range strings.Lines(before) {
		have[numbers().ReplaceAllString(strings.TrimSpace(l), "%")]++
	}
	for l := range strings.Lines(after) {
		if k := numbers().ReplaceAllString(strings.TrimSpace(l), "%"); have[k] > 0 {
			have[k]--
		} else {
			added++
		}
	}
	for _, n := range have {
		removed += n
	}
	return added, removed
}

// shader keeps the IR's text, an instruction a line.
func (s *seen) shader(sh *ir.Shader) {
	n := 0
	ir.PrintWith(sh, ir.PrintOptions{Instr: func(in *ir.Instr, text string) {
		n++
		l := report.Line{Number: n, Text: strings.TrimSpace(text)}
		if in.Loc != 0 && int(in.Loc) < len(sh.Locs) {
			at := sh.Locs[in.Loc]
			p := costs.Place{Word: at.Word}
			if at.Line > 0 {
				p = costs.Place{Line: at.Line}
				if int(at.File) < len(sh.Files) {
					p.File = sh.Files[at.File]
				}
			}
			l.Key = placeKey(p)
		}
		s.ir = append(s.ir, l)
	}})
}
