package costs

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// number writes a figure with up to two digits after the point.
func number(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(v, 'f', 2, 64), "0"), ".")
}

// WriteText writes the shaders for people, one below the other.
func WriteText(w io.Writer, list []*Shader) error {
	b := &strings.Builder{}
	for i, s := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		s.text(b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// title names the shader.
func (s *Shader) title() string {
	t := s.File
	if s.Entry != "" && s.Entry != "main" {
		t += " " + s.Entry
	}
	return fmt.Sprintf("%s: %s, %s %s", t, s.Stage, s.Target, s.GPU)
}

func (s *Shader) text(b *strings.Builder) {
	if s.Error != "" {
		fmt.Fprintf(b, "%s: %s: error: %s\n", s.File, s.Target, s.Error)
		return
	}
	t := s.title()
	fmt.Fprintf(b, "%s\n%s\n", t, strings.Repeat("=", len([]rune(t))))
	s.properties(b)
	b.WriteByte('\n')
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, cells []string, bound string) {
		fmt.Fprintf(w, "%-28s\t%s\t  %s\n", name, strings.Join(cells, "\t"), bound)
	}
	var head []string
	for _, p := range s.Pipes {
		head = append(head, p.Title)
	}
	row("modelled cycles", append(head, "stalls"), "bound")
	for _, p := range []struct {
		name string
		c    *Cycles
	}{{"total instruction cycles", s.Total}, {"shortest path cycles", s.Shortest}, {"longest path cycles", s.Longest}} {
		row(p.name, s.cells(p.c), s.bound(p.c))
	}
	w.Flush()
	var legend []string
	for _, p := range s.Pipes {
		legend = append(legend, p.Title+" = "+p.Name)
	}
	fmt.Fprintf(b, "%s; stalls are those that no other wave hides\n", strings.Join(legend, ", "))
	for _, h := range s.Hints {
		fmt.Fprintf(b, "hint: %s\n", h)
	}
}

func (s *Shader) properties(b *strings.Builder) {
	p, o := s.Properties, s.Occupancy
	fmt.Fprintf(b, "work registers: %d (%s)\n", p.WorkRegisters, p.RegisterUnit)
	fmt.Fprintf(b, "uniform registers: %d\n", p.UniformRegisters)
	by := ""
	if len(o.Limits) > 0 && o.Value < o.Max {
		by = ", limited by " + o.Limits[0].By
	}
	fmt.Fprintf(b, "occupancy: %d of %d %s%s\n", o.Value, o.Max, o.Unit, by)
	fmt.Fprintf(b, "spilling: %s\n", yes(p.Spills+p.Fills > 0, fmt.Sprintf("%d stores, %d loads", p.Spills, p.Fills)))
	half := "N/A"
	if s.Half != nil {
		half = fmt.Sprintf("%d%%", *s.Half)
	}
	fmt.Fprintf(b, "16-bit arithmetic: %s\n", half)
	fmt.Fprintf(b, "uniform computation: %s\n", yes(p.Preamble, "in a preamble"))
	fmt.Fprintf(b, "side effects: %s\n", yes(p.SideEffects, ""))
	if s.Stage == "fragment" {
		fmt.Fprintf(b, "discards: %s\nlate depth test: %s\n", yes(p.Discards, ""), yes(p.LateTest(), ""))
	}
	if s.Assumed > 0 {
		fmt.Fprintf(b, "assumed figures: of %d of %d instructions\n", s.Assumed, s.Instructions)
	}
}

func yes(is bool, how string) string {
	switch {
	case !is:
		return "no"
	case how == "":
		return "yes"
	}
	return "yes, " + how
}

// cells are the cycles of a path, N/A if it is not known.
func (s *Shader) cells(c *Cycles) []string {
	list := make([]string, len(s.Pipes)+1)
	for i := range list {
		switch {
		case c == nil:
			list[i] = "N/A"
		case i < len(c.Count):
			list[i] = number(c.Count[i])
		default:
			list[i] = number(c.Unhidden)
		}
	}
	return list
}

// bound names what bounds a path by the titles of the table.
func (s *Shader) bound(c *Cycles) string {
	if c == nil {
		return "N/A"
	}
	var list []string
	for _, n := range c.Bound {
		for _, p := range s.Pipes {
			if p.Name == n {
				n = p.Title
			}
		}
		list = append(list, n)
	}
	return strings.Join(list, ", ")
}
