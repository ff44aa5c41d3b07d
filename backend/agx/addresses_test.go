package agx

import (
	"math"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// addressCase is an address made of a base that the driver fills in and the lane's number.
type addressCase struct {
	name string
	make func(b *ir.Builder, base, lane *ir.Def) *ir.Def
	// in stands in the code, out does not.
	in, out []string
}

var addressCases = []addressCase{
	{"an index", func(b *ir.Builder, base, lane *ir.Def) *ir.Def { return b.UleaAgx(base, lane, b.Imm32(2)) },
		[]string{"unsigned, 0"}, []string{"iadd r0_r1", "imadd"}},
	{"a signed index, shifted further", func(b *ir.Builder, base, lane *ir.Def) *ir.Def {
		return b.IleaAgx(b.Iadd(base, b.ImmInt(1024, 64)), b.Ineg(lane), b.Imm32(4))
	}, []string{"signed, lsl 2"}, nil},
	{"a shift below the element's", func(b *ir.Builder, base, lane *ir.Def) *ir.Def {
		return b.UleaAgx(base, b.Ishl(lane, b.Imm32(2)), b.Imm32(0))
	}, []string{"iadd"}, nil},
	{"a constant after an index", func(b *ir.Builder, base, lane *ir.Def) *ir.Def {
		return b.Iadd(b.UleaAgx(base, lane, b.Imm32(3)), b.ImmInt(1028, 64))
	}, []string{", 257, unsigned"}, nil},
	{"the last constant of an access", func(b *ir.Builder, base, lane *ir.Def) *ir.Def {
		return b.Iadd(b.UleaAgx(b.Isub(base, b.ImmInt(4*maxMemoryIndex, 64)), lane, b.Imm32(2)), b.ImmInt(4*maxMemoryIndex, 64))
	}, []string{", 32767, unsigned"}, nil},
	{"a constant beyond the last", func(b *ir.Builder, base, lane *ir.Def) *ir.Def {
		return b.Iadd(b.ImmInt(4*maxMemoryIndex+4, 64), b.UleaAgx(b.Isub(base, b.ImmInt(4*maxMemoryIndex+4, 64)), lane, b.Imm32(2)))
	}, nil, []string{", 32768, unsigned", ", 0, unsigned, lsl"}},
	{"a constant that is no multiple of the element", func(b *ir.Builder, base, lane *ir.Def) *ir.Def {
		return b.Iadd(b.UleaAgx(b.Isub(base, b.ImmInt(1026, 64)), lane, b.Imm32(2)), b.ImmInt(1026, 64))
	}, nil, []string{", 256, unsigned", ", 257, unsigned"}},
	{"a constant that is subtracted", func(b *ir.Builder, base, lane *ir.Def) *ir.Def {
		return b.Iadd(b.UleaAgx(base, b.Iadd(lane, b.Imm32(64)), b.Imm32(2)), b.ImmInt(-256, 64))
	}, nil, nil},
	{"a large constant", func(b *ir.Builder, base, lane *ir.Def) *ir.Def {
		far := b.Iadd(b.UleaAgx(base, lane, b.Imm32(2)), b.ImmInt(0x123456789c, 64))
		return b.Isub(far, b.ImmInt(0x1234567890, 64))
	}, nil, nil},
	{"a product", func(b *ir.Builder, base, lane *ir.Def) *ir.Def {
		return b.Iadd(b.Imul2x32_64(b.Ineg(lane), b.ImmInt(-20, 32)), base)
	}, []string{"imadd"}, nil},
	{"what is the same for all is summed up before", func(b *ir.Builder, base, lane *ir.Def) *ir.Def {
		groups := b.Channel(&b.Intrinsic(ir.IntrLoadNumWorkgroups, 3, 32).Def, 0)
		return b.UleaAgx(b.UleaAgx(base, groups, b.Imm32(3)), lane, b.Imm32(2))
	}, []string{"u0_u1, r0, unsigned"}, []string{"lsl 3"}},
	{"a difference", func(b *ir.Builder, base, lane *ir.Def) *ir.Def {
		return b.Isub(b.Iadd(base, b.ImmInt(2048, 64)), b.Umul2x32_64(lane, b.Imm32(12)))
	}, []string{"isub"}, nil},
}

// Addresses of 64 bits are summed up by one instruction each, or by the access itself, from the
// driver's uniform registers.
func TestAddresses(t *testing.T) {
	programs.Hold(t)
	for _, c := range addressCases {
		t.Run(c.name, func(t *testing.T) {
			s, b := gputest.NewShader(ir.StageCompute, 64)
			lane := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
			push := &b.Intrinsic(ir.IntrLoadPushConstant, 2, 32, b.Imm32(112)).Set(ir.IdxRange, 120).Set(ir.IdxAlignMul, 8).Def
			base := b.Pack64_2x32Split(b.Channel(push, 0), b.Channel(push, 1))
			at := c.make(b, base, lane)
			b.Intrinsic(ir.IntrStoreGlobal, 0, 0, b.Iadd(lane, b.Imm32(100)), at).Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, 4)
			b.Intrinsic(ir.IntrGlobalAtomic, 1, 32, at, b.Imm32(7)).Set(ir.IdxAtomicOp, uint64(ir.AtomicIAdd))
			got := &b.Intrinsic(ir.IntrLoadGlobal, 1, 32, at).Set(ir.IdxAlignMul, 4).Def
			out := b.Ishl(lane, b.Imm32(4))
			words := b.Vec(got, b.Unpack64_2x32SplitX(b.Isub(at, base)), b.Unpack64_2x32SplitY(b.Isub(at, base)))
			b.Intrinsic(ir.IntrStoreSsbo, 0, 0, words, gputest.StorageBuffer(b, 0, 1), out).Set(ir.IdxWriteMask, 7).Set(ir.IdxAlignMul, 4)
			r := &gputest.Run{Groups: 1, In: gputest.RandomInput(1, 64), OutSize: 64 * 16, Push: make([]byte, 120)}
			if err := execute(t, s, CompileOptions{}, r, nil); err != nil {
				t.Fatal(err)
			}
			_, text, err := tryBuild(t, s, CompileOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range c.in {
				if !strings.Contains(text, w) {
					t.Errorf("no %q in\n%s", w, text)
				}
			}
			for _, w := range c.out {
				if strings.Contains(text, w) {
					t.Errorf("%q in\n%s", w, text)
				}
			}
		})
	}
}

// The words of a base are moved to their pair at once, and a sum that addresses of several blocks go on from is read where it is.
func TestPairsStay(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := &b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def
	x, y := b.Channel(id, 0), b.Channel(id, 1)
	push := &b.Intrinsic(ir.IntrLoadPushConstant, 2, 32, b.Imm32(112)).Set(ir.IdxRange, 120).Set(ir.IdxAlignMul, 8).Def
	base := b.UleaAgx(b.Pack64_2x32Split(b.Channel(push, 0), b.Channel(push, 1)), x, b.Imm32(4))
	store := func(by *ir.Def) {
		at := b.Iadd(base, b.Umul2x32_64(by, b.Imm32(20)))
		b.Intrinsic(ir.IntrStoreGlobal, 0, 0, by, at).Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, 4)
	}
	store(y)
	i := b.PushIf(b.Ilt(x, y))
	store(b.Iadd(x, y))
	b.PopIf(i)
	store(x)
	_, text, err := tryBuild(t, s, CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text, "mov r"); n != 2 {
		t.Errorf("%d moves instead of the two of the base's words:\n%s", n, text)
	}
}

