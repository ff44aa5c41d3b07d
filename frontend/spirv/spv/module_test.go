package spv

import (
	"encoding/binary"
	"reflect"
	"runtime"
	"slices"
	"testing"
)

func parseSample(t testing.TB, name string) *Module {
	t.Helper()
	m, err := ParseWords(readWords(t, name+".words"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAccessors(t *testing.T) {
	m := parseSample(t, "operands")
	in := m.Def(15)
	if in == nil || in.Op != OpExtInst || in.ResultType() != 11 || in.Result() != 15 || in.IDArg(0) != 1 || in.Arg(1) != uint32(GLSLstd450UMin) {
		t.Fatalf("%%15: %+v", in)
	}
	if set, non := m.Def(in.IDArg(0)).ImportSet(); set != ExtSetGLSLstd450 || non {
		t.Errorf("set %v", set)
	}
	if set, non := m.Def(2).ImportSet(); set != ExtSetUnknown || !non {
		t.Errorf("unknown set %v %t", set, non)
	}
	i := slices.IndexFunc(m.Insts, func(in Instruction) bool { return in.Op == OpEntryPoint })
	if s, next := m.Insts[i].StringArg(2); s != `ma"in\` || next != 4 || m.Insts[i].NumArgs() != 6 {
		t.Errorf("entry point %q, then operand %d", s, next)
	}
	if m.Def(4) != nil || m.Def(MaxBound) != nil {
		t.Error("ids without a definition have one")
	}
	if num, ok := m.NumberType(10); !ok || num != (Number{64, Signed}) {
		t.Errorf("type %v", num)
	}
}

// Numbers of the narrow formats have one size each.
func TestNarrowFloats(t *testing.T) {
	for _, c := range []struct {
		bits, format string
		want         Number
	}{{"16", "BFloat16KHR", Number{16, BFloat16}}, {"8", "Float8E4M3EXT", Number{8, Float8E4M3}}, {"8", "Float8E5M2EXT", Number{8, Float8E5M2}}, {"16", "", Number{16, Float}}} {
		for _, bits := range []string{"8", "16", "32"} {
			words, err := Assemble("%1 = OpTypeFloat "+bits+" "+c.format, AssembleOptions{})
			if err != nil {
				t.Fatal(err)
			}
			data := make([]byte, 4*len(words))
			for i, w := range words {
				binary.LittleEndian.PutUint32(data[4*i:], w)
			}
			m, err := Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			num, ok := m.NumberType(1)
			if good := bits == c.bits || c.format == ""; ok != good && !(bits == "8" && c.format == "") || good && bits == c.bits && num != c.want {
				t.Errorf("%s bits %q: %v, %t", bits, c.format, num, ok)
			}
		}
	}
}

func TestDecode(t *testing.T) {
	m := parseSample(t, "operands")
	in := m.Def(17)
	ops, err := m.Decode(nil, in)
	if err != nil {
		t.Fatal(err)
	}
	want := []Kind{KindIdResultType, KindIdResult, KindIdRef, KindIdRef, KindImageOperands, KindIdRef, KindIdRef}
	for i, o := range ops {
		if i >= len(want) || o.Kind != want[i] {
			t.Fatalf("operands %v", ops)
		}
	}
	if got := ImageOperands(ops[4].Word(in)); got != ImageOperandsBias|ImageOperandsConstOffset || got.String() != "Bias|ConstOffset" {
		t.Errorf("mask %v", got)
	}
	for i := range m.Insts {
		if in = &m.Insts[i]; in.Op == OpSwitch {
			break
		}
	}
	if ops, err = m.Decode(ops[:0], in); err != nil || len(ops) != 6 {
		t.Fatalf("OpSwitch: %v %v", ops, err)
	}
	if ops[2].Num != (Number{64, Signed}) || ops[2].Uint64(in) != 1<<64-1 || ops[3].ID(in) != 19 {
		t.Errorf("OpSwitch: %v", ops)
	}
}

func TestTables(t *testing.T) {
	for _, r := range opNames {
		if op, ok := LookupOp(r.name); !ok || uint32(op) != r.value || !op.Known() {
			t.Errorf("%s is %v", r.name, op)
		}
	}
	for k := range kindTable {
		for _, e := range enumTable[kindTable[k].enums.first:][:kindTable[k].enums.count] {
			if v, ok := Kind(k).Lookup(e.name); !ok || v != e.value || Kind(k).Text(v) != e.name {
				t.Errorf("%v %s", Kind(k), e.name)
			}
		}
	}
	if v, ok := KindDecoration.Lookup("NonUniformEXT"); !ok || Decoration(v) != DecorationNonUniform {
		t.Error("an alias is not found")
	}
	if c := OpImageSampleDrefImplicitLod.Capabilities(); !slices.Equal(c, []Capability{CapabilityShader}) {
		t.Errorf("capabilities %v", c)
	}
	for _, c := range []struct {
		kind  Kind
		value uint32
		want  []Capability
		since uint16
	}{
		{KindCapability, uint32(CapabilityGroupNonUniformVote), []Capability{CapabilityGroupNonUniform}, 0x0103},
		{KindDecoration, uint32(DecorationPatch), []Capability{CapabilityTessellation}, 0x0100},
		{KindDecoration, 1 << 20, nil, 0},
	} {
		if got, since := c.kind.Capabilities(c.value), c.kind.MinVersion(c.value); !slices.Equal(got, c.want) || since != c.since {
			t.Errorf("%v %d: %v, since %#x; want %v, %#x", c.kind, c.value, got, since, c.want, c.since)
		}
	}
	if OpCopyLogical.MinVersion() != 0x0104 || KindCapability.MinVersion(uint32(CapabilityGroupNonUniform)) != 0x0103 {
		t.Error("versions")
	}
	if Op(60000).Known() || BuiltIn(1<<31).String() != "BuiltIn(2147483648)" || Generator(8<<16) != "Khronos Glslang Reference Front End" {
		t.Error("texts of numbers without a name")
	}
}

// A small module with the greatest bound must not ask for the memory of all its ids.
func TestSparseBound(t *testing.T) {
	words := []uint32{Magic, 0x10000, 0, MaxBound, 0, 2<<16 | uint32(OpTypeVoid), MaxBound - 1, 3<<16 | uint32(OpTypeFunction), 7, MaxBound - 1}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := ParseWords(words)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<16 {
		t.Errorf("%d bytes for %d words", n, len(words))
	}
	if m.DefIndex(MaxBound-1) != 0 || m.DefIndex(7) != 1 || m.DefIndex(8) != -1 {
		t.Error("definitions")
	}
}

func TestParseAllocations(t *testing.T) {
	data := toBytes(readWords(t, "operands.words"))
	if n := testing.AllocsPerRun(20, func() {
		if _, err := Parse(data); err != nil {
			t.Fatal(err)
		}
	}); n > 5 {
		t.Errorf("%v allocations, however many instructions there are", n)
	}
}

// TestRelease: a module that was released is empty, and one that is parsed in its memory is as if in memory of its own.
func TestRelease(t *testing.T) {
	long, short := toBytes(readWords(t, "operands.words")), toBytes([]uint32{Magic, 0x10300, 0, 9, 0, 2<<16 | uint32(OpTypeVoid), 8})
	for _, data := range [][]byte{short, long, short} {
		m, err := Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := ParseWords(slices.Clone(m.Words))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(m.Insts, fresh.Insts) || !slices.Equal(m.defs, fresh.defs) || m.Bound != fresh.Bound {
			t.Error("a module that was parsed in used memory is another")
		}
		for i := range m.Words { // nothing reads what it held
			m.Words[i] = ^uint32(0)
		}
		m.Release()
		if m.Words != nil || m.Insts != nil || m.DefIndex(8) != -1 {
			t.Error("a module that was released is not empty")
		}
		m.Release()
	}
}

func TestSplitModules(t *testing.T) {
	got := SplitModules("; head\n; SPIR-V\nOpNop\n; SPIR-V\nOpUndef\n")
	if !slices.Equal(got, []string{"; SPIR-V\nOpNop\n", "; SPIR-V\nOpUndef\n"}) {
		t.Errorf("%q", got)
	}
	if got := SplitModules("OpNop"); !slices.Equal(got, []string{"OpNop"}) {
		t.Errorf("%q", got)
	}
}

// bodyModule is a module of n additions, with a load after every fourth.
func bodyModule(n uint32) []byte {
	words := []uint32{Magic, 0x10000, 0, n + 10, 0, 4<<16 | uint32(OpTypeInt), 1, 32, 0, 4<<16 | uint32(OpConstant), 1, 2, 5}
	for i := range n {
		if i%4 == 3 {
			words = append(words, 4<<16|uint32(OpLoad), 1, i+10, i+9)
		} else {
			words = append(words, 5<<16|uint32(OpIAdd), 1, i+10, 2, 2)
		}
	}
	return toBytes(words)
}

func BenchmarkParse(b *testing.B) {
	data := bodyModule(20000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDisassemble(b *testing.B) {
	m, err := Parse(bodyModule(20000))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		Disassemble(m, DisassembleOptions{})
	}
}

func BenchmarkAssemble(b *testing.B) {
	m, err := Parse(bodyModule(20000))
	if err != nil {
		b.Fatal(err)
	}
	text := Disassemble(m, DisassembleOptions{})
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Assemble(text, AssembleOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
