package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// voteShader branches on an election or a vote among three of four fibers; twice says that the result is stored too.
func voteShader(vote ir.Intrinsic, limit uint32, twice bool) *ir.Shader {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	out, at := gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(3))
	v := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(2)), 1)
	few := b.PushIf(b.Ine(b.Iand(id, b.Imm32(3)), b.Imm32(1)))
	var cond *ir.Def
	if vote == ir.IntrElect {
		cond = &b.Intrinsic(vote, 1, 1).Def
	} else {
		cond = &b.Intrinsic(vote, 1, 1, b.Ult(id, b.Imm32(limit))).Def
	}
	i := b.PushIf(cond)
	gputest.StoreWords(b, out, at, b.Imul(v, v))
	b.PushElse(i)
	gputest.StoreWords(b, out, at, b.IAddImm(v, 7))
	b.PopIf(i)
	if twice {
		gputest.StoreWords(b, out, b.IAddImm(at, 4), b.B2i32(cond))
	}
	b.PopIf(few)
	return s
}

// TestVoteBranches: an if that is an election's or a vote's only reader is their branch; others read a boolean.
func TestVoteBranches(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		vote  ir.Intrinsic
		limit uint32
		op    string
	}{{ir.IntrElect, 0, "\tgetone "}, {ir.IntrVoteAny, 3, "\tball !p"}, {ir.IntrVoteAny, 0, "\tball !p"}, {ir.IntrVoteAll, 64, "\tbany !p"}, {ir.IntrVoteAll, 9, "\tbany !p"}} {
		for _, gpu := range []string{"a630", "a740"} {
			for _, twice := range []bool{false, true} {
				s := voteShader(c.vote, c.limit, twice)
				bin, err := execute(s, CompileOptions{GPU: gpu}, &gputest.Run{Groups: 1, In: gputest.RandomInput(9, 64), OutSize: 64 * 8}, nil)
				if err != nil {
					t.Errorf("%s: %v below %d: %v", gpu, c.vote, c.limit, err)
					continue
				}
				text := disasm(bin)
				if !strings.Contains(text, c.op) || strings.Contains(text, "mov.u16u16") != twice {
					t.Errorf("%s: %v, read twice: %v\n%s", gpu, c.vote, twice, text)
				}
			}
		}
	}
}

// TestEdgeFibers: the first and last active fiber of workgroups of several sizes, of whose mask only the words that
// they fill are looked at.
func TestEdgeFibers(t *testing.T) {
	programs.Hold(t)
	var words []int
	for _, size := range []uint32{16, 64, 128} {
		s, b := gputest.NewShader(ir.StageCompute, size)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		i := b.PushIf(b.Iand(b.Uge(id, b.Imm32(size/2-3)), b.Ult(id, b.Imm32(size-5))))
		v := b.Vec(lane1(b, ir.IntrFirstInvocation, 32), lane1(b, ir.IntrLastInvocation, 32), reduceWith(b, ir.IntrReduce, ir.OpIadd, id, 0))
		for k := range 3 {
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.IAddImm(b.Imul(id, b.Imm32(12)), int64(4*k)), b.Channel(v, k))
		}
		b.PopIf(i)
		bin, err := execute(s, CompileOptions{GPU: "a740"}, &gputest.Run{Groups: 1, OutSize: int(12 * size), Wave: int(max(size, 64))}, nil)
		if err != nil {
			t.Errorf("%d: %v", size, err)
			continue
		}
		words = append(words, bin.Stats.Instrs)
	}
	if len(words) == 3 && !(words[0] < words[1] && words[1] < words[2]) {
		t.Errorf("instructions %v do not grow with the words of the mask", words)
	}
}
