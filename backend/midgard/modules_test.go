package midgard_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nirc"
	"nirc/backend"
	"nirc/backend/midgard"
	"nirc/backend/object"
	"nirc/ir"
	"nirc/passes"
)

// generate compiles a module for a GPU: the common pipeline's target list, then
// this backend.
func generate(t *testing.T, file string, gpu string, level passes.Level) (*object.Object, error) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return nirc.Compile(context.Background(), data, nirc.Options{File: file, Target: "midgard", GPU: gpu, Level: level})
}

// The modules of the repository compile at all levels for all GPUs, every
// bundle of their code decodes, and the listing assembles to the same bytes.
func TestModules(t *testing.T) {
	files, err := filepath.Glob("../../testdata/*.spv")
	if err != nil || len(files) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	var target backend.Backend = midgard.Target{}
	for _, file := range files {
		for _, g := range target.GPUs() {
			for _, level := range []passes.Level{passes.O0, passes.O2} {
				o, err := generate(t, file, g.Name, level)
				if err != nil {
					if !errors.Is(err, errors.ErrUnsupported) {
						t.Errorf("%s on %s: %v", file, g.Name, err)
					}
					continue
				}
				lines, err := target.Disassemble(g.Name, o.Code)
				if err != nil {
					t.Fatal(err)
				}
				var text strings.Builder
				for _, l := range lines {
					if l.Bad {
						t.Errorf("%s on %s: offset %d: %s is no bundle", file, g.Name, l.Offset, l.Hex)
					}
					text.WriteString("    " + l.Text + "\n")
				}
				back, err := target.Assemble(g.Name, text.String())
				if err != nil || string(back) != string(o.Code) {
					t.Errorf("%s on %s: the listing assembles to other bytes: %v", file, g.Name, err)
				}
				if _, err := target.Load(o); err != nil {
					t.Errorf("%s on %s: %v", file, g.Name, err)
				}
			}
		}
	}
}

func TestStagesRefused(t *testing.T) {
	for _, s := range []ir.Stage{ir.StageTask, ir.StageMesh} {
		if _, err := (midgard.Target{}).Options("", s); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("stage %s: %v", s, err)
		}
	}
}
