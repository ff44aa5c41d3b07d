package amber

import (
	"fmt"
	"strings"
	"testing"
)

// layoutOf describes a layout as size and offsets.
func layoutOf(t *testing.T, structs, typ string, std140 bool) string {
	t.Helper()
	p := &parser{s: &Script{Name: "test"}, lex: lexer{src: structs + "\n" + typ, line: 1}, names: map[string]any{}, formats: map[formatKey]*Format{}}
	for p.accept("STRUCT") {
		p.structure(1)
	}
	for p.peek().kind == tokEOL {
		p.next()
	}
	f := p.dataType(std140)
	if p.err != nil {
		return p.err.Msg
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d:", f.Size)
	for _, l := range f.Leaves {
		fmt.Fprintf(&b, " %d", l.Offset)
	}
	return b.String()
}

// TestLayouts checks the examples of Amber's docs/memory_layout.md and the
// rules of OpenGL 4.6, 7.6.2.2.
func TestLayouts(t *testing.T) {
	const (
		wx     = "STRUCT s\nint32 w\nfloat x\nEND\n"
		nested = "STRUCT i\nint32 a\nfloat b\nEND\nSTRUCT s\ni x\nfloat y\nEND\n"
		vec2   = "STRUCT s\nint32 w\nvec2<float> x\nfloat y\nEND\n"
		vec3   = "STRUCT s\nint32 w\nvec3<float> x\nfloat y\nEND\n"
		vec32  = "STRUCT s\nint32 w\nvec3<float> x\nvec2<float> y\nEND\n"
		mat    = "STRUCT s\nint32 w\nmat2x2<float> x\nfloat y\nEND\n"
		three  = "STRUCT i\nint32 a\nint32 b\nfloat c\nEND\nSTRUCT s\nint32 w\ni x\nfloat y\nEND\n"
		array  = "STRUCT i\nint32 a\nint32 b\nfloat[3] c\nEND\nSTRUCT s\nint32 w\ni x\nfloat y\nEND\n"
		given  = "STRUCT s STRIDE 64\nint32 w OFFSET 4\nfloat[2] x OFFSET 16 ARRAY_STRIDE 8\nmat2x2<float> m OFFSET 32 MATRIX_STRIDE 12\nEND\n"
	)
	for _, c := range []struct{ structs, typ, std430, std140 string }{
		{"STRUCT s\nint32 w OFFSET 64\nfloat x OFFSET 4\nEND\n", "s", "68: 64 4", "80: 64 4"}, // offsets go back, and strides are less than what lies there
		{"STRUCT s\nmat2x3<float> m MATRIX_STRIDE 4\nEND\n", "s", "16: 0 4 8 4 8 12", "16: 0 4 8 4 8 12"},
		{"STRUCT s\nvec4<float>[3] a ARRAY_STRIDE 4\nEND\n", "s", "32: 0 4 8 12 4 8 12 16 8 12 16 20", "32: 0 4 8 12 4 8 12 16 8 12 16 20"},
		{"STRUCT s STRIDE 16\nint32 w OFFSET 16\nint32 x OFFSET 0\nEND\n", "s", "members of s need 20 bytes, more than its STRIDE 16", "members of s need 20 bytes, more than its STRIDE 16"},
		{"", "int8", "1: 0", "1: 0"},
		{"", "double", "8: 0", "8: 0"},
		{"", "vec2<float>", "8: 0 4", "8: 0 4"},
		{"", "vec3<float>", "16: 0 4 8", "16: 0 4 8"},
		{"", "vec3<int8>", "4: 0 1 2", "4: 0 1 2"},
		{"", "vec3<int16>", "8: 0 2 4", "8: 0 2 4"},
		{"", "int8[]", "1: 0", "16: 0"},
		{"", "int64[]", "8: 0", "16: 0"},
		{"", "vec2<float>[]", "8: 0 4", "16: 0 4"},
		{"", "vec3<int16>[]", "8: 0 2 4", "16: 0 2 4"},
		{"", "vec4<double>[]", "32: 0 8 16 24", "32: 0 8 16 24"},
		{"", "mat2x2<int8>", "4: 0 1 2 3", "32: 0 1 16 17"},
		{"", "mat2x2<float16>", "8: 0 2 4 6", "32: 0 2 16 18"},
		{"", "mat2x3<float>", "32: 0 4 8 16 20 24", "32: 0 4 8 16 20 24"},
		{"", "mat3x2<float>", "24: 0 4 8 12 16 20", "48: 0 4 16 20 32 36"},
		{"", "mat3x3<float16>", "24: 0 2 4 8 10 12 16 18 20", "48: 0 2 4 16 18 20 32 34 36"},
		{"", "mat4x2<float>[]", "32: 0 4 8 12 16 20 24 28", "64: 0 4 16 20 32 36 48 52"},
		{wx, "s", "8: 0 4", "16: 0 4"},
		{nested, "s", "12: 0 4 8", "32: 0 4 16"},
		{vec2, "s", "24: 0 8 12 16", "32: 0 8 12 16"},
		{vec3, "s", "32: 0 16 20 24 28", "32: 0 16 20 24 28"},
		{vec32, "s", "48: 0 16 20 24 32 36", "48: 0 16 20 24 32 36"},
		{mat, "s", "32: 0 8 12 16 20 24", "64: 0 16 20 32 36 48"},
		{three, "s", "20: 0 4 8 12 16", "48: 0 16 20 24 32"},
		{array, "s", "28: 0 4 8 12 16 20 24", "96: 0 16 20 32 48 64 80"},
		{given, "s", "64: 4 16 24 32 36 44 48", "64: 4 16 24 32 36 44 48"},
		{"STRUCT s\nmat2x2<float> m MATRIX_STRIDE 0\nfloat y OFFSET 8\nEND\n", "s", "16: 0 4 0 4 8", "16: 0 4 0 4 8"}, // columns on each other, as it says
		{"", "R8G8B8A8_UNORM", "4: 0 1 2 3", "4: 0 1 2 3"},
		{"", "R8G8B8_SNORM", "3: 0 1 2", "3: 0 1 2"},
		{"", "B10G11R11_UFLOAT_PACK32", "4: 0", "4: 0"},
		{"", "D24_UNORM_S8_UINT", "4: 0 3", "4: 0 3"},
		{"", "vec5<float>", `"vec5<float>" is not a data type`, `"vec5<float>" is not a data type`},
		{"", "mat2x2<flat>", `"mat2x2<flat>" is not a data type`, `"mat2x2<flat>" is not a data type`},
		{"STRUCT s\nint32[] a\nEND\n", "s", "array without a size cannot be a member of a structure", "array without a size cannot be a member of a structure"},
		{"STRUCT a\nint32[60000] x\nEND\nSTRUCT s\na[60000] y\nEND\n", "s", "data type is too large", "data type is too large"},
	} {
		if got := layoutOf(t, c.structs, c.typ, false); got != c.std430 {
			t.Errorf("std430 %s%s: %s, want %s", c.structs, c.typ, got, c.std430)
		}
		if got := layoutOf(t, c.structs, c.typ, true); got != c.std140 {
			t.Errorf("std140 %s%s: %s, want %s", c.structs, c.typ, got, c.std140)
		}
	}
}

// TestNestedStructs has structures whose members double at every level.
func TestNestedStructs(t *testing.T) {
	var b strings.Builder
	b.WriteString("#!amber\nSTRUCT s0\nint32 a\nint32 b\nEND\n")
	for i := 1; i < 60; i++ {
		fmt.Fprintf(&b, "STRUCT s%d\ns%d a\ns%d b\nEND\n", i, i-1, i-1)
	}
	for n, want := range map[int]string{10: "", 59: "too large"} {
		_, err := Parse("nested", fmt.Appendf(nil, "%sBUFFER b DATA_TYPE s%d SIZE 1 FILL 0\n", b.String(), n))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("depth %d: %v", n, err)
		}
	}
}

