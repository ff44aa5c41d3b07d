package passes

import (
	"slices"

	"nirc/ir"
	"nirc/passes/analysis"
)

var optReassociateMatrixMulPass = &Pass{
	Name: "opt_reassociate_matrix_mul", For: ir.HasALU, Class: "B", Run: optReassociateMatrixMul, Idempotent: true, Optional: true, Rewrites: true,
	Doc: "Multiplies a vector by one matrix after the other, (A·B)·v as A·(B·v), where nothing else reads the product of the matrices: 8 products of vectors in place of 20 for two of 4 x 4. " +
		"What is exact or keeps properties of special values stays. Vulkan allows it otherwise (its SPIR-V environment assumes AllowReassoc and AllowTransform where nothing is said). " +
		"Products that are the same for all lanes stay too unless uniform asks for them, outside of loops: a preamble, or what stands before the loop, has them once. Needs matrices as columns: before lower_alu_to_scalar.",
	Options: []Option{{"uniform", "outside of loops also where both matrices are the same for all lanes", false}},
}

func optReassociateMatrixMul(c *Context, s *ir.Shader) (bool, error) {
	uniform := c.Bool("uniform")
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (progress bool) {
		m := matrixProduct{uniform: uniform, apart: s.Options == nil || s.Options.MaxVectorWidth <= 1}
		for blk := range impl.Blocks() {
			// From the end on: what a rewrite leaves is looked at next, and may be a product of fewer matrices with a vector.
			for in := blk.Last(); in != nil; {
				if !m.match(in) || !c.Step() {
					in = in.Prev()
					continue
				}
				in = m.rewrite(in)
				progress = true
			}
		}
		return progress
	}), nil
}

const (
	// maxColumns is how many columns a matrix has at most.
	maxColumns = 4
	// maxMatrixTerms is how many terms a sum has at most: all columns but one as products, and what one that was multiplied by 1 is the sum of.
	maxMatrixTerms = 2*maxColumns - 1
)

// picked is a value with some of its components, one a lane.
type picked struct {
	def *ir.Def
	swz ir.Swizzle
}

// same reports whether two are the same in the first n lanes.
func (p picked) same(q picked, n int) bool { return p.def == q.def && p.swz.Same(q.swz, n) }

// matrixTerm is a term of a sum of vectors: a column times a component of a value, in all lanes of its swizzle; without a value the column itself.
type matrixTerm struct{ column, scalar picked }

// matrixProduct is a product (A·B)·v: the sum over k of (A·b[k])·v[k], A·b[k] being the sum over j of a[j] times b[k][j].
type matrixProduct struct {
	uniform bool
	// apart says that components of a column of B may come from several values: vectors cost nothing.
	apart bool
	lanes int // rows of A
	a     []picked
	b     [][maxColumns]picked
	v     []picked // components; without a value 1
	// terms are those of the whole sum, sum those of a column of A·B, rest those that are the column that was multiplied by 1.
	terms, sum, rest []matrixTerm
}

// match reports whether in is the last sum of such a product, and finds its parts.
func (m *matrixProduct) match(in *ir.Instr) (ok bool) {
	if !sumsVectors(in) || in.Op != ir.OpFadd || in.Def.Unused() || isInnerSum(in) {
		return false
	}
	if m.terms, ok = appendTerms(m.terms[:0], in, ir.IdentitySwizzle); !ok {
		return false
	}
	m.lanes, m.a, m.b, m.v, m.rest = int(in.Def.NumComponents), m.a[:0], m.b[:0], m.v[:0], m.rest[:0]
	for _, t := range m.terms {
		x := t.column.def.Instr
		if t.scalar.def == nil || x.Block != in.Block || !t.column.def.UsedOnce() || !sumsVectors(x) {
			m.rest = append(m.rest, t)
			continue
		}
		if m.sum, ok = appendTerms(m.sum[:0], x, t.column.swz); !ok || !m.product(m.sum, t.scalar) {
			return false
		}
	}
	if len(m.v) == 0 || len(m.rest) > 0 && !m.product(m.rest, picked{}) {
		return false
	}
	return len(m.v) >= 2 && len(m.v) <= maxColumns && m.pays(in)
}

// product notes A·b, b being what of other values the terms hold, as the factor of a component of v; false if A is another than before.
func (m *matrixProduct) product(sum []matrixTerm, v picked) bool {
	first := len(m.b) == 0
	if len(sum) < 2 || len(sum) > maxColumns || !first && len(sum) != len(m.a) {
		return false
	}
	var b [maxColumns]picked
	for j := range sum {
		if first {
			m.a = append(m.a, sum[j].column)
		}
		k := j
		for k < len(sum) && !sum[k].column.same(m.a[j], m.lanes) {
			k++
		}
		if k == len(sum) {
			return false
		}
		sum[j], sum[k] = sum[k], sum[j]
		if b[j] = sum[j].scalar; b[j].def == nil || !m.apart && b[j].def != b[0].def {
			return false
		}
	}
	m.b, m.v = append(m.b, b), append(m.v, v)
	return true
}

// pays reports whether a product of the matrices would not be made at compile time, or once for all lanes or turns of a loop.
func (m *matrixProduct) pays(in *ir.Instr) bool {
	if !m.anyValue(func(d *ir.Def) bool { return !d.IsConst() }) {
		return false
	}
	if m.uniform && ir.EnclosingLoop(in.Block) == nil {
		return true
	}
	analysis.RequireDivergence(in.Block.Impl())
	return m.anyValue(func(d *ir.Def) bool { return d.Divergent })
}

