package midgard

import (
	"fmt"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// selectsOfFour are selects of vectors of n components by comparisons of two others, with all that they read of use later: each reads four
// registers, three where the condition is there already or a vector is read twice.
func selectsOfFour(n uint8, kind string) *ir.Shader {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	var v []*ir.Def
	for k := range 6 {
		v = append(v, gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Iadd(b.Ishl(id, b.Imm32(4)), b.Imm32(uint32(16*k))), n))
	}
	out := v
	for k := range v {
		at := func(i int) *ir.Def { return v[(k+i)%len(v)] }
		var cond *ir.Def
		switch kind {
		case "less":
			cond = b.Ult(at(0), at(1))
		case "not equal":
			cond = b.Ine(at(0), b.Iadd(at(1), at(2)))
		case "one of all":
			one := b.Ilt(b.Channel(at(0), int(n-1)), b.Channel(at(1), 0))
			cond = b.Swizzle(one, make([]int, n)...)
		case "twice":
			cond = b.Ult(at(0), at(1))
			out = append(out, b.Bcsel(cond, at(4), at(5)))
		}
		out = append(out, b.Bcsel(cond, at(2), at(3)))
	}
	for k, x := range out {
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Iadd(b.Imul(id, b.Imm32(uint32(16*len(out)))), b.Imm32(uint32(16*k))), x)
	}
	return s
}

// TestSelectsOfFour: selects that read more vectors than there are registers are taken apart, with what brings their operands back.
func TestSelectsOfFour(t *testing.T) {
	programs.Hold(t)
	for n := uint8(1); n <= 4; n++ {
		for _, kind := range []string{"less", "not equal", "one of all", "twice"} {
			for registers := 2; registers <= 4; registers++ {
				t.Run(fmt.Sprintf("%s of %d in %d", kind, n, registers), func(t *testing.T) {
					r := &gputest.Run{Groups: 1, In: gputest.RandomInput(int64(n), 80), OutSize: 64 * 16 * 18}
					if _, err := execute(selectsOfFour(n, kind), CompileOptions{Registers: registers}, r, nil); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}
