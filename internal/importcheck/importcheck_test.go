package importcheck

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// rooms reads the table.
func rooms(t *testing.T) Rooms {
	text, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	list, err := Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestImportGraph applies the table to the module. Each room has a package.
func TestImportGraph(t *testing.T) {
	cmd := exec.Command("go", "list", "-e", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	rooms, used := rooms(t), map[*Room]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		f := strings.Fields(line)
		for _, w := range rooms.Check(f[0], f[1:]) {
			t.Error(w)
		}
		r, _ := rooms.Of(strings.TrimPrefix(strings.TrimPrefix(f[0], module), "/"))
		used[r] = true
	}
	for i := range rooms {
		if !used[&rooms[i]] {
			t.Errorf("no package is in the room %q", rooms[i].Forms)
		}
	}
}

// TestRules: what the design forbids is found, what it allows is not.
func TestRules(t *testing.T) {
	rooms := rooms(t)
	for _, c := range []struct {
		pkg, imp string
		ok       bool
	}{
		{"nirc/ir", "nirc/ir/optab", true},
		{"nirc/ir", "fmt", true},
		{"nirc/ir", "nirc/internal/emu", false},
		{"nirc/ir", "nirc/passes", false},
		{"nirc/ir/optab", "nirc/ir", false},
		{"nirc/frontend/spirv", "nirc/frontend/spirv/spv", true},
		{"nirc/frontend/spirv", "nirc/passes", false},
		{"nirc/frontend/spirv/spv", "nirc/backend", false},
		{"nirc/passes", "nirc/passes/analysis", true},
		{"nirc/passes", "go.yaml.in/yaml/v3", true},
		{"nirc/passes/algebraic", "nirc/backend", false},
		{"nirc/passes", "nirc/ir/irtest", false},
		{"nirc/internal/emu", "nirc/ir", true},
		{"nirc/internal/emu", "nirc/backend/ir3/core", false},
		{"nirc/backend/mach", "nirc/ir", false},
		{"nirc/backend/ir3", "nirc/backend/ir3/isa", true},
		{"nirc/backend/ir3", "nirc/backend/mach", true},
		{"nirc/backend/ir3", "nirc/backend/agx", false},
		{"nirc/backend/ir3", "nirc/backend/agx/isa", false},
		{"nirc/backend/ir3/core", "nirc/backend/midgard/isa", false},
		{"nirc/backend/ir3/isa", "nirc/ir", false},
		{"nirc/backend/agx/core", "nirc/backend/agx/isa", true},
		{"nirc/backend/agx", "nirc/frontend/spirv", false},
		{"nirc/backend/agx", "github.com/spf13/cobra", false},
		{"nirc/internal/amber", "nirc/frontend/spirv", false},
		{"nirc/internal/amber", "nirc/frontend/spirv/spv", true},
		{"nirc/internal/amber", "nirc/backend/ir3", false},
		{"nirc", "nirc/backend/ir3", true},
		{"nirc", "nirc/cmd/nirc", false},
		{"nirc", "github.com/spf13/viper", false},
		{"nirc/cmd/nirc", "github.com/spf13/viper", true},
		{"nirc/cmd/nirc", "nirc/internal/amber", true},
		{"nirc/internal/bench", "nirc", true},
		{"nirc/internal/bench", "nirc/backend/ir3", false},
		{"nirc/attic", "fmt", false},
	} {
		if wrong := rooms.Check(c.pkg, []string{c.imp}); (len(wrong) == 0) != c.ok {
			t.Errorf("%s imports %s: %v", c.pkg, c.imp, wrong)
		}
	}
}

// TestParse: a table that says nothing is an error.
func TestParse(t *testing.T) {
	for _, text := range []string{"", "\n| room | holds | may import |\n| --- | --- | --- |\n| `a` | b |", "\n| room | holds | may import |\n| --- | --- | --- |\n| `a` | b | whatever |"} {
		if l, err := Parse(text); err == nil {
			t.Errorf("%q: %+v", text, l)
		}
	}
}
