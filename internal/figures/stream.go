package figures

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Layout says in what form figures are written, and which.
type Layout struct {
	// Form is table, json, csv or markdown.
	Form string
	// Columns are those of a table; CSV has All, JSON what each shader has.
	Columns, All []string
	// Timed says that compile times were measured.
	Timed bool
}

// NewLayout chooses the columns for targets: those that are wanted, all for "all", without a wish the usual ones. Of a
// timed run the modelled figures are not known.
func NewLayout(form string, want, targets []string, timed bool) *Layout {
	l := &Layout{Form: form, Timed: timed}
	for i := range Figures() {
		f := &Figures()[i]
		if slices.ContainsFunc(targets, f.Of) && !(timed && strings.HasSuffix(f.Name, " cycles")) {
			l.All = append(l.All, f.Name)
		}
	}
	switch {
	case slices.Equal(want, []string{"all"}):
		l.Columns = l.All
	case len(want) > 0:
		l.Columns, l.All = want, want
	default:
		for _, n := range usual {
			if slices.Contains(l.All, n) {
				l.Columns = append(l.Columns, n)
			}
		}
	}
	return l
}

// Stream writes shaders as they come, and their totals at the end.
type Stream struct {
	set    Set
	layout *Layout
	w      io.Writer
	csv    *csv.Writer
	begun  bool
	n      int
	micros float64
}

// NewStream begins the output of this compiler's figures at an optimisation level.
func NewStream(w io.Writer, level string, l *Layout) *Stream {
	return &Stream{set: *New(level), layout: l, w: w, csv: csv.NewWriter(w)}
}

// Add writes a shader.
func (t *Stream) Add(sh Shader) error {
	if err := t.begin(); err != nil {
		return err
	}
	t.set.count(&sh)
	t.micros += sh.Micros
	defer func() { t.n++ }()
	switch t.layout.Form {
	case "json":
		comma := ","
		if t.n == 0 {
			comma = ""
		}
		return t.member(comma+"\n  ", "  ", sh)
	case "csv":
		t.csv.Write(t.csvRow(&sh)) // Flush returns the error
		t.csv.Flush()
		return t.csv.Error()
	}
	if sh.Error != "" {
		return nil
	}
	name := strings.TrimSpace(fmt.Sprintf("%s  %s %s %s", sh.Label(), sh.Stage, sh.Target, sh.GPU))
	if sh.Bound != "" {
		name += "; " + sh.Bound
	}
	return t.line(t.cells(&sh, sh.Micros), name)
}

// Close writes the totals.
func (t *Stream) Close() error {
	if err := t.begin(); err != nil {
		return err
	}
	switch t.layout.Form {
	case "csv":
		t.csv.Flush()
		return t.csv.Error()
	case "json":
		end := "\n ],\n \"total\": "
		if t.n == 0 {
			end = "],\n \"total\": "
		}
		if err := t.member(end, " ", t.set.Total); err != nil {
			return err
		}
		_, err := fmt.Fprintf(t.w, ",\n \"failed\": %d\n}\n", t.set.Failed)
		return err
	}
	return t.line(t.cells(&Shader{Stats: t.set.Total}, t.micros), fmt.Sprintf("total of %d shaders, %d failed", t.n-t.set.Failed, t.set.Failed))
}

// begin writes what stands before the first shader.
func (t *Stream) begin() error {
	if t.begun {
		return nil
	}
	t.begun = true
	head := t.layout.Columns
	if t.layout.Timed {
		head = append(slices.Clone(head), timeKey)
	}
	switch t.layout.Form {
	case "json":
		_, err := fmt.Fprintf(t.w, "{\n \"schema\": %d,\n \"kind\": %q,\n \"version\": %q,\n \"level\": %q,\n \"shaders\": [", Schema, Kind, t.set.Version, t.set.Level)
		return err
	case "csv":
		t.csv.Write(append([]string{"file", "entry", "stage", "target", "gpu", "error", timeKey}, t.layout.All...)) // Flush returns the error
		return nil
	case "markdown":
		if err := t.line(head, "shader"); err != nil {
			return err
		}
		_, err := io.WriteString(t.w, strings.Repeat("| ---: ", len(head))+"| --- |\n")
		return err
	}
	return t.line(head, "shader")
}

// member writes a value of the document, after what goes before it.
func (t *Stream) member(before, indent string, v any) error {
	var b strings.Builder
	b.WriteString(before)
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(indent, " ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(t.w, strings.TrimSuffix(b.String(), "\n"))
	return err
}

func (t *Stream) csvRow(sh *Shader) []string {
	row := []string{sh.File, sh.Entry, sh.Stage, sh.Target, sh.GPU, sh.Error, ""}
	if sh.Micros > 0 {
		row[6] = strconv.FormatFloat(sh.Micros, 'f', 1, 64)
	}
	for _, name := range t.layout.All {
		text := ""
		if v, ok := sh.Get(name); ok {
			text = strconv.FormatInt(v, 10)
		}
		row = append(row, text)
	}
	return row
}

// cells are a shader's figures in the columns.
func (t *Stream) cells(sh *Shader, micros float64) []string {
	var row []string
	for _, c := range t.layout.Columns {
		v, ok := sh.Get(c)
		row = append(row, cell(c, v, ok))
	}
	if t.layout.Timed {
		row = append(row, fmt.Sprintf("%.0f", micros))
	}
	return row
}

// narrow is the least width of a column of a table, whose figures come one by one.
const narrow = 7

// line writes a line of a table, aligned right except for the last column, or of Markdown.
func (t *Stream) line(cells []string, last string) error {
	var b strings.Builder
	if t.layout.Form == "markdown" {
		for _, c := range append(slices.Clone(cells), last) {
			b.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
	} else {
		head := t.layout.Columns
		for i, c := range cells {
			width := narrow
			if i < len(head) {
				width = max(width, len(head[i]))
			} else {
				width = len(timeKey)
			}
			if i > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "%*s", width, c)
		}
		b.WriteString("  " + last + "\n")
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

// WriteStream writes a whole set.
func (s *Set) WriteStream(w io.Writer, l *Layout) error {
	t := NewStream(w, s.Level, l)
	for _, sh := range s.Shaders {
		if err := t.Add(sh); err != nil {
			return err
		}
	}
	return t.Close()
}
