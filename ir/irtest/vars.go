package irtest

import (
	"fmt"

	"nirc/ir"
)

// varTypes are the types of the variables: what loads and stores reach is
// 32-bit vectors and scalars, booleans and halves.
func varTypes() []*ir.Type {
	u, f := ir.VectorType(ir.BaseUint, 32, 1), ir.VectorType(ir.BaseFloat, 32, 3)
	field := func(name string, t *ir.Type) ir.Field {
		return ir.Field{Name: name, Type: t, Offset: -1, Location: -1, BuiltIn: -1, XfbBuffer: -1, XfbOffset: -1}
	}
	st := &ir.Type{Base: ir.BaseStruct, Name: "S", Fields: []ir.Field{field("a", u), field("b", f), field("c", ir.ArrayType(u, 4, 0))}}
	return []*ir.Type{u, f, ir.VectorType(ir.BaseFloat, 32, 4), ir.VectorType(ir.BaseInt, 32, 2), ir.ArrayType(u, 8, 0),
		ir.ArrayType(f, 4, 0), st, ir.BoolType, ir.VectorType(ir.BaseUint, 16, 2), ir.ArrayType(st, 2, 0)}
}

// declare makes the variables and stores to all of them.
func (g *gen) declare() {
	types := varTypes()
	for i := range 4 + g.r.IntN(8) {
		t := types[g.r.IntN(len(types))]
		name := fmt.Sprintf("v%d", i)
		var v *ir.Variable
		if g.chance(1, 5) {
			v = g.s.NewVariable(ir.ModeShaderTemp, t, name)
		} else {
			v = g.b.Impl.NewLocal(t, name)
		}
		g.vars = append(g.vars, v)
		g.fill(g.b.DerefVar(v))
	}
}

// fill stores to every leaf below d.
func (g *gen) fill(d *ir.Def) {
	t := d.Instr.DerefInfo().Type
	switch {
	case t.IsVectorOrScalar():
		g.b.StoreDeref(d, g.shaped(t.Bits, t.Rows), 0, 0)
	case t.IsStruct():
		for i := range t.Fields {
			g.fill(g.b.DerefStruct(d, i))
		}
	default:
		for i := range t.ChildCount() {
			g.fill(g.b.DerefArrayImm(d, i))
		}
	}
}

// leaf builds derefs down to a scalar or vector; indices are constant or
// masked values.
func (g *gen) leaf(d *ir.Def) *ir.Def {
	for {
		t := d.Instr.DerefInfo().Type
		g.left--
		switch {
		case t.IsVectorOrScalar():
			return d
		case t.IsStruct():
			d = g.b.DerefStruct(d, g.r.IntN(len(t.Fields)))
		case g.chance(1, 3):
			i := g.b.Iand(g.shaped(32, 1), g.b.Imm32(t.Len-1)) // lengths are powers of two
			d = g.b.DerefArray(d, i)
			d.Instr.DerefInfo().InBounds = g.Everything && g.chance(1, 2)
		default:
			d = g.b.DerefArrayImm(d, g.r.IntN(int(t.Len)))
		}
	}
}

// variable loads, stores or copies.
func (g *gen) variable() {
	v := g.vars[g.r.IntN(len(g.vars))]
	switch g.r.IntN(7) {
	case 0:
		w := g.vars[g.r.IntN(len(g.vars))]
		if w != v && w.Type.Bare().Equal(v.Type.Bare()) {
			g.b.CopyDeref(g.b.DerefVar(v), g.b.DerefVar(w))
			g.left -= 3
			return
		}
		fallthrough
	case 1, 2, 3:
		g.add(g.b.LoadDeref(g.leaf(g.b.DerefVar(v)), 0))
	default:
		d := g.leaf(g.b.DerefVar(v))
		t := d.Instr.DerefInfo().Type
		mask := uint16(1 + g.r.IntN(1<<t.Rows-1))
		g.b.StoreDeref(d, g.shaped(t.Bits, t.Rows), mask, 0)
		g.left--
	}
}
