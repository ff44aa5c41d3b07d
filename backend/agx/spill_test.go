package agx

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// spillBeside makes a shader with a private array of as many bytes and 40 live values: it
// writes the array at immediates and at offsets in registers, and reads it back.
func spillBeside(bytes int) *ir.Shader {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	s.ScratchSize = uint32(bytes)
	off := b.Ishl(b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0), b.Imm32(2))
	place := func(k int) *ir.Def {
		if k%2 == 0 {
			return b.Imm32(uint32(4 * (k % 8000)))
		}
		return b.Iadd(off, b.Imm32(uint32(bytes-256-4*k)))
	}
	var vals []*ir.Def
	for i := range 40 {
		v := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Iadd(off, b.Imm32(uint32(4*i))), 1)
		b.Intrinsic(ir.IntrStoreScratch, 0, 0, b.Ixor(v, b.Imm32(uint32(i))), place(i)).Set(ir.IdxAlignMul, 4).Set(ir.IdxWriteMask, 1)
		vals = append(vals, v)
	}
	sum := b.Imm32(0)
	for i, v := range vals {
		sum = b.Ixor(b.Imul(sum, b.Imm32(5)), v)
		sum = b.Iadd(sum, &b.Intrinsic(ir.IntrLoadScratch, 1, 32, place(i)).Set(ir.IdxAlignMul, 4).Def)
	}
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), off, sum)
	return s
}

// What is spilled beside large private arrays stays within reach, whatever side of the
// limit they end on, and disturbs none of them.
func TestSpillBesideArrays(t *testing.T) {
	programs.Hold(t)
	for _, bytes := range []int{4096, farArrays, farArrays + 16, 40000, 100000, maxFrameBytes - 1024} {
		opts := CompileOptions{Halves: 48}
		bin, text := build(t, spillBeside(bytes), opts)
		if !strings.Contains(text, "stack_adjust") || bin.Stats.Spills <= 40 || int(bin.Meta.ScratchSize) <= bytes {
			t.Errorf("array of %d bytes: %d bytes of stack, %s", bytes, bin.Meta.ScratchSize, bin.Stats)
		}
		r := &gputest.Run{Groups: 1, In: gputest.RandomInput(int64(bytes), 128), OutSize: 4 * 64}
		if err := execute(t, spillBeside(bytes), opts, r, nil); err != nil {
			t.Errorf("array of %d bytes: %v", bytes, err)
		}
	}
	_, _, err := tryBuild(t, spillBeside(maxFrameBytes+16), CompileOptions{})
	if err == nil || !strings.Contains(err.Error(), "131024 bytes of private memory an invocation are not supported, a stack frame has up to 131008") {
		t.Errorf("a frame that is too large: %v", err)
	}
}

// TestSpillBesideOneAccess: a far array that is accessed at one place only, which stores, leaves what is spilled alone.
func TestSpillBesideOneAccess(t *testing.T) {
	programs.Hold(t)
	shader := func() *ir.Shader {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		s.ScratchSize = farArrays + 16
		off := b.Ishl(b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0), b.Imm32(2))
		var vals []*ir.Def
		for i := range 40 {
			vals = append(vals, gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Iadd(off, b.Imm32(uint32(4*i))), 1))
		}
		sum := b.Imm32(0)
		for _, v := range vals {
			sum = b.Iadd(b.Imul(sum, b.Imm32(5)), v)
		}
		i := b.PushLoop()
		at := b.Iand(sum, b.Imm32(0x1fc))
		b.Intrinsic(ir.IntrStoreScratch, 0, 0, sum, at).Set(ir.IdxAlignMul, 4).Set(ir.IdxWriteMask, 1)
		b.Jump(ir.JumpBreak)
		b.PopLoop(i)
		for _, v := range vals {
			sum = b.Ixor(b.Imul(sum, b.Imm32(7)), v)
		}
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), off, sum)
		return s
	}
	opts := CompileOptions{Halves: 48}
	if bin, _ := build(t, shader(), opts); bin.Stats.Spills == 0 {
		t.Fatalf("nothing is spilled: %s", bin.Stats)
	}
	for seed := range int64(4) {
		r := &gputest.Run{Groups: 1, In: gputest.RandomInput(seed, 128), OutSize: 4 * 64}
		if err := execute(t, shader(), opts, r, nil); err != nil {
			t.Error(err)
		}
	}
}
