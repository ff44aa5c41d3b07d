package midgard

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// A subgroup is one thread: its number is the thread's, and there are as many as
// threads, in workgroups of any shape.
func TestSubgroupNumbers(t *testing.T) {
	programs.Hold(t)
	for i, size := range [][3]uint32{{1, 1, 1}, {7, 1, 1}, {3, 4, 1}, {2, 3, 4}, {1, 1, 5}, {1, 6, 1}} {
		s, b := gputest.NewShader(ir.StageCompute, 1)
		s.Info.WorkgroupSize = size
		threads := size[0] * size[1] * size[2]
		out := gputest.StorageBuffer(b, 0, 1)
		id := &b.Intrinsic(ir.IntrLoadSubgroupId, 1, 32).Def
		count := &b.Intrinsic(ir.IntrLoadNumSubgroups, 1, 32).Def
		gputest.StoreWords(b, out, b.Imul(id, b.Imm32(12)), b.Vec(id, count, b.Imm32(uint32(i)+5)))
		run := &gputest.Run{Groups: 1, In: make([]byte, 16), OutSize: int(12 * threads)}
		if _, err := execute(s, CompileOptions{GPU: gpus[i%len(gpus)].Name}, run, nil); err != nil {
			t.Errorf("%v: %v", size, err)
		}
	}
}
