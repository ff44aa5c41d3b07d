package nirc_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	agx "nirc/backend/agx/abi"
	ir3 "nirc/backend/ir3/abi"
	midgard "nirc/backend/midgard/abi"
)

// TestMetadataIsDocumented: docs/abi.md names all that a target's metadata has, in the target's section or in what holds for all, and of what turnip takes
// it names nothing that is not there.
func TestMetadataIsDocumented(t *testing.T) {
	text, err := os.ReadFile("docs/abi.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, s := range strings.Split(string(text), "\n## ") {
		title, body, _ := strings.Cut(s, "\n")
		name, _, _ := strings.Cut(title, " (")
		sections[name] = body
	}
	for name, meta := range map[string]any{"ir3": ir3.Meta{}, "AGX": agx.Meta{}, "Midgard": midgard.Meta{}} {
		keys := metaKeys(meta)
		for key := range keys {
			if word := "`" + key + "`"; !strings.Contains(sections[name], word) && !strings.Contains(sections["All targets"], word) {
				t.Errorf("docs/abi.md, %s: nothing about %s", name, word)
			}
		}
		if name == "ir3" {
			checkTurnip(t, sections[name], keys)
		}
	}
}

// metaKeys are the names that a Meta has in JSON.
func metaKeys(meta any) map[string]bool {
	keys := map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(meta)) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys[key] = true
	}
	return keys
}

var codeWord = regexp.MustCompile("`([^`]+)`")

// checkTurnip follows the right column of the table of what turnip takes to the metadata.
func checkTurnip(t *testing.T, section string, keys map[string]bool) {
	_, table, ok := strings.Cut(section, "| turnip takes | here |\n| --- | --- |\n")
	table, _, end := strings.Cut(table, "\n\n")
	if !ok || !end {
		t.Fatal("docs/abi.md has no table of what turnip takes")
	}
	for _, row := range strings.Split(table, "\n") {
		cells := strings.Split(row, "|")
		if len(cells) != 4 {
			t.Fatalf("%q is no row of two cells", row)
		}
		for _, m := range codeWord.FindAllStringSubmatch(cells[2], -1) {
			if !keys[m[1]] {
				t.Errorf("docs/abi.md: ir3's metadata has no %s", m[1])
			}
		}
	}
}
