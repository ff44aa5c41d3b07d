package agx_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/agx"
	"nirc/backend/agx/abi"
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
				if !errors.Is(err, errors.ErrUnsupported) {
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
	_, err = nirc.Compile(context.Background(), data, nirc.Options{Target: "agx", ABI: "register"})
	var usage *nirc.UsageError
	if !errors.As(err, &usage) {
		t.Errorf("error %v", err)
	}
	o, err := nirc.Compile(context.Background(), data, nirc.Options{Target: "agx", ABI: nirc.SeparateABI})
	if err != nil {
		t.Fatal(err)
	}
	var m abi.Meta
	if err := json.Unmarshal(o.ABI, &m); err != nil {
		t.Fatal(err)
	}
	n := len(m.Attribs)
	if m.Part != abi.PartMain || n == 0 {
		t.Errorf("part %q with %d attributes", m.Part, n)
	}
	for i, a := range m.Attribs {
		if a.Reg != abi.AttribReg+8*i {
			t.Errorf("attribute %d at register half %d", i, a.Reg)
		}
	}
	for _, u := range m.Uniforms {
		if u.Half < abi.VertexHalves(n) && u.Kind != abi.UniformBaseVertex && u.Kind != abi.UniformBaseInstance && u.Kind != abi.UniformDrawID {
			t.Errorf("%s at uniform half %d, which belongs to the parts", u.Kind, u.Half)
		}
	}
}
