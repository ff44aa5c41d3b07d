package amber

import (
	"errors"
	"fmt"
	"strings"

	"nirc/internal/emu"
)

// Limits of what a script may declare.
const (
	// maxLeaves bounds the numbers in one element of a buffer.
	maxLeaves = 1 << 16
	// maxElementBytes bounds the size of one element.
	maxElementBytes = 1 << 24
	// maxFormatLeaves bounds the numbers in the elements of all data types together.
	maxFormatLeaves = 1 << 22
	// maxNames bounds the members of a structure, the bindings of a pipeline and
	// the pipelines of a script, each of which is searched for every new one.
	maxNames = 1 << 12
	// MaxDeclaredBytes bounds the contents of all buffers of a script together.
	MaxDeclaredBytes = 1 << 30
)

// Leaf is one number of a buffer's element.
type Leaf struct {
	Scalar Scalar
	Offset uint32 // bytes from the start of the element
}

// Format is the layout of a buffer's elements.
type Format struct {
	Type   *Type
	Std140 bool
	// Size is the distance of elements in bytes, the padding after each
	// included.
	Size int
	// Leaves are the numbers of an element in the order in which scripts give
	// them. A packed image format has one, the whole word.
	Leaves []Leaf
	// Image is the image format with the same components, or nil. Its texels
	// may be smaller than Size.
	Image *emu.Format
}

// Equal reports whether both are the same type in the same layout.
func (f *Format) Equal(g *Format) bool {
	return f.Type.Name == g.Type.Name && f.Std140 == g.Std140
}

// newFormat lays out elements of the type by the rules of std140 or std430
// (OpenGL 4.6, 7.6.2.2).
func newFormat(t *Type, std140 bool) (*Format, error) {
	f := &Format{Type: t, Std140: std140, Image: t.imageFormat()}
	if t.Image != nil {
		return f, f.layoutImage(t.Image)
	}
	l := layouter{f: f}
	elem := *t
	elem.Array = 0
	size, align := l.place(&elem, 0, Member{ArrayStride: -1, MatrixStride: -1})
	if l.err != nil {
		return nil, l.err
	}
	switch {
	case t.Struct != nil && t.Struct.Stride >= 0:
	case t.Array != 0 && std140:
		size = roundUp(size, max(align, 16))
	default:
		size = roundUp(size, align)
	}
	f.Size = size
	if size == 0 || len(f.Leaves) == 0 {
		return nil, fmt.Errorf("data type %s has no members", t.Name)
	}
	return f, nil
}

func (f *Format) layoutImage(img *emu.Format) error {
	f.Size = img.Bytes
	if strings.Contains(img.Name, "_PACK") {
		f.Leaves = []Leaf{{Scalar: Scalar{ScalarUint, uint8(img.Bytes * 8)}}}
		return nil
	}
	for _, c := range img.Channels {
		if c.Kind == emu.KindNone {
			continue
		}
		s := Scalar{Kind: ScalarUint, Bits: c.Width}
		switch c.Kind {
		case emu.KindSint, emu.KindSnorm, emu.KindSscaled:
			s.Kind = ScalarInt
		case emu.KindSfloat, emu.KindUfloat:
			s.Kind = ScalarFloat
		}
		if c.Offset&7 != 0 || c.Width&7 != 0 {
			return fmt.Errorf("format %s has no byte layout", img.Name)
		}
		f.Leaves = append(f.Leaves, Leaf{Scalar: s, Offset: uint32(c.Offset >> 3)})
	}
	return nil
}

func roundUp(n, align int) int {
	if align <= 1 {
		return n
	}
	return (n + align - 1) / align * align
}

// layouter collects the leaves of a type.
type layouter struct {
	f     *Format
	err   error
	steps int // members placed: bounds structures that have few leaves
}

var errTypeTooLarge = errors.New("data type is too large")

