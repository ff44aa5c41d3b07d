package amber

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nirc/internal/refs"
)

// scripts returns the paths of all scripts of the corpus.
func scripts(t testing.TB, exts ...string) []string {
	var list []string
	err := filepath.WalkDir(refs.Path(t, "corpus"), func(path string, d fs.DirEntry, err error) error {
		for _, e := range exts {
			if err == nil && strings.HasSuffix(path, e) {
				list = append(list, path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// corpusErrors are the scripts that are meant not to parse, with what the
// error must say.
var corpusErrors = map[string]string{
	// Amber's own test of the rule that DRAW_GRID brings its own vertices.
	"draw_grid_with_two_vertex_data_attached.expect_fail.amber":    "bring their own vertices",
	"draw_rect_with_two_vertex_data_attached.expect_fail.vkscript": "brings its own vertices",
}

// isTemplate reports whether the script is a template whose {words} the
// conformance tests' own C++ code replaces before it is AmberScript.
func isTemplate(src string) bool {
	return strings.Contains(src, "{device_features}")
}

var (
	runLine    = regexp.MustCompile(`(?m)^[ \t]*RUN[ \t]`)
	expectLine = regexp.MustCompile(`(?m)^[ \t]*EXPECT[ \t]`)
)

// countCommands counts RUN and EXPECT commands.
func countCommands(list []Command) (n [2]int) {
	for _, c := range list {
		switch c := c.(type) {
		case *Run:
			n[0]++
		case *ExpectValues, *ExpectTexels, *ExpectBuffers:
			n[1]++
		case *Repeat:
			m := countCommands(c.Body)
			n[0] += m[0]
			n[1] += m[1]
		}
	}
	return n
}

func TestParseCorpus(t *testing.T) {
	var parsed, vk, templates, expected, expectations int
	for _, path := range scripts(t, ".amber") {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Parse(path, src)
		want := corpusErrors[filepath.Base(path)]
		switch {
		case err == nil && want != "":
			t.Errorf("%s parses, want an error with %q", path, want)
		case err == nil && s.VkScript:
			vk++
		case err == nil:
			parsed++
			n := countCommands(s.Commands)
			expectations += n[1]
			if lines := [2]int{len(runLine.FindAll(src, -1)), len(expectLine.FindAll(src, -1))}; n != lines {
				t.Errorf("%s: %d RUN and %d EXPECT commands on %d and %d lines", path, n[0], n[1], lines[0], lines[1])
			}
		case want != "" && strings.Contains(err.Error(), want):
			expected++
		case isTemplate(string(src)):
			templates++
			t.Logf("template: %v", err)
		default:
			t.Error(err)
		}
	}
	t.Logf("%d scripts parse (%d expectations), %d are VkScript, %d are errors on purpose, %d are templates", parsed, expectations, vk, expected, templates)
	if parsed < 700 {
		t.Errorf("only %d scripts parse", parsed)
	}
}

func TestVkScriptIsRecognised(t *testing.T) {
	n := 0
	for _, path := range scripts(t, ".vkscript", ".shader_test") {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Parse(path, src)
		switch want := corpusErrors[filepath.Base(path)]; {
		case err != nil && (want == "" || !strings.Contains(err.Error(), want)):
			t.Error(err)
		case err == nil && (want != "" || !s.VkScript || len(s.Commands) == 0):
			t.Errorf("%s: %d commands, want error %q", path, len(s.Commands), want)
		default:
			n++
		}
	}
	t.Logf("%d VkScripts", n)
}

// TestAssembleCorpus turns all SPIR-V assembly of the corpus's scripts into words.
func TestAssembleCorpus(t *testing.T) {
	n := 0
	for _, path := range scripts(t, ".amber") {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Parse(path, src)
		if err != nil {
			continue // TestParseCorpus judges it
		}
		for _, sh := range s.Shaders {
			if sh.Format != FormatSpirvAsm {
				continue
			}
			if _, err := assemble(sh.Source, sh.TargetEnv); err != nil {
				t.Errorf("%s:%d: %v", path, sh.SourceLine, err)
			}
			n++
		}
	}
	t.Logf("%d shaders assembled", n)
	if n < 500 {
		t.Errorf("only %d shaders assembled", n)
	}
}
