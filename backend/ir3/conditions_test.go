package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// laneWords are the words of a fiber that its test reads, and the offset of those that it writes.
func laneWords(b *ir.Builder, n uint8) (words, out, at *ir.Def) {
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	words = gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(4)), n)
	return words, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(4))
}

// sameOnBoth compiles a shader for two devices, with and without a step, runs both, and returns what figure makes of each pair.
func sameOnBoth(t *testing.T, s *ir.Shader, step string, figure func(*Binary) int, check func(gpu string, with, without int) bool) {
	t.Helper()
	for _, gpu := range []string{"a630", "a740"} {
		var n [2]int
		var text string
		for k, opts := range []CompileOptions{{GPU: gpu}, {GPU: gpu, Run: leaveOut(step)}} {
			bin, err := execute(s, opts, &gputest.Run{Groups: 2, In: gputest.RandomInput(3, 1024), OutSize: 128 * 16}, nil)
			if err != nil {
				t.Fatalf("%s: %v", gpu, err)
			}
			n[k] = figure(bin)
			text += disasm(bin)
		}
		if !check(gpu, n[0], n[1]) {
			t.Errorf("%s: %d, without the step %d\n%s", gpu, n[0], n[1], text)
		}
	}
}

// TestEarlyConditions: ifs after each other do not each wait for their condition.
func TestEarlyConditions(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	v, out, at := laneWords(b, 4)
	for k := range 4 {
		cf := b.PushIf(b.Ilt(b.Channel(v, k), b.Channel(v, (k+1)%4)))
		gputest.StoreWords(b, out, at, b.Channel(v, k))
		b.PopIf(cf)
	}
	sameOnBoth(t, s, "early_conditions", func(bin *Binary) int { return bin.Stats.Nops }, func(_ string, with, without int) bool { return with <= without-3 })
}

// TestEarlyConditionsRoom: more conditions than predicates, and those of loops, find their way too.
func TestEarlyConditionsRoom(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	v, out, at := laneWords(b, 4)
	for k := range 4 {
		outer := b.PushIf(b.Ilt(b.Channel(v, k), b.Channel(v, (k+1)%4)))
		times(b, b.Iand(b.Channel(v, k), b.Imm32(3)), func(i *ir.Def) {
			for j := range 4 {
				cf := b.PushIf(b.Ult(b.Channel(v, j), b.Channel(v, (k+j+1)%4)))
				gputest.StoreWords(b, out, b.IAddImm(at, int64(4*j)), b.Ixor(b.Channel(v, j), b.Imm32(uint32(16*k+1))))
				b.PopIf(cf)
			}
		})
		b.PopIf(outer)
	}
	sameOnBoth(t, s, "early_conditions", func(bin *Binary) int { return bin.Stats.Nops }, func(_ string, with, without int) bool { return with < without })
}

// roundSlots are the slots from the start of a round of the only loop of a program to its way back, and the way
// itself with each branch that a round comes by.
func roundSlots(bin *Binary) int {
	lines := isa.Disassemble(bin.Meta.Gen, bin.Code)
	for pc := range lines {
		if lines[pc].Target < 0 || lines[pc].Target > pc {
			continue
		}
		n := 0
		for k := lines[pc].Target; k <= pc; k++ {
			n += max(1, issueSlots(&lines[k].Instr))
		}
		return n
	}
	return -1
}

// TestLoopConditions: a round of a loop does not begin with a wait for the condition to go on, and ends in the branch
// on it.
func TestLoopConditions(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	v, out, at := laneWords(b, 4)
	sums := [4]*ir.Def{b.Channel(v, 0), b.Channel(v, 1), b.Channel(v, 2), b.Channel(v, 3)}
	zero, before := b.Imm32(0), b.Cursor.Block
	l := b.PushLoop()
	var phis [5]*ir.Instr
	for k := range phis {
		phis[k] = s.NewPhi(1, 32)
		b.Insert(phis[k])
	}
	i := &phis[4].Def
	cf := b.PushIf(b.Uge(i, b.Iand(sums[0], b.Imm32(7))))
	b.Jump(ir.JumpBreak)
	b.PopIf(cf)
	for k, sum := range sums {
		s.AddPhiSrc(phis[k], before, sum)
		s.AddPhiSrc(phis[k], b.Cursor.Block, b.Ixor(b.Imul(&phis[k].Def, &phis[k].Def), b.Iadd(i, b.Channel(v, k))))
	}
	s.AddPhiSrc(phis[4], before, zero)
	s.AddPhiSrc(phis[4], b.Cursor.Block, b.IAddImm(i, 1))
	b.PopLoop(l)
	gputest.StoreWords(b, out, at, b.Vec(&phis[0].Def, &phis[1].Def, &phis[2].Def, &phis[3].Def))
	if err := ir.Validate(s); err != nil {
		t.Fatal(err)
	}
	sameOnBoth(t, s, "loop_conditions", roundSlots, func(_ string, with, without int) bool { return with > 0 && with <= without-7 })
}

