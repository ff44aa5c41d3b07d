package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestDataConsts: words of small tables of constants that stand in any component are read from the const file by a0.x. A load from a
// known component takes one instruction, a large table would take the room of others, and some devices put constants there one by one.
func TestDataConsts(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		name   string
		size   int
		align  uint64
		gpu    string
		consts bool
	}{
		{"pairs", 128, 8, "a630", true}, {"pairs", 128, 8, "a740", true},
		{"vec4", 128, 16, "a630", false}, {"large", 4096, 8, "a630", false}, {"pairs", 128, 8, "a750", true}, {"consts of a preamble", 256, 8, "a750", false},
	} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		for i := range c.size {
			s.ConstantData = append(s.ConstantData, byte(i*13+i>>4))
		}
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		off := b.Imul(b.Iand(id, b.Imm32(7)), b.Imm32(uint32(c.align)))
		x := &b.Intrinsic(ir.IntrLoadConstant, 2, 32, off).Set(ir.IdxRange, uint64(c.size)).Set(ir.IdxAlignMul, c.align).Def
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(3)), b.Vec(b.Iadd(b.Channel(x, 0), id), b.Ixor(b.Channel(x, 1), id)))
		bin, err := execute(s, CompileOptions{GPU: c.gpu}, &gputest.Run{Groups: 1, In: make([]byte, 16), OutSize: 512}, nil)
		if err != nil {
			t.Errorf("%s on %s: %v", c.name, c.gpu, err)
			continue
		}
		code := disasm(bin)
		if strings.Contains(code, "c<a0.x") != c.consts || strings.Contains(code, "ldc.offset") == c.consts || (len(bin.Meta.ConstData) == 0) != c.consts {
			t.Errorf("%s on %s: read from consts should be %t\n%s", c.name, c.gpu, c.consts, code)
		}
	}
}

// Consts side by side are found again, also inside of others, and are not begun where they would not fit.
func TestImmediatesSideBySide(t *testing.T) {
	c := constFile{immAt: 8, limit: 14}
	c.immediate(7)
	for _, x := range []struct {
		values []uint32
		at     int
		ok     bool
	}{
		{[]uint32{1, 2, 3}, 9, true}, {[]uint32{2, 3}, 10, true}, {[]uint32{1, 2, 3}, 9, true}, {[]uint32{3, 4, 5}, 0, false}, {[]uint32{3, 4}, 12, true},
	} {
		if at, ok := c.immediates(x.values); at != x.at || ok != x.ok {
			t.Errorf("%v: at %d (%t), should be %d (%t)", x.values, at, ok, x.at, x.ok)
		}
	}
}
