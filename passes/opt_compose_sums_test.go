package passes

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"nirc/ir"
)

// scalarMatrix is a matrix of scalars, by row.
type scalarMatrix [][]*ir.Def

// scalars is a matrix of whole numbers, which products of three matrices keep exact in any order.
func (m *matrixShader) scalars(rows, columns int) (l scalarMatrix) {
	for range rows {
		var row []*ir.Def
		for range columns {
			m.seed = m.seed*6364136223846793005 + 1442695040888963407
			row = append(row, m.b.ImmFloat(float64(m.seed>>61)+1, 32))
		}
		l = append(l, row)
	}
	return l
}

// lanes are the components of a vector of n values that differ between lanes.
func (m *matrixShader) lanes(n int) (l []*ir.Def) {
	for i := range n {
		l = append(l, m.b.Iadd(m.b.F2u32(m.lane), m.b.Imm32(uint32(i))))
	}
	v := m.b.U2f32(m.b.Vec(l...))
	for i := range l {
		l[i] = m.b.Channel(v, i)
	}
	return l
}

// apply is a matrix times a vector: a sum of products for each row, begun with the first or the last, and with ffma if fused.
func (m *matrixShader) apply(a scalarMatrix, v []*ir.Def, forward, fused bool) (l []*ir.Def) {
	for _, row := range a {
		var sum *ir.Def
		for i := range v {
			k := i
			if !forward {
				k = len(v) - 1 - i
			}
			switch {
			case sum == nil:
				sum = m.b.Fmul(v[k], row[k])
			case fused:
				sum = m.b.Ffma(row[k], v[k], sum)
			default:
				sum = m.b.Fadd(sum, m.b.Fmul(v[k], row[k]))
			}
		}
		if len(row) > len(v) { // what is multiplied by 1
			sum = m.b.Fadd(row[len(v)], sum)
		}
		l = append(l, sum)
	}
	return l
}

// scalarProducts counts the products of scalars that something reads.
func scalarProducts(s *ir.Shader) (n int) {
	for b := range s.Entry().Impl.Blocks() {
		for in := range b.Instrs() {
			if in.IsALU(ir.OpFmul) || in.IsALU(ir.OpFfma) {
				n++
			}
		}
	}
	return n
}

// composed runs opt_compose_sums and returns the products of scalars before and after.
func (m *matrixShader) composed(t *testing.T) (before, after int) {
	t.Helper()
	return m.rearranged(t, "opt_compose_sums", scalarProducts)
}

// TestComposeSumsShapes: two and three matrices of all shapes become one, in whichever order sums stand, with products and
// multiply-adds, and with a component of the vector that is 1.
func TestComposeSumsShapes(t *testing.T) {
	for rows := 2; rows <= 4; rows++ {
		for columns := 2; columns <= 4; columns++ {
			for n := 2; n <= 3; n++ {
				for form := range 8 {
					forward, fused, one := form&1 != 0, form&2 != 0, form&4 != 0
					m := newMatrixShader()
					width := columns
					if one {
						width--
					}
					v := m.apply(m.scalars(4, columns), m.lanes(width), forward, fused)
					for range n - 2 {
						v = m.apply(m.scalars(4, 4), v, forward, fused)
					}
					m.store(m.b.Vec(m.apply(m.scalars(rows, 4), v, forward, fused)...))
					name := fmt.Sprintf("%d matrices to %d rows of %d columns, forward %v, fused %v, a one %v", n, rows, columns, forward, fused, one)
					if _, after := m.composed(t); after != rows*width {
						t.Errorf("%s: %d products, want %d", name, after, rows*width)
					}
				}
			}
		}
	}
}

