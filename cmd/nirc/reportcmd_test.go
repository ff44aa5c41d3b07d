package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReportPages: pages are the same bytes each time, fetch nothing, and have the lines of source, IR and
// machine code under common names.
func TestReportPages(t *testing.T) {
	dir := t.TempDir()
	do := func(name string, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		path := filepath.Join(dir, name)
		if code := run(t.Context(), append([]string{"report", "-o", path}, args...), streams{in: strings.NewReader(""), out: &out, err: &out}); code != 0 {
			t.Fatal(out.String())
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page := do("a.html", "-t", "all", "../../testdata/lit.frag.spv")
	if page != do("b.html", "-t", "all", "../../testdata/lit.frag.spv") {
		t.Error("two runs give different bytes")
	}
	if m := regexp.MustCompile(`(?:src|href|url\()\s*=?\s*["']?(https?:|//)`).FindString(page); m != "" {
		t.Errorf("the page fetches %s", m)
	}
	for _, want := range []string{"ir3 a630: 16 of 16 waves", "IR after the passes of ir3", "agx g13g", "midgard t860", "control flow of ir3 a630", "runs of passes changed the shader"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if n := strings.Count(page, `data-k="lit.frag:16"`); n < 5 {
		t.Errorf("line 16 stands in %d lines of the listings", n)
	}
	set := do("set.html", "-t", "ir3,agx", "../../testdata/blur.comp.spv", "../../testdata/mandel.comp.spv")
	if !strings.Contains(set, `href="set/2.html"`) || strings.Count(set, "<svg class=\"hist\"") != 6 || strings.Count(set, "<tr>") != 5 {
		t.Error("the page of the set lacks rows, links or charts")
	}
	if two, err := os.ReadFile(filepath.Join(dir, "set", "2.html")); err != nil || !bytes.Contains(two, []byte("N/A")) {
		t.Errorf("a loop whose trips nobody knows has costs: %v", err)
	}
	if one, err := os.ReadFile(filepath.Join(dir, "set", "1.html")); err != nil || !bytes.Contains(one, []byte(`href="../set.html"`)) {
		t.Errorf("a shader's page does not lead back: %v", err)
	}
}

// TestReportPagesHostile: names from modules are text, not markup.
func TestReportPagesHostile(t *testing.T) {
	dir := t.TempDir()
	module, _ := os.ReadFile("../../testdata/blur.comp.spv")
	path := filepath.Join(dir, "<script>alert(1)<")
	if err := os.WriteFile(path, module, 0o666); err != nil {
		t.Skip(err)
	}
	var out bytes.Buffer
	if code := run(t.Context(), []string{"report", "-o", filepath.Join(dir, "x.html"), path}, streams{in: strings.NewReader(""), out: &out, err: &out}); code != 0 {
		t.Fatal(out.String())
	}
	page, _ := os.ReadFile(filepath.Join(dir, "x.html"))
	if bytes.Contains(page, []byte("<script>alert")) {
		t.Error("a file's name is markup")
	}
}
