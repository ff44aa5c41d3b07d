package ir

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Limits of what the parser accepts, so that a small text cannot ask for much memory.
const (
	maxParseDepth  = 2000
	maxParseNumber = 1 << 22 // value, block, variable numbers
	// maxTypeNodes bounds a struct type written out: a few lines of structs in
	// structs could otherwise stand for more members than anything can walk.
	maxTypeNodes = 1 << 16
)

// Parse reads the text form of a shader. Value and block numbers are free;
// they may have gaps. The result is not validated: see Validate.
func Parse(src string) (s *Shader, err error) {
	p := &parser{lexer: lexer{src: src}}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *ParseError:
			s, err = nil, e
		default:
			panic(e)
		}
	}()
	p.next()
	p.shader()
	if p.tok.kind != tokEOF {
		p.fail("text after the shader's end")
	}
	return p.s, nil
}

type parser struct {
	lexer
	s     *Shader
	types []*Type
	vars  map[int]*Variable
	names map[string]uint32
	// Calls are resolved when all functions are known.
	calls []pendingCall

	// Per function.
	impl   *Impl
	vals   map[int]*Def
	blocks map[int]*Block
	uses   []pendingUse
	phis   []pendingPhi
	block  *Block
	depth  int
}

type pendingUse struct {
	src *Src
	reg **Def // or a register name to fill in
	num int
	pos int
}

type pendingPhi struct {
	in    *Instr
	block *Block
	preds []int
	vals  []int
	pos   int
}

type pendingCall struct {
	info *CallInfo
	num  int
	pos  int
}

func (p *parser) shader() {
	p.expect("shader")
	stage := ParseStage(p.word())
	if stage == StageNone {
		p.failLast("no such stage")
	}
	p.s = NewShader(stage, nil)
	p.s.Name = p.str()
	p.vars = map[int]*Variable{}
	p.expect("{")
	var initPos []func()
	for !p.accept("}") {
		switch kw := p.word(); kw {
		case "info":
			p.info()
		case "capture":
			p.capture()
		case "argument":
			p.argument()
		case "constant_data":
			p.constantData()
		case "scratch_size":
			p.expect("=")
			p.s.ScratchSize = uint32(p.uint(32))
		case "shared_size":
			p.expect("=")
			p.s.SharedSize = uint32(p.uint(32))
		case "type":
			p.structType()
		case "file":
			p.numbered(kw, len(p.s.Files))
			p.s.Files = append(p.s.Files, p.str())
		case "func":
			p.numbered(kw, len(p.s.Funcs))
			p.s.Funcs = append(p.s.Funcs, p.str())
		case "loc":
			p.numbered(kw, len(p.s.Locs))
			p.s.Locs = append(p.s.Locs, p.place())
		case "var":
			v, fix := p.variable()
			p.s.Variables = append(p.s.Variables, v)
			if fix != nil {
				initPos = append(initPos, fix)
			}
		case "fn":
			p.function()
		default:
			p.failLast("unknown item %q", kw)
		}
	}
	for _, fix := range initPos {
		fix()
	}
	p.resolveCalls()
}

func (p *parser) constantData() { p.s.ConstantData = p.bytes() }

// bytes reads an equals sign and bytes in hexadecimal.
func (p *parser) bytes() []byte {
	p.expect("=")
	b, err := hex.DecodeString(strings.TrimPrefix(p.word(), "0x"))
	if err != nil {
		p.failLast("ill-formed bytes")
	}
	return b
}

// place reads a place: five numbers, the function and the call where they are known.
func (p *parser) place() (l Loc) {
	for _, v := range []*uint32{&l.File, &l.Line, &l.Col, &l.ID, &l.Word} {
		*v = uint32(p.uint(32))
	}
	for _, x := range []struct {
		word  string
		v     *uint32
		below int
	}{{"in", &l.Func, len(p.s.Funcs)}, {"at", &l.Call, len(p.s.Locs)}} {
		if !p.accept(x.word) {
			continue
		}
		if *x.v = uint32(p.uint(32)); int(*x.v) >= x.below {
			p.failLast("%s %d: none of this number stands before", x.word, *x.v)
		}
	}
	return l
}

// numbered reads the number of the next file or loc, n, up to its text.
func (p *parser) numbered(kw string, n int) {
	if int(p.uint(32)) != n {
		p.failLast("%ss are numbered from 1", kw)
	}
	p.expect("=")
}

