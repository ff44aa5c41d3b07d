package spv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nirc/internal/refs"
)

// needTools skips or fails the test when a tool is absent, as refs.Tool says.
func needTools(t *testing.T, names ...string) {
	t.Helper()
	for _, n := range names {
		refs.Tool(t, n)
	}
}

// corpusFiles lists the files that keep takes: every one under NIRC_FULL=1, else every step-th, so that a test run stays quick.
func corpusFiles(t *testing.T, step int, keep func(path string) bool) []string {
	t.Helper()
	dir := refs.Path(t, "corpus")
	var files []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && keep(path) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("NIRC_FULL") == "1" {
		return files
	}
	var some []string
	for i := 0; i < len(files); i += step {
		some = append(some, files[i])
	}
	return some
}

func isAssembly(path string) bool {
	return strings.HasSuffix(path, ".spvasm") || strings.Contains(filepath.Base(path), ".asm.")
}

// assemblyTexts gives the modules of a text file: those of a .spvasm, or the SPIR-V sections of an amber script.
func assemblyTexts(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(path, ".amber") {
		return SplitModules(string(data))
	}
	var texts []string
	in := false
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		switch {
		case in && len(f) == 1 && f[0] == "END":
			texts = append(texts, b.String())
			b.Reset()
			in = false
		case in:
			b.WriteString(line)
		case len(f) >= 4 && f[0] == "SHADER" && f[3] == "SPIRV-ASM":
			in = true
		}
	}
	return texts
}

// spirvAs runs spirv-as; ok is false when it rejects the text.
func spirvAs(t *testing.T, text string, preserve bool) (words []uint32, ok bool) {
	t.Helper()
	args := []string{"-o", "-", "-"}
	if preserve {
		args = append(args, "--preserve-numeric-ids")
	}
	cmd := exec.Command("spirv-as", args...)
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	if err != nil || len(out)%4 != 0 {
		return nil, false
	}
	words = make([]uint32, len(out)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(out[4*i:])
	}
	return words, true
}

func toBytes(words []uint32) []byte {
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

func TestCorpusAssemble(t *testing.T) {
	needTools(t, "spirv-as")
	files := corpusFiles(t, 30, func(p string) bool { return isAssembly(p) || strings.HasSuffix(p, ".amber") })
	texts, accepted, equal, rejectedByBoth := 0, 0, 0, 0
	for _, path := range files {
		for i, text := range assemblyTexts(t, path) {
			for _, preserve := range []bool{true, false} {
				texts++
				want, ok := spirvAs(t, text, preserve)
				got, err := Assemble(text, AssembleOptions{PreserveNumericIDs: preserve})
				if !ok {
					if err != nil {
						rejectedByBoth++
					}
					continue
				}
				accepted++
				name := fmt.Sprintf("%s module %d (numbers kept: %t)", path, i, preserve)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				want[2] = 0 // its generator
				if !slices.Equal(got, want) {
					t.Errorf("%s: %s", name, firstDifference(got, want))
					continue
				}
				equal++
			}
		}
	}
	t.Logf("%d files, %d runs, spirv-as takes %d, %d equal; of the others we reject %d too", len(files), texts, accepted, equal, rejectedByBoth)
	if equal == 0 {
		t.Error("nothing was compared")
	}
}

func firstDifference(got, want []uint32) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("word %d is %#08x, want %#08x", i, got[i], want[i])
		}
	}
	return fmt.Sprintf("%d words, want %d", len(got), len(want))
}

// checkModule compares a module's text with spirv-dis, and assembles our text to the same words again. It reports whether spirv-dis took it.
func checkModule(t *testing.T, name string, data []byte) bool {
	t.Helper()
	cmd := exec.Command("spirv-dis", "--raw-id", "--no-color", "-")
	cmd.Stdin = bytes.NewReader(data)
	out, disErr := cmd.Output()
	m, err := Parse(data)
	if disErr != nil {
		return false
	}
	if err != nil {
		t.Errorf("%s: spirv-dis reads it, Parse says: %v", name, err)
		return true
	}
	text := Disassemble(m, DisassembleOptions{Header: true, Indent: true})
	if d := textDifference(text, string(out)); d != "" {
		t.Errorf("%s: %s", name, d)
	}
	words, err := Assemble(text, AssembleOptions{PreserveNumericIDs: true, Version: m.Version, Generator: m.Generator})
	if err != nil {
		t.Errorf("%s: our text: %v", name, err)
	} else if !slices.Equal(words[headerWords:], m.Words[headerWords:]) {
		t.Errorf("%s: our text: %s", name, firstDifference(words, m.Words))
	}
	return true
}

