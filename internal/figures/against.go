package figures

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// timeKey is the column of compile times.
const timeKey = "compile_us"

// Against is a set compared with a baseline.
type Against struct {
	Compared int      `json:"compared"`
	Columns  []Column `json:"columns"`
	// BothRefused and OnlyOurs count shaders that the baseline's compiler
	// refused, Refused lists those that only we did, Absent those that were not there to compile.
	BothRefused int       `json:"both_refused"`
	OnlyOurs    int       `json:"only_ours"`
	Refused     []Refusal `json:"refused"`
	Absent      []string  `json:"absent"`
}

// Column compares one figure over the shaders that both have.
type Column struct {
	Name   string `json:"name"`
	Ours   int64  `json:"ours"`   // sum
	Theirs int64  `json:"theirs"` // sum
	// Total is the ratio of the sums, GeoMean the geometric mean of the
	// ratios of the Ratios shaders where neither is zero; NaN if there is none.
	Total   Ratio `json:"ratio_total"`
	GeoMean Ratio `json:"ratio_geomean"`
	Ratios  int   `json:"ratios"`
	// Lower and Higher count shaders where ours is the lower, or higher figure.
	Lower  int     `json:"lower"`
	Higher int     `json:"higher"`
	Worst  []Pair  `json:"worst,omitempty"`
	all    []Pair  // of all shaders
	logSum float64 // of the ratios
}

// Pair is one shader in a column.
type Pair struct {
	File   string `json:"file"`
	Ours   int64  `json:"ours"`
	Theirs int64  `json:"theirs"`
}

// Refusal is a shader that did not compile, and why.
type Refusal struct {
	File  string `json:"file"`
	Error string `json:"error"`
}

// Ratio is ours over theirs; JSON has null for one that there is not.
type Ratio float64

// MarshalJSON gives three decimals, or null.
func (r Ratio) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(r)) || math.IsInf(float64(r), 0) {
		return []byte("null"), nil
	}
	return fmt.Appendf(nil, "%.4f", float64(r)), nil
}

// String gives three decimals, or -.
func (r Ratio) String() string {
	if math.IsNaN(float64(r)) || math.IsInf(float64(r), 0) {
		return "-"
	}
	return fmt.Sprintf("%.3f", float64(r))
}

// Compare compares ours with a baseline: ours[i] is the shader of b.Rows[i],
// nil if it is not there. worst bounds the list of worst shaders of a column.
func Compare(b *Baseline, ours []*Shader, worst int) *Against {
	a := &Against{Refused: []Refusal{}, Absent: []string{}}
	cols := make([]Column, len(b.Keys)+1)
	for i, k := range b.Keys {
		cols[i].Name = k
	}
	last := &cols[len(b.Keys)]
	last.Name = timeKey
	for i := range b.Rows {
		r, s := &b.Rows[i], ours[i]
		if !a.count(r, s) {
			continue
		}
		for k := range b.Keys {
			theirs, ok := r.get(k)
			if v, have := ourFigure(s, b.Keys[k]); ok && have {
				cols[k].add(r.File, v, theirs)
			}
		}
		if s.Micros > 0 && r.Micros > 0 {
			last.add(r.File, int64(math.Round(s.Micros)), int64(math.Round(r.Micros)))
		}
	}
	for i := range cols {
		if len(cols[i].all) > 0 {
			cols[i].finish(worst)
			a.Columns = append(a.Columns, cols[i])
		}
	}
	return a
}

// count sorts a shader by who compiled it, and reports whether both did.
func (a *Against) count(r *BaselineRow, s *Shader) bool {
	there := r.Status == "ok"
	switch {
	case s == nil:
		a.Absent = append(a.Absent, r.File)
	case s.Error == "" && there:
		a.Compared++
		return true
	case s.Error == "":
		a.OnlyOurs++
	case there:
		a.Refused = append(a.Refused, Refusal{r.File, s.Error})
	default:
		a.BothRefused++
	}
	return false
}

