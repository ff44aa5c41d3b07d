package doccheck

import (
	"strings"
	"testing"
)

const root = "../.."

func tree(t *testing.T) []Passage {
	t.Helper()
	list, err := Passages(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 10000 {
		t.Fatalf("only %d passages", len(list))
	}
	return list
}

// Each citation in a comment or a page leads to a heading that is there.
func TestCitations(t *testing.T) {
	checked, wrong, err := Check(root, tree(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range wrong {
		t.Error(w)
	}
	t.Logf("%d citations checked", checked)
	if checked < 200 {
		t.Errorf("only %d citations found", checked)
	}
}

// What Check must find, and what it must not.
func TestCheckFinds(t *testing.T) {
	for text, want := range map[string]string{
		"as said (ir3.md §8.3, step 3)":          "",
		"ir3.md §4.3 and 4.4":                    "",
		"midgard.md §2 to 6 and 12.":             "",
		"ir3.md §4.3 and 4.99":                   "no heading 4.99",
		"agx.md §99":                             "no heading 99",
		"as said (§4.3)":                         "names no page",
		"abi.md §4":                              "names no page",
		"see section 4.3":                        "has the form",
		"Sections 2 to 4 of the reference":       "has the form",
		"from the project's Midgard reference, ": "has the form",
	} {
		_, wrong, err := Check(root, []Passage{{File: "x.go", Line: 1, Text: text}})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(wrong, "\n")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	// A page may cite itself.
	if n, wrong, _ := Check(root, []Passage{{File: Pages["agx.md"], Line: 1, Text: "see §6"}}); n != 1 || wrong != nil {
		t.Errorf("%d, %v", n, wrong)
	}
}
