package main

import (
	"os"
	"strings"
	"testing"
)

var testFuncs = map[string]bool{"isConst": true, "helpDouble": true}

// TestRefused: each broken rule is refused, and for the reason that counts.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ what, rules, want string }{
		{"a variable of two sizes", "(iadd@32 a b@16) => a", "has 32 bits where 16 are due|16 bits where 32 are due"},
		{"one variable in places of two sizes", "(pack_64_2x32_split a a@64) => a", "a has two sizes"},
		{"a replacement of another size", "(u2u64 a@32) => (iadd a a) grows", "bits"},
		{"a size that only the replacement knows", "(iadd a b) => (u2u32 (u2u16 a)) grows", "write @"},
		{"a rule after its general form", "(iadd a 0) => a\n(iadd (ineg b) 0) => b", "never fires"},
		{"a rule after its commuted form", "(iadd a (ineg a)) => 0\n(iadd (ineg b) b) => 0", "never fires"},
		{"a rule after one with fewer conditions", "(imul a #b) => a if is_const(b)\n(imul a #b) => 0 if is_const(b), is_const(a)", "never fires"},
		{"costs that rise", "(imul a 3) => (iadd a (iadd a a))", "mark the rule grows"},
		{"costs of what stays", "(fneg (fadd a b)) => (fadd (fneg a) (fneg b))", "mark the rule grows"},
		{"an unknown operation", "(iaddd a 0) => a", "iaddd"},
		{"an unknown variable", "(iadd a 0) => b", "b is not in the pattern"},
		{"arity", "(iadd a) => a", "iadd"},
		{"an integer for a float", "(fadd a 0) => a", "write 0.0"},
		{"a float for an integer", "(iadd a 0.0) => a", "integer"},
		{"an unknown predicate", "(iadd a 0) => a if is_nice(a)", "no predicate is_nice"},
		{"an unknown option", "(iadd a 0) => a if opt.Nice", "no boolean Nice"},
		{"an unknown helper", "(iadd a #b) => {triple b}", "no helper triple"},
		{"a helper of no constant", "(iadd a b) => {double b}", "not a constant"},
		{"a width that contradicts", "(fdot3 (fdot2 a b) c) => c", "components|wide|widths"},
	} {
		_, err := compile([]source{{"x.rules", "section main\n" + c.rules + "\n"}}, testFuncs)
		if err == nil {
			t.Errorf("%s: not refused: %s", c.what, c.rules)
			continue
		}
		found := false
		for _, w := range strings.Split(c.want, "|") {
			found = found || strings.Contains(err.Error(), w)
		}
		if !found || !strings.Contains(err.Error(), "x.rules:") {
			t.Errorf("%s: %q, want %q with the line", c.what, err, c.want)
		}
	}
}

// TestTaken: what looks like the refused ones and is right.
func TestTaken(t *testing.T) {
	for _, rules := range []string{
		"(iadd@32 a b@32) => a",
		"(imul a 3) => (iadd a (iadd a a)) grows",
		"(fneg (fadd:once a b)) => (fadd (fneg a) b)",
		"(iadd a 0) => a\nsection late\n(iadd a 0) => a",
		"(iadd a #b) => {double b} if is_const(b)",
	} {
		if _, err := compile([]source{{"x.rules", "section main\n" + rules + "\n"}}, testFuncs); err != nil {
			t.Errorf("%s: %v", rules, err)
		}
	}
}

// TestGenerated: the tables are those of the rules.
func TestGenerated(t *testing.T) {
	dir := "../../../passes/algebraic"
	want, err := compileDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(dir + "/rules_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != string(want) {
		t.Error("passes/algebraic/rules_gen.go is not what go generate makes of the rules")
	}
}
