package gputest

import (
	"fmt"
	"math/rand/v2"

	"nirc/ir"
)

// shaped is one form of an operation, of which a shader can be made that does it.
type shaped interface{ shader() *ir.Shader }

// forms compiles n forms that random makes of the numbers of a stream by what a target makes of shaders, and adds what becomes of them,
// refusals too.
func (h *HeldPrograms) forms(n int, stream uint64, random func(r *rand.Rand) shaped, compile func(s *ir.Shader) error) error {
	for i := range n {
		x := random(rand.New(rand.NewPCG(uint64(i), stream)))
		s := x.shader()
		if err := ir.Validate(s); err != nil {
			return fmt.Errorf("%+v: %w", x, err)
		}
		if err := compile(s); err != nil {
			h.Add(nil, err.Error(), nil, nil)
		}
	}
	return nil
}

// storeUsed stores the components of a result that used names, in words, where an invocation has its own.
func storeUsed(b *ir.Builder, id, res *ir.Def, used int) {
	for c := range int(res.NumComponents) {
		if used>>c&1 == 0 {
			continue
		}
		v := b.Channel(res, c)
		if v.BitSize == 16 {
			v = b.U2u32(v)
		}
		StoreWords(b, StorageBuffer(b, 0, 1), b.Iadd(b.Ishl(id, b.Imm32(4)), b.Imm32(uint32(4*c))), v)
	}
}
