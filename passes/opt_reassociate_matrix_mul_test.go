package passes

import (
	"fmt"
	"testing"

	"nirc/ir"
)

// matrixShader is a shader that multiplies matrices and a vector and stores what comes out.
type matrixShader struct {
	s    *ir.Shader
	b    *ir.Builder
	seed uint64
	// lane is a number that differs between lanes.
	lane *ir.Def
}

func newMatrixShader() *matrixShader {
	s := ir.NewShader(ir.StageCompute, nil)
	s.Info.WorkgroupSize = [3]uint32{1, 1, 1}
	f := s.NewFunction("main")
	f.IsEntry = true
	m := &matrixShader{s: s, b: ir.NewBuilder(ir.AtEnd(f.Impl.Start())), seed: 1}
	m.lane = m.b.U2f32(&m.b.Intrinsic(ir.IntrLoadSubgroupInvocation, 1, 32).Def)
	return m
}

// vector is one of whole numbers up to 2: products of five matrices are exact in any order.
func (m *matrixShader) vector(n int, divergent bool) *ir.Def {
	group := m.b.U2f32(m.b.Iand(m.b.Channel(&m.b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0), m.b.Imm32(1)))
	var l []*ir.Def
	for range n {
		m.seed = m.seed*6364136223846793005 + 1442695040888963407
		x := m.b.Fadd(group, m.b.ImmFloat(float64(m.seed>>63), 32))
		if divergent {
			x = m.b.Fadd(x, m.lane)
		}
		l = append(l, x)
	}
	return m.b.Vec(l...)
}

func (m *matrixShader) matrix(columns, rows int, divergent bool) (l []*ir.Def) {
	for range columns {
		l = append(l, m.vector(rows, divergent))
	}
	return l
}

// times is a matrix times a vector, the first column first or last, factors on either side.
func (m *matrixShader) times(a []*ir.Def, v *ir.Def, forward bool) (sum *ir.Def) {
	for i := range a {
		k := len(a) - 1 - i
		if forward {
			k = i
		}
		x, y := a[k], m.b.Channel(v, k)
		if forward {
			x, y = y, x
		}
		p := m.b.Fmul(x, y)
		if sum != nil {
			p = m.b.Fadd(p, sum)
		}
		sum = p
	}
	return sum
}

// product is the product of two matrices.
func (m *matrixShader) product(a, b []*ir.Def, forward bool) (l []*ir.Def) {
	for _, column := range b {
		l = append(l, m.times(a, column, forward))
	}
	return l
}

// vectors makes the shader one for a target with vectors.
func (m *matrixShader) vectors() { m.s.Options = &ir.Options{MaxVectorWidth: 4} }

func (m *matrixShader) store(v *ir.Def) *ir.Instr {
	group := m.b.Channel(&m.b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0)
	return m.b.Intrinsic(ir.IntrStoreSsbo, 0, 0, v, m.b.Imm32(0), m.b.Ishl(group, m.b.Imm32(8))).
		Set(ir.IdxWriteMask, 1<<v.NumComponents-1).Set(ir.IdxAlignMul, 16)
}

// vectorProducts counts the products of vectors that something reads.
func vectorProducts(s *ir.Shader) (n int) {
	for b := range s.Entry().Impl.Blocks() {
		for in := range b.Instrs() {
			if in.IsALU(ir.OpFmul) && in.Def.NumComponents > 1 && !in.Def.Unused() {
				n++
			}
		}
	}
	return n
}

// rearranged runs one pass on matrices, sees that the results are the same, and returns before and after it what count has.
func (m *matrixShader) rearranged(t *testing.T, pass string, count func(*ir.Shader) int, opts ...string) (before, after int) {
	t.Helper()
	clean := func(s *ir.Shader) {
		for _, p := range []string{"opt_copy_prop", "opt_constant_folding", "opt_dce"} {
			if _, err := RunPass(s, p); err != nil {
				t.Fatal(err)
			}
		}
		if err := ir.Validate(s); err != nil {
			t.Fatalf("%v\n%s", err, ir.Print(s))
		}
	}
	clean(m.s)
	was := ir.Clone(m.s)
	before = count(m.s)
	progress, err := RunPass(m.s, pass, opts...)
	if err != nil {
		t.Fatal(err)
	}
	clean(m.s)
	if after = count(m.s); progress != (after != before) {
		t.Errorf("progress is %v for %d and %d products", progress, before, after)
	}
	compareRuns(t, was, m.s)
	return before, after
}

