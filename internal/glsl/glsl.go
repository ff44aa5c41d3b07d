// Package glsl compiles GLSL to SPIR-V with glslangValidator or glslc, whichever is installed, and
// reads what they say. No GLSL is read here.
package glsl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"nirc/ir"
)

// Extension returns the extension by which a path says that it is a GLSL shader, "" if it does not.
// It is also how the GLSL compilers spell the stage.
func Extension(path string) string {
	ext := strings.TrimPrefix(filepath.Ext(strings.TrimSuffix(path, ".glsl")), ".")
	if ir.StageOfSuffix(ext) == ir.StageNone {
		return ""
	}
	return ext
}

// StageName returns a stage as the GLSL compilers spell it, "" where GLSL has no such stage.
func StageName(stage ir.Stage) string {
	for _, s := range ir.StageTable {
		if s.Stage == stage && s.Stage != ir.StageRay {
			return s.Suffix
		}
	}
	return ""
}

// Options are what a compile needs to know beside the text.
type Options struct {
	// Env is the target environment as glslc spells it; "" is vulkan1.3.
	Env string
	// Debug keeps source lines, Deps finds out which files are included.
	Debug, Deps bool
}

// Result is a compiled shader.
type Result struct {
	SPIRV []byte
	// Deps are the files that were included, if Options.Deps asks for them.
	Deps []string
}

// Message is one that a GLSL compiler gave; Line counts from 1, 0 unknown.
type Message struct {
	Line    uint32
	Warning bool
	Text    string
}

// Error says that the text was refused, or that there is no compiler for it.
type Error struct{ Messages []Message }

// Error returns the messages, one a line.
func (e *Error) Error() string {
	var lines []string
	for _, m := range e.Messages {
		lines = append(lines, m.Text)
	}
	return strings.Join(lines, "\n")
}

// CompileText compiles text of a stage, which is an Extension.
func CompileText(ctx context.Context, text []byte, stage string, o Options) (*Result, error) {
	dir, err := os.MkdirTemp("", "nirc")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "stdin."+stage)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return nil, err
	}
	return Compile(ctx, path, stage, o)
}

// Compile compiles the file at path, of a stage, which is an Extension. An error about the text is an
// *Error; others are those of ctx or of the operating system.
func Compile(ctx context.Context, path, stage string, o Options) (*Result, error) {
	dir, err := os.MkdirTemp("", "nirc")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "out.spv")
	tool, args, err := command(stage, out, o)
	if err != nil {
		return nil, err
	}
	text, err := exec.CommandContext(ctx, tool, append(args, path)...).CombinedOutput()
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &failed):
		return nil, &Error{messages(string(text), path)}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", tool, err)
	}
	r := &Result{}
	if r.SPIRV, err = os.ReadFile(out); err == nil && o.Deps {
		r.Deps, err = readDeps(out+".d", path)
	}
	return r, err
}

// command returns the compiler that is installed and what it is called with, except for the file.
func command(stage, out string, o Options) (tool string, args []string, err error) {
	if o.Env == "" {
		o.Env = "vulkan1.3"
	}
	var deps []string
	if tool, err = exec.LookPath("glslangValidator"); err == nil {
		args = append([]string{"-V", "-S", stage, "-o", out}, glslangEnv(o.Env)...)
		deps = []string{"--depfile", out + ".d"}
	} else if tool, err = exec.LookPath("glslc"); err == nil {
		args = append([]string{"-fshader-stage=" + stage, "-o", out}, glslcEnv(o.Env)...)
		deps = []string{"-MD", "-MF", out + ".d"}
	} else {
		return "", nil, &Error{[]Message{{Text: "GLSL needs glslangValidator or glslc, and neither is installed"}}}
	}
	if o.Debug {
		args = append(args, "-g")
	}
	if o.Deps {
		args = append(args, deps...)
	}
	return tool, args, nil
}

// glslangEnv and glslcEnv are the flags that give the two compilers a target environment.
func glslangEnv(env string) []string {
	v, isSPV := strings.CutPrefix(env, "spv")
	switch {
	case isSPV:
		return []string{"--target-env", "spirv" + v}
	case env == "vulkan":
		return []string{"--target-env", "vulkan1.0"}
	case env == "vulkan1.1spv1.4":
		return []string{"--target-env", "vulkan1.1", "--target-env", "spirv1.4"}
	}
	return []string{"--target-env", env}
}

func glslcEnv(env string) []string {
	switch {
	case strings.HasPrefix(env, "spv"):
		return []string{"--target-env=vulkan1.3", "--target-spv=" + env}
	case env == "vulkan1.1spv1.4":
		return []string{"--target-env=vulkan1.1", "--target-spv=spv1.4"}
	}
	return []string{"--target-env=" + env}
}

// readDeps reads the prerequisites of the rule in a depfile except for the file itself.
func readDeps(file, self string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	_, list, _ := strings.Cut(strings.ReplaceAll(string(text), "\\\n", " "), ": ")
	var deps []string
	for _, d := range strings.Fields(strings.ReplaceAll(list, `\ `, "\x00")) {
		if d = filepath.Clean(strings.ReplaceAll(d, "\x00", " ")); d != filepath.Clean(self) {
			deps = append(deps, d)
		}
	}
	return deps, nil
}

// messages reads those of glslangValidator ("ERROR: FILE:LINE: message") and
// glslc ("FILE:LINE: error: message").
func messages(text, path string) []Message {
	var list []Message
	for _, line := range strings.Split(text, "\n") {
		if m, ok := message(strings.TrimSpace(line), path); ok {
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		list = []Message{{Text: "the GLSL compiler failed: " + strings.TrimSpace(text)}}
	}
	return list
}

// message reads a line; ok is false if it is not about the file.
func message(line, path string) (m Message, ok bool) {
	line, m.Warning = strings.CutPrefix(line, "WARNING: ")
	if !m.Warning {
		line = strings.TrimPrefix(line, "ERROR: ")
	}
	rest, ok := strings.CutPrefix(line, path+":")
	if !ok {
		return m, false
	}
	num, rest, ok := strings.Cut(rest, ":")
	n, err := strconv.ParseUint(num, 10, 32)
	if !ok || err != nil {
		return m, false
	}
	m.Line, m.Text = uint32(n), strings.TrimPrefix(strings.TrimSpace(rest), "error: ")
	if text, warning := strings.CutPrefix(m.Text, "warning: "); warning {
		m.Text, m.Warning = text, true
	}
	return m, true
}
