package passes

import (
	"math/rand"
	"testing"

	"nirc/ir"
)

// noDoubles are options of a target without 64-bit arithmetic, except for agx's products.
func noDoubles(target string) *ir.Options {
	width, products := uint8(1), target == "agx"
	if target == "midgard" {
		width = 4
	}
	return &ir.Options{
		MaxVectorWidth: width, LowerInt64: true, LowerDouble: true, LowerMulHigh: !products, LowerMul2x32_64: !products,
		LowerFdiv: true, LowerFlrp: true, LowerFmod: true, LowerFrem: true, LowerFfract: true, LowerScmp: true, LowerLdexp: true,
		LowerFsign: true, LowerFisnormal: true, LowerFsatSigned: true, LowerFquantize2f16: true, LowerUclz: true,
		LowerUaddCarry: true, LowerUsubBorrow: true, LowerFdph: true, LowerFdot: width == 1, LowerVectorCmp: width == 1,
		HasFsub: true, HasIsub: true,
	}
}

// TestDoublePipelines runs each operation through the targets' pipelines: what
// comes out moves 64-bit values at most, except for integers on midgard, and gives the same.
func TestDoublePipelines(t *testing.T) {
	pl := loadDefault(t)
	r := rand.New(rand.NewSource(4))
	for _, o := range doubleOps {
		if o.op == ir.OpB2f64 && o.bits != 1 {
			continue // targets with such booleans make them later
		}
		cases := doubleCases(r, o.op, o.bits, true)
		r.Shuffle(len(cases), func(a, b int) { cases[a], cases[b] = cases[b], cases[a] })
		cases = cases[:min(len(cases), 640)]
		want := runDoubles(t, doubleShader(o.op, o.bits, 0, &ir.Options{}), cases)
		for i, target := range []string{"ir3", "agx", "midgard", "ir3", "agx", "midgard"} {
			s := doubleShader(o.op, o.bits, 0, noDoubles(target))
			p, err := pl.Resolve(target, []Level{O0, O1}[i/3], ir.StageCompute)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Run(s, RunOptions{}); err != nil {
				t.Fatalf("%s, %s of %d bits: %v", target, o.op, o.bits, err)
			}
			for blk := range s.Entry().Impl.Blocks() {
				for in := range blk.Instrs() {
					if in.Kind == ir.KindALU && is64(in) && !movesDouble(in) && !(target == "midgard" && staysPair(in)) && !(target == "agx" && staysSum(in)) {
						t.Fatalf("%s, %s of %d bits: %s of 64 bits is left", target, o.op, o.bits, in.Op)
					}
				}
			}
			got := runDoubles(t, s, cases)
			for k := range got {
				if v, w := got[k], want[k]; v != w && !(o.op.Info().Out.Class == ir.ClassFloat && isFloatNaN(v, o.op) && isFloatNaN(w, o.op)) {
					t.Errorf("%s, %s of %d bits: %#x = %#x, want %#x", target, o.op, o.bits, cases[k], v, w)
					break
				}
			}
		}
	}
}

// movesDouble reports whether an instruction is one of those on 64 bits that
// backends have.
func movesDouble(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpMov, ir.OpUmul2x32_64, ir.OpPack64_2x32Split, ir.OpUnpack64_2x32SplitX, ir.OpUnpack64_2x32SplitY:
		return true
	}
	return in.IsVec()
}
