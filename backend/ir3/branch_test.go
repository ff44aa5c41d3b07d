package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestBranchOnTwo: a branch on the and or the or of two conditions takes both as they are, even if one is
// computed for others too; what others are computed for is one condition. The branch goes around the side, so it is
// on the opposite.
func TestBranchOnTwo(t *testing.T) {
	programs.Hold(t)
	type build = func(b *ir.Builder, x, y *ir.Def) *ir.Def
	less := func(b *ir.Builder, x *ir.Def, n uint32) *ir.Def { return b.Ult(x, b.Imm32(n)) }
	for _, c := range []struct {
		name string
		cond build
		want string
	}{
		{"and", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Iand(less(b, x, 1<<30), less(b, y, 1<<31)) }, "brao !p0.x, !p0.y"},
		{"or", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Ior(less(b, x, 1<<30), less(b, y, 1<<31)) }, "braa !p0.x, !p0.y"},
		{"not and", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
			return b.Inot(b.Iand(less(b, x, 1<<31), b.Inot(less(b, y, 1<<30))))
		}, "braa p0.x, !p0.y"},
		{"not or", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
			return b.Inot(b.Ior(b.Inot(less(b, x, 1<<31)), less(b, y, 1<<30)))
		}, "brao !p0.x, p0.y"},
		{"three", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
			return b.Ior(b.Ior(less(b, x, 1<<30), less(b, y, 1<<29)), b.Ieq(x, y))
		}, "braa"},
		{"used", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
			p, q := less(b, x, 1<<31), less(b, y, 1<<31)
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Imm32(0), b.Bcsel(b.Ixor(p, q), b.Imm32(1), b.Imm32(1)))
			return b.Iand(p, q)
		}, "br "},
	} {
		for _, gpu := range []string{"a630", "a740"} {
			s, b := gputest.NewShader(ir.StageCompute, 64)
			id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
			load := func(k int64) *ir.Def {
				return gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.IAddImm(b.Ishl(id, b.Imm32(3)), k), 1)
			}
			i := b.PushIf(c.cond(b, load(0), load(4)))
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.IAddImm(b.Ishl(id, b.Imm32(2)), 4), b.Imul(load(4), load(0)))
			b.PopIf(i)
			bin, err := execute(s, CompileOptions{GPU: gpu}, &gputest.Run{Groups: 1, In: gputest.RandomInput(3, 1024), OutSize: 64*4 + 4}, nil)
			if err != nil {
				t.Errorf("%s on %s: %v", c.name, gpu, err)
				continue
			}
			if text := disasm(bin); !strings.Contains(text, c.want) {
				t.Errorf("%s on %s: no %s:\n%s", c.name, gpu, c.want, text)
			}
		}
	}
}

// TestFillBranchesWaits: what a branch leads to and what must wait for a result that the block before has only asked for
// does not move up before the branch, though there are slots.
func TestFillBranchesWaits(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	s.SharedSize = 512
	id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
	at := b.Ishl(id, b.Imm32(2))
	gputest.StoreTo(b, ir.IntrStoreShared, b.Imul(id, id), at, 1, 0)
	gputest.Barrier(b)
	v := gputest.LoadShared(b, at, 1, 32, 0)
	i := b.PushIf(b.Ult(b.Imul(b.Iadd(id, b.Imm32(3)), b.Iadd(id, b.Imm32(5))), b.Imm32(700)))
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), at, b.Ixor(b.Iadd(v, id), b.Imm32(77)))
	b.PopIf(i)
	bin, err := execute(s, CompileOptions{}, &gputest.Run{Groups: 1, In: make([]byte, 16), OutSize: 256}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := disasm(bin)
	_, rest, _ := strings.Cut(text, "ldl")
	if wait, branch := strings.Index(rest, "(ss)"), strings.Index(rest, "br "); wait < branch || branch < 0 {
		t.Errorf("a wait before the branch:\n%s", text)
	}
}

// TestLoopOnTwo: a loop that goes on as long as two conditions hold ends its rounds in the branch on both.
func TestLoopOnTwo(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range []string{"a630", "a740"} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
		zero, before := b.Imm32(0), b.Cursor.Block
		l := b.PushLoop()
		n, sum := s.NewPhi(1, 32), s.NewPhi(1, 32)
		b.Insert(n)
		b.Insert(sum)
		i := b.PushIf(b.Ior(b.Uge(&n.Def, id), b.Uge(&sum.Def, b.Imm32(300))))
		b.Jump(ir.JumpBreak)
		b.PopIf(i)
		x := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Ishl(&n.Def, b.Imm32(2)), 1)
		s.AddPhiSrc(n, before, zero)
		s.AddPhiSrc(sum, before, zero)
		s.AddPhiSrc(n, b.Cursor.Block, b.IAddImm(&n.Def, 1))
		s.AddPhiSrc(sum, b.Cursor.Block, b.Iadd(&sum.Def, b.Iand(x, b.Imm32(31))))
		b.PopLoop(l)
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), b.Iadd(b.Imul(&n.Def, b.Imm32(1000)), &sum.Def))
		bin, err := execute(s, CompileOptions{GPU: gpu}, &gputest.Run{Groups: 1, In: gputest.RandomInput(5, 256), OutSize: 256}, nil)
		if err != nil {
			t.Fatalf("%s: %v", gpu, err)
		}
		text := disasm(bin)
		if strings.Count(text, "braa") != 1 || strings.Contains(text, "jump") || strings.Contains(text, "or.b") {
			t.Errorf("%s:\n%s", gpu, text)
		}
	}
}
