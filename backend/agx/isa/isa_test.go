package isa

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// TestEveryRow fills the fields of every encoding with random values: what
// unpacks must pack to the same bytes, its text must parse to an instruction
// that packs and prints alike.
func TestEveryRow(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	for o := OpInvalid + 1; o < NumOps; o++ {
		in := infoOf(o)
		valid := 0
		for try := 0; try < 4000 && valid < 60; try++ {
			w := in.value
			for k := range in.fields {
				f := &in.fields[k]
				v := r.Uint64()
				if r.Intn(3) == 0 {
					v = 0
				}
				f.put(&w, v&(1<<f.width-1)&^0)
			}
			w = w.xor(w.and(in.mask)).or(in.value)
			n := int(in.long)
			if in.lbit != 0 {
				if r.Intn(3) == 0 {
					n = int(in.short)
					w = w.and(below(8 * uint(n)))
				} else {
					span{in.lbit, 1}.put(&w, 1)
				}
			}
			code := w.append(nil, n)
			i, got, err := Unpack(code)
			if err != nil || i.Op != o {
				continue
			}
			valid++
			if got != n {
				t.Fatalf("%s: % x: length %d, want %d", o, code, got, n)
			}
			checkInverse(t, code)
			checkText(t, &i)
		}
		if valid == 0 {
			t.Errorf("%s: no random bytes were this instruction", o)
		}
	}
}

func checkText(t *testing.T, i *Instr) {
	t.Helper()
	text := i.Text()
	p, err := ParseText(text)
	if err != nil {
		t.Errorf("%q: %v", text, err)
		return
	}
	if p.Text() != text {
		t.Errorf("%q parses to %q", text, p.Text())
	}
	if _, err := Pack(&p); err != nil {
		t.Errorf("%q does not pack: %v", text, err)
	}
}

// TestDoc packs the instructions of the package documentation.
func TestDoc(t *testing.T) {
	half, _ := F(0.5)
	for _, c := range []struct {
		in   Instr
		want string
	}{
		{Instr{Op: OpFmadd32, Flags: Sat, Dst: R(4), Srcs: [6]Operand{H(4), U(10).With(Neg), half}}, "fmadd32.sat r4, r2l, u10.neg, 0.5"},
		{Instr{Op: OpIadd, Flags: Sub, Shift: 2, Dst: R64(4), Srcs: [6]Operand{R64(6), R(8).With(SignExt)}}, "isub r4_r5, r6_r7, r8.sx, lsl 2"},
		{Instr{Op: OpBitop, Table: TableMov, Dst: R(4), Srcs: [6]Operand{U(3), I(0)}}, "mov r4, u3"},
		{Instr{Op: OpIcmpsel, Cond: CondULT, Dst: R(4), Srcs: [6]Operand{R(5), I(7), R(6), I(1)}}, "icmpsel ult, r4, r5, 7, r6, 1"},
		{Instr{Op: OpIfIcmp, Cond: CondUNE, Nest: 1, Dst: H(R0L), Srcs: [6]Operand{H(10), I(0)}}, "if_icmp r0l, nueq, r5l, 0, 1"},
		{Instr{Op: OpDeviceLoad, Format: FormatI32, Mask: 3, Flags: Unsigned, Shift: 1, Dst: R(0).Run(2), Srcs: [6]Operand{U64(0), R(2)}},
			"device_load 0, i32, xy, r0_r1, u0_u1, r2, unsigned, lsl 1"},
		{Instr{Op: OpTextureSample, Mask: 15, Dim: Dim2D, Dst: R(8).Run(4),
			Srcs: [6]Operand{1: {Kind: TS, Val: 3}, 2: {Kind: SS, Val: 1}, 3: R(4).Run(2), 4: I(0)}},
			"texture_sample 0, 0b1100, 0b0, none, xyzw, 0b00, r8_r9_r10_r11, None, ts3, ss1, tex_2d, r4_r5, auto_lod, 0"},
	} {
		if got := c.in.Text(); got != c.want {
			t.Errorf("text %q, want %q", got, c.want)
		}
		if _, err := Pack(&c.in); err != nil {
			t.Errorf("%s: %v", c.want, err)
		}
	}
}