func (c *Column) add(file string, ours, theirs int64) {
	c.Ours += ours
	c.Theirs += theirs
	if ours < theirs {
		c.Lower++
	} else if ours > theirs {
		c.Higher++
	}
	if ours > 0 && theirs > 0 {
		c.Ratios++
		c.logSum += math.Log(float64(ours) / float64(theirs))
	}
	c.all = append(c.all, Pair{file, ours, theirs})
}

// finish computes the ratios and picks the worst.
func (c *Column) finish(worst int) {
	c.Total = Ratio(float64(c.Ours) / float64(c.Theirs))
	c.GeoMean = Ratio(math.Exp(c.logSum / float64(c.Ratios)))
	if c.Ratios == 0 {
		c.GeoMean = Ratio(math.NaN())
	}
	if c.Theirs == 0 {
		c.Total = Ratio(math.NaN())
	}
	slices.SortStableFunc(c.all, func(x, y Pair) int {
		if d := cmp.Compare(y.ratio(), x.ratio()); d != 0 {
			return d
		}
		return cmp.Compare(y.Ours-y.Theirs, x.Ours-x.Theirs)
	})
	for _, p := range c.all[:min(worst, len(c.all))] {
		if p.Ours > p.Theirs {
			c.Worst = append(c.Worst, p)
		}
	}
}

// ratio orders pairs: where theirs is zero, anything is infinitely worse.
func (p Pair) ratio() float64 {
	if p.Theirs == 0 {
		if p.Ours == 0 {
			return 1
		}
		return math.Inf(1)
	}
	return float64(p.Ours) / float64(p.Theirs)
}

// Write writes the comparison for people; the worst shaders are those of the
// columns by.
func (a *Against) Write(out io.Writer, by []string) error {
	fmt.Fprintf(out, "%d compared; %d refused only here, %d only there, %d by both; %d absent\n", a.Compared, len(a.Refused), a.OnlyOurs, a.BothRefused, len(a.Absent))
	fmt.Fprintf(out, "ratio = ours / baseline: below 1 ours is lower; zeros count in the totals only\n\n")
	cells := [][]string{{"geomean", "total", "ours", "baseline", "lower", "higher", "ratios", "figure"}}
	for i := range a.Columns {
		c := &a.Columns[i]
		cells = append(cells, []string{c.GeoMean.String(), c.Total.String(), fmt.Sprint(c.Ours), fmt.Sprint(c.Theirs), fmt.Sprint(c.Lower), fmt.Sprint(c.Higher), fmt.Sprint(c.Ratios), c.Name})
	}
	if err := writeCells(out, cells); err != nil {
		return err
	}
	for _, name := range by {
		if err := a.writeWorst(out, name); err != nil {
			return err
		}
	}
	return a.writeRefused(out)
}

func (a *Against) writeWorst(out io.Writer, name string) error {
	i := slices.IndexFunc(a.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	c := &a.Columns[i]
	fmt.Fprintf(out, "\nworst by %s\n", name)
	cells := [][]string{{"ratio", "ours", "baseline", "shader"}}
	for _, p := range c.Worst {
		cells = append(cells, []string{Ratio(p.ratio()).String(), fmt.Sprint(p.Ours), fmt.Sprint(p.Theirs), p.File})
	}
	return writeCells(out, cells)
}

// writeRefused counts the reasons of refusals, the most frequent first.
func (a *Against) writeRefused(out io.Writer) error {
	if len(a.Refused) == 0 {
		return nil
	}
	type reason struct {
		text, file string
		n          int
	}
	var list []reason
	for _, r := range a.Refused {
		text, _, _ := strings.Cut(r.Error, "\n")
		if i := slices.IndexFunc(list, func(x reason) bool { return x.text == text }); i >= 0 {
			list[i].n++
			continue
		}
		list = append(list, reason{text, r.File, 1})
	}
	slices.SortStableFunc(list, func(x, y reason) int { return y.n - x.n })
	fmt.Fprintf(out, "\nrefused only here\n")
	cells := [][]string{{"shaders", "reason (first shader)"}}
	for _, r := range list {
		cells = append(cells, []string{fmt.Sprint(r.n), fmt.Sprintf("%s (%s)", r.text, r.file)})
	}
	return writeCells(out, cells)
}
