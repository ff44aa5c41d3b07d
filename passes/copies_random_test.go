package passes

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"nirc/internal/refs"
	"nirc/ir"
)

// copyGen builds a random shader that moves numbers about in variables: by loads and stores of components, by copies of elements, one
// after the other and with something else in between, of fields, of arrays by wildcards and of wholes.
type copyGen struct {
	r    *rand.Rand
	b    *ir.Builder
	vars []*ir.Variable
	// lane is the workgroup's number, by which places are chosen that are not known.
	lane *ir.Def
	vals []*ir.Def
}

// copyLists are passes that look at what variables hold, by themselves and together.
var copyLists = []string{
	"opt_find_array_copies",
	"opt_copy_prop_vars",
	"opt_dead_write_vars",
	"opt_combine_stores",
	"split_var_copies",
	"lower_var_copies",
	"split_var_copies,split_struct_vars,opt_find_array_copies,opt_copy_prop_vars,opt_dead_write_vars",
	"split_var_copies,lower_var_copies,split_array_vars,split_struct_vars,shrink_vec_array_vars,opt_copy_prop_vars,opt_dead_write_vars",
	"opt_find_array_copies,opt_copy_prop_vars,opt_find_array_copies,opt_dead_write_vars,opt_copy_prop_vars,lower_var_copies,lower_array_deref_of_vec,lower_vars_to_ssa",
	"lower_var_copies,lower_array_deref_of_vec,opt_combine_stores,lower_indirect_derefs(modes=function_temp),lower_vars_to_ssa,opt_copy_prop,opt_dce",
	"lower_var_copies,lower_vars_to_explicit_types(modes=function_temp),lower_explicit_io(modes=function_temp)",
	"lower_var_copies,split_struct_vars,lower_locals_to_regs,lower_regs_to_ssa,opt_dce",
}

// shader has about n operations; the buffer gets all that the variables hold in the end.
func (g *copyGen) shader(n int) *ir.Shader {
	s := ir.NewShader(ir.StageCompute, nil)
	f := s.NewFunction("main")
	f.IsEntry = true
	s.Info.WorkgroupSize = [3]uint32{1, 1, 1}
	g.b = ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	number, vec := ir.ScalarType(ir.BaseUint, 32), ir.VectorType(ir.BaseUint, 32, 3)
	list := ir.ArrayType(number, 3, 0)
	part := &ir.Type{Base: ir.BaseStruct, Name: "S", Fields: []ir.Field{
		{Name: "a", Type: number, Offset: -1, Location: -1, BuiltIn: -1, XfbBuffer: -1, XfbOffset: -1},
		{Name: "b", Type: list, Offset: -1, Location: -1, BuiltIn: -1, XfbBuffer: -1, XfbOffset: -1},
	}}
	for _, t := range []*ir.Type{list, list, ir.ArrayType(list, 2, 0), ir.ArrayType(part, 2, 0), ir.ArrayType(part, 2, 0), ir.ArrayType(vec, 2, 0), vec} {
		g.vars = append(g.vars, f.Impl.NewLocal(t, ""))
	}
	group := &g.b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def
	g.lane = g.b.Channel(group, 0)
	at := 0
	for _, v := range g.vars {
		g.leaves(g.b.DerefVar(v), func(d *ir.Def) {
			at++
			g.b.StoreDeref(d, g.b.Iadd(g.b.Imm32(uint32(100*at)), g.lane), 0, 0)
		})
	}
	g.steps(n)
	base := g.b.Ishl(g.lane, g.b.Imm32(8))
	at = 0
	for _, v := range g.vars {
		g.leaves(g.b.DerefVar(v), func(d *ir.Def) {
			st := g.b.Intrinsic(ir.IntrStoreSsbo, 0, 0, g.b.LoadDeref(d, 0), g.b.Imm32(0), g.b.IAddImm(base, int64(4*at)))
			st.Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, 4)
			at++
		})
	}
	return s
}

// leaves calls f with each number below a deref.
func (g *copyGen) leaves(d *ir.Def, f func(*ir.Def)) {
	t := d.Instr.DerefInfo().Type
	switch {
	case t.IsStruct():
		for i := range t.Fields {
			g.leaves(g.b.DerefStruct(d, i), f)
		}
	case t.IsScalar():
		f(d)
	default:
		for i := range t.ChildCount() {
			g.leaves(g.b.DerefArrayImm(d, i), f)
		}
	}
}

// place is a random place of one of the types; of any if want is nil.
func (g *copyGen) place(want *ir.Type) *ir.Def {
	for {
		d := g.b.DerefVar(g.vars[g.r.IntN(len(g.vars))])
		for {
			t := d.Instr.DerefInfo().Type
			if want != nil && t.Equal(want) || want == nil && g.r.IntN(3) == 0 {
				return d
			}
			if t.IsScalar() {
				break
			}
			d = g.below(d)
		}
	}
}

