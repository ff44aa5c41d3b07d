package amber

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nirc/internal/emu"
	"nirc/internal/refs"
)

// write puts files into a new folder and returns it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRunFilesInOrder(t *testing.T) {
	slow := increment()
	plain := slow.lane
	slow.lane = func(l *emu.Launch, lane int) error {
		time.Sleep(2 * time.Millisecond)
		return plain(l, lane)
	}
	panics := increment()
	panics.lane = func(*emu.Launch, int) error { panic("boom") }
	target := &fakeTarget{programs: map[string]*fakeProgram{"inc": increment(), "slow": slow, "panics": panics}}
	failing := strings.Replace(computeScript, "EQ 11", "EQ 12", 1)
	dir := write(t, map[string]string{
		"a.amber":             strings.ReplaceAll(computeScript, "inc", "slow"),
		"b.amber":             computeScript,
		"c.amber":             failing,
		"d.expect_fail.amber": failing,
		"e.expect_fail.amber": computeScript,
		"f.expect_fail.amber": "#!amber\nWHAT\n",
		"g.amber":             "[require]\nVK_NO_such\n",
		"h.amber":             strings.ReplaceAll(computeScript, "inc", "panics"),
		"i.expect_fail.amber": strings.ReplaceAll(computeScript, "inc", "panics"),
	})
	names := []string{"a.amber", "b.amber", "c.amber", "d.expect_fail.amber", "e.expect_fail.amber", "f.expect_fail.amber", "g.amber", "h.amber", "i.expect_fail.amber", "none.amber"}
	var paths []string
	for _, n := range names {
		paths = append(paths, filepath.Join(dir, n))
	}
	// The fake target notes its calls without a lock.
	b := &Batch{Runner: &Runner{Target: locked{target, make(chan bool, 1)}}, Jobs: 3}
	var out bytes.Buffer
	var sum Summary
	b.RunFiles(t.Context(), paths, func(path string, r Result) {
		sum.Add(r)
		if err := WriteResult(&out, filepath.Base(path), r); err != nil {
			t.Fatal(err)
		}
	})
	if err := sum.Write(&out); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"PASS a.amber", "PASS b.amber", `FAIL c.amber: line 13: "data" at byte 0, value 0: got 11, want EQ 12`,
		"PASS d.expect_fail.amber", "FAIL e.expect_fail.amber: passes but is meant to fail", "PASS f.expect_fail.amber",
		"SKIP g.amber: line 2: device extension VK_NO_such is not supported", "FAIL h.amber: internal error: boom", "FAIL i.expect_fail.amber: internal error: boom", "FAIL none.amber: open ",
		"10 scripts: 4 pass, 5 fail, 1 skip;",
	}
	got := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d lines:\n%s", len(got), out.String())
	}
	for i, w := range want {
		if !strings.HasPrefix(got[i], w) || strings.HasPrefix(w, "PASS") && got[i] != w {
			t.Errorf("%q, want %q", got[i], w)
		}
	}
}

// locked is a target whose compiles take turns.
type locked struct {
	t    Target
	turn chan bool
}

func (l locked) Name() string { return l.t.Name() }
func (l locked) Compile(ctx context.Context, s Shader) (emu.Program, error) {
	l.turn <- true
	defer func() { <-l.turn }()
	return l.t.Compile(ctx, s)
}

func TestTimeout(t *testing.T) {
	target := &fakeTarget{programs: map[string]*fakeProgram{"inc": increment()}}
	dir := write(t, map[string]string{"a.amber": strings.Replace(computeScript, "REPEAT 3\n", "REPEAT 1000000\nREPEAT 1000000\n", 1) + "END\n"})
	text, _ := os.ReadFile(filepath.Join(dir, "a.amber"))
	fixed := strings.Replace(string(text), "RUN p 4 1 1\nEND\n", "RUN p 4 1 1\nEND\nEND\n", 1)
	fixed = strings.TrimSuffix(fixed, "END\n")
	if err := os.WriteFile(filepath.Join(dir, "a.amber"), []byte(fixed), 0o600); err != nil {
		t.Fatal(err)
	}
	b := &Batch{Runner: &Runner{Target: target}, Timeout: 30 * time.Millisecond}
	r := b.RunFile(t.Context(), filepath.Join(dir, "a.amber"))
	if r.Verdict != Fail || r.Cause != CauseRun || !strings.Contains(r.Reason, "time is up") {
		t.Errorf("%+v", r)
	}
}