// TestComposeSumsStays: what must keep its order, what something else reads and what would cost more stays.
func TestComposeSumsStays(t *testing.T) {
	twice := func(m *matrixShader, between func(u []*ir.Def) []*ir.Def) {
		u := m.apply(m.scalars(4, 4), m.lanes(4), true, false)
		m.store(m.b.Vec(m.apply(m.scalars(4, 4), between(u), true, false)...))
	}
	same := func(u []*ir.Def) []*ir.Def { return u }
	for _, c := range []struct {
		name  string
		build func(m *matrixShader)
		goes  bool
	}{
		{"as it is", func(m *matrixShader) { twice(m, same) }, true},
		{"exact", func(m *matrixShader) { m.b.Exact = true; twice(m, same) }, false},
		{"special values", func(m *matrixShader) { m.b.FastMath = ir.FCNaNPreserve; twice(m, same) }, false},
		{"only the second exact", func(m *matrixShader) { twice(m, func(u []*ir.Def) []*ir.Def { m.b.Exact = true; return u }) }, false},
		{"stored too", func(m *matrixShader) { twice(m, func(u []*ir.Def) []*ir.Def { m.store(m.b.Vec(u...)); return u }) }, false},
		{"one component stored too, which the second still reads", func(m *matrixShader) { twice(m, func(u []*ir.Def) []*ir.Def { m.store(u[0]); return u }) }, true},
		{"another operation between", func(m *matrixShader) {
			twice(m, func(u []*ir.Def) []*ir.Def {
				return []*ir.Def{m.b.Fmax(u[0], m.lane), m.b.Fmax(u[1], m.lane), m.b.Fmax(u[2], m.lane), m.b.Fmax(u[3], m.lane)}
			})
		}, false},
		{"two components of four through the second", func(m *matrixShader) {
			u := m.apply(m.scalars(2, 4), m.lanes(4), true, false)
			m.store(m.b.Vec(m.apply(m.scalars(4, 2), u, true, false)...)) // 8 and 8 products, or 16
		}, false},
		{"factors that differ", func(m *matrixShader) {
			u := m.apply(scalarMatrix{m.lanes(4), m.lanes(4), m.lanes(4), m.lanes(4)}, m.lanes(4), true, false)
			m.store(m.b.Vec(m.apply(m.scalars(4, 4), u, true, false)...))
		}, false},
		{"the second in another block", func(m *matrixShader) {
			u := m.apply(m.scalars(4, 4), m.lanes(4), true, false)
			i := m.b.PushIf(m.b.Flt(m.lane, m.b.ImmFloat(1, 32)))
			m.store(m.b.Vec(m.apply(m.scalars(4, 4), u, true, false)...))
			m.b.PopIf(i)
		}, false},
		{"what is read by both a second and a third", func(m *matrixShader) {
			u := m.apply(m.scalars(4, 4), m.lanes(4), true, false)
			w := m.apply(m.scalars(4, 4), u, true, false)
			m.store(m.b.Vec(m.apply(m.scalars(4, 4), append(w[:2:2], u[2:]...), true, false)...))
			m.store(m.b.Vec(w...))
		}, false},
		{"sums of which one is a term of the other", func(m *matrixShader) {
			v := m.lanes(3)
			u := m.apply(m.scalars(3, 3), v, true, false)
			y := m.apply(m.scalars(2, 3), u, true, false)
			m.store(m.b.Vec(y[0], m.b.Fadd(y[1], m.b.Fmul(y[0], m.b.ImmFloat(3, 32)))))
		}, true},
	} {
		m := newMatrixShader()
		c.build(m)
		if before, after := m.composed(t); (after < before) != c.goes || after > before {
			t.Errorf("%s: %d products, then %d", c.name, before, after)
		}
	}
}

// TestComposeSumsDifferences: (x - y + 3) * k becomes x * k - y * k + 3 * k, which is one operation less, unless y is a rounded
// value, for then the difference is exact and has a sign that is known, or k is infinite, for then the difference of the
// products is no number.
func TestComposeSumsDifferences(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name   string
		y      func(b *ir.Builder, x *ir.Def) *ir.Def
		factor float64
		goes   bool
	}{
		{"another value", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Fabs(x) }, 2, true},
		{"floor", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Ffloor(x) }, 2, false},
		{"-floor", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Fneg(b.Ffloor(x)) }, 2, false},
		{"ceil", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Fceil(x) }, 2, false},
		{"trunc", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Ftrunc(x) }, 2, false},
		{"round", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.FroundEven(x) }, 2, false},
		{"-round", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Fneg(b.FroundEven(x)) }, 2, false},
		{"infinite", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Fabs(x) }, inf, false},
		{"-infinite", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Fabs(x) }, -inf, false},
		{"no number", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Fabs(x) }, math.NaN(), false},
	} {
		m := newMatrixShader()
		x := m.lanes(1)[0]
		d := m.b.Fadd(m.b.Fadd(x, c.y(m.b, x)), m.b.ImmFloat(3, 32))
		m.store(m.b.Fmul(d, m.b.ImmFloat(c.factor, 32)))
		if before, after := m.composed(t); before != 1 || (after == 2) != c.goes || after > 2 {
			t.Errorf("%s: %d products, then %d", c.name, before, after)
		}
	}
}

// TestComposeSumsRoom: weighing whether sums pay makes no garbage: most of what is weighed does not.
func TestComposeSumsRoom(t *testing.T) {
	m := newMatrixShader()
	u := m.apply(m.scalars(4, 4), m.lanes(4), true, false)
	m.store(m.b.Vec(m.apply(m.scalars(4, 4), u, true, false)...))
	impl := m.s.Functions[0].Impl
	l := new(linearMaps)
	if !l.parse(impl, impl.Start()) {
		t.Fatal("no sums that compose")
	}
	read := int32(slices.IndexFunc(l.sums, func(u linearSum) bool { return u.first != 0 }))
	if !l.gather(read) || !l.pays() {
		t.Fatal("two matrices do not pay")
	}
	if n := testing.AllocsPerRun(10, func() { l.pays() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
