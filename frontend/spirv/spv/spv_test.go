package spv

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func readText(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func readWords(t testing.TB, name string) []uint32 {
	t.Helper()
	var words []uint32
	for line := range strings.Lines(readText(t, name)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, f := range strings.Fields(line) {
			w, err := strconv.ParseUint(f, 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			words = append(words, uint32(w))
		}
	}
	return words
}

var samples = []string{"literals", "operands"}

func TestTextAndWords(t *testing.T) {
	for _, name := range samples {
		t.Run(name, func(t *testing.T) {
			text, want := readText(t, name+".spvasm"), readWords(t, name+".words")
			got, err := Assemble(text, AssembleOptions{PreserveNumericIDs: true})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Fatal(firstDifference(got, want))
			}
			m, err := Parse(toBytes(got))
			if err != nil {
				t.Fatal(err)
			}
			_, body, _ := strings.Cut(text, "\n") // the first line is a comment
			// Valid words have a text of their own.
			body = strings.Replace(body, "!0x00000007 !0x00000008", "%7 %8", 1)
			if dis := Disassemble(m, DisassembleOptions{}); dis != body {
				t.Errorf("disassembled:\n%s", dis)
			}
			big := make([]byte, 0, 4*len(want))
			for _, w := range want {
				big = binary.BigEndian.AppendUint32(big, w)
			}
			if m, err = Parse(big); err != nil || !slices.Equal(m.Words, want) {
				t.Errorf("big-endian: %v", err)
			}
		})
	}
}

// Values that text may give but that are written in another way.
func TestParseNumber(t *testing.T) {
	i8, i16, u32 := Number{8, Signed}, Number{16, Signed}, Number{32, Unsigned}
	f16, f32, f64 := Number{16, Float}, Number{32, Float}, Number{64, Float}
	for _, c := range []struct {
		text string
		num  Number
		want uint64
	}{
		{"0xff", i8, 0xffffffff}, {"-0x1", i8, 0xffffffff}, {"0x7f", i8, 0x7f}, {"0x8000", i16, 0xffff8000}, {"010", u32, 8}, {"+1", u32, 1},
		{"0xffffffffffffffff", Number{64, Signed}, 1<<64 - 1},
		{"1", f16, 0x3c00}, {"0.1", f16, 0x2e66}, {"65520", f16, 0x7bff}, {"1e-8", f16, 0}, {"6e-8", f16, 1}, {"0x1.006p+0", f16, 0x3c01},
		{"0x1p+17", f16, 0x7c00}, {"0x1p-25", f16, 0}, {"0x1p-15", f16, 0x200},
		{".5", f32, 0x3f000000}, {"5.", f32, 0x40a00000}, {"0x12p+0", f32, 0x41900000}, {"0x.8p0", f32, 0x3f000000}, {"0x1.8p-149", f32, 1},
		{"0x1.ffffff8p+127", f32, 0x7f7fffff}, {"0x1p+200", f32, 0x7f800000}, {"16777217", f32, 0x4b800000}, {"-0", f32, 0x80000000},
		{"1e-50", f32, 0}, {"123456789012345678", f64, 0x437b69b4ba630f35},
		{"1", Number{16, BFloat16}, 0x3f80}, {"448", Number{8, Float8E4M3}, 0x7e}, {"57344", Number{8, Float8E5M2}, 0x7b},
	} {
		got, msg := parseNumber(c.text, c.num)
		if msg != "" || got != c.want {
			t.Errorf("%s as %v: %#x %s, want %#x", c.text, c.num, got, msg, c.want)
		}
	}
	for _, c := range []struct {
		text string
		num  Number
	}{
		{"128", i8}, {"-129", i8}, {"0x100", i8}, {"-1", u32}, {"4294967296", u32}, {"", u32}, {"1.5", u32}, {"0x", u32}, {"0b1", u32}, {"08", u32},
		{"1_0", u32}, {"0x_1", u32}, {"--1", u32}, {"-+1", u32}, {"18446744073709551616", Number{64, Unsigned}},
		{"1e9", f16}, {"1e39", f32}, {"1e400", f64}, {"inf", f32}, {"nan", f32}, {"0x12", f32}, {"0x1p", f32}, {"1.0f", f32}, {"1e", f32},
		{"0X1p+3", f32}, {"0x1.8P+1", f32}, {"0x.p+0", f32}, {"--1", f32}, {"-+1", f32}, {"1_0", f32}, {"480", Number{8, Float8E4M3}},
	} {
		if got, msg := parseNumber(c.text, c.num); msg == "" {
			t.Errorf("%q as %v is taken as %#x", c.text, c.num, got)
		}
	}
}

// Every value of the narrow formats, and some of the wide ones, come back from their text.
func TestNumberRoundTrip(t *testing.T) {
	try := func(v uint64, n Number) {
		b, ok := appendNumber(nil, v, n)
		if !ok {
			t.Fatalf("%#x as %v has no text", v, n)
		}
		if got, msg := parseNumber(string(b), n); msg != "" || got != v {
			t.Fatalf("%#x as %v is written %s and read %#x %s", v, n, b, got, msg)
		}
	}
	for v := range uint64(1 << 16) {
		try(v, Number{16, Float})
		try(v, Number{16, BFloat16})
		try(v, Number{16, Unsigned})
		try(uint64(uint32(int32(int16(v)))), Number{16, Signed})
		try(v&0xff, Number{8, Float8E5M2})
		try(v&0xff, Number{8, Float8E4M3})
		x := v * 0x9e3779b97f4a7c15
		try(x, Number{64, Float})
		try(x>>32, Number{32, Float})
		try(v|x>>63<<31, Number{32, Float})     // denormals
		try(v<<30|x>>63<<63, Number{64, Float}) // denormals
	}
	for _, n := range []Number{{16, Signed}, {8, Unsigned}, {8, Float8E5M2}} {
		if b, ok := appendNumber(nil, 0xffff, n); ok || len(b) != 0 {
			t.Errorf("0xffff as %v, whose high bits are not right, is written %s", n, b)
		}
	}
}

func TestAssembleErrors(t *testing.T) {
	for _, c := range []struct {
		text         string
		line, column int
		msg          string
	}{
		{"", 1, 1, "no text"},
		{"OpNop\n  OpFoo", 2, 3, "unknown opcode OpFoo"},
		{"foo", 1, 1, "beginning of an instruction"},
		{"OpTypeVoid", 1, 1, "needs a result id"},
		{"%1 = OpNop", 1, 6, "no result"},
		{"%a OpTypeVoid", 1, 4, "expected ="},
		{"%a =", 1, 5, "end of the text"},
		{"%a-b = OpTypeVoid", 1, 1, "invalid id"},
		{"% = OpTypeVoid", 1, 1, "invalid id"},
		{"%a/ = OpTypeVoid", 1, 1, "invalid id"},
		{"%a: = OpTypeVoid", 1, 1, "invalid id"},
		{"%a@ = OpTypeVoid", 1, 1, "invalid id"},
		{"%a[ = OpTypeVoid", 1, 1, "invalid id"},
		{"%a` = OpTypeVoid", 1, 1, "invalid id"},
		{"%a{ = OpTypeVoid", 1, 1, "invalid id"},
		{"%0 = OpTypeVoid", 1, 1, "not between"},
		{"%4194303 = OpTypeVoid", 1, 1, "not between"},
		{"OpCapability", 1, 13, "operand Capability is missing"},
		{"OpCapability OpNop", 1, 13, "operand Capability is missing"},
		{"OpCapability Shader,", 1, 14, `invalid Capability "Shader,"`},
		{"OpMemoryModel Logical GLSL450 Foo", 1, 31, "beginning of an instruction"},
		{"%a = OpFunction %b Inline| %c", 1, 20, "invalid FunctionControl"},
		{"%s = OpString a", 1, 15, "string in quotes"},
		{"%s = OpString \"a", 1, 15, "does not end"},
		{"%s = OpString \"a\\\"", 1, 15, "does not end"},
		{"%s = OpString \"a\\", 1, 15, "does not end"},
		{"OpCapability Shader\n; a comment\n\tOpFoo", 3, 2, "unknown opcode OpFoo"},
		{"%s = OpExtInstImport \"NonSemantic.Own\" %a = OpExtInst %t %s 4294967296 %x", 1, 61, "invalid extended instruction"},
		{"OpDecorate", 1, 11, "operand IdRef is missing"},
		{"OpGroupMemberDecorate %a %b", 1, 28, "is missing"},
		{"%c = OpConstant %t 1", 1, 20, "type of OpConstant"},
		{"%t = OpTypeInt 32 1 %c = OpConstant %t 1.5", 1, 40, "invalid integer literal"},
		{"OpSwitch %a %b 1 %c", 1, 16, "selector of OpSwitch"},
		{"%a = OpExtInst %t %s Sqrt %x", 1, 22, "not imported"},
		{`%s = OpExtInstImport "GLSL.std.450" %a = OpExtInst %t %s 5 %x`, 1, 58, "invalid extended instruction"},
		{"%a = OpSpecConstantOp %t Constant 4", 1, 26, "invalid opcode"},
		{"OpSource GLSL !2 foo", 1, 18, "after a !number"},
		{"OpSource !x", 1, 10, "invalid integer literal"},
	} {
		_, err := Assemble(c.text, AssembleOptions{PreserveNumericIDs: true})
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%q: error %v", c.text, err)
			continue
		}
		if e.Line != c.line || e.Column != c.column || !strings.Contains(e.Msg, c.msg) {
			t.Errorf("%q: %v, want %d:%d: …%s…", c.text, e, c.line, c.column, c.msg)
		}
	}
}

