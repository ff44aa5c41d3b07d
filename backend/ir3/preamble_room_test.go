package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestPreambleRoom: the preamble leaves half a const file of results, beyond what one number of stc counts.
func TestPreambleRoom(t *testing.T) {
	programs.Hold(t)
	const results = 700
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
	x, y := gputest.LoadPush(b, b.Imm32(0), 1, 32, 0, 16), gputest.LoadPush(b, b.Imm32(4), 1, 32, 0, 16)
	v := id
	for k := range uint32(results) {
		product := b.Imul(b.Ixor(x, b.Imm32(0x10001*k+3)), b.Iadd(y, b.Imm32(k)))
		if k&1 == 0 { // no sum of sums that could be had from one result
			v = b.Ixor(v, product)
		} else {
			v = b.Iadd(v, product)
		}
	}
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), v)
	for _, gpu := range []string{"a630", "a740", "a750"} {
		push := []byte{77, 31, 5, 200, 9, 8, 7, 201, 0, 0, 0, 0, 0, 0, 0, 0}
		bin, err := execute(s, CompileOptions{GPU: gpu}, &gputest.Run{Groups: 1, OutSize: 256, Push: push}, nil)
		if err != nil {
			t.Errorf("%s: %v", gpu, err)
			continue
		}
		_, main, _ := strings.Cut(disasm(bin), "shpe")
		if main == "" || strings.Contains(main, "mul") {
			t.Errorf("%s: the program multiplies what is the same for a dispatch", gpu)
		}
	}
}
