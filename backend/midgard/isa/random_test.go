package isa

import (
	"math/rand"
	"strings"
	"testing"
)

// randomFields sets every field of a struct to a random value.
func randomFields[T any](r *rand.Rand, t *T, lists ...[]field[T]) {
	for _, fields := range lists {
		for i := range fields {
			f := &fields[i]
			f.set(t, r.Uint64()&(1<<f.n-1))
		}
	}
}

func randomALU(r *rand.Rand, u Unit) (a ALU) {
	if u.Scalar() {
		randomFields(r, &a, regFields, reg2Fields, scalarFields, scalar2Reg)
	} else {
		randomFields(r, &a, regFields, reg2Fields, vectorFields, vector2Reg)
	}
	if a.Imm {
		mod := a.Src[1].Mod
		a.Src[1], a.Const = Source{}, uint16(r.Uint32())
		if u.Scalar() {
			a.Reserved &= 32
		} else {
			a.Src[1].Mod = mod
		}
	}
	return a
}

// randomBundle makes a bundle of any content that its encoding can hold.
func randomBundle(r *rand.Rand) (b Bundle) {
	switch r.Intn(4) {
	case 0:
		b.Tag = TagLdSt
		for i := range b.LdSt {
			randomFields(r, &b.LdSt[i], ldstFields)
		}
	case 1:
		b.Tag = TagTexVtx + Tag(r.Intn(3))
		randomFields(r, &b.Tex, textureFields)
	default:
		for u := Unit(0); u < NumALUUnits; u++ {
			if r.Intn(2) == 0 {
				b.Add(u, randomALU(r, u))
			}
		}
		switch r.Intn(4) {
		case 0:
			var br Branch
			randomFields(r, &br, branchHead, extendedBranch)
			b.SetBranch(br)
		case 1:
			b.Units |= UnitBranch.In()
			decodeBranch(&b.Compact, false, r.Uint64()&0xffff)
		}
		if r.Intn(2) == 0 {
			b.SetConsts([4]uint32{r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32()})
		}
		if r.Intn(8) == 0 {
			b.Control = 1 << (16 + 2*r.Intn(5))
		}
		b.SetTag(r.Intn(2) == 0)
	}
	b.Next = Tag(r.Intn(16))
	return b
}

// TestRandom: all bundles come back from their bytes, and from their full text.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	opt := TextOptions{Full: true}
	for i := range 4000 {
		b := randomBundle(r)
		code, err := AppendEncode(nil, &b)
		if err != nil {
			t.Fatalf("%d: %+v: %v", i, b, err)
		}
		back, size, err := Decode(code)
		if err != nil || size != len(code) || back != b {
			t.Fatalf("%d: %x\n%+v decodes to\n%+v, %v", i, code, b, back, err)
		}
		text := b.Text(opt)
		again, err := ParseBundle(text, opt)
		if err != nil || again != b {
			t.Fatalf("%d: %x\n%s\nparses to\n%s\n%v", i, code, text, again.Text(opt), err)
		}
		// The text of loads and stores without notes leaves out what does nothing, and comes back as it is.
		if plain := b.Text(TextOptions{}); b.Tag == TagLdSt {
			if again, err = ParseBundle(plain, TextOptions{}); err != nil || again.Text(TextOptions{}) != plain {
				t.Fatalf("%d: %x\n%s\nparses to\n%s\n%v", i, code, plain, again.Text(TextOptions{}), err)
			}
		}
		alias := TextOptions{Full: true, Alias: true}
		if again, err = ParseBundle(b.Text(alias), alias); err != nil || again != b {
			t.Fatalf("%d: aliased: %v", i, err)
		}
	}
}

