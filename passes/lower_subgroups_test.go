package passes

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

const subgroupLanes = 40

// subgroupCase makes one operation over a value that differs between lanes.
type subgroupCase struct {
	name string
	make func(b *ir.Builder, lane, x *ir.Def) *ir.Def
}

func subgroupCases() (list []subgroupCase) {
	add := func(name string, f func(b *ir.Builder, lane, x *ir.Def) *ir.Def) {
		list = append(list, subgroupCase{name, f})
	}
	for _, i := range []ir.Intrinsic{ir.IntrShuffle, ir.IntrShuffleXor, ir.IntrShuffleUp, ir.IntrShuffleDown, ir.IntrRotate, ir.IntrReadInvocation} {
		add(i.String(), func(b *ir.Builder, lane, x *ir.Def) *ir.Def { return &b.Intrinsic(i, 1, 32, x, b.Imm32(5)).Def })
	}
	for _, i := range []ir.Intrinsic{ir.IntrQuadSwapHorizontal, ir.IntrQuadSwapVertical, ir.IntrQuadSwapDiagonal, ir.IntrReadFirstInvocation} {
		add(i.String(), func(b *ir.Builder, lane, x *ir.Def) *ir.Def {
			v := &b.Intrinsic(i, 2, 32, b.Vec(x, lane)).Def
			return b.Iadd(b.Channel(v, 0), b.Channel(v, 1))
		})
	}
	add("quad_broadcast 64", func(b *ir.Builder, lane, x *ir.Def) *ir.Def {
		v := &b.Intrinsic(ir.IntrQuadBroadcast, 1, 64, b.Pack64_2x32Split(x, lane), b.Imm32(2)).Def
		return b.Ixor(b.Unpack64_2x32SplitX(v), b.Unpack64_2x32SplitY(v))
	})
	for _, op := range []ir.Op{ir.OpIadd, ir.OpImul, ir.OpImin, ir.OpImax, ir.OpUmin, ir.OpUmax, ir.OpIand, ir.OpIor, ir.OpIxor, ir.OpFadd, ir.OpFmul, ir.OpFmin, ir.OpFmax} {
		for _, i := range []ir.Intrinsic{ir.IntrReduce, ir.IntrInclusiveScan, ir.IntrExclusiveScan} {
			for _, cluster := range []uint64{0, 4} {
				if cluster != 0 && i != ir.IntrReduce {
					continue
				}
				add(fmt.Sprint(i, " ", op, " ", cluster), func(b *ir.Builder, lane, x *ir.Def) *ir.Def {
					if op.Info().Out.Class == ir.ClassFloat {
						x = b.U2f32(b.Iand(x, b.Imm32(3)))
					}
					in := b.Intrinsic(i, 1, 32, x).Set(ir.IdxReductionOp, uint64(op))
					if cluster != 0 {
						in.Set(ir.IdxClusterSize, cluster)
					}
					return &in.Def
				})
			}
		}
	}
	odd := func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Ine(b.Iand(x, b.Imm32(1)), b.Imm32(0)) }
	add("reduce of booleans", func(b *ir.Builder, lane, x *ir.Def) *ir.Def {
		return b.B2i32(&b.Intrinsic(ir.IntrReduce, 1, 1, odd(b, x)).Set(ir.IdxReductionOp, uint64(ir.OpIxor)).Def)
	})
	for _, i := range []ir.Intrinsic{ir.IntrVoteAny, ir.IntrVoteAll, ir.IntrQuadVoteAny, ir.IntrQuadVoteAll} {
		add(i.String(), func(b *ir.Builder, lane, x *ir.Def) *ir.Def { return b.B2i32(&b.Intrinsic(i, 1, 1, odd(b, x)).Def) })
	}
	for _, i := range []ir.Intrinsic{ir.IntrVoteIeq, ir.IntrVoteFeq} {
		add(i.String(), func(b *ir.Builder, lane, x *ir.Def) *ir.Def {
			same := b.B2i32(&b.Intrinsic(i, 1, 1, b.Vec(b.Imm32(7), b.Ushr(x, b.Imm32(31)))).Def)
			return b.Iadd(same, b.B2i32(&b.Intrinsic(i, 1, 1, x).Def))
		})
		add(i.String()+" as 32 bits", func(b *ir.Builder, lane, x *ir.Def) *ir.Def {
			return &b.Intrinsic(i, 1, 32, b.Ushr(x, b.Imm32(31))).Def
		})
	}
	for _, bits := range []uint8{8, 16} {
		add(fmt.Sprintf("vote_ieq as %d bits", bits), func(b *ir.Builder, lane, x *ir.Def) *ir.Def {
			same := b.U2u32(&b.Intrinsic(ir.IntrVoteIeq, 1, bits, b.Imm32(7)).Def)
			return b.Iadd(b.Ishl(same, b.Imm32(16)), b.U2u32(&b.Intrinsic(ir.IntrVoteIeq, 1, bits, x).Def))
		})
	}
	add("load_subgroup_size", func(b *ir.Builder, lane, x *ir.Def) *ir.Def {
		return &b.Intrinsic(ir.IntrLoadSubgroupSize, 1, 32).Def
	})
	add("elect", func(b *ir.Builder, lane, x *ir.Def) *ir.Def { return b.B2i32(&b.Intrinsic(ir.IntrElect, 1, 1).Def) })
	for _, i := range []ir.Intrinsic{ir.IntrFirstInvocation, ir.IntrLastInvocation} {
		add(i.String(), func(b *ir.Builder, lane, x *ir.Def) *ir.Def { return &b.Intrinsic(i, 1, 32).Def })
	}
	ballot := func(b *ir.Builder, x *ir.Def) *ir.Def { return &b.Intrinsic(ir.IntrBallot, 4, 32, odd(b, x)).Def }
	mix := func(b *ir.Builder, m *ir.Def) *ir.Def {
		sum := b.Channel(m, 0)
		for i := 1; i < int(m.NumComponents); i++ {
			sum = b.Iadd(b.Imul(sum, b.Imm32(31)), b.Channel(m, i))
		}
		return sum
	}
	add("ballot", func(b *ir.Builder, lane, x *ir.Def) *ir.Def { return mix(b, ballot(b, x)) })
	for _, i := range []ir.Intrinsic{ir.IntrBallotBitCountReduce, ir.IntrBallotBitCountInclusive, ir.IntrBallotBitCountExclusive, ir.IntrBallotFindLsb, ir.IntrBallotFindMsb} {
		add(i.String(), func(b *ir.Builder, lane, x *ir.Def) *ir.Def {
			v := &b.Intrinsic(i, 1, 32, ballot(b, x)).Def
			return b.Iadd(b.Imul(v, b.Imm32(99)), &b.Intrinsic(i, 1, 32, b.Const(32, 0, 0, 0, 0)).Def)
		})
	}
	add("inverse_ballot", func(b *ir.Builder, lane, x *ir.Def) *ir.Def {
		return b.B2i32(&b.Intrinsic(ir.IntrInverseBallot, 1, 1, ballot(b, x)).Def)
	})
	add("ballot_bitfield_extract", func(b *ir.Builder, lane, x *ir.Def) *ir.Def {
		return b.B2i32(&b.Intrinsic(ir.IntrBallotBitfieldExtract, 1, 1, ballot(b, x), b.Iadd(lane, b.Imm32(3))).Def)
	})
	wide := func(b *ir.Builder, x *ir.Def, n uint8) *ir.Def {
		return &b.Intrinsic(ir.IntrBallot, n, 64, odd(b, x)).Def
	}
	for _, n := range []uint8{1, 2} {
		add(fmt.Sprintf("inverse_ballot of %d words of 64 bits", n), func(b *ir.Builder, lane, x *ir.Def) *ir.Def {
			return b.B2i32(&b.Intrinsic(ir.IntrInverseBallot, 1, 1, wide(b, x, n)).Def)
		})
	}
	for _, i := range []ir.Intrinsic{ir.IntrBallotBitCountReduce, ir.IntrBallotBitCountExclusive, ir.IntrBallotFindLsb, ir.IntrBallotFindMsb} {
		add(i.String()+" of words of 64 bits", func(b *ir.Builder, lane, x *ir.Def) *ir.Def { return &b.Intrinsic(i, 1, 32, wide(b, x, 4)).Def })
	}
	for _, i := range []ir.Intrinsic{ir.IntrLoadSubgroupEqMask, ir.IntrLoadSubgroupGeMask, ir.IntrLoadSubgroupGtMask, ir.IntrLoadSubgroupLeMask, ir.IntrLoadSubgroupLtMask} {
		add(i.String(), func(b *ir.Builder, lane, x *ir.Def) *ir.Def {
			wide := &b.Intrinsic(i, 2, 64).Def
			lo := b.Unpack64_2x32SplitY(b.Channel(wide, 0))
			return b.Iadd(mix(b, &b.Intrinsic(i, 4, 32).Def), lo)
		})
	}
	return list
}

