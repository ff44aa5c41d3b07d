package ir3

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestReductions: every operation over the fibers that are active, in one subgroup and, with clusters as large as the
// workgroup, in two; the result stands in a shared register, so nobody asks who was last.
func TestReductions(t *testing.T) {
	programs.Hold(t)
	in := make([]byte, 1024)
	for i := range 256 {
		binary.LittleEndian.PutUint32(in[4*i:], math.Float32bits(float32(i%7)-3.5))
	}
	for _, gpu := range []string{"a630", "a740"} {
		for _, r := range reductions {
			for _, cluster := range []uint64{0, 64} {
				s, b := gputest.NewShader(ir.StageCompute, 64)
				id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
				at := b.Ishl(id, b.Imm32(2))
				v := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), at, 1)
				i := b.PushIf(b.Ine(b.Iand(id, b.Imm32(5)), b.Imm32(4)))
				gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), at, reduceWith(b, ir.IntrReduce, r.ir, v, cluster))
				b.PopIf(i)
				bin, err := execute(s, CompileOptions{GPU: gpu}, &gputest.Run{Groups: 1, In: in, OutSize: 256, Wave: 64}, nil)
				if err != nil {
					t.Errorf("%s of clusters of %d on %s: %v", r.ir, cluster, gpu, err)
					continue
				}
				if text := disasm(bin); strings.Contains(text, "movmsk") || strings.Count(text, "getone") != 1 {
					t.Errorf("%s of clusters of %d on %s:\n%s", r.ir, cluster, gpu, text)
				}
			}
		}
	}
}