// resolveCalls gives calls their functions, which may stand after them.
func (p *parser) resolveCalls() {
	for _, c := range p.calls {
		if c.num >= len(p.s.Functions) {
			panic(p.errorAt(c.pos, fmt.Sprintf("no function f%d", c.num)))
		}
		c.info.Callee = p.s.Functions[c.num]
	}
}

// setField parses the value of one of the named fields, or says that there is none.
func (p *parser) setField(name string, fields []namedField) bool {
	for _, f := range fields {
		if f.name != name {
			continue
		}
		if b, ok := f.ptr.(*bool); ok {
			*b = true
			return true
		}
		p.expect("=")
		switch x := f.ptr.(type) {
		case *uint8:
			*x = uint8(p.uint(8))
		case *uint32:
			*x = uint32(p.uint(32))
		case *uint64:
			*x = p.uint(64)
		case *int32:
			*x = int32(p.int(32))
		case *FloatControls:
			*x = FloatControls(p.uint(32))
		}
		return true
	}
	return false
}

func (p *parser) info() {
	p.expect("{")
	for !p.accept("}") {
		name := p.word()
		if name == "workgroup_size" {
			p.expect("=")
			for i := range p.s.Info.WorkgroupSize {
				if i > 0 {
					p.expect(",")
				}
				p.s.Info.WorkgroupSize[i] = uint32(p.uint(32))
			}
			continue
		}
		if !p.setField(name, infoFields(&p.s.Info)) {
			p.failLast("no info %q", name)
		}
	}
}

func (p *parser) structType() {
	if n := p.prefixed("$"); n != len(p.types) {
		p.failLast("types are numbered from $0")
	}
	p.expect("=")
	p.expect("struct")
	t := &Type{Base: BaseStruct, Name: p.str()}
	t.Block = p.accept("block")
	p.expect("{")
	for !p.accept("}") {
		f := Field{Name: p.str(), Offset: -1, Location: -1, BuiltIn: -1, XfbBuffer: -1, XfbOffset: -1}
		p.expect(":")
		if f.Type = p.typ(); f.Type == nil {
			p.failLast("a member has a type")
		}
		for p.tok.kind == tokWord {
			p.fieldAttr(&f)
		}
		t.Fields = append(t.Fields, f)
	}
	if typeNodes(t, 0) > maxTypeNodes {
		p.fail("type $%d has too many members", len(p.types))
	}
	p.types = append(p.types, t)
}

// typeNodes counts the types that t is made of, each as often as it stands
// there, and gives up soon after maxTypeNodes.
func typeNodes(t *Type, n int) int {
	for n++; t.Base == BaseArray && n <= maxTypeNodes; n++ {
		t = t.Elem
	}
	for i := range t.Fields {
		if n <= maxTypeNodes {
			n = typeNodes(t.Fields[i].Type, n)
		}
	}
	return n
}

func (p *parser) fieldAttr(f *Field) {
	name := p.word()
	switch name {
	case "interp":
		p.expect("=")
		f.Interp = p.interp()
		return
	case "access":
		p.expect("=")
		f.Access = p.access()
		return
	}
	fields := []namedField{{"offset", &f.Offset}, {"location", &f.Location}, {"component", &f.Component}, {"centroid", &f.Centroid},
		{"sample", &f.Sample}, {"patch", &f.Patch}, {"invariant", &f.Invariant}, {"builtin", &f.BuiltIn}, {"xfb_buffer", &f.XfbBuffer},
		{"xfb_offset", &f.XfbOffset}, {"per_primitive", &f.PerPrimitive}, {"mediump", &f.RelaxedPrecis}}
	if !p.setField(name, fields) {
		p.failLast("no member attribute %q", name)
	}
}

func (p *parser) interp() Interp { return Interp(p.named(interpNames[:])) }

// enum reads one of the names, or a number.
func (p *parser) enum(names []string) uint64 {
	for i, n := range names {
		if p.is(n) {
			p.next()
			return uint64(i)
		}
	}
	return p.uint(64)
}

// named reads one of names; what is stored in a narrow type takes no number, as
// it would print as none of them.
func (p *parser) named(names []string) int {
	for i, n := range names {
		if p.accept(n) {
			return i
		}
	}
	p.fail("want one of %s, have %q", strings.Join(names, " "), p.tok.text)
	return 0
}

func (p *parser) access() Access { return Access(p.knownFlags(accessNames[:])) }

// knownFlags is flags where a number may set no bit without a name.
func (p *parser) knownFlags(names []string) uint64 {
	v := p.flags(names)
	if v>>len(names) != 0 {
		p.failLast("no such flags")
	}
	return v
}