// subgroupShader stores each case's result for each lane, in the lanes of a
// branch that the mask picks.
func subgroupShader(c subgroupCase, mask uint64, lanes uint32) *ir.Shader {
	return subgroupShaderOf(c, mask, lanes, func(b *ir.Builder, lane *ir.Def) *ir.Def { return lane })
}

// subgroupShaderOf makes the operation over a value of a number.
func subgroupShaderOf(c subgroupCase, mask uint64, lanes uint32, number func(b *ir.Builder, lane *ir.Def) *ir.Def) *ir.Shader {
	s := ir.NewShader(ir.StageCompute, &ir.Options{})
	s.Info.WorkgroupSize = [3]uint32{lanes, 1, 1}
	f := s.NewFunction("main")
	f.IsEntry = true
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	lane := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
	x := b.Imul(b.Iadd(number(b, lane), b.Imm32(3)), b.Imm32(0x9e3779b1))
	words := b.Const(32, mask&0xffffffff, mask>>32)
	w := b.Bcsel(b.Ult(lane, b.Imm32(32)), b.Channel(words, 0), b.Channel(words, 1))
	on := b.PushIf(b.Ine(b.Iand(b.Ushr(w, lane), b.Imm32(1)), b.Imm32(0)))
	v := c.make(b, lane, x)
	b.Intrinsic(ir.IntrStoreSsbo, 0, 0, v, b.Imm32(0), b.Ishl(lane, b.Imm32(2))).Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, 4)
	b.PopIf(on)
	return s
}

