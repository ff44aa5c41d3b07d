package nirc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"nirc/frontend/spirv"
	"nirc/frontend/spirv/spv"
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

	shader    *ir.Shader // parsed IR text, nil of SPIR-V
	assembled bool       // SPIRV was assembly, whose version nothing says
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

// Text returns the text form of a module that was IR text, "" of SPIR-V.
func (m *Module) Text() string {
	if m.shader == nil {
		return ""
	}
	return ir.Print(m.shader)
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
		bits, err := parseSpec(&consts[i], value)
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

// parseSpec reads a value by the constant's type; integers are zero or sign extended.
func parseSpec(c *spirv.SpecConstant, value string) (uint64, error) {
	bits := int(c.Bits)
	switch c.Class {
	case ir.ClassBool:
		v, err := strconv.ParseBool(value)
		if err != nil {
			return 0, fmt.Errorf("the constant is a boolean: want true or false")
		}
		if v {
			return 1, nil
		}
		return 0, nil
	case ir.ClassFloat:
		v, err := strconv.ParseFloat(value, max(bits, 32))
		if err != nil {
			return 0, fmt.Errorf("the constant is a %d-bit float: %q is none, or too large", bits, value)
		}
		if b := ir.FloatBits(v, c.Bits); bits != 16 || math.IsInf(v, 0) || !math.IsInf(ir.FloatValue(b, 16), 0) {
			return b, nil
		}
		return 0, fmt.Errorf("the constant is a 16-bit float: %q is too large", value)
	case ir.ClassInt:
		v, err := strconv.ParseInt(value, 0, bits)
		if err != nil {
			if u, err := strconv.ParseUint(value, 0, bits); err == nil {
				return u, nil // bits written as a hexadecimal number
			}
			return 0, fmt.Errorf("the constant is a signed %d-bit integer: %q is none, or out of range", bits, value)
		}
		return uint64(v), nil
	}
	v, err := strconv.ParseUint(value, 0, bits)
	if err != nil {
		if s, err := strconv.ParseInt(value, 0, bits); err == nil {
			return uint64(s) & (1<<bits - 1), nil
		}
		return 0, fmt.Errorf("the constant is an unsigned %d-bit integer: %q is none, or out of range", bits, value)
	}
	return v, nil
}
