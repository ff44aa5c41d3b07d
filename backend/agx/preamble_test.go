package agx

import (
	"strings"
	"testing"

	"nirc/backend/agx/isa"
	"nirc/backend/gputest"
	"nirc/ir"
)

// pushWord loads a word of the push constants.
func pushWord(b *ir.Builder, off uint32) *ir.Def {
	x := b.Intrinsic(ir.IntrLoadPushConstant, 1, 32, b.Imm32(off))
	x.Set(ir.IdxRange, 64).Set(ir.IdxAlignMul, 4)
	return &x.Def
}

// TestPreambleChoices: what an if chooses by a uniform condition from uniform values is one uniform register, and the if is gone;
// one that chooses from others stays.
func TestPreambleChoices(t *testing.T) {
	programs.Hold(t)
	for _, uniform := range []bool{true, false} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		other := id
		if uniform {
			other = pushWord(b, 8)
		}
		i := b.PushIf(b.Ult(pushWord(b, 0), b.Imm32(5)))
		x := b.Fmul(pushWord(b, 4), other)
		b.PushElse(i)
		y := b.Fadd(pushWord(b, 4), other)
		b.PopIf(i)
		off := b.Ishl(id, b.Imm32(2))
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 0), off, b.IfPhi(i, x, y))
		_, text := build(t, s, CompileOptions{})
		if uniform == strings.Contains(text, "if_") || uniform == strings.Contains(text, "fmul32") {
			t.Errorf("uniform values %t:\n%s", uniform, text)
		}
	}
}

// TestPreambleLoads: a load from a storage buffer that nobody writes moves to the preamble from where the shader always comes by,
// in a side of an if if that moves too, for which it stays one; it stays in other sides, and where others may write.
func TestPreambleLoads(t *testing.T) {
	programs.Hold(t)
	const constant = uint64(ir.AccessNonWriteable | ir.AccessCanReorder)
	for _, c := range []struct {
		access        uint64
		side, uniform bool
		moves         bool
	}{{constant, false, false, true}, {constant, true, false, false}, {constant, true, true, true}, {0, false, false, false}, {0, true, true, false},
		{constant | uint64(ir.AccessVolatile), false, false, false}, {constant | uint64(ir.AccessCoherent), false, false, false}} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		var i *ir.If
		if c.side {
			number := id
			if c.uniform {
				number = pushWord(b, 4)
			}
			i = b.PushIf(b.Ult(number, b.Imm32(5)))
		}
		v := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 1), pushWord(b, 0), 1)
		v.Instr.Set(ir.IdxAccess, c.access)
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(2)), v)
		if c.side {
			b.PushElse(i)
			b.PopIf(i)
		}
		_, text := build(t, s, CompileOptions{})
		if c.moves == strings.Contains(text, "device_load") {
			t.Errorf("access %#x, in a side %t, which is uniform %t:\n%s", c.access, c.side, c.uniform, text)
		}
	}
}

// TestPreambleIfs: ifs by what is the same for all are ifs of the preamble where their sides are long, and selections where
// they are short.
func TestPreambleIfs(t *testing.T) {
	programs.Hold(t)
	for seed := range gputest.Seeds(30) {
		for _, ops := range []int{2, 60} {
			s := gputest.UniformChoices(seed, ops, 1+int(seed)%2*(2/ops))
			bin, _ := build(t, s, CompileOptions{})
			pre := isa.Listing(isa.Disassemble(bin.Code[bin.Meta.Preamble:]), false)
			if got, want := strings.Contains(pre, "if_"), ops == 60; got != want {
				t.Errorf("seed %d, %d operations: an if in the preamble: %t\n%s", seed, ops, got, pre)
			}
			if err := execute(t, s, CompileOptions{}, &gputest.Run{Groups: 2, In: gputest.RandomInput(seed, 128), OutSize: 128 * 4}, nil); err != nil {
				t.Fatalf("seed %d, %d operations: %v\n%s", seed, ops, err, ir.Print(s))
			}
		}
	}
}

// TestPreambleViews: programs run once a view, so what follows from its number is the preamble's.
func TestPreambleViews(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageFragment, 64)
	view := &b.Intrinsic(ir.IntrLoadViewIndex, 1, 32).Def
	x := loadInput(b, ir.SlotVar0, 1)
	storeOutput(b, ir.SlotData0, b.Ixor(x, b.Imul(view, view)))
	bin, text := build(t, s, CompileOptions{})
	if !bin.Meta.HasPreamble || strings.Contains(text, "imadd") {
		t.Errorf("the square of the view's number is made by fragments:\n%s", text)
	}
}
