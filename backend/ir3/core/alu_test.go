package core

import (
	"math"
	"math/bits"
	"testing"
	"time"

	"nirc/backend/ir3/isa"
)

// evalOp runs one instruction on a (r2.x, hr4.x), b (r2.y, hr4.z) and c (r2.z,
// hr5.x); the result is r1.x (hr2.x), which is 0xdddddddd before.
func evalOp(t *testing.T, gen isa.Gen, op string, a, b, c uint32) uint32 {
	t.Helper()
	m := newMachine()
	m.gen, m.check, m.lanes = gen, true, 4
	m.consts = []uint32{a, b, c}
	m.mustRun(t, `
	mov.u32u32 r2.x, c0.x
	mov.u32u32 r2.y, c0.y
	mov.u32u32 r2.z, c0.z
	mov.s32s32 r1.x, -572662307
	(rpt5)nop
	`+op+store)
	return m.word(0)
}

func fb(f float32) uint32 { return math.Float32bits(f) }

func TestALU(t *testing.T) {
	const keep = 0xdddd0000 // the other half of a half result
	inf, nan := fb(float32(math.Inf(1))), uint32(0x7fc00000)
	for _, c := range []struct {
		op      string
		a, b, c uint32
		want    uint32
	}{
		{"add.f r1.x, r2.x, r2.y", fb(1.5), fb(2.25), 0, fb(3.75)},
		{"add.f r1.x, (neg)r2.x, (abs)r2.y", fb(1.5), fb(-2.25), 0, fb(0.75)},
		{"add.f r1.x, r2.x, r2.y", 1, fb(0), 0, 0},                           // denormals are flushed
		{"mul.f r1.x, r2.x, r2.y", fb(1e-30), fb(1e-10), 0, 0},               // results too
		{"mul.f r1.x, r2.x, (2.0)", fb(3), 0, 0, fb(6)},                      // FLUT
		{"(sat)mul.f r1.x, r2.x, (pi)", fb(3), 0, 0, fb(1)},                  //
		{"(sat)add.f r1.x, r2.x, r2.y", nan, fb(1), 0, 0},                    // NaN saturates to 0
		{"min.f r1.x, r2.x, r2.y", nan, fb(4), 0, fb(4)},                     //
		{"max.f r1.x, r2.x, r2.y", fb(-3), nan, 0, fb(-3)},                   //
		{"sign.f r1.x, r2.x", fb(-3), 0, 0, fb(-1)},                          //
		{"absneg.f r1.x, (absneg)r2.x", fb(3), 0, 0, fb(-3)},                 //
		{"floor.f r1.x, r2.x", fb(-1.5), 0, 0, fb(-2)},                       //
		{"ceil.f r1.x, r2.x", fb(-1.5), 0, 0, fb(-1)},                        //
		{"rndne.f r1.x, r2.x", fb(2.5), 0, 0, fb(2)},                         //
		{"rndaz.f r1.x, r2.x", fb(2.5), 0, 0, fb(3)},                         //
		{"trunc.f r1.x, r2.x", fb(-2.7), 0, 0, fb(-2)},                       //
		{"cmps.f.lt r1.x, r2.x, r2.y", fb(1), fb(2), 0, 1},                   //
		{"cmps.f.eq r1.x, r2.x, r2.y", nan, nan, 0, 0},                       //
		{"cmps.f.ne r1.x, r2.x, r2.y", nan, nan, 0, 1},                       //
		{"cmps.f.ge hr2.x, r2.x, r2.y", fb(2), fb(2), 0, keep | 1},           // folded conversion
		{"add.f hr2.x, r2.x, r2.y", fb(1), fb(2), 0, keep | 0x4200},          // f32 to f16
		{"add.f r1.x, hr4.x, hr4.z", 0x3c00, 0x4000, 0, fb(3)},               // f16 to f32
		{"add.f hr2.x, hr4.x, hr4.z", 0x3c01, 0x1000, 0, keep | 0x3c02},      // tie to even: 1+ulp + ulp/2
		{"add.f hr2.x, hr4.x, hr4.z", 0x3c00, 0x1000, 0, keep | 0x3c00},      //
		{"mul.f hr2.x, hr4.x, hr4.z", 0x7bff, 0x4000, 0, keep | 0x7c00},      // overflow gives Inf
		{"mul.f hr2.x, hr4.x, hr4.z", 0x0400, 0x3800, 0, keep},               // f16 denormals are flushed
		{"add.f hr2.x, hr4.x, hc0.y", 0x3c00, fb(2), 0, keep | 0x4200},       // constant demotion
		{"add.u hr2.x, hr4.x, hc0.y", 1, 0x50002, 0, keep | 3},               // integers: low half
		{"mad.f32 r1.x, r2.x, r2.y, r2.z", fb(3), fb(4), fb(-5), fb(7)},      //
		{"mad.f32 r1.x, r2.x, (neg)r2.y, r2.z", fb(3), fb(4), fb(5), fb(-7)}, //
		{"mad.f16 hr2.x, hr4.x, hr4.z, hr5.x", 0x4200, 0x4400, 0x3c00, keep | 0x4a80},
		{"add.u r1.x, r2.x, r2.y", 0xffffffff, 2, 0, 1},
		{"(sat)add.u r1.x, r2.x, r2.y", 0xffffffff, 2, 0, 0xffffffff},
		{"(sat)add.s r1.x, r2.x, r2.y", 0x7fffffff, 2, 0, 0x7fffffff},
		{"(sat)sub.u r1.x, r2.x, r2.y", 1, 2, 0, 0},
		{"(sat)sub.s r1.x, r2.x, r2.y", 0x80000000, 2, 0, 0x80000000},
		{"(sat)add.s hr2.x, hr4.x, hr4.z", 0x7fff, 2, 0, keep | 0x7fff},
		{"add.u (ei)r1.x, r2.x, r2.y", 0xffffffff, 3, 0, 0x80000001},
		{"add.s (ei)r1.x, r2.x, r2.y", 0xffffffff, 0xfffffffe, 0, 0xfffffffe},
		{"sub.u r1.x, 1, r2.x", 1, 0, 0, 0},
		{"add.s r1.x, hr4.x, hr4.z", 0xffff, 1, 0, 0},
		{"add.s r1.x, hr4.x, hr4.z", 0xfffe, 1, 0, 0xffffffff}, // sign-extended
		{"add.u r1.x, hr4.x, hr4.z", 0xfffe, 1, 0, 0xffff},     // zero-extended
		{"add.u hr2.x, r2.x, r2.y", 0x1fffe, 1, 0, keep | 0xffff},
		{"min.s r1.x, r2.x, r2.y", 0xffffffff, 1, 0, 0xffffffff},
		{"min.u r1.x, r2.x, r2.y", 0xffffffff, 1, 0, 1},
		{"max.s hr2.x, hr4.x, hr4.z", 0xffff, 1, 0, keep | 1},
		{"max.u hr2.x, hr4.x, hr4.z", 0xffff, 1, 0, keep | 0xffff},
		{"cmps.s.lt r1.x, r2.x, r2.y", 0xffffffff, 1, 0, 1},
		{"cmps.u.lt r1.x, r2.x, r2.y", 0xffffffff, 1, 0, 0},
		{"absneg.s r1.x, (abs)r2.x", 0xfffffffb, 0, 0, 5},
		{"absneg.s r1.x, (neg)r2.x", 5, 0, 0, 0xfffffffb},
		{"and.b r1.x, r2.x, (neg)r2.y", 0xff, 0x0f, 0, 0xf0},
		{"or.b r1.x, r2.x, r2.y", 0xf0, 0x0f, 0, 0xff},
		{"xor.b r1.x, r2.x, r2.y", 0xff, 0x0f, 0, 0xf0},
		{"not.b hr2.x, hr4.x", 0xff, 0, 0, keep | 0xff00},
		{"mul.u24 r1.x, r2.x, r2.y", 0xff000003, 5, 0, 15},
		{"mul.s24 r1.x, r2.x, r2.y", 0xfffffd, 5, 0, 0xfffffff1},
		{"mul.s24 hr2.x, hr4.x, hr4.z", 300, 300, 0, keep | 90000&0xffff},
		{"mull.u r1.x, r2.x, r2.y", 0x1ffff, 0xffff, 0, 0xfffe0001},
		{"madsh.m16 r1.x, r2.x, r2.y, r2.z", 3, 0x50000, 7, 15<<16 + 7},
		{"mad.u16 hr2.x, hr4.x, hr4.z, hr5.x", 3, 4, 5, keep | 17},
		{"mad.s24 r1.x, r2.x, r2.y, r2.z", 0xffffff, 4, 5, 1},
		{"mad.u24 r1.x, r2.x, r2.y, r2.z", 0xffffff, 1, 1, 0x1000000},
		{"bfrev.b r1.x, r2.x", 1, 0, 0, 0x80000000},
		{"bfrev.b hr2.x, hr4.x", 1, 0, 0, keep | 0x8000},
		{"clz.b r1.x, r2.x", 1, 0, 0, 31},
		{"clz.b r1.x, r2.x", 0, 0, 0, 0xffffffff},
		{"clz.s r1.x, r2.x", 0xfffffff0, 0, 0, 28},
		{"clz.s r1.x, r2.x", 0xffffffff, 0, 0, 0xffffffff},
		{"shl.b r1.x, r2.x, r2.y", 1, 33, 0, 2},
		{"shl.b hr2.x, hr4.x, hr4.z", 3, 17, 0, keep | 6},
		{"shr.b r1.x, r2.x, 4", 0x80000000, 0, 0, 0x08000000},
		{"ashr.b r1.x, r2.x, 4", 0x80000000, 0, 0, 0xf8000000},
		{"ashr.b hr2.x, hr4.x, h(4)", 0x8000, 0, 0, keep | 0xf800},
		{"getbit.b r1.x, r2.x, 3", 8, 0, 0, 1},
		{"cbits.b hr2.x, hr4.x", 0xf0f1, 0, 0, keep | 9},
		{"sel.b32 r1.x, r2.x, r2.y, r2.z", 1, 0, 3, 3},
		{"sel.b32 r1.x, r2.x, r2.y, r2.z", 1, 9, 3, 1},
		{"sad.s32 r1.x, r2.x, (neg)r2.y, r2.z", 10, 3, 1, 8},
		{"shrm r1.x, 4, r2.x, 15", 0xabc, 0, 0, 0xb},
		{"shlm r1.x, 4, r2.x, 4080", 0xab, 0, 0, 0xab0},
		{"shrg r1.x, 4, r2.x, r2.y", 0xab0, 0xf00, 0, 0xfab},
		{"shlg r1.x, 4, r2.x, r2.y", 0xab, 1, 0, 0xab1},
		{"andg r1.x, r2.x, r2.y, r2.z", 0xff, 0xf0, 1, 0xf1},
		{"dp4acc.unsigned.low r1.x, r2.x, r2.y, r2.z", 0x01020304, 0x05060708, 9, 5 + 12 + 21 + 32 + 9},
		{"dp4acc.mixed.low r1.x, r2.x, r2.y, r2.z", 0x000000ff, 2, 9, 7},
		{"dp2acc.unsigned.high r1.x, r2.x, r2.y, r2.z", 0x01020304, 0x05060708, 0, 17},
		{"rcp r1.x, r2.x", fb(4), 0, 0, fb(0.25)},
		{"rcp r1.x, r2.x", fb(0), 0, 0, inf},
		{"rsq r1.x, r2.x", fb(4), 0, 0, fb(0.5)},
		{"sqrt r1.x, (abs)r2.x", fb(-9), 0, 0, fb(3)},
		{"log2 r1.x, r2.x", fb(8), 0, 0, fb(3)},
		{"exp2 r1.x, r2.x", fb(5), 0, 0, fb(32)},
		{"sin r1.x, r2.x", fb(1), 0, 0, fb(float32(math.Sin(1)))},
		{"sin r1.x, r2.x", fb(-math.Pi), 0, 0, fb(float32(math.Sin(float64(float32(-math.Pi)))))},
		{"cos r1.x, r2.x", fb(math.Pi), 0, 0, fb(-1)},
		{"sin r1.x, r2.x", fb(3.1417), 0, 0, 0x7fc00000}, // beyond pi nothing is known
		{"cos r1.x, r2.x", fb(-3.1417), 0, 0, 0x7fc00000},
		{"cos r1.x, (neg)r2.x", fb(1), 0, 0, fb(float32(math.Cos(1)))},
		{"hrsq hr2.x, hr4.x", 0x4400, 0, 0, keep | 0x3800},
	} {
		for _, g := range []isa.Gen{isa.A6xx, isa.A7xx} {
			if got := evalOp(t, g, c.op, c.a, c.b, c.c); got != c.want {
				t.Errorf("%s: %s of %#x %#x %#x: %#x, want %#x", g, c.op, c.a, c.b, c.c, got, c.want)
			}
		}
	}
}

