package passes

import (
	"encoding/binary"
	"testing"

	"nirc/ir"
	"nirc/passes/analysis"
)

// TestDivergenceRuns runs random shaders whose lanes differ and lets them vote
// on each value that the analysis calls uniform.
func TestDivergenceRuns(t *testing.T) {
	uniform := 0
	for seed := int64(1); seed <= 16; seed++ {
		s := randomShader(seed, 120, seed%2 == 0)
		p, err := ParsePassList(frontPasses + ",lower_indirect_derefs(modes=function_temp),lower_vars_to_ssa,opt_dce")
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Run(s, RunOptions{}); err != nil {
			t.Fatal(err)
		}
		impl := s.Entry().Impl
		s.Info.WorkgroupSize = [3]uint32{4, 1, 1}
		lanesDiffer(impl)
		analysis.RequireDivergence(impl)
		uniform += insertVotes(impl)
		if err := ir.Validate(s); err != nil {
			t.Fatal(err)
		}
		mem, err := execute(s)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if n := binary.LittleEndian.Uint32(mem[len(mem)-4:]); n != 0 {
			t.Fatalf("seed %d: value %d is uniform by the analysis, but not when run:\n%s", seed, n-1, ir.Print(s))
		}
	}
	if uniform < 100 {
		t.Errorf("only %d uniform values in all", uniform)
	}
}

// lanesDiffer makes the workgroup's number differ between pairs of lanes.
func lanesDiffer(impl *ir.Impl) {
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.IsIntrinsic(ir.IntrLoadWorkgroupId) {
				bld := ir.NewBuilder(ir.After(in))
				x := bld.Ushr(&bld.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def, bld.Imm32(1))
				v := bld.Vec(x, x, x)
				in.Def.RewriteUses(v)
				return
			}
		}
	}
}

// insertVotes lets the lanes vote after each uniform value; where they are not
// of one mind, the value's number is left at the end of the buffer.
func insertVotes(impl *ir.Impl) (n int) {
	for b := range impl.Blocks() {
		last := b.Last()
		if last != nil && last.Kind == ir.KindJump {
			last = last.Prev()
		}
		if last == nil {
			continue
		}
		for in := b.First(); in != nil; in = in.Next() {
			if in.HasDef() && in.Def.NumComponents == 1 && in.Def.BitSize == 32 && !in.Def.Divergent && in.Kind != ir.KindLoadConst && in.Kind != ir.KindUndef {
				bld := ir.NewBuilder(ir.BeforeJump(b))
				same := &bld.Intrinsic(ir.IntrVoteIeq, 1, 1, &in.Def).Def
				val := bld.Bcsel(same, bld.Imm32(0), bld.Imm32(in.Def.Index+1))
				bld.Intrinsic(ir.IntrSsboAtomic, 1, 32, bld.Imm32(0), bld.Imm32(testGroups*256-4), val).Set(ir.IdxAtomicOp, uint64(ir.AtomicUMax))
				n++
			}
			if in == last {
				break
			}
		}
	}
	return n
}
