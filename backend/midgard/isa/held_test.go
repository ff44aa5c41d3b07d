package isa

import (
	"fmt"
	"math/rand"
	"testing"

	"nirc/backend/gputest"
	"nirc/internal/mangle"
)

// coded is what becomes of many forms of an instruction.
type coded struct{ members, bits, words gputest.Codings }

// vary adds what becomes of a bundle where a member below part, which is of it, has another value, a bit of its code or a word of its
// text is another.
func (c *coded) vary(t *testing.T, b *Bundle, part any) {
	t.Helper()
	code, err := AppendEncode(nil, b)
	if err != nil {
		t.Fatalf("%s: %v", b.Text(TextOptions{}), err)
	}
	mangle.EachMember(part, func() {
		code, err := AppendEncode(nil, b)
		c.members.Add(err, code, Disassemble(code, TextOptions{Alias: true}))
	})
	mangle.EachBit(code, func() {
		back, _, err := Decode(code)
		c.bits.Add(err, back.Text(TextOptions{Full: true}))
	})
	for _, opt := range []TextOptions{{}, {Full: true}} {
		mangle.EachSpelling(b.Text(opt), func(text string) {
			code, err := Assemble(text, opt)
			c.words.Add(err, code)
		})
	}
}

// TestHeldForms: testdata/held_forms.tsv has what becomes of each operation where a member of it has another value, a bit of its code
// or a word of its text is another: what it is encoded as, decoded and parsed, or why it is refused.
func TestHeldForms(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	all := map[string]*coded{}
	add := func(name string) *coded {
		if all[name] == nil {
			all[name] = new(coded)
		}
		return all[name]
	}
	for o := range 256 {
		for _, u := range []Unit{UnitVMUL, UnitSADD, UnitLUT} {
			if op := Op(o); op.Known() && op.Info().Units.Has(u) {
				a := randomALU(r, u)
				a.Op = op
				b := Bundle{Next: TagBreak}
				b.Add(u, a)
				b.SetConsts([4]uint32{r.Uint32(), 0x3f800000, 7, r.Uint32()})
				b.SetTag(false)
				add("alu "+op.String()).vary(t, &b, &b.ALU[u])
			}
		}
		if op := LdOp(o); op.Info().Kind != KindUnknown {
			b := Bundle{Tag: TagLdSt, Next: TagBreak, LdSt: [2]LoadStore{{}, EmptySlot}}
			randomFields(r, &b.LdSt[0], ldstFields)
			b.LdSt[0].Op = op
			add("memory "+op.String()).vary(t, &b, &b.LdSt[0])
		}
	}
	for k := range 32 {
		b := Bundle{Tag: TagTexVtx, Next: TagBreak}
		randomFields(r, &b.Tex, textureFields)
		b.Tex.Op = TexOp(k & 15)
		add(fmt.Sprintf("texture %d", k&15)).vary(t, &b, &b.Tex)
	}
	for op := range BranchOp(8) {
		var br Branch
		randomFields(r, &br, branchHead, extendedBranch)
		br.Op = op
		b := Bundle{Next: TagBreak}
		b.SetBranch(br)
		b.SetTag(false)
		add(fmt.Sprintf("branch %d", op)).vary(t, &b, &b.Extended)
		b = Bundle{Next: TagBreak, Units: UnitBranch.In()}
		decodeBranch(&b.Compact, false, r.Uint64()&0xfff8|uint64(op))
		b.SetTag(false)
		add(fmt.Sprintf("branch %d", op)).vary(t, &b, &b.Compact)
	}
	for k := range 3 {
		var code []byte
		for range 2 {
			b := randomBundle(r)
			code, _ = AppendEncode(code, &b)
		}
		for _, opt := range []TextOptions{{}, {Full: true}, {Verbose: true, Alias: true}} {
			mangle.EachSpelling(Disassemble(code, opt), func(text string) {
				code, err := Assemble(text, opt)
				add(fmt.Sprintf("program %d", k)).words.Add(err, code)
			})
		}
	}
	rows := map[string]string{}
	for name, c := range all {
		rows[name] = fmt.Sprintf("members: %s\tbits: %s\twords: %s", &c.members, &c.bits, &c.words)
	}
	gputest.HoldTable(t, "held_forms.tsv", rows)
}

// TestConstantsBeyond: the reference shows a scalar constant from z on as the word at twice its place, which is of the next bundle. What
// it shows assembles to the component and the modifiers that it shows alike.
func TestConstantsBeyond(t *testing.T) {
	next := Bundle{Next: TagBreak}
	next.Add(UnitVADD, Vector(OpFadd, Mode32, 5, FullMask).From(0, VReg(9, XYZW)).From(1, VReg(21, Rep(2))))
	next.SetConsts([4]uint32{0x40b00000, 0xc0900000, 7, 8})
	next.SetTag(false)
	for _, op := range []Op{OpFadd, OpIadd} {
		for comp := uint8(4); comp < 8; comp += 2 {
			for mod := range Mod(4) {
				for i := range 2 {
					a := Scalar(op, 2, 1).From(1-i, SReg(3, 2)).From(i, Source{Reg: RegConst, Full: true, Comp: comp, Mod: mod})
					b := Bundle{Next: next.Tag}
					b.Add(UnitSADD, a)
					b.SetConsts([4]uint32{1, 2, 3, 4})
					b.SetTag(false)
					code, err := AppendEncode(nil, &b)
					if err != nil {
						t.Fatal(err)
					}
					if code, err = AppendEncode(code, &next); err != nil {
						t.Fatal(err)
					}
					text := Disassemble(code, TextOptions{})
					back, err := Assemble(text, TextOptions{})
					if got := Disassemble(back, TextOptions{}); err != nil || got != text {
						t.Errorf("%s %d, component %d, modifiers %d: %v\n%s\ncomes back as\n%s", op, i, comp, mod, err, text, got)
					}
				}
			}
		}
	}
}
