package midgard

import "nirc/ir"

// Matrices whose rows lie in memory make products with their columns: each is a
// dot product with one component of every row, and gathering these takes as many moves
// as there are rows. Summing the rows, scaled, needs none.

// dotProduct is a dot product whose second operand gathers component comp of the
// vectors rows.
type dotProduct struct {
	in   *ir.Instr
	n    int // components
	vec  ir.Src
	rows [4]*ir.Def
	comp int
	done bool
}

var dotSizes = [...]struct {
	op ir.Op
	n  int
}{{ir.OpFdot2, 2}, {ir.OpFdot3, 3}, {ir.OpFdot4, 4}}

// sumRows rewrites dot products of one vector with several columns.
func sumRows(impl *ir.Impl) {
	var list []dotProduct
	for b := range impl.Blocks() {
		list = list[:0]
		for in := range b.Instrs() {
			if in.Kind != ir.KindALU || in.Exact {
				continue
			}
			for _, d := range dotSizes {
				if d.op == in.Op && in.Def.BitSize == 32 {
					list = appendDot(list, in, d.n)
				}
			}
		}
		for i := range list {
			if !list[i].done {
				rewriteDots(impl, list[i:])
			}
		}
	}
}

// appendDot appends the dot product if an operand gathers.
func appendDot(list []dotProduct, in *ir.Instr, n int) []dotProduct {
	for k := range 2 {
		g := &in.Srcs[1-k]
		p := dotProduct{in: in, n: n, vec: in.Srcs[k]}
		if !g.Def.Instr.IsVec() {
			continue
		}
		ok := true
		for i := range n {
			q := &g.Def.Instr.Srcs[g.Swizzle.Lane(i)]
			row, c := origin(q.Def, q.Swizzle.Lane(0))
			p.rows[i] = row
			ok = ok && (i == 0 || c == p.comp) && c < 4 && row.NumComponents > 1 && !row.IsConst()
			p.comp = c
		}
		if ok {
			return append(list, p)
		}
	}
	return list
}

// origin looks through moves for where component c of d comes from.
func origin(d *ir.Def, c int) (*ir.Def, int) {
	for d.Instr.Kind == ir.KindALU && d.Instr.Op == ir.OpMov {
		q := &d.Instr.Srcs[0]
		d, c = q.Def, q.Swizzle.Lane(c)
	}
	return d, c
}

// same reports whether two products are of the same vector with columns of the same
// rows.
func (p *dotProduct) same(q *dotProduct) bool {
	if p.n != q.n || p.vec.Def != q.vec.Def || p.rows != q.rows {
		return false
	}
	for i := range p.n {
		if p.vec.Swizzle.Lane(i) != q.vec.Swizzle.Lane(i) {
			return false
		}
	}
	return true
}

// term is row i, of which comps are wanted, times the vector's component.
func (p *dotProduct) term(b *ir.Builder, i int, comps []int) *ir.Def {
	row := b.Swizzle(p.rows[i], comps...)
	c := p.vec.Swizzle.Lane(i)
	factor, value := p.vec.Def, uint64(0)
	fixed := factor.IsConst()
	if fixed {
		value = factor.Instr.Imm[c]
	} else if v := factor.Instr; v.IsVec() {
		q := &v.Srcs[c]
		if fixed = q.Def.IsConst(); fixed {
			value = q.Def.Instr.Imm[q.Swizzle.Lane(0)]
		}
	}
	if fixed && value == 0x3f800000 {
		return row
	}
	same := make([]int, len(comps))
	for k := range same {
		same[k] = c
	}
	return b.Fmul(b.Swizzle(factor, same...), row)
}

// rewriteDots computes the products that go with the first of the list by one sum,
// where that is not more than gathering the columns takes. The sum begins with the last row, as selection does where matrices
// are multiplied by columns: the last component of positions is 1 more often than not, so that this row is added to a product and
// not to a sum.
func rewriteDots(impl *ir.Impl, list []dotProduct) {
	first := &list[0]
	var comps []int
	at := [4]int{}
	for i := range list {
		if p := &list[i]; !p.done && p.same(first) {
			k := 0
			for k < len(comps) && comps[k] != p.comp {
				k++
			}
			if k == len(comps) {
				comps = append(comps, p.comp)
			}
			at[p.comp] = k
		}
	}
	if len(comps) < 2 {
		return
	}
	impl.Preserve(ir.MetaControlFlow)
	b := ir.NewBuilder(ir.Before(first.in)).AtInstr(first.in)
	var sum *ir.Def
	for i := first.n - 1; i >= 0; i-- {
		term := first.term(b, i, comps)
		if sum == nil {
			sum = term
		} else {
			sum = b.Fadd(sum, term)
		}
	}
	var parts [4]*ir.Def
	for k := range comps {
		parts[k] = b.Channel(sum, k)
	}
	for i := range list {
		p := &list[i]
		if !p.done && (p == first || p.same(first)) {
			p.done = true
			p.in.Def.RewriteUses(parts[at[p.comp]])
			p.in.Remove()
		}
	}
}
