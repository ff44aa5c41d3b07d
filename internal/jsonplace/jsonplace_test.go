package jsonplace

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestExplain(t *testing.T) {
	type inner struct {
		Size uint8  `json:"size"`
		Name string `json:"name"`
		On   bool   `json:"on"`
		At   int32  `json:"at"`
	}
	for _, c := range []struct {
		data string
		line int
		text string
	}{
		{"{\n\"list\": [\n{\"size\": 300}]}", 3, "list.size: want a number from 0 on of 8 bits, have number 300"},
		{"{\"list\": [{\"name\": 7}]}", 1, "list.name: want a string, have number"},
		{"{\"list\": [\n\n{\"on\": 7}]}", 3, "list.on: want true or false, have number"},
		{"{\"list\": [{\"at\": 1.5}]}", 1, "list.at: want a whole number of 32 bits, have number 1.5"},
		{"{\n\"list\": 3}", 2, "list: want a list, have number"},
		{"\n7", 2, "the text: want an object, have number"},
		{"{\n\n\"list\": x}", 3, "invalid character 'x' looking for beginning of value"},
		{"{\n\"list\": [\n", 2, "the text ends early"},
		{"", 1, "the text ends early"},
		{"{\n\"list\": [],\n\"other\": 1}", 3, `unknown field "other"`},
	} {
		var v struct {
			List []inner `json:"list"`
		}
		d := json.NewDecoder(strings.NewReader(c.data))
		d.DisallowUnknownFields()
		err := d.Decode(&v)
		if err == nil {
			t.Errorf("%q is taken", c.data)
			continue
		}
		if line, text := Explain([]byte(c.data), err); line != c.line || !strings.HasSuffix(text, c.text) {
			t.Errorf("%q: line %d, %q; want line %d, %q", c.data, line, text, c.line, c.text)
		}
	}
}
