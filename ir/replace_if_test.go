package ir

import "testing"

// TestReplaceIf: the code of one side takes the place of an if, phis after it become what comes from that side, and the other side goes.
func TestReplaceIf(t *testing.T) {
	for _, c := range []struct {
		then bool
		want uint64
	}{{true, 5}, {false, 7}} {
		s := NewShader(StageCompute, nil)
		f := s.NewFunction("main")
		f.IsEntry = true
		b := NewBuilder(AtEnd(f.Impl.Start()))
		i := b.PushIf(b.ImmBool(true))
		five := b.Imm32(5)
		inner := b.PushIf(b.ImmBool(false))
		b.PopIf(inner)
		b.PushElse(i)
		seven := b.Imm32(7)
		b.PopIf(i)
		phi := b.IfPhi(i, five, seven)
		sum := b.Iadd(phi, phi)
		side := &i.Then
		if !c.then {
			side = &i.Else
		}
		ReplaceIf(i, side)
		if err := Validate(s); err != nil {
			t.Fatalf("%v\n%s", err, Print(s))
		}
		for k := range sum.Instr.Srcs {
			if v, ok := sum.Instr.Srcs[k].Def.Const(0); !ok || v != c.want {
				t.Errorf("the sum is of %d, known %t, want %d:\n%s", v, ok, c.want, Print(s))
			}
		}
		ifs := 0
		for blk := range f.Impl.Blocks() {
			if blk.FollowingIf() != nil {
				ifs++
			}
			for range blk.Phis() {
				t.Errorf("a phi is left:\n%s", Print(s))
			}
		}
		if want := map[bool]int{true: 1}[c.then]; ifs != want {
			t.Errorf("%d ifs are left, want %d:\n%s", ifs, want, Print(s))
		}
	}
}
