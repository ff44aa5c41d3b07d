package agx

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// Conversions to 16 bits round as they say themselves, or else as the shader's float controls say, to the last bit; so do those of
// values that were made larger or negated before.
func TestRoundings(t *testing.T) {
	programs.Hold(t)
	in := make([]byte, 64*4)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 64 {
		x := float32(math.Ldexp(r.Float64()*2-1, r.IntN(36)-20)) // beyond the halves on both sides
		binary.LittleEndian.PutUint32(in[4*i:], math.Float32bits(x))
	}
	for _, fc := range []ir.FloatControls{0, ir.FloatControls(0).With(ir.FCRoundRTE, 16), ir.FloatControls(0).With(ir.FCRoundRTZ, 16), ir.FloatControls(0).With(ir.FCRoundRTZ, 32)} {
		for _, op := range []ir.Op{ir.OpF2f16, ir.OpF2f16Rtne, ir.OpF2f16Rtz} {
			s, b := gputest.NewShader(ir.StageCompute, 64)
			s.Info.FloatControls = fc
			at := b.Ishl(b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0), b.Imm32(2))
			x := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), at, 1)
			word := b.Pack32_2x16Split(b.ALU(op, x), b.ALU(op, b.Fneg(b.Fabs(x))))
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), at, word)
			if err := execute(t, s, CompileOptions{}, &gputest.Run{Groups: 1, In: in, OutSize: len(in)}, nil); err != nil {
				t.Errorf("%s where the shader asks for %v: %v", op, fc, err)
			}
		}
	}
}
