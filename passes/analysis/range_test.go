package analysis

import (
	"math"
	"math/rand"
	"testing"

	"nirc/ir"
	"nirc/ir/optab"
)

// rangeOps are what the random expressions are of; floats read any bits.
var rangeOps = []ir.Op{
	ir.OpIadd, ir.OpIsub, ir.OpImul, ir.OpIneg, ir.OpIand, ir.OpIor, ir.OpIxor, ir.OpIshl, ir.OpUshr, ir.OpIshr, ir.OpUmin, ir.OpUmax, ir.OpUmod, ir.OpUdiv,
	ir.OpImin, ir.OpImax, ir.OpIabs, ir.OpUmulHigh,
	ir.OpExtractU8, ir.OpExtractU16, ir.OpBitCount, ir.OpU2f32, ir.OpI2f32, ir.OpFabs, ir.OpFneg, ir.OpFadd, ir.OpFmul, ir.OpFsat, ir.OpFfloor, ir.OpFmin, ir.OpFmax,
	ir.OpFsqrt, ir.OpFtrunc, ir.OpFsign,
}

// randomExpr builds operations over two unknown values and constants.
func randomExpr(r *rand.Rand, n int) (*ir.Shader, []*ir.Def) {
	s := ir.NewShader(ir.StageCompute, nil)
	f := s.NewFunction("main")
	f.IsEntry = true
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	vals := []*ir.Def{&b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def, &b.Intrinsic(ir.IntrLoadWorkgroupIndex, 1, 32).Def}
	consts := []uint32{0, 1, 2, 3, 4, 7, 12, 16, 0xff, 0xfff0, 0x3f800000, 0xbf800000, 0x7f800000, 1 << 31, ^uint32(0)}
	for len(vals) < n {
		op := rangeOps[r.Intn(len(rangeOps))]
		srcs := make([]*ir.Def, len(op.Info().In))
		for i := range srcs {
			srcs[i] = vals[max(0, len(vals)-1-r.Intn(8))]
			if r.Intn(3) == 0 {
				srcs[i] = b.Imm32(consts[r.Intn(len(consts))])
			}
		}
		vals = append(vals, b.ALU(op, srcs...))
	}
	return s, vals
}

// TestRangesHold evaluates random expressions: each value is within what the
// analyses say.
func TestRangesHold(t *testing.T) {
	bounded, known := 0, 0
	for seed := range int64(60) {
		r := rand.New(rand.NewSource(seed))
		s, vals := randomExpr(r, 60)
		ranges := RequireRanges(s.Entry().Impl)
		for range 24 {
			at := make([]uint64, s.Entry().Impl.NumDefs)
			at[vals[0].Index], at[vals[1].Index] = uint64(r.Uint32()>>r.Intn(32)), uint64(r.Uint32()>>r.Intn(32))
			for _, d := range vals[2:] {
				var args [4]uint64
				for i := range d.Instr.Srcs {
					x := d.Instr.Srcs[i].Def
					if v, ok := x.Const(0); ok {
						at[x.Index] = v
					}
					args[i] = at[x.Index]
				}
				v := d.Instr.Op.Info().Eval(optab.Mode{}, d.Instr.OpBits(), &args)
				at[d.Index] = v
				u := ranges.Uint(d)
				if v < u.Min || v > u.Max || v > UintMax(d, 0) {
					t.Fatalf("seed %d: %s gives %#x, said to be in %#x, at most %#x", seed, ir.Print(s), v, u, UintMax(d, 0))
				}
				if c := classOfValue(v); c&^ranges.Float(d) != 0 || c&^FloatRange(d, 0, 1) != 0 {
					t.Fatalf("seed %d: %%%d of %s gives %v, classes %b, said to be %b and %b", seed, d.Index, ir.Print(s), math.Float32frombits(uint32(v)), c, ranges.Float(d), FloatRange(d, 0, 1))
				}
				n, low := LowBits(d, 0)
				if v&(1<<n-1) != low {
					t.Fatalf("seed %d: %%%d of %s gives %#x, low %d bits said to be %#x", seed, d.Index, ir.Print(s), v, n, low)
				}
				if u != fullRange(d) {
					bounded++
				}
				if n > 0 {
					known++
				}
			}
		}
		if !CheckRanges(s.Entry().Impl) {
			t.Fatal("computed again, the ranges differ")
		}
	}
	if bounded < 1000 || known < 1000 {
		t.Errorf("only %d values bounded, of %d low bits known", bounded, known)
	}
}

// classOfValue is classify, with a denormal in the class of its sign only:
// that is the one the operations here give, nothing being flushed.
func classOfValue(v uint64) FloatSet {
	f := float64(math.Float32frombits(uint32(v)))
	switch {
	case f != f:
		return FloatNaN
	case math.IsInf(f, 1):
		return FloatPos | FloatInf
	case math.IsInf(f, -1):
		return FloatNeg | FloatInf
	}
	s := FloatZero
	if f > 0 {
		s = FloatPos
	} else if f < 0 {
		s = FloatNeg
	}
	if f != math.Trunc(f) {
		s |= FloatFrac
	}
	return s
}

// TestCounterRange: the counter of a loop of 8 trips, and what is made of it.
func TestCounterRange(t *testing.T) {
	s, err := ir.Parse(`shader compute "main" {
  fn f0 "main" entry() {
    b0:
      %1:32 = load_const 0x0
      %2:32 = load_const 0x4
      %3:32 = load_const 0x20
      %4:32 = load_local_invocation_index
    loop {
      b1:
      %5:32 = phi b0: %1, b4: %7
      %6:1 = uge %5, %3
      if %6 {
        b2:
          break
      } else {
        b3:
      }
      b4:
      %7:32 = iadd %5, %2
      %8:32 = ishl %4, %2
      %9:32 = iadd %8, %5
      store_shared %4, %5 write_mask=x align_mul=4
      store_shared %4, %9 write_mask=x align_mul=4
    }
    b5:
  }
}
`)
	if err != nil {
		t.Fatal(err)
	}
	r := RequireRanges(s.Entry().Impl)
	n := 0
	for b := range s.Entry().Impl.Blocks() {
		for in := range b.Instrs() {
			if !in.IsIntrinsic(ir.IntrStoreShared) {
				continue
			}
			off := in.Srcs[1].Def
			if n == 0 && r.Uint(off) != (Interval{0, 32}) {
				t.Errorf("the counter is in %v", r.Uint(off))
			}
			if mul, rem := AlignOf(off, 0); mul != 4 || rem != 0 {
				t.Errorf("store %d: offset is %d mod %d", n, rem, mul)
			}
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d stores", n)
	}
}
