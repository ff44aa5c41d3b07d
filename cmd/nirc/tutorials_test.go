package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The README and the tutorials work as they stand there: each command ends as the page says,
// and prints what the block of text after it shows, figures aside.
func TestTutorials(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(repository, "docs", "tutorials", "*.md"))
	if err != nil || len(names) < 4 {
		t.Fatalf("%d tutorials, %v", len(names), err)
	}
	for _, name := range append(names, filepath.Join(repository, "README.md")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(name), func(t *testing.T) { runPage(t, string(text)) })
	}
}

var (
	// command is a line of a page that runs nirc: arguments, a file for what it prints, a comment.
	command = regexp.MustCompile(`^ {4}\./nirc (.*?)(?: >(\S+))?(?: {2,}#(.*))?$`)
	// exitNote is where a comment says that the command does not end with 0.
	exitNote = regexp.MustCompile(`exit code (\d+)`)
)

// runPage runs the commands of a page, one after the other, in a directory with the shipped shaders.
func runPage(t *testing.T, page string) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS(filepath.Join(repository, "testdata"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	commands, printed, want := 0, "", false
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		switch m := command.FindStringSubmatch(line); {
		case m != nil:
			commands++
			printed = runLine(t, m)
		case strings.HasPrefix(line, "```"):
			want = line == "```text" && commands > 0 // what is shown before is of another test
		case want && line != "…" && !strings.Contains(printed, shape(line)+"\n"):
			t.Errorf("no command before it prints the line %q:\n%s", line, printed)
		}
	}
	if commands < 1 {
		t.Error("no commands")
	}
}

// runLine runs a command as it stands on a page, and returns the shape of what it prints.
func runLine(t *testing.T, m []string) string {
	t.Helper()
	args, err := splitArgs(m[1])
	if err != nil {
		t.Fatalf("%s: %v", m[0], err)
	}
	want := exitDone
	if code := exitNote.FindStringSubmatch(m[3]); code != nil {
		want, _ = strconv.Atoi(code[1])
	}
	var out, errs bytes.Buffer
	if code := run(context.Background(), args, streams{strings.NewReader(""), &out, &errs}); code != want {
		t.Errorf("nirc %s: exit code %d, the page says %d\n%s", m[1], code, want, errs.String())
	}
	if m[2] != "" {
		if err := os.WriteFile(m[2], out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		out.Reset()
	}
	var all strings.Builder
	for line := range strings.Lines(out.String() + errs.String()) {
		all.WriteString(shape(line) + "\n")
	}
	return all.String()
}

var (
	figure = regexp.MustCompile(`[+-]?\d+(?:\.\d+)?|N/A`)
	blanks = regexp.MustCompile(`[ \t]+`)
)

// shape is a line without what a change of the compiler may change: figures, and blanks between them.
func shape(line string) string {
	return blanks.ReplaceAllString(figure.ReplaceAllString(strings.TrimSpace(line), "0"), " ")
}

// The program of the tutorial about Go is built, and does what its page shows.
func TestTutorialProgram(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(repository, "docs", "tutorials", "program.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, code, found := strings.Cut(string(text), "```go\n")
	code, rest, ends := strings.Cut(code, "```\n")
	_, want, shows := strings.Cut(rest, "```text\n")
	want, _, closed := strings.Cut(want, "```")
	if !found || !ends || !shows || !closed {
		t.Fatal("the page has no program, or does not show what it prints")
	}
	dir := t.TempDir()
	program, source := filepath.Join(dir, "program.exe"), filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte(code), 0o666); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", program, source)
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-trimpath", Value: "true"}) {
		build.Args = slices.Insert(build.Args, 2, "-trimpath") // what this test was built of is there
	}
	build.Dir = repository
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program, "testdata/lit.frag.spv")
	cmd.Dir = repository
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if shape(string(out)) != shape(want) {
		t.Errorf("it prints\n%s\nthe page shows\n%s", out, want)
	}
}