// flags reads names joined by '|', or a number.
func (p *parser) flags(names []string) uint64 {
	if c := p.tok.text; p.tok.kind == tokWord && c != "" && c[0] >= '0' && c[0] <= '9' {
		return p.uint(64)
	}
	var v uint64
	for {
		w := p.word()
		found := w == "none"
		for i, n := range names {
			if n == w {
				v |= 1 << i
				found = true
			}
		}
		if !found {
			p.failLast("unknown flag %q", w)
		}
		if !p.accept("|") {
			return v
		}
	}
}

// typ reads a type; see printer.typ.
func (p *parser) typ() *Type {
	w := p.word()
	var t *Type
	switch {
	case strings.HasPrefix(w, "$"):
		n, err := strconv.Atoi(w[1:])
		if err != nil || n < 0 || n >= len(p.types) {
			p.failLast("no type %s before this", w)
		}
		t = p.types[n]
	case w == "nil":
		return nil
	case w == "void":
		t = VoidType
	case w == "sampler":
		t = &Type{Base: BaseSampler}
	case w == "sampler_shadow":
		t = &Type{Base: BaseSampler, Shadow: true}
	case w == "accel_struct":
		t = &Type{Base: BaseAccelStruct}
	case w == "ray_query":
		t = &Type{Base: BaseRayQuery}
	default:
		if t = p.imageType(w); t == nil {
			t = p.numericType(w)
		}
	}
	dims := 0
	for p.is("[") && !p.tok.space {
		p.next()
		var n, stride uint32
		if !p.is("]") && !p.is(":") {
			n = uint32(p.uint(32))
		}
		if p.accept(":") {
			stride = uint32(p.uint(32))
		}
		p.expect("]")
		if dims++; dims > maxParseDepth {
			p.fail("types nest too deep")
		}
		t = ArrayType(t, n, stride)
	}
	return t
}

func (p *parser) imageType(w string) *Type {
	for b := BaseTexture; b <= BaseSampledImage; b++ {
		if b == BaseSampler || !strings.HasPrefix(w, baseNames[b]) {
			continue
		}
		t := &Type{Base: b}
		rest := w[len(baseNames[b]):]
		if rest, t.Shadow = cutSuffix(rest, "_shadow"); true {
			rest, t.Arrayed = cutSuffix(rest, "_array")
		}
		dim := -1
		for i, n := range dimNames {
			if n == rest {
				dim = i
			}
		}
		if dim < 0 {
			return nil
		}
		t.Dim = Dim(dim)
		p.expect("<")
		elem := p.word()
		p.expect(">")
		if strings.HasPrefix(elem, "void") {
			n, err := strconv.ParseUint(elem[4:], 10, 8)
			if err != nil {
				p.failLast("no texel type %q", elem)
			}
			t.TexelBits = uint8(n)
		} else {
			at := p.aluType(elem)
			t.TexelBits = at.Bits
			t.Texel = [...]Base{ClassNone: BaseVoid, ClassUint: BaseUint, ClassInt: BaseInt, ClassFloat: BaseFloat, ClassBool: BaseBool}[at.Class]
		}
		if p.is("ms") && !p.tok.space {
			p.next()
			t.MS = true
		}
		return t
	}
	return nil
}

func cutSuffix(s, suffix string) (string, bool) {
	r, ok := strings.CutSuffix(s, suffix)
	return r, ok
}

// aluType reads f32, u16, b1 … from a word, and sizes that do not exist too:
// what prints reads back, and Validate judges it.
func (p *parser) aluType(w string) ALUType {
	for c := ClassUint; c <= ClassBool; c++ {
		if strings.HasPrefix(w, c.String()) {
			if n, err := strconv.ParseUint(w[1:], 10, 8); err == nil {
				return ALUType{c, uint8(n)}
			}
		}
	}
	if w != "none" {
		p.failLast("no type %q", w)
	}
	return ALUType{}
}