// reassociated runs opt_reassociate_matrix_mul and returns the products of vectors before and after.
func (m *matrixShader) reassociated(t *testing.T, opts ...string) (before, after int) {
	t.Helper()
	return m.rearranged(t, "opt_reassociate_matrix_mul", vectorProducts, opts...)
}

// TestReassociateMatrixShapes: products of two matrices of all shapes, whose sums begin with either column, become two products with vectors.
func TestReassociateMatrixShapes(t *testing.T) {
	for rows := 2; rows <= 4; rows++ {
		for inner := 2; inner <= 4; inner++ {
			for columns := 2; columns <= 4; columns++ {
				for _, forward := range []bool{false, true} {
					m := newMatrixShader()
					a, b, v := m.matrix(inner, rows, true), m.matrix(columns, inner, false), m.vector(columns, true)
					m.store(m.times(m.product(a, b, forward), v, forward))
					name := fmt.Sprintf("%d x %d x %d, forward %v", rows, inner, columns, forward)
					if before, after := m.reassociated(t); before != columns*inner+columns || after != columns+inner {
						t.Errorf("%s: %d products, then %d", name, before, after)
					}
				}
			}
		}
	}
}

// TestReassociateMatrixChains: of several matrices each is multiplied with a vector, however they were put in brackets, and with what
// opt_algebraic leaves of a component that is 1.
func TestReassociateMatrixChains(t *testing.T) {
	for n := 2; n <= 5; n++ {
		for first := range n - 1 {
			for _, one := range []bool{false, true} {
				m := newMatrixShader()
				var list [][]*ir.Def
				for range n {
					list = append(list, m.matrix(4, 4, true))
				}
				// The two at first are multiplied first, then the rest from the left.
				l := append(append(list[:first:first], m.product(list[first], list[first+1], false)), list[first+2:]...)
				a := l[0]
				for _, b := range l[1:] {
					a = m.product(a, b, false)
				}
				want := 4 * n
				r := m.times(a, m.vector(4, true), false)
				if one {
					r = m.b.Fadd(a[0], m.times(a[1:], m.vector(3, true), true))
					want-- // the innermost matrix takes a product less
				}
				m.store(r)
				if _, after := m.reassociated(t); after != want {
					t.Errorf("%d matrices, %d and the next first, a one %v: %d products, want %d", n, first, one, after, want)
				}
			}
		}
	}
}

