package analysis

import (
	"math/bits"
	"strings"
	"testing"

	"nirc/ir"
	"nirc/ir/optab"
)

// partly is a value of 8 bits whose n lowest are v and whose others may be anything.
type partly struct{ n, v uint8 }

// partlies are those of up to three known bits, and some constants.
func partlies() (list []partly) {
	for n := range uint8(4) {
		for v := range uint8(1) << n {
			list = append(list, partly{n, v})
		}
	}
	return append(list, partly{8, 0}, partly{8, 1}, partly{8, 3}, partly{8, 0x50}, partly{8, 0xfe})
}

func (p partly) def(b *ir.Builder) *ir.Def {
	if p.n == 8 {
		return b.Const(8, uint64(p.v))
	}
	x := b.ALU(ir.OpU2u8, &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def)
	return b.Ior(b.ALU(ir.OpIshl, x, b.Imm32(uint32(p.n))), b.Const(8, uint64(p.v)))
}

// each calls f with all values that p may have.
func (p partly) each(f func(uint64)) {
	for x := 0; x < 256; x += 1 << p.n {
		f(uint64(x) | uint64(p.v))
	}
}

// TestLowBitsAreAllThatIsKnown evaluates operations on all values of 8 bits that the operands may have: LowBits says the bits in
// which all results agree, no more and no fewer.
func TestLowBitsAreAllThatIsKnown(t *testing.T) {
	s := ir.NewShader(ir.StageCompute, nil)
	b := ir.NewBuilder(ir.AtEnd(s.NewFunction("main").Impl.Start()))
	list := partlies()
	for _, op := range []ir.Op{ir.OpIadd, ir.OpIsub, ir.OpImul, ir.OpAmul, ir.OpIand, ir.OpIor, ir.OpIxor, ir.OpIneg, ir.OpMov, ir.OpU2u16, ir.OpI2i32, ir.OpIshl, ir.OpUshr, ir.OpIshr, ir.OpBcsel} {
		for _, p := range list {
			for _, q := range list[:max(1, len(list)*min(1, len(op.Info().In)-1))] {
				srcs := []*ir.Def{p.def(b)}
				switch {
				case op == ir.OpBcsel:
					srcs = []*ir.Def{b.ALU(ir.OpIne, list[0].def(b), b.Const(8, 0)), srcs[0], q.def(b)}
				case op == ir.OpIshl || op == ir.OpUshr || op == ir.OpIshr:
					if q.n != 0 && q.n != 8 || p.n == 8 { // a count is known or not, constants are folded
						continue
					}
					srcs = append(srcs, b.ALU(ir.OpU2u32, q.def(b)))
					if q.n == 8 {
						srcs[1] = b.Imm32(uint32(q.v))
					}
				case len(op.Info().In) == 2:
					srcs = append(srcs, q.def(b))
				}
				d := b.ALU(op, srcs...)
				n, v := LowBits(d, 0)
				same, first, any := ^uint64(0), uint64(0), false
				result := func(args ...uint64) {
					var a [4]uint64
					copy(a[:], args)
					r := op.Info().Eval(optab.Mode{}, 8, &a)
					if !any {
						first, any = r, true
					}
					same &^= r ^ first
				}
				p.each(func(x uint64) {
					if len(srcs) == 1 {
						result(x)
						return
					}
					q.each(func(y uint64) {
						if len(srcs) == 3 {
							result(0, x, y)
							result(1, x, y)
						} else {
							result(x, y)
						}
					})
				})
				want := min(uint8(bits.TrailingZeros64(^same)), 8)
				if n = min(n, 8); n != want || v&(1<<n-1) != first&(1<<want-1) {
					t.Errorf("%s of %+v and %+v: %d bits are %#x, want %d that are %#x", op, p, q, n, v, want, first&(1<<want-1))
				}
			}
		}
	}
}

// TestLowBitsOfLoops: what a counter of a loop, of the phis of two sides and of vectors is known to be.
func TestLowBitsOfLoops(t *testing.T) {
	const text = `shader compute "main" {
  fn f0 "main" entry() {
    b0:
      %1:32 = load_local_invocation_index
      %2:32 = load_const 0x4
      %3:32 = load_const 0x8
      %4:32 = load_const 0x5
      %5:32 = load_const 0xd
      %6:32 = load_const 0x100
      %7:32 = ishl %1, %2
      %8:1 = ult %1, %2
    if %8 {
      b1:
    } else {
      b2:
    }
    b3:
      %9:32 = phi b1: %4, b2: %5
    loop {
      b4:
      %10:32 = phi b3: %STARTS, b7: %14
      %11:1 = uge %10, %6
      if %11 {
        b5:
          break
      } else {
        b6:
      }
      b7:
      %14:32 = iadd ADDS
    }
    b8:
      store_shared %10, %9 write_mask=x align_mul=4
  }
}
`
	for _, c := range []struct {
		starts, adds string
		n            uint8
		v            uint64
	}{
		{"4", "%10, %3", 3, 5}, {"2", "%10, %3", 3, 4}, {"2", "%3, %10", 3, 4}, {"4", "%10, %7", 4, 5}, {"5", "%7, %10", 4, 13}, {"7", "%10, %3", 3, 0},
		{"1", "%10, %3", 0, 0}, {"9", "%10, %7", 3, 5}, {"2", "%10, %1", 0, 0}, {"6", "%1, %3", 0, 0}, {"6", "%7, %3", 3, 0}, {"9", "%7, %4", 3, 5},
	} {
		s, err := ir.Parse(strings.NewReplacer("STARTS", c.starts, "ADDS", c.adds).Replace(text))
		if err != nil {
			t.Fatal(err)
		}
		phis := 0
		for blk := range s.Entry().Impl.Blocks() {
			for in := range blk.Instrs() {
				if in.Kind != ir.KindPhi || len(in.Srcs) != 2 {
					continue
				}
				phis++
				n, v := LowBits(&in.Def, 0)
				wantN, wantV := c.n, c.v
				if phis == 1 { // of 5 and 13
					wantN, wantV = 3, 5
				}
				if n != wantN || v != wantV {
					t.Errorf("%s + %s: phi %d: %d bits are %#x, want %d that are %#x", c.starts, c.adds, phis, n, v, wantN, wantV)
				}
				if mul, off := AlignOf(&in.Def, 0); mul != 1<<wantN || off != uint32(wantV) {
					t.Errorf("%s: aligned to %d + %d", c.adds, mul, off)
				}
			}
		}
		if phis != 2 {
			t.Errorf("%d phis", phis)
		}
	}
}
