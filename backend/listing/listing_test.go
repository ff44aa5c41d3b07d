package listing

import (
	"maps"
	"slices"
	"testing"
)

func TestSplit(t *testing.T) {
	lines, labels, errs := Split("a: b:\n; nothing\n\tmov 1, 2 // moves\n c: add (p:1)\n\nend:a:", " (")
	if want := []Line{{3, "mov 1, 2"}, {4, "add (p:1)"}}; !slices.Equal(lines, want) {
		t.Errorf("lines %v", lines)
	}
	if want := map[string]int{"a": 2, "b": 0, "c": 1, "end": 2}; !maps.Equal(labels, want) {
		t.Errorf("labels %v", labels)
	}
	if len(errs) != 1 || errs[0].Error() != `line 6: label "a" is defined twice` {
		t.Errorf("errors %v", errs)
	}
}
