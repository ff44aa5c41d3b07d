package ir

import (
	"fmt"
	"slices"
	"strconv"
)

// Base is the base of a [Type].
type Base uint8

// Type bases.
const (
	BaseVoid Base = iota
	BaseBool
	BaseInt
	BaseUint
	BaseFloat
	BaseStruct
	BaseArray
	BaseSampler
	BaseTexture // a sampled image, without its sampler
	BaseImage   // a storage image
	BaseSampledImage
	BaseAccelStruct
	BaseRayQuery // the state of a ray query, which only the rq_ intrinsics reach
)

// Type is the type of a variable or of what a deref points to. Values of the
// IR are typeless; only storage has types. Types are immutable once made.
// Scalars, vectors and matrices share one form: a matrix has Cols columns of
// Rows components, a vector one column, a scalar one component.
type Type struct {
	Base Base
	Bits uint8 // of a component: 8, 16, 32, 64; booleans 1
	Rows uint8 // components of a column, 1 to 4
	Cols uint8 // 1, or the columns of a matrix

	// Elem and Len describe arrays; Len 0 means unsized (a run-time array).
	Elem *Type
	Len  uint32
	// Stride is in bytes: between elements of an array, or between the columns
	// (rows if RowMajor) of a matrix. 0: no explicit layout.
	Stride   uint32
	RowMajor bool

	// Fields and Name describe structs; Block marks an interface block.
	Fields []Field
	Name   string
	Block  bool

	// Images, textures: shape and texel type.
	Dim             Dim
	Arrayed, Shadow bool
	MS              bool
	Texel           Base // BaseFloat, BaseInt, BaseUint, or BaseVoid if unknown
	TexelBits       uint8
}

// Field is a member of a struct type.
type Field struct {
	Name   string
	Type   *Type
	Offset int32 // bytes; -1 without explicit layout
	// Interface block members carry what a variable carries.
	Location      int32 // slot, or -1
	Component     uint8
	Interp        Interp
	Centroid      bool
	Sample        bool
	Patch         bool
	Invariant     bool
	Access        Access
	BuiltIn       int32 // SPIR-V BuiltIn, or -1
	XfbBuffer     int32
	XfbOffset     int32
	PerPrimitive  bool
	RelaxedPrecis bool
}

var scalarTypes [6][5][4]Type // base, log2(bits/4)... filled by init below

// SizeIndex is the place of a bit size in tables by size: 1, 8, 16, 32, 64.
func SizeIndex(bits uint8) int {
	switch bits {
	case 1:
		return 0
	case 8:
		return 1
	case 16:
		return 2
	case 32:
		return 3
	}
	return 4
}

// bitsIndex is SizeIndex, and 0 of what is no size.
func bitsIndex(bits uint8) int {
	if i := SizeIndex(bits); i < 4 || bits == 64 {
		return i
	}
	return 0
}

func init() {
	for b := range scalarTypes {
		for i, bits := range []uint8{1, 8, 16, 32, 64} {
			for r := range scalarTypes[b][i] {
				scalarTypes[b][i][r] = Type{Base: Base(b), Bits: bits, Rows: uint8(r + 1), Cols: 1}
			}
		}
	}
}

// VoidType is the type without values.
var VoidType = &Type{Base: BaseVoid}

// BoolType is the scalar boolean: 1 bit as a value, 32 bits in memory.
var BoolType = VectorType(BaseBool, 1, 1)

// ScalarType returns the scalar type; booleans have 1 bit.
func ScalarType(b Base, bits uint8) *Type { return VectorType(b, bits, 1) }

// VectorType returns the vector type of n (1 to 4) components.
func VectorType(b Base, bits, n uint8) *Type {
	if b < BaseBool || b > BaseFloat || n < 1 || n > 4 {
		return &Type{Base: b, Bits: bits, Rows: n, Cols: 1}
	}
	return &scalarTypes[b][bitsIndex(bits)][n-1]
}

// MatrixType returns a float matrix without layout.
func MatrixType(bits, cols, rows uint8) *Type {
	return &Type{Base: BaseFloat, Bits: bits, Rows: rows, Cols: cols}
}

// ArrayType returns an array of n elements (0: unsized) with the given stride
// in bytes (0: no layout).
func ArrayType(elem *Type, n, stride uint32) *Type {
	return &Type{Base: BaseArray, Elem: elem, Len: n, Stride: stride}
}

