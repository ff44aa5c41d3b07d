package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// pushedArray is a kernel that reads words of an array of n vec4 from vec4 first on, by the
// lane's number, n a power of two; use makes the result of id, and of the words.
func pushedArray(first, n uint32, use func(b *ir.Builder, id, x *ir.Def) *ir.Def) *ir.Shader {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	at := b.Iadd(b.Ishl(b.Iand(id, b.Imm32(n-1)), b.Imm32(4)), b.Imm32(16*first))
	x := gputest.LoadUBO(b, at, 4, 32, 16)
	x.Instr.Set(ir.IdxRangeBase, uint64(16*first)).Set(ir.IdxRange, uint64(16*n))
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), use(b, id, x))
	return s
}

func mixWords(b *ir.Builder, id, x *ir.Def) *ir.Def {
	for k := range 4 {
		id = b.Ixor(id, b.Iadd(b.Channel(x, k), id))
	}
	return id
}

// Elements of small arrays in uniform buffers are read from the const file where they are used, by one
// a0.x; those of larger arrays are loaded, and so are those that would have to be moved to a register.
func TestPushedArrays(t *testing.T) {
	programs.Hold(t)
	in := make([]byte, 8192)
	for i := range in {
		in[i] = byte(i * 31 / 3)
	}
	withConst := func(b *ir.Builder, id, x *ir.Def) *ir.Def {
		return b.Iadd(b.Imul(b.Channel(x, 1), gputest.LoadUBO(b, b.Imm32(0), 1, 32, 16)), b.Ixor(id, b.Channel(x, 0)))
	}
	inBranch := func(b *ir.Builder, id, x *ir.Def) *ir.Def {
		i := b.PushIf(b.Ult(id, b.Imm32(5)))
		v := mixWords(b, id, x)
		b.PopIf(i)
		return b.IfPhi(i, v, id)
	}
	for _, c := range []struct {
		name     string
		first, n uint32
		use      func(b *ir.Builder, id, x *ir.Def) *ir.Def
		pushed   bool
	}{
		{"small", 3, 2, mixWords, true},
		{"from the beginning", 0, 2, mixWords, true},
		{"large", 3, 128, mixWords, false},
		{"beside another const", 3, 2, withConst, false},
		{"in another block", 3, 2, inBranch, false},
	} {
		for _, gpu := range gpus {
			s := pushedArray(c.first, c.n, c.use)
			if err := differ(s, CompileOptions{GPU: gpu}, 2, in, 512, nil); err != nil {
				t.Errorf("%s, %s: %v", c.name, gpu, err)
			}
			bin, err := compile(s, CompileOptions{GPU: gpu})
			if err != nil {
				t.Fatal(err)
			}
			code := disasm(bin)
			if strings.Contains(code, "c<a0.x") != c.pushed || strings.Contains(code, "ldc.offset") == c.pushed {
				t.Errorf("%s, %s: pushed should be %t\n%s", c.name, gpu, c.pushed, code)
			}
			if c.pushed && (strings.Count(code, "mova a0.x") != 1 || strings.Count(code, "c<a0.x") != 4 || strings.Contains(code, "mov.u32u32 r")) {
				t.Errorf("%s, %s: elements are moved\n%s", c.name, gpu, code)
			}
		}
	}
}

// Elements at two places that are used together: those at the first are moved before a0.x is written again.
func TestTwoElements(t *testing.T) {
	programs.Hold(t)
	in := make([]byte, 8192)
	for i := range in {
		in[i] = byte(i * 31 / 3)
	}
	s := pushedArray(3, 2, func(b *ir.Builder, id, x *ir.Def) *ir.Def {
		y := gputest.LoadUBO(b, b.Iadd(b.Ishl(b.Iand(b.Ushr(id, b.Imm32(1)), b.Imm32(1)), b.Imm32(4)), b.Imm32(48)), 4, 32, 16)
		y.Instr.Set(ir.IdxRangeBase, 48).Set(ir.IdxRange, 32)
		for k := range 4 {
			id = b.Ixor(id, b.Isub(b.Channel(x, k), b.Channel(y, k)))
		}
		return id
	})
	for _, gpu := range gpus {
		if err := differ(s, CompileOptions{GPU: gpu}, 2, in, 512, nil); err != nil {
			t.Errorf("%s: %v", gpu, err)
		}
		bin, err := compile(s, CompileOptions{GPU: gpu})
		if err != nil {
			t.Fatal(err)
		}
		if code := disasm(bin); strings.Count(code, "mova a0.x") != 2 || strings.Count(code, "c<a0.x") != 8 {
			t.Errorf("%s: elements are not read by two a0.x:\n%s", gpu, code)
		}
	}
}

