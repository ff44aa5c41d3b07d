package agx

import (
	"testing"

	"nirc/ir"
)

// TestPreambleCosts: what each kind of instruction costs there. What gives a register, or nothing at all, costs nothing.
func TestPreambleCosts(t *testing.T) {
	s := ir.NewShader(ir.StageCompute, nil)
	b := ir.NewBuilder(ir.AtEnd(s.NewFunction("main").Impl.Start()))
	zero := b.Imm32(0)
	load := func(i ir.Intrinsic, srcs ...*ir.Def) *ir.Instr { return b.Intrinsic(i, 1, 32, srcs...) }
	for _, c := range []struct {
		in   *ir.Instr
		want int32
	}{
		{zero.Instr, 0}, {b.Undef(1, 32).Instr, 0}, {b.DerefVar(s.NewVariable(ir.ModeUniform, ir.ScalarType(ir.BaseUint, 32), "v")).Instr, 0},
		{b.Iadd(zero, zero).Instr, 1}, {s.NewPhi(1, 32), 1}, {s.NewTex(ir.TexOpTex, 4, 32), 20}, {s.NewTex(ir.TexOpTxs, 2, 32), 20},
		{load(ir.IntrLoadSsbo, zero, zero), 10}, {load(ir.IntrLoadUbo, zero, zero), 10}, {load(ir.IntrLoadGlobal, b.U2u64(zero)), 10}, {load(ir.IntrLoadConstant, zero), 10},
		{load(ir.IntrLoadPushConstant, zero), 0}, {b.Intrinsic(ir.IntrLoadNumWorkgroups, 3, 32), 0}, {load(ir.IntrLoadSubgroupSize), 0},
	} {
		if got := new(preamble).Cost(c.in); got != c.want {
			t.Errorf("%s costs %d, want %d", ir.PrintInstr(c.in), got, c.want)
		}
	}
}
