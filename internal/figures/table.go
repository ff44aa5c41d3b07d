package figures

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// usual are the columns that a table shows if there are such figures and
// none are asked for; CSV and JSON always have all.
var usual = []string{"total cycles", "longest cycles", "inst", "alu", "bundles", "quadwords", "nops", "regs", "half", "constlen", "uniforms", "waves", "threads", "(ss)", "(sy)", "sstall", "systall",
	"loops", "spills", "fills", "scratch", "code_bytes", "functions", "blocks", "instructions", "intrinsic", "tex"}

// Columns returns the columns for a table: those asked for, all for "all", or
// the usual ones that the set has. A name that the set does not have is an error.
func (s *Set) Columns(want []string) ([]string, error) {
	have := s.names()
	if slices.Equal(want, []string{"all"}) {
		return have, nil
	}
	if len(want) == 0 {
		var cols []string
		for _, n := range usual {
			if slices.Contains(have, n) {
				cols = append(cols, n)
			}
		}
		return cols, nil
	}
	for _, n := range want {
		if len(have) > 0 && !slices.Contains(have, n) {
			return nil, fmt.Errorf("no figure %q (have %s)", n, strings.Join(have, ", "))
		}
	}
	return want, nil
}

// WriteTable writes a table for people: a line a shader, the totals last.
func (s *Set) WriteTable(out io.Writer, cols []string) error {
	timed := slices.ContainsFunc(s.Shaders, func(sh Shader) bool { return sh.Micros > 0 })
	var cells [][]string
	head := append([]string(nil), cols...)
	if timed {
		head = append(head, "compile_us")
	}
	cells = append(cells, append(head, "shader"))
	sum := 0.0
	for i := range s.Shaders {
		sh := &s.Shaders[i]
		if sh.Error != "" {
			continue
		}
		var row []string
		for _, c := range cols {
			v, ok := sh.Get(c)
			row = append(row, cell(c, v, ok))
		}
		if timed {
			row = append(row, fmt.Sprintf("%.0f", sh.Micros))
			sum += sh.Micros
		}
		name := strings.TrimSpace(fmt.Sprintf("%s  %s %s %s", sh.Label(), sh.Stage, sh.Target, sh.GPU))
		if sh.Bound != "" {
			name += "; " + sh.Bound
		}
		cells = append(cells, append(row, name))
	}
	total := Shader{Stats: s.Total}
	var row []string
	for _, c := range cols {
		v, ok := total.Get(c)
		row = append(row, cell(c, v, ok))
	}
	if timed {
		row = append(row, fmt.Sprintf("%.0f", sum))
	}
	cells = append(cells, append(row, fmt.Sprintf("total of %d shaders, %d failed", len(s.Shaders)-s.Failed, s.Failed)))
	return writeCells(out, cells)
}

func cell(name string, v int64, ok bool) string {
	if !ok {
		return "-"
	}
	return format(name, v)
}

// writeCells aligns all columns right but the last.
func writeCells(out io.Writer, cells [][]string) error {
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', tabwriter.AlignRight)
	for _, row := range cells {
		last := len(row) - 1
		fmt.Fprintf(w, "%s\t  %s\n", strings.Join(row[:last], "\t"), row[last])
	}
	return w.Flush()
}

// WriteCSV writes a header and a line a shader, with all figures that any
// shader has; what a shader does not have is empty.
func (s *Set) WriteCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	head := []string{"file", "entry", "stage", "target", "gpu", "error", "compile_us"}
	names := s.names()
	head = append(head, names...)
	w.Write(head)
	for i := range s.Shaders {
		sh := &s.Shaders[i]
		row := []string{sh.File, sh.Entry, sh.Stage, sh.Target, sh.GPU, sh.Error, ""}
		if sh.Micros > 0 {
			row[6] = strconv.FormatFloat(sh.Micros, 'f', 1, 64)
		}
		for _, name := range names {
			text := ""
			if v, ok := sh.Get(name); ok {
				text = strconv.FormatInt(v, 10)
			}
			row = append(row, text)
		}
		w.Write(row)
	}
	w.Flush()
	return w.Error()
}
