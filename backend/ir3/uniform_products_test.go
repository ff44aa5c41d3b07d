package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestUniformProducts: of x*y + u*v + w with u, v and w the same for all fibers the preamble computes u*v + w; of x + 3*u it
// computes 3*u, unless the sum is exact or others have
// the 3 and u, too; that of 3 and u+1 beside them is computed.
func TestUniformProducts(t *testing.T) {
	for _, c := range []struct {
		name              string
		addend            bool // w
		exact, shared     bool
		mads, adds, moved int // of the program, and moves of the 3
	}{
		{"addend", true, false, false, 1, 0, 0}, {"alone", false, false, false, 0, 1, 0}, {"exact", false, true, false, 1, 0, 1},
		{"exact addend", true, true, false, 2, 0, 0}, {"shared", false, false, true, 2, 1, 1},
	} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
		at := b.Ishl(id, b.Imm32(2))
		x := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), at, 1)
		push := func(k int) *ir.Def {
			return &b.Intrinsic(ir.IntrLoadPushConstant, 1, 32, b.Imm32(uint32(4*k))).Set(ir.IdxRange, 16).Set(ir.IdxAlignMul, 16).Def
		}
		u, v, sum := push(0), b.ImmFloat(3, 32), x
		if c.addend {
			sum, v = b.Ffma(x, x, push(2)), push(1)
		}
		b.Exact = c.exact
		sum = b.Ffma(v, u, sum)
		if c.shared {
			sum = b.Ixor(sum, b.Ffma(v, b.Iadd(u, b.Imm32(1)), b.Ffma(v, u, at)))
		}
		b.Exact = false
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), at, sum)
		bin, err := compile(s, CompileOptions{GPU: "a740"})
		if err != nil {
			t.Fatal(err)
		}
		text := disasm(bin)
		main := text[strings.LastIndex(text, "shpe")+1:]
		count := func(what string) int { return strings.Count(main, what) }
		if count("mad.f32") != c.mads || count("add.f") != c.adds || count("0x40400000") != c.moved {
			t.Errorf("%s: %d mads, %d additions, %d moves:\n%s", c.name, count("mad.f32"), count("add.f"), count("0x40400000"), text)
		}
	}
}

// TestChainedProducts: of x*x + w + u*v + z*u with all but x the same for all fibers the preamble computes all but x*x.
func TestChainedProducts(t *testing.T) {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	at := b.Ishl(&b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def, b.Imm32(2))
	x := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), at, 1)
	var p [4]*ir.Def
	for k := range p {
		p[k] = &b.Intrinsic(ir.IntrLoadPushConstant, 1, 32, b.Imm32(uint32(4*k))).Set(ir.IdxRange, 16).Set(ir.IdxAlignMul, 16).Def
	}
	sum := b.Ffma(x, x, p[2])
	for k := range 3 {
		sum = b.Ffma(p[k], p[k+1], sum)
	}
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), at, sum)
	bin, err := compile(s, CompileOptions{GPU: "a740"})
	if err != nil {
		t.Fatal(err)
	}
	text := disasm(bin)
	main := text[strings.LastIndex(text, "shpe")+1:]
	if strings.Count(main, "mad.f32") != 1 || strings.Contains(main, "add.f") {
		t.Errorf("more than x*x is left to the program:\n%s", text)
	}
}
