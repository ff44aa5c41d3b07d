package passes

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"nirc/ir"
)

// int64Ops are the operations that lower_int64 writes, with the size of their
// first source.
var int64Ops = []struct {
	op   ir.Op
	bits uint8
}{
	{ir.OpIadd, 64}, {ir.OpIsub, 64}, {ir.OpImul, 64}, {ir.OpAmul, 64}, {ir.OpImad, 64}, {ir.OpIadd3, 64},
	{ir.OpIneg, 64}, {ir.OpIabs, 64}, {ir.OpIsign, 64}, {ir.OpUmulHigh, 64}, {ir.OpImulHigh, 64},
	{ir.OpUdiv, 64}, {ir.OpUmod, 64}, {ir.OpIdiv, 64}, {ir.OpIrem, 64}, {ir.OpImod, 64},
	{ir.OpImin, 64}, {ir.OpImax, 64}, {ir.OpUmin, 64}, {ir.OpUmax, 64},
	{ir.OpUaddSat, 64}, {ir.OpUsubSat, 64}, {ir.OpIaddSat, 64}, {ir.OpIsubSat, 64}, {ir.OpUaddCarry, 64}, {ir.OpUsubBorrow, 64},
	{ir.OpUabsIsub, 64}, {ir.OpUabsUsub, 64}, {ir.OpIhadd, 64}, {ir.OpUhadd, 64}, {ir.OpIrhadd, 64}, {ir.OpUrhadd, 64},
	{ir.OpIand, 64}, {ir.OpIor, 64}, {ir.OpIxor, 64}, {ir.OpInot, 64}, {ir.OpBitfieldSelect, 64},
	{ir.OpIshl, 64}, {ir.OpUshr, 64}, {ir.OpIshr, 64}, {ir.OpUrol, 64}, {ir.OpUror, 64},
	{ir.OpBitCount, 64}, {ir.OpFindLsb, 64}, {ir.OpUfindMsb, 64}, {ir.OpUfindMsbRev, 64}, {ir.OpBitnz, 64}, {ir.OpBitz, 64},
	{ir.OpIeq, 64}, {ir.OpIne, 64}, {ir.OpIlt, 64}, {ir.OpIge, 64}, {ir.OpUlt, 64}, {ir.OpUge, 64},
	{ir.OpBcsel, 1}, {ir.OpU2u64, 8}, {ir.OpU2u64, 16}, {ir.OpU2u64, 32}, {ir.OpI2i64, 8}, {ir.OpI2i64, 16}, {ir.OpI2i64, 32}, {ir.OpB2i64, 1},
	{ir.OpU2u32, 64}, {ir.OpI2i32, 64}, {ir.OpU2u16, 64}, {ir.OpI2i16, 64}, {ir.OpU2u8, 64}, {ir.OpI2i8, 64},
	{ir.OpU2f16, 64}, {ir.OpI2f16, 64}, {ir.OpU2f32, 64}, {ir.OpI2f32, 64}, {ir.OpU2f64, 64}, {ir.OpI2f64, 64},
	{ir.OpF2u64, 16}, {ir.OpF2i64, 16}, {ir.OpF2u64, 32}, {ir.OpF2i64, 32}, {ir.OpF2u64, 64}, {ir.OpF2i64, 64},
	{ir.OpExtractU8, 64}, {ir.OpExtractI8, 64}, {ir.OpExtractU16, 64}, {ir.OpExtractI16, 64}, {ir.OpInsertU8, 64}, {ir.OpInsertU16, 64},
}

// randomBits returns a value of w bits that often lies at an edge.
func randomBits(r *rand.Rand, w uint8) uint64 {
	v := r.Uint64()
	switch r.Intn(4) {
	case 0: // few bits from some place on
		v = v >> r.Intn(64) << r.Intn(64)
	case 1: // around a power of two
		v = uint64(1)<<r.Intn(64) + uint64(r.Intn(5)) - 2
	case 2:
		v >>= r.Intn(64)
	}
	if r.Intn(3) == 0 {
		v = -v
	}
	return v & (1<<(w-1)<<1 - 1)
}

// randomFloat returns the bits of a float, often near the range of integers.
func randomFloat(r *rand.Rand, w uint8) uint64 {
	if r.Intn(4) == 0 {
		return randomBits(r, w)
	}
	v := math.Ldexp(r.Float64(), r.Intn(70))
	if r.Intn(3) == 0 {
		v = -v
	}
	return ir.FloatBits(v, w)
}

