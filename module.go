package nirc

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"nirc/frontend/spirv"
	"nirc/frontend/spirv/spv"
	"nirc/internal/glsl"
	"nirc/internal/rawfile"
	"nirc/ir"
)

// Module is a shader module that was read: SPIR-V, or a shader in the IR's
// text form. It is immutable.
type Module struct {
	// Name stands for the module in diagnostics: its path.
	Name string
	// SPIRV is the module, nil if it was IR text.
	SPIRV *spv.Module
	// Deps are the files that GLSL included, if LoadFile was asked for them.
	Deps []string
	// FromGLSL says that a front end made the module of GLSL or HLSL, Kept that FileOptions.Kept had it.
	FromGLSL, Kept bool

	shader    *ir.Shader // parsed IR text, nil of SPIR-V
	assembled bool       // SPIRV was assembly, whose version nothing says
}

// Release gives the memory of a module to the next one that is loaded. Only Name and Deps may be used afterwards, and nothing that
// compiles it may run. A module that is not released is freed by the garbage collector.
func (m *Module) Release() {
	if m.SPIRV != nil {
		m.SPIRV.Release()
	}
}

// EntryPoint is a shader of a module.
type EntryPoint struct {
	Name  string
	Stage ir.Stage
}

// Load reads a module by what its bytes are: a SPIR-V binary of either byte
// order, SPIR-V assembly, or the IR's text form. name is for diagnostics. The
// error is of type Diagnostics.
func Load(data []byte, name string) (*Module, error) {
	m := &Module{Name: name}
	err := m.load(data)
	if err != nil {
		return nil, Diagnose(err, name, "")
	}
	return m, nil
}

// magics are files that people give to a compiler by mistake.
var magics = []struct{ magic, what string }{
	{"\x7fELF", "an ELF file, perhaps an object of nirc (see nirc disasm)"},
	{"\x81FOSSILIZEDB", "a Fossilize database, of which nirc foz extract takes the modules"},
	{"DXBC", "a DirectX shader: only SPIR-V is supported"},
	{"BC\xc0\xde", "LLVM bitcode: only SPIR-V is supported"},
	{"#version", "GLSL: its file name must say the stage (.vert, .frag, .comp …)"},
}

func (m *Module) load(data []byte) (err error) {
	if spv.IsModule(data) {
		m.SPIRV, err = spv.Parse(data)
		return err
	}
	for _, k := range magics {
		if bytes.HasPrefix(data, []byte(k.magic)) {
			return fmt.Errorf("this is %s", k.what)
		}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return fmt.Errorf("the file is empty")
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return fmt.Errorf("this is neither SPIR-V nor text: byte %d is zero", i)
	}
	text := string(data)
	if isIR(text) {
		if m.shader, err = ir.Parse(text); err == nil {
			err = ir.Validate(m.shader)
		}
		return err
	}
	words, err := spv.Assemble(text, spv.AssembleOptions{PreserveNumericIDs: true})
	if err != nil {
		return err
	}
	m.SPIRV, err = spv.ParseWords(words)
	m.assembled = true
	return err
}

// GLSLExtension reports whether a path's extension is that of a GLSL shader,
// which LoadFile gives to glslangValidator or glslc.
func GLSLExtension(path string) bool { return glsl.Extension(path) != "" }

// FileOptions are what LoadFile needs to know beside the path.
type FileOptions struct {
	// Stdin is read for the path "-".
	Stdin io.Reader
	// FS, unless nil, has the files in place of the operating system. GLSL of it is compiled as that of Stdin: its
	// #include looks into Include alone, which are directories of the operating system.
	FS fs.FS
	// Stage is the stage of GLSL from Stdin.
	Stage ir.Stage
	// Debug keeps source lines of GLSL.
	Debug bool
	// Env is the target environment, as glslc and spirv-as spell it (spv.Environments): GLSL is compiled for
	// it, and a module of a later SPIR-V version than it takes is refused. "" is vulkan1.3.
	Env string
	// Macros are those of GLSL, -DNAME, -DNAME=TEXT and, taken away again, -UNAME, in the order in which they count. Include are the
	// directories that #include looks into, PreInclude the files that are included before the text.
	Macros, Include, PreInclude []string
	// FrontEnd compiles GLSL: glslang, glslc or a path; "" is glslangValidator, or glslc if that is not installed.
	FrontEnd string
	// Language is what files are, whatever they are called and begin with: glsl, hlsl (with the entry point Entry, main if
	// that is ""), or "".
	Language, Entry string
	// Deps finds out which files GLSL includes: Module.Deps.
	Deps bool
	// Kept, unless nil, keeps the modules that were made of GLSL, and what they were made of.
	Kept FrontEndStore
}