// anyValue reports whether something holds for a value that the matrices consist of.
func (m *matrixProduct) anyValue(holds func(*ir.Def) bool) bool {
	for j, a := range m.a {
		if holds(a.def) || slices.ContainsFunc(m.b, func(b [maxColumns]picked) bool { return holds(b[j].def) }) {
			return true
		}
	}
	return false
}

// rewrite makes A·(B·v) of the product that ends with in, and returns its last sum.
func (m *matrixProduct) rewrite(in *ir.Instr) *ir.Instr {
	b := vectorBuilder{Builder: ir.NewBuilder(ir.Before(in)).AtInstr(in), like: in}
	var inner, outer picked
	for k := len(m.v) - 1; k >= 0; k-- {
		inner = b.addProduct(len(m.a), b.vector(m.b[k][:len(m.a)]), m.v[k], inner)
	}
	for j := len(m.a) - 1; j >= 0; j-- {
		outer = b.addProduct(m.lanes, m.a[j], picked{inner.def, ir.Broadcast(j)}, outer)
	}
	in.Def.RewriteUses(outer.def)
	removeUnread(in)
	return outer.def.Instr
}

// vectorBuilder builds operations that are as relaxed as another.
type vectorBuilder struct {
	*ir.Builder
	like *ir.Instr
}

// addProduct is x·y + sum in n lanes; without y x + sum, without sum x·y.
func (b vectorBuilder) addProduct(n int, x, y, sum picked) picked {
	if y.def != nil {
		x = b.op(ir.OpFmul, n, x, y)
	}
	if sum.def == nil {
		return x
	}
	return b.op(ir.OpFadd, n, x, sum)
}

func (b vectorBuilder) op(op ir.Op, n int, x, y picked) picked {
	in := b.Shader.NewALU(op, uint8(n), x.def.BitSize, x.def, y.def)
	in.Srcs[0].Swizzle, in.Srcs[1].Swizzle, in.Relaxed = x.swz, y.swz, b.like.Relaxed
	return picked{&b.Insert(in).Def, ir.IdentitySwizzle}
}

// vector is the vector of components, each of which all lanes of its swizzle read.
func (b vectorBuilder) vector(comps []picked) picked {
	v := picked{comps[0].def, comps[0].swz}
	for j, c := range comps {
		if c.def != v.def {
			return b.gathered(comps)
		}
		v.swz = v.swz.With(j, c.swz.Lane(0))
	}
	return v
}

// gathered is vector for components of several values.
func (b vectorBuilder) gathered(comps []picked) picked {
	l := make([]*ir.Def, len(comps))
	for j, c := range comps {
		l[j] = b.Channel(c.def, c.swz.Lane(0))
	}
	return picked{b.Vec(l...), ir.IdentitySwizzle}
}

// removeUnread removes a sum or product that nothing reads, and what it alone read.
func removeUnread(in *ir.Instr) {
	srcs := [2]*ir.Def{in.Srcs[0].Def, in.Srcs[1].Def}
	in.Remove()
	for _, d := range srcs {
		if d.Unused() && d.Instr.Block != nil && sumsVectors(d.Instr) {
			removeUnread(d.Instr)
		}
	}
}

// sumsVectors reports whether in is a sum or product of vectors that may be computed in another order.
func sumsVectors(in *ir.Instr) bool {
	return in.Kind == ir.KindALU && (in.Op == ir.OpFadd || in.Op == ir.OpFmul) && in.Def.NumComponents > 1 && !in.Exact && in.FastMath == 0
}

// isInnerSum reports whether only a sum of the same vectors reads in.
func isInnerSum(in *ir.Instr) bool {
	if !in.Def.UsedOnce() {
		return false
	}
	u := in.Def.FirstUse()
	return u.Instr != nil && u.Instr.Block == in.Block && u.Instr.Op == ir.OpFadd && sumsVectors(u.Instr) && isWhole(u, u.Instr)
}

// appendTerms appends the terms of a sum of which some components are picked; it reports false if there are too many.
func appendTerms(list []matrixTerm, in *ir.Instr, swz ir.Swizzle) ([]matrixTerm, bool) {
	if in.Op == ir.OpFmul {
		for k := range 2 {
			column, factor := &in.Srcs[k], &in.Srcs[1-k]
			if all := ir.Broadcast(factor.Swizzle.Lane(0)); factor.Swizzle.Same(all, int(in.Def.NumComponents)) {
				return append(list, matrixTerm{picked{column.Def, swz.Compose(column.Swizzle)}, picked{factor.Def, all}}), true
			}
		}
		return append(list, matrixTerm{column: picked{&in.Def, swz}}), true
	}
	ok := true
	for k := range in.Srcs {
		s := &in.Srcs[k]
		x := s.Def.Instr
		switch {
		case !ok || len(list) == maxMatrixTerms:
			return list, false
		case x.Block == in.Block && s.Def.UsedOnce() && sumsVectors(x) && isWhole(s, in):
			list, ok = appendTerms(list, x, swz)
		default:
			list = append(list, matrixTerm{column: picked{s.Def, swz.Compose(s.Swizzle)}})
		}
	}
	return list, ok
}

// isWhole reports whether a source of in is a vector as it stands.
func isWhole(s *ir.Src, in *ir.Instr) bool {
	n := in.Def.NumComponents
	return s.Def.NumComponents == n && s.Swizzle.Same(ir.IdentitySwizzle, int(n))
}