// TestReject: what the encoding cannot hold is an error that names it.
func TestReject(t *testing.T) {
	add := Instr{Op: OpFadd32, Dst: R(4), Srcs: [6]Operand{R(5), R(6)}}
	for name, f := range map[string]func(i *Instr){
		"A":       func(i *Instr) { i.Srcs[0] = R64(4) },
		"B":       func(i *Instr) { i.Srcs[1] = I(3) },
		"D":       func(i *Instr) { i.Dst = R(128) },
		"flag":    func(i *Instr) { i.Flags |= Sub },
		"shift":   func(i *Instr) { i.Shift = 1 },
		"source":  func(i *Instr) { i.Srcs[2] = R(1) },
		"odd":     func(i *Instr) { i.Dst = Operand{Kind: Reg, Size: 32, Count: 1, Val: 5} },
		"unknown": func(i *Instr) { i.Extra = 1 },
		"opcode":  func(i *Instr) { i.Op = NumOps },
	} {
		i := add
		f(&i)
		if name == "odd" {
			name = "half 5"
		}
		if b, err := Pack(&i); err == nil || !strings.Contains(err.Error(), name) || b != nil {
			t.Errorf("%s: % x, error %v", name, b, err)
		}
	}
	m := Instr{Op: OpMovImm16, Dst: R(3)}
	if _, err := Pack(&m); err == nil {
		t.Error("the 16-bit mov_imm takes a 32-bit register")
	}
}

// TestTruthTable: a table is four bits, the first for no bits of the sources.
func TestTruthTable(t *testing.T) {
	for _, c := range []struct{ text, err string }{
		{"bitop", "an operand is missing"}, {"bitop 110, r1, r2, r3", "no truth table"}, {"bitop 11000, r1, r2, r3", "no truth table"},
		{"bitop 1120, r1, r2, r3", "no truth table"}, {"bitop r1", "no truth table"},
	} {
		if _, err := ParseText(c.text); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", c.text, err, c.err)
		}
	}
	for table := range uint8(16) {
		bits := fmt.Sprintf("%d%d%d%d", table&1, table>>1&1, table>>2&1, table>>3)
		if in, err := ParseText("bitop " + bits + ", r1, r2, r3"); err != nil || in.Table != table {
			t.Errorf("%s: table %d, %v; want %d", bits, in.Table, err, table)
		}
	}
}

// TestAllow: what an operand may be, packs; what it may not be, does not.
func TestAllow(t *testing.T) {
	one, _ := F(1)
	try := []struct {
		a Allow
		o Operand
	}{
		{AllowReg16, H(20)}, {AllowReg32, R(10)}, {AllowReg64, R64(10)},
		{AllowUniform16, UH(20)}, {AllowUniform32, U(10)}, {AllowUniform64, U64(10)},
		{AllowImm, I(2)}, {AllowFloatImm, one},
	}
	n := 0
	for o := OpInvalid + 1; o < NumOps; o++ {
		base, ok := sample(o)
		if !ok {
			t.Errorf("%s: no instruction to start from", o)
			continue
		}
		for s := 0; s < o.NumSrcs(); s++ {
			allow := o.SrcAllow(s)
			if allow == 0 {
				t.Errorf("%s: source %d has no kinds", o, s)
			}
			if allow&(AllowRun|AllowState|AllowNone) != 0 || o == OpIcmpsel || o == OpFcmpsel || o == OpThreadgroupLoad || o == OpThreadgroupStore || o == OpThreadgroupAtomic {
				continue // depends on other fields
			}
			for _, c := range try {
				i := base
				i.Srcs[s] = c.o
				_, err := Pack(&i)
				if (err == nil) != (allow&c.a != 0) {
					t.Errorf("%s: source %d = %s: error %v, allowed %v", o, s, c.o, err, allow&c.a != 0)
				}
				n++
			}
		}
	}
	t.Logf("%d operands tried", n)
}

// sample returns some instruction of an op: that whose fields are zero if there is one.
func sample(o Op) (Instr, bool) {
	r := rand.New(rand.NewSource(int64(o)))
	next := func() uint64 { return 0 }
	for range 2000 {
		if i, ok := o.Form(next); ok {
			i.Flags &^= Long
			return i, true
		}
		next = r.Uint64
	}
	return Instr{}, false
}

func TestLength(t *testing.T) {
	for o := OpInvalid + 1; o < NumOps; o++ {
		i, ok := sample(o)
		if !ok {
			continue
		}
		i.Target = 0
		code, err := Pack(&i)
		n, err2 := i.Length()
		if err != nil || err2 != nil || n != len(code) {
			t.Errorf("%s: length %d, bytes %x, errors %v, %v", i.Text(), n, code, err, err2)
		}
	}
}

const program = `	mov_imm r0l, 0
	mov_imm r2, 0, 0b0 // a comment
loop:	iadd r2, r2, 1
	while_icmp r0l, ult, r2, 30, 1
	jmp_exec_any loop ; back
	jmp_exec_none end
	.half 0x5555
end:
	stop
	trap
`