func runSubgroup(s *ir.Shader, wave int) ([]byte, error) {
	p, err := interp.New(s, interp.Options{WaveSize: wave})
	if err != nil {
		return nil, err
	}
	mem := emu.NewMemory()
	buf := mem.Alloc(4 * 64)
	var bind emu.Bindings
	bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: buf.Addr, Size: uint64(len(buf.Data))}})
	err = emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind}, emu.DispatchParams{Limits: emu.Limits{Budget: 1 << 22}, Groups: [3]uint32{1, 1, 1}})
	return buf.Data, err
}

// TestLowerSubgroups runs each operation before and after, with all lanes and
// with some.
func TestLowerSubgroups(t *testing.T) {
	all := []string{"to_scalar", "true", "split_64", "true", "bool_to_32", "true", "ballot_words", "2", "ballot_queries", "true", "vote_eq", "true", "elect", "true",
		"shuffle_to_index", "true", "quad_to_shuffle", "true", "scans", "true"}
	for _, c := range subgroupCases() {
		for _, mask := range []uint64{1<<subgroupLanes - 1, 0xa5c3_9f31_e6, 1 << 37} {
			s := subgroupShader(c, mask, subgroupLanes)
			compareSubgroup(t, c.name, s, 64, all)
		}
		// One lane a subgroup: lane 5 is none there.
		if strings.HasPrefix(c.name, "shuffle") || c.name == "read_invocation" {
			continue
		}
		compareSubgroup(t, c.name, subgroupShader(c, 5, 3), 1, []string{"size_one", "true"})
	}
}

func compareSubgroup(t *testing.T, name string, s *ir.Shader, wave int, opts []string) {
	t.Helper()
	want, err := runSubgroup(ir.Clone(s), wave)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	before := ir.Print(s)
	progress, err := RunPass(s, "lower_subgroups", opts...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if !progress && wave != 1 && name != "shuffle" && name != "read_invocation" && name != "vote_any" && name != "vote_all" && name != "load_subgroup_size" {
		t.Errorf("%s stays:\n%s", name, before)
	}
	if err := ir.Validate(s); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, ir.Print(s))
	}
	got, err := runSubgroup(s, wave)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, ir.Print(s))
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%s, waves of %d: results differ:\n%x\n%x\n%s\n%s", name, wave, want, got, before, ir.Print(s))
	}
}
