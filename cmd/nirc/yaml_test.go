package main

import (
	"fmt"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestYAMLText: what is written is read as it was, alone and in a list.
func TestYAMLText(t *testing.T) {
	for _, v := range []string{"", "a", "ir3", "true", "yes", "on", "~", "null", "0", "7", "010", "0x10", "0o7", "1e3", "1_000", ".5", ".inf", "2001-01-01", "-", "- a", "? a", "a: b", "a:", ":a", "a #b", "#a",
		" a", "a ", "'", "it's", "\"a\"", "\\n", "a,b", "[a", "{a}", "&a", "*a", "!a", "!!str a", "|", ">", "%a", "@a", "`a`", "<<", "=", "a\tb", "a\nb", "\n", "a\r\nb", "\x01", "\u00a0a", "a\u2028b", "\ufeffa", "ä…", "---", "..."} {
		var doc map[string]any
		text := "a: " + yamlText(v) + "\nb: [" + yamlText(v) + ", " + yamlText(v) + "]\n"
		if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
			t.Errorf("%q: %v", v, err)
			continue
		}
		if list, _ := doc["b"].([]any); fmt.Sprint(doc["a"]) != v || len(list) != 2 || fmt.Sprint(list[0]) != v || fmt.Sprint(list[1]) != v {
			t.Errorf("%q: %s was read as %q, %q", v, text, doc["a"], doc["b"])
		}
	}
}
