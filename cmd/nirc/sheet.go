package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"nirc"
	"nirc/internal/jsonplace"
)

// head begins every JSON document: the number of its schema, and what it is. docs/schemas has a JSON Schema of each.
// The number changes when a member goes or changes its meaning; members may be added under the same number.
type head struct {
	Schema int    `json:"schema"`
	Kind   string `json:"kind"`
}

// sheet is a report as rows and columns.
type sheet struct {
	columns []string
	rows    [][]string
}

// add adds a row of strings and numbers.
func (t *sheet) add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.rows = append(t.rows, row)
}

// sheetOf makes a sheet of a document: a row an element of its first list of objects, whose numbers and words are the columns, or,
// without one, a row a number and word of the document.
func sheetOf(doc any) (*sheet, error) {
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	var top jsonObject
	if err := json.Unmarshal(text, &top); err != nil {
		return nil, err
	}
	flat := &sheet{columns: []string{"name", "value"}}
	for _, m := range top {
		var list []jsonObject
		if json.Unmarshal(m.value, &list) == nil && m.value[0] == '[' {
			return sheetOfList(list), nil
		}
		if v, ok := scalar(m.value); ok && m.name != "schema" && m.name != "kind" {
			flat.add(m.name, v)
		}
	}
	return flat, nil
}

// sheetOfList has the scalars of objects, in the order in which they first come; those of objects in them as outer.inner.
func sheetOfList(list []jsonObject) *sheet {
	t := &sheet{}
	at := map[string]int{}
	for _, o := range list {
		row := make([]string, len(t.columns))
		o.visit("", func(name, v string) {
			i, ok := at[name]
			if !ok {
				i = len(t.columns)
				at[name], t.columns, row = i, append(t.columns, name), append(row, "")
			}
			row[i] = v
		})
		t.rows = append(t.rows, row)
	}
	for i, row := range t.rows {
		t.rows[i] = append(row, make([]string, len(t.columns)-len(row))...)
	}
	return t
}

// jsonObject is an object of JSON, its members in order.
type jsonObject []member

type member struct {
	name  string
	value json.RawMessage
}

// UnmarshalJSON reads an object.
func (o *jsonObject) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("want an object")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		m := member{name: name.(string)} // keys are strings
		if err := d.Decode(&m.value); err != nil {
			return err
		}
		*o = append(*o, m)
	}
	return nil
}

// visit calls f for the scalars of an object and of those in it.
func (o jsonObject) visit(prefix string, f func(name, value string)) {
	for _, m := range o {
		var inner jsonObject
		if v, ok := scalar(m.value); ok {
			f(prefix+m.name, v)
		} else if json.Unmarshal(m.value, &inner) == nil {
			inner.visit(prefix+m.name+".", f)
		}
	}
}

// scalar is the text of a value that is neither a list nor an object.
func scalar(value json.RawMessage) (string, bool) {
	var v any
	if json.Unmarshal(value, &v) != nil {
		return "", false
	}
	switch v := v.(type) {
	case string:
		return v, true
	case nil:
		return "", true
	case bool, float64:
		return string(value), true
	}
	return "", false
}

// form is the form of the report that --format and --json ask for.
func (s *shared) form() (string, error) {
	if !s.asJSON {
		return s.format, nil
	}
	if s.format != "json" && s.format != "table" {
		return "", nirc.Usagef("--json and --format %s exclude each other", s.format)
	}
	return "json", nil
}

// present writes a report in the form that is asked for: doc as JSON, t as CSV and Markdown. A table for people is text
// where that is not nil, else t without its heads.
func (a *app) present(s *shared, doc any, t *sheet, text func(io.Writer) error) error {
	form, err := s.form()
	switch {
	case err != nil:
		return err
	case form == "json":
		return a.writeJSON(doc)
	case form == "csv":
		return ioError(t.csv(a.out))
	case form == "markdown":
		return ioError(t.markdown(a.out))
	case text != nil:
		return ioError(text(a.out))
	}
	return ioError(t.table(a.out))
}

// table writes the rows aligned.
func (t *sheet) table(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range t.rows {
		fmt.Fprintln(w, strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	return w.Flush()
}

func (t *sheet) csv(out io.Writer) error {
	w := csv.NewWriter(out)
	if err := w.Write(t.columns); err != nil {
		return err
	}
	return w.WriteAll(t.rows)
}

// markdown writes a table of Markdown, as the comment of a pull request takes it.
func (t *sheet) markdown(out io.Writer) error {
	cell := strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;")
	line := func(cells []string) string {
		var b strings.Builder
		for _, c := range cells {
			b.WriteString("| " + cell.Replace(c) + " ")
		}
		return b.String() + "|\n"
	}
	var b strings.Builder
	b.WriteString(line(t.columns) + strings.Repeat("| --- ", len(t.columns)) + "|\n")
	for _, row := range t.rows {
		b.WriteString(line(row))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// written is called with each JSON document; tests set it.
var written = func(doc any) {}

// writeJSON writes v indented, for people and programs.
func (a *app) writeJSON(v any) error {
	written(v)
	text, err := jsonplace.Indented(v)
	if err == nil {
		_, err = a.out.Write(text)
	}
	return ioError(err)
}

func ioError(err error) error {
	if err != nil {
		return &nirc.IOError{Err: err}
	}
	return nil
}
