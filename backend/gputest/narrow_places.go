package gputest

import (
	"fmt"
	"testing"

	"nirc/ir"
)

// narrowKinds are ways to load narrow components.
var narrowKinds = []struct {
	name string
	load func(b *ir.Builder, off *ir.Def, n, bits uint8) *ir.Def
}{
	{"a buffer", func(b *ir.Builder, off *ir.Def, n, bits uint8) *ir.Def {
		x := b.Intrinsic(ir.IntrLoadSsbo, n, bits, StorageBuffer(b, 0, 0), off)
		return &x.Set(ir.IdxAccess, uint64(ir.AccessSmallSteps)).Def
	}},
	{"a buffer that nothing writes", func(b *ir.Builder, off *ir.Def, n, bits uint8) *ir.Def {
		x := b.Intrinsic(ir.IntrLoadSsbo, n, bits, StorageBuffer(b, 0, 0), off)
		return &x.Set(ir.IdxAccess, uint64(ir.AccessSmallSteps|ir.AccessNonWriteable|ir.AccessCanReorder)).Def
	}},
	{"a uniform buffer", func(b *ir.Builder, off *ir.Def, n, bits uint8) *ir.Def {
		return &LoadUBO(b, off, n, bits, 1).Instr.Set(ir.IdxAccess, uint64(ir.AccessSmallSteps)).Def
	}},
}

// TestNarrowPlaces loads components of 8 and 16 bits at offsets that are shifted to the left and moved by a constant, with all that
// is known of their alignment: they come from their own words, whichever of the two parts makes these whole. run compiles a
// shader and compares it with what Differ says.
func TestNarrowPlaces(t *testing.T, run func(name string, s *ir.Shader, r *Run) error) {
	for _, kind := range narrowKinds {
		for _, bits := range []uint8{8, 16} {
			for shift := uint32(1); shift <= 3; shift++ {
				for _, odd := range []bool{false, true} {
					s, words := narrowPlaces(kind.load, bits, shift, odd)
					name := fmt.Sprintf("%d bits of %s, shifted by %d, odd %v", bits, kind.name, shift, odd)
					if err := ir.Validate(s); err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					if err := run(name, s, &Run{Groups: 1, In: RandomInput(6, 512), OutSize: 64 * 4 * words}); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				}
			}
		}
	}
}

// narrowPlaces is a shader of 64 threads that load one to four components around a number that is shifted, an odd one or any, and the
// words that each stores.
func narrowPlaces(load func(b *ir.Builder, off *ir.Def, n, bits uint8) *ir.Def, bits uint8, shift uint32, odd bool) (s *ir.Shader, words int) {
	s, b := NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	// What is above is shifted out, of which nothing in the shader tells.
	above := b.Ishl(LoadWords(b, StorageBuffer(b, 0, 0), b.Imm32(0), 1), b.Imm32(31))
	number, mul, phase := b.Ior(b.IAddImm(id, 4), above), int64(1)<<shift, int64(0)
	if odd {
		number, mul, phase = b.IAddImm(b.Ishl(number, b.Imm32(1)), 1), 2*mul, mul
	}
	at := b.Ishl(number, b.Imm32(shift))
	var list []*ir.Def
	for n := uint8(1); n <= 4; n++ {
		for c := int64(-4); c <= 7; c += int64(bits / 8) {
			d := load(b, b.IAddImm(at, c), n, bits)
			d.Instr.Set(ir.IdxAlignMul, uint64(mul)).Set(ir.IdxAlignOffset, uint64((c+phase)&(mul-1)))
			list = append(list, Words(b, d)...)
		}
	}
	first := b.Imul(id, b.Imm32(uint32(4*len(list))))
	for k, w := range list {
		StoreWords(b, StorageBuffer(b, 0, 1), b.IAddImm(first, int64(4*k)), w)
	}
	return s, len(list)
}