// below is a random part of what d leads to.
func (g *copyGen) below(d *ir.Def) *ir.Def {
	t := d.Instr.DerefInfo().Type
	if t.IsStruct() {
		return g.b.DerefStruct(d, g.r.IntN(len(t.Fields)))
	}
	if g.r.IntN(4) == 0 {
		return g.b.DerefArray(d, g.b.Iand(g.lane, g.b.Imm32(1)))
	}
	return g.b.DerefArrayImm(d, g.r.IntN(t.ChildCount()))
}

func (g *copyGen) val() *ir.Def {
	if len(g.vals) > 0 && g.r.IntN(2) == 0 {
		return g.vals[g.r.IntN(len(g.vals))]
	}
	return g.b.Imm32(g.r.Uint32N(50))
}

func (g *copyGen) steps(n int) {
	for range n {
		switch k := g.r.IntN(16); {
		case k < 8:
			g.step()
		case k < 14:
			g.elements()
		default:
			i := g.b.PushIf(g.b.Ult(g.lane, g.b.Imm32(g.r.Uint32N(4))))
			kept := len(g.vals)
			g.steps(1 + g.r.IntN(2))
			g.vals = g.vals[:kept]
			g.b.PushElse(i)
			g.steps(g.r.IntN(2))
			g.vals = g.vals[:kept]
			g.b.PopIf(i)
		}
	}
}

// step is one operation.
func (g *copyGen) step() {
	number := ir.ScalarType(ir.BaseUint, 32)
	switch g.r.IntN(5) {
	case 0:
		g.vals = append(g.vals, g.b.LoadDeref(g.place(number), 0))
	case 1:
		g.b.StoreDeref(g.place(number), g.val(), 0, 0)
	case 2:
		vec := ir.VectorType(ir.BaseUint, 32, 3)
		g.b.StoreDeref(g.place(vec), g.b.Vec3(g.val(), g.val(), g.val()), uint16(1+g.r.IntN(7)), 0)
	default:
		dst := g.place(nil)
		src := g.place(dst.Instr.DerefInfo().Type)
		if t := dst.Instr.DerefInfo().Type; t.IsScalar() && g.r.IntN(2) == 0 {
			g.b.StoreDeref(dst, g.b.LoadDeref(src, 0), 0, 0)
		} else if compareDerefs(dst.Instr, src.Instr) == noAlias { // a copy onto a part of itself is undefined
			g.b.CopyDeref(dst, src)
		}
	}
}

// elements copies an array element by element, or a field of each: all of them in order, or not quite.
func (g *copyGen) elements() {
	dst := g.place(nil)
	t := dst.Instr.DerefInfo().Type
	src := g.place(t)
	if !t.IsArray() || compareDerefs(dst.Instr, src.Instr) != noAlias {
		return
	}
	field := -1
	if t.Elem.IsStruct() && g.r.IntN(2) == 0 {
		field = g.r.IntN(len(t.Elem.Fields))
	}
	part := func(d *ir.Def, i int) *ir.Def {
		if d = g.b.DerefArrayImm(d, i); field >= 0 {
			d = g.b.DerefStruct(d, field)
		}
		return d
	}
	if g.r.IntN(4) == 0 {
		d, s := g.b.DerefWildcard(dst), g.b.DerefWildcard(src)
		if field >= 0 {
			d, s = g.b.DerefStruct(d, field), g.b.DerefStruct(s, field)
		}
		g.b.CopyDeref(d, s)
		return
	}
	for i := range int(t.Len) {
		if d, s := part(dst, i), part(src, i); d.Instr.DerefInfo().Type.IsScalar() && g.r.IntN(2) == 0 {
			v := g.b.LoadDeref(s, 0)
			g.between()
			g.b.StoreDeref(d, v, 0, 0)
		} else {
			g.b.CopyDeref(d, s)
		}
		g.between()
	}
}

// between is now and then an operation amid others.
func (g *copyGen) between() {
	if g.r.IntN(5) == 0 {
		g.step()
	}
}

// TestRandomCopies: passes leave the variables what they were.
func TestRandomCopies(t *testing.T) {
	seeds := uint64(40)
	if refs.WholeGrids() {
		seeds = 1000
	}
	lists := make([]*Pipeline, len(copyLists))
	for i, l := range copyLists {
		p, err := ParsePassList(l)
		if err != nil {
			t.Fatal(err)
		}
		lists[i] = p
	}
	for seed := range seeds {
		g := copyGen{r: rand.New(rand.NewPCG(seed, 0))}
		base := g.shader(12)
		if err := ir.Validate(base); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(base))
		}
		want, err := execute(base)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i, p := range lists {
			s := ir.Clone(base)
			err := p.Run(s, RunOptions{VerifyEach: true})
			var got []byte
			if err == nil {
				got, err = execute(s)
			}
			if err != nil {
				t.Fatalf("seed %d: %s: %v\n%s", seed, copyLists[i], err, ir.Print(s))
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("seed %d: %s: results differ: %s", seed, copyLists[i], firstBad(t, base, copyLists[i], want))
			}
		}
	}
}