func TestInitialContents(t *testing.T) {
	for _, c := range []struct{ decl, want string }{
		{"DATA_TYPE uint8 SIZE 4 SERIES_FROM 254 INC_BY 1", "fe ff 00 01"},
		{"DATA_TYPE int16 DATA -1 0x8000 3 END", "ff ff 00 80 03 00"},
		{"DATA_TYPE float16 DATA 1.0 -2 0x1 END", "00 3c 00 c0 00 3c"},
		{"DATA_TYPE float SIZE 2 SERIES_FROM 0.5 INC_BY 0.5", "00 00 00 3f 00 00 80 3f"},
		{"DATA_TYPE double DATA 1 END", "00 00 00 00 00 00 f0 3f"},
		{"DATA_TYPE int64 SIZE 1 FILL -2", "fe ff ff ff ff ff ff ff"},
		{"DATA_TYPE vec3<uint8> SIZE 3 FILL 7", "07 07 07 00 07 07 07 00 07 07 07 00"},
		{"DATA_TYPE int8[] STD140 SIZE 1 FILL -1", "ff 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"},
		{"DATA_TYPE B5G6R5_UNORM_PACK16 DATA 0x1234 END", "34 12"},
		{"DATA_TYPE D24_UNORM_S8_UINT DATA 0x123456 0x78 END", "56 34 12 78"},
		{"DATA_TYPE uint8 WIDTH 2 HEIGHT 2 FILL 9", "09 09 09 09"},
		{"DATA_TYPE uint8 SIZE 0 FILL 9", ""},
	} {
		s, err := Parse("test", []byte("#!amber\nBUFFER b "+c.decl+"\n"))
		if err != nil {
			t.Errorf("%s: %v", c.decl, err)
			continue
		}
		b := s.Buffers[0]
		data := make([]byte, b.Elements*b.Format.Size)
		b.initial(data)
		if got := fmt.Sprintf("% x", data); got != c.want {
			t.Errorf("%s: %s, want %s", c.decl, got, c.want)
		}
	}
}