// place adds the leaves of t at off, which is aligned by the caller, and
// returns the size of t without the padding after it, and its alignment.
// m holds the strides given by the member that t is the type of.
func (l *layouter) place(t *Type, off int, m Member) (size, align int) {
	if l.err != nil {
		return 0, 1
	}
	if l.steps++; l.steps > 4*maxLeaves || off > maxElementBytes || len(l.f.Leaves) > maxLeaves {
		l.err = errTypeTooLarge
		return 0, 1
	}
	switch {
	case t.Array != 0:
		return l.placeArray(t, off, m)
	case t.Struct != nil:
		return l.placeStruct(t.Struct, off)
	case t.Image != nil:
		l.err = fmt.Errorf("image format %s cannot be a member of a structure", t.Name)
		return 0, 1
	case t.Cols > 1:
		a := t.align(l.f.Std140)
		stride := a
		if m.MatrixStride >= 0 {
			stride = m.MatrixStride
		}
		if t.RowMajor {
			l.columns(t, off, int(t.Scalar.Bits)/8, stride)
			return reach(t.Rows, stride, t.Cols*int(t.Scalar.Bits)/8), a
		}
		l.columns(t, off, stride, int(t.Scalar.Bits)/8)
		return reach(t.Cols, stride, t.Rows*int(t.Scalar.Bits)/8), a
	}
	l.columns(t, off, 0, int(t.Scalar.Bits)/8)
	return int(t.Scalar.Bits) / 8 * t.Rows, t.align(l.f.Std140)
}

// reach is the bytes that n parts of each bytes take, stride apart: a script may put them closer than they are large.
func reach(n, stride, each int) int { return max(n*stride, (n-1)*stride+each) }

// align is the base alignment of the type.
func (t *Type) align(std140 bool) int {
	n := t.Rows
	if t.RowMajor {
		n = t.Cols
	}
	if n == 3 {
		n = 4
	}
	a := int(t.Scalar.Bits) / 8 * n
	if t.Struct != nil {
		a = t.Struct.align430
		if std140 {
			a = t.Struct.align140
		}
	}
	if std140 && (t.Cols > 1 || t.Array != 0) {
		a = roundUp(a, 16)
	}
	return a
}

// columns adds the leaves of a vector or of a matrix, which scripts give by
// columns: col and row are the distances of columns and of rows in bytes.
func (l *layouter) columns(t *Type, off, col, row int) {
	for c := range t.Cols {
		for r := range t.Rows {
			l.f.Leaves = append(l.f.Leaves, Leaf{Scalar: t.Scalar, Offset: uint32(off + c*col + r*row)})
		}
	}
}

func (l *layouter) placeArray(t *Type, off int, m Member) (size, align int) {
	if t.Array < 0 {
		l.err = fmt.Errorf("array without a size cannot be a member of a structure")
		return 0, 1
	}
	elem := *t
	elem.Array = 0
	mark := len(l.f.Leaves)
	size, _ = l.place(&elem, off, m)
	align = t.align(l.f.Std140)
	stride := roundUp(size, align)
	if m.ArrayStride >= 0 {
		stride = m.ArrayStride
	}
	if l.err == nil && (stride*t.Array > maxElementBytes || (len(l.f.Leaves)-mark)*t.Array > maxLeaves) {
		l.err = errTypeTooLarge
	}
	if l.err != nil {
		return 0, 1
	}
	one := l.f.Leaves[mark:]
	for i := 1; i < t.Array; i++ {
		for _, leaf := range one {
			leaf.Offset += uint32(i * stride)
			l.f.Leaves = append(l.f.Leaves, leaf)
		}
	}
	return reach(t.Array, stride, size), align
}

func (l *layouter) placeStruct(s *Struct, off int) (size, align int) {
	pos, end := 0, 0
	align = s.align430
	if l.f.Std140 {
		align = s.align140
	}
	for i := range s.Members {
		m := &s.Members[i]
		a := m.Type.align(l.f.Std140)
		if m.Offset >= 0 {
			pos = m.Offset
		} else {
			pos = roundUp(pos, a)
		}
		n, _ := l.place(m.Type, off+pos, *m)
		if m.Type.Struct != nil || m.Type.Cols > 1 || m.Type.Array != 0 {
			n = roundUp(n, a) // nothing packs into the padding after these
		}
		pos += n
		end = max(end, pos) // an OFFSET may go back
	}
	if s.Stride < 0 {
		return roundUp(end, align), align
	}
	if end > s.Stride && l.err == nil {
		l.err = fmt.Errorf("members of %s need %d bytes, more than its STRIDE %d", s.Name, end, s.Stride)
	}
	return s.Stride, align
}
