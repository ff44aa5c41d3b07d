package ir

import (
	"encoding/binary"
	"math/bits"
)

// The binary form of a shader: compact, and the same bytes for the same
// shader on any machine. It is for caches and for passing shaders between
// processes of one version of the compiler; the header holds the sizes of the
// operation tables, and other versions' forms are refused. All numbers are
// variable-length (encoding/binary's uvarint); values refer to each other by
// distance in source order.

const serialMagic = "nirb"

// FormatVersion counts the changes of the binary form. A reader takes its own version only, with the same tables of
// operations.
const FormatVersion = 5

// SerializeOptions choose what the binary form leaves out.
type SerializeOptions struct {
	// StripNames drops the names of values, variables, parameters, members and
	// functions, StripLocs source locations and files. Neither changes the code.
	StripNames, StripLocs bool
}

// Serialize returns the binary form of a valid shader. Options, metadata and
// what analyses wrote are not part of it.
func Serialize(s *Shader, o SerializeOptions) []byte {
	w := &serialWriter{s: s, o: o, types: map[*Type]int{}, vars: map[*Variable]int{}, fns: map[*Function]int{}}
	w.b = append(w.b, serialMagic...)
	for _, n := range serialHeader() {
		w.uint(n)
	}
	w.shader()
	return w.b
}

// serialHeader are the numbers that must agree between writer and reader.
func serialHeader() []uint64 {
	return []uint64{FormatVersion, uint64(NumOps), uint64(NumIntrinsics), uint64(NumTexOps), uint64(NumTexSrcs)}
}

type serialWriter struct {
	s     *Shader
	o     SerializeOptions
	b     []byte
	types map[*Type]int
	vars  map[*Variable]int
	fns   map[*Function]int

	// Per function: numbers in source order by Def.Index, and by block.
	num    []uint32
	blocks map[*Block]int
	at     uint32 // number of the next value
	loc    uint32 // of the instruction before
}

func (w *serialWriter) uint(v uint64) { w.b = binary.AppendUvarint(w.b, v) }
func (w *serialWriter) int(v int64)   { w.b = binary.AppendVarint(w.b, v) }

func (w *serialWriter) bool(v bool) { w.uint(bit(v, 0)) }

func (w *serialWriter) bytes(v string) {
	w.uint(uint64(len(v)))
	w.b = append(w.b, v...)
}

// name writes a name that StripNames drops.
func (w *serialWriter) name(v string) {
	if w.o.StripNames {
		v = ""
	}
	w.bytes(v)
}

// fields writes a mask of the fields that are not zero, and these.
// maskFields is the number of fields that one mask tells of.
const maskFields = 63

func (w *serialWriter) fields(fields []namedField) {
	for ; len(fields) > maskFields; fields = fields[maskFields:] {
		w.fieldGroup(fields[:maskFields])
	}
	w.fieldGroup(fields)
}

// fieldGroup writes a mask of the fields that are not zero, then those that are more than a flag.
func (w *serialWriter) fieldGroup(fields []namedField) {
	var mask uint64
	for i, f := range fields {
		mask |= bit(fieldValue(f) != 0, uint(i))
	}
	w.uint(mask)
	for _, f := range fields {
		if _, flag := f.ptr.(*bool); flag {
			continue
		}
		if v := fieldValue(f); v != 0 {
			w.uint(v)
		}
	}
}

// fieldValue returns a named field as a number.
func fieldValue(f namedField) uint64 {
	switch x := f.ptr.(type) {
	case *bool:
		return bit(*x, 0)
	case *uint8:
		return uint64(*x)
	case *uint16:
		return uint64(*x)
	case *uint32:
		return uint64(*x)
	case *uint64:
		return *x
	case *int32:
		return uint64(uint32(*x<<1 ^ *x>>31)) // -1 is common
	case *FloatControls:
		return uint64(*x)
	}
	return 0
}

