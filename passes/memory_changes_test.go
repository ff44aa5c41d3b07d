package passes

import (
	"testing"

	"nirc/ir"
)

// TestChangesMemory: which instructions may change what loads after them read.
func TestChangesMemory(t *testing.T) {
	s := ir.NewShader(ir.StageCompute, nil)
	f := s.NewFunction("main")
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	zero := b.Imm32(0)
	for _, c := range []struct {
		in   *ir.Instr
		want bool
	}{
		{zero.Instr, false}, {b.Iadd(zero, zero).Instr, false}, {b.Insert(s.NewCall(s.NewFunction("g"))), true}, {b.Intrinsic(ir.IntrLoadSsbo, 1, 32, zero, zero), false},
		{b.Effect(ir.IntrStoreSsbo, zero, zero, zero), true}, {b.Intrinsic(ir.IntrSsboAtomic, 1, 32, zero, zero, zero), true}, {b.Effect(ir.IntrStoreShared, zero, zero), true},
		{b.Effect(ir.IntrBarrier), true}, {b.Effect(ir.IntrBeginInvocationInterlock), true}, {b.Effect(ir.IntrEndInvocationInterlock), false}, {b.Effect(ir.IntrDemote), false},
	} {
		if got := changesMemory(c.in); got != c.want {
			t.Errorf("%s: %v", ir.PrintInstr(c.in), got)
		}
	}
}

// TestTexelBuffer: accesses may share memory with buffers unless they say that they are to an image of another shape.
func TestTexelBuffer(t *testing.T) {
	s := ir.NewShader(ir.StageCompute, nil)
	b := ir.NewBuilder(ir.AtEnd(s.NewFunction("main").Impl.Start()))
	zero := b.Imm32(0)
	four := b.Vec(zero, zero, zero, zero)
	image := func(d ir.Dim) *ir.Instr {
		return b.Intrinsic(ir.IntrImageLoad, 4, 32, zero, four, zero, zero).Set(ir.IdxImageDim, uint64(d))
	}
	for _, c := range []struct {
		in   *ir.Instr
		want bool
	}{{image(ir.DimBuf), true}, {image(ir.Dim1D), false}, {image(ir.Dim2D), false}, {image(ir.Dim3D), false}, {b.Intrinsic(ir.IntrLoadSsbo, 1, 32, zero, zero), true}} {
		if got := texelBuffer(c.in); got != c.want {
			t.Errorf("%s: %v", ir.PrintInstr(c.in), got)
		}
	}
}