func isFloatToInt(op ir.Op) bool { return op == ir.OpF2u64 || op == ir.OpF2i64 }

func isDivision(op ir.Op) bool {
	return op == ir.OpUdiv || op == ir.OpUmod || op == ir.OpIdiv || op == ir.OpIrem || op == ir.OpImod
}

// constOperand makes 16 values for source k of an operation.
func constOperand(r *rand.Rand, op ir.Op, k int, first uint8) []uint64 {
	w := first
	if t := op.Info().In[k]; k > 0 {
		w = t.Bits
		if w == 0 {
			w = 64
		}
	}
	out := make([]uint64, 16)
	for i := range out {
		switch {
		case isFloatToInt(op):
			out[i] = randomFloat(r, w)
		case k == 1 && (op == ir.OpExtractU8 || op == ir.OpExtractI8 || op == ir.OpInsertU8):
			out[i] = uint64(r.Intn(8))
		case k == 1 && (op == ir.OpExtractU16 || op == ir.OpExtractI16 || op == ir.OpInsertU16):
			out[i] = uint64(r.Intn(4))
		default:
			out[i] = randomBits(r, w)
		}
		if k == 1 && isDivision(op) && out[i] == 0 {
			out[i] = 1
		}
	}
	return out
}

// TestLowerInt64 compares each operation over constants with what it folds to
// when it is written in halves.
func TestLowerInt64(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, o := range int64Ops {
		for round := range 20 {
			opts := &ir.Options{LowerInt64: true, LowerMul2x32_64: round%2 == 0}
			s := ir.NewShader(ir.StageCompute, opts)
			f := s.NewFunction("main")
			f.IsEntry = true
			b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
			var srcs []*ir.Def
			for k := range o.op.Info().In {
				w := o.bits
				if t := o.op.Info().In[k]; k > 0 && t.Bits != 0 {
					w = t.Bits
				} else if k > 0 {
					w = 64
				}
				srcs = append(srcs, b.Const(w, constOperand(r, o.op, k, o.bits)...))
			}
			in := b.ALUInstr(o.op, srcs...)
			want, ok := ir.EvalConstALU(in, ir.ModeOf(0))
			if !ok {
				t.Fatalf("%s does not fold", o.op)
			}
			use := b.Intrinsic(ir.IntrUse, 0, 0, &in.Def)
			if _, err := RunPass(s, "lower_int64"); err != nil {
				t.Fatal(err)
			}
			if in.Block != nil {
				t.Fatalf("%s of %d bits stays", o.op, o.bits)
			}
			p, err := ParsePassList("lower_alu,opt_constant_folding,opt_dce")
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Run(s, RunOptions{VerifyEach: true}); err != nil {
				t.Fatal(err)
			}
			got := use.Srcs[0].Def
			for i := range 16 {
				v, ok := got.Const(i)
				if !ok {
					t.Fatalf("%s does not fold in halves:\n%s", o.op, ir.Print(s))
				}
				if v != want[i] {
					var args []uint64
					for _, d := range srcs {
						a, _ := d.Const(i)
						args = append(args, a)
					}
					t.Fatalf("%s %#x of %d bits = %#x, want %#x", o.op, args, o.bits, v, want[i])
				}
			}
		}
	}
}

// TestInt64Estimate follows the division by float estimates with reciprocals
// that are up to 2 ulp off, and bounds what is left before the correction.
func TestInt64Estimate(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	toFloat := func(x uint64) float32 { return float32(uint32(x>>32))*0x1p32 + float32(uint32(x)) }
	for range 200_000 {
		n, d := randomBits(r, 64), randomBits(r, 64)
		if d == 0 {
			continue
		}
		rcp := 1 / toFloat(d)
		rcp = math.Float32frombits(uint32(int32(math.Float32bits(rcp)) + int32(r.Intn(5)) - 2))
		rcp *= 1 - 0x1p-19
		q, rest := uint64(0), n
		for range 4 {
			e := toFloat(rest) * rcp
			hi := uint32(e * 0x1p-32)
			part := uint64(hi)<<32 | uint64(uint32(e-float32(hi)*0x1p32))
			q += part
			rest -= part * d
		}
		if q > n/d || n/d-q > 1 {
			t.Fatalf("%d / %d: %d before the correction, want %d or one less", n, d, q, new(big.Int).SetUint64(n/d))
		}
	}
}