// FrontEndStore keeps the modules that a front end made of GLSL; package cache has one.
type FrontEndStore = glsl.Store

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
	gl := glsl.Options{Env: o.Env, Macros: o.Macros, Include: o.Include, PreInclude: o.PreInclude, FrontEnd: o.FrontEnd,
		HLSL: o.Language == "hlsl", Entry: o.Entry, Debug: o.Debug, Deps: o.Deps, Store: o.Kept}
	stage, err := o.sourceStage(path)
	if err != nil {
		return nil, err
	}
	if stage == "" && filepath.Ext(path) == ".wgsl" {
		return nil, Diagnostics{{File: path, Unsupported: true, Msg: "WGSL is not supported: make SPIR-V of it with naga or tint (docs/cli/formats.md)"}}
	}
	if o.FS != nil && path != "-" {
		return o.loadFS(ctx, path, stage, gl)
	}
	if stage != "" && path != "-" {
		if _, err := os.Stat(path); err != nil {
			return nil, &IOError{err}
		}
		r, err := glsl.Compile(ctx, path, stage, gl)
		return compiledGLSL(r, path, err)
	}
	if path != "-" {
		data, err := rawfile.Read(path, maxModule)
		if err != nil {
			return nil, &IOError{err}
		}
		if len(data) > maxModule {
			return nil, tooLarge(path)
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
	if o.Stage == ir.StageNone || o.Language == "" && !bytes.HasPrefix(bytes.TrimSpace(data), []byte("#version")) {
		return Load(data, "-")
	}
	if stage == "" {
		return nil, Diagnostics{{File: "-", Unsupported: true, Msg: fmt.Sprintf("GLSL of stage %s is not supported", o.Stage)}}
	}
	r, err := glsl.CompileText(ctx, data, stage, gl)
	return compiledGLSL(r, "-", err)
}

// loadFS reads a module of FS, GLSL of a stage if that is not "".
func (o *FileOptions) loadFS(ctx context.Context, path, stage string, gl glsl.Options) (*Module, error) {
	f, err := o.FS.Open(path)
	if err != nil {
		return nil, &IOError{err}
	}
	defer f.Close()
	data, err := readModule(f, path)
	if err != nil {
		return nil, err
	}
	if stage == "" {
		return Load(data, path)
	}
	r, err := glsl.CompileText(ctx, data, stage, gl)
	return compiledGLSL(r, path, err)
}

// sourceStage is the stage, as front ends spell it, of a path that is GLSL or HLSL, "" of one that is a module. Of standard
// input, which may be either, it is that of Stage.
func (o *FileOptions) sourceStage(path string) (string, error) {
	named := path
	if o.Language == "hlsl" {
		named = strings.TrimSuffix(path, ".hlsl")
	}
	stage := glsl.Extension(named)
	switch {
	case o.Language != "" && o.Language != "glsl" && o.Language != "hlsl":
		return "", Usagef("the language %s is not known: there are glsl and hlsl", o.Language)
	case path != "-" && (stage != "" || o.Language == ""):
		return stage, nil
	case o.Stage == ir.StageNone && o.Language != "":
		return "", Usagef("%s: %s wants a stage: none is in the name, and none was given", path, o.Language)
	}
	if stage = glsl.StageName(o.Stage); stage == "" && path != "-" {
		return "", Diagnostics{{File: path, Unsupported: true, Msg: fmt.Sprintf("GLSL of stage %s is not supported", o.Stage)}}
	}
	return stage, nil
}

// compiledGLSL makes a module of what became of GLSL; name stands for it in diagnostics.
func compiledGLSL(r *glsl.Result, name string, err error) (*Module, error) {
	var refused *glsl.Error
	switch {
	case errors.As(err, &refused):
		var list Diagnostics
		for _, m := range refused.Messages {
			d := Diagnostic{File: name, Line: m.Line, Msg: m.Text}
			if m.Warning {
				d.Severity = SeverityWarning
			}
			list = append(list, d)
		}
		return nil, list
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return nil, err
	case err != nil:
		return nil, &IOError{err}
	}
	m, err := Load(r.SPIRV, name)
	if err == nil {
		m.Deps, m.FromGLSL, m.Kept = r.Deps, true, r.Kept
	}
	return m, err
}

// maxModule bounds the bytes of a module, so that a device or a pipe without
// end is refused; the largest modules of applications have a few megabytes.
const maxModule = 256 << 20

// readModule reads a module's bytes; name is for diagnostics.
func readModule(r io.Reader, name string) ([]byte, error) {
	var b bytes.Buffer
	if f, ok := r.(fs.File); ok {
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
		return nil, tooLarge(name)
	}
	return b.Bytes(), nil
}

func tooLarge(name string) error {
	return Diagnostics{{File: name, Msg: fmt.Sprintf("more than %d MB: this is no shader module", maxModule>>20)}}
}

// isIR reports whether a text is the IR's: its first word is "shader".
func isIR(text string) bool {
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		if !strings.HasPrefix(text, "//") {
			break
		}
		_, text, _ = strings.Cut(text, "\n")
	}
	rest, ok := strings.CutPrefix(text, "shader")
	return ok && rest != "" && strings.ContainsRune(" \t\r\n", rune(rest[0]))
}

