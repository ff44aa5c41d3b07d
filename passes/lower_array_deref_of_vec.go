package passes

import "nirc/ir"

var lowerArrayDerefOfVecPass = &Pass{
	Name: "lower_array_deref_of_vec", For: ir.HasElement, Class: "A", Run: lowerArrayDerefOfVec, Idempotent: true,
	Options: []Option{{"modes", "modes whose accesses are handled", ir.ModeFunctionTemp | ir.ModeShaderTemp | ir.ModeShaderOut | ir.ModeShaderIn}},
	Doc: "Turns accesses of a component of a vector by deref into accesses of the vector; a store by an index that is not known into a choice of stores, where " +
		"other invocations may write the other components (outputs of tessellation control and mesh shaders).",
}

// lowerArrayDerefOfVec turns accesses of one component of a vector by deref
// into accesses of the vector: a load picks the component, a store of a known
// component writes it under a mask, any other store writes back the whole
// vector. The modes must not be memory that other invocations write.
func lowerArrayDerefOfVec(c *Context, s *ir.Shader) (bool, error) {
	modes := c.Modes("modes")
	chosen := modes&ir.ModeShaderOut != 0 && (s.Stage == ir.StageTessCtrl || s.Stage == ir.StageMesh) && eachImpl(s, ir.MetaNone, chooseStores)
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (progress bool) {
		for b := range impl.Blocks() {
			for in := range b.Instrs() {
				if !in.IsIntrinsic(ir.IntrLoadDeref) && !in.IsIntrinsic(ir.IntrStoreDeref) {
					continue
				}
				d := derefOf(in.Srcs[0].Def)
				if d == nil || d.Deref != ir.DerefArray || d.DerefInfo().Modes&^modes != 0 {
					continue
				}
				p := derefParent(d)
				if p == nil || !isLeafType(p.DerefInfo().Type) {
					continue
				}
				componentAccess(in, d, p)
				progress = true
			}
		}
		return progress
	}) || chosen, nil
}

// chooseStores makes stores to components of outputs by an index that is not known stores of known components.
func chooseStores(impl *ir.Impl) bool {
	list := collect(impl, func(in *ir.Instr) bool {
		if in.Intr != ir.IntrStoreDeref {
			return false
		}
		d := derefOf(in.Srcs[0].Def)
		if d == nil || d.Deref != ir.DerefArray || d.DerefInfo().Modes != ir.ModeShaderOut || d.Srcs[1].Def.IsConst() {
			return false
		}
		p := derefParent(d)
		return p != nil && isLeafType(p.DerefInfo().Type)
	})
	for _, in := range list {
		d := derefOf(in.Srcs[0].Def)
		b, index := builderBefore(in), d.Srcs[1].Def
		for i := range int64(derefParent(d).DerefInfo().Type.Rows) {
			is := b.PushIf(b.Ieq(index, b.ImmInt(i, index.BitSize)))
			b.StoreDeref(b.DerefArray(&derefParent(d).Def, b.ImmInt(i, index.BitSize)), in.Srcs[1].Def, 0, ir.Access(in.Get(ir.IdxAccess)))
			b.PopIf(is)
		}
		in.Remove()
		removeDeadDerefs(d)
	}
	return len(list) > 0
}

func componentAccess(in, d, p *ir.Instr) {
	b := builderBefore(in)
	n := int(p.DerefInfo().Type.Rows)
	access := ir.Access(in.Get(ir.IdxAccess))
	idx := d.Srcs[1].Def
	c, known := firstConst(idx)
	if in.Intr == ir.IntrLoadDeref {
		in.Def.RewriteUses(extractComponent(b, loadSized(b, p, access, in.Def.BitSize), idx))
	} else if val := in.Srcs[1].Def; known {
		if c < uint64(n) {
			wide := b.Swizzle(val, make([]int, n)...)
			b.StoreDeref(&p.Def, wide, 1<<c, access)
		}
	} else {
		vec := loadSized(b, p, access, val.BitSize)
		b.StoreDeref(&p.Def, insertComponent(b, vec, val, idx), 0, access)
	}
	in.Remove()
	removeDeadDerefs(d)
}

// loadSized loads the vector that p points to; booleans are of 1 or of 32 bits.
func loadSized(b *ir.Builder, p *ir.Instr, access ir.Access, bits uint8) *ir.Def {
	vec := b.LoadDeref(&p.Def, access)
	vec.BitSize = bits
	return vec
}

// extractComponent returns component idx of vec, undef when out of bounds.
func extractComponent(b *ir.Builder, vec, idx *ir.Def) *ir.Def {
	n := int(vec.NumComponents)
	if c, ok := firstConst(idx); ok {
		if c >= uint64(n) {
			return b.Undef(1, vec.BitSize)
		}
		return b.Channel(vec, int(c))
	}
	v := b.Channel(vec, 0)
	for i := 1; i < n; i++ {
		v = b.Bcsel(b.Ieq(idx, b.ImmInt(int64(i), idx.BitSize)), b.Channel(vec, i), v)
	}
	return v
}

// insertComponent returns vec with component idx replaced.
func insertComponent(b *ir.Builder, vec, val, idx *ir.Def) *ir.Def {
	n := int(vec.NumComponents)
	var parts [16]*ir.Def
	var zero [16]int
	for i := 0; i < n; i++ {
		parts[i] = b.Bcsel(b.Ieq(idx, b.ImmInt(int64(i), idx.BitSize)), val, b.Channel(vec, i))
	}
	return vecOf(b, parts[:n], zero[:n])
}
