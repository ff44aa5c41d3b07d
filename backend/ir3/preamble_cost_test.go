package ir3

import (
	"testing"

	"nirc/ir"
)

// TestPreambleCosts: what each kind of instruction costs there: as many as it has components, nothing if its readers do it.
func TestPreambleCosts(t *testing.T) {
	s := ir.NewShader(ir.StageCompute, nil)
	b := ir.NewBuilder(ir.AtEnd(s.NewFunction("main").Impl.Start()))
	zero, two := b.Imm32(0), b.Const(32, 1, 2)
	for _, c := range []struct {
		in   *ir.Instr
		want int32
	}{
		{zero.Instr, 0}, {b.Undef(1, 32).Instr, 0}, {b.Iadd(zero, zero).Instr, 1}, {b.Iadd(two, two).Instr, 2}, {b.Vec(zero, zero, zero).Instr, 0}, {b.Mov(zero).Instr, 0},
		{b.Fneg(zero).Instr, 0}, {b.Fabs(zero).Instr, 0}, {b.Ineg(zero).Instr, 1}, {s.NewPhi(1, 32), 1}, {s.NewTex(ir.TexOpTex, 4, 32), 2},
		{b.Intrinsic(ir.IntrLoadUbo, 4, 32, zero, zero), 2}, {b.Intrinsic(ir.IntrLoadNumWorkgroups, 3, 32), 2},
	} {
		if got := new(preamble).Cost(c.in); got != c.want {
			t.Errorf("%s costs %d, want %d", ir.PrintInstr(c.in), got, c.want)
		}
	}
}