// In a loop an array is worth more copies. One of which nobody knows where it ends is never copied.
func TestPushedArraysInLoops(t *testing.T) {
	programs.Hold(t)
	in := make([]byte, 8192)
	for i := range in {
		in[i] = byte(i * 31 / 3)
	}
	for _, known := range []bool{true, false} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		zero, before := b.Imm32(0), b.Cursor.Block
		l := b.PushLoop()
		round, sum := s.NewPhi(1, 32), s.NewPhi(1, 32)
		b.Insert(round)
		b.Insert(sum)
		i := b.PushIf(b.Uge(&round.Def, b.Imm32(3)))
		b.Jump(ir.JumpBreak)
		b.PopIf(i)
		x := gputest.LoadUBO(b, b.Ishl(b.Iand(b.Iadd(id, &round.Def), b.Imm32(15)), b.Imm32(4)), 4, 32, 16)
		x.Instr.Set(ir.IdxRange, 0xffffffff)
		if known {
			x.Instr.Set(ir.IdxRange, 16*16)
		}
		s.AddPhiSrc(round, before, zero)
		s.AddPhiSrc(sum, before, id)
		s.AddPhiSrc(sum, b.Cursor.Block, mixWords(b, &sum.Def, x))
		s.AddPhiSrc(round, b.Cursor.Block, b.IAddImm(&round.Def, 1))
		b.PopLoop(l)
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), &sum.Def)
		for _, gpu := range gpus {
			if err := differ(s, CompileOptions{GPU: gpu}, 2, in, 512, nil); err != nil {
				t.Errorf("%s, range known %t: %v", gpu, known, err)
			}
			bin, err := compile(s, CompileOptions{GPU: gpu})
			if err != nil {
				t.Fatal(err)
			}
			if code := disasm(bin); strings.Contains(code, "c<a0.x") != known || strings.Contains(code, "ldc.offset") == known {
				t.Errorf("%s, range known %t:\n%s", gpu, known, code)
			}
		}
	}
}

// Parts of one array that overlap are copied together, and their reads count together.
func TestArrayParts(t *testing.T) {
	part := func(first, n, reads uint32) uboArray {
		return uboArray{uboRange{slot: 1, first: first, n: n}, reads}
	}
	var u uboPush
	for _, a := range []uboArray{part(8, 5, 1), part(20, 4, 1), part(9, 5, 1), part(11, 10, 2)} {
		u.noteArray(a)
	}
	if len(u.arrays) != 1 || u.arrays[0] != part(8, 16, 5) {
		t.Errorf("parts that overlap are %v", u.arrays)
	}
	u.noteArray(part(30, 8, 4))
	u.addArrays(4 * 12)
	if len(u.bufs) != 1 || u.bufs[0].next(0) != 30 {
		t.Errorf("not just what is worth it and fits was added: %v", u.bufs)
	}
	if at := u.layOut(64, 4*16); at != 64+4*12 {
		t.Errorf("the array ends at %d", at)
	}
	if at, ok := u.findArray(0, 1, 31, 7); !ok || at != 64+4*3 {
		t.Errorf("its second vec4 stands at %d (%t)", at, ok)
	}
	if _, ok := u.findArray(0, 1, 31, 10); ok {
		t.Error("more than what was copied was found")
	}
}
