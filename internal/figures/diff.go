package figures

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Diff is two sets compared, shader by shader, as shader-db's report does it.
type Diff struct {
	Shaders int          `json:"shaders"` // that both compiled
	Columns []ColumnDiff `json:"columns"` // figures that differ somewhere
	// Lost compiled only in the first set, Gained only in the second.
	Lost   []string `json:"lost"`
	Gained []string `json:"gained"`
}

// ColumnDiff compares one figure.
type ColumnDiff struct {
	Name   string `json:"name"`
	Before int64  `json:"before"` // sums over all shaders
	After  int64  `json:"after"`
	// Sums over the shaders that differ.
	AffectedBefore int64 `json:"affected_before"`
	AffectedAfter  int64 `json:"affected_after"`
	// Shaders by falling share.
	Helped []Change `json:"helped"`
	Hurt   []Change `json:"hurt"`
}

// Change is one shader whose figure differs.
type Change struct {
	Shader string `json:"shader"`
	Before int64  `json:"before"`
	After  int64  `json:"after"`
}

// effect is by how much a figure changed in the shaders that changed, relative to what they had.
func (c *ColumnDiff) effect() float64 {
	sum, all := 0.0, 0.0
	for _, list := range [][]Change{c.Helped, c.Hurt} {
		for _, x := range list {
			sum += math.Abs(float64(x.After - x.Before))
			all += math.Abs(float64(x.Before))
		}
	}
	return sum / math.Max(all, 1)
}

// share is by how much of the first figure the second differs.
func (c Change) share() float64 {
	if c.Before == 0 {
		return math.Inf(1)
	}
	return math.Abs(float64(c.After-c.Before)) / float64(c.Before)
}

// NewDiff compares set b with set a.
func NewDiff(a, b *Set) *Diff {
	d, names := &Diff{Lost: []string{}, Gained: []string{}, Columns: []ColumnDiff{}}, newNamer(a, b)
	first := make(map[string]*Shader, len(a.Shaders))
	for i := range a.Shaders {
		if s := &a.Shaders[i]; s.Error == "" {
			first[s.Key()] = s
		}
	}
	var cols []ColumnDiff
	for i := range b.Shaders {
		s := &b.Shaders[i]
		if s.Error != "" {
			continue
		}
		before := first[s.Key()]
		if before == nil {
			d.Gained = append(d.Gained, names.name(s))
			continue
		}
		delete(first, s.Key())
		d.Shaders++
		cols = addShader(cols, before, s, names.name(s))
	}
	for i := range a.Shaders { // in order, not that of the map
		if s := &a.Shaders[i]; first[s.Key()] == s {
			d.Lost = append(d.Lost, names.name(s))
		}
	}
	// What changed most comes first.
	slices.SortStableFunc(cols, func(x, y ColumnDiff) int { return cmp.Compare(y.effect(), x.effect()) })
	for i := range cols {
		if c := &cols[i]; len(c.Helped)+len(c.Hurt) > 0 {
			byShare := func(x, y Change) int { return cmp.Compare(y.share(), x.share()) }
			slices.SortStableFunc(c.Helped, byShare)
			slices.SortStableFunc(c.Hurt, byShare)
			d.Columns = append(d.Columns, *c)
		}
	}
	return d
}

// namer gives the shader's key for each label, "" for one that several shaders have.
type namer map[string]string

func newNamer(sets ...*Set) namer {
	n := namer{}
	for _, set := range sets {
		for i := range set.Shaders {
			s := &set.Shaders[i]
			key, ok := n[s.Label()]
			switch {
			case s.Error != "": // which is not named
			case !ok:
				n[s.Label()] = s.Key()
			case key != s.Key():
				n[s.Label()] = ""
			}
		}
	}
	return n
}

// name is the label of a shader; if others, of other stages, targets or GPUs, have it too, it says which it is.
func (n namer) name(s *Shader) string {
	l := s.Label()
	if n[l] == "" {
		l += " (" + strings.TrimSpace(strings.Join([]string{s.Stage, s.Target, s.GPU}, " ")) + ")"
	}
	return l
}

// addShader compares the figures of a shader in both sets.
func addShader(cols []ColumnDiff, before, after *Shader, name string) []ColumnDiff {
	for _, st := range after.Stats {
		old, ok := before.Get(st.Name)
		if !ok {
			continue
		}
		i := slices.IndexFunc(cols, func(c ColumnDiff) bool { return c.Name == st.Name })
		if i < 0 {
			i = len(cols)
			cols = append(cols, ColumnDiff{Name: st.Name, Helped: []Change{}, Hurt: []Change{}})
		}
		c := &cols[i]
		c.Before += old
		c.After += st.Value
		if old == st.Value {
			continue
		}
		c.AffectedBefore += old
		c.AffectedAfter += st.Value
		ch := Change{name, old, st.Value}
		if worse(st.Name, old, st.Value) < 0 {
			c.Helped = append(c.Helped, ch)
		} else {
			c.Hurt = append(c.Hurt, ch)
		}
	}
	return cols
}

// Keep leaves only the figures of these names, in their order; all if there are none.
func (d *Diff) Keep(names []string) {
	if len(names) == 0 {
		return
	}
	var list []ColumnDiff
	for _, n := range names {
		for _, c := range d.Columns {
			if c.Name == n {
				list = append(list, c)
			}
		}
	}
	d.Columns = list
}