// TestNames: a name may have letters, digits and underlines, and keeps its id.
func TestNames(t *testing.T) {
	words, err := Assemble("%_09azAZ = OpTypeVoid %9 = OpTypeBool %a = OpTypeFunction %_09azAZ %9", AssembleOptions{PreserveNumericIDs: true})
	if err != nil {
		t.Fatal(err)
	}
	// The names take the lowest ids that no number has.
	if want := []uint32{2<<16 | uint32(OpTypeVoid), 1, 2<<16 | uint32(OpTypeBool), 9, 4<<16 | uint32(OpTypeFunction), 2, 1, 9}; !slices.Equal(words[5:], want) || words[3] != 10 {
		t.Errorf("bound %d, words %x", words[3], words[5:])
	}
	own, err := Assemble("%s = OpExtInstImport \"NonSemantic.Own\" %v = OpTypeVoid %a = OpExtInst %v %s 4294967295 %v", AssembleOptions{})
	if err != nil || own[len(own)-2] != 0xffffffff {
		t.Errorf("the last instruction of a set without grammar: %x, %v", own, err)
	}
	for _, c := range []struct {
		op           Op
		result, kind bool
	}{{OpNop, false, false}, {OpTypeVoid, true, false}, {OpIAdd, true, true}, {OpStore, false, false}, {OpLabel, true, false}, {Op(60000), false, false}} {
		if c.op.HasResult() != c.result || c.op.HasResultType() != c.kind {
			t.Errorf("%s: result %v, type %v", c.op, !c.result, !c.kind)
		}
	}
}