func TestConversions(t *testing.T) {
	const keep = 0xdddd0000
	for _, c := range []struct {
		op      string
		a, want uint32
	}{
		{"cov.f32s32 r1.x, r2.x", fb(-2.9), 0xfffffffe},
		{"cov.f32u32 r1.x, r2.x", fb(-2.9), 0},
		{"cov.f32u32 r1.x, r2.x", fb(1e20), 0xffffffff},
		{"cov.f32s16 hr2.x, r2.x", fb(1e9), keep | 0x7fff},
		{"cov.f32s32 r1.x, r2.x", 0x7fc00000, 0},
		{"cov.f32f16 hr2.x, r2.x", fb(1.0009), keep | 0x3c00},
		{"cov.f32f16 (even)hr2.x, r2.x", fb(1.0009), keep | 0x3c01},
		{"cov.f32f16 (pos_infinity)hr2.x, r2.x", fb(-1.0009), keep | 0xbc00},
		{"cov.f32f16 (neg_infinity)hr2.x, r2.x", fb(-1.0009), keep | 0xbc01},
		{"cov.f32f16 (even)hr2.x, r2.x", fb(65520), keep | 0x7c00},
		{"cov.f32f16 hr2.x, r2.x", fb(65520), keep | 0x7bff},
		{"cov.f16f32 r1.x, hr4.x", 0xc500, fb(-5)},
		{"cov.f16s32 r1.x, hr4.x", 0xc500, 0xfffffffb},
		{"cov.u32f32 r1.x, r2.x", 0xffffffff, 0x4f7fffff},
		{"cov.u32f32 (even)r1.x, r2.x", 0xffffffff, 0x4f800000},
		{"cov.s32f32 r1.x, r2.x", 0xfffffffb, fb(-5)},
		{"cov.s32f16 hr2.x, r2.x", 0xfffffffb, keep | 0xc500},
		{"cov.u16f16 hr2.x, hr4.x", 3, keep | 0x4200},
		{"cov.s16s32 r1.x, hr4.x", 0x8001, 0xffff8001},
		{"cov.u16u32 r1.x, hr4.x", 0x8001, 0x8001},
		{"cov.s16u32 r1.x, hr4.x", 0x8001, 0xffff8001},
		{"cov.u32u16 hr2.x, r2.x", 0x12345, keep | 0x2345},
		{"cov.u8s32 r1.x, hr4.x", 0x80, 0xffffff80},
		{"mov.f16f16 hr2.y, h(1.000000)", 0, 0x3c00dddd},
		{"mov.f32f32 r1.x, (-0.500000)", 0, fb(-0.5)},
		{"mov.u16u16 hr2.y, hr4.x", 0x1234, 0x1234dddd},
	} {
		if got := evalOp(t, isa.A6xx, c.op, c.a, 0, 0); got != c.want {
			t.Errorf("%s of %#x: %#x, want %#x", c.op, c.a, got, c.want)
		}
	}
}

