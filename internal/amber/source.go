package amber

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// maxFileBytes bounds the files that a script names.
const maxFileBytes = 256 << 20

// readFile reads a file named by a script. It must be in or below the folder
// of the script, symbolic links included.
func (s *Script) readFile(name string) ([]byte, error) {
	name = filepath.FromSlash(name)
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("file %q is outside the script's folder", name)
	}
	root, err := os.OpenRoot(filepath.Dir(s.Name))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unsupported("file %s is not there", name)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%q is not a regular file", name))
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err == nil && len(data) > maxFileBytes {
		err = fmt.Errorf("file %q is too large, the most is %d bytes", name, maxFileBytes)
	}
	return data, err
}

// source returns the text or bytes of a shader declaration.
func (s *Script) source(sh *ShaderDecl) (string, error) {
	switch {
	case sh.Virtual != nil:
		return sh.Virtual.Text, nil
	case sh.File != "":
		data, err := s.readFile(sh.File)
		return string(data), err
	}
	return sh.Source, nil
}

// spirv returns the module of a shader declaration. entry matters to HLSL
// only, where it names the function.
func (r *Runner) spirv(ctx context.Context, s *Script, sh *ShaderDecl, stage ShaderStage, entry string) ([]uint32, error) {
	source, err := s.source(sh)
	if err != nil {
		return nil, err
	}
	switch sh.Format {
	case FormatPassthrough:
		return assemble(passthrough, "spv1.0")
	case FormatSpirvAsm:
		return assemble(source, sh.TargetEnv)
	case FormatSpirvHex:
		return spirvHex(source)
	case FormatSpirvBin:
		return spirvBin([]byte(source))
	case FormatGLSL, FormatHLSL:
		return r.glslModule(ctx, s, &glslSource{sh, source, stage, entry})
	}
	return nil, unsupported("shader language %s is not supported", shaderFormatWords[sh.Format])
}

// passthrough is the PASSTHROUGH vertex shader: it writes the vec4 at location
// 0 to gl_Position.
//
//go:embed testdata/asm/passthrough.spvasm
var passthrough string

// assemble turns SPIR-V assembly into words. Assembly without a target environment counts as SPIR-V 1.3,
// which allows all that Amber's default 1.0 does and what such scripts use beyond it.
func assemble(text, env string) ([]uint32, error) {
	version := uint16(0x0103)
	if env != "" {
		var ok bool
		if version, ok = spv.EnvironmentVersion(env); !ok {
			return nil, unsupported("target environment %q is not supported", env)
		}
	}
	return spv.Assemble(text, spv.AssembleOptions{Version: version, PreserveNumericIDs: true})
}

// spirvHex reads words in hexadecimal, separated by blanks or commas.
func spirvHex(text string) ([]uint32, error) {
	var words []uint32
	for _, f := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' || r == '\r' }) {
		w, err := strconv.ParseUint(strings.TrimPrefix(f, "0x"), 16, 32)
		if err != nil {
			return nil, fmt.Errorf("%q is not a hexadecimal word", clip(f, 40))
		}
		words = append(words, uint32(w))
	}
	return words, checkMagic(words)
}

func spirvBin(data []byte) ([]uint32, error) {
	if len(data)%4 != 0 {
		return nil, fmt.Errorf("SPIR-V file of %d bytes is not made of words", len(data))
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return words, checkMagic(words)
}

func checkMagic(words []uint32) error {
	if len(words) < 5 || words[0] != 0x07230203 {
		return errors.New("not a SPIR-V module")
	}
	return nil
}

// glslSource is GLSL or HLSL to compile: a declared shader, its text, and what
// a pipeline makes of it.
type glslSource struct {
	*ShaderDecl
	text  string
	stage ShaderStage
	entry string
}

// glslang compiles GLSL or HLSL with glslangValidator. Without a TARGET_ENV
// it is Amber's spv1.0, and for sources that need more the next that takes them.
func (r *Runner) glslang(ctx context.Context, s *Script, sh *glslSource) ([]uint32, error) {
	tool := r.Glslang
	if tool == "" {
		tool = "glslangValidator"
	}
	tool, err := exec.LookPath(tool)
	if err != nil {
		return nil, unsupported("no glslangValidator")
	}
	dir, err := os.MkdirTemp("", "amber")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	name := "shader." + ir.StageTable[sh.stage].Suffix
	if sh.Virtual != nil {
		name = sh.Virtual.Path
	}
	for _, f := range s.Files {
		if err := writeBelow(dir, f.Path, f.Text); err != nil {
			return nil, err
		}
	}
	if err := writeBelow(dir, name, sh.text); err != nil {
		return nil, err
	}
	words, err := sh.compile(ctx, tool, dir, name)
	if err == nil || !strings.HasSuffix(err.Error(), "extension not supported: "+reconvergence) || sh.Virtual != nil {
		return words, err
	}
	// A glslangValidator from before the extension.
	text, maximal := withoutReconvergence(sh.text)
	if err := writeBelow(dir, name, text); err != nil {
		return nil, err
	}
	if words, err = sh.compile(ctx, tool, dir, name); err == nil && maximal {
		words, err = reconverging(words)
	}
	return words, err
}

// compile runs glslangValidator on a file of a folder.
func (sh *glslSource) compile(ctx context.Context, tool, dir, name string) ([]uint32, error) {
	envs := []string{"spv1.0", "spv1.3", "spv1.5", "spv1.6"}
	if ir.RayStages.Has(ir.StageTable[sh.stage].Stage) {
		envs = []string{"spv1.4", "spv1.6"} // the extension needs 1.4
	}
	if sh.TargetEnv != "" {
		envs = []string{sh.TargetEnv}
	}
	var first error
	for _, env := range envs {
		if v, ok := strings.CutPrefix(env, "spv"); ok {
			env = "spirv" + v // glslangValidator's word for it
		}
		args := []string{"-V", "-S", ir.StageTable[sh.stage].Suffix, "--target-env", env, "-I" + dir, "-o", "out.spv"}
		if sh.Format == FormatHLSL {
			args = append(args, "-D", "-e", sh.entry)
		}
		cmd := exec.CommandContext(ctx, tool, append(args, name)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err == nil {
			data, err := os.ReadFile(filepath.Join(dir, "out.spv"))
			if err != nil {
				return nil, err
			}
			return spirvBin(data)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := glslangError(out, err); first == nil {
			first = err
		}
	}
	return nil, first
}

// glslangError picks the first error of the tool's output. An extension
// that the tool does not know is its limit and not the script's fault.
func glslangError(out []byte, err error) error {
	msg := err.Error()
	for l := range bytes.Lines(out) {
		if bytes.HasPrefix(l, []byte("ERROR:")) || bytes.HasPrefix(l, []byte("glslangValidator: Error:")) {
			msg = strings.TrimSpace(string(l))
			break
		}
	}
	if strings.Contains(msg, "extension not supported") {
		return unsupported("glslangValidator: %s", msg)
	}
	return fmt.Errorf("glslangValidator: %s", msg)
}

// writeBelow writes a file of a script into dir.
func writeBelow(dir, name, text string) error {
	name = filepath.FromSlash(name)
	if !filepath.IsLocal(name) {
		return fmt.Errorf("virtual file %q is outside its folder", name)
	}
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}
