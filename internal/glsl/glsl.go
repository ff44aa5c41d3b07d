// Package glsl compiles GLSL, and HLSL, to SPIR-V with glslangValidator or glslc, and reads what they say. What was
// compiled before is taken from a Store (cached.go), as long as nothing changed that it was made of. Of
// the text nothing is read here but the names of #include.
package glsl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
		if s.Stage == stage {
			return s.Suffix
		}
	}
	return ""
}

// Options are what a compile needs to know beside the text.
type Options struct {
	// Env is the target environment as glslc spells it; "" is vulkan1.3.
	Env string
	// Macros are -DNAME, -DNAME=TEXT and -UNAME, in their order, Include the directories of #include, PreInclude the files
	// that are included before the text.
	Macros, Include, PreInclude []string
	// FrontEnd is the compiler: glslang, glslc or a path; "" is glslangValidator, or glslc if that is not installed.
	FrontEnd string
	// HLSL says that the text is HLSL, whose entry point is Entry ("" is main).
	HLSL  bool
	Entry string
	// Debug keeps source lines, Deps finds out which files are included.
	Debug, Deps bool
	// Store, unless nil, keeps what was compiled.
	Store Store
}

// Result is a compiled shader.
type Result struct {
	SPIRV []byte
	// Deps are the files that were included, if Options.Deps asks for them.
	Deps []string
	// Kept says that it is from Options.Store, and nothing was compiled.
	Kept bool
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
	o.Store = nil // of what has no name there are no places beside it
	return Compile(ctx, path, stage, o)
}

// Compile compiles the file at path, of a stage, which is an Extension. An error about the text is an
// *Error; others are those of ctx or of the operating system.
func Compile(ctx context.Context, path, stage string, o Options) (*Result, error) {
	t, err := find(o.FrontEnd)
	if err != nil {
		return nil, err
	}
	if o.Store != nil {
		return compileKept(ctx, t, path, stage, o)
	}
	return compile(ctx, t, path, stage, o)
}

func compile(ctx context.Context, t *tool, path, stage string, o Options) (*Result, error) {
	dir, err := os.MkdirTemp("", "nirc")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out, in := filepath.Join(dir, "out.spv"), path
	names := map[string]string{path: ""} // of files that were named otherwise, "" of the text itself
	if len(o.PreInclude) > 0 {
		if in, err = withIncludes(dir, path, &o, names); err != nil {
			return nil, err
		}
	}
	text, err := exec.CommandContext(ctx, t.path, append(t.args(stage, out, &o), in)...).CombinedOutput()
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &failed):
		return nil, &Error{messages(string(text), path)}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", t.path, err)
	}
	r := &Result{}
	if r.SPIRV, err = os.ReadFile(out); err == nil && o.Deps {
		r.Deps, err = readDeps(out+".d", names)
	}
	return r, err
}

// withIncludes writes the text at path with the files of PreInclude after its #version, and returns where. The compilers have no flag
// for that, and messages and lines go on to name the path. What the files are called is added to names.
func withIncludes(dir, path string, o *Options, names map[string]string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil { // the way up from it is that of the file system
		return "", err
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	at := slices.IndexFunc(lines, func(l []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(l), []byte("#version")) }) + 1
	var b bytes.Buffer
	b.Write(bytes.Join(lines[:at], nil))
	b.WriteString("#extension GL_GOOGLE_include_directive : require\n")
	for _, f := range o.PreInclude {
		file, ok := o.findPreInclude(path, f)
		if !ok {
			return "", &Error{[]Message{{Text: fmt.Sprintf("no file %s to include: neither here, nor beside the text, nor in the include path", f)}}}
		}
		real, err := filepath.Abs(file)
		if err == nil {
			real, err = filepath.EvalSymlinks(real)
		}
		name := real
		if err == nil {
			name, err = filepath.Rel(dir, real)
		}
		if err != nil {
			return "", err
		}
		names[real] = file
		fmt.Fprintf(&b, "#include \"%s\"\n", filepath.ToSlash(name))
	}
	fmt.Fprintf(&b, "#line %d \"%s\"\n", at+1, filepath.ToSlash(path))
	b.Write(bytes.Join(lines[at:], nil))
	in := filepath.Join(dir, filepath.Base(path))
	names[in] = ""
	o.Include = append([]string{filepath.Dir(path)}, o.Include...)
	return in, os.WriteFile(in, b.Bytes(), 0o600)
}

// preIncludeDirs are where files of PreInclude are looked for.
func (o *Options) preIncludeDirs(path string) []string {
	return append([]string{"", filepath.Dir(path)}, o.Include...)
}

func (o *Options) findPreInclude(path, name string) (string, bool) {
	for _, d := range o.preIncludeDirs(path) {
		file := name
		if !filepath.IsAbs(name) {
			file = filepath.Join(d, name)
		}
		if st, err := os.Stat(file); err == nil && !st.IsDir() {
			return file, true
		}
	}
	return "", false
}