// textDifference compares two texts up to spacing and up to the choice among aliases, which depends on the age of the grammar.
func textDifference(got, want string) string {
	a, b := lines(got), lines(want)
	for i := range min(len(a), len(b)) {
		x, y := strings.Fields(a[i]), strings.Fields(b[i])
		same := slices.EqualFunc(x, y, sameWord) || strings.HasPrefix(b[i], "; Generator:") && strings.Contains(b[i], "Unknown")
		if !same {
			return fmt.Sprintf("line %d is\n\t%s\nwant\n\t%s", i+1, a[i], b[i])
		}
	}
	if len(a) != len(b) {
		return fmt.Sprintf("%d lines, want %d", len(a), len(b))
	}
	return ""
}

func lines(s string) []string { return strings.Split(strings.TrimRight(s, "\n"), "\n") }

func sameWord(a, b string) bool {
	if a == b {
		return true
	}
	if x, ok := LookupOp(a); ok {
		y, ok := LookupOp(b)
		return ok && x == y
	}
	for k := range kindTable {
		if x, ok := lookupMask(Kind(k), a); ok {
			if y, ok := lookupMask(Kind(k), b); ok && x == y {
				return true
			}
		}
	}
	return false
}

func lookupMask(k Kind, s string) (v uint32, ok bool) {
	for name := range strings.SplitSeq(s, "|") {
		bit, ok := k.Lookup(name)
		if !ok {
			return 0, false
		}
		v |= bit
	}
	return v, true
}

func TestCorpusDisassemble(t *testing.T) {
	needTools(t, "spirv-as", "spirv-dis")
	files := corpusFiles(t, 30, func(p string) bool {
		return isAssembly(p) || strings.HasSuffix(p, ".spv") || strings.HasSuffix(p, ".amber")
	})
	checked := 0
	for _, path := range files {
		if strings.HasSuffix(path, ".spv") {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if checkModule(t, path, data) {
				checked++
			}
			continue
		}
		for i, text := range assemblyTexts(t, path) {
			if words, ok := spirvAs(t, text, true); ok && checkModule(t, fmt.Sprintf("%s module %d", path, i), toBytes(words)) {
				checked++
			}
		}
	}
	t.Logf("%d files, %d modules equal to spirv-dis unless reported", len(files), checked)
	if checked == 0 {
		t.Error("nothing was compared")
	}
}

func TestCorpusGLSL(t *testing.T) {
	needTools(t, "glslangValidator", "spirv-dis")
	stages := []string{".vert", ".frag", ".comp", ".tesc", ".tese", ".geom", ".mesh", ".rgen", ".rchit"}
	step := 150
	full := os.Getenv("NIRC_FULL") == "1"
	files := corpusFiles(t, step, func(p string) bool { return slices.Contains(stages, filepath.Ext(p)) && !isAssembly(p) })
	checked := 0
	out := filepath.Join(t.TempDir(), "out.spv")
	for i, path := range files {
		if full && i%3 != 0 {
			continue
		}
		args := []string{"-V", "-S", filepath.Ext(path)[1:], "--target-env", "vulkan1.3", "-R", "--amb", "--aml", "-I" + filepath.Dir(path), "-o", out}
		if i%2 == 1 {
			args = append(args, "-gVS") // debug information of NonSemantic.Shader.DebugInfo.100
		}
		if exec.Command("glslangValidator", append(args, path)...).Run() != nil {
			continue
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if checkModule(t, path, data) {
			checked++
		}
	}
	t.Logf("%d files, %d compiled modules equal to spirv-dis unless reported", len(files), checked)
	if checked == 0 {
		t.Error("nothing was compared")
	}
}
