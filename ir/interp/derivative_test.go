package interp

import (
	"math"
	"testing"

	"nirc/ir"
)

// TestDerivatives: fine derivatives are those of a lane's own row and column of its quad, coarse ones those of the quad's first.
func TestDerivatives(t *testing.T) {
	k := newBench(t, 6)
	x := k.b.U2f32(k.b.Imul(k.lane, k.b.Imul(k.lane, k.lane)))
	for _, op := range []ir.Intrinsic{ir.IntrDdx, ir.IntrDdy, ir.IntrDdxFine, ir.IntrDdyFine, ir.IntrDdxCoarse, ir.IntrDdyCoarse} {
		k.out(&k.b.Intrinsic(op, 1, 32, x).Def)
	}
	r := k.run(4)
	if r.err != nil {
		t.Fatal(r.err)
	}
	step := func(from, to int) uint32 { return math.Float32bits(float32(to*to*to) - float32(from*from*from)) }
	for word, want := range []func(l int) uint32{
		func(l int) uint32 { return step(l&^1, l|1) },
		func(l int) uint32 { return step(l&^2, l|2) },
		func(l int) uint32 { return step(l&^1, l|1) },
		func(l int) uint32 { return step(l&^2, l|2) },
		func(l int) uint32 { return step(l&^3, l&^3+1) },
		func(l int) uint32 { return step(l&^3, l&^3+2) },
	} {
		k.want(r, word, want)
	}
}
