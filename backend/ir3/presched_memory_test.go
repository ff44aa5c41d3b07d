package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestCopiesInMemory: of a copy of an array in private or workgroup memory, word by word, all loads come before the first store, as
// they are known to go elsewhere. A copy onto the next word, whose loads read what it has just stored, keeps its order, also
// where more accesses come than are compared.
func TestCopiesInMemory(t *testing.T) {
	programs.Hold(t)
	for _, mem := range []struct {
		name         string
		load, store  ir.Intrinsic
		ldOp, storOp string
	}{{"private", ir.IntrLoadScratch, ir.IntrStoreScratch, "ldp.", "stp."}, {"workgroup", ir.IntrLoadShared, ir.IntrStoreShared, "ldl.", "stl."}} {
		for _, c := range []struct {
			words, to uint32
			apart     bool
		}{{6, 128, true}, {6, 4, false}, {60, 4, false}} {
			s, b := gputest.NewShader(ir.StageCompute, 64)
			s.ScratchSize, s.SharedSize = 512, 64*512
			id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
			place := b.Ishl(b.Iand(id, b.Imm32(7)), b.Imm32(4))
			if mem.name == "workgroup" { // each has its own words
				place = b.Iadd(b.Ishl(id, b.Imm32(9)), place)
			}
			at := func(k uint32) *ir.Def {
				sum := b.Iadd(place, b.Imm32(k))
				sum.Instr.NoUnsignedWrap = true
				return sum
			}
			load := func(off *ir.Def) *ir.Def {
				return &b.Intrinsic(mem.load, 1, 32, off).Set(ir.IdxAlignMul, 4).Def
			}
			for k := range uint32(64) {
				gputest.StoreTo(b, mem.store, b.Ixor(id, b.Imm32(k*k)), at(4*k), 1, 0)
			}
			i := b.PushIf(b.Ine(id, b.Imm32(5)))
			for k := range c.words {
				gputest.StoreTo(b, mem.store, load(at(4*k)), at(4*k+c.to), 1, 0)
			}
			b.PopIf(i)
			sum := id
			for k := range c.words {
				sum = b.Iadd(b.Imul(sum, b.Imm32(3)), load(at(4*k+c.to)))
			}
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), sum)
			for _, gpu := range []string{"a630", "a740"} {
				bin, err := execute(s, CompileOptions{GPU: gpu}, &gputest.Run{Groups: 1, OutSize: 256}, nil)
				if err != nil {
					t.Errorf("%s, %s, %d words: %v", mem.name, gpu, c.words, err)
					continue
				}
				_, copied, _ := strings.Cut(disasm(bin), mem.ldOp)
				before, _, _ := strings.Cut(copied, mem.storOp)
				if n := uint32(strings.Count(before, mem.ldOp)) + 1; (n == c.words) != c.apart {
					t.Errorf("%s, %s: %d loads come before the first store\n%s", mem.name, gpu, n, disasm(bin))
				}
			}
		}
	}
}
