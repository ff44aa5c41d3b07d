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

// TestMetadataIsDocumented: docs/abi.md names all that a target's metadata has, in the target's section or in what holds for all, and of what Mesa's driver takes
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
		driver := map[string]string{"ir3": "turnip", "AGX": "honeykrisp", "Midgard": "panfrost"}[name]
		checkDriver(t, name, driver, sections[name], keys)
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

// checkDriver follows the right column of the table of what a driver takes to the metadata.
func checkDriver(t *testing.T, target, driver, section string, keys map[string]bool) {
	_, table, ok := strings.Cut(section, "| "+driver+" takes | here |\n| --- | --- |\n")
	table, _, _ = strings.Cut(strings.TrimSuffix(table, "\n"), "\n\n")
	if !ok {
		t.Fatalf("docs/abi.md has no table of what %s takes", driver)
	}
	for _, row := range strings.Split(table, "\n") {
		cells := strings.Split(row, "|")
		if len(cells) != 4 {
			t.Fatalf("%q is no row of two cells", row)
		}
		for _, m := range codeWord.FindAllStringSubmatch(cells[2], -1) {
			if !keys[m[1]] {
				t.Errorf("docs/abi.md: the metadata of %s has no %s", target, m[1])
			}
		}
	}
}