// TestMultiply is the 32-bit product by three 16-bit steps (ir3.md §3.5).
func TestMultiply(t *testing.T) {
	a, b := uint32(0x12345678), uint32(0x9abcdef1)
	got := evalOp(t, isa.A6xx, `
	mull.u r3.x, r2.x, r2.y
	(rpt5)nop
	madsh.m16 r3.x, r2.x, r2.y, r3.x
	(rpt5)nop
	madsh.m16 r1.x, r2.y, r2.x, r3.x`, a, b, 0)
	if got != a*b {
		t.Errorf("%#x, want %#x", got, a*b)
	}
}

func TestRepeat(t *testing.T) {
	got := evalOp(t, isa.A6xx, `
	(rpt2)add.u r4.x, (r)r2.x, 1
	(rpt5)nop
	(rpt2)mov.u32u32 r5.x, (r)r4.x
	(rpt5)nop
	sad.s32 r1.x, r5.x, r5.y, r5.z`, 10, 20, 30)
	if got != 63 {
		t.Errorf("%d, want 63", got)
	}
}

func TestFMA(t *testing.T) {
	x := uint32(12345)
	rnd := func() float32 {
		x = x*1664525 + 1013904223
		return math.Float32frombits(x&0x807fffff | (100+x>>8&55)<<23)
	}
	for i := 0; i < 20000; i++ {
		a, b, c := rnd(), rnd(), rnd()
		if i%2 == 0 {
			c = -a * b // cancellation
		}
		want, _ := bigFMA(a, b, c)
		if got := fma32(a, b, c); got != want {
			t.Fatalf("fma(%g, %g, %g) = %g, want %g", a, b, c, got, want)
		}
	}
	for h := uint32(0); h < 1<<16; h++ { // f16 round trip
		if e := h >> 10 & 31; e == 0 || e == 31 {
			continue
		}
		if got := toH(float64(h2f(h))); got != h {
			t.Fatalf("f16 %#x comes back as %#x", h, got)
		}
	}
	if bits.Len32(f2h(math.NaN(), isa.RoundEven)&0x3ff) == 0 {
		t.Error("NaN became Inf")
	}
}

// BenchmarkALU runs a loop of dependent ALU instructions in one wave.
func BenchmarkALU(b *testing.B) {
	code, err := isa.Assemble(isa.A6xx, `
	mov.u32u32 r1.x, 0
loop:	mad.f32 r2.x, r2.y, r2.z, r2.x
	add.f r3.x, r2.x, r2.y
	and.b r4.x, r3.x, r2.x
	add.u r1.x, r1.x, 1
	cmps.u.ge p0.x, r1.x, 100
	br !p0.x, #loop
	end`)
	if err != nil {
		b.Fatal(err)
	}
	m := newMachine()
	p := m.loadCode(b, code)
	m.lanes = 64
	n := 0
	start := time.Now()
	for b.Loop() {
		for _, w := range m.start(p) {
			if _, err := w.Run(10000); err != nil {
				b.Fatal(err)
			}
		}
		n++
	}
	b.ReportMetric(float64(n)*602/time.Since(start).Seconds()/1e6, "Minst/s")
}
