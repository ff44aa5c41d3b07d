package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestKillBeforeLoads: fibers that are killed may go on as helpers past loads that descriptors bound, as past lookups, so there is no
// branch around these; pointers that the program never made stay out of their reach.
func TestKillBeforeLoads(t *testing.T) {
	for _, gpu := range []string{"a630", "a740"} {
		for _, pointer := range []bool{false, true} {
			s, b := newStage(ir.StageFragment)
			v := inputFrom(b, ir.SlotVar0, 0, 2)
			b.Intrinsic(ir.IntrTerminateIf, 0, 0, b.Flt(b.ImmFloat(0, 32), b.Channel(v, 0)))
			at := b.Ishl(b.F2u32(b.Channel(v, 1)), b.Imm32(2))
			buf := gputest.StorageBuffer(b, 0, 0)
			var x *ir.Def
			if pointer {
				addr := b.Pack64_2x32Split(at, b.Imm32(0))
				x = &b.Intrinsic(ir.IntrLoadGlobal, 1, 32, addr).Set(ir.IdxAlignMul, 4).Def
			} else {
				x = gputest.LoadWords(b, buf, at, 1)
			}
			gputest.StoreWords(b, buf, b.Imm32(64), x)
			bin, err := compile(s, CompileOptions{GPU: gpu})
			if err != nil {
				t.Fatal(err)
			}
			if text := disasm(bin); !strings.Contains(text, "kill") || strings.Contains(text, "br ") != pointer {
				t.Errorf("%s, by a pointer %t:\n%s", gpu, pointer, text)
			}
		}
	}
}
