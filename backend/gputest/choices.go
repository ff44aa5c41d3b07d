package gputest

import (
	"math/rand"

	"nirc/ir"
)

// choices computes with words that are the same for all fibers, in ifs in ifs whose sides have ops operations each.
func choices(b *ir.Builder, r *rand.Rand, pool []*ir.Def, ops, depth int) *ir.Def {
	pick := func() *ir.Def { return pool[r.Intn(len(pool))] }
	work := func() *ir.Def {
		v := pick()
		for range ops {
			switch r.Intn(4) {
			case 0:
				v = b.Imul(v, pick())
			case 1:
				v = b.Ixor(v, b.Ushr(pick(), b.Imm32(uint32(r.Intn(8)))))
			case 2:
				v = b.Iadd(v, b.Bcsel(b.Ult(v, pick()), pick(), b.Imm32(r.Uint32())))
			default:
				v = b.Umax(v, b.Isub(pick(), v))
			}
			pool = append(pool, v)
		}
		return v
	}
	if depth == 0 {
		return work()
	}
	outside := work()
	n := len(pool)
	i := b.PushIf(b.Ilt(pick(), pick()))
	x := choices(b, r, pool, ops, depth-1)
	b.PushElse(i)
	pool = pool[:n]
	y := outside
	if r.Intn(3) > 0 {
		y = choices(b, r, pool, ops, depth-1)
	}
	b.PopIf(i)
	return b.Iadd(b.IfPhi(i, x, y), outside)
}

// UniformChoices makes a shader of 64 invocations a workgroup that stores a word each: what ifs in ifs, depth deep, choose by
// words that are the same for all, and what it computes of its own in a side of such an if.
func UniformChoices(seed int64, ops, depth int) *ir.Shader {
	r := rand.New(rand.NewSource(seed))
	s, b := NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	var pool []*ir.Def
	for k := range uint32(6) {
		pool = append(pool, LoadUBO(b, b.Imm32(16*k), 1, 32, 16))
	}
	v := choices(b, r, pool, ops, depth)
	i := b.PushIf(b.Ilt(pool[0], pool[1]))
	w := b.Iadd(choices(b, r, pool, ops, 1), id)
	b.PopIf(i)
	StoreWords(b, StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), b.Ixor(b.IfPhi(i, w, v), id))
	return s
}
