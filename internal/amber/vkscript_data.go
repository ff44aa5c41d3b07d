package amber

import (
	"fmt"
	"math"
	"strings"

	"nirc/internal/emu"
)

// dataSection parses [vertex data] and [indices].
func (v *vkParser) dataSection(s *vkSection) bool {
	switch {
	case s.name != "vertex data" && s.name != "indices":
		return false
	case v.graphics == nil:
		v.fail(s.line-1, "section [%s] without a graphics shader", s.name)
	case s.name == "indices":
		v.indices(s)
	case len(v.graphics.Vertex) > 0:
		v.fail(s.line-1, "section [vertex data] is given twice")
	default:
		v.vertexTable()
	}
	return true
}

// indices parses [indices]. They are 16 bits, which is what the restart index
// of scripts is made for.
func (v *vkParser) indices(s *vkSection) {
	b := v.addBuffer(s.line, "indices")
	b.Format = v.formatOf(token{kind: tokWord, text: "uint16"}, false)
	b.Init = InitData
	for v.err == nil {
		t := v.next()
		if t.kind == tokEOF {
			break
		}
		if t.kind == tokEOL {
			continue
		}
		if t.kind != tokInt && t.kind != tokHex || t.u > math.MaxUint16 {
			v.unexpected(t, fmt.Sprintf("an index of at most %d", math.MaxUint16))
			return
		}
		b.Data = append(b.Data, byte(t.u), byte(t.u>>8))
		b.Elements++
	}
	v.graphics.Index, v.changed = b, true
}

// vertexTable parses [vertex data]: a row of LOCATION/FORMAT or
// LOCATION/GL_TYPE/GLSL_TYPE, then rows of numbers.
func (v *vkParser) vertexTable() {
	for v.peek().kind == tokEOL {
		v.next()
	}
	var cols []*Buffer
	for !v.atEnd() && v.err == nil {
		line := v.peek().line
		loc := uint32(v.uint("a location", 31))
		t := v.next()
		name, ok := strings.CutPrefix(t.text, "/")
		f := v.columnFormat(name)
		if t.kind != tokWord || !ok || f == nil {
			v.unexpected(t, "/ and the format of a column")
			return
		}
		for _, d := range v.graphics.Vertex {
			if d.Location == loc {
				v.fail(line, "two columns for location %d", loc)
			}
		}
		b := v.addBuffer(line, fmt.Sprintf("vertex data %d", loc))
		b.Format, b.Init = f, InitData
		cols = append(cols, b)
		v.graphics.Vertex = append(v.graphics.Vertex, VertexData{Buffer: b, Location: loc, Stride: -1, Line: line})
	}
	for v.err == nil && v.peek().kind != tokEOF {
		if v.peek().kind == tokEOL {
			v.next()
			continue
		}
		v.row(cols)
	}
	v.changed = true
}

// row parses the numbers of one vertex.
func (v *vkParser) row(cols []*Buffer) {
	for _, b := range cols {
		off := len(b.Data)
		if b.Data = append(b.Data, zeros(b.Format.Size)...); len(b.Data) > MaxDeclaredBytes/len(cols) {
			v.fail(v.peek().line, "the buffers need more than %d bytes", MaxDeclaredBytes)
			return
		}
		for _, l := range b.Format.Leaves {
			l.Scalar.put(b.Data[off+int(l.Offset):], v.number(l.Scalar, "a value of "+b.Name))
		}
		b.Elements++
	}
	v.vertices++
	v.end()
}

// glBits are the formats of GL types; what a GLSL type reads decides between
// integers and normalised numbers, which VkScript does not have here.
var glBits = []struct{ name, format string }{{"byte", "8_SINT"}, {"ubyte", "8_UINT"}, {"short", "16_SINT"}, {"ushort", "16_UINT"},
	{"int", "32_SINT"}, {"uint", "32_UINT"}, {"half", "16_SFLOAT"}, {"float", "32_SFLOAT"}, {"double", "64_SFLOAT"}}

// columnFormat is the format of a column, or nil.
func (v *vkParser) columnFormat(name string) *Format {
	if gl, glsl, ok := strings.Cut(name, "/"); ok {
		n := 1
		if k := len(glsl) - 1; k >= 0 && glsl[k] >= '2' && glsl[k] <= '4' {
			n = int(glsl[k] - '0')
			glsl = glsl[:k]
		}
		switch glsl {
		case "int", "uint", "float", "double":
			if n != 1 {
				return nil
			}
		case "vec", "dvec", "ivec", "uvec":
		default:
			return nil
		}
		for _, g := range glBits {
			if g.name == gl {
				bits, kind, _ := strings.Cut(g.format, "_")
				name = strings.Join(strings.Split("RGBA"[:n], ""), bits) + bits + "_" + kind
			}
		}
	}
	if emu.FormatByName(name) == nil {
		return nil
	}
	return v.formatOf(token{kind: tokWord, text: name, line: v.lex.line}, false)
}

// vkScalars are the element types by the prefixes of their vectors and their
// own names.
var vkScalars = []struct{ vec, scalar, name string }{{"vec", "float", "float"}, {"dvec", "double", "double"}, {"ivec", "int", "int32"},
	{"uvec", "uint", "uint32"}, {"i8vec", "int8_t", "int8"}, {"u8vec", "uint8_t", "uint8"}, {"i16vec", "int16_t", "int16"},
	{"u16vec", "uint16_t", "uint16"}, {"i64vec", "int64_t", "int64"}, {"u64vec", "uint64_t", "uint64"}, {"f16vec", "float16_t", "float16"},
	{"i32vec", "int32_t", "int32"}, {"u32vec", "uint32_t", "uint32"}, {"f32vec", "float32_t", "float"}, {"f64vec", "float64_t", "double"}}

// amberType is AmberScript's name of a GLSL type, or "".
func amberType(name string) string {
	for _, s := range vkScalars {
		if name == s.scalar || name == s.vec {
			return s.name
		}
		if dim, ok := strings.CutPrefix(name, s.vec); ok && len(dim) == 1 {
			return "vec" + dim + "<" + s.name + ">"
		}
	}
	elem := "float"
	if rest, ok := strings.CutPrefix(name, "d"); ok {
		elem, name = "double", rest
	}
	dim, ok := strings.CutPrefix(name, "mat")
	switch {
	case ok && len(dim) == 1:
		return "mat" + dim + "x" + dim + "<" + elem + ">"
	case ok && len(dim) == 3:
		return "mat" + dim + "<" + elem + ">"
	}
	return ""
}

// layoutOfType takes the name of a type; array asks for the layout of array
// elements.
func (v *vkParser) layoutOfType(l vkLayout, array bool) *Format {
	t := v.next()
	name := amberType(t.text)
	if t.kind != tokWord || name == "" {
		v.unexpected(t, "a data type")
		return nil
	}
	if l.rowMajor && strings.HasPrefix(name, "mat") {
		name = rowMajor + name
	}
	if array && l.std140 {
		name += "[]"
	}
	t.text = name
	return v.formatOf(t, l.std140)
}
