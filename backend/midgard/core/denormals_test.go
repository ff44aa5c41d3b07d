package core

import (
	"math"
	"math/rand/v2"
	"testing"

	"nirc/backend/midgard/isa"
)

// TestFlush computes with denormals where they are flushed and where they are kept, quickly and not.
func TestFlush(t *testing.T) {
	for _, c := range []struct {
		op         isa.Op
		a, b       uint32
		kept, zero uint32
	}{
		{isa.OpFadd, 1, 1, 2, 0}, {isa.OpFadd, 0x80000001, 0x80000000, 0x80000001, 0x80000000}, {isa.OpFmul, 0x00800000, 0x3f000000, 0x00400000, 0},
		{isa.OpFmul, 0x80800000, 0x3f000000, 0x80400000, 0x80000000}, {isa.OpFmax, 5, 0, 5, 0}, {isa.OpFlt, 0, 1, math.MaxUint32, 0},
		{isa.OpFeq, 0, 1, 0, math.MaxUint32}, {isa.OpFmov, 1, 1, 1, 1}, {isa.OpImov, 1, 1, 1, 1}, {isa.OpIadd, 1, 1, 2, 2}, {isa.OpFadd, 0x3f800000, 1, 0x3f800000, 0x3f800000},
		{isa.OpFceil, 1, 1, 0x3f800000, 0},
	} {
		a := isa.Vector(c.op, isa.Mode32, 3, isa.LaneMask(isa.Mode32, 15))
		if !a.Op.Is(isa.FloatDst) {
			a.Out = isa.OutKeepLow
		}
		for i := range 2 {
			a = a.From(i, isa.Source{Reg: uint8(1 + i), Swizzle: isa.Swz(0, 1, 2, 3)})
		}
		var b isa.Bundle
		b.Add(isa.UnitVADD, a)
		for _, slow := range []bool{false, true} {
			x := compile(&b, isa.UnitVADD, false)
			if x.bad != nil {
				t.Fatal(c.op, x.bad)
			}
			if slow {
				x.quick = quickNone
			}
			for f, want := range map[flush]uint32{0: c.kept, flushHalf: c.kept, flushSingle: c.zero} {
				th := thread{flush: f}
				for k := range 2 {
					th.file[1][k], th.file[2][k] = uint64(c.a)<<32|uint64(c.a), uint64(c.b)<<32|uint64(c.b)
				}
				if got := uint32(x.eval(&th)[0]); got != want {
					t.Errorf("%s of %#x and %#x, flushing %d, slow %v: %#x, want %#x", c.op, c.a, c.b, f, slow, got, want)
				}
			}
		}
	}
}

// TestFlushHalves: a half that is widened is flushed as a half, a result that is narrowed too.
func TestFlushHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		v := uint64(r.Uint32() & 0x83ff)
		if got := flushHalf.zero(16, v); got != v&0x8000 {
			t.Errorf("%#x is flushed to %#x", v, got)
		}
		x := inst{bits: 32, dstBits: 32, arith: true, float: true, src: [2]source{{reg: 1, bits: 16, to: 32, widen: widenFloat, and: math.MaxUint32}}}
		th := thread{flush: flushHalf}
		th.file[1][0] = v
		if got := x.read(&th, 0, 0); got != v<<16&0x80000000 {
			t.Errorf("%#x is read as %#x", v, got)
		}
		if th.flush = flushSingle; x.read(&th, 0, 0) != fromF(32, isa.RoundE, toF(16, v), 0) {
			t.Errorf("%#x is not read as it is", v)
		}
	}
}

// TestFlushWidened: of all halves that are widened, those below the smallest normal one become zeros of their sign where halves are flushed; all others are read as they are.
func TestFlushWidened(t *testing.T) {
	for h := range uint64(1 << 16) {
		want := fromF(32, isa.RoundE, toF(16, h), 0)
		if h&0x7c00 == 0 {
			want = h >> 15 << 31
		}
		x := inst{bits: 32, dstBits: 32, arith: true, float: true, src: [2]source{{reg: 1, bits: 16, to: 32, widen: widenFloat, and: math.MaxUint32}}}
		th := thread{flush: flushHalf}
		th.file[1][0] = h
		if got := x.read(&th, 0, 0); got != want {
			t.Fatalf("%#x is read as %#x, want %#x", h, got, want)
		}
	}
}

// TestArithmetic: what computes with floats may flush; what moves or selects bits does not, unless a modifier makes other numbers of them.
func TestArithmetic(t *testing.T) {
	plain := func(*isa.ALU) {}
	for i, c := range []struct {
		op   isa.Op
		u    isa.Unit
		edit func(a *isa.ALU)
		want bool
	}{
		{isa.OpFadd, isa.UnitVADD, plain, true}, {isa.OpFmul, isa.UnitVMUL, plain, true}, {isa.OpFlt, isa.UnitVADD, plain, true}, {isa.OpU2f, isa.UnitVADD, plain, true}, {isa.OpFceil, isa.UnitVADD, plain, true},
		{isa.OpIadd, isa.UnitVADD, plain, false}, {isa.OpImov, isa.UnitVADD, plain, false}, {isa.OpIeq, isa.UnitVADD, plain, false},
		{isa.OpIcselV, isa.UnitVADD, plain, false}, {isa.OpFcselV, isa.UnitVADD, plain, false}, {isa.OpIcsel, isa.UnitVADD, plain, false}, {isa.OpFcsel, isa.UnitVADD, plain, false},
		{isa.OpFmov, isa.UnitVADD, plain, false}, {isa.OpFmov, isa.UnitVADD, func(a *isa.ALU) { a.Src[1].Mod = 1 }, true}, {isa.OpFmov, isa.UnitVADD, func(a *isa.ALU) { a.Src[1].Mod = 2 }, true},
		{isa.OpFmov, isa.UnitVADD, func(a *isa.ALU) { a.Out = 1 }, true}, {isa.OpFmov, isa.UnitVADD, func(a *isa.ALU) { a.Src[0].Mod = 1 }, false},
		{isa.OpFmov, isa.UnitVADD, func(a *isa.ALU) { a.Src[1].Expand = isa.ExpandLow }, true}, {isa.OpFmov, isa.UnitVADD, func(a *isa.ALU) { a.Shrink = 1 }, true},
	} {
		a := isa.Vector(c.op, isa.Mode32, 3, isa.LaneMask(isa.Mode32, 15))
		if !a.Op.Is(isa.FloatDst) {
			a.Out = isa.OutKeepLow
		}
		for k := range 2 {
			a = a.From(k, isa.Source{Reg: uint8(1 + k), Swizzle: isa.Swz(0, 1, 2, 3)})
		}
		c.edit(&a)
		var b isa.Bundle
		b.Add(c.u, a)
		x := compile(&b, c.u, false)
		if x.bad != nil {
			t.Errorf("%d: %s: %v", i, c.op, x.bad)
			continue
		}
		if x.arith != c.want {
			t.Errorf("%d: %s computes with floats: %v, want %v", i, c.op, x.arith, c.want)
		}
	}
}