func (w *serialWriter) shader() {
	s := w.s
	w.uint(uint64(s.Stage))
	w.bytes(s.Name)
	for _, n := range s.Info.WorkgroupSize {
		w.uint(uint64(n))
	}
	w.fields(infoFields(&s.Info))
	w.uint(uint64(len(s.Captures)))
	for i := range s.Captures {
		w.uint(uint64(s.Captures[i].Slot))
		w.fields(captureFields(&s.Captures[i]))
	}
	w.uint(uint64(len(s.Arguments)))
	for i := range s.Arguments {
		w.bytes(s.Arguments[i].Name)
		w.uint(uint64(s.Arguments[i].Kind))
		a := &s.Arguments[i]
		w.fields(argumentFields(a))
		w.uint(uint64(a.Memory))
		w.bytes(string(a.Init))
		w.uint(uint64(len(a.Links)))
		for _, l := range a.Links {
			w.uint(uint64(l.At))
			w.uint(uint64(l.To))
		}
	}
	w.bytes(string(s.ConstantData))
	w.uint(uint64(s.ScratchSize))
	w.uint(uint64(s.SharedSize))
	w.uint(uint64(s.nextVar))
	w.places()
	w.typeTable()
	w.uint(uint64(len(s.Variables)))
	for _, v := range s.Variables {
		w.variable(v)
	}
	w.uint(uint64(len(s.Functions)))
	for i, f := range s.Functions {
		w.fns[f] = i
		w.signature(f)
	}
	w.pointerInits(s.Variables)
	for _, f := range s.Functions {
		if f.Impl != nil {
			w.body(f.Impl)
		}
	}
}

// places writes source locations, files and names of values.
func (w *serialWriter) places() {
	locs, files, funcs, names := w.s.Locs[1:], w.s.Files[1:], w.s.Funcs[1:], w.s.Names[1:]
	if w.o.StripLocs {
		locs, files, funcs = nil, nil, nil
	}
	if w.o.StripNames {
		names = nil
	}
	w.uint(uint64(len(locs)))
	var old Loc
	for _, l := range locs {
		w.uint(uint64(l.File))
		w.int(int64(l.Line) - int64(old.Line))
		w.uint(uint64(l.Col))
		w.int(int64(l.ID) - int64(old.ID))
		w.int(int64(l.Word) - int64(old.Word))
		w.uint(uint64(l.Func))
		w.uint(uint64(l.Call))
		old = l
	}
	for _, list := range [][]string{files, funcs, names} {
		w.uint(uint64(len(list)))
		for _, x := range list {
			w.bytes(x)
		}
	}
}

// typeTable writes all types, each after those that it is made of.
func (w *serialWriter) typeTable() {
	var all []*Type
	var add func(t *Type)
	add = func(t *Type) {
		if t == nil {
			return
		}
		if _, ok := w.types[t]; ok {
			return
		}
		add(t.Elem)
		for i := range t.Fields {
			add(t.Fields[i].Type)
		}
		w.types[t] = len(all)
		all = append(all, t)
	}
	variable := func(v *Variable) {
		add(v.Type)
		add(v.InterfaceType)
	}
	for _, v := range w.s.Variables {
		variable(v)
	}
	for _, f := range w.s.Functions {
		for i := range f.Params {
			add(f.Params[i].Type)
		}
		if f.Impl == nil {
			continue
		}
		for _, v := range f.Impl.Locals {
			variable(v)
		}
		for b := range f.Impl.Blocks() {
			for in := b.first; in != nil; in = in.next {
				if in.Kind == KindDeref {
					add(in.DerefInfo().Type)
				}
			}
		}
	}
	w.uint(uint64(len(all)))
	for _, t := range all {
		w.typ(t)
	}
}

// typeRef writes a type's number plus one, 0 for none.
func (w *serialWriter) typeRef(t *Type) {
	if t == nil {
		w.uint(0)
		return
	}
	w.uint(uint64(w.types[t]) + 1)
}

func (w *serialWriter) typ(t *Type) {
	w.uint(uint64(t.Base))
	switch t.Base {
	case BaseArray:
		w.typeRef(t.Elem)
		w.uint(uint64(t.Len))
		w.uint(uint64(t.Stride))
	case BaseStruct:
		w.name(t.Name)
		w.bool(t.Block)
		w.uint(uint64(len(t.Fields)))
		for i := range t.Fields {
			f := &t.Fields[i]
			w.name(f.Name)
			w.typeRef(f.Type)
			w.fields(memberFields(f))
		}
	case BaseBool, BaseInt, BaseUint, BaseFloat:
		w.uint(uint64(t.Bits))
		w.uint(uint64(t.Rows) | uint64(t.Cols)<<3 | bit(t.RowMajor, 6))
		w.uint(uint64(t.Stride))
	case BaseVoid:
	default:
		w.uint(uint64(t.Dim) | bit(t.Arrayed, 5) | bit(t.Shadow, 6) | bit(t.MS, 7) | uint64(t.Texel)<<8)
		w.uint(uint64(t.TexelBits))
	}
}