// totals says a figure's totals, "" if it has none.
func (c *ColumnDiff) totals() string {
	if f := Find(c.Name); f != nil && f.NoSum {
		return ""
	}
	return fmt.Sprintf("%s -> %s (%s)", Format(c.Name, c.Before), Format(c.Name, c.After), percent(c.Before, c.After))
}

// Write writes the report for people; n bounds each list of shaders.
func (d *Diff) Write(w io.Writer, n int) error {
	e := &errWriter{w: w}
	if len(d.Columns) == 0 {
		fmt.Fprintf(e, "no figure differs\n")
	}
	for i := range d.Columns {
		c := &d.Columns[i]
		if t := c.totals(); t != "" {
			fmt.Fprintf(e, "total %s in shared programs: %s\n", strings.TrimPrefix(c.Name, "total "), t)
			fmt.Fprintf(e, "%s in affected programs: %s -> %s (%s)\n", c.Name, Format(c.Name, c.AffectedBefore), Format(c.Name, c.AffectedAfter), percent(c.AffectedBefore, c.AffectedAfter))
		} else {
			fmt.Fprintf(e, "%s, which has no total\n", c.Name)
		}
		fmt.Fprintf(e, "helped: %d\nHURT: %d\n", len(c.Helped), len(c.Hurt))
		writeChanges(e, "helped", c.Name, c.Helped, n)
		writeChanges(e, "HURT", c.Name, c.Hurt, n)
		fmt.Fprintln(e)
	}
	fmt.Fprintf(e, "%d shaders in both, LOST: %d, GAINED: %d\n", d.Shaders, len(d.Lost), len(d.Gained))
	for _, l := range d.Lost {
		fmt.Fprintf(e, "LOST: %s\n", l)
	}
	for _, g := range d.Gained {
		fmt.Fprintf(e, "GAINED: %s\n", g)
	}
	return e.err
}

// WriteMarkdown writes the report as the comment of a pull request: the totals as a table, the n shaders that changed
// most of each figure folded away, and why gates closed.
func (d *Diff) WriteMarkdown(w io.Writer, n int, closed []string) error {
	e := &errWriter{w: w}
	code := func(s string) string {
		return "`" + strings.ReplaceAll(strings.ReplaceAll(s, "`", "'"), "|", "\\|") + "`"
	}
	if len(closed) > 0 {
		fmt.Fprintf(e, "**The gate is closed:**\n\n")
		for i, c := range closed {
			if i == n {
				fmt.Fprintf(e, "- … and %d more\n", len(closed)-n)
				break
			}
			fmt.Fprintf(e, "- %s\n", code(c))
		}
		fmt.Fprintln(e)
	}
	if len(d.Columns) == 0 {
		fmt.Fprintf(e, "No figure differs in %d shaders.\n", d.Shaders)
	} else {
		fmt.Fprintf(e, "| figure | total | helped | hurt |\n| --- | --- | ---: | ---: |\n")
	}
	for i := range d.Columns {
		c := &d.Columns[i]
		t := c.totals()
		if t == "" {
			t = "–"
		}
		fmt.Fprintf(e, "| %s | %s | %d | %d |\n", c.Name, t, len(c.Helped), len(c.Hurt))
	}
	for i := range d.Columns {
		c := &d.Columns[i]
		fmt.Fprintf(e, "\n<details><summary>%s: %d helped, %d hurt</summary>\n\n| shader | before | after | change |\n| --- | ---: | ---: | ---: |\n", c.Name, len(c.Helped), len(c.Hurt))
		for _, list := range [][]Change{c.Hurt, c.Helped} {
			for k, x := range list {
				if k == n {
					fmt.Fprintf(e, "| … and %d more | | | |\n", len(list)-n)
					break
				}
				fmt.Fprintf(e, "| %s | %s | %s | %s |\n", code(x.Shader), Format(c.Name, x.Before), Format(c.Name, x.After), percent(x.Before, x.After))
			}
		}
		fmt.Fprintf(e, "\n</details>\n")
	}
	fmt.Fprintf(e, "\n%d shaders in both, %d lost, %d gained.\n", d.Shaders, len(d.Lost), len(d.Gained))
	for _, l := range d.Lost {
		fmt.Fprintf(e, "- lost: %s\n", code(l))
	}
	return e.err
}

func writeChanges(w io.Writer, word, name string, list []Change, n int) {
	for i, c := range list {
		if i == n {
			fmt.Fprintf(w, "  … and %d more\n", len(list)-n)
			return
		}
		fmt.Fprintf(w, "  %s: %s %s: %s -> %s (%s)\n", name, word, c.Shader, Format(name, c.Before), Format(name, c.After), percent(c.Before, c.After))
	}
}

func percent(before, after int64) string {
	if before == 0 {
		return "from zero"
	}
	return fmt.Sprintf("%+.2f%%", 100*float64(after-before)/float64(before))
}

// errWriter keeps the first error of a run of writes.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) Write(b []byte) (int, error) {
	if e.err == nil {
		_, e.err = e.w.Write(b)
	}
	return len(b), e.err
}
