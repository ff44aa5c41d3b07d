package nirc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// GLSLExtension reports whether a path's extension is that of a GLSL shader,
// which LoadFile gives to glslangValidator or glslc.
func GLSLExtension(path string) bool { return glslName(path) != "" }

// glslName returns the stage as the GLSL compilers spell it, or "".
func glslName(path string) string {
	path = strings.TrimSuffix(path, ".glsl")
	if ext := strings.TrimPrefix(filepath.Ext(path), "."); ir.StageOfSuffix(ext) != ir.StageNone {
		return ext
	}
	return ""
}

// FileOptions are what LoadFile needs to know beside the path.
type FileOptions struct {
	// Stdin is read for the path "-".
	Stdin io.Reader
	// Stage is the stage of GLSL from Stdin.
	Stage ir.Stage
	// Debug keeps source lines of GLSL.
	Debug bool
	// Env is the target environment, as glslc and spirv-as spell it (spv.Environments): GLSL is compiled for
	// it, and a module of a later SPIR-V version than it takes is refused. "" is vulkan1.3.
	Env string
	// Deps finds out which files GLSL includes: Module.Deps.
	Deps bool
}

// LoadFile reads a module from a file, or from o.Stdin for "-". GLSL, told by
// the extension (or by #version and o.Stage on Stdin), is compiled to SPIR-V by
// glslangValidator or glslc if one is installed.
func LoadFile(ctx context.Context, path string, o FileOptions) (*Module, error) {
	version, ok := spv.EnvironmentVersion(o.Env)
	if !ok && o.Env != "" {
		return nil, Usagef("the target environment %s is not supported: there are %s", o.Env, strings.Join(spv.Environments(), ", "))
	}
	m, err := loadInput(ctx, path, o)
	if err == nil && ok && m.SPIRV != nil && !m.assembled && m.SPIRV.Version > version {
		return nil, Diagnostics{{File: m.Name, Msg: fmt.Sprintf("the module is of SPIR-V %d.%d, %s takes %d.%d at most", m.SPIRV.Version>>8, m.SPIRV.Version&0xff, o.Env, version>>8, version&0xff)}}
	}
	return m, err
}

// loadInput is LoadFile, whose environment is known to be one.
func loadInput(ctx context.Context, path string, o FileOptions) (*Module, error) {
	if stage := glslName(path); stage != "" {
		if _, err := os.Stat(path); err != nil {
			return nil, &IOError{err}
		}
		return loadGLSL(ctx, path, path, stage, o)
	}
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, &IOError{err}
		}
		defer f.Close()
		data, err := readModule(f, path)
		if err != nil {
			return nil, err
		}
		return Load(data, path)
	}
	if o.Stdin == nil {
		return nil, Usagef("-: there is no standard input here")
	}
	data, err := readModule(o.Stdin, "-")
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("#version")) || o.Stage == ir.StageNone {
		return Load(data, "-")
	}
	for _, s := range ir.StageTable {
		if s.Stage == o.Stage && s.Stage != ir.StageRay {
			return stdinGLSL(ctx, data, s.Suffix, o)
		}
	}
	return nil, Diagnostics{{File: "-", Msg: fmt.Sprintf("GLSL of stage %s is not supported", o.Stage)}}
}

// maxModule bounds the bytes of a module, so that a device or a pipe without
// end is refused; the largest modules of applications have a few megabytes.
const maxModule = 256 << 20

// readModule reads a module's bytes; name is for diagnostics.
func readModule(r io.Reader, name string) ([]byte, error) {
	var b bytes.Buffer
	if f, ok := r.(*os.File); ok {
		if st, err := f.Stat(); err == nil && st.Mode().IsRegular() && st.Size() <= maxModule {
			b.Grow(int(st.Size()) + bytes.MinRead)
		}
	}
	n, err := b.ReadFrom(io.LimitReader(r, maxModule+1))
	switch {
	case err != nil && name == "-":
		return nil, &IOError{fmt.Errorf("standard input: %w", err)}
	case err != nil:
		return nil, &IOError{err}
	case n > maxModule:
		return nil, Diagnostics{{File: name, Msg: fmt.Sprintf("more than %d MB: this is no shader module", maxModule>>20)}}
	}
	return b.Bytes(), nil
}