// TestConstantBeyond: with robustness a constant offset just below 4 GiB, from where an access would go round to 0, reaches nothing.
func TestConstantBeyond(t *testing.T) {
	programs.Hold(t)
	for _, off := range []uint32{math.MaxUint32 - 7, math.MaxUint32 - 11, math.MaxUint32 - 15} {
		s, b := gputest.NewShader(ir.StageCompute, 1)
		s.Options.Robust.Storage = ir.Robust2
		buf := gputest.StorageBuffer(b, 0, 1)
		gputest.StoreWords(b, buf, b.Imm32(16), b.Imm32(5))
		word := b.Imm32(7)
		b.Intrinsic(ir.IntrStoreSsbo, 0, 0, b.Vec(word, word, word, word), buf, b.Imm32(off)).Set(ir.IdxWriteMask, 15).Set(ir.IdxAlignMul, 4)
		if err := execute(t, s, CompileOptions{}, &gputest.Run{Groups: 1, OutSize: 4096}, nil); err != nil {
			t.Errorf("offset %#x: %v", off, err)
		}
	}
}

// TestProductIndex: an offset that is a product with a multiple of the element's size is a product of its number: nothing is shifted
// back. One with another number is.
func TestProductIndex(t *testing.T) {
	programs.Hold(t)
	for by, whole := range map[uint32]bool{12: true, 20: true, 6: false, 10: false} {
		for _, amul := range []bool{false, true} {
			s, b := gputest.NewShader(ir.StageCompute, 64)
			lane := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
			n := b.Ishl(lane, b.Imm32(1)) // so that all offsets are of words
			off := b.Imul(n, b.Imm32(by))
			if amul {
				off = b.Amul(n, b.Imm32(by))
			}
			v := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), off, 1)
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(lane, b.Imm32(2)), v)
			if err := execute(t, s, CompileOptions{}, &gputest.Run{Groups: 1, In: gputest.RandomInput(3, 40*64/4), OutSize: 64 * 4}, nil); err != nil {
				t.Errorf("by %d: %v", by, err)
			}
			if _, text := build(t, s, CompileOptions{}); whole == strings.Contains(text, "bfeil") {
				t.Errorf("by %d, amul %t:\n%s", by, amul, text)
			}
		}
	}
}