// TestFillPastBreaks: what follows a way out of a loop begins while the way's condition is not there yet.
func TestFillPastBreaks(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	v, out, at := laneWords(b, 4)
	first, limit, zero, before := b.Channel(v, 0), b.Channel(v, 1), b.Imm32(0), b.Cursor.Block
	l := b.PushLoop()
	i, n := s.NewPhi(1, 32), s.NewPhi(1, 32)
	b.Insert(i)
	b.Insert(n)
	sum, found := &i.Def, []*ir.Def{}
	var from []*ir.Block
	for k := range 3 {
		cf := b.PushIf(b.Ior(b.Ult(b.Imul(sum, limit), b.Channel(v, 2)), b.Uge(&n.Def, b.Imm32(5))))
		found, from = append(found, sum), append(from, b.Cursor.Block)
		b.Jump(ir.JumpBreak)
		b.PopIf(cf)
		for range 3 {
			sum = b.Ixor(b.Ishl(sum, b.Imm32(1)), b.IAddImm(limit, int64(k+3)))
		}
	}
	s.AddPhiSrc(i, before, first)
	s.AddPhiSrc(i, b.Cursor.Block, b.IAddImm(sum, 0x1234567))
	s.AddPhiSrc(n, before, zero)
	s.AddPhiSrc(n, b.Cursor.Block, b.IAddImm(&n.Def, 1))
	b.PopLoop(l)
	phi := s.NewPhi(1, 32)
	b.Insert(phi)
	for k := range found {
		s.AddPhiSrc(phi, from[k], found[k])
	}
	gputest.StoreWords(b, out, at, &phi.Def)
	if err := ir.Validate(s); err != nil {
		t.Fatal(err)
	}
	sameOnBoth(t, s, "fill_branches", func(bin *Binary) int { return bin.Stats.Nops }, func(_ string, with, without int) bool { return with <= without-6 })
}

// TestLoopEntry: a loop that is known to run has no branch around it, and a round of it does not wait for what was
// written before the first; one that is known not to run is left out.
func TestLoopEntry(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		first, limit uint32
		compares     int
	}{{0, 40, 1}, {3, 100000, 1}, {40, 40, 0}, {0xffffffff, 7, 0}} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		v, out, at := laneWords(b, 4)
		first, start, mask, before := b.Imm32(c.first), b.Channel(v, 1), b.Channel(v, 2), b.Cursor.Block
		l := b.PushLoop()
		i, sum := s.NewPhi(1, 32), s.NewPhi(1, 32)
		b.Insert(i)
		b.Insert(sum)
		leave := b.PushIf(b.Uge(&i.Def, b.Imm32(c.limit)))
		b.Jump(ir.JumpBreak)
		b.PopIf(leave)
		s.AddPhiSrc(i, before, first)
		s.AddPhiSrc(sum, before, start)
		s.AddPhiSrc(sum, b.Cursor.Block, b.Ixor(b.Iadd(&sum.Def, &i.Def), mask))
		s.AddPhiSrc(i, b.Cursor.Block, b.IAddImm(&i.Def, int64(1+c.limit/40)))
		b.PopLoop(l)
		gputest.StoreWords(b, out, at, &sum.Def)
		sameOnBoth(t, s, "loop_conditions", roundSlots, func(string, int, int) bool { return true })
		for _, gpu := range gpus {
			bin, err := compile(ir.Clone(s), CompileOptions{GPU: gpu})
			if err != nil {
				t.Fatal(err)
			}
			code := disasm(bin)
			if n := strings.Count(code, "cmps."); n != c.compares {
				t.Errorf("%s, from %d to %d: %d comparisons, want %d\n%s", gpu, c.first, c.limit, n, c.compares, code)
			}
			lines := isa.Disassemble(bin.Meta.Gen, bin.Code)
			for pc := range lines {
				if to := lines[pc].Target; to >= 0 && to <= pc && lines[to].Instr.Op == isa.OpNop {
					t.Errorf("%s, from %d to %d: rounds begin with a nop\n%s", gpu, c.first, c.limit, code)
				}
			}
		}
	}
}

