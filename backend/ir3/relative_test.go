package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// Two vectors of consts at one index: a0.x is written once, no relative source is in a repetition,
// and (ul) stands at the last.
func TestRelativeConsts(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range gpus {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		at := b.Ishl(b.Iand(id, b.Imm32(3)), b.Imm32(4))
		x := gputest.Words(b, gputest.LoadPush(b, at, 4, 32, 0, 96))
		y := gputest.Words(b, gputest.LoadPush(b, b.Iadd(at, b.Imm32(16)), 4, 32, 0, 96))
		sum := id
		for k := range x {
			sum = b.Iadd(b.Ixor(sum, x[k]), b.Ior(y[k], b.Imm32(uint32(k))))
		}
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), sum)
		push := make([]byte, 96)
		for i := range push {
			push[i] = byte(i * 37)
		}
		if err := differ(s, CompileOptions{GPU: gpu}, 2, nil, 512, push); err != nil {
			t.Errorf("%s: %v", gpu, err)
		}
		bin, err := compile(s, CompileOptions{GPU: gpu})
		if err != nil {
			t.Fatal(err)
		}
		code := disasm(bin)
		for text, n := range map[string]int{"mova a0.x": 1, "(r)c<a0.x": 0, "c<a0.x": 8, "(ul)": 1} {
			if strings.Count(code, text) != n {
				t.Errorf("%s: %s stands %d times, want %d\n%s", gpu, text, strings.Count(code, text), n, code)
			}
		}
	}
}

// A vote in between becomes control flow: a0.x does not live across.
func TestRelativeConstsApart(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range gpus {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		at := b.Ishl(b.Iand(id, b.Imm32(3)), b.Imm32(4))
		x := gputest.LoadPush(b, at, 1, 32, 0, 64)
		vote := &b.Intrinsic(ir.IntrVoteAny, 1, 1, b.Ine(x, id)).Def
		y := gputest.LoadPush(b, b.Iadd(at, b.Imm32(4)), 1, 32, 0, 64)
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), b.Bcsel(vote, b.Iadd(x, y), id))
		if err := differ(s, CompileOptions{GPU: gpu}, 1, nil, 256, make([]byte, 64)); err != nil {
			t.Errorf("%s: %v", gpu, err)
		}
	}
}

// Push constants read relative to a0.x beyond the 512 words that the operand's offset reaches.
func TestRelativeConstsFar(t *testing.T) {
	programs.Hold(t)
	push := make([]byte, 2112)
	for i := range push {
		push[i] = byte(i * 7 / 4)
	}
	for _, gpu := range gpus {
		for _, base := range []uint64{2028, 2036, 2048} {
			s, b := gputest.NewShader(ir.StageCompute, 64)
			id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
			first := gputest.LoadPush(b, b.Imm32(0), 1, 32, 0, 4) // the range begins there
			x := gputest.LoadPush(b, b.Ishl(b.Iand(id, b.Imm32(7)), b.Imm32(2)), 2, 32, base, 36)
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), b.Iadd(first, b.Iadd(b.Channel(x, 0), b.Imul(b.Channel(x, 1), b.Imm32(3)))))
			if err := differ(s, CompileOptions{GPU: gpu}, 1, nil, 256, push); err != nil {
				t.Errorf("%s, byte %d: %v", gpu, base, err)
			}
		}
	}
}

// What is 0 once descriptors are known goes out of sums of three, so that loads see
// the const in their address.
func TestSumsWithZero(t *testing.T) {
	programs.Hold(t)
	for k := range 3 {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		parts := []*ir.Def{b.Ishl(id, b.Imm32(2)), b.Imm32(12)}
		parts = append(parts[:k:k], append([]*ir.Def{b.Imm32(0)}, parts[k:]...)...)
		v := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Iadd3(parts[0], parts[1], parts[2]), 1)
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), v)
		in := make([]byte, 4*140)
		for i := range in {
			in[i] = byte(i * 29)
		}
		if err := differ(s, CompileOptions{GPU: "a740"}, 2, in, 512, nil); err != nil {
			t.Error(err)
		}
		bin, err := compile(s, CompileOptions{GPU: "a740"})
		if err != nil {
			t.Fatal(err)
		}
		if code := disasm(bin); strings.Contains(code, "sad") || !strings.Contains(code, "+3, 0") {
			t.Errorf("0 as addend %d:\n%s", k, code)
		}
	}
}

// An instruction has one source relative to a0.x: one that reads such a const twice reads a register, whatever stands before and after it.
func TestRelativeConstTwice(t *testing.T) {
	programs.Hold(t)
	push := make([]byte, 64)
	for i := range push {
		push[i] = byte(i*37 + 1)
	}
	for _, gpu := range gpus {
		for others := range 2 {
			s, b := gputest.NewShader(ir.StageCompute, 64)
			id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
			x := gputest.LoadPush(b, b.Ishl(b.Iand(id, b.Imm32(15)), b.Imm32(2)), 1, 32, 0, 64)
			sum := id
			if others == 1 {
				sum = b.Ixor(x, id)
			}
			sum = b.Ixor(sum, b.Iadd(x, x))
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), sum)
			if err := differ(s, CompileOptions{GPU: gpu}, 1, nil, 256, push); err != nil {
				t.Errorf("%s, %d other reads: %v", gpu, others, err)
			}
		}
	}
}
