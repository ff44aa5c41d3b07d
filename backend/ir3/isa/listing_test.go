package isa

import (
	"strings"
	"testing"
)

const sample = `
	mov.f32f32 r0.x, (0.500000)
	cmps.s.ne p0.x, r0.y, 0 ; a comment
	(rpt5)nop
	br !p0.x, #out
loop:	(nop2) add.f r0.x, r0.x, (1.0)
	jump #loop
out: (jp)nop
	end
`

func TestAssembleRoundTrip(t *testing.T) {
	code, err := Assemble(A6xx, sample)
	if err != nil {
		t.Fatal(err)
	}
	if len(code) != 8*WordBytes {
		t.Fatalf("%d bytes", len(code))
	}
	lines := Disassemble(A6xx, code)
	if lines[3].Target != 6 || lines[5].Target != 4 || !lines[4].Label || !lines[6].Label || lines[5].Label {
		t.Errorf("targets or labels are wrong: %+v", lines)
	}
	for _, labels := range []bool{false, true} {
		text := Listing(A6xx, lines, labels)
		again, err := Assemble(A6xx, text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if string(again) != string(code) {
			t.Errorf("listing reassembles differently:\n%s", text)
		}
	}
	hex, err := DisasmHex(A6xx, []string{"0300000000000000", "", "0xffffffffffffffff"})
	if err != nil || len(hex) != 2 || hex[0].Instr.Op != OpEnd || hex[1].Err == nil {
		t.Errorf("DisasmHex: %+v, %v", hex, err)
	}
	if _, err = DisasmHex(A6xx, []string{"xyz"}); err == nil {
		t.Error("DisasmHex takes xyz")
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"frob r0.x", "unknown mnemonic"},
		{"add.f r0.x, r0.y", "is expected"},
		{"add.f r0.x, r0.y, hr0.z", "source 2 hr0.z cannot be encoded"},
		{"add.u r0.x, r0.y, 5000", "source 2 5000 cannot be encoded"},
		{"add.f r0.x, r0.y, r0.z extra", "unexpected"},
		{"(sat)mova a0.x, hr0.x", "flag"},
		{"(ss)sam (f32)(x)r0.x, r0.y, s#0, t#0", "flag"},
		{"ldg.u32 r0.x, g[r1.x+5000], 1", "offset"},
		{"ldg.u32 r0.x, g[r1.x], 9", "size"},
		{"br p0.x, #nowhere", "nowhere"},
		{"(rpt3)(nop1) add.f r0.x, r0.y, r0.z", "nop"},
		{"(nop4) add.f r0.x, r0.y, r0.z", "nop"},
		{"(rpt8)nop", "rpt"},
		{"lock", "a6xx"},
		{"brcst.active.w1 (u32)(x)r0.x, r0.y", "1 is not in 2..16"},
		{"brcst.active.w12 (u32)(x)r0.x, r0.y", "a cluster of 12 fibers is no power of two"},
		{"brcst.active.w32 (u32)(x)r0.x, r0.y", "32 is not in 2..16"},
		{"mov.f32f32 r0.x, (abc)", "bad float"},
		{"mov.f32u32 r0.x, r0.y", "equal types"},
		{"cov.u8_32u32 r0.x, 32768", "32768 needs more than 8 bits"},
		{"cov.u8_32u32 r0.x, -129", "-129 needs more than 8 bits"},
		{"add.u r0.x, r0.y, 0x", "is expected"},
		{"add.u r0.x, r0.y, -", "is expected"},
		{"raw 0x", "bad raw word"},
		{"raw 0x12345678123456789", "bad raw word"},
		{"raw -1", "bad raw word"},
		{"raw 1 2", "bad raw word"},
		{"raw nop", "bad raw word"},
	} {
		_, err := Assemble(A6xx, "\n"+c.text+"\nend")
		if err == nil || !strings.Contains(err.Error(), "line 2:") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want line 2 and %q", c.text, err, c.want)
		}
	}
	if _, err := Unpack(5, 0); err == nil {
		t.Error("generation 5 is accepted")
	}
	if _, err := Assemble(A6xx, "a: nop\na: end"); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("duplicate label: %v", err)
	}
}

