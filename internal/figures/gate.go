package figures

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Gate closes when a figure gets worse by more than it allows. Better never closes it.
type Gate struct {
	Text string
	Name string
	// Percent: By is percent of the figure before, else the figure's own unit.
	Percent bool
	By      float64
	// Shaders and Total say where it looks.
	Shaders, Total bool
}

// ParseGate reads NAME>N or NAME>N%, with total: or shader: in front to look only there. A + before N changes nothing.
func ParseGate(text string) (Gate, error) {
	g := Gate{Text: text, Shaders: true, Total: true}
	rest := text
	if r, ok := strings.CutPrefix(rest, "total:"); ok {
		rest, g.Shaders = r, false
	} else if r, ok := strings.CutPrefix(rest, "shader:"); ok {
		rest, g.Total = r, false
	}
	name, limit, ok := strings.Cut(rest, ">")
	g.Name = strings.TrimSpace(name)
	limit, g.Percent = strings.CutSuffix(strings.TrimSpace(limit), "%")
	v, err := strconv.ParseFloat(strings.TrimPrefix(limit, "+"), 64)
	if !ok || g.Name == "" || err != nil || v < 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return g, fmt.Errorf("%q: want NAME>N or NAME>N%%", text)
	}
	g.By = v
	if f := Find(g.Name); f == nil {
		return g, fmt.Errorf("%q: no figure %q (nirc stats --explain all lists them)", text, g.Name)
	}
	return g, nil
}

// worse is by how much a figure got worse, negative if it got better.
func worse(name string, before, after int64) int64 {
	if f := Find(name); f != nil && f.More > 0 {
		return before - after
	}
	return after - before
}

// closes reports whether a change is beyond what the gate allows.
func (g *Gate) closes(before, after int64) bool {
	by := float64(worse(g.Name, before, after))
	if by <= 0 {
		return false
	}
	if g.Percent {
		return before == 0 || 100*by/math.Abs(float64(before)) > g.By
	}
	if f := Find(g.Name); f.Scale > 1 {
		by /= float64(f.Scale)
	}
	return by > g.By
}

// Closed lists why the gates close; none if they do not. Where there is a gate, a shader that stopped compiling is a reason.
func (d *Diff) Closed(gates []Gate) (list []string) {
	if len(gates) == 0 {
		return nil
	}
	for _, l := range d.Lost {
		list = append(list, fmt.Sprintf("%s: it compiled before", l))
	}
	for i := range gates {
		g := &gates[i]
		for _, c := range d.Columns {
			if c.Name != g.Name {
				continue
			}
			if f := Find(g.Name); g.Total && !f.NoSum && g.closes(c.Before, c.After) {
				list = append(list, fmt.Sprintf("%s: total %s -> %s (%s)", g.Text, Format(c.Name, c.Before), Format(c.Name, c.After), percent(c.Before, c.After)))
			}
			for _, h := range c.Hurt {
				if g.Shaders && g.closes(h.Before, h.After) {
					list = append(list, fmt.Sprintf("%s: %s %s -> %s (%s)", g.Text, h.Shader, Format(c.Name, h.Before), Format(c.Name, h.After), percent(h.Before, h.After)))
				}
			}
		}
	}
	return list
}
