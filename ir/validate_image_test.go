package ir

import (
	"strings"
	"testing"
)

// TestImageAtomics: which atomic operations each format of images has, and of how many bits they are.
func TestImageAtomics(t *testing.T) {
	formats := map[string]ImageFormat{}
	for f := ImageFormat(1); f < 64; f++ {
		formats[f.String()] = f
	}
	for name, f := range formats {
		for op := AtomicIAdd; op <= AtomicDecWrap; op++ {
			for _, bits := range []uint8{16, 32, 64} {
				s := NewShader(StageCompute, nil)
				fn := s.NewFunction("main")
				fn.IsEntry = true
				b := NewBuilder(AtEnd(fn.Impl.Start()))
				zero := b.Imm32(0)
				kind, srcs := IntrImageAtomic, []*Def{zero, b.Vec(zero, zero, zero, zero), zero, b.Const(bits, 1)}
				if op == AtomicCmpXchg || op == AtomicFCmpXchg {
					kind, srcs = IntrImageAtomicSwap, append(srcs, b.Const(bits, 1))
				}
				b.Intrinsic(kind, 1, bits, srcs...).Set(IdxImageDim, uint64(Dim2D)).Set(IdxFormat, uint64(f)).Set(IdxAtomicOp, uint64(op))
				want := map[string]bool{
					"r32ui": bits == 32 && !op.IsFloat(), "r32i": bits == 32 && !op.IsFloat(), "r64ui": bits == 64 && !op.IsFloat(), "r64i": bits == 64 && !op.IsFloat(),
					"r32f": bits == 32 && (op.IsFloat() || op == AtomicXchg), "r16f": bits == 16 && (op == AtomicFMin || op == AtomicFMax),
				}[name]
				err := Validate(s)
				if got := err == nil || !strings.Contains(err.Error(), "I11"); got != want {
					t.Errorf("%d of %d bits on %s: %v, want %v", op, bits, name, err, want)
				}
			}
		}
	}
	for _, name := range []string{"r32ui", "r32i", "r64ui", "r64i", "r32f", "r16f", "rgba8"} {
		if formats[name] == 0 {
			t.Errorf("there is no format %s", name)
		}
	}
}
