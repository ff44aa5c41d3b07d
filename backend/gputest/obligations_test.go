package gputest

import (
	"strings"
	"testing"
)

// What does not fit between a table of obligations and the switches is found.
func TestObligationTables(t *testing.T) {
	const head = "# 1\n\n| obligation | met by | else | test |\n|---|---|---|---|\n"
	known := func(name string) bool { return name == "TestA" || name == "internal/emu TestB" }
	for _, c := range []struct{ rows, want string }{
		{"| a | f | - | `faultA`, TestA |\n| b | g | - | internal/emu TestB; no switch: it is refused |\n\nMore.", ""},
		{"| a | f | - | `faultA`, `faultB` |\n", `"a" names faultB, which fault.go has not`},
		{"| a | f | - | `faultA`, TestC |\n", `"a" names TestC, which is neither a test nor a file`},
		{"| a | f | - | TestA; no switch: refused |\n", `no row names faultA`},
		{"| a | f | - | `faultA` |\n| b | f | - | TestA |\n", `"b" has no switch, and not both a test and the reason`},
		{"| a | f | - | `faultA`; no switch: refused |\n", `"a" has a switch and a reason to have none`},
		{"| a | f | `faultA` |\n", `3 cells instead of 4: | a | f | ` + "`faultA` |"},
	} {
		var got []string
		rows, err := parseObligations(head + c.rows)
		if err != nil {
			got = append(got, err.Error())
		} else {
			o := &Obligations{rows: rows, switches: []string{"faultA"}}
			got = o.problems(known)
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s: %q, want %q", c.rows, got, c.want)
		}
	}
	if _, err := parseObligations("# 1\n"); err == nil {
		t.Error("a page without a table is read")
	}
}
