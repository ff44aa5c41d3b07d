package prove

import (
	"os"
	"path/filepath"
	"testing"

	"nirc"
	"nirc/ir"
)

// forms are where our modules are, as the root of the repository sees them: those of tests and tutorials, of what few shaders do,
// and of single features in assembly.
var forms = []string{"testdata/*.spv", "testdata/asm/*.spvasm", "internal/prove/code/testdata/forms/*.spv", "internal/prove/grids/testdata/asm/*.spvasm",
	"frontend/spirv/testdata/asm/*.spvasm"}

// EachForm calls do for each entry point of our modules and for each stage that may follow it; of modules that differ in their size
// alone the small one counts. root is the way to the repository.
func EachForm(t *testing.T, root string, do func(file string, m *nirc.Module, o nirc.Options)) {
	for _, pattern := range forms {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no modules %s: %v", pattern, err)
		}
		for _, file := range files {
			if ok, _ := filepath.Match("crowded_*_many.spv", filepath.Base(file)); ok {
				continue
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m, err := nirc.Load(data, filepath.Base(file))
			if err != nil {
				continue // a text whose words a test of its own puts in
			}
			for _, e := range m.EntryPoints() {
				for _, next := range followers(e.Stage) {
					do(filepath.Base(file), m, nirc.Options{Entry: e.Name, Stage: e.Stage, Next: next})
				}
			}
		}
	}
}

// followers are the stages that may follow a stage.
func followers(stage ir.Stage) []ir.Stage {
	switch stage {
	case ir.StageVertex:
		return []ir.Stage{ir.StageNone, ir.StageTessCtrl, ir.StageGeometry}
	case ir.StageTessEval:
		return []ir.Stage{ir.StageNone, ir.StageGeometry}
	}
	return []ir.Stage{ir.StageNone}
}
