package midgard

import (
	"encoding/binary"
	"math"
	"math/rand"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// halfInput makes words of two 16-bit floats of a middle size.
func halfInput(seed int64, words int) []byte {
	r := rand.New(rand.NewSource(seed))
	in := make([]byte, 4*words)
	for i := 0; i < len(in); i += 2 {
		binary.LittleEndian.PutUint16(in[i:], uint16(0x3000+r.Intn(0x1800)|r.Intn(2)<<15))
	}
	return in
}

// sameHalves takes any NaN for any other.
func sameHalves(_ int, want, got uint32) bool {
	nan := func(h uint32) bool { return h&0x7fff > 0x7c00 }
	for range 2 {
		if w, g := want&0xffff, got&0xffff; w != g && !(nan(w) && nan(g)) {
			return false
		}
		want, got = want>>16, got>>16
	}
	return true
}

// halvesOf looks at the words of v as n 16-bit values.
func halvesOf(b *ir.Builder, v *ir.Def, n int) *ir.Def {
	var list []*ir.Def
	for i := range n {
		w := b.Unpack32_2x16(b.Channel(v, i/2))
		list = append(list, b.Channel(w, i&1))
	}
	return b.Vec(list...)
}

// wordsOf is the inverse, for even n.
func wordsOf(b *ir.Builder, h *ir.Def) *ir.Def {
	var list []*ir.Def
	for i := 0; i < int(h.NumComponents); i += 2 {
		list = append(list, b.Pack32_2x16(b.Swizzle(h, i, i+1)))
	}
	return b.Vec(list...)
}

// Vectors of 16-bit floats are one instruction an operation, mixed with wider
// ones by expanding operands and shrinking results, and loaded and stored at once.
func TestHalfVectors(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 1)
	in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
	v := gputest.LoadWords(b, in, b.Imm32(0), 4)
	x, y := halvesOf(b, v, 4), halvesOf(b, b.Swizzle(v, 2, 3), 4)
	p := b.Fmul(x, b.Swizzle(y, 3, 2, 1, 0))
	q := b.Fadd(p, b.Fneg(b.Swizzle(x, 0, 0, 1, 1)))
	wide := b.Fadd(b.F2f32(q), v)
	cut := b.F2f16(b.Fmul(wide, wide))
	gputest.StoreWords(b, out, b.Imm32(0), wordsOf(b, b.Fmax(cut, q)))
	sum := b.Iadd(b.I2i32(x), b.U2u32(y))
	gputest.StoreWords(b, out, b.Imm32(16), wordsOf(b, b.U2u16(sum)))
	_, text := listing(t, s, CompileOptions{})
	expect(t, text, "LD.128")
	expect(t, text, "FMUL.f16")
	expect(t, text, "FADD.f16")
	expect(t, text, "FADD.f32", ".widen")
	expect(t, text, "FMUL.f32", ".shrink")
	expect(t, text, "FMAX.f16")
	expect(t, text, "ADD.i16")
	expect(t, text, "ST.64")
	if _, err := execute(s, CompileOptions{}, &gputest.Run{Groups: 1, In: halfInput(1, 16), OutSize: 64}, sameHalves); err != nil {
		t.Error(err)
	}
}

