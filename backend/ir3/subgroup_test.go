package ir3

import (
	"encoding/binary"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// subgroupCase makes words of a lane from its value and number; all of it runs
// where three of four fibers are active.
type subgroupCase struct {
	name  string
	words int
	build func(b *ir.Builder, v, id *ir.Def) []*ir.Def
}

func reduceWith(b *ir.Builder, i ir.Intrinsic, op ir.Op, v *ir.Def, cluster uint64) *ir.Def {
	x := b.Intrinsic(i, v.NumComponents, v.BitSize, v).Set(ir.IdxReductionOp, uint64(op))
	if i == ir.IntrReduce {
		x.Set(ir.IdxClusterSize, cluster)
	}
	return &x.Def
}

func lane1(b *ir.Builder, i ir.Intrinsic, bits uint8, srcs ...*ir.Def) *ir.Def {
	return &b.Intrinsic(i, 1, bits, srcs...).Def
}

var subgroupCases = []subgroupCase{
	{"votes", 7, func(b *ir.Builder, v, id *ir.Def) []*ir.Def {
		f := b.U2f32(v)
		same := b.Iand(v, b.Imm32(0))
		return []*ir.Def{b.B2i32(lane1(b, ir.IntrVoteIeq, 1, v)), b.B2i32(lane1(b, ir.IntrVoteFeq, 1, f)), b.B2i32(lane1(b, ir.IntrVoteIeq, 1, same)),
			b.B2i32(lane1(b, ir.IntrVoteFeq, 1, b.U2f32(same))), b.B2i32(lane1(b, ir.IntrElect, 1)),
			b.B2i32(lane1(b, ir.IntrVoteIeq, 1, b.Ine(b.Iand(v, b.Imm32(4)), b.Imm32(0)))), b.B2i32(lane1(b, ir.IntrVoteIeq, 1, b.Ieq(same, b.Imm32(0))))}
	}},
	{"ballots", 7, func(b *ir.Builder, v, id *ir.Def) []*ir.Def {
		m := &b.Intrinsic(ir.IntrBallot, 4, 32, b.Ine(b.Iand(v, b.Imm32(4)), b.Imm32(0))).Def
		inverse := b.Intrinsic(ir.IntrInverseBallot, 1, 1, m)
		inverse.NumComponents = 4
		return []*ir.Def{lane1(b, ir.IntrBallotBitCountReduce, 32, m), lane1(b, ir.IntrBallotBitCountInclusive, 32, m),
			lane1(b, ir.IntrBallotBitCountExclusive, 32, m), lane1(b, ir.IntrBallotFindLsb, 32, m), lane1(b, ir.IntrBallotFindMsb, 32, m),
			b.B2i32(&inverse.Def), b.B2i32(lane1(b, ir.IntrBallotBitfieldExtract, 1, m, b.Iand(v, b.Imm32(63))))}
	}},
	{"masks", 20, func(b *ir.Builder, v, id *ir.Def) []*ir.Def {
		var l []*ir.Def
		for _, i := range []ir.Intrinsic{ir.IntrLoadSubgroupEqMask, ir.IntrLoadSubgroupGeMask, ir.IntrLoadSubgroupGtMask, ir.IntrLoadSubgroupLeMask, ir.IntrLoadSubgroupLtMask} {
			l = append(l, gputest.Words(b, &b.Intrinsic(i, 4, 32).Def)...)
		}
		return l
	}},
	{"reads", 6, func(b *ir.Builder, v, id *ir.Def) []*ir.Def {
		return []*ir.Def{lane1(b, ir.IntrReadInvocation, 32, v, b.Imm32(10)), lane1(b, ir.IntrReadFirstInvocation, 32, v),
			lane1(b, ir.IntrFirstInvocation, 32), lane1(b, ir.IntrLastInvocation, 32),
			b.B2i32(lane1(b, ir.IntrReadInvocation, 1, b.Ine(b.Iand(v, b.Imm32(4)), b.Imm32(0)), b.Imm32(7))),
			b.U2u32(lane1(b, ir.IntrReadInvocation, 16, b.U2u16(v), b.Imm32(6)))}
	}},
	{"shuffles", 4, func(b *ir.Builder, v, id *ir.Def) []*ir.Def {
		// Every fiber reads one that is active.
		to := b.Bcsel(b.Ieq(b.Iand(v, b.Imm32(3)), b.Imm32(2)), b.Ixor(id, b.Imm32(4)), id)
		return []*ir.Def{lane1(b, ir.IntrShuffle, 32, v, to), lane1(b, ir.IntrShuffleXor, 32, v, b.Iand(v, b.Imm32(4))),
			lane1(b, ir.IntrShuffleUp, 32, v, b.Iand(id, b.Imm32(4))), &b.Intrinsic(ir.IntrRotate, 1, 32, v, b.Imm32(4)).Set(ir.IdxClusterSize, 16).Def}
	}},
	{"shuffles by values that differ", 4, func(b *ir.Builder, v, id *ir.Def) []*ir.Def {
		// A fiber that has its value is still read by others: it must stay where they read it. Again
		// every fiber reads one that is active, of the same place in its quad.
		to := b.Iand(b.IAddImm(b.Imul(id, b.Imm32(5)), 12), b.Imm32(63))
		by := b.Ishl(b.Iand(b.Imul(id, b.Imm32(3)), b.Imm32(15)), b.Imm32(2))
		up := b.Ishl(b.Ushr(id, b.Imm32(3)), b.Imm32(2))
		down := b.Ishl(b.Ushr(b.Isub(b.Imm32(63), id), b.Imm32(3)), b.Imm32(2))
		return []*ir.Def{lane1(b, ir.IntrShuffle, 32, v, to), lane1(b, ir.IntrShuffleXor, 32, v, by),
			lane1(b, ir.IntrShuffleUp, 32, v, up), lane1(b, ir.IntrShuffleDown, 32, v, down)}
	}},
	{"scans", 5, func(b *ir.Builder, v, id *ir.Def) []*ir.Def {
		return []*ir.Def{reduceWith(b, ir.IntrReduce, ir.OpIadd, v, 0), reduceWith(b, ir.IntrInclusiveScan, ir.OpImin, v, 0),
			reduceWith(b, ir.IntrExclusiveScan, ir.OpUmax, v, 0), reduceWith(b, ir.IntrInclusiveScan, ir.OpFmax, b.U2f32(v), 0),
			b.B2i32(reduceWith(b, ir.IntrInclusiveScan, ir.OpIxor, b.Ine(b.Iand(v, b.Imm32(4)), b.Imm32(0)), 0))}
	}},
	{"small scans", 3, func(b *ir.Builder, v, id *ir.Def) []*ir.Def {
		return []*ir.Def{b.U2u32(reduceWith(b, ir.IntrReduce, ir.OpImul, b.U2u16(b.Ior(v, b.Imm32(1))), 0)),
			b.I2i32(reduceWith(b, ir.IntrInclusiveScan, ir.OpImax, b.U2u8(v), 0)), b.U2u32(reduceWith(b, ir.IntrExclusiveScan, ir.OpIor, b.U2u8(v), 0))}
	}},
	{"exclusive scans", 27, func(b *ir.Builder, v, id *ir.Def) (l []*ir.Def) {
		// The first fiber has the neutral element of the operation on its type.
		for _, op := range []ir.Op{ir.OpIadd, ir.OpImul, ir.OpImin, ir.OpImax, ir.OpUmin, ir.OpUmax, ir.OpIand, ir.OpIor, ir.OpIxor} {
			l = append(l, b.U2u32(reduceWith(b, ir.IntrExclusiveScan, op, b.U2u8(v), 0)), b.U2u32(reduceWith(b, ir.IntrExclusiveScan, op, b.U2u16(v), 0)),
				reduceWith(b, ir.IntrExclusiveScan, op, v, 0))
		}
		return l
	}},
	{"clusters", 4, func(b *ir.Builder, v, id *ir.Def) []*ir.Def {
		return []*ir.Def{reduceWith(b, ir.IntrReduce, ir.OpIadd, v, 4), reduceWith(b, ir.IntrReduce, ir.OpUmin, v, 8),
			reduceWith(b, ir.IntrReduce, ir.OpIor, v, 32), reduceWith(b, ir.IntrReduce, ir.OpIxor, v, 64)}
	}},
	{"quads", 2, func(b *ir.Builder, v, id *ir.Def) []*ir.Def {
		all := b.Ine(b.Iand(id, b.Imm32(4)), b.Imm32(0))
		return []*ir.Def{b.B2i32(lane1(b, ir.IntrQuadVoteAny, 1, all)), b.B2i32(lane1(b, ir.IntrQuadVoteAll, 1, all))}
	}},
}

func TestSubgroups(t *testing.T) {
	programs.Hold(t)
	for _, c := range subgroupCases {
		for _, gpu := range []string{"a630", "a740"} {
			if err := differSubgroup(t, &c, gpu, 64); err != nil {
				t.Errorf("%s on %s: %v", c.name, gpu, err)
			}
		}
	}
}

// Waves of 16 fibers, and of 32: masks have no bit beyond them.
func TestSmallSubgroups(t *testing.T) {
	programs.Hold(t)
	for _, c := range subgroupCases {
		if c.name == "clusters" || c.name == "shuffles by values that differ" {
			continue // of 64 fibers
		}
		for _, fibers := range []int{16, 32} {
			if err := differSubgroup(t, &c, "a702", fibers); err != nil {
				t.Errorf("%s of %d: %v", c.name, fibers, err)
			}
		}
	}
}

// differSubgroup runs a case on one subgroup of so many fibers.
func differSubgroup(t *testing.T, c *subgroupCase, gpu string, fibers int) error {
	in := make([]byte, 1024)
	for i := 0; i < len(in); i += 4 {
		// The low bits say where a fiber stands in its quad, so that it is known who is active.
		binary.LittleEndian.PutUint32(in[i:], uint32(i)*2654435761&^3|uint32(i/4)&3)
	}
	s, b := gputest.NewShader(ir.StageCompute, uint32(fibers))
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	v := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(2)), 1)
	quads := c.name == "quads"
	i := b.PushIf(b.Ior(b.Ine(b.Iand(v, b.Imm32(3)), b.Imm32(1)), b.ImmBool(quads)))
	for k, x := range c.build(b, v, id) {
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.IAddImm(b.Imul(id, b.Imm32(uint32(4*c.words))), int64(4*k)), x)
	}
	b.PopIf(i)
	if err := ir.Validate(s); err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	_, err := execute(s, CompileOptions{GPU: gpu}, &gputest.Run{Groups: 1, In: in, OutSize: fibers * 4 * c.words, Wave: fibers}, nil)
	return err
}