func TestFiles(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	img.Set(1, 1, color.NRGBA{10, 20, 30, 255})
	var pic bytes.Buffer
	if err := png.Encode(&pic, img); err != nil {
		t.Fatal(err)
	}
	dir := write(t, map[string]string{"x.png": pic.String(), "x.bin": "\x01\x02\x03\x04\x05\x06\x07\x08", "x.txt": "# three\n1 2\n3 4\n", "bad.txt": "1 2 x", "odd.bin": "12345"})
	for _, c := range []struct{ text, want string }{
		{"BUFFER b FORMAT B8G8R8A8_UNORM FILE PNG x.png\nEXPECT b IDX 1 1 SIZE 1 1 EQ_RGBA 10 20 30 255\nEXPECT b IDX 0 0 SIZE 3 1 EQ_RGBA 0 0 0 0\n", ""},
		{"BUFFER b FORMAT B8G8R8A8_UNORM FILE PNG x.png\nEXPECT b IDX 1 1 SIZE 1 1 EQ_RGBA 10 20 31 255\n", "differs"},
		{"BUFFER b FORMAT R8G8B8A8_UINT FILE PNG x.png\nEXPECT b IDX 0 0 SIZE 1 1 EQ_RGB 0 0 0\n", "cannot be loaded"},
		{"BUFFER b DATA_TYPE uint16 SIZE 1 FILE BINARY x.bin\nEXPECT b IDX 0 EQ 0x0201 0x0403 0x0605 0x0807\n", ""},
		{"BUFFER b DATA_TYPE uint16 SIZE 1 FILE BINARY odd.bin\nEXPECT b IDX 0 EQ 1\n", "not made of elements"},
		{"BUFFER b DATA_TYPE uint8 SIZE 2 FILE TEXT x.txt\nEXPECT b IDX 0 EQ 1 2 3 4\n", ""},
		{"BUFFER b DATA_TYPE uint8 SIZE 9 FILE TEXT x.txt\nEXPECT b IDX 2 EQ 3 4 0 0 0 0 0\n", ""},
		{"BUFFER b DATA_TYPE uint8 SIZE 2 FILE TEXT bad.txt\nEXPECT b IDX 0 EQ 1\n", "value of type uint8"},
		{"BUFFER b DATA_TYPE uint8 SIZE 2 FILE TEXT ../x.txt\nEXPECT b IDX 0 EQ 1\n", "outside"},
		{"BUFFER b DATA_TYPE uint8 SIZE 2 FILE TEXT none.txt\nEXPECT b IDX 0 EQ 1\n", "not there"},
	} {
		s, err := Parse(filepath.Join(dir, "s.amber"), []byte("#!amber\n"+c.text))
		if err != nil {
			t.Error(err)
			continue
		}
		r := (&Runner{Target: &fakeTarget{}}).Run(t.Context(), s)
		if (r.Verdict == Pass) != (c.want == "") || !strings.Contains(r.Reason, c.want) {
			t.Errorf("%s%+v", c.text, r)
		}
	}
}

