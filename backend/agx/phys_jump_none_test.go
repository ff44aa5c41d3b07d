package agx

import (
	"slices"
	"testing"

	"nirc/backend/agx/isa"
)

// TestJumpNone: what is long is jumped over, to the else or the end of its region, what is short is not, and looking at a program of
// short regions takes the memory of the levels alone.
func TestJumpNone(t *testing.T) {
	ifs := func() isa.Instr {
		return isa.Instr{Op: isa.OpIfIcmp, Dst: isa.H(isa.R0L), Cond: isa.CondULT, Srcs: [6]isa.Operand{isa.R(1), isa.R(2)}, Nest: 1}
	}
	body := func(n int) (list []isa.Instr) {
		for range n {
			list = append(list, isa.Instr{Op: isa.OpFadd32, Dst: isa.R(1), Srcs: [6]isa.Operand{isa.R(1), isa.R(2)}})
		}
		return list
	}
	program := func(then, els int) *program {
		p := &program{code: new(code)}
		list := append([]isa.Instr{ifs()}, body(then)...)
		if els >= 0 {
			list = append(append(list, execFCmp(isa.OpElseFcmp, 1)), body(els)...)
		}
		for _, in := range append(list, popExec(1)) {
			p.emit(in, 0)
		}
		return p
	}
	const long = jumpThreshold
	for _, c := range []struct {
		then, els int
		want      []isa.Op // where the jumps lead to
	}{{1, -1, nil}, {1, 1, nil}, {long, -1, []isa.Op{isa.OpPopExec}}, {long, 1, []isa.Op{isa.OpElseFcmp}}, {1, long, []isa.Op{isa.OpPopExec}},
		{long, long, []isa.Op{isa.OpElseFcmp, isa.OpPopExec}}} {
		p := program(c.then, c.els)
		p.jumpNone()
		var got []isa.Op
		for _, in := range p.list {
			if in.Op == isa.OpJmpExecNone {
				got = append(got, in.to.Op)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d and %d instructions: jumps to %v, want %v", c.then, c.els, got, c.want)
		}
	}
	p := program(1, 1)
	if n := testing.AllocsPerRun(20, p.jumpNone); n > 1 {
		t.Errorf("%v allocations", n)
	}
}