// Of ballots in small workgroups only the words count that have fibers; a mask of other making may have bits in all.
func TestSmallBallots(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range []string{"a630", "a740"} {
		for _, threads := range []uint32{16, 48} {
			for _, ballot := range []bool{true, false} {
				s, b := gputest.NewShader(ir.StageCompute, threads)
				id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
				v := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(4)), 4)
				m := v
				if ballot {
					m = &b.Intrinsic(ir.IntrBallot, 4, 32, b.Ult(b.Channel(v, 0), b.Imm32(1<<29))).Def
				}
				out := b.Vec(lane1(b, ir.IntrBallotFindLsb, 32, m), lane1(b, ir.IntrBallotFindMsb, 32, m), lane1(b, ir.IntrBallotBitCountReduce, 32, m), id)
				gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(4)), out)
				bin, err := execute(s, CompileOptions{GPU: gpu}, &gputest.Run{Groups: 1, In: gputest.RandomInput(9, 1024), OutSize: 16 * int(threads), Wave: 64}, nil)
				if err != nil {
					t.Errorf("%s, %d fibers, of a ballot %t: %v", gpu, threads, ballot, err)
					continue
				}
				words := 4
				if ballot {
					words = int(threads+31) / 32
				}
				if n := strings.Count(disasm(bin), "cbits"); n != 2*words {
					t.Errorf("%s, %d fibers, of a ballot %t: the bits of %d halves of words are counted", gpu, threads, ballot, n)
				}
			}
		}
	}
}
