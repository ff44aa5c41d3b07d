package core

import (
	"math/rand/v2"
	"testing"

	"nirc/backend/midgard/isa"
)

// The quick way of every operation gives what the general one does.
func TestQuick(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := []uint32{0, 1, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x80000000, 0x7fffffff, 0xffffffff, 0x3f000000, 0x4b800000}
	word := func() uint64 {
		if r.IntN(2) == 0 {
			return uint64(words[r.IntN(len(words))])
		}
		return uint64(r.Uint32())
	}
	quick := 0
	for op := 0; op < 256; op++ {
		for range 60 {
			a := isa.Vector(isa.Op(op), isa.Mode32, 3, isa.LaneMask(isa.Mode32, uint16(1+r.IntN(15))))
			if a.Op.Is(isa.Reduce|isa.OneLane) || r.IntN(3) == 0 {
				a.Mask = isa.LaneMask(isa.Mode32, 1<<r.IntN(4))
			}
			if !a.Op.Is(isa.FloatDst) {
				a.Out = isa.OutKeepLow
			} else {
				a.Out = isa.OutMod(r.IntN(4))
			}
			for i := range 2 {
				s := isa.Source{Reg: uint8(1 + i), Swizzle: isa.Swz(r.IntN(4), r.IntN(4), r.IntN(4), r.IntN(4))}
				if a.Op.Is(isa.FloatSrc) {
					s.Mod = isa.Mod(r.IntN(4))
				}
				a = a.From(i, s)
			}
			if r.IntN(4) == 0 {
				a = a.Inline(uint16(r.Uint32()))
			}
			var b isa.Bundle
			b.Add(isa.UnitVADD, a)
			x := compile(&b, isa.UnitVADD, false)
			if x.bad != nil || x.quick == quickNone {
				continue
			}
			quick++
			th := thread{flush: flush(r.IntN(4))}
			for k := range th.file {
				th.file[k] = [2]uint64{word() | word()<<32, word() | word()<<32}
			}
			got := x.eval(&th)
			x.quick = quickNone
			want := x.eval(&th)
			if !same(x.float, got, want, x.mask) {
				t.Fatalf("%s of %x, %x: %x, the general way %x", a.Op, th.file[1], th.file[2], got, want)
			}
		}
	}
	if quick < 2000 {
		t.Errorf("only %d instructions were quick", quick)
	}
}

// same compares the bits of a mask; NaNs are alike.
func same(float bool, a, b, mask [2]uint64) bool {
	for i := range 4 {
		p, q, m := uint32(a[i/2]>>(i%2*32)), uint32(b[i/2]>>(i%2*32)), uint32(mask[i/2]>>(i%2*32))
		nan := float && f32(p) != f32(p) && f32(q) != f32(q)
		if (p^q)&m != 0 && !nan {
			return false
		}
	}
	return true
}

// TestQuickUndefined: whichever parts of a register are undefined and whichever an instruction reads, the quick way leaves to the
// general one what that refuses, and nothing else.
func TestQuickUndefined(t *testing.T) {
	w := &wave{check: true}
	for reads := uint16(1); reads < 16; reads++ {
		move := isa.Vector(isa.OpImov, isa.Mode32, 1, isa.LaneMask(isa.Mode32, reads)).From(1, isa.VReg(isa.RegTex0, isa.XYZW))
		b := &load(t, computeMeta(), alu(func(b *isa.Bundle) { b.Add(isa.UnitVMUL, move) })).(*program).code[0]
		for there := range uint16(16) {
			th := thread{}
			for lane := range 4 {
				if there>>lane&1 != 0 {
					th.def[b.needs[0].reg][lane/2] |= mask(32) << (lane % 2 * 32)
				}
			}
			want := reads&^there == 0
			if err := w.readsDefined(&th, b); (err == nil) != want {
				t.Errorf("reads lanes %04b where %04b are there: %v", reads, there, err)
			}
			if w.runPlain(&th, b) != want {
				t.Errorf("reads lanes %04b where %04b are there: quick %v", reads, there, !want)
			}
		}
	}
}
