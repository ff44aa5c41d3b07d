package passes

import "nirc/ir"

var lowerArrayDerefOfVecPass = &Pass{
	Name: "lower_array_deref_of_vec", For: ir.HasDeref, Class: "A", Run: lowerArrayDerefOfVec, Idempotent: true,
	Options: []Option{{"modes", "modes whose accesses are handled", ir.ModeFunctionTemp | ir.ModeShaderTemp | ir.ModeShaderOut | ir.ModeShaderIn}},
	Doc:     "Turns accesses of a component of a vector by deref into accesses of the vector.",
}

// lowerArrayDerefOfVec turns accesses of one component of a vector by deref
// into accesses of the vector: a load picks the component, a store of a known
// component writes it under a mask, any other store writes back the whole
// vector. The modes must not be memory that other invocations write.
func lowerArrayDerefOfVec(c *Context, s *ir.Shader) (bool, error) {
	modes := c.Modes("modes")
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
	}), nil
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
