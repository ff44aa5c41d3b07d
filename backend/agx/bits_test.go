package agx

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// bitsCase computes a word from two words of input.
type bitsCase struct {
	name string
	make func(b *ir.Builder, x, y *ir.Def) *ir.Def
	// in stands in the code, out does not.
	in, out []string
}

var bitsCases = []bitsCase{
	{"a field", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Iand(b.Ushr(x, b.Imm32(5)), b.Imm32(63)) },
		[]string{"bfeil"}, []string{" and"}},
	{"fields of a shared shift", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
		down := b.Ushr(x, b.Imm32(5))
		return b.Iadd(b.Iadd(b.Iand(down, b.Imm32(3)), b.Iand(down, b.Imm32(12))), b.Ixor(down, y))
	}, nil, nil},
	{"the upper half", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Iadd(b.Ushr(x, b.Imm32(16)), y) }, nil, nil},
	{"a mask that does nothing", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
		return b.Iand(b.Iadd(b.Ushr(x, b.Imm32(28)), b.Imm32(3)), b.Imm32(31))
	}, nil, []string{" and"}},
	{"a rotation of two words", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
		return b.Ior(b.Ushr(x, b.Imm32(11)), b.Ishl(y, b.Imm32(21)))
	}, []string{"extr"}, []string{"bfi", " or"}},
	{"shifts that leave a gap", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
		return b.Ior(b.Ushr(x, b.Imm32(12)), b.Ishl(y, b.Imm32(21)))
	}, []string{"bfi"}, []string{"extr", " or"}},
	{"shifts that overlap", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
		return b.Ior(b.Ushr(x, b.Imm32(10)), b.Ishl(y, b.Imm32(21)))
	}, []string{" or"}, nil},
	{"a field put in", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
		return b.Ior(b.Iand(x, b.Imm32(1023)), b.Ishl(y, b.Imm32(10)))
	}, []string{"bfi"}, []string{" and", " or"}},
	{"a short shift above a known field", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
		return b.Ior(b.Ushr(x, b.Imm32(29)), b.Ishl(y, b.Imm32(3)))
	}, nil, []string{" or", "bfi "}},
	{"a long shift added", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Iadd(x, b.Ishl(y, b.Imm32(9))) },
		[]string{"imadd"}, []string{"bfi"}},
	{"a shift that several sums share", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
		up := b.Ishl(y, b.Imm32(3))
		return b.Ixor(b.Iadd(x, up), b.Isub(b.Imm32(77), up))
	}, []string{"lsl 3", "isub"}, []string{"iadd 0"}},
	{"a product and a shift", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
		return b.Iadd(b.Imul(x, y), b.Ishl(b.Ixor(x, y), b.Imm32(2)))
	}, []string{"imadd", "lsl 2"}, nil},
	{"a product less a number", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Isub(b.Imul(x, x), y) }, []string{"imsub"}, nil},
	{"a number less a product", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Isub(x, b.Imul(y, b.Imm32(23))) },
		[]string{"imadd"}, []string{"isub"}},
	{"nine times", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
		return b.Iadd(b.Imul(x, b.Imm32(9)), b.Imul(y, b.Imm32(17)))
	},
		nil, nil},
	{"a signed byte of a word as a float", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
		at := func(up uint32) *ir.Def { return b.I2f32(b.Ishr(b.Ishl(x, b.Imm32(up)), b.Imm32(24))) }
		return b.Fadd(b.Fadd(at(24), at(16)), b.Fmul(at(8), b.ImmFloat(3, 32)))
	}, []string{"s8_to_f"}, []string{"asr"}},
	{"a half as a float", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
		return b.Fadd(b.I2f32(b.I2i32(b.U2u16(x))), b.U2f32(b.U2u32(b.U2u16(y))))
	}, []string{"s16_to_f", "u16_to_f"}, []string{"s32_to_f"}},
	{"the smaller of a half and a word as floats", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
		// The half is made a float once, where it is read.
		return b.Fmax(b.Fmin(b.F2f32(b.U2u16(x)), b.U2f32(y)), b.F2f32(b.U2u16(y)))
	}, []string{"fcmpsel"}, []string{"mov"}},
	{"the larger of negated floats", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
		return b.Fmax(b.Fneg(b.U2f32(x)), b.Fmin(b.Fabs(b.I2f32(y)), b.I2f32(x)))
	}, []string{"fcmpsel"}, nil},
	{"bytes that may hold anything above", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
		lo, hi := b.U2u8(x), b.U2u8(y)
		sum := b.Iadd(b.U2u32(b.Ushr(b.U2u16(lo), b.Imm32(3))), b.I2i32(hi))
		return b.Ixor(b.Fadd(b.I2f32(lo), b.U2f32(hi)), sum)
	}, []string{"s8_to_f"}, nil},
}