// Any lane may go to any other, come from wherever a value lies, and be mixed
// with constants, scalars and selections.
func TestHalfShuffles(t *testing.T) {
	programs.Hold(t)
	for seed := range gputest.Seeds(60) {
		r := rand.New(rand.NewSource(seed))
		s, b := gputest.NewShader(ir.StageCompute, 1)
		in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
		var pool []*ir.Def
		for i := range 3 {
			pool = append(pool, halvesOf(b, gputest.LoadWords(b, in, b.Imm32(uint32(16*i)), 4), 4))
		}
		lane := func() *ir.Def {
			if r.Intn(6) == 0 {
				return b.Const(16, uint64(0x3c00+r.Intn(0x400)))
			}
			d := pool[r.Intn(len(pool))]
			return b.Channel(d, r.Intn(int(d.NumComponents)))
		}
		vector := func(n int) *ir.Def {
			if r.Intn(3) == 0 {
				var l []*ir.Def
				for range n {
					l = append(l, lane())
				}
				return b.Vec(l...)
			}
			d, l := pool[r.Intn(len(pool))], make([]int, n)
			for i := range l {
				l[i] = r.Intn(int(d.NumComponents))
			}
			return b.Swizzle(d, l...)
		}
		for range 14 {
			n := 1 + r.Intn(4)
			x, y := vector(n), vector(n)
			switch r.Intn(8) {
			case 0:
				x = b.Fmul(x, y)
			case 1:
				x = b.Fmin(b.Fneg(x), b.Fabs(y))
			case 2:
				x = b.Bcsel(b.Flt(x, y), y, vector(n))
			case 3:
				x = b.Ixor(x, y)
			case 4:
				x = b.U2u16(b.Iadd(b.I2i32(x), b.U2u32(y)))
			case 5:
				x = b.Fsat(b.F2f16(b.Fadd(b.F2f32(x), b.F2f32(y))))
			case 6:
				f := b.F2f32(b.Fmul(x, b.Const(16, 0x4400)))
				x = b.F2i16(b.Fmin(b.Fmax(f, b.ImmFloat(-30000, 32)), b.ImmFloat(30000, 32))) // no hardware's choice
			default:
				x = b.Fadd(x, y)
			}
			pool = append(pool, x)
		}
		for i := range 4 {
			gputest.StoreWords(b, out, b.Imm32(uint32(8*i)), wordsOf(b, vector(4)))
		}
		run := &gputest.Run{Groups: 1, In: halfInput(seed, 16), OutSize: 64}
		if _, err := execute(s, CompileOptions{GPU: gpus[seed%int64(len(gpus))].Name}, run, sameHalves); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(s))
		}
	}
}

// Products with the columns of a matrix whose rows are in memory need no moves.
func TestSumRows(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 1)
	in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
	var rows [4]*ir.Def
	for i := range rows {
		rows[i] = gputest.LoadWords(b, in, b.Imm32(uint32(16*i)), 4)
	}
	v := gputest.LoadWords(b, in, b.Imm32(64), 4)
	v = b.Vec(b.Channel(v, 0), b.Channel(v, 3), b.Channel(v, 1), b.ImmFloat(1, 32))
	var dots [4]*ir.Def
	for k := range dots {
		dots[k] = b.Fdot4(v, b.Vec(b.Channel(rows[0], k), b.Channel(rows[1], k), b.Channel(rows[2], k), b.Channel(rows[3], k)))
	}
	gputest.StoreWords(b, out, b.Imm32(0), b.Vec(dots[:]...))
	bin, text := listing(t, s, CompileOptions{})
	expect(t, text, "FMUL.f32", "FADD.f32")
	// Of the four rows the last one counts once: it is added as it is.
	if n := strings.Count(text, "FMUL.f32"); n != 3 {
		t.Errorf("%d rows are scaled, want 3:\n%s", n, text)
	}
	if bin.Stats.Instrs > 24 {
		t.Errorf("%d instructions:\n%s", bin.Stats.Instrs, text)
	}
	// It is the first that something is added to, so that each of three bundles has a product and a sum.
	if bin.Stats.ALU > 6 {
		t.Errorf("%d bundles of arithmetic, want three for addresses and three:\n%s", bin.Stats.ALU, text)
	}
	input := make([]byte, 80)
	for i := range 20 {
		binary.LittleEndian.PutUint32(input[4*i:], math.Float32bits(float32(i)*0.75-4))
	}
	close32 := func(_ int, want, got uint32) bool { return gputest.Close32(want, got) }
	if _, err := execute(s, CompileOptions{}, &gputest.Run{Groups: 1, In: input, OutSize: 64}, close32); err != nil {
		t.Error(err)
	}
}
