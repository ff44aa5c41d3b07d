package ir

import (
	"encoding/binary"
	"fmt"
)

// SerialError says where a binary form is ill-formed.
type SerialError struct {
	Offset int
	Msg    string
}

// Error returns "offset n: message".
func (e *SerialError) Error() string {
	return fmt.Sprintf("binary shader, offset %d: %s", e.Offset, e.Msg)
}

// Deserialize reads what Serialize wrote. Any bytes are safe to give: what is
// not the binary form of a shader is a *SerialError, and memory stays in
// proportion to the length. The result has no target options and is not
// validated: see Validate.
func Deserialize(data []byte) (s *Shader, err error) {
	r := &serialReader{b: data}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *SerialError:
			s, err = nil, e
		default:
			panic(e)
		}
	}()
	if len(data) < len(serialMagic) || string(data[:len(serialMagic)]) != serialMagic {
		r.fail("not a binary shader")
	}
	r.pos = len(serialMagic)
	for _, n := range serialHeader() {
		if r.uint() != n {
			r.fail("written by another version of the compiler")
		}
	}
	r.shader()
	if r.pos != len(data) {
		r.fail("bytes after the shader's end")
	}
	return r.s, nil
}

type serialReader struct {
	b     []byte
	pos   int
	s     *Shader
	types []*Type
	depth []int // of each type
	vars  []*Variable
	level int // of nesting, where something nests

	// Per function.
	impl   *Impl
	vals   []*Def
	blocks []*Block
	uses   []serialUse
	phis   []serialPhi
	loc    uint32
}

// serialUse is a source to fill in when all values are known.
type serialUse struct {
	src *Src
	reg **Def // or a register
	num int64
}

type serialPhi struct {
	in    *Instr
	block *Block
	preds []uint32
	vals  []int64
}

func (r *serialReader) fail(format string, a ...any) {
	panic(&SerialError{r.pos, fmt.Sprintf(format, a...)})
}

func (r *serialReader) uint() uint64 {
	v, n := binary.Uvarint(r.b[r.pos:])
	if n <= 0 {
		r.fail("ill-formed number")
	}
	r.pos += n
	return v
}

func (r *serialReader) int() int64 {
	v, n := binary.Varint(r.b[r.pos:])
	if n <= 0 {
		r.fail("ill-formed number")
	}
	r.pos += n
	return v
}

// below reads a number smaller than n.
func (r *serialReader) below(n uint64, what string) uint64 {
	v := r.uint()
	if v >= n {
		r.fail("%s %d is out of range", what, v)
	}
	return v
}

func (r *serialReader) u32() uint32 { return uint32(r.below(1<<32, "number")) }

func (r *serialReader) bool() bool { return r.below(2, "flag") != 0 }

// count reads the number of things that take at least one byte each.
func (r *serialReader) count() int {
	v := r.uint()
	if v > uint64(len(r.b)-r.pos) {
		r.fail("count %d is out of range", v)
	}
	return int(v)
}

func (r *serialReader) byte() byte {
	if r.pos == len(r.b) {
		r.fail("unexpected end")
	}
	r.pos++
	return r.b[r.pos-1]
}

func (r *serialReader) str() string {
	n := r.count()
	r.pos += n
	return string(r.b[r.pos-n : r.pos])
}

// enter counts nesting; leave with r.level--.
func (r *serialReader) enter() {
	if r.level++; r.level > maxParseDepth {
		r.fail("nests too deep")
	}
}

func (r *serialReader) fields(fields []namedField) {
	for ; len(fields) > maskFields; fields = fields[maskFields:] {
		r.fieldGroup(fields[:maskFields])
	}
	r.fieldGroup(fields)
}

func (r *serialReader) fieldGroup(fields []namedField) {
	mask := r.below(1<<len(fields), "field mask")
	for i, f := range fields {
		if mask>>i&1 == 0 {
			r.setField(f, 0)
			continue
		}
		if b, ok := f.ptr.(*bool); ok {
			*b = true
			continue
		}
		r.setField(f, r.uint())
	}
}

func (r *serialReader) setField(f namedField, v uint64) {
	fits := true
	switch x := f.ptr.(type) {
	case *bool:
		*x = v != 0
	case *uint8:
		*x, fits = uint8(v), v < 1<<8
	case *uint16:
		*x, fits = uint16(v), v < 1<<16
	case *uint32:
		*x, fits = uint32(v), v < 1<<32
	case *uint64:
		*x = v
	case *int32:
		*x, fits = int32(uint32(v)>>1)^-int32(v&1), v < 1<<32
	case *FloatControls:
		*x, fits = FloatControls(v), v < 1<<32
	}
	if !fits {
		r.fail("%s %d is out of range", f.name, v)
	}
}