func TestParseErrors(t *testing.T) {
	head := []uint32{Magic, 0x10000, 0, 10, 0}
	with := func(w ...uint32) []uint32 { return append(slices.Clone(head), w...) }
	inst := func(op Op, w ...uint32) []uint32 { return append([]uint32{uint32(len(w)+1)<<16 | uint32(op)}, w...) }
	for _, c := range []struct {
		words []uint32
		word  int
		msg   string
	}{
		{nil, 0, "at least"},
		{[]uint32{1, 2, 3, 4, 5}, 0, "magic"},
		{[]uint32{Magic, 0x10700, 0, 1, 0}, 1, "version"},
		{[]uint32{Magic, 0x10000, 0, 0, 0}, 3, "bound"},
		{[]uint32{Magic, 0x10000, 0, MaxBound + 1, 0}, 3, "bound"},
		{with(0), 5, "length 0"},
		{with(0x20000), 5, "has 2 words, 1 are left"},
		{with(0x1ffff), 5, "opcode 65535"},
		{with(inst(OpTypeVoid)...), 6, "IdResult is missing"},
		{with(inst(OpTypeVoid, 0)...), 6, "id 0"},
		{with(inst(OpTypeVoid, 10)...), 6, "bound of 10"},
		{with(inst(OpTypeVoid, 1, 2)...), 7, "1 words are left"},
		{with(append(inst(OpTypeVoid, 1), inst(OpTypeVoid, 1)...)...), 7, "more than once"},
		{with(inst(OpCapability, 0xffff)...), 6, "Capability 65535"},
		{with(inst(OpString, 1, 0x61616161)...), 7, "does not end"},
		{with(inst(OpConstant, 1, 2, 3)...), 8, "result type %1"},
		{with(append(inst(OpTypeInt, 1, 64, 0), inst(OpConstant, 1, 2, 3)...)...), 12, "cut off"},
		{with(inst(OpFunction, 1, 2, 1<<31, 3)...), 8, "bit 0x80000000"},
		{with(inst(OpExtInst, 1, 2, 3, 4)...), 9, "OpExtInstImport"},
		{with(inst(OpSpecConstantOp, 1, 2, uint32(OpConstant), 3)...), 8, "opcode 43"},
		{with(inst(OpSwitch, 1, 2, 3, 4)...), 8, "selector %1"},
		{with(inst(OpPhi, 1, 2, 3)...), 9, "IdRef is missing"},
	} {
		_, err := Parse(toBytes(c.words))
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%x: error %v", c.words, err)
		} else if e.Line != 0 || e.Word != c.word || !strings.Contains(e.Msg, c.msg) {
			t.Errorf("%x: %v, want word %d: …%s…", c.words, e, c.word, c.msg)
		}
	}
	if _, err := Parse(append(toBytes(head), 1)); err == nil {
		t.Error("a length that is not a multiple of 4 is taken")
	}
}