// IsScalar reports whether t is a single component.
func (t *Type) IsScalar() bool { return t.IsVectorOrScalar() && t.Rows == 1 }

// IsVector reports whether t is a vector of at least two components.
func (t *Type) IsVector() bool { return t.IsVectorOrScalar() && t.Rows > 1 }

// IsVectorOrScalar reports whether t is a scalar or a vector: what load_deref loads.
func (t *Type) IsVectorOrScalar() bool {
	return t.Base >= BaseBool && t.Base <= BaseFloat && t.Cols == 1
}

// IsMatrix reports whether t is a matrix.
func (t *Type) IsMatrix() bool { return t.Base == BaseFloat && t.Cols > 1 }

// IsNumeric reports whether t is a scalar, vector or matrix.
func (t *Type) IsNumeric() bool { return t.Base >= BaseBool && t.Base <= BaseFloat }

// IsArray and IsStruct tell the aggregate kinds apart.
func (t *Type) IsArray() bool { return t.Base == BaseArray }

// IsStruct reports whether t is a struct or an interface block.
func (t *Type) IsStruct() bool { return t.Base == BaseStruct }

// IsOpaque reports whether t is a sampler, texture, image, acceleration structure or ray query.
func (t *Type) IsOpaque() bool { return t.Base >= BaseSampler }

// HasRayQuery reports whether t is a ray query or has one inside: such a variable has no layout in memory.
func (t *Type) HasRayQuery() bool {
	t = t.WithoutArray()
	return t.Base == BaseRayQuery || slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Type.HasRayQuery() })
}

// Components returns Rows*Cols of a numeric type.
func (t *Type) Components() int { return int(t.Rows) * int(t.Cols) }

// WithoutArray strips all array levels.
func (t *Type) WithoutArray() *Type {
	for t.Base == BaseArray {
		t = t.Elem
	}
	return t
}

// Column returns the type of a matrix's column, with the layout that loads
// from one need: no stride if column major.
func (t *Type) Column() *Type { return VectorType(t.Base, t.Bits, t.Rows) }

// ScalarOf returns the type of a component of a numeric type.
func (t *Type) ScalarOf() *Type { return VectorType(t.Base, t.Bits, 1) }

// Child returns the type that an array deref of t points to: the element of
// an array, the column of a matrix, the component of a vector; nil otherwise.
func (t *Type) Child() *Type {
	switch {
	case t.Base == BaseArray:
		return t.Elem
	case t.IsMatrix():
		return t.Column()
	case t.IsVector():
		return t.ScalarOf()
	}
	return nil
}

// ChildCount is the number of elements, columns, components or fields; 0 of
// an unsized array and of scalars.
func (t *Type) ChildCount() int {
	switch {
	case t.Base == BaseArray:
		return int(t.Len)
	case t.Base == BaseStruct:
		return len(t.Fields)
	case t.IsMatrix():
		return int(t.Cols)
	case t.IsVector():
		return int(t.Rows)
	}
	return 0
}

// MemBits is the size in bits of a component in memory: booleans take 32.
func (t *Type) MemBits() uint8 {
	if t.Base == BaseBool {
		return 32
	}
	return t.Bits
}

// Size returns the bytes that a value of an explicitly laid out type occupies,
// an unsized array counted as no element.
func (t *Type) Size() uint64 {
	switch {
	case t.Base == BaseArray:
		if t.Len == 0 {
			return 0
		}
		if t.Stride == 0 {
			return uint64(t.Len) * t.Elem.Size()
		}
		return uint64(t.Len-1)*uint64(t.Stride) + t.Elem.Size()
	case t.Base == BaseStruct:
		var end uint64
		for i := range t.Fields {
			if f := &t.Fields[i]; f.Offset >= 0 {
				end = max(end, uint64(f.Offset)+f.Type.Size())
			}
		}
		return end
	case t.IsMatrix() && t.Stride != 0:
		n, m := uint64(t.Cols), uint64(t.Rows)
		if t.RowMajor {
			n, m = m, n
		}
		return (n-1)*uint64(t.Stride) + m*uint64(t.Bits/8)
	case t.IsNumeric():
		return uint64(t.Components()) * uint64(t.MemBits()/8)
	}
	return 0
}