func (r *serialReader) shader() {
	stage := Stage(r.below(uint64(len(stageNames)), "stage"))
	s := NewShader(stage, nil)
	r.s = s
	s.Name = r.str()
	for i := range s.Info.WorkgroupSize {
		s.Info.WorkgroupSize[i] = r.u32()
	}
	r.fields(infoFields(&s.Info))
	for range r.count() {
		c := Capture{Slot: Slot(r.below(NumVaryingSlots, "slot"))}
		r.fields(captureFields(&c))
		if !c.valid() {
			r.fail("a capture of components that do not exist")
		}
		s.Captures = append(s.Captures, c)
	}
	for range r.count() {
		a := Argument{Name: r.str(), Kind: ArgumentKind(r.below(uint64(numArgumentKinds), "kind of argument"))}
		r.fields(argumentFields(&a))
		a.Memory = r.u32()
		if d := r.str(); d != "" {
			a.Init = []byte(d)
		}
		for range r.count() {
			a.Links = append(a.Links, ArgumentLink{At: r.u32(), To: r.u32()})
		}
		if !a.valid() {
			r.fail("the contents of an argument are not inside of its memory")
		}
		s.Arguments = append(s.Arguments, a)
	}
	if d := r.str(); d != "" {
		s.ConstantData = []byte(d)
	}
	s.ScratchSize, s.SharedSize, s.nextVar = r.u32(), r.u32(), r.u32()
	r.places()
	for range r.count() {
		r.typ()
	}
	s.Variables = r.variables()
	first := len(s.Functions)
	hasBody := make([]bool, r.count())
	for i := range hasBody {
		hasBody[i] = r.signature()
	}
	r.pointerInits(s.Variables)
	for i, f := range s.Functions[first:] {
		if hasBody[i] {
			r.body(f.Impl)
		}
	}
}

func (r *serialReader) places() {
	s := r.s
	var l Loc
	for range r.count() {
		l.File = r.u32()
		l.Line += uint32(r.int())
		l.Col = r.u32()
		l.ID += uint32(r.int())
		l.Word += uint32(r.int())
		l.Func = r.u32()
		l.Call = uint32(r.below(uint64(len(s.Locs)), "place of a call"))
		s.Locs = append(s.Locs, l)
	}
	for _, list := range []*[]string{&s.Files, &s.Funcs, &s.Names} {
		for range r.count() {
			*list = append(*list, r.str())
		}
	}
}

// typeRef reads a type that stands in the table before, or nil.
func (r *serialReader) typeRef() *Type {
	if n := r.below(uint64(len(r.types))+1, "type"); n > 0 {
		return r.types[n-1]
	}
	return nil
}

// part is typeRef for a part of a type, which must be there; deep is the
// depth of the deepest part so far.
func (r *serialReader) part(deep *int) *Type {
	n := r.below(uint64(len(r.types))+1, "type")
	if n == 0 {
		r.fail("type without element")
	}
	*deep = max(*deep, r.depth[n-1]+1)
	if *deep > maxParseDepth {
		r.fail("types nest too deep")
	}
	return r.types[n-1]
}

func (r *serialReader) typ() {
	t := &Type{Base: Base(r.below(uint64(len(baseNames)), "base type"))}
	deep := 0
	switch t.Base {
	case BaseVoid:
		t = VoidType
	case BaseArray:
		t.Elem = r.part(&deep)
		t.Len, t.Stride = r.u32(), r.u32()
	case BaseStruct:
		t.Name = r.str()
		t.Block = r.bool()
		for range r.count() {
			f := Field{Name: r.str()}
			f.Type = r.part(&deep)
			r.fields(memberFields(&f))
			if int(f.Interp) >= len(interpNames) {
				r.fail("no such interpolation mode")
			}
			t.Fields = append(t.Fields, f)
		}
		if typeNodes(t, 0) > maxTypeNodes {
			r.fail("a type has too many members")
		}
	case BaseBool, BaseInt, BaseUint, BaseFloat:
		t = r.numeric(t.Base)
	default:
		r.opaque(t)
	}
	r.types = append(r.types, t)
	r.depth = append(r.depth, deep)
}

