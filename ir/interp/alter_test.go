package interp

import (
	"testing"

	"nirc/ir"
)

// TestAlter replaces products, sees their operands, and adds to a scalar product: what
// has an opcode of its own, each component of a vector, and horizontal operations.
func TestAlter(t *testing.T) {
	k := newBench(t, 5)
	b := k.b
	x := b.I2f32(k.lane)
	two := b.ImmFloat(2, 32)
	k.out(b.Fmul(x, two))
	k.out(b.Fmul(b.Vec(x, two), b.Vec(two, x)))
	k.out(b.Fdot2(b.Vec(x, two), b.Vec(x, two)))
	k.out(b.Fadd(x, two))
	plain := k.run(8)
	k.alter = func(in *ir.Instr, srcs *[4]uint64, vecs [][]uint64, result uint64) uint64 {
		switch in.Op {
		case ir.OpFmul:
			if f32(srcs[0])*f32(srcs[1]) != f32(result) || vecs != nil {
				t.Errorf("operands %x and %x of %x", *srcs, vecs, result)
			}
			return uint64(fl(float64(f32(result)) + 100))
		case ir.OpFdot2:
			if len(vecs) != 2 || len(vecs[1]) != 2 || f32(vecs[0][0])*f32(vecs[1][0])+4 != f32(result) || srcs != nil {
				t.Errorf("operands %x and %x of %x", srcs, vecs, result)
			}
			return uint64(fl(-1))
		}
		return result
	}
	r := k.run(8)
	for word, want := range []func(l int) uint32{
		func(l int) uint32 { return fl(float64(2*l) + 100) },
		func(l int) uint32 { return fl(float64(2*l) + 100) },
		func(l int) uint32 { return fl(float64(2*l) + 100) },
		func(int) uint32 { return fl(-1) },
		func(l int) uint32 { return fl(float64(l) + 2) },
	} {
		k.want(r, word, want)
	}
	k.want(plain, 3, func(l int) uint32 { return fl(float64(l*l) + 4) })
}
