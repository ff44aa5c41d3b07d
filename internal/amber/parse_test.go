package amber

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/internal/refs"
)

const shaderDecls = "SHADER vertex v PASSTHROUGH\nSHADER fragment f GLSL\nvoid main() {}\nEND\nSHADER compute c GLSL\nvoid main() {}\nEND\nBUFFER b DATA_TYPE uint32 SIZE 4 FILL 0\nBUFFER img FORMAT R8G8B8A8_UNORM\n"

func TestParseErrors(t *testing.T) {
	lines := strings.Count(shaderDecls, "\n") + 1
	for _, c := range []struct {
		text string
		line int // after the declarations
		want string
	}{
		{"FROB x\n", 1, "unknown command"},
		{"BUFFER b DATA_TYPE int32 SIZE 1 FILL 0\n", 1, "declared twice"},
		{"BUFFER d DATA_TYPE int32 SIZE 400000000 FILL 0\n", 1, "more than 1073741824 bytes"},
		{"BUFFER d DATA_TYPE int32 DATA 1.5 END\n", 1, "value of type int32"},
		{"BUFFER d DATA_TYPE vec2<int32> DATA 1 END\n", 1, "inside an element"},
		{"BUFFER d DATA_TYPE int32 DATA 1\n", 1, "without END"},
		{"BUFFER d DATA_TYPE int32[0] SIZE 1 FILL 0\n", 1, "array size is not in 1.."},
		{"BUFFER d DATA_TYPE int32[99999999] SIZE 1 FILL 0\n", 1, "array size is not in 1.."},
		{"BUFFER d DATA_TYPE nix SIZE 1 FILL 0\n", 1, "not a data type"},
		{"BUFFER d FORMAT R9_UNORM\n", 1, "image format"},
		{"BUFFER d FORMAT R8_UNORM SAMPLES 3\n", 1, "not a sample count"},
		{"IMAGE d FORMAT R8_UNORM DIM_2D WIDTH 4\n", 1, "HEIGHT"},
		{"IMAGE d DATA_TYPE uint8 DIM_1D WIDTH 4 DATA 1 2 3 END\n", 1, "3 elements"},
		{"SHADER fragment p PASSTHROUGH\n", 1, "PASSTHROUGH"},
		{"SHADER compute x GLSL\nvoid main\n", 1, "without END"},
		{"PIPELINE compute p\nATTACH c\nFRAMEBUFFER_SIZE 0 1\nEND\n", 3, "positive"},
		{"PIPELINE compute p\nATTACH f\nEND\n", 2, "cannot have a fragment"},
		{"PIPELINE compute p\nEND\n", 1, "no shader"},
		{"PIPELINE graphics p\nATTACH f\nEND\n", 1, "no vertex shader"},
		{"PIPELINE compute p\nATTACH c\nWHAT\nEND\n", 3, "unknown pipeline command"},
		{"PIPELINE compute p\nATTACH c\nBIND BUFFER b AS uniform_dynamic DESCRIPTOR_SET 0 BINDING 0\nEND\n", 3, "OFFSET"},
		{"PIPELINE compute p\nATTACH c\nBIND BUFFER nope AS uniform DESCRIPTOR_SET 0 BINDING 0\nEND\n", 3, "not declared"},
		{"PIPELINE graphics p\nATTACH v\nDEPTH\nTEST maybe\nEND\nEND\n", 4, "on or off"},
		{"PIPELINE compute p\nATTACH c\n", 1, "without END"},
		{"PIPELINE ray_tracing p\nSHADER_GROUP g nope\nEND\n", 2, "not declared"},
		{"PIPELINE ray_tracing p\nSHADER_GROUP g c\nEND\n", 2, "cannot be in a shader group"},
		{"SHADER miss m GLSL\nvoid\nEND\nPIPELINE ray_tracing p\nSHADER_GROUP g m\nSHADER_GROUP g m\nEND\n", 6, "declared twice"},
		{"SHADER miss m GLSL\nvoid\nEND\nSHADER miss n GLSL\nvoid\nEND\nPIPELINE ray_tracing p\nSHADER_GROUP g m n\nEND\n", 8, "cannot be with the others"},
		{"SHADER miss m GLSL\nvoid\nEND\nPIPELINE ray_tracing p\nSHADER_GROUP g m\nSHADER_BINDING_TABLE t h END\nEND\n", 6, "not declared"},
		{"SHADER miss m GLSL\nvoid\nEND\nPIPELINE ray_tracing p\nSHADER_GROUP g m\nSHADER_BINDING_TABLE t g END\nEND\nRUN p RAYGEN t 1 1 1\n", 8, "cannot be in this table"},
		{"SHADER miss m GLSL\nvoid\nEND\nPIPELINE ray_tracing p\nSHADER_GROUP g m\nSHADER_BINDING_TABLE t g END\nEND\nRUN p MISS t 1 1 1\n", 8, "needs a table RAYGEN"},
		{"PIPELINE ray_tracing p\nUSE_LIBRARY p\nEND\n", 2, "is no library"},
		{"PIPELINE compute p\nATTACH c\nEND\nRUN p 1 1\n", 4, "end of line"},
		{"PIPELINE compute p\nATTACH c\nEND\nRUN p DRAW_RECT POS 0 0 SIZE 1 1\n", 4, "graphics pipeline"},
		{"PIPELINE graphics p\nATTACH v\nEND\nRUN p DRAW_ARRAY AS POINT_LIST\n", 4, "VERTEX_DATA"},
		{"PIPELINE graphics p\nATTACH v\nVERTEX_DATA b LOCATION 0\nEND\nRUN p DRAW_ARRAY AS POINT_LIST START_IDX 2 COUNT 3\n", 5, "START_IDX plus COUNT"},
		{"PIPELINE graphics p\nATTACH v\nBIND BUFFER img AS color LOCATION 0\nEND\nPIPELINE graphics q\nATTACH v\nFRAMEBUFFER_SIZE 8 8\nBIND BUFFER img AS color LOCATION 0\nEND\n", 1, "different sizes"},
		{"EXPECT b IDX 0 EQ\n", 1, "no values"},
		{"EXPECT b IDX 0 TOLERANCE 1 LT 4\n", 1, "only EQ"},
		{"EXPECT b IDX 0 EQ 1.5\n", 1, "a value"},
		{"EXPECT b IDX 0 0 SIZE 1 1 EQ_RGB 0 0 256\n", 1, "larger than 255"},
		{"EXPECT b IDX 0 0 SIZE 1 1 EQ_RGB 0 0 0 TOLERANCE 1 1 1 1\n", 1, "TOLERANCE has 4"},
		{"COPY b TO b\n", 1, "itself"},
		{"REPEAT 2\nBUFFER z DATA_TYPE int8 SIZE 1 FILL 0\nEND\n", 2, "unknown command"},
		{"REPEAT 2\n", 1, "without END"},
		{"SET ENGINE_DATA speed 3\n", 1, "fence_timeout_ms"},
		{"SET ENGINE_DATA fence_timeout_ms soon\n", 1, "milliseconds"},
		{"VIRTUAL_FILE f\nvoid\n", 1, "VIRTUAL_FILE without END"},
		{"SHADER multi m GLSL\nvoid\nEND\n", 1, "a multi shader must be SPIR-V"},
		{"SHADER compute m SPIRV-BIN\nvoid\nEND\n", 1, "needs a FILE"},
		{"STRUCT s\nEND\n", 1, "STRUCT has no members"},
		{"STRUCT s\nuint32 a\nfloat a\nEND\n", 3, "member \"a\" is declared twice"},
		{"BUFFER d DATA_TYPE 5 SIZE 1 FILL 0\n", 1, "a data type"},
		{"BUFFER d DATA_TYPE R8_UNORM[2] SIZE 1 FILL 0\n", 1, "is not a data type"},
		{"BUFFER d DATA_TYPE vec2<int32> SIZE 2 SERIES_FROM 1 INC_BY 1\n", 1, "SERIES_FROM needs a type of one number"},
		{"BUFFER d DATA_TYPE int32 SIZE 1 FILL x\n", 1, "a value"},
		{"BUFFER d DATA_TYPE int64 SIZE 1 FILL 1e30\n", 1, "out of range"},
		{"BUFFER d DATA_TYPE int32 SIZE 1 FILE JPEG x\n", 1, "PNG, BINARY or TEXT"},
		{"IMAGE d DIM_2D WIDTH 4 HEIGHT 4\n", 1, "IMAGE needs a FORMAT or DATA_TYPE"},
		{"IMAGE d FORMAT R8_UNORM DIM_3D WIDTH 65536 HEIGHT 65536 DEPTH 65536\n", 1, "texels are too many"},
		{"SAMPLER s MIN_LOD 2 MAX_LOD 1\n", 1, "MAX_LOD is less than MIN_LOD"},
		{"SAMPLER s COLOR 1\n", 1, "a property of a sampler"},
		{"PIPELINE graphics p\nATTACH v\nBIND BUFFER img AS depth_stencil\nBIND BUFFER img AS depth_stencil\nEND\n", 4, "two depth/stencil buffers"},
		{"PIPELINE compute p\nATTACH c\nBIND BUFFER b AS push_constant\nBIND BUFFER b AS push_constant\nEND\n", 4, "two push constant buffers"},
		{"PIPELINE compute p\nATTACH c\nBIND BUFFER_ARRAY b AS uniform DESCRIPTOR_SET 0 BINDING 0\nEND\n", 3, "BUFFER_ARRAY needs more than one buffer"},
		{"PIPELINE compute p\nATTACH c\nBIND BUFFER_ARRAY b b AS push_constant\nEND\n", 3, "an array cannot be bound as push_constant"},
		{"PIPELINE compute p\nATTACH c\nSUBGROUP c\nREQUIRED_SIZE 12\nEND\nEND\n", 4, "subgroup size 12 is not a power of two"},
		{"PIPELINE compute p\nATTACH c\nSUBGROUP c\nREQUIRED_SIZE 256\nEND\nEND\n", 4, "subgroup size"},
		{"PIPELINE graphics p\nATTACH v\nINDEX_DATA b\nINDEX_DATA b\nEND\n", 4, "INDEX_DATA is given twice"},
		{"PIPELINE compute p\nATTACH c\nEND\nDERIVE_PIPELINE p FROM p\nEND\n", 4, "declared twice"},
		{"PIPELINE graphics p\nATTACH v\nVERTEX_DATA b LOCATION 0\nEND\nRUN p DRAW_ARRAY AS POINT_LIST INDEXED\n", 5, "INDEXED needs INDEX_DATA"},
		{"PIPELINE compute p\nATTACH c\nEND\nCLEAR p\n", 4, "not a graphics pipeline"},
		{"PIPELINE graphics p\nATTACH v\nEND\nRUN p DRAW_GRID POS 0 0 SIZE 1 1 CELLS 100000 100000\n", 4, "cells"},
		{"PIPELINE compute p\nATTACH c\nEND\nRUN p RAYGEN t 1 1 1\n", 4, "workgroup counts"},
	} {
		_, err := Parse("x.amber", []byte("#!amber\n"+shaderDecls+c.text))
		var pe *ParseError
		if !errors.As(err, &pe) {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if pe.Line != lines+c.line || !strings.Contains(pe.Msg, c.want) {
			t.Errorf("%q: line %d: %s; want line %d with %q", c.text, pe.Line-lines, pe.Msg, c.line, c.want)
		}
	}
}

// TestParsePipeline checks that what a script says is what the AST says.
func TestParsePipeline(t *testing.T) {
	s, err := Parse("x.amber", []byte("#!amber # first\n"+`
SHADER multi m SPIRV-ASM TARGET_ENV spv1.3
# not a comment
END
SHADER vertex v PASSTHROUGH
BUFFER a DATA_TYPE float SIZE 4 FILL 1.5 # trailing
BUFFER b DATA_TYPE uint32 \
  SIZE 64 FILL 0
BUFFER c FORMAT D24_UNORM_S8_UINT
SAMPLER s MIN_FILTER linear ADDRESS_MODE_V clamp_to_border COMPARE on COMPARE_OP less
PIPELINE graphics p
  ATTACH m TYPE fragment ENTRY_POINT red SPECIALIZE 2 AS int32 -1
  ATTACH v
  SUBGROUP m
    FULLY_POPULATED on
    REQUIRED_SIZE 8
  END
  POLYGON_MODE line
  STENCIL back
    TEST on
    PASS_OP increment_and_wrap
    COMPARE_OP greater
    REFERENCE 7
  END
  BLEND
    SRC_COLOR_FACTOR src_alpha
    COLOR_OP reverse_substract
  END
  VIEWPORT 1.0 2.0 SIZE 3 4 MIN_DEPTH 0.25
  BIND BUFFER c AS depth_stencil
  BIND BUFFER_ARRAY a b AS storage_dynamic DESCRIPTOR_SET 1 BINDING 2 OFFSET 0 16 DESCRIPTOR_OFFSET 4 8 DESCRIPTOR_RANGE -1 32
  BIND SAMPLER s DESCRIPTOR_SET 0 BINDING 1
  VERTEX_DATA a LOCATION 3 RATE instance FORMAT R16G16_UNORM OFFSET 2 STRIDE 12
END
DERIVE_PIPELINE q FROM p
  POLYGON_MODE point
  BIND BUFFER b AS uniform DESCRIPTOR_SET 1 BINDING 2
END
`))
	if err != nil {
		t.Fatal(err)
	}
	p, q := s.Pipelines[0], s.Pipelines[1]
	a := p.Shaders[0]
	if a.Entry != "red" || a.Stage != StageFragment || a.Spec[0] != (Specialization{2, 0xffffffff}) || !a.FullSubgroups || a.RequiredSubgroup != 8 {
		t.Errorf("%+v", a)
	}
	if s.Shaders[0].Source != "\n# not a comment\n" && s.Shaders[0].Source != "# not a comment\n" {
		t.Errorf("source %q", s.Shaders[0].Source)
	}
	d := p.Depth
	if !d.StencilTest || d.Back.Reference != 7 || d.Back.Pass != 6 || d.Back.Compare != 4 || d.Front.Reference != 0 {
		t.Errorf("%+v", d)
	}
	if !p.Blend.Enable || p.Blend.SrcColor != 6 || p.Blend.ColorOp != 2 || p.Blend.SrcAlpha != 1 {
		t.Errorf("%+v", p.Blend)
	}
	if v := p.Viewport; v.X != 1 || v.Height != 4 || v.MinDepth != 0.25 || v.MaxDepth != 1 {
		t.Errorf("%+v", v)
	}
	b := p.Bindings[0]
	if b.Set != 1 || b.Binding != 2 || b.Kind != BindStorageDynamic || b.Elems[1].Dynamic != 16 || b.Elems[1].Offset != 8 || b.Elems[1].Range != 32 || b.Elems[0].Range != -1 {
		t.Errorf("%+v", b)
	}
	if v := p.Vertex[0]; !v.Instance || v.Stride != 12 || v.Offset != 2 || v.Format.Size != 4 {
		t.Errorf("%+v", v)
	}
	if q.Polygon != 2 || q.Bindings[0].Kind != BindUniform || len(q.Bindings) != 2 || p.Bindings[0].Kind != BindStorageDynamic || q.Name != "q" {
		t.Errorf("%+v", q)
	}
	if sm := s.Samplers[0]; !sm.MinLinear || sm.MagLinear || sm.Address[1] != emu.AddressClampToBorder || !sm.Compare || sm.CompareOp != 1 || sm.MaxLod != 1 {
		t.Errorf("%+v", sm)
	}
	if c := s.Buffers[2]; c.Width != 250 || c.Elements != 250*250 {
		t.Errorf("%+v", c)
	}
}

func TestLexer(t *testing.T) {
	l := lexer{src: "a 5% -3 0x1F .5 1e-3 -.25 nan \"s\\\"t\" (x) 12abc\\\n0xzz", line: 1}
	var got []string
	for tok := l.next(); tok.kind != tokEOF; tok = l.next() {
		got = append(got, tok.text)
	}
	want := `a|5|%|-3|0x1F|.5|1e-3|-.25|nan|s"t|(|x|)|12|abc\||0xzz`
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("%s, want %s", s, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(computeScript))
	f.Add([]byte(rectScript))
	f.Add([]byte(vkGraphics))
	f.Add([]byte("[compute shader spirv hex]\n[test]\nssbo 1:2 subdata mat3x2 16 1 2 3 4 5 6\ntolerance 1% 2\nuniform ubo 3 dvec2 0 1 2\nprobe ssbo u8vec3 1:2 0 ~= 1 2 3\ncompute 1 1 1\n"))
	f.Add([]byte("#!amber\nSTRUCT s\nfloat[3] a\nmat3x3<float16> m\nEND\nBUFFER b DATA_TYPE s[] STD140 SIZE 2 FILL 1\n"))
	f.Add([]byte("#!amber\nACCELERATION_STRUCTURE BOTTOM_LEVEL x\nGEOMETRY TRIANGLES\n0 0 0 1 0 0 0 1 0\nEND\nEND\n"))
	if dir, err := refs.Find("corpus"); err == nil {
		seeds, err := filepath.Glob(filepath.Join(dir, "google+amber/tests/cases/*"))
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range seeds {
			if src, err := os.ReadFile(path); err == nil {
				f.Add(src)
			}
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := Parse("fuzz", src)
		if (s == nil) == (err == nil) {
			t.Fatalf("%v, %v", s, err)
		}
		var pe *ParseError
		if err != nil && (!errors.As(err, &pe) || pe.Line < 1) {
			t.Fatalf("%v", err)
		}
	})
}

// TestEndLines: a text ends before the line whose first word is END.
func TestEndLines(t *testing.T) {
	for _, c := range []struct {
		line string
		end  bool
	}{
		{"END", true}, {"END\n", true}, {" \tEND\r\n", true}, {"END # it", true}, {"END# it", true}, {"END x", true},
		{"ENDIF", false}, {"END1\n", false}, {"END_x", false}, {"EN", false}, {"", false}, {"end", false}, {"x END", false}, {"OpReturn", false},
	} {
		if got := isEndLine(c.line); got != c.end {
			t.Errorf("%q ends a text: %t", c.line, got)
		}
		l := lexer{src: "a\n" + c.line, line: 1}
		text, _, ok := l.rawUntilEnd()
		if ok != c.end || ok && text != "a\n" {
			t.Errorf("before %q stands %q, %t", c.line, text, ok)
		}
	}
}