func (r *serialReader) numeric(base Base) *Type {
	bits := uint8(r.below(65, "bit size"))
	form := r.below(1<<7, "shape")
	rows, cols, rowMajor := uint8(form&7), uint8(form>>3&7), form>>6 != 0
	stride := r.u32()
	if rows < 1 || rows > 4 || cols < 1 || cols > 4 || !numericBits(base, bits) {
		r.fail("no type of %d bits, %d columns, %d rows", bits, cols, rows)
	}
	if cols == 1 && stride == 0 && !rowMajor {
		return VectorType(base, bits, rows)
	}
	return &Type{Base: base, Bits: bits, Rows: rows, Cols: cols, Stride: stride, RowMajor: rowMajor}
}

func (r *serialReader) opaque(t *Type) {
	v := r.below(1<<16, "image type")
	t.Dim, t.Arrayed, t.Shadow, t.MS, t.Texel = Dim(v&31), v>>5&1 != 0, v>>6&1 != 0, v>>7&1 != 0, Base(v>>8)
	t.TexelBits = uint8(r.below(1<<8, "texel size"))
	if int(t.Dim) >= len(dimNames) || t.Texel > BaseFloat {
		r.fail("no such image type")
	}
}

func (r *serialReader) variables() []*Variable {
	n := r.count()
	if n == 0 {
		return nil
	}
	l := make([]*Variable, 0, min(n, 1024))
	for range n {
		v := &Variable{Mode: 1 << r.below(uint64(len(modeNames)), "mode")}
		if v.Type = r.typeRef(); v.Type == nil {
			r.fail("variable without type")
		}
		v.Name = r.str()
		v.ID = r.u32()
		r.fields(variableFields(v))
		if int(v.Interp) >= len(interpNames) || int(v.ImageFormat) >= len(imageFormatNames) {
			r.fail("no such interpolation mode or image format")
		}
		v.InterfaceType = r.typeRef()
		v.Init = r.constant()
		l = append(l, v)
	}
	r.vars = append(r.vars, l...)
	return l
}

func (r *serialReader) pointerInits(vars []*Variable) {
	for range r.count() {
		v := vars[r.below(uint64(len(vars)), "variable")]
		v.PointerInit = r.vars[r.below(uint64(len(r.vars)), "variable")]
	}
}

func (r *serialReader) constant() *Constant {
	r.enter()
	defer func() { r.level-- }()
	c := &Constant{}
	switch k := r.uint(); k {
	case 0:
		return nil
	case 1:
		c.Zero = true
	case 2:
		for i := range c.Values {
			c.Values[i] = r.uint()
		}
	default:
		if k-3 > uint64(len(r.b)-r.pos) {
			r.fail("count %d is out of range", k-3)
		}
		c.Elems = make([]*Constant, 0, min(k-3, 1024))
		for range k - 3 {
			e := r.constant()
			if e == nil {
				r.fail("initialiser without part")
			}
			c.Elems = append(c.Elems, e)
		}
	}
	return c
}

// signature reads a function but its body and reports whether that follows.
func (r *serialReader) signature() bool {
	f := r.s.NewFunction(r.str())
	v := r.below(1<<5, "function flags")
	f.IsEntry, f.IsPreamble, f.ShouldInline, f.DontInline = v>>1&1 != 0, v>>2&1 != 0, v>>3&1 != 0, v>>4&1 != 0
	for range r.count() {
		var p Param
		p.NumComponents, p.BitSize = r.shape()
		k := r.below(4, "parameter flags")
		p.IsReturn, p.IsUniform = k&1 != 0, k&2 != 0
		p.Modes = Mode(r.below(uint64(modeEnd), "modes"))
		p.Type = r.typeRef()
		p.Name = r.str()
		f.Params = append(f.Params, p)
	}
	if v&1 == 0 {
		f.Impl = nil
		return false
	}
	f.Impl.Locals = r.variables()
	r.pointerInits(f.Impl.Locals)
	return true
}

var serialSizes = [...]uint8{1, 8, 16, 32, 64}

func (r *serialReader) shape() (comps, bits uint8) {
	v := r.below(17<<3, "shape")
	comps = uint8(v >> 3)
	if c := v & 7; int(c) < len(serialSizes) {
		return comps, serialSizes[c]
	}
	return comps, uint8(r.below(65, "bit size"))
}
