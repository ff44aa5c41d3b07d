package spirv

import (
	"math"
	"math/bits"
	"testing"

	"nirc/ir"
)

// scratchTranslator builds into a function that evaluate can run.
func scratchTranslator() *translator {
	t := &translator{budget: 1 << 20}
	t.f = &fctx{}
	t.f.reset(scratchFunction())
	return t
}

// run evaluates the component of a value.
func (t *translator) run(tt *testing.T, d *ir.Def, c int) uint64 {
	tt.Helper()
	vals, bad := evaluate(t.f.b.Impl)
	if bad != nil {
		tt.Fatalf("%s cannot be evaluated", ir.PrintInstr(bad))
	}
	return vals[d.Index][c]
}

// The relative errors of the arc functions: of the polynomials (nir-ir.md §16), and a few roundings.
var arcErrors = []struct {
	name string
	p    *arcs
	tol  float64
}{{"GLSL", glslArcs, 6.5e-6}, {"OpenCL", openclArcs, 1e-6}}

// TestArcs compares the arc functions with package math, by the signs of zeros too.
func TestArcs(t *testing.T) {
	ratios := []float64{-1, -0.9, -0.5, -0.3, math.Copysign(0, -1), 0, 1e-3, 0.49, 0.5, 0.77, 0.99, 1}
	for _, e := range arcErrors {
		for _, c := range []struct {
			name string
			f    func(*translator, *ir.Def, *arcs) *ir.Def
			want func(float64) float64
			args []float64
		}{
			{"asin", (*translator).asin, math.Asin, ratios},
			{"acos", (*translator).acos, math.Acos, ratios},
			{"atan", (*translator).atan, math.Atan, append(ratios, -1e30, -20, -1.01, 1.01, 3, 1e6, math.Inf(1), math.Inf(-1))},
		} {
			for _, x := range c.args {
				tr := scratchTranslator()
				d := c.f(tr, tr.f.float(x, 32), e.p)
				got := ir.FloatValue(tr.run(t, d, 0), 32)
				want := c.want(float64(float32(x)))
				if !near(got, want, e.tol) || want == 0 && math.Signbit(got) != math.Signbit(want) {
					t.Errorf("%s %s(%v) = %v, want %v", e.name, c.name, x, got, want)
				}
			}
		}
	}
}

// TestTrig compares the expansions of the hyperbolic functions with
// package math; tol is relative, or absolute near 0.
func TestTrig(t *testing.T) {
	one := []struct {
		name string
		f    func(*translator, *ir.Def) *ir.Def
		want func(float64) float64
		tol  float64
		args []float64
	}{
		{"tanh", (*translator).tanh, math.Tanh, 1e-5, []float64{-100, -3, -0.5, 0.1, 0.5, 1, 20, math.Inf(1)}},
		{"exp", (*translator).exp, math.Exp, 1e-5, []float64{-10, -1, 0, 1, 5}},
		{"ln", (*translator).ln, math.Log, 1e-5, []float64{0.1, 0.5, 2, 10, 1e10}},
	}
	for _, c := range one {
		for _, x := range c.args {
			tr := scratchTranslator()
			d := c.f(tr, tr.f.float(x, 32))
			got := ir.FloatValue(tr.run(t, d, 0), 32)
			want := c.want(float64(float32(x)))
			if !near(got, want, c.tol) {
				t.Errorf("%s(%v) = %v, want %v", c.name, x, got, want)
			}
		}
	}
}

func near(got, want, tol float64) bool {
	return got == want || math.Abs(got-want) <= tol*math.Max(math.Abs(want), 1e-2)
}

func TestAtan2(t *testing.T) {
	vals := []float64{0, math.Copysign(0, -1), 1, -1, 0.3, -7, 1e30, -1e30, 1e-20, math.Inf(1), math.Inf(-1)}
	for _, e := range arcErrors {
		for _, y := range vals {
			for _, x := range vals {
				tr := scratchTranslator()
				d := tr.atan2(tr.f.float(y, 32), tr.f.float(x, 32), e.p)
				got := ir.FloatValue(tr.run(t, d, 0), 32)
				want := math.Atan2(float64(float32(y)), float64(float32(x)))
				if !near(got, want, e.tol) || math.Signbit(got) != math.Signbit(want) {
					t.Errorf("%s atan2(%v, %v) = %v, want %v", e.name, y, x, got, want)
				}
			}
		}
	}
}

// TestInverse multiplies matrices by their inverses.
func TestInverse(t *testing.T) {
	for n := 2; n <= 4; n++ {
		tr := scratchTranslator()
		m := make([]*ir.Def, n)
		for c := range m {
			col := make([]uint64, n)
			for r := range col {
				v := float64((c*7+r*3)%5) + 1
				if c == r {
					v += 9
				}
				col[r] = ir.FloatBits(v, 32)
			}
			m[c] = tr.f.constant(32, col...)
		}
		inv := tr.inverse(m)
		det := tr.determinant(m)
		for c := range inv {
			p := tr.matrixVector(m, inv[c])
			for r := range n {
				want := 0.0
				if r == c {
					want = 1
				}
				if got := ir.FloatValue(tr.run(t, p, r), 32); !(math.Abs(got-want) <= 1e-5) {
					t.Errorf("size %d: product at column %d row %d is %v", n, c, r, got)
				}
			}
		}
		if got := ir.FloatValue(tr.run(t, det, 0), 32); got == 0 || math.IsNaN(got) {
			t.Errorf("size %d: determinant %v", n, got)
		}
	}
}

// TestBits checks what is expanded for sizes that the IR has no operation for.
func TestBits(t *testing.T) {
	const v = 0x0123456789abcdef
	for _, w := range []uint8{8, 16, 32, 64} {
		tr := scratchTranslator()
		x := tr.f.constant(w, v)
		got := tr.run(t, tr.bitReverse(x), 0)
		want := bits.Reverse64(uint64(v) << (64 - w))
		if got != want {
			t.Errorf("bitReverse of %d bits is %#x, want %#x", w, got, want)
		}
	}
	for _, c := range []struct{ from, to uint8 }{{64, 32}, {64, 16}, {64, 8}, {32, 16}, {32, 8}, {16, 8}} {
		tr := scratchTranslator()
		x := tr.f.constant(c.from, v)
		parts := x
		if n := c.from / c.to; n <= 4 {
			parts = tr.repack(x, c.to)
			back := tr.repack(parts, c.from)
			mask := uint64(math.MaxUint64) >> (64 - c.from)
			if got := tr.run(t, back, 0); got != v&mask {
				t.Errorf("%d bits as %d and back: %#x, want %#x", c.from, c.to, got, v&mask)
			}
			if got, want := tr.run(t, parts, 0), uint64(v)&(1<<c.to-1); got != want {
				t.Errorf("lowest part of %d bits as %d: %#x, want %#x", c.from, c.to, got, want)
			}
		}
	}
}
