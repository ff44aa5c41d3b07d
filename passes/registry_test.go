package passes

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// homes are the files of passes that share one, with what they share.
var homes = map[string]struct{ file, why string }{
	"opt_algebraic_late":                {"opt_algebraic.go", "the matcher; the rules stand in algebraic/rules"},
	"opt_algebraic_distribute_src_mods": {"opt_algebraic.go", "the matcher"},
	"opt_algebraic_before_ffma":         {"opt_algebraic.go", "the matcher"},
	"opt_algebraic_before_lower_int64":  {"opt_algebraic.go", "the matcher"},
	"lower_alpha_test":                  {"lower_alpha.go", "Go takes files that end in _test.go for tests"},
	"lower_flrp":                        {"opt_algebraic.go", "the matcher"},
	"lower_frexp":                       {"opt_algebraic.go", "the matcher"},
}

// TestRegistry: the list of passes is sorted, and each pass stands in the file
// of its name.
func TestRegistry(t *testing.T) {
	all := Registry()
	byName := func(a, b *Pass) int { return strings.Compare(a.Name, b.Name) }
	if !slices.IsSortedFunc(all, byName) {
		t.Error("the registry is not sorted by name")
	}
	for i, p := range all {
		if i > 0 && all[i-1].Name == p.Name {
			t.Errorf("%s is registered twice", p.Name)
		}
		file := p.Name + ".go"
		if h, ok := homes[p.Name]; ok {
			file = h.file
		}
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), `"`+p.Name+`"`) {
			t.Errorf("%s does not stand in %s", p.Name, file)
		}
	}
	for name := range homes {
		if Find(name) == nil {
			t.Errorf("there is no pass %s", name)
		}
	}
}
