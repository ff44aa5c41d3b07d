package amber

import (
	"fmt"
	"strconv"
	"strings"

	"nirc/internal/emu"
)

// ScalarKind is how the bits of a number are read.
type ScalarKind uint8

// Scalar kinds.
const (
	ScalarInt ScalarKind = iota
	ScalarUint
	ScalarFloat
)

// Scalar is a type of number.
type Scalar struct {
	Kind ScalarKind
	Bits uint8 // 8, 16, 32 or 64, and 24 for depth
}

// scalarNames are the data types of one number.
var scalarNames = []struct {
	name string
	s    Scalar
}{
	{"int8", Scalar{ScalarInt, 8}}, {"int16", Scalar{ScalarInt, 16}}, {"int32", Scalar{ScalarInt, 32}}, {"int64", Scalar{ScalarInt, 64}},
	{"uint8", Scalar{ScalarUint, 8}}, {"uint16", Scalar{ScalarUint, 16}}, {"uint32", Scalar{ScalarUint, 32}}, {"uint64", Scalar{ScalarUint, 64}},
	{"float16", Scalar{ScalarFloat, 16}}, {"float", Scalar{ScalarFloat, 32}}, {"double", Scalar{ScalarFloat, 64}},
}

// Type is a data type. Arrays of arrays do not exist in the language.
type Type struct {
	Name   string
	Scalar Scalar // unless Struct or Image is set
	// Rows is 1 for a scalar, else the components of a vector or of a matrix
	// column; Cols is 1 unless it is a matrix.
	Rows, Cols int
	// RowMajor: the vectors that memory holds of a matrix are its rows.
	RowMajor bool
	Struct   *Struct
	Image    *emu.Format
	// Array is -1 for an array without a size, n for [n], and 0 for none.
	Array int
}

// Struct is a STRUCT command.
type Struct struct {
	Name    string
	Line    int
	Stride  int // -1 when not given
	Members []Member

	align140, align430 int
}

// Member is a member of a structure. Offset and strides are -1 when not given.
type Member struct {
	Name                              string
	Type                              *Type
	Offset, ArrayStride, MatrixStride int
}

// rowMajor before a matrix type's name makes it one of rows; scripts cannot say it so.
const rowMajor = "row_major "

// parseType returns the data type of that name, or an error. structs looks a
// structure up.
func parseType(name string, structs func(string) *Struct) (*Type, error) {
	t := &Type{Name: name, Rows: 1, Cols: 1}
	name, t.RowMajor = strings.CutPrefix(name, rowMajor)
	base := name
	if i := strings.IndexByte(name, '['); i >= 0 {
		base = name[:i]
		dim, ok := strings.CutSuffix(name[i+1:], "]")
		if !ok {
			return nil, fmt.Errorf("%q is not a data type", clip(name, 60))
		}
		t.Array = -1
		if dim != "" {
			n, err := strconv.ParseUint(dim, 10, 32)
			if err != nil || n == 0 || n > maxLeaves {
				return nil, fmt.Errorf("%q: array size is not in 1..%d", clip(name, 60), maxLeaves)
			}
			t.Array = int(n)
		}
	}
	if t.setBase(base) {
		return t, nil
	}
	if t.Struct = structs(base); t.Struct != nil {
		return t, nil
	}
	if t.Image = emu.FormatByName(base); t.Image != nil {
		if t.Array != 0 {
			return nil, fmt.Errorf("array of image format %s is not a data type", base)
		}
		return t, nil
	}
	return nil, fmt.Errorf("%q is not a data type", clip(name, 60))
}

// setBase sets the scalar and shape from a name such as float, vec3<int8> or
// mat2x4<double>.
func (t *Type) setBase(base string) bool {
	shape, elem, ok := strings.Cut(base, "<")
	if ok {
		elem, ok = strings.CutSuffix(elem, ">")
		if !ok {
			return false
		}
		dim := func(c byte) int {
			if c < '2' || c > '4' {
				return 0
			}
			return int(c - '0')
		}
		switch {
		case len(shape) == 4 && strings.HasPrefix(shape, "vec"):
			t.Rows = dim(shape[3])
		case len(shape) == 6 && strings.HasPrefix(shape, "mat") && shape[4] == 'x':
			t.Cols, t.Rows = dim(shape[3]), dim(shape[5])
		default:
			return false
		}
		if t.Rows == 0 || t.Cols == 0 {
			return false
		}
	} else {
		elem = base
	}
	for i := range scalarNames {
		if scalarNames[i].name == elem {
			t.Scalar = scalarNames[i].s
			return true
		}
	}
	return false
}

// imageFormat returns the image format with the same bits as the type, or nil.
func (t *Type) imageFormat() *emu.Format {
	if t.Image != nil {
		return t.Image
	}
	if t.Struct != nil || t.Cols != 1 || t.Array != 0 {
		return nil
	}
	var b strings.Builder
	for i := range t.Rows {
		fmt.Fprintf(&b, "%c%d", "RGBA"[i], t.Scalar.Bits)
	}
	b.WriteString([...]string{"_SINT", "_UINT", "_SFLOAT"}[t.Scalar.Kind])
	return emu.FormatByName(b.String())
}
