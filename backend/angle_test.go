package backend_test

import (
	"math"
	"testing"

	"nirc/backend"
	"nirc/backend/gputest"
	"nirc/ir"
)

// The factor of an angle is the constant that multiplies it, on either side and in the component that is read, and 1 where
// rounding is to stay as it is, something else reads the product, nothing constant multiplies it, or turns would be no normal number.
func TestScaledAngle(t *testing.T) {
	for _, c := range []struct {
		name         string
		factor       float64
		swap         bool
		exact        bool
		sineExact    bool
		other        bool // not a constant
		read         bool // something else reads the product
		want         float64
		wantsProduct bool
	}{
		{name: "x*c", factor: 2.5, want: 2.5}, {name: "c*x", factor: -2.5, swap: true, want: -2.5},
		{name: "exact product", factor: 2.5, exact: true, want: 1, wantsProduct: true},
		{name: "exact sine", factor: 2.5, sineExact: true, want: 1, wantsProduct: true},
		{name: "x*y", other: true, want: 1, wantsProduct: true},
		{name: "product that is read", factor: 2.5, read: true, want: 1, wantsProduct: true},
		{name: "denormal", factor: 0x1p-125, want: 1, wantsProduct: true}, {name: "just normal", factor: 0x1p-123, want: 0x1p-123},
		{name: "zero", factor: 0, want: 1, wantsProduct: true}, {name: "infinite", factor: math.Inf(1), want: 1, wantsProduct: true},
	} {
		_, b := gputest.NewShader(ir.StageCompute, 64)
		id := &b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def
		x := b.U2f32(id)
		y := b.Const(32, 0, uint64(math.Float32bits(float32(c.factor))), 0)
		if c.other {
			y = b.U2f32(b.Iadd(id, id))
		}
		m := b.Fmul(x, y)
		if c.swap {
			m = b.Fmul(y, x)
		}
		m.Instr.Exact = c.exact
		sine := b.Shader.NewALU(ir.OpFsin, 1, 32, m)
		sine.Srcs[0].Swizzle = ir.Broadcast(1)
		b.Insert(sine)
		if c.read {
			b.Fneg(m)
		}
		sine.Exact = c.sineExact
		want := x
		if c.wantsProduct {
			want = m
		}
		if d, k, factor := backend.ScaledAngle(sine); d != want || k != 1 || factor != c.want {
			t.Errorf("%s: component %d of value %d times %g, want value %d times %g", c.name, k, d.Index, factor, want.Index, c.want)
		}
	}
}