// TestTurnedLoopsLeave: fibers leave a turned loop to a block that does not follow it, each after rounds of its own.
func TestTurnedLoopsLeave(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	v, out, at := laneWords(b, 4)
	cf := b.PushIf(b.Ilt(b.Channel(v, 0), b.Channel(v, 1)))
	zero, before := b.Imm32(0), b.Cursor.Block
	l := b.PushLoop()
	i, sum := s.NewPhi(1, 32), s.NewPhi(1, 32)
	b.Insert(i)
	b.Insert(sum)
	leave := b.PushIf(b.Uge(&i.Def, b.Iand(b.Channel(v, 2), b.Imm32(15))))
	b.Jump(ir.JumpBreak)
	b.PopIf(leave)
	s.AddPhiSrc(i, before, zero)
	s.AddPhiSrc(sum, before, zero)
	s.AddPhiSrc(sum, b.Cursor.Block, b.Iadd(b.Imul(&sum.Def, b.Channel(v, 3)), &i.Def))
	s.AddPhiSrc(i, b.Cursor.Block, b.IAddImm(&i.Def, 1))
	b.PopLoop(l)
	b.PushElse(cf)
	other := b.Ixor(b.Channel(v, 2), b.Channel(v, 3))
	for k := range uint32(9) { // too many to be masked
		other = b.Imul(b.IAddImm(other, int64(k)), other)
	}
	b.PopIf(cf)
	gputest.StoreWords(b, out, at, b.IfPhi(cf, &sum.Def, other))
	sameOnBoth(t, s, "loop_conditions", roundSlots, func(_ string, with, without int) bool { return with > 0 && with < without })
}

// handMade is a program of blocks with these ways on; each block's instructions add registers, a result and two sources.
func handMade(gpu string, succs [][]int32, adds [][][3]int32) *phys {
	g, _ := FindGPU(gpu)
	p := &phys{gpu: g, blocks: make([]pblock, len(succs))}
	for b := range succs {
		for _, to := range succs[b] {
			p.edge(int32(b), to)
		}
		for _, a := range adds[b] {
			in := isa.Instr{Op: isa.OpAddF, Dst: isa.R(int(a[0])), Srcs: [4]isa.Operand{isa.R(int(a[1])), isa.R(int(a[2]))}}
			p.blocks[b].ins = append(p.blocks[b].ins, pinstr{Instr: in, to: -1})
		}
	}
	return p
}

// TestReadAfter: what the block after one reads first is made first.
func TestReadAfter(t *testing.T) {
	p := handMade("a630", [][]int32{{1}, {2}, nil}, [][][3]int32{
		{{10, 0, 1}, {11, 1, 2}, {12, 2, 3}, {13, 3, 4}}, {}, {{14, 13, 13}, {15, 10, 10}, {16, 11, 11}, {17, 12, 12}}})
	p.schedule()
	if first := p.blocks[0].ins[0].Dst.Val; first != 13 {
		t.Errorf("r%d is made first, want r13", first)
	}
}

// TestLoopDelays: what the start of a loop waits for on one way is time for what it was entered with.
func TestLoopDelays(t *testing.T) {
	for gpu, want := range map[string]int{"a630": 3, "a740": 2} {
		p := handMade(gpu, [][]int32{{1}, {2, 3}, {1}, nil}, [][][3]int32{{{10, 0, 0}}, {{1, 11, 11}}, {{2, 10, 10}, {11, 3, 3}}, {}})
		p.delays()
		nops := 0
		for b := range p.blocks {
			for i := range p.blocks[b].ins {
				in := &p.blocks[b].ins[i].Instr
				nops += in.Nops()
				if in.Op == isa.OpNop {
					nops += 1 + int(in.Repeat)
				}
			}
		}
		if nops != want {
			t.Errorf("%s: %d slots are idle, want %d", gpu, nops, want)
		}
	}
}
