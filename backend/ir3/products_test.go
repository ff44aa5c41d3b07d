package ir3

import (
	"fmt"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestProducts: products of numbers whose upper bits are known to be 0 leave out what those would add, on values up to
// the bounds too.
func TestProducts(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		a, b          uint32 // masks of the operands
		mul24, shifts int    // how often mul.u24 and madsh.m16 stand in the code
	}{
		{0xffff, 0xffff, 0, 0},
		{0xffff, 0x10000, 1, 0},
		{0xffffff, 0xffffff, 1, 0},
		{0xffff, 0xffffffff, 0, 1},
		{0xffffffff, 0xffff, 0, 1},
		{0x1ffffff, 0xffff, 0, 1},
		{0x1ffffff, 0x10000, 0, 2},
		{0xffffffff, 0xffffffff, 0, 2},
	} {
		t.Run(fmt.Sprintf("%#x,%#x", c.a, c.b), func(t *testing.T) {
			s, b := gputest.NewShader(ir.StageCompute, 64)
			v, out, at := laneWords(b, 4)
			product := func(x, y *ir.Def) *ir.Def { return b.Imul(b.Iand(x, b.Imm32(c.a)), b.Iand(y, b.Imm32(c.b))) }
			// All ones, of a word of random bits and its inverse, are the largest that the masks let pass.
			ones := b.Ixor(b.Channel(v, 2), b.Inot(b.Channel(v, 2)))
			gputest.StoreWords(b, out, at, b.Vec(product(b.Channel(v, 0), b.Channel(v, 1)), product(ones, b.Channel(v, 3)), product(b.Channel(v, 2), b.Channel(v, 0)), product(ones, ones)))
			for _, gpu := range []string{"a630", "a740"} {
				bin, err := execute(s, CompileOptions{GPU: gpu}, &gputest.Run{Groups: 2, In: gputest.RandomInput(5, 2048), OutSize: 128 * 16}, nil)
				if err != nil {
					t.Fatalf("%s: %v", gpu, err)
				}
				text := disasm(bin)
				if m, n := strings.Count(text, "mul.u24"), strings.Count(text, "madsh.m16"); m != 4*c.mul24 || n != 4*c.shifts {
					t.Errorf("%s: %d mul.u24 and %d madsh.m16, want %d and %d\n%s", gpu, m, n, 4*c.mul24, 4*c.shifts, text)
				}
			}
		})
	}
}
