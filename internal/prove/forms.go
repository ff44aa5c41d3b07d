package prove

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/gputest"
	"nirc/internal/amber"
	"nirc/ir"
)

// forms are where our modules are, as the root of the repository sees them: those of tests and tutorials, of what few shaders do,
// and of single features in assembly.
var forms = []string{"testdata/*.spv", "testdata/asm/*.spvasm", "internal/prove/code/testdata/forms/*.spv", "internal/prove/grids/testdata/asm/*.spvasm",
	"frontend/spirv/testdata/asm/*.spvasm"}

// parameters are words that tests put into assembly, with what is there in the forms.
var parameters = strings.NewReplacer("WSET", "0", "WBINDING", "3", "RSET", "0", "RBINDING", "5", "INDEX", "%c1")

// EachForm calls do for each entry point of our modules, of the shaders that scripts have as assembly among them, and for each stage
// that may follow it; of modules that differ in their size alone the small one counts. root is the way to the repository.
func EachForm(t *testing.T, root string, do func(file string, m *nirc.Module, o nirc.Options)) {
	for _, pattern := range forms {
		for _, file := range files(t, root, pattern) {
			if ok, _ := filepath.Match("crowded_*_many.spv", filepath.Base(file)); ok {
				continue
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Ext(file) == ".spvasm" {
				data = []byte(parameters.Replace(string(data)))
			}
			eachEntry(filepath.Base(file), data, do)
		}
	}
	for _, file := range files(t, root, "testdata/*.amber") {
		for i, sh := range Script(t, file).Shaders {
			if sh.Format == amber.FormatSpirvAsm {
				eachEntry(fmt.Sprintf("%s %d.spvasm", filepath.Base(file), i), []byte(sh.Source), do)
			}
		}
	}
}

func files(t *testing.T, root, pattern string) []string {
	list, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil || len(list) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	return list
}

// eachEntry calls do for the entry points of a module, if it is one: some assembly is for tests that make modules of it.
func eachEntry(name string, data []byte, do func(file string, m *nirc.Module, o nirc.Options)) {
	m, err := nirc.Load(data, name)
	if err != nil {
		return
	}
	for _, e := range m.EntryPoints() {
		for _, next := range followers(e.Stage) {
			do(name, m, nirc.Options{Entry: e.Name, Stage: e.Stage, Next: next})
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

// HoldObject holds the steps of a compile, its object and what that costs.
func HoldObject(t *testing.T, h *gputest.HeldSteps, name string, m *nirc.Module, o nirc.Options) {
	t.Helper()
	o.Run = h.Shader(fmt.Sprintf("%s, %s before %s", name, o.Stage, o.Next))
	obj, err := m.Compile(context.Background(), o)
	if err != nil {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
		h.Hold("refused", err.Error())
		return
	}
	h.Hold("object", fmt.Sprintf("%x %x %s", obj.Code, obj.Data, asJSON(t, obj)))
	p, err := nirc.Cost(context.Background(), obj)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	h.Hold("cost", asJSON(t, p))
}

func asJSON(t *testing.T, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
