package costs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"nirc/backend/object"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/costs"
	"nirc/passes"
)

// measure models ten shaders and more of the repository's tests for all targets, at both levels.
func measure(t *testing.T, each func(name string, s *costs.Shader)) {
	t.Helper()
	var files []string
	for _, pattern := range []string{"../../testdata/*.spv", "../../testdata/asm/*.spvasm", "../profile/testdata/asm/*.spvasm"} {
		list, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, list...)
	}
	if len(files) < 10 {
		t.Fatal(files)
	}
	for _, path := range files {
		m, err := nirc.LoadFile(context.Background(), path, nirc.FileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range nirc.Targets() {
			for _, level := range []passes.Level{passes.O0, passes.O2} {
				u, err := nirc.New(nirc.Options{Target: target.Name, Level: level, Debug: true})
				if err != nil {
					t.Fatal(err)
				}
				if err := u.Translate(context.Background(), m); err != nil {
					t.Fatal(err)
				}
				if err := u.Optimize(context.Background()); err != nil {
					t.Fatal(err)
				}
				o, p, loops, err := u.GenerateCosted(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				s := costs.New(path, "main", o, p, loops)
				s.AddLines()
				each(path+" "+target.Name, s)
			}
		}
	}
}

// TestLinesSum: the sum over the lines is the whole, of each shader, target and level.
func TestLinesSum(t *testing.T) {
	measure(t, func(name string, s *costs.Shader) {
		var instrs int
		var stall, share float64
		count := make([]float64, len(s.Pipes))
		for _, l := range s.Lines {
			instrs += l.Instructions
			stall += l.Stall
			share += l.Share
			for i := range count {
				count[i] += l.Count[i]
			}
		}
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-3 }
		if instrs != s.Instructions || !near(stall, s.Total.Stall) || !near(share, 100) {
			t.Errorf("%s: %d of %d instructions, stalls of %v of %v, %v%%", name, instrs, s.Instructions, stall, s.Total.Stall, share)
		}
		for i := range count {
			if !near(count[i], s.Total.Count[i]) {
				t.Errorf("%s: %v of %v cycles of %s", name, count[i], s.Total.Count[i], s.Pipes[i].Name)
			}
		}
		if glsl := strings.Contains(name, ".spv "); glsl && (len(s.Lines) < 3 || !s.HasLines()) || len(s.Lines) == 0 {
			t.Errorf("%s: %d lines", name, len(s.Lines))
		}
	})
}

func TestWriteLines(t *testing.T) {
	var list []*costs.Shader
	measure(t, func(name string, s *costs.Shader) {
		if strings.Contains(name, "blur") && len(list) < 2 {
			list = append(list, s)
		}
	})
	var b strings.Builder
	if err := costs.WriteLines(&b, list, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"compute\n", "columns from the left: ir3 a630, ir3 a630\n", "blur.comp:16: tile[lid] = ", "(no place)\n", "total\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestSources(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.frag"), []byte("one\r\ntwo\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := costs.Sources{}
	module := filepath.Join(dir, "a.spv")
	if s.Text(module, "elsewhere/a.frag", 2) != "two" || s.Text(module, "a.frag", 1) != "one" || s.Text(module, "a.frag", 3) != "" || s.Text(module, "no", 1) != "" || s.Text(module, "", 1) != "" {
		t.Error("a source is not found, or one that is not there is")
	}
}

// TestObjectCosts: what an object says of its loops gives the costs of the compile that made it.
func TestObjectCosts(t *testing.T) {
	loops := 0
	measure(t, func(name string, s *costs.Shader) {
		data, err := s.Object().Bytes()
		if err != nil {
			t.Fatal(err)
		}
		o, err := object.Read(data)
		if err != nil {
			t.Fatal(err)
		}
		p, noted, err := nirc.CostLoops(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		back := costs.New(s.File, s.Entry, o, p, noted)
		back.AddLines()
		want, _ := json.Marshal(s)
		if got, _ := json.Marshal(back); !bytes.Equal(got, want) {
			t.Errorf("%s: the object's costs are\n%s\nthose of the compile\n%s", name, got, want)
		}
		loops += len(noted)
	})
	if loops == 0 {
		t.Error("no shader has a loop")
	}
}

// TestLive: registers live are known everywhere, and never more than the program declares.
func TestLive(t *testing.T) {
	measure(t, func(name string, s *costs.Shader) {
		most, known := 0, 0
		p := s.Program()
		for i := range p.Instrs {
			most = max(most, p.Instrs[i].Live)
			if p.Instrs[i].Live > 0 {
				known++
			}
		}
		if known == 0 || most > s.Properties.WorkRegisters {
			t.Errorf("%s: %d %s live at a time of %d, known at %d of %d instructions", name, most, s.Properties.RegisterUnit, s.Properties.WorkRegisters, known, len(p.Instrs))
		}
	})
}
