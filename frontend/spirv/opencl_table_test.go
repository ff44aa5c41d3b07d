package spirv

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nirc/frontend/spirv/spv"
)

// openclRows reads the table of nir-ir.md §16.1: by instruction, the column that says what it becomes.
func openclRows(t *testing.T) map[string]string {
	text, err := os.ReadFile("../../docs/nir-ir.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n### 16.1 ")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := map[string]string{}
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || strings.Contains(cells[1], "---") || strings.Contains(cells[1], "instructions") {
			continue
		}
		for name := range strings.SplitSeq(cells[1], ",") {
			name = strings.TrimSpace(name)
			if rows[name] != "" {
				t.Errorf("%s stands in two rows", name)
			}
			rows[name] = strings.TrimSpace(cells[2])
		}
	}
	return rows
}

// TestOpenCLTable: the page has each instruction of OpenCL.std once, names the operation of those that become one, and says of
// those, and of no others, that they are refused which the frontend does not know.
func TestOpenCLTable(t *testing.T) {
	files, err := filepath.Glob("*opencl*.go")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, f := range append(files, "kernel_printf.go") {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`spv\.OpenCLstd(\w+)`).FindAllStringSubmatch(string(text), -1) {
			known[strings.ToLower(m[1])] = true
		}
	}
	rows := openclRows(t)
	for num := range uint32(1 << 9) {
		name := spv.ExtSetOpenCLstd.Text(num)
		if n, ok := spv.ExtSetOpenCLstd.Lookup(name); !ok || n != num {
			continue
		}
		row, there := rows[name]
		delete(rows, name)
		switch {
		case !there:
			t.Errorf("%s has no row", name)
		case known[strings.ToLower(name)] == (row == "refused"):
			t.Errorf("%s is known to the frontend: %v; the page says %q", name, known[name], row)
		case int(num) < len(openclTable) && openclTable[num].srcs != 0 && !strings.Contains(row, "`"+openclTable[num].op.String()+"`"):
			t.Errorf("%s becomes %s, of which the page says %q", name, openclTable[num].op, row)
		}
	}
	for name := range rows {
		t.Errorf("%s is no instruction of OpenCL.std", name)
	}
}
