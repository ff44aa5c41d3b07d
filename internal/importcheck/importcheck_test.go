package importcheck

import (
	"os/exec"
	"strings"
	"testing"
)

// TestImportGraph applies the rules to the module.
func TestImportGraph(t *testing.T) {
	cmd := exec.Command("go", "list", "-e", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		f := strings.Fields(line)
		n++
		for _, w := range Check(f[0], f[1:]) {
			t.Error(w)
		}
	}
	if n < 10 {
		t.Errorf("only %d packages listed", n)
	}
}

// TestRules: what design forbids is found, what it allows is not.
func TestRules(t *testing.T) {
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
		if wrong := Check(c.pkg, []string{c.imp}); (len(wrong) == 0) != c.ok {
			t.Errorf("%s imports %s: %v", c.pkg, c.imp, wrong)
		}
	}
}