// Fields, shifts and sums of words are one instruction where the hardware has one, and give what the IR says.
func TestBits(t *testing.T) {
	programs.Hold(t)
	for _, c := range bitsCases {
		t.Run(c.name, func(t *testing.T) {
			s, b := gputest.NewShader(ir.StageCompute, 64)
			lane := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
			in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
			v := gputest.LoadWords(b, in, b.Ishl(lane, b.Imm32(3)), 2)
			gputest.StoreWords(b, out, b.Ishl(lane, b.Imm32(2)), c.make(b, b.Channel(v, 0), b.Channel(v, 1)))
			runBits(t, s, c.in, c.out, gputest.RandomInput(2, 128))
		})
	}
}

// Bytes that memory instructions have loaded are extended by zeros: nothing is masked, and those with a sign are
// converted as they are.
func TestLoadedBytes(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	lane := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
	bytes := &b.Intrinsic(ir.IntrLoadSsbo, 4, 8, in, b.Ishl(lane, b.Imm32(3))).Set(ir.IdxAlignMul, 4).Def
	at := func(c int) *ir.Def { return b.Channel(bytes, c) }
	nibble := b.U2f32(b.Ushr(b.U2u16(at(1)), b.Imm32(4)))
	sum := b.Fadd(b.Fadd(b.I2f32(at(0)), nibble), b.Fmul(b.U2f32(at(2)), b.I2f32(b.Iand(b.U2u32(at(3)), b.Imm32(15)))))
	gputest.StoreWords(b, out, b.Ishl(lane, b.Imm32(2)), sum)
	runBits(t, s, []string{"s8_to_f", "and"}, []string{", 255", "asr"}, gputest.RandomInput(3, 128))
}

func runBits(t *testing.T, s *ir.Shader, in, out []string, input []byte) {
	t.Helper()
	r := &gputest.Run{Groups: 1, In: input, OutSize: 64 * 4}
	if err := execute(t, s, CompileOptions{}, r, nil); err != nil {
		t.Fatal(err)
	}
	_, text, err := tryBuild(t, s, CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range in {
		if !strings.Contains(text, w) {
			t.Errorf("no %q in\n%s", w, text)
		}
	}
	for _, w := range out {
		if strings.Contains(text, w) {
			t.Errorf("%q in\n%s", w, text)
		}
	}
}

// What is known of the upper bits of a register: of 16 bits and more what the analysis knows, of 8 whether a load or a
// conversion has cleared the upper half.
func TestWidth(t *testing.T) {
	_, b := gputest.NewShader(ir.StageCompute, 64)
	buf := gputest.StorageBuffer(b, 0, 0)
	load := func(bits uint8) *ir.Def {
		return &b.Intrinsic(ir.IntrLoadSsbo, 1, bits, buf, b.Imm32(0)).Set(ir.IdxAlignMul, 4).Def
	}
	word, half, char := load(32), load(16), load(8)
	for _, c := range []struct {
		name string
		def  *ir.Def
		want int
	}{
		{"a word", word, 32}, {"a word's low bits", b.Iand(word, b.Imm32(0x3ff)), 10}, {"a half", half, 16}, {"a half's low bits", b.Iand(half, b.Const(16, 7)), 3},
		{"a byte of memory", char, 8}, {"a sum of bytes", b.Iadd(char, char), 16}, {"a byte of a word", b.U2u8(word), 16},
		{"a byte of a word's low bits", b.U2u8(b.Iand(word, b.Imm32(31))), 5}, {"a bit", b.Ine(word, b.Imm32(0)), 1},
	} {
		if got := width(c.def, 0); got != c.want {
			t.Errorf("%s: %d bits, want %d", c.name, got, c.want)
		}
	}
}
