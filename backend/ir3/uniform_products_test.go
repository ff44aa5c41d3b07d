package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestUniformProducts: of x*y + u*v + w with u, v and w the same for all fibers the preamble computes u*v + w; of x + 3*u it
// computes 3*u, unless the sum is exact or more than three others have the 3 and u, too: then these share a register.
func TestUniformProducts(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		name              string
		addend            bool // w
		exact             bool
		others            int // further products of the 3 and u
		mads, adds, moved int // of the program, and moves of the 3
	}{
		{"addend", true, false, 0, 1, 0, 0}, {"alone", false, false, 0, 0, 1, 0}, {"exact", false, true, 0, 1, 0, 1},
		{"exact addend", true, true, 0, 2, 0, 0}, {"shared by four", false, false, 3, 0, 4, 0}, {"shared by five", false, false, 4, 5, 0, 1},
	} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
		at := b.Ishl(id, b.Imm32(2))
		x := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), at, 1)
		push := func(k int) *ir.Def {
			return &b.Intrinsic(ir.IntrLoadPushConstant, 1, 32, b.Imm32(uint32(4*k))).Set(ir.IdxRange, 32).Set(ir.IdxAlignMul, 16).Def
		}
		u, v, sum := push(0), b.ImmFloat(3, 32), x
		if c.addend {
			sum, v = b.Ffma(x, x, push(2)), push(1)
		}
		b.Exact = c.exact
		sum = b.Ffma(v, u, sum)
		for k := range c.others {
			sum = b.Ixor(sum, b.Ffma(v, u, b.IAddImm(at, int64(k+1))))
		}
		b.Exact = false
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), at, sum)
		bin, err := compile(s, CompileOptions{GPU: "a740"})
		if err != nil {
			t.Fatal(err)
		}
		text := disasm(bin)
		main := text[strings.LastIndex(text, "shpe")+1:]
		count := func(what string) (n int) {
			for line := range strings.Lines(main) {
				if _, times, _ := strings.Cut(line, "(rpt"); strings.Contains(line, what) {
					n++
					if times != "" {
						n += int(times[0] - '0')
					}
				}
			}
			return n
		}
		if count("mad.f32") != c.mads || count("add.f") != c.adds || count("0x40400000") != c.moved {
			t.Errorf("%s: %d mads, %d additions, %d moves:\n%s", c.name, count("mad.f32"), count("add.f"), count("0x40400000"), text)
		}
	}
}

// TestChainedProducts: of x*x + w + u*v + z*u and so on with all but x the same for all fibers the preamble computes all but x*x, of
// sums that are too long to be brought into order first (maxSum) as well.
func TestChainedProducts(t *testing.T) {
	programs.Hold(t)
	for _, n := range []int{1, 3, maxSum - 1, maxSum, maxSum + 3} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		at := b.Ishl(&b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def, b.Imm32(2))
		x := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), at, 1)
		var p [4]*ir.Def
		for k := range p {
			p[k] = &b.Intrinsic(ir.IntrLoadPushConstant, 1, 32, b.Imm32(uint32(4*k))).Set(ir.IdxRange, 16).Set(ir.IdxAlignMul, 16).Def
		}
		sum := b.Ffma(x, x, p[2])
		for k := range n {
			sum = b.Ffma(p[k%4], p[(k+1+k/4)%4], sum)
		}
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), at, sum)
		bin, err := compile(s, CompileOptions{GPU: "a740"})
		if err != nil {
			t.Fatal(err)
		}
		text := disasm(bin)
		main := text[strings.LastIndex(text, "shpe")+1:]
		if strings.Count(main, "mad.f32") != 1 || strings.Contains(main, "add.f") {
			t.Errorf("more than x*x is left to the program of %d products:\n%s", n, text)
		}
	}
}

// TestProductsInOrder: sums that are brought into order first leave nothing behind that reads the factors of their products, so that
// these are the preamble's.
func TestProductsInOrder(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	at := b.Ishl(&b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def, b.Imm32(2))
	load := func(k int64) *ir.Def {
		return gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.IAddImm(at, 256*k), 1)
	}
	x, y, next := load(0), load(1), uint32(0)
	push := func() *ir.Def {
		next++
		return &b.Intrinsic(ir.IntrLoadPushConstant, 1, 32, b.Imm32(4*next)).Set(ir.IdxRange, 32).Set(ir.IdxAlignMul, 16).Def
	}
	left := b.Ffma(push(), push(), y)
	sum := b.Ffma(push(), push(), b.Ffma(x, x, push()))
	other := b.Ffma(push(), push(), b.Ffma(y, y, left)) // in order: y*y last
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), at, b.Ixor(sum, other))
	bin, err := execute(s, CompileOptions{GPU: "a740"}, &gputest.Run{Groups: 1, In: make([]byte, 512), OutSize: 256, Push: make([]byte, 64)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := disasm(bin)
	main := text[strings.LastIndex(text, "shpe")+1:]
	if mads, adds := strings.Count(main, "mad.f32"), strings.Count(main, "add.f"); mads != 2 || adds > 2 {
		t.Errorf("%d mads and %d additions are left to the program, want 2 and at most 2:\n%s", mads, adds, text)
	}
}
