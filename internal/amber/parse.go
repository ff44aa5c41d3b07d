package amber

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"nirc/internal/lazy"
	"nirc/ir"
)

// MaxScriptBytes bounds the length of a script.
const MaxScriptBytes = 64 << 20

// Parse reads a script. name is its path, for diagnostics and for the files
// that it names. A text whose first line does not start with #!amber is read
// as VkScript. An error is a *ParseError.
func Parse(name string, src []byte) (*Script, error) {
	if len(src) > MaxScriptBytes {
		return nil, &ParseError{name, 1, fmt.Sprintf("a script of more than %d bytes is too large", MaxScriptBytes)}
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	p := &parser{s: &Script{Name: name}, lex: lexer{src: string(src), line: 1}}
	first, _, _ := strings.Cut(p.lex.src, "\n")
	if !strings.HasPrefix(first, "#!amber") {
		p.s.VkScript = true
		p.vkScript()
		if p.err != nil {
			return nil, p.err
		}
		return p.s, nil
	}
	p.names = make(map[string]any)
	p.formats = make(map[formatKey]*Format)
	p.script()
	if p.err == nil {
		p.finish()
	}
	if p.err != nil {
		return nil, p.err
	}
	return p.s, nil
}

// parser holds the state of one Parse. The first error ends the input, so that
// every loop over tokens stops at it.
type parser struct {
	s   *Script
	lex lexer
	err *ParseError
	// names maps what the script declares, with a prefix for the kind of name.
	names map[string]any
	// formats are the layouts made so far, by type name and layout; leaves counts
	// their numbers.
	formats map[formatKey]*Format
	leaves  int
	// declared counts the bytes of buffer contents, depth the open REPEATs.
	declared int64
	depth    int
}

type formatKey struct {
	name   string
	std140 bool
}

// fail reports an error at a line. Only the first counts.
func (p *parser) fail(line int, format string, args ...any) {
	if p.err == nil {
		p.err = &ParseError{p.s.Name, line, fmt.Sprintf(format, args...)}
	}
	p.lex.pos, p.lex.peeked = len(p.lex.src), false
}

// unexpected reports a token that has no place where it stands.
func (p *parser) unexpected(t token, want string) { p.fail(t.line, "%v where %s is expected", t, want) }

func (p *parser) next() token { return p.lex.next() }
func (p *parser) peek() token { return p.lex.peek() }

// atEnd reports whether the command ends here.
func (p *parser) atEnd() bool {
	k := p.peek().kind
	return k == tokEOL || k == tokEOF
}

// end takes the end of a command.
func (p *parser) end() {
	if t := p.next(); t.kind != tokEOL && t.kind != tokEOF {
		p.fail(t.line, "extra %v after the command", t)
	}
}

// word takes a word or string; what says what it is in the message.
func (p *parser) word(what string) string {
	t := p.next()
	if t.kind != tokWord && t.kind != tokString {
		p.unexpected(t, what)
		return ""
	}
	return t.text
}

// accept takes the word if it is next.
func (p *parser) accept(w string) bool {
	if p.peek().isWord(w) {
		p.next()
		return true
	}
	return false
}

// expect takes the word and fails if something else is next.
func (p *parser) expect(w string) {
	if t := p.next(); !t.isWord(w) {
		p.unexpected(t, w)
	}
}

// uint takes an unsigned integer of at most max.
func (p *parser) uint(what string, max uint64) uint64 {
	t := p.next()
	if t.kind != tokInt && t.kind != tokHex || strings.HasPrefix(t.text, "-") {
		p.unexpected(t, what)
		return 0
	}
	if t.u > max {
		p.fail(t.line, "%s %s is larger than %d", what, t.text, max)
		return 0
	}
	return t.u
}

func (p *parser) uint32(what string) uint32 { return uint32(p.uint(what, math.MaxUint32)) }

// positive takes an integer in 1..max.
func (p *parser) positive(what string, max uint64) int {
	line := p.peek().line
	n := p.uint(what, max)
	if n == 0 {
		p.fail(line, "%s must be positive", what)
	}
	return int(n)
}

// float takes a number of any form.
func (p *parser) float(what string) float64 {
	t := p.next()
	if !t.isNumber() {
		p.unexpected(t, what)
	}
	return t.f
}

// number takes a literal for a number of type s.
func (p *parser) number(s Scalar, what string) Number {
	t := p.next()
	if !t.isNumber() || t.kind == tokFloat && s.Kind != ScalarFloat {
		p.unexpected(t, what)
	}
	return Number{U: t.u, F: t.f, IsFloat: s.Kind == ScalarFloat}
}

// onOff takes on or off.
func (p *parser) onOff() bool {
	t := p.next()
	if !t.isWord("on") && !t.isWord("off") {
		p.unexpected(t, "on or off")
	}
	return t.text == "on"
}

// choose takes one of the words and returns its index.
func (p *parser) choose(what string, words []string) int {
	t := p.next()
	for i, w := range words {
		if t.isWord(w) {
			return i
		}
	}
	p.unexpected(t, what)
	return 0
}

// declare takes the name that a command declares.
func (p *parser) declare(kind string, v any) string {
	t := p.next()
	if t.kind != tokWord && t.kind != tokString || t.text == "" {
		p.unexpected(t, "the name of a "+kind)
		return ""
	}
	key := kind + " " + t.text
	if p.names[key] != nil {
		p.fail(t.line, "%s %v is declared twice", kind, t)
		return ""
	}
	p.names[key] = v
	return t.text
}

// lookup takes the name of something declared before; it is nil only after
// an error.
func lookup[T any](p *parser, kind string) *T {
	t := p.next()
	if t.kind == tokWord || t.kind == tokString {
		if v, ok := p.names[kind+" "+t.text].(*T); ok {
			return v
		}
		p.fail(t.line, "%s %v is not declared", kind, t)
		return nil
	}
	p.unexpected(t, "the name of a "+kind)
	return nil
}

// script parses the whole text.
func (p *parser) script() {
	for p.err == nil {
		t := p.next()
		switch {
		case t.kind == tokEOF:
			return
		case t.kind == tokEOL:
			continue
		case t.kind != tokWord:
			p.unexpected(t, "a command")
			return
		}
		if p.requirement(t) || p.declaration(t) {
			continue
		}
		c := p.command(t)
		if c == nil {
			p.fail(t.line, "unknown command %v", t)
			return
		}
		p.s.Commands = append(p.s.Commands, c)
	}
}

// requirementWords are the commands that ask something of the device.
var requirementWords = [...]string{RequireFeature: "DEVICE_FEATURE", RequireProperty: "DEVICE_PROPERTY", RequireDeviceExtension: "DEVICE_EXTENSION", RequireInstanceExtension: "INSTANCE_EXTENSION"}

func (p *parser) requirement(t token) bool {
	for kind, w := range requirementWords {
		if t.text == w {
			p.s.Requirements = append(p.s.Requirements, Requirement{RequirementKind(kind), p.word("a name"), t.line})
			p.end()
			return true
		}
	}
	return false
}

// declaration parses the commands that declare something.
func (p *parser) declaration(t token) bool {
	switch t.text {
	case "SET":
		p.engineData(t.line)
	case "VIRTUAL_FILE":
		p.virtualFile(t.line)
	case "SHADER":
		p.shader(t.line)
	case "STRUCT":
		p.structure(t.line)
	case "BUFFER":
		p.buffer(t.line)
	case "IMAGE":
		p.image(t.line)
	case "SAMPLER":
		p.sampler(t.line)
	case "ACCELERATION_STRUCTURE":
		p.accelStruct(t.line)
	case "PIPELINE":
		p.pipeline(t.line)
	case "DERIVE_PIPELINE":
		p.derivePipeline(t.line)
	default:
		return false
	}
	return true
}

func (p *parser) engineData(line int) {
	p.expect("ENGINE_DATA")
	t := p.next()
	if !t.isWord("fence_timeout_ms") {
		p.unexpected(t, "fence_timeout_ms")
	}
	p.s.EngineData = append(p.s.EngineData, EngineDatum{t.text, p.uint32("milliseconds"), line})
	p.end()
}

func (p *parser) virtualFile(line int) {
	f := &VirtualFile{Line: line}
	f.Path = p.declare("virtual file", f)
	p.end()
	if p.err != nil {
		return
	}
	text, _, ok := p.lex.rawUntilEnd()
	if !ok {
		p.fail(line, "VIRTUAL_FILE without END")
	}
	f.Text = text
	p.s.Files = append(p.s.Files, f)
	p.end()
}

// stageWords are the words of scripts by ShaderStage, "" where there is none.
var stageWords = lazy.Value[[]string]{Make: func() []string {
	var words []string
	for i := range ir.StageTable {
		words = append(words, ir.StageTable[i].Script)
	}
	return append(words, "multi")
}}

// String is the stage's name in scripts.
func (s ShaderStage) String() string {
	if int(s) < len(stageWords.Get()) {
		return stageWords.Get()[s]
	}
	return "stage?"
}

var shaderFormatWords = []string{"PASSTHROUGH", "GLSL", "HLSL", "SPIRV-ASM", "SPIRV-HEX", "SPIRV-BIN", "OPENCL-C"}

func (p *parser) shader(line int) {
	sh := &ShaderDecl{Line: line}
	sh.Stage = ShaderStage(p.choose("a shader stage", stageWords.Get()))
	sh.Name = p.declare("shader", sh)
	sh.Format = ShaderFormat(p.choose("a shader format", shaderFormatWords))
	p.s.Shaders = append(p.s.Shaders, sh)
	if sh.Format == FormatPassthrough {
		if sh.Stage != StageVertex {
			p.fail(line, "only a vertex shader can be PASSTHROUGH, not %v", sh.Stage)
		}
		p.end()
		return
	}
	if sh.Stage == StageMulti && sh.Format != FormatSpirvAsm && sh.Format != FormatSpirvHex && sh.Format != FormatSpirvBin {
		p.fail(line, "a multi shader must be SPIR-V")
	}
	if p.accept("TARGET_ENV") {
		sh.TargetEnv = p.word("a target environment")
	}
	switch {
	case p.accept("VIRTUAL_FILE"):
		sh.Virtual = lookup[VirtualFile](p, "virtual file")
		p.end()
		return
	case p.accept("FILE"):
		sh.File = p.word("a file name")
		p.end()
		return
	case sh.Format == FormatSpirvBin:
		p.fail(line, "a SPIRV-BIN shader needs a FILE")
	}
	p.end()
	if p.err != nil {
		return
	}
	var ok bool
	sh.Source, sh.SourceLine, ok = p.lex.rawUntilEnd()
	if !ok {
		p.fail(line, "SHADER without END")
	}
	p.end()
}

func (p *parser) structure(line int) {
	s := &Struct{Line: line, Stride: -1}
	s.Name = p.declare("struct", s)
	if p.accept("STRIDE") {
		s.Stride = int(p.uint("a stride", maxElementBytes))
	}
	p.end()
	for {
		t := p.next()
		if t.kind == tokEOL {
			continue
		}
		if t.isWord("END") {
			break
		}
		if t.kind != tokWord {
			p.fail(t.line, "%v in STRUCT where a type or END is expected", t)
			return
		}
		p.member(s, t)
	}
	p.end()
	s.align140, s.align430 = 16, 1
	for i := range s.Members {
		t := s.Members[i].Type
		s.align140 = max(s.align140, t.align(true))
		s.align430 = max(s.align430, t.align(false))
	}
	if len(s.Members) == 0 {
		p.fail(line, "STRUCT has no members")
	}
	p.s.Structs = append(p.s.Structs, s)
}

func (p *parser) member(s *Struct, t token) {
	m := Member{Offset: -1, ArrayStride: -1, MatrixStride: -1}
	ty, err := parseType(t.text, func(n string) *Struct {
		if n == s.Name {
			return nil
		}
		u, _ := p.names["struct "+n].(*Struct)
		return u
	})
	if err != nil {
		p.fail(t.line, "%v", err)
		return
	}
	m.Type = ty
	m.Name = p.word("a member's name")
	for i := range s.Members {
		if s.Members[i].Name == m.Name {
			p.fail(t.line, "member %q is declared twice", m.Name)
		}
	}
	for !p.atEnd() {
		switch o := p.next(); {
		case o.isWord("OFFSET"):
			m.Offset = int(p.uint("an offset", maxElementBytes))
		case o.isWord("ARRAY_STRIDE") && ty.Array != 0:
			m.ArrayStride = int(p.uint("a stride", maxElementBytes))
		case o.isWord("MATRIX_STRIDE") && ty.Cols > 1:
			m.MatrixStride = int(p.uint("a stride", maxElementBytes))
		default:
			p.unexpected(o, "OFFSET, ARRAY_STRIDE of an array or MATRIX_STRIDE of a matrix")
			return
		}
	}
	p.end()
	if s.Members = append(s.Members, m); len(s.Members) > maxNames {
		p.fail(t.line, "STRUCT has more than %d members", maxNames)
	}
}