// TestOperands: what a source is set to replaces what it was, a constant by a register and the other way round, and all of it is in
// the bundle that comes back from its text.
func TestOperands(t *testing.T) {
	first, second := VReg(3, Rep(1)), VReg(4, XYZW)
	for _, c := range []struct {
		name string
		made ALU
		want ALU
	}{
		{"registers", Vector(OpIadd, Mode32, 2, 0xff).From(0, first).From(1, second), ALU{Src: [2]Source{first, second}}},
		{"a constant", Vector(OpIadd, Mode32, 2, 0xff).From(0, first).Inline(77), ALU{Src: [2]Source{first, {}}, Imm: true, Const: 77}},
		{"a constant first", Vector(OpIadd, Mode32, 2, 0xff).Inline(77).From(0, first), ALU{Src: [2]Source{first, {}}, Imm: true, Const: 77}},
		{"a constant, then a register", Vector(OpIadd, Mode32, 2, 0xff).From(0, first).Inline(77).From(1, second), ALU{Src: [2]Source{first, second}}},
		{"a register, then a constant", Vector(OpIadd, Mode32, 2, 0xff).From(0, first).From(1, second).Inline(77), ALU{Src: [2]Source{first, {}}, Imm: true, Const: 77}},
		{"registers twice", Vector(OpIadd, Mode32, 2, 0xff).From(0, second).From(1, first).From(1, second).From(0, first), ALU{Src: [2]Source{first, second}}},
	} {
		c.want.Op, c.want.Mode, c.want.Dst, c.want.Mask, c.want.Shrink, c.want.Out = OpIadd, Mode32, 2, 0xff, ShrinkNone, OutKeepLow
		if c.made != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, c.made, c.want)
		}
		var b Bundle
		b.Add(UnitVADD, c.made)
		b.SetTag(false)
		b.Next = TagBreak
		text := b.Text(TextOptions{Full: true})
		if back, err := ParseBundle(text, TextOptions{Full: true}); err != nil || back != b {
			t.Errorf("%s: %s: %v", c.name, text, err)
		}
	}
}

// TestEveryOp encodes and prints every operation of the tables on every unit
// that runs it.
func TestEveryOp(t *testing.T) {
	n := 0
	for o := range 256 {
		op := Op(o)
		if !op.Known() {
			continue
		}
		if back, ok := OpByName(op.String()); !ok || back != op {
			t.Errorf("%s is not found by its name", op)
		}
		for u := Unit(0); u < NumALUUnits; u++ {
			if !op.Info().Units.Has(u) {
				continue
			}
			a := Vector(op, Mode32, 2, LaneMask(Mode32, 1)).From(0, VReg(3, Rep(1)))
			if u.Scalar() {
				a = Scalar(op, 2, 1).From(0, SReg(3, 2))
			}
			var b Bundle
			b.Add(u, a)
			b.SetTag(false)
			b.Next = TagBreak
			text := b.Text(TextOptions{Full: true})
			if back, err := ParseBundle(text, TextOptions{Full: true}); err != nil || back != b {
				t.Errorf("%s: %v", text, err)
			}
			if !strings.HasPrefix(text, u.String()+"."+op.mnemonic()+".") {
				t.Errorf("%s prints as %q", op, text)
			}
			n++
		}
	}
	for o := range 256 {
		l := LoadStore{Op: LdOp(o), Reg: 1, Mask: 15, Swizzle: XYZW, Index: AddrReg{Reg: AddrZero}}
		b := Bundle{Tag: TagLdSt, Next: TagBreak, LdSt: [2]LoadStore{l, EmptySlot}}
		text := b.Text(TextOptions{Full: true})
		if back, err := ParseBundle(text, TextOptions{Full: true}); err != nil || back != b {
			t.Errorf("%s: %v", text, err)
		}
	}
	if n < 250 {
		t.Errorf("only %d operations", n)
	}
}