// TestPassthroughIsValid checks the one shader of ours.
func TestPassthroughIsValid(t *testing.T) {
	words, err := assemble(passthrough, "spv1.0")
	if err != nil {
		t.Fatal(err)
	}
	val := refs.Tool(t, "spirv-val")
	var raw []byte
	for _, w := range words {
		raw = append(raw, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	file := filepath.Join(write(t, map[string]string{"p.spv": string(raw)}), "p.spv")
	if out, err := exec.Command(val, "--target-env", "vulkan1.0", file).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func TestGlslang(t *testing.T) {
	const script = `#!amber
VIRTUAL_FILE dir/inc.glsl
layout(local_size_x = 2) in;
END
SHADER compute inc GLSL
#version 450
%s
layout(set = 0, binding = 0) buffer B { uint v[]; };
void main() { v[gl_GlobalInvocationID.x]++; }
END
BUFFER data DATA_TYPE uint32 SIZE 4 FILL 1
PIPELINE compute p
  ATTACH inc
  BIND BUFFER data AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 2 1 1
EXPECT data IDX 0 EQ 2 2 2 2
`
	run := func(tool, line string) Result {
		s, err := Parse("g.amber", fmt.Appendf(nil, script, line))
		if err != nil {
			t.Fatal(err)
		}
		target := &fakeTarget{programs: map[string]*fakeProgram{"inc": increment()}}
		return (&Runner{Target: target, Glslang: tool}).Run(t.Context(), s)
	}
	if r := run("no-such-tool", ""); r.Verdict != Skip || r.Reason != "no glslangValidator" {
		t.Errorf("%+v", r)
	}
	refs.Tool(t, "glslangValidator")
	for _, c := range []struct {
		line    string
		verdict Verdict
		reason  string
	}{
		{"layout(local_size_x = 2) in;", Pass, ""},
		{"#extension GL_GOOGLE_include_directive : require\n#include \"dir/inc.glsl\"", Pass, ""},
		{"nonsense", Fail, "glslangValidator: ERROR:"},
		{"#extension GL_XX_nothing : require", Skip, "extension not supported"},
	} {
		if r := run("", c.line); r.Verdict != c.verdict || !strings.Contains(r.Reason, c.reason) {
			t.Errorf("%s: %+v", c.line, r)
		}
	}
}

// A template is told from a broken script by lines that are a name in braces.
func TestTemplateIsSkipped(t *testing.T) {
	file := filepath.Join(t.TempDir(), "template.amber")
	if err := os.WriteFile(file, []byte("#!amber\n{device_features}\nSHADER vertex v PASSTHROUGH\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := Batch{Runner: &Runner{}}
	if r := b.RunFile(context.Background(), file); r.Verdict != Skip || r.Line != 2 {
		t.Errorf("%+v, want a skip of line 2", r)
	}
	if line, name := templateLine([]byte("void main() {}\n{ x = 1; }\n{}\n")); name != "" {
		t.Errorf("line %d: %s taken for one of a template", line, name)
	}
}

// TestLongScript: of a script that is too large no more is read than says so.
func TestLongScript(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.amber")
	if err := os.WriteFile(path, []byte("#!amber\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, MaxScriptBytes+100); err != nil {
		t.Skip(err)
	}
	if src, err := readScript(path); err != nil || len(src) != MaxScriptBytes+1 {
		t.Errorf("%d bytes, %v", len(src), err)
	}
	b := &Batch{Runner: &Runner{}}
	if r := b.RunFile(context.Background(), path); r.Verdict != Fail || !strings.Contains(r.Reason, "a script of more than 67108864 bytes is too large") {
		t.Errorf("%+v", r)
	}
}

// TestPanicSite: of a stack, the call under the panic is named, without what the line says of addresses; nothing of one that ends before.
func TestPanicSite(t *testing.T) {
	stack := []string{"goroutine 7 [running]:", "debug.Stack()", "\t/go/debug/stack.go:26 +0x5e", "panic({0x1, 0x2})", "\t/go/runtime/panic.go:860 +0x13a", "core.exec(0x3)", "\t/src/backend/core/exec.go:12 +0x69", "core.run()", "\t/src/backend/core/run.go:7"}
	for n := range stack {
		want := "unknown place"
		if n >= 6 {
			want = "core/exec.go:12"
		}
		if got := panicSite([]byte(strings.Join(stack[:n+1], "\n"))); got != want {
			t.Errorf("%d lines: %q, want %q", n+1, got, want)
		}
	}
}
