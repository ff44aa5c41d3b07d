package nirc_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"nirc"
	"nirc/backend/gputest"
	"nirc/internal/refs"
	"nirc/ir"
)

// heldSources are files of all kinds, right and wrong.
func heldSources(t *testing.T) map[string]string {
	t.Helper()
	module, err := os.ReadFile("testdata/blur.comp.spv")
	if err != nil {
		t.Fatal(err)
	}
	const good, bad = "#version 450\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(1); }\n", "#version 450\nvoid main() { x = 1; }\n"
	big := append([]byte(nil), module...)
	for i := 0; i+4 <= len(big); i += 4 {
		binary.BigEndian.PutUint32(big[i:], binary.LittleEndian.Uint32(big[i:]))
	}
	return map[string]string{
		"module.spv": string(module), "turned.spv": string(big), "cut.spv": string(module[:len(module)-6]), "ir.nir": "// an empty one\nshader fragment \"main\" {\n  fn f0 \"main\" entry() {\n    b0:\n  }\n}\n",
		"wrong.nir": "shader fragment \"main\" {\n  fn\n}\n", "good.frag": good, "bad.frag": bad, "shaders.x": "shaders of no form\n", "empty.spv": "", "good": good, "hlsl.frag.hlsl": "float4 main() : SV_Target { return 1; }\n",
		"text.spvasm": "OpCapability Shader\nOpMemoryModel Logical GLSL450\n", "wrong.spvasm": "OpCapability Shade\n", "a.wgsl": "fn main() {}\n", "early.spv": strings.Replace(string(module), "\x00\x00\x01\x00", "\x00\x06\x01\x00", 1),
	}
}

// TestHeldLoads holds what files of all kinds are, by name, language, stage and environment, on disk, in a file system and as standard input.
func TestHeldLoads(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	dir := t.TempDir()
	sources := heldSources(t)
	sources["none.spv"] = ""
	files := fstest.MapFS{}
	for name, text := range sources {
		if name == "none.spv" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	rows := map[string]string{}
	for name, text := range sources {
		var d gputest.Digest
		kinds := map[string]int{}
		for _, language := range []string{"", "glsl", "hlsl", "c"} {
			for _, stage := range []ir.Stage{ir.StageNone, ir.StageFragment, ir.StageKernel} {
				for _, env := range []string{"", "spv1.0", "vulkan1.3", "gl9"} {
					if front := strings.Contains(name, "good") || strings.Contains(name, "bad") || strings.Contains(name, "hlsl"); language != "" && !front || front && env != "" && env != "gl9" {
						continue // front ends are slow
					}
					for place := range 3 {
						if strings.HasSuffix(name, ".frag") && stage != ir.StageFragment && (place > 0 || env != "") {
							continue
						}
						o, path := nirc.FileOptions{Language: language, Stage: stage, Env: env, Deps: true}, name
						switch place {
						case 0:
							path = filepath.Join(dir, name)
						case 1:
							o.FS = files
						default:
							path, o.Stdin = "-", strings.NewReader(text)
						}
						kind, said := loaded(t.Context(), path, o)
						kinds[kind]++
						d.Bytes([]byte(strings.ReplaceAll(said, dir, "DIR")))
					}
				}
			}
		}
		rows[name] = fmt.Sprintf("%v\t%016x", kinds, uint64(d))
	}
	gputest.HoldTable(t, "held_loads.tsv", rows)
	if _, err := nirc.LoadFile(t.Context(), "-", nirc.FileOptions{}); err == nil || !strings.Contains(err.Error(), "there is no standard input here") {
		t.Errorf("no standard input: %v", err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	for _, o := range []nirc.FileOptions{{Stage: ir.StageFragment, Stdin: strings.NewReader(sources["good"])}, {Stage: ir.StageFragment, Language: "glsl", FS: files}} {
		path := "-"
		if o.FS != nil {
			path = "good"
		}
		if _, err := nirc.LoadFile(ended, path, o); !errors.Is(err, context.Canceled) {
			t.Errorf("after the end of the context: %v", err)
		}
	}
}

// loaded says what a file is, or of which kind the error is and what it says; of front ends' errors, whose words are theirs, it says the line.
func loaded(ctx context.Context, path string, o nirc.FileOptions) (kind, said string) {
	m, err := nirc.LoadFile(ctx, path, o)
	var io *nirc.IOError
	var list nirc.Diagnostics
	switch {
	case errors.As(err, &io):
		return "unread", ""
	case errors.As(err, &list) && list[0].Line != 0 && (strings.Contains(path, "bad") || strings.Contains(path, "good") || o.Language != "" || path == "-"):
		return "refused", fmt.Sprintf("%s:%d %d", list[0].File, list[0].Line, list[0].Severity)
	case err != nil && strings.HasPrefix(saidOf(err), "diagnostics"):
		return "refused", saidOf(err)
	case err != nil:
		return "wrong use", saidOf(err)
	}
	kind = "SPIR-V"
	if m.IR() != nil {
		kind = "IR"
	}
	if m.FromGLSL {
		kind = "GLSL"
	}
	_, err = m.Disassemble()
	return kind, fmt.Sprintf("%s %s %v %v %d %v", kind, m.Name, m.Deps, m.EntryPoints(), len(m.Text()), err)
}