// memberFields names all fields of a struct's member but name and type.
func memberFields(f *Field) []namedField {
	return []namedField{{"offset", &f.Offset}, {"location", &f.Location}, {"component", &f.Component}, {"interp", (*uint8)(&f.Interp)},
		{"centroid", &f.Centroid}, {"sample", &f.Sample}, {"patch", &f.Patch}, {"invariant", &f.Invariant}, {"access", (*uint16)(&f.Access)},
		{"builtin", &f.BuiltIn}, {"xfb_buffer", &f.XfbBuffer}, {"xfb_offset", &f.XfbOffset}, {"per_primitive", &f.PerPrimitive}, {"mediump", &f.RelaxedPrecis}}
}

// variableFields names all plain fields of a variable.
func variableFields(v *Variable) []namedField {
	return append(varFields(v), namedField{"location", &v.Location}, namedField{"has_binding", &v.HasBinding}, namedField{"set", &v.Set},
		namedField{"binding", &v.Binding}, namedField{"interp", (*uint8)(&v.Interp)}, namedField{"access", (*uint16)(&v.Access)}, namedField{"format", (*uint8)(&v.ImageFormat)})
}

func (w *serialWriter) variable(v *Variable) {
	w.vars[v] = len(w.vars)
	w.uint(uint64(bits.TrailingZeros32(uint32(v.Mode))))
	w.typeRef(v.Type)
	w.name(v.Name)
	w.uint(uint64(v.ID))
	w.fields(variableFields(v))
	w.typeRef(v.InterfaceType)
	w.constant(v.Init)
}

// pointerInits writes which variables of a list point to which.
func (w *serialWriter) pointerInits(vars []*Variable) {
	n := 0
	for _, v := range vars {
		if v.PointerInit != nil {
			n++
		}
	}
	w.uint(uint64(n))
	for i, v := range vars {
		if v.PointerInit != nil {
			w.uint(uint64(i))
			w.uint(uint64(w.vars[v.PointerInit]))
		}
	}
}

// constant writes 0 for none, 1 for zero, 2 for values, 3+n for n parts.
func (w *serialWriter) constant(c *Constant) {
	switch {
	case c == nil:
		w.uint(0)
	case c.Zero:
		w.uint(1)
	case c.Elems == nil:
		w.uint(2)
		for _, v := range c.Values {
			w.uint(v)
		}
	default:
		w.uint(3 + uint64(len(c.Elems)))
		for _, e := range c.Elems {
			w.constant(e)
		}
	}
}

func (w *serialWriter) signature(f *Function) {
	if f.IsEntry {
		w.bytes(f.Name)
	} else {
		w.name(f.Name)
	}
	w.uint(bit(f.Impl != nil, 0) | bit(f.IsEntry, 1) | bit(f.IsPreamble, 2) | bit(f.ShouldInline, 3) | bit(f.DontInline, 4))
	w.uint(uint64(len(f.Params)))
	for i := range f.Params {
		p := &f.Params[i]
		w.shape(p.NumComponents, p.BitSize)
		w.uint(bit(p.IsReturn, 0) | bit(p.IsUniform, 1))
		w.uint(uint64(p.Modes))
		w.typeRef(p.Type)
		w.name(p.Name)
	}
	if f.Impl == nil {
		return
	}
	w.uint(uint64(len(f.Impl.Locals)))
	for _, v := range f.Impl.Locals {
		w.variable(v)
	}
	w.pointerInits(f.Impl.Locals)
}

// sizeCode numbers the bit sizes; 7 says that the size itself follows.
func sizeCode(bits uint8) uint64 {
	if i := SizeIndex(bits); i < 4 || bits == 64 {
		return uint64(i)
	}
	return 7
}

func (w *serialWriter) shape(comps, bits uint8) {
	c := sizeCode(bits)
	w.uint(uint64(comps)<<3 | c)
	if c == 7 {
		w.uint(uint64(bits))
	}
}
