package jsonplace

import (
	"bytes"
	"encoding/json"
)

// Indented is JSON for people: a member a line, and no character written as an escape that need not be.
func Indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}
