package spirv

import (
	"context"
	"encoding/binary"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nirc/frontend/spirv/spv"
	"nirc/internal/refs"
)

// stageOfFile are the file endings that name a stage to glslangValidator.
var stageOfFile = map[string]bool{"vert": true, "frag": true, "comp": true, "geom": true, "tesc": true, "tese": true}

// corpusModules calls f with modules that the corpus gives: assembly, shaders
// of scripts, and GLSL compiled by glslangValidator; every step-th file of it.
func corpusModules(t *testing.T, dir string, step int, f func(name string, data []byte)) {
	tmp := t.TempDir()
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if n++; n%step != 0 {
			return nil
		}
		base := d.Name()
		ext := strings.TrimPrefix(filepath.Ext(base), ".")
		switch {
		case ext == "spvasm" || strings.Contains(base, ".asm."):
			for _, text := range spv.SplitModules(readText(t, path)) {
				assembled(tmp, text, func(b []byte) { f(base, b) })
			}
		case ext == "spv":
			if b, err := os.ReadFile(path); err == nil && valid(path) {
				f(base, b)
			}
		case ext == "amber":
			scriptShaders(readText(t, path), func(stage, kind, text string) {
				if kind == "SPIRV-ASM" {
					assembled(tmp, text, func(b []byte) { f(base, b) })
					return
				}
				src := filepath.Join(tmp, "script."+stage)
				if os.WriteFile(src, []byte(text), 0o644) == nil {
					compiled(tmp, src, stage, func(b []byte) { f(base, b) })
				}
			})
		case stageOfFile[ext] && !strings.HasPrefix(base, "hlsl."):
			compiled(tmp, path, ext, func(b []byte) { f(base, b) })
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func readText(t *testing.T, path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// scriptShaders calls f with the shaders of an amber script.
func scriptShaders(text string, f func(stage, kind, text string)) {
	stages := map[string]string{"vertex": "vert", "fragment": "frag", "compute": "comp", "geometry": "geom",
		"tessellation_control": "tesc", "tessellation_evaluation": "tese"}
	var b strings.Builder
	stage, kind := "", ""
	for line := range strings.Lines(text) {
		w := strings.Fields(line)
		switch {
		case stage != "" && len(w) == 1 && w[0] == "END":
			f(stage, kind, b.String())
			stage = ""
		case stage != "":
			b.WriteString(line)
		case len(w) >= 4 && w[0] == "SHADER" && (w[3] == "GLSL" || w[3] == "SPIRV-ASM"):
			b.Reset()
			stage, kind = stages[w[1]], w[3]
		}
	}
}

// assembled calls f with the module of a text if it is valid for Vulkan.
func assembled(tmp, text string, f func([]byte)) {
	for _, version := range []uint16{0x0100, 0x0103, 0x0104, 0x0106} {
		words, err := spv.Assemble(text, spv.AssembleOptions{Version: version, PreserveNumericIDs: true})
		if err != nil {
			return
		}
		b := make([]byte, 4*len(words))
		for i, w := range words {
			binary.LittleEndian.PutUint32(b[4*i:], w)
		}
		path := filepath.Join(tmp, "asm.spv")
		if os.WriteFile(path, b, 0o644) == nil && valid(path) {
			f(b)
			return
		}
	}
}

// compiled calls f with the module of a GLSL file if it compiles and is valid.
func compiled(tmp, src, stage string, f func([]byte)) {
	out := filepath.Join(tmp, "glsl.spv")
	for _, args := range [][]string{{"--target-env", "vulkan1.0"}, {"--target-env", "vulkan1.3"}, {"--target-env", "vulkan1.3", "-R", "--amb", "--aml"}} {
		args = append(args, "-V", "-S", stage, "-I"+filepath.Dir(src), "-o", out, src)
		if run("glslangValidator", args...) && valid(out) {
			if b, err := os.ReadFile(out); err == nil {
				f(b)
			}
			return
		}
	}
}

// valid asks spirv-val.
func valid(path string) bool {
	return run("spirv-val", "--target-env", "vulkan1.3", "--scalar-block-layout", path)
}

func run(name string, args ...string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return exec.CommandContext(ctx, name, args...).Run() == nil
}

// TestCorpus translates the valid modules of the corpus: every 150th file, every 60th with
// NIRC_GRIDS=all, all with NIRC_FULL=1.
func TestCorpus(t *testing.T) {
	dir := refs.Path(t, "corpus")
	for _, tool := range []string{"glslangValidator", "spirv-val"} {
		refs.Tool(t, tool)
	}
	step := 150
	switch {
	case os.Getenv("NIRC_FULL") == "1":
		step = 1
	case refs.WholeGrids():
		step = 60
	}
	c := tally{reasons: map[string]int{}}
	corpusModules(t, dir, step, func(name string, data []byte) { c.check(t, name, data) })
	c.report(t)
}