func (p *parser) numericType(w string) *Type {
	cols, rows := uint8(1), uint8(1)
	rest := w
	if r, ok := strings.CutPrefix(w, "vec"); ok && len(r) > 1 {
		rows, rest = r[0]-'0', r[1:]
	} else if r, ok := strings.CutPrefix(w, "mat"); ok && len(r) > 3 && r[1] == 'x' {
		cols, rows, rest = r[0]-'0', r[2]-'0', r[3:]
	}
	at := p.aluType(rest)
	base := [...]Base{ClassNone: BaseVoid, ClassUint: BaseUint, ClassInt: BaseInt, ClassFloat: BaseFloat, ClassBool: BaseBool}[at.Class]
	if rows < 1 || rows > 4 || cols < 1 || cols > 4 || !numericBits(base, at.Bits) {
		p.failLast("no type %q", w)
	}
	if cols == 1 && !(p.is(":") && !p.tok.space && p.stridedNext()) {
		return VectorType(base, at.Bits, rows)
	}
	t := MatrixType(at.Bits, cols, rows)
	t.Base = base
	if p.is(":") && !p.tok.space {
		p.next()
		n, row := strings.CutSuffix(p.word(), "r")
		v, err := strconv.ParseUint(n, 10, 32)
		if err != nil {
			p.fail("want a stride")
		}
		t.Stride, t.RowMajor = uint32(v), row
	}
	return t
}

// numericBits reports whether numbers of a type may have so many bits.
func numericBits(base Base, bits uint8) bool {
	switch base {
	case BaseBool:
		return bits == 1 || bits != 64 && bitsIndex(bits) != 0
	case BaseFloat:
		return bits != 8 && bitsIndex(bits) != 0
	}
	return base != BaseVoid && bitsIndex(bits) != 0
}

// stridedNext reports whether a number follows the ':' at once: a stride.
func (p *parser) stridedNext() bool {
	return p.pos < len(p.src) && p.src[p.pos] >= '0' && p.src[p.pos] <= '9'
}

func (p *parser) variable() (v *Variable, fix func()) {
	n := p.prefixed("@")
	if p.vars[n] != nil || n > maxParseNumber {
		p.failLast("variable @%d stands twice, or its number is too large", n)
	}
	mode := ParseMode(p.word())
	if mode == 0 {
		p.failLast("no such variable mode")
	}
	t := p.typ()
	if t == nil {
		p.failLast("a variable has a type")
	}
	v = p.s.makeVariable(mode, t, p.str())
	v.ID = uint32(n)
	p.s.nextVar = max(p.s.nextVar, v.ID)
	p.vars[n] = v
	if !p.accept("{") {
		return v, nil
	}
	for !p.accept("}") {
		if f := p.varAttr(v); f != nil {
			fix = f
		}
	}
	return v, fix
}

func (p *parser) varAttr(v *Variable) (fix func()) {
	name := p.word()
	if p.setField(name, varFields(v)) {
		return nil
	}
	p.expect("=")
	switch name {
	case "location":
		loc, ok := parseSlot(p.word())
		if !ok {
			p.failLast("no such location")
		}
		v.Location = loc
	case "set":
		v.Set = uint32(p.uint(32))
		v.HasBinding = true
	case "binding":
		v.Binding = uint32(p.uint(32))
		v.HasBinding = true
	case "interp":
		v.Interp = p.interp()
	case "access":
		v.Access = p.access()
	case "format":
		f, ok := ParseImageFormat(p.word())
		if !ok {
			p.failLast("no such image format")
		}
		v.ImageFormat = f
	case "init":
		v.Init = p.constant(v.Type)
	case "interface":
		v.InterfaceType = p.typ()
	case "pointer_init":
		n, pos := p.prefixed("@"), p.last
		return func() {
			if v.PointerInit = p.vars[n]; v.PointerInit == nil {
				panic(p.errorAt(pos, fmt.Sprintf("no variable @%d", n)))
			}
		}
	default:
		p.failLast("no variable attribute %q", name)
	}
	return nil
}

func (p *parser) constant(t *Type) *Constant {
	c := &Constant{}
	if p.accept("zero") {
		c.Zero = true
		return c
	}
	if t != nil && t.IsVectorOrScalar() {
		p.expect("(")
		values := make([]uint64, t.Rows)
		for i := range values {
			if i > 0 {
				p.expect(",")
			}
			values[i] = p.uint(64)
		}
		p.expect(")")
		return VectorConstant(values...)
	}
	if t == nil {
		p.fail("initialiser of more parts than the type has")
	}
	p.expect("{")
	for !p.accept("}") {
		if len(c.Elems) > 0 {
			p.expect(",")
		}
		et := t.Child()
		if t.IsStruct() {
			if len(c.Elems) >= len(t.Fields) {
				p.fail("initialiser of more parts than the type has")
			}
			et = t.Fields[len(c.Elems)].Type
		}
		c.Elems = append(c.Elems, p.constant(et))
	}
	return c
}