func TestListing(t *testing.T) {
	code, err := Assemble(program)
	if err != nil {
		t.Fatal(err)
	}
	lines := Disassemble(code)
	if len(lines) != 9 || lines[6].Err == nil || lines[4].Target != lines[2].PC || !lines[2].Label || !lines[7].Label {
		t.Fatalf("%+v", lines)
	}
	for _, labels := range []bool{false, true} {
		text := Listing(lines, labels)
		back, err := Assemble(text)
		if err != nil || string(back) != string(code) {
			t.Errorf("%s\nassembles to %x, want %x: %v", text, back, code, err)
		}
		if labels != strings.Contains(text, ":\n") {
			t.Errorf("labels %v:\n%s", labels, text)
		}
	}
	_, err = Assemble("frob r1\nx: x: stop\njmp_exec_any nowhere")
	for _, want := range []string{"line 1", "line 2", "line 3", "nowhere", "twice"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %q", err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	code, err := Assemble(program)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(code)
	f.Add([]byte{0x31, 0xfc, 0x30, 0x80, 0x7f, 0xe2, 0xc7, 0x3f, 0x20, 0x9c, 0xa4, 0x49})
	f.Fuzz(func(t *testing.T, code []byte) {
		for _, l := range Disassemble(code) {
			if l.Err != nil {
				continue
			}
			back, err := Pack(&l.Instr)
			if err != nil || string(back) != string(l.Bytes) {
				t.Errorf("%x packs to %x, %v", l.Bytes, back, err)
			}
			checkText(t, &l.Instr)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(program)
	f.Add("texture_sample 0, query_lod, 0b1100, 0b0, gather_g, xyz, 0b01, r31l_r31h_r32l, None, r95h, ss63, tex_2d, r120l_r120h, lod_grad_min, r32_r33_r34_r35_r36, r50l")
	f.Add("bitop 1100, r1.cache, r2.discard, u300\nfmul16.sat r1l, r2h.abs.neg, -0.5\nst_var 1, r7, 5")
	f.Fuzz(func(t *testing.T, text string) {
		code, err := Assemble(text)
		if err != nil {
			return
		}
		if _, err := Assemble(Listing(Disassemble(code), true)); err != nil && !strings.Contains(text, ".half") {
			t.Errorf("%q: %v", text, err)
		}
	})
}

// TestDifference names what of an instruction its encoding could not hold, whatever it is.
func TestDifference(t *testing.T) {
	for want, change := range map[string]func(in *Instr){
		"destination r5 cannot be encoded":       func(in *Instr) { in.Dst = R(5) },
		"source 0, r5, cannot be encoded":        func(in *Instr) { in.Srcs[0] = R(5) },
		"source 4, r6, cannot be encoded":        func(in *Instr) { in.Srcs[4] = R(6) },
		"flag set 0x1 cannot be encoded":         func(in *Instr) { in.Flags = 1 },
		"condition 0x2 cannot be encoded":        func(in *Instr) { in.Cond = 2 },
		"shift 0x3 cannot be encoded":            func(in *Instr) { in.Shift = 3 },
		"mask width 0x4 cannot be encoded":       func(in *Instr) { in.Bits = 4 },
		"truth table 0x5 cannot be encoded":      func(in *Instr) { in.Table = 5 },
		"mode 0x6 cannot be encoded":             func(in *Instr) { in.Mode = 6 },
		"rounding 0x1 cannot be encoded":         func(in *Instr) { in.Round = 1 },
		"format 0x2 cannot be encoded":           func(in *Instr) { in.Format = 2 },
		"component mask 0x3 cannot be encoded":   func(in *Instr) { in.Mask = 3 },
		"slot 0x4 cannot be encoded":             func(in *Instr) { in.Slot = 4 },
		"nesting count 0x5 cannot be encoded":    func(in *Instr) { in.Nest = 5 },
		"dimension 0x6 cannot be encoded":        func(in *Instr) { in.Dim = 6 },
		"lod mode 0x7 cannot be encoded":         func(in *Instr) { in.Lod = 7 },
		"gather 0x8 cannot be encoded":           func(in *Instr) { in.Gather = 8 },
		"interpolation 0x1 cannot be encoded":    func(in *Instr) { in.Interp = 1 },
		"immediate 0xffffffff cannot be encoded": func(in *Instr) { in.Imm = 0xffffffff },
		"branch offset -0x2 cannot be encoded":   func(in *Instr) { in.Target = -2 },
		"unknown bits 0x9 cannot be encoded":     func(in *Instr) { in.Extra = 9 },
		"it cannot be encoded":                   func(in *Instr) {},
	} {
		var in Instr
		change(&in)
		if got := difference(&in, &Instr{}); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
