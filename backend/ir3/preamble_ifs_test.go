package ir3

import (
	"math/rand"
	"strings"
	"testing"

	"nirc/backend/gputest"
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

// TestPreambleIfs: ifs by what is the same for all are ifs of the preamble where their sides are long, but not on devices
// whose preamble would then no longer run early; short ones are selections.
func TestPreambleIfs(t *testing.T) {
	for seed := range gputest.Seeds(10) {
		for _, ops := range []int{2, 300} {
			r := rand.New(rand.NewSource(seed))
			s, b := gputest.NewShader(ir.StageCompute, 64)
			id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
			var pool []*ir.Def
			for k := range uint32(6) {
				pool = append(pool, gputest.LoadUBO(b, b.Imm32(16*k), 1, 32, 16))
			}
			v := choices(b, r, pool, ops, 1+int(seed)%2*(2/ops))
			// A side of the program's own, where it wants what the preamble computes in its.
			i := b.PushIf(b.Ilt(pool[0], pool[1]))
			w := b.Iadd(choices(b, r, pool, ops, 1), id)
			b.PopIf(i)
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), b.Ixor(b.IfPhi(i, w, v), id))
			for _, gpu := range []string{"a630", "a650", "a740"} {
				bin, err := execute(s, CompileOptions{GPU: gpu}, &gputest.Run{Groups: 2, In: gputest.RandomInput(seed, 128), OutSize: 128 * 4}, nil)
				if err != nil {
					t.Fatalf("seed %d, %d operations on %s: %v\n%s", seed, ops, gpu, err, ir.Print(s))
				}
				pre, _, found := strings.Cut(disasm(bin), "shpe")
				if got, want := strings.Contains(pre, "br "), ops == 300 && gpu == "a630"; found && got != want {
					t.Errorf("seed %d, %d operations on %s: branches in the preamble: %v\n%s", seed, ops, gpu, got, disasm(bin))
				}
			}
		}
	}
}
