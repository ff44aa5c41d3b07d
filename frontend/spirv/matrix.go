package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// columns returns the columns of a matrix id.
func (t *translator) columns(id uint32) []*ir.Def {
	if t.valType(id).kind != tMatrix {
		t.fail(id, "a matrix is wanted here")
	}
	return t.get(id)
}

// floatVector returns a scalar or vector of floats of n components (0: any).
func (t *translator) floatVector(id uint32, n, bits uint8) *ir.Def {
	d := t.vector(id)
	if ty := t.valType(id); !ty.isFloat() || ty.scalarType().encoding != 0 || n != 0 && d.NumComponents != n || bits != 0 && d.BitSize != bits {
		t.fail(id, "the operand is not a float of the wanted shape")
	}
	return d
}

// matrix translates the matrix instructions.
func (t *translator) matrix(in *inst) {
	b := t.f.b
	ty := t.typeOf(in.typ)
	x := t.arg(in, 0)
	switch in.op {
	case spv.OpTranspose:
		t.setLeaves(in, ty, t.transpose(t.columns(x)))
	case spv.OpMatrixTimesScalar:
		m := t.columns(x)
		s := t.floatVector(t.arg(in, 1), 1, m[0].BitSize)
		out := t.leaves.Slice(len(m))
		for k := range m {
			out[k] = b.Fmul(m[k], s)
		}
		t.setLeaves(in, ty, out)
	case spv.OpVectorTimesMatrix:
		m := t.columns(t.arg(in, 1))
		v := t.floatVector(x, m[0].NumComponents, m[0].BitSize)
		comps := make([]*ir.Def, len(m))
		for k := range m {
			comps[k] = t.dot(v, m[k])
		}
		t.set(in, b.Vec(comps...))
	case spv.OpMatrixTimesVector:
		m := t.columns(x)
		t.set(in, t.matrixVector(m, t.floatVector(t.arg(in, 1), uint8(len(m)), m[0].BitSize)))
	case spv.OpMatrixTimesMatrix:
		m, n := t.columns(x), t.columns(t.arg(in, 1))
		if len(m) != int(n[0].NumComponents) || m[0].BitSize != n[0].BitSize {
			t.fail(in.id, "%s: the matrices do not fit", in.op)
		}
		out := t.leaves.Slice(len(n))
		for k := range n {
			out[k] = t.matrixVector(m, n[k])
		}
		t.setLeaves(in, ty, out)
	case spv.OpOuterProduct:
		u := t.floatVector(x, 0, 0)
		v := t.floatVector(t.arg(in, 1), 0, u.BitSize)
		out := t.leaves.Slice(int(v.NumComponents))
		for k := range out {
			out[k] = b.Fmul(u, b.Channel(v, k))
		}
		t.setLeaves(in, ty, out)
	}
}

func (t *translator) transpose(m []*ir.Def) []*ir.Def {
	out := t.leaves.Slice(int(m[0].NumComponents))
	for r := range out {
		comps := make([]*ir.Def, len(m))
		for c := range m {
			comps[c] = t.f.b.Channel(m[c], r)
		}
		out[r] = t.f.b.Vec(comps...)
	}
	return out
}

// matrixVector returns the sum of the columns times the vector's components,
// last column first so that each step has the shape of a multiply-add.
func (t *translator) matrixVector(m []*ir.Def, v *ir.Def) *ir.Def {
	b := t.f.b
	last := len(m) - 1
	r := b.Fmul(m[last], b.Channel(v, last))
	for k := last - 1; k >= 0; k-- {
		r = b.Fadd(b.Fmul(m[k], b.Channel(v, k)), r)
	}
	return r
}

// dot returns the dot product of two equal vectors.
func (t *translator) dot(x, y *ir.Def) *ir.Def {
	b := t.f.b
	switch x.NumComponents {
	case 1:
		return b.Fmul(x, y)
	case 2:
		return b.Fdot2(x, y)
	case 3:
		return b.Fdot3(x, y)
	}
	return b.Fdot4(x, y)
}

// determinant expands along the first column. rows are indices still in use.
func (t *translator) determinant(m []*ir.Def) *ir.Def {
	n := len(m)
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return t.minor(m, rows)
}

// minor is the determinant of the columns m restricted to the given rows.
func (t *translator) minor(m []*ir.Def, rows []int) *ir.Def {
	b := t.f.b
	if len(m) == 1 {
		return b.Channel(m[0], rows[0])
	}
	var sum *ir.Def
	rest := make([]int, len(rows)-1)
	for k, r := range rows {
		copy(rest, rows[:k])
		copy(rest[k:], rows[k+1:])
		p := b.Fmul(b.Channel(m[0], r), t.minor(m[1:], rest))
		switch {
		case sum == nil:
			sum = p
		case k&1 != 0:
			sum = b.Fsub(sum, p)
		default:
			sum = b.Fadd(sum, p)
		}
	}
	return sum
}

// inverse returns the adjugate divided by the determinant.
func (t *translator) inverse(m []*ir.Def) []*ir.Def {
	b := t.f.b
	n := len(m)
	rows := make([]int, 0, n)
	cols := make([]*ir.Def, 0, n)
	// cof[c][r] is the cofactor of column c, row r.
	var cof [4][4]*ir.Def
	for c := range n {
		cols = append(append(cols[:0], m[:c]...), m[c+1:]...)
		for r := range n {
			rows = rows[:0]
			for k := range n {
				if k != r {
					rows = append(rows, k)
				}
			}
			cof[c][r] = t.minor(cols, rows)
			if (c+r)&1 != 0 {
				cof[c][r] = b.Fneg(cof[c][r])
			}
		}
	}
	var det *ir.Def
	for r := range n {
		p := b.Fmul(b.Channel(m[0], r), cof[0][r])
		if det == nil {
			det = p
		} else {
			det = b.Fadd(det, p)
		}
	}
	inv := b.Frcp(det)
	out := t.leaves.Slice(n)
	for c := range n { // column c of the inverse holds the cofactors of row c
		comps := make([]*ir.Def, n)
		for r := range n {
			comps[r] = cof[r][c]
		}
		out[c] = b.Fmul(b.Vec(comps...), inv)
	}
	return out
}
