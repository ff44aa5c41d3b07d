package agx_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/agx"
	"nirc/passes"
)

// The modules of the repository compile at all levels, every byte of their
// code decodes, and the listing assembles to the same bytes.
func TestModules(t *testing.T) {
	files, err := filepath.Glob("../../testdata/*.spv")
	if err != nil || len(files) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, level := range []passes.Level{passes.O0, passes.O2} {
			o, err := nirc.Compile(context.Background(), data, nirc.Options{File: file, Target: "agx", Level: level})
			if err != nil {
				if !strings.Contains(err.Error(), "not supported") {
					t.Errorf("%s: %v", file, err)
				}
				continue
			}
			lines, err := agx.Target{}.Disassemble(o.GPU, o.Code)
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			for _, l := range lines {
				if l.Bad {
					t.Errorf("%s: offset %d: %s is no instruction", file, l.Offset, l.Hex)
				}
				if l.Label != "" {
					text.WriteString(l.Label + ":\n")
				}
				text.WriteString(l.Text + "\n")
			}
			back, err := agx.Target{}.Assemble(o.GPU, text.String())
			if err != nil || string(back) != string(o.Code) {
				t.Errorf("%s: the listing assembles to other bytes: %v", file, err)
			}
			if _, err := (agx.Target{}).Load(o); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

func TestABI(t *testing.T) {
	data, err := os.ReadFile("../../testdata/lit.vert.spv")
	if err != nil {
		t.Fatal(err)
	}
	_, err = nirc.Compile(context.Background(), data, nirc.Options{Target: "agx", ABI: "separate"})
	if err == nil || !strings.Contains(err.Error(), "not supported") {
		t.Errorf("error %v", err)
	}
}
