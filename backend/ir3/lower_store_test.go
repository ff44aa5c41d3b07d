package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestNarrowStores: components of 8 and 16 bits that fill a word, or a half where the device stores those, are one
// store, and atomics store the others beside what is around them.
func TestNarrowStores(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		gpu             string
		n, bits         uint8
		mul, phase      uint64
		mask            uint64
		copied          bool // the value is what was loaded
		stores, atomics int
	}{
		{"a630", 4, 16, 8, 0, 15, false, 1, 0}, {"a630", 4, 16, 4, 0, 15, false, 1, 0}, {"a630", 4, 16, 8, 0, 7, false, 1, 2},
		{"a630", 4, 16, 4, 2, 15, false, 1, 4}, {"a630", 1, 16, 2, 0, 1, false, 0, 2}, {"a630", 2, 16, 2, 0, 3, false, 0, 4},
		{"a630", 4, 8, 4, 0, 15, false, 1, 0}, {"a630", 4, 8, 4, 0, 11, false, 0, 2}, {"a630", 3, 8, 4, 3, 7, false, 0, 4},
		{"a630", 4, 8, 2, 0, 15, false, 0, 4}, {"a630", 2, 8, 1, 0, 3, false, 0, 4}, {"a630", 4, 8, 4, 0, 15, true, 1, 0},
		{"a740", 4, 8, 4, 0, 15, false, 1, 0}, {"a740", 4, 8, 4, 0, 7, false, 1, 2}, {"a740", 4, 8, 2, 0, 15, false, 1, 0},
		{"a740", 3, 8, 4, 3, 7, false, 1, 2}, {"a740", 1, 8, 1, 0, 1, false, 0, 2},
	} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
		v := narrowValue(b, id, c.n, c.bits, c.copied)
		at := b.IAddImm(b.Imul(id, b.Imm32(uint32(max(c.mul, uint64(c.n*c.bits/8))))), int64(c.phase))
		b.Intrinsic(ir.IntrStoreSsbo, 0, 0, v, gputest.StorageBuffer(b, 0, 1), at).Set(ir.IdxWriteMask, c.mask).Set(ir.IdxAlignMul, c.mul).Set(ir.IdxAlignOffset, c.phase)
		bin, err := execute(s, CompileOptions{GPU: c.gpu}, &gputest.Run{Groups: 1, In: gputest.RandomInput(5, 1024), OutSize: 64*16 + 8}, nil)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		text := disasm(bin)
		if strings.Count(text, "stib") != c.stores || strings.Count(text, "atomic.b.and")+strings.Count(text, "atomic.b.or") != c.atomics {
			t.Errorf("%+v:\n%s", c, text)
		}
		if c.copied && strings.Contains(text, "cov") {
			t.Errorf("%+v: the word is taken apart:\n%s", c, text)
		}
	}
}

// narrowValue is a vector of narrow components: computed ones with a constant among them, or what a buffer has.
func narrowValue(b *ir.Builder, id *ir.Def, n, bits uint8, copied bool) *ir.Def {
	if copied {
		ld := b.Intrinsic(ir.IntrLoadSsbo, n, bits, gputest.StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(2)))
		return &ld.Set(ir.IdxAlignMul, 4).Def
	}
	comps := make([]*ir.Def, n)
	for k := range comps {
		w := b.Iadd(gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.IAddImm(b.Ishl(id, b.Imm32(3)), int64(4*k)), 1), id)
		if comps[k] = b.U2u16(w); bits == 8 {
			comps[k] = b.U2u8(w)
		}
		if k == 1 {
			comps[k] = b.Const(bits, 0xa5)
		}
	}
	return b.Vec(comps...)
}