// TestSpellings: what is written in two ways is one instruction.
func TestSpellings(t *testing.T) {
	for a, b := range map[string]string{
		"add.f r0.x, c<a0.x - 5>, r0.y": "add.f r0.x, c<a0.x + -5>, r0.y", "mov.u32u32 r0.x, r<a0.x + 0>": "mov.u32u32 r0.x, r<a0.x>",
		"mov.u32u32 r0.x, 0x10": "mov.u32u32 r0.x, 16", "mov.u16u16 hr0.x, -1": "mov.u16u16 hr0.x, 65535",
	} {
		x, err := ParseText(A6xx, a)
		y, err2 := ParseText(A6xx, b)
		if err != nil || err2 != nil || x != y {
			t.Errorf("%s and %s: %v, %v, %+v, %+v", a, b, err, err2, x, y)
		}
	}
}

func TestNops(t *testing.T) {
	for _, s := range []string{"bary.f r0.x, (r)3, r0.x", "(nop1) add.f r0.x, r0.y, r0.z"} {
		in, err := ParseText(A6xx, s)
		if err != nil || in.Nops() != 1 {
			t.Errorf("%q: %d nops, %v", s, in.Nops(), err)
		}
		in.SetNops(3)
		if w, err := Pack(A6xx, &in); err != nil {
			t.Error(err)
		} else if back, _ := Unpack(A6xx, w); back.Nops() != 3 {
			t.Errorf("%q with 3 nops reads as %d", s, back.Nops())
		}
	}
}

func TestQueries(t *testing.T) {
	for _, c := range []struct {
		what      string
		got, want bool
	}{
		{"(ss) on add.f", OpAddF.Can(SS | SY | Sat), true},
		{"(ss) on sam", OpSam.Can(SS), false},
		{"(sy)(jp) on sam", OpSam.Can(SY | JP), true},
		{"(eq) on nop", OpNop.Can(EQ), true},
		{"(eq) on add.f", OpAddF.Can(EQ), false},
		{".1d on isam", OpIsam.Can(Tex1D), true},
		{".1d on sam", OpSam.Can(Tex1D), false},
		{".clp on samgq", OpSamgq.Can(TexClp), true},
		{".clp on isam", OpIsam.Can(TexClp), false},
		{"(rptN) on rcp", OpRcp.CanRepeat(), true},
		{"(rptN) on sam", OpSam.CanRepeat(), false},
		{"(nopN) on mad.f32", OpMadF32.CanNop(), true},
		{"(nopN) on mov", OpMov.CanNop(), false},
		{"target of getone", OpGetone.HasTarget(), true},
		{"lock on a6xx", OpLock.OnGen(A6xx), false},
		{"lock on a7xx", OpLock.OnGen(A7xx), true},
		{"raw on a6xx", OpRaw.OnGen(A6xx), false},
		{"none on a7xx", NumOps.OnGen(A7xx), false},
		{"raw", OpRaw.Can(SY), false},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v", c.what, c.got)
		}
	}
}

func BenchmarkPack(b *testing.B) {
	in := Instr{Op: OpAddF, Flags: SS, Repeat: 1, Dst: R(16), Srcs: [4]Operand{R(32).With(Rpt), C(5)}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Pack(A6xx, &in); err != nil {
			b.Fatal(err)
		}
	}
}

// TestImmediateText: the reference's disassembler has unsigned immediates above 4096 in hexadecimal, and others in decimal.
func TestImmediateText(t *testing.T) {
	for _, text := range []string{"mov.u32u32 r0.x, 4095", "mov.u32u32 r0.x, 4096", "mov.u32u32 r0.x, 0x1001", "mov.u32u32 r0.x, 0xffffffff", "mov.s32s32 r0.x, 4097", "mov.s32s32 r0.x, -1"} {
		x, err := ParseText(A6xx, text)
		if err != nil {
			t.Fatal(err)
		}
		if got := x.Text(A6xx); got != text {
			t.Errorf("%s is printed as %s", text, got)
		}
	}
}

// TestBranchBeyond: a branch to what stands after the last line, or before the first, has no label.
func TestBranchBeyond(t *testing.T) {
	code, err := Assemble(A6xx, "jump #2\njump #-2")
	if err != nil {
		t.Fatal(err)
	}
	lines := Disassemble(A6xx, code)
	for i, want := range []int{2, -1} {
		if lines[i].Target != want || lines[i].Label {
			t.Errorf("line %d: target %d, label %t", i, lines[i].Target, lines[i].Label)
		}
	}
	if text := Listing(A6xx, lines, true); strings.Contains(text, "l2") {
		t.Errorf("a label for what is not there:\n%s", text)
	}
}