// stdinGLSL compiles GLSL from memory.
func stdinGLSL(ctx context.Context, text []byte, stage string, o FileOptions) (*Module, error) {
	dir, err := os.MkdirTemp("", "nirc")
	if err != nil {
		return nil, &IOError{err}
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "stdin."+stage)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return nil, &IOError{err}
	}
	return loadGLSL(ctx, path, "-", stage, o)
}

// loadGLSL compiles the GLSL file at path; name stands for it in diagnostics.
func loadGLSL(ctx context.Context, path, name, stage string, o FileOptions) (*Module, error) {
	dir, err := os.MkdirTemp("", "nirc")
	if err != nil {
		return nil, &IOError{err}
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "out.spv")
	var args []string
	env := o.Env
	if env == "" {
		env = "vulkan1.3"
	}
	tool, err := exec.LookPath("glslangValidator")
	if err == nil {
		args = append([]string{"-V", "-S", stage, "-o", out}, glslangEnv(env)...)
		if o.Debug {
			args = append(args, "-g")
		}
		if o.Deps {
			args = append(args, "--depfile", out+".d")
		}
	} else {
		if tool, err = exec.LookPath("glslc"); err != nil {
			return nil, Diagnostics{{File: name, Msg: "GLSL needs glslangValidator or glslc, and neither is installed"}}
		}
		args = append([]string{"-fshader-stage=" + stage, "-o", out}, glslcEnv(env)...)
		if o.Debug {
			args = append(args, "-g")
		}
		if o.Deps {
			args = append(args, "-MD", "-MF", out+".d")
		}
	}
	msgs, err := exec.CommandContext(ctx, tool, append(args, path)...).CombinedOutput()
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &failed):
		return nil, glslDiagnostics(string(msgs), path, name)
	case err != nil:
		return nil, &IOError{fmt.Errorf("%s: %w", tool, err)}
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return nil, &IOError{err}
	}
	m, err := Load(data, name)
	if err == nil && o.Deps {
		m.Deps, err = readDeps(out+".d", path)
	}
	return m, err
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
		return nil, &IOError{err}
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

// glslDiagnostics reads the messages of glslangValidator ("ERROR: FILE:LINE:
// message") and glslc ("FILE:LINE: error: message").
func glslDiagnostics(text, path, name string) Diagnostics {
	var list Diagnostics
	for _, line := range strings.Split(text, "\n") {
		msg := strings.TrimSpace(line)
		severity := SeverityError
		if m, ok := strings.CutPrefix(msg, "WARNING: "); ok {
			msg, severity = m, SeverityWarning
		} else {
			msg = strings.TrimPrefix(msg, "ERROR: ")
		}
		rest, ok := strings.CutPrefix(msg, path+":")
		if !ok {
			continue
		}
		num, rest, ok := strings.Cut(rest, ":")
		n, err := strconv.ParseUint(num, 10, 32)
		if !ok || err != nil {
			continue
		}
		rest = strings.TrimSpace(rest)
		if m, ok := strings.CutPrefix(rest, "error: "); ok {
			rest = m
		}
		if m, ok := strings.CutPrefix(rest, "warning: "); ok {
			rest, severity = m, SeverityWarning
		}
		list = append(list, Diagnostic{File: name, Line: uint32(n), Severity: severity, Msg: rest})
	}
	if len(list) == 0 {
		list = Diagnostics{{File: name, Msg: "the GLSL compiler failed: " + strings.TrimSpace(text)}}
	}
	return list
}