// SlotCount returns how many vec4 slots an input or output of type t takes: a
// 64-bit vec3 or vec4 takes two.
func (t *Type) SlotCount() uint32 {
	switch {
	case t.Base == BaseArray:
		return t.Len * t.Elem.SlotCount()
	case t.Base == BaseStruct:
		n := uint32(0)
		for i := range t.Fields {
			n += t.Fields[i].Type.SlotCount()
		}
		return n
	case t.IsNumeric():
		per := uint32(1)
		if t.Bits == 64 && t.Rows > 2 {
			per = 2
		}
		return per * uint32(t.Cols)
	}
	return 1
}

// Bare returns t without any layout.
func (t *Type) Bare() *Type {
	switch {
	case t.Base == BaseArray:
		e := t.Elem.Bare()
		if e == t.Elem && t.Stride == 0 {
			return t
		}
		return &Type{Base: BaseArray, Elem: e, Len: t.Len}
	case t.Base == BaseStruct:
		c := &Type{Base: BaseStruct, Name: t.Name, Fields: make([]Field, len(t.Fields))}
		for i := range t.Fields {
			c.Fields[i] = Field{Name: t.Fields[i].Name, Type: t.Fields[i].Type.Bare(), Offset: -1, Location: -1, BuiltIn: -1, XfbBuffer: -1, XfbOffset: -1}
		}
		return c
	case t.IsMatrix() && (t.Stride != 0 || t.RowMajor):
		return MatrixType(t.Bits, t.Cols, t.Rows)
	}
	return t
}

// Equal reports whether a and b are the same type, layout included.
func (t *Type) Equal(u *Type) bool {
	if t == u {
		return true
	}
	if t == nil || u == nil || t.Base != u.Base || t.Bits != u.Bits || t.Rows != u.Rows || t.Cols != u.Cols ||
		t.Len != u.Len || t.Stride != u.Stride || t.RowMajor != u.RowMajor || len(t.Fields) != len(u.Fields) ||
		t.Block != u.Block || t.Dim != u.Dim || t.Arrayed != u.Arrayed || t.Shadow != u.Shadow || t.MS != u.MS ||
		t.Texel != u.Texel || t.TexelBits != u.TexelBits {
		return false
	}
	if t.Base == BaseArray && !t.Elem.Equal(u.Elem) {
		return false
	}
	for i := range t.Fields {
		f, g := t.Fields[i], u.Fields[i]
		ft, gt := f.Type, g.Type
		f.Type, g.Type = nil, nil
		f.Name, g.Name = "", ""
		if f != g || !ft.Equal(gt) {
			return false
		}
	}
	return true
}

var baseNames = [...]string{"void", "b", "i", "u", "f", "struct", "array", "sampler", "tex", "image", "sampled", "accel_struct", "ray_query"}

// floatNames are what String gives the usual floats and vectors of them, by rows: every input and output has one.
var floatNames = [...]string{1: "f32", 2: "vec2f32", 3: "vec3f32", 4: "vec4f32"}

// String spells t as the text form does, without field layouts: vec4f32,
// mat3x2f32 (columns x rows), T[4], struct Name.
func (t *Type) String() string {
	switch {
	case t == nil:
		return "nil"
	case t.Base == BaseArray:
		base, dims := t, ""
		for base.Base == BaseArray {
			if base.Len == 0 {
				dims += "[]"
			} else {
				dims += fmt.Sprintf("[%d]", base.Len)
			}
			base = base.Elem
		}
		return base.String() + dims
	case t.Base == BaseStruct:
		return "struct " + t.Name
	case t.IsMatrix():
		return fmt.Sprintf("mat%dx%d%s%d", t.Cols, t.Rows, baseNames[t.Base], t.Bits)
	case t.IsNumeric():
		if t.Base == BaseFloat && t.Bits == 32 && t.Rows > 0 && int(t.Rows) < len(floatNames) {
			return floatNames[t.Rows]
		}
		if t.Rows > 1 {
			return "vec" + strconv.Itoa(int(t.Rows)) + baseNames[t.Base] + strconv.Itoa(int(t.Bits))
		}
		return baseNames[t.Base] + strconv.Itoa(int(t.Bits))
	case t.Base == BaseTexture || t.Base == BaseImage || t.Base == BaseSampledImage:
		arrayed, shadow := "", ""
		if t.Arrayed {
			arrayed = "_array"
		}
		if t.Shadow {
			shadow = "_shadow"
		}
		return baseNames[t.Base] + t.Dim.String() + arrayed + shadow + "<" + baseNames[t.Texel] + strconv.Itoa(int(t.TexelBits)) + ">"
	case t.Base == BaseSampler && t.Shadow:
		return "sampler_shadow"
	}
	return baseNames[t.Base]
}
