package midgard

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// Bit operations take a negation along, of a source or of their result, and so does a conversion of a boolean.
func TestNegatedBits(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		op   string
		make func(b *ir.Builder, x, y *ir.Def) *ir.Def
	}{
		{"ANDNOT", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Iand(x, b.Inot(y)) }},
		{"ORNOT", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Ior(b.Inot(x), y) }},
		{"NAND", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Inot(b.Iand(x, y)) }},
		{"NOR", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Inot(b.Ior(x, y)) }},
		{"NXOR", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Inot(b.Ixor(x, y)) }},
		{"ANDNOT", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.B2f32(b.Inot(b.Flt32(x, y))) }},
	} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
		v := gputest.LoadWords(b, in, b.Imm32(0), 4)
		gputest.StoreWords(b, out, b.Imm32(0), c.make(b, b.Channels(v, 0, 2), b.Channels(v, 2, 2)))
		_, text := listing(t, s, CompileOptions{})
		expect(t, text, "."+c.op+".i32 ")
		n := 0
		for _, op := range []string{"AND", "OR", "NOR", "XOR", "NAND", "ANDNOT", "ORNOT", "NXOR"} {
			n += strings.Count(text, "."+op+".i32 ")
		}
		if n != 1 {
			t.Errorf("%s: %d bit operations:\n%s", c.op, n, text)
		}
	}
}

// A constant that multiplies an angle is multiplied by that of half turns, and nothing is multiplied where the product is 1.
func TestScaledAngle(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		scale float64
		exact bool
		muls  int
	}{{2, false, 1}, {math.Pi, false, 0}, {2, true, 2}} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
		x := b.Fmul(gputest.LoadWords(b, in, b.Imm32(0), 1), b.ImmFloat(c.scale, 32))
		x.Instr.Exact = c.exact
		gputest.StoreWords(b, out, b.Imm32(0), b.Fsin(x))
		_, text := listing(t, s, CompileOptions{})
		if n := strings.Count(text, ".FMUL.f32 "); n != c.muls {
			t.Errorf("%g: %d products, want %d:\n%s", c.scale, n, c.muls, text)
		}
	}
}

// TestSaturated: a larger of a constant above 0 and a value is clamped to 1 where it is made, NaN and infinities too; one of 0, of which
// the sign counts, or of what is above 1 is not.
func TestSaturated(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		low, high float64
		is        bool
	}{{0.25, 1, true}, {1, 1, true}, {0, 1, false}, {-0.5, 1, false}, {1.5, 1, false}, {0.25, 2, false}} {
		s, b := gputest.NewShader(ir.StageCompute, 1)
		in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
		x := gputest.LoadWords(b, in, b.Imm32(0), 4)
		low, high := b.ImmFloat(c.low, 32), b.ImmFloat(c.high, 32)
		var y [4]*ir.Def
		for i := range y {
			y[i] = b.Fmin(high, b.Fmax(low, b.Channel(x, i)))
		}
		gputest.StoreWords(b, out, b.Imm32(0), b.Vec(y[:]...))
		_, text := listing(t, s, CompileOptions{})
		if is := strings.Contains(text, "clamp_0_1") && !strings.Contains(text, "FMIN"); is != c.is {
			t.Errorf("from %g to %g:\n%s", c.low, c.high, text)
		}
		words := make([]byte, 16)
		for i, v := range [4]float64{0.5, math.NaN(), math.Inf(1), -3} {
			binary.LittleEndian.PutUint32(words[4*i:], math.Float32bits(float32(v)))
		}
		if _, err := execute(s, CompileOptions{}, &gputest.Run{Groups: 1, In: words, OutSize: 16}, nil); err != nil {
			t.Errorf("from %g to %g: %v", c.low, c.high, err)
		}
	}
}