func TestErrors(t *testing.T) {
	bad := Vector(OpFadd, Mode32, 40, FullMask)
	b := Bundle{}
	b.Add(UnitVADD, bad)
	b.SetTag(false)
	if _, err := AppendEncode(nil, &b); err == nil || !strings.Contains(err.Error(), "dst") {
		t.Errorf("destination 40: %v", err)
	}
	b.Tag = TagALU16
	if _, err := AppendEncode(nil, &b); err == nil {
		t.Error("a tag of another size is taken")
	}
	mixed := Scalar(OpFadd, 1, 0)
	mixed.Mask = 3
	b = Bundle{}
	b.Add(UnitSADD, mixed)
	b.SetTag(false)
	if _, err := AppendEncode(nil, &b); err == nil {
		t.Error("a write mask on a scalar unit is taken")
	}
	b = Bundle{}
	b.Units = UnitBranch.In()
	b.Compact = Branch{Op: BranchCond, Cond: 0x1234}
	b.SetTag(false)
	if _, err := AppendEncode(nil, &b); err == nil {
		t.Error("a truth table in a compact branch is taken")
	}
	ld := Bundle{Tag: TagLdSt, LdSt: [2]LoadStore{{Op: Ld32, Offset: 1 << 17}, EmptySlot}}
	if _, err := AppendEncode(nil, &ld); err == nil || !strings.Contains(err.Error(), "offset") {
		t.Errorf("offset: %v", err)
	}
	for _, text := range []string{"FADD.f32 R0", "FADD.f32 R0, R1, R2, R3", "XYZ.f32 R0, R1, R2", "br.cond +1", "LD.32 R0.xyzw", "TEX.9d TA0",
		"FADD.f32 R40, R1, R2", "FADD.f32 R0.q, R1, R2", "uconstants 1, 2", "FADD.f32 R0, R1, <1, 2>", "vmul.FADD.f32 R0, R1, R2 ; what=1",
		"vadd.FADD.f32 R0, R1, R2\nsadd.FADD.f32 R0.x, R1.x, R2.x", "LD.32 R0.xyzw, AL0.u64.x ; mask=0x10",
		"LD.32 R0.xyzw, AL0.u64.e", "LD.32 R0.xyzw, AL0.u64.x + AL1.u32.e", "ST.32 AL0.e, AL1.u64.x", "ST.32 AL0.xyzwx, AL1.u64.x", "LD.32 R0.xyze, AL0.u64.x", "LD_VARY.f32.a32 R0.xyzw, AL0.e, 0.x",
		"br.uncond +1 -> break ; what=1", "brx.cond.always +1 -> break ; what=1",
		"TEX.2d TA0.f32, texture0, fsampler0, AT0.32, lod + 128.0, ", "TEX.2d TA0.f32, texture0, fsampler0, AT0.32, lod - 128.01, ", "TEX.2d TA0.f32, texture0, fsampler0, AT0.32, lod + , ", "TEX_FETCH.2d TA0.f32, texture0, fsampler0, AT0.32, lod + 256, ",
		"Unknown word type 5:\n0x5, 0, 0, 0"} {
		if b, err := ParseBundle(text, TextOptions{}); err == nil {
			t.Errorf("%q is taken for %s", text, b)
		}
	}
	for text, want := range map[string]uint16{"+ 127.996094": 0x7fff, "- 128.000000": 0x8000, "- 127.500000": 0x8080, "+ 0.250000": 0x40} {
		b, err := ParseBundle("TEX.2d TA0.f32, texture0, fsampler0, AT0.32, lod "+text+", ", TextOptions{})
		if err != nil || b.Tex.Lod != want {
			t.Errorf("lod %s: %v, %v", text, b, err)
		}
	}
	for text, want := range map[string]string{
		"brx.cond.always +1000000000 -> break": "line 3: midgard: brx: offset",
		"LD_ATTR.u32 AL0, 0x20000":             "line 3: ",
		// In a bundle the line of the instruction is named.
		"vmul.FADD.f32 R0, R1, R2\nsadd.FADD.f32 R0.x, R1.x, R2.q":                         "line 4: ",
		"vmul.FADD.f32 R0, R1, R2\nsadd.XYZ.f32 R0.x, R1.x, R2.x":                          "line 4: ",
		"vmul.FADD.f32 R0, R1, R2\nbrx.cond.always +1 -> nowhere":                          "line 4: ",
		"vmul.FADD.f32 R0, R1, R2\nbrx.cond.always +1000000000 -> break":                   "line 4: midgard: brx: offset",
		"vmul.FADD.f32 R0, R1, R2\nuconstants 1, 2":                                        "line 4: ",
		"vmul.FADD.f32 R0, R1, R2\n; what=1":                                               "line 4: ",
		"vmul.FADD.f32 R0, R1, R2 ; what=1\n; tag=8":                                       "line 3: ",
		"vmul.FADD.f32 R0, R1, R2\nsadd.FADD.f32 R0.x, R1.x, R2.x ; what=1":                "line 4: ",
		"LD_VARY.f32.a32 R0.xyzw, 0.x, 0.x\nLD_VARY.f32.a32 R1.xyzw, 0.x, 0.x ; mask=0x10": "line 4: ",
		"LD_VARY.f32.a32 R0.xyzw, 0.x, 0.x\nLD_VARY.f32.a32 R1.xyzw, 0.x + 0x40000, 0.x":   "line 4: ",
		"LD_ATTR.u32 R0.xyzw, 1\nLD_ATTR.u32 R1.xyzw, 1\nLD_ATTR.u32 R2.xyzw, 1":           "line 5: ",
		"Unknown word type 5:\n0x5, 0, 0":                                                  "line 4: ",
	} {
		if _, err := Assemble("\n\n"+text, TextOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, _, err := Decode(make([]byte, 15)); err != ErrShort {
		t.Errorf("15 bytes: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewSource(2))
	for range 20 {
		b := randomBundle(r)
		code, _ := AppendEncode(nil, &b)
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		if b, size, err := Decode(code); err == nil {
			if back, err := AppendEncode(nil, &b); err != nil || string(back) != string(code[:size]) {
				t.Errorf("%x comes back as %x, %v", code[:size], back, err)
			}
		}
		for _, opt := range []TextOptions{{}, {Verbose: true, Alias: true}, {Full: true}} {
			Disassemble(code, opt)
		}
	})
}

func FuzzParse(f *testing.F) {
	r := rand.New(rand.NewSource(3))
	for range 20 {
		b := randomBundle(r)
		f.Add(b.Text(TextOptions{Full: true}))
		f.Add(b.Text(TextOptions{}))
	}
	f.Add("vmul.alu_op_00.i8 00/*/")
	f.Fuzz(func(t *testing.T, text string) {
		for _, opt := range []TextOptions{{}, {Full: true}, {Alias: true}} {
			if code, err := Assemble(text, opt); err == nil {
				Disassemble(code, opt)
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	r := rand.New(rand.NewSource(4))
	var code []byte
	for range 64 {
		x := randomBundle(r)
		code, _ = AppendEncode(code, &x)
	}
	b.SetBytes(int64(len(code)))
	for range b.N {
		for at := 0; at < len(code); {
			_, size, _ := Decode(code[at:])
			at += size
		}
	}
}

// BenchmarkEncode: with a call of a function for each field it took 1.4 times as long.
func BenchmarkEncode(b *testing.B) {
	r := rand.New(rand.NewSource(4))
	prog := make([]Bundle, 64)
	for i := range prog {
		prog[i] = randomBundle(r)
	}
	var code []byte
	for range b.N {
		code = code[:0]
		for i := range prog {
			code, _ = AppendEncode(code, &prog[i])
		}
	}
	b.SetBytes(int64(len(code)))
}

// TestReducedLanes: the text of a reduction says that it has one result, if the word has more.
func TestReducedLanes(t *testing.T) {
	for mask, wrong := range map[uint8]bool{LaneMask(Mode32, 1): false, LaneMask(Mode32, 4): false, LaneMask(Mode32, 3): true} {
		b := Bundle{}
		a := Vector(OpFdot4, Mode32, 1, 0)
		a.Mask = mask
		b.Add(UnitVMUL, a)
		b.SetTag(false)
		if text := b.String(); strings.Contains(text, "err too many components") != wrong {
			t.Errorf("mask %#x: %s", mask, text)
		}
	}
}
