package agx

import (
	"math/rand/v2"
	"testing"

	"nirc/backend/agx/isa"
)

// TestHolds: a source takes a register or a uniform exactly if the instruction can be encoded with it.
func TestHolds(t *testing.T) {
	tried := 0
	for op := isa.OpInvalid + 1; op < isa.NumOps; op++ {
		if op == isa.OpIcmpsel || op == isa.OpFcmpsel {
			continue // what they select is as wide as the result
		}
		r := rand.New(rand.NewPCG(uint64(op), 0))
		in, ok := op.Form(func() uint64 { return 0 })
		for try := 0; !ok && try < 500; try++ {
			in, ok = op.Form(r.Uint64)
		}
		for i := range op.NumSrcs() {
			allow := op.SrcAllow(i)
			if !ok || allow&(isa.AllowReg32|isa.AllowReg16) == 0 || allow&(isa.AllowRun|isa.AllowState|isa.AllowNone) != 0 {
				continue
			}
			in.Flags &^= isa.Long
			for _, o := range []isa.Operand{isa.R(3), isa.H(7), isa.U(5), isa.UH(9)} {
				x := in
				x.Srcs[i] = o
				_, err := isa.Pack(&x)
				if got := holds(op, allow, &o); got && err != nil || !got && err == nil && !(o.Kind == isa.Uniform && noUniforms(op)) {
					t.Errorf("%s, source %d = %s: holds says %v, encoding %v", op, i, o, got, err)
				}
				tried++
			}
		}
	}
	if tried < 200 {
		t.Errorf("only %d sources", tried)
	}
}