// TestReassociateMatrixStays: what must keep its order, and what would cost more, stays.
func TestReassociateMatrixStays(t *testing.T) {
	type build func(m *matrixShader) (a, b []*ir.Def, v *ir.Def)
	plain := func(m *matrixShader) ([]*ir.Def, []*ir.Def, *ir.Def) {
		return m.matrix(4, 4, true), m.matrix(4, 4, true), m.vector(4, true)
	}
	same := func(m *matrixShader) ([]*ir.Def, []*ir.Def, *ir.Def) {
		return m.matrix(4, 4, false), m.matrix(4, 4, false), m.vector(4, true)
	}
	constant := func(m *matrixShader) (a, b []*ir.Def, v *ir.Def) {
		for k := range uint64(4) {
			a = append(a, m.b.Const(32, ir.FloatBits(float64(k), 32), 0, ir.FloatBits(2, 32), ir.FloatBits(3, 32)))
			b = append(b, m.b.Const(32, 0, ir.FloatBits(float64(k), 32), ir.FloatBits(1, 32), 0))
		}
		return a, b, m.vector(4, true)
	}
	loaded := func(m *matrixShader) ([]*ir.Def, []*ir.Def, *ir.Def) {
		l := make([]*ir.Def, 9)
		for k := range l {
			at := m.b.Iadd(m.b.Imm32(uint32(16*k)), m.b.F2u32(m.lane))
			l[k] = &m.b.Intrinsic(ir.IntrLoadSsbo, 4, 32, m.b.Imm32(0), at).Set(ir.IdxAlignMul, 4).Def
		}
		return l[:4], l[4:8], l[8]
	}
	multiply := func(m *matrixShader, of build) {
		a, b, v := of(m)
		m.store(m.times(m.product(a, b, false), v, false))
	}
	for _, c := range []struct {
		name  string
		opts  []string
		build func(m *matrixShader)
		goes  bool
	}{
		{"as it is", nil, func(m *matrixShader) { multiply(m, plain) }, true},
		{"exact", nil, func(m *matrixShader) { m.b.Exact = true; multiply(m, plain) }, false},
		{"special values", nil, func(m *matrixShader) { m.b.FastMath = ir.FCNaNPreserve; multiply(m, plain) }, false},
		{"only the sum exact", nil, func(m *matrixShader) {
			a, b, v := plain(m)
			p := m.product(a, b, false)
			m.b.Exact = true
			m.store(m.times(p, v, false))
		}, false},
		{"the same for all lanes", nil, func(m *matrixShader) { multiply(m, same) }, false},
		{"the same for all lanes, asked for", []string{"uniform", "true"}, func(m *matrixShader) { multiply(m, same) }, true},
		{"constant", []string{"uniform", "true"}, func(m *matrixShader) { multiply(m, constant) }, false},
		{"the product read twice", nil, func(m *matrixShader) {
			a, b, v := plain(m)
			p := m.product(a, b, false)
			m.store(m.b.Fadd(m.times(p, v, false), m.times(p, m.vector(4, true), false)))
		}, false},
		{"two left matrices", nil, func(m *matrixShader) {
			a, b, v := plain(m)
			c := m.matrix(4, 4, true)
			p := append(m.product(a, b[:2], false), m.product(c, b[2:], false)...)
			m.store(m.times(p, v, false))
		}, false},
		{"a column of the right matrix in another order", nil, func(m *matrixShader) {
			a, b, v := plain(m)
			b[3] = m.b.Swizzle(b[3], 1, 0, 2, 3)
			m.store(m.times(m.product(a, b, false), v, false))
		}, true},
		{"the upper left of the product", nil, func(m *matrixShader) {
			a, b, _ := plain(m)
			p := m.product(a, b, false)[:3]
			for k := range p {
				p[k] = m.b.Swizzle(p[k], 0, 1, 2)
			}
			m.store(m.times(p, m.vector(3, true), true))
		}, true},
		{"loaded, of vectors", nil, func(m *matrixShader) { m.vectors(); multiply(m, loaded) }, true},
		{"gathered, of vectors", nil, func(m *matrixShader) { m.vectors(); multiply(m, plain) }, false},
		{"the same in a loop, asked for", []string{"uniform", "true"}, func(m *matrixShader) {
			l := m.b.PushLoop()
			multiply(m, same)
			m.b.Jump(ir.JumpBreak)
			m.b.PopLoop(l)
		}, false},
		{"different in a loop", nil, func(m *matrixShader) {
			l := m.b.PushLoop()
			multiply(m, plain)
			m.b.Jump(ir.JumpBreak)
			m.b.PopLoop(l)
		}, true},
		{"the product in another block", nil, func(m *matrixShader) {
			a, b, v := plain(m)
			p := m.product(a, b, false)
			i := m.b.PushIf(m.b.Flt(m.lane, m.b.ImmFloat(1, 32)))
			m.store(m.times(p, v, false))
			m.b.PopIf(i)
		}, false},
	} {
		m := newMatrixShader()
		c.build(m)
		if before, after := m.reassociated(t, c.opts...); (after < before) != c.goes || after > before {
			t.Errorf("%s: %d products, then %d", c.name, before, after)
		}
	}
}
