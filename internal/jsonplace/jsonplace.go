// Package jsonplace says in plain words, and by the line, what is wrong with a
// JSON text that people write or change by hand. It knows errors of encoding/json alone.
package jsonplace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Explain returns the line of data, from 1, that an error of encoding/json is
// about, and the error without the words of Go's types. The line is 0 if it is not known.
func Explain(data []byte, err error) (line int, text string) {
	var (
		syntax *json.SyntaxError
		kind   *json.UnmarshalTypeError
	)
	switch {
	case errors.As(err, &syntax):
		return lineAt(data, syntax.Offset), syntax.Error()
	case errors.As(err, &kind):
		field := kind.Field
		if field == "" {
			field = "the text"
		}
		return lineAt(data, kind.Offset), fmt.Sprintf("%s: want %s, have %s", field, wanted(kind.Type), kind.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return lineAt(data, int64(len(data))), "the text ends early"
	}
	text = strings.TrimPrefix(err.Error(), "json: ")
	if field, ok := strings.CutPrefix(text, "unknown field "); ok {
		if at := bytes.Index(data, []byte(field)); at >= 0 {
			line = lineAt(data, int64(at)+1)
		}
	}
	return line, text
}

// lineAt is the line of the last of the first n bytes.
func lineAt(data []byte, n int64) int {
	n = max(0, min(n-1, int64(len(data))))
	return 1 + bytes.Count(data[:n], []byte{'\n'})
}

// wanted is what JSON calls a value of a type.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint:
		return fmt.Sprintf("a number from 0 on of %d bits", t.Bits())
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		return fmt.Sprintf("a whole number of %d bits", t.Bits())
	}
	return "a number"
}

// Line is the line, from 1, of the byte at an offset, the last one's beyond the end.
func Line(data []byte, offset int64) int { return lineAt(data, offset+1) }

// Find returns the line of the value at a path of names and indices, of its deepest part that is
// there; 0 if data is no JSON.
func Find(data []byte, path ...any) int {
	d := json.NewDecoder(bytes.NewReader(data))
	line := 0
	for {
		t, err := d.Token()
		if err != nil {
			return line
		}
		end := d.InputOffset()
		line = lineAt(data, end)
		if len(path) == 0 || !enter(d, t, path[0]) {
			return line
		}
		path = path[1:]
	}
}

// enter goes to the value of a name or an index in the object or list that t opens.
func enter(d *json.Decoder, t json.Token, step any) bool {
	open, _ := t.(json.Delim)
	for n := 0; d.More(); n++ {
		if open == '{' {
			name, err := d.Token()
			if err != nil {
				return false
			}
			if name == step {
				return true
			}
		} else if open != '[' || n == step {
			return open == '['
		}
		var skipped json.RawMessage
		if d.Decode(&skipped) != nil {
			return false
		}
	}
	return false
}
