package ir

import (
	"testing"

	"nirc/ir/optab"
)

func TestEvalConstALU(t *testing.T) {
	s := NewShader(StageCompute, nil)
	b := NewBuilder(AtEnd(s.NewFunction("main").Impl.Start()))
	x := b.Const(32, 1, 2, 3)
	in := b.ALUInstr(OpIadd, x, b.Imm32(10))
	in.Srcs[0].Swizzle = Swz(2, 0, 1)
	if v, ok := EvalConstALU(in, optab.Mode{}); !ok || v != [16]uint64{13, 11, 12} {
		t.Errorf("iadd of a swizzle: %v %v", v, ok)
	}
	d := b.ALUInstr(OpBallIequal3, x, x)
	d.Srcs[1].Swizzle = Swz(0, 1, 1)
	if v, ok := EvalConstALU(d, optab.Mode{}); !ok || v != [16]uint64{} {
		t.Errorf("ball_iequal3 of unlike swizzles: %v %v", v, ok)
	}
	if _, ok := EvalConstALU(b.ALUInstr(OpIadd, x, b.Undef(3, 32)), optab.Mode{}); ok {
		t.Error("an undef source was folded")
	}
	fc := FloatControls(0).With(FCDenormFlush, 32).With(FCRoundRTZ, 16).With(FCSignedZeroPreserve, 64)
	if m := ModeOf(fc); m != (optab.Mode{FlushDenorm: 2, RTZ: 1, SignedZero: 4}) {
		t.Errorf("mode %+v", m)
	}
	add := b.ALUInstr(OpFadd, b.Const(32, 1), b.Const(32, 1))
	if v, _ := EvalConstALU(add, ModeOf(fc)); v[0] != 0 {
		t.Errorf("flushed sum %#x", v[0])
	}
}