// LayoutOf returns the pipeline layout that a compile of the module with the options goes by: theirs, else the one that descriptor heaps
// have (docs/abi.md), else nil, for slots that follow from the numbers of bindings.
func (m *Module) LayoutOf(o *Options) *Layout { return cmp.Or(o.Layout, impliedLayout(m.SPIRV)) }

// EntryPoints lists the module's shaders in their order.
func (m *Module) EntryPoints() []EntryPoint {
	if m.shader != nil {
		return []EntryPoint{{m.shader.Name, m.shader.Stage}}
	}
	var list []EntryPoint
	for _, e := range spirv.EntryPoints(m.SPIRV) {
		list = append(list, EntryPoint{e.Name, e.Stage})
	}
	return list
}

// Select lists the entry points of a name and a stage, in their order; "" and
// StageNone leave the choice open. If there is none, the error lists those that there are.
func (m *Module) Select(name string, stage ir.Stage) ([]EntryPoint, error) {
	all := m.EntryPoints()
	var list []EntryPoint
	for _, e := range all {
		if (name == "" || e.Name == name) && (stage == ir.StageNone || e.Stage == stage) {
			list = append(list, e)
		}
	}
	if len(list) > 0 {
		return list, nil
	}
	want := "entry point"
	if name != "" {
		want += fmt.Sprintf(" %q", name)
	}
	if stage != ir.StageNone {
		want += " of stage " + stage.String()
	}
	msg := "the module has no " + want
	if len(all) > 0 {
		msg += ": it has " + EntryList(all)
	}
	return nil, Diagnostics{{File: m.Name, Msg: msg}}
}

// EntryList writes entry points as they are given to the command line:
// --entry main --stage vertex, --entry main --stage fragment. A name that a
// shell would not take as it is stands in quotation marks; what has none is left out.
func EntryList(list []EntryPoint) string {
	var b strings.Builder
	for _, e := range list {
		name := e.Name
		switch {
		case name == "":
			continue
		case strings.ContainsFunc(name, quoted):
			name = "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "--entry %s", name)
		if e.Stage != ir.StageNone {
			fmt.Fprintf(&b, " --stage %s", e.Stage)
		}
	}
	return b.String()
}

// quoted reports whether a shell may take a character for more than itself.
func quoted(r rune) bool {
	return r < 0x80 && r != '_' && (r < '+' || r > 'z' || strings.ContainsRune(";<>?[\\]^`", r))
}

// SpecConstants lists the module's specialization constants.
func (m *Module) SpecConstants() []spirv.SpecConstant {
	if m.SPIRV == nil {
		return nil
	}
	return spirv.SpecConstants(m.SPIRV)
}

// Spec reads the value of a specialization constant, written ID=VALUE, by the
// type that the module gives the constant: 3=1.5 of a float, 4=true or 4=1 of a
// boolean, 5=-7 or 5=0x10 of an integer. NAME=VALUE works where the module
// has debug names.
func (m *Module) Spec(text string) (spirv.SpecValue, error) {
	id, value, ok := strings.Cut(text, "=")
	if !ok || id == "" {
		return spirv.SpecValue{}, Usagef("--spec %s: want ID=VALUE", text)
	}
	num, err := strconv.ParseUint(id, 0, 32)
	consts := m.SpecConstants()
	have := make([]string, len(consts))
	for i, c := range consts {
		have[i] = strconv.FormatUint(uint64(c.ID), 10)
		if err == nil && uint64(c.ID) != num || err != nil && c.Name != id {
			continue
		}
		bits, err := consts[i].ParseValue(value)
		if err != nil {
			return spirv.SpecValue{}, Usagef("--spec %s: %s", text, err)
		}
		return spirv.SpecValue{ID: c.ID, Bits: bits}, nil
	}
	msg := fmt.Sprintf("the module has no specialization constant %s", id)
	if len(have) > 0 {
		msg += " (it has " + strings.Join(have, ", ") + ")"
	}
	return spirv.SpecValue{}, Diagnostics{{File: m.Name, Msg: msg}}
}

// Disassemble returns the module as SPIR-V assembly. A module that was IR
// text has none.
func (m *Module) Disassemble() (string, error) {
	if m.SPIRV == nil {
		return "", Diagnostics{{File: m.Name, Msg: "IR text has no SPIR-V form"}}
	}
	return spv.Disassemble(m.SPIRV, spv.DisassembleOptions{Header: true, Indent: true}), nil
}

// Bytes returns the words of a SPIR-V module in little endian, nil of IR text.
func (m *Module) Bytes() []byte {
	if m.SPIRV == nil {
		return nil
	}
	b := make([]byte, 0, 4*len(m.SPIRV.Words))
	for _, w := range m.SPIRV.Words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// IR returns the shader of a module that was IR text, not to be changed; nil of SPIR-V.
func (m *Module) IR() *ir.Shader { return m.shader }

// Text returns the text form of a module that was IR text, "" of SPIR-V.
func (m *Module) Text() string {
	if m.shader == nil {
		return ""
	}
	return ir.Print(m.shader)
}
