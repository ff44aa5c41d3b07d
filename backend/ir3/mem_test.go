package ir3

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestMemory runs what the code generators share on each chip.
func TestMemory(t *testing.T) {
	programs.Hold(t)
	gputest.TestMemory(t, func(name string, s *ir.Shader, r *gputest.Run) error {
		list := gpus
		if strings.HasPrefix(name, "64-bit") {
			list = []string{"a740", "a750"}
		}
		for _, gpu := range list {
			if _, err := execute(s, CompileOptions{GPU: gpu}, r, nil); err != nil {
				return fmt.Errorf("%s: %w", gpu, err)
			}
		}
		return nil
	}, "64-bit atomics", "votes of equal long values") // passes make exchanges of them, and votes on their words
}

// A workgroup whose waves must all fit at once, because they meet at a
// barrier, gets fewer registers.
func TestBarrierLimitsRegisters(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	s.Info.WorkgroupSize = [3]uint32{1024, 1, 1}
	s.SharedSize = 4096
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	var live []*ir.Def
	for k := range 80 {
		live = append(live, b.Imul(gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Imm32(uint32(4*k)), 1), id))
	}
	gputest.Barrier(b)
	sum := id
	for _, v := range live {
		sum = b.Ixor(b.Iadd(sum, v), b.Imm32(99))
	}
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), sum)
	if err := differ(s, CompileOptions{}, 1, make([]byte, 512), 4096, nil); err != nil {
		t.Fatal(err)
	}
	bin, err := compile(s, CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if bin.Meta.MaxRegs > 12 || bin.Stats.Stp == 0 {
		t.Errorf("%d vec4 registers, %d stored values: at most 12 registers let 16 waves fit", bin.Meta.MaxRegs, bin.Stats.Stp)
	}
}

// TestCompareAndSwapOrder: the new value lies in the register before the one that is compared.
func TestCompareAndSwapOrder(t *testing.T) {
	programs.Hold(t)
	const compared, fresh = 101, 202
	for _, gpu := range gpus {
		for _, c := range []struct {
			space string
			swap  func(b *ir.Builder, compare, value *ir.Def) *ir.Instr
		}{
			{"b", func(b *ir.Builder, compare, value *ir.Def) *ir.Instr {
				return b.Intrinsic(ir.IntrSsboAtomicSwap, 1, 32, gputest.StorageBuffer(b, 0, 1), b.Imm32(8), compare, value)
			}},
			{"l", func(b *ir.Builder, compare, value *ir.Def) *ir.Instr {
				return b.Intrinsic(ir.IntrSharedAtomicSwap, 1, 32, b.Imm32(8), compare, value)
			}},
			{"g", func(b *ir.Builder, compare, value *ir.Def) *ir.Instr {
				return b.Intrinsic(ir.IntrGlobalAtomicSwap, 1, 32, b.ImmInt(1<<20, 64), compare, value)
			}},
		} {
			s, b := gputest.NewShader(ir.StageCompute, 64)
			s.SharedSize = 64
			id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
			old := c.swap(b, b.Imm32(compared), b.Imm32(fresh)).Set(ir.IdxAtomicOp, uint64(ir.AtomicCmpXchg))
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(2)), &old.Def)
			bin, err := compile(s, CompileOptions{GPU: gpu})
			if err != nil {
				t.Fatal(err)
			}
			if text := disasm(bin); !swapsInOrder(text, c.space == "b", fresh, compared) {
				t.Errorf("%s, %s: want %d in the register before that of %d:\n%s", gpu, c.space, fresh, compared, text)
			}
		}
	}
}

// TestLongArithmetic: no atomic of 64 bits computes: what no loop was made of is refused.
func TestLongArithmetic(t *testing.T) {
	for op := ir.AtomicIAdd; op <= ir.AtomicIXor; op++ {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		b.Intrinsic(ir.IntrSsboAtomic, 1, 64, gputest.StorageBuffer(b, 0, 1), b.Imm32(40), b.ImmInt(7, 64)).Set(ir.IdxAtomicOp, uint64(op))
		if _, err := compile(s, CompileOptions{GPU: "a740"}); err == nil || !strings.Contains(err.Error(), "must be lowered") {
			t.Errorf("%s: error %v, want a refusal", ir.AtomicOpNames[op], err)
		}
	}
}

// TestLongAtomicOffsets: atomics of 64 bits count their offset in halves, others in words.
func TestLongAtomicOffsets(t *testing.T) {
	programs.Hold(t)
	for bits, want := range map[uint8]string{32: "mov.u32u32 r%d.%c, 10\n", 64: "mov.u32u32 r%d.%c, 20\n"} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		b.Intrinsic(ir.IntrSsboAtomic, 1, bits, gputest.StorageBuffer(b, 0, 1), b.Imm32(40), b.ImmInt(7, bits)).Set(ir.IdxAtomicOp, uint64(ir.AtomicXchg))
		bin, err := compile(s, CompileOptions{GPU: "a740"})
		if err != nil {
			t.Fatal(err)
		}
		text := disasm(bin)
		m := regexp.MustCompile(`atomic\.b\.xchg\S* r\d+\.[xyzw], r(\d+)\.([xyzw]), 2`).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("%d bits: no atomic:\n%s", bits, text)
		}
		reg, _ := strconv.Atoi(m[1])
		if !strings.Contains(text, fmt.Sprintf(want, reg, m[2][0])) {
			t.Errorf("%d bits: the offset of 40 bytes is another:\n%s", bits, text)
		}
	}
}

// swapsInOrder reports whether the operands of the compare and swap of a listing are these, moved to
// registers that follow each other. Those of a buffer follow the register of the result.
func swapsInOrder(text string, buffer bool, operands ...int) bool {
	at := regexp.MustCompile(`cmpxchg\S* .*r(\d+)\.([xyzw])$`)
	if buffer {
		at = regexp.MustCompile(`cmpxchg\S* r(\d+)\.([xyzw]), `)
	}
	for line := range strings.Lines(text) {
		if m := at.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			reg, _ := strconv.Atoi(m[1])
			reg = 4*reg + strings.Index("xyzw", m[2])
			if buffer {
				reg++
			}
			for i, v := range operands {
				if !strings.Contains(text, fmt.Sprintf("mov.u32u32 r%d.%c, %d\n", (reg+i)/4, "xyzw"[(reg+i)%4], v)) {
					return false
				}
			}
			return true
		}
	}
	return false
}
