package passes

import "nirc/ir"

var lowerIOToScalarEarlyPass = &Pass{
	Name: "lower_io_to_scalar_early", Class: "B", Run: lowerIOToScalarEarly, Idempotent: true,
	Doc: "Splits vector inputs and outputs into one variable a component, so that later passes handle components by themselves. Input: variables of 32 or 16 bits " +
		"at user locations, loaded and stored by whole vectors. Output: scalar variables at the same slot with their component; arrays of vectors become arrays of scalars.",
	Options: []Option{
		{Name: "modes", Doc: "shader_in, shader_out or both", Default: ir.ModeShaderIn | ir.ModeShaderOut},
	},
}

// componentSplit is a vector variable and the scalars made of it.
type componentSplit struct {
	v     *ir.Variable
	comps [4]*ir.Variable
}

func lowerIOToScalarEarly(c *Context, s *ir.Shader) (bool, error) {
	modes := c.Modes("modes")
	p := newSplitting(s, func(v *ir.Variable) *componentSplit {
		t := v.Type.WithoutArray()
		if v.Mode&modes == 0 || v.Compact || !t.IsVector() || t.Bits > 32 || v.Init != nil || !userLocation(s, v) {
			return nil
		}
		return &componentSplit{v: v}
	})
	fits := func(deref *ir.Instr, _ *componentSplit) bool { return vectorAccesses(deref) }
	return p.run(s, fits, func(in *ir.Instr) bool {
		if in.Kind != ir.KindIntrinsic || len(in.Srcs) == 0 {
			return false
		}
		d := derefOf(in.Srcs[0].Def)
		if d == nil {
			return false
		}
		x := p.of(d)
		if x != nil {
			x.access(in, d)
		}
		return x != nil
	}), nil
}

func (x *componentSplit) split(s *ir.Shader) {
	vec := x.v.Type.WithoutArray()
	for k := range int(vec.Rows) {
		n := copyVariable(s, x.v, withLeaf(x.v.Type, vec.ScalarOf()), x.v.Name+"."+"xyzw"[k:k+1])
		n.Component += uint8(k)
		if n.XfbOffset >= 0 {
			n.XfbOffset += int32(k) * int32(vec.Bits/8)
		}
		x.comps[k] = n
	}
}

// access splits an access through deref d.
func (x *componentSplit) access(in, d *ir.Instr) {
	b := builderBefore(in)
	if in.Intr == ir.IntrStoreDeref {
		mask := in.Get(ir.IdxWriteMask)
		for k := range int(in.Srcs[1].Def.NumComponents) {
			if mask>>k&1 != 0 {
				b.StoreDeref(rebase(b, d, x.comps[k]), b.Channel(in.Srcs[1].Def, k), 1, ir.Access(in.Get(ir.IdxAccess)))
			}
		}
	} else {
		var parts [4]*ir.Def
		n := int(in.Def.NumComponents)
		for k := range n {
			var srcs [2]*ir.Def
			for i := range in.Srcs {
				srcs[i] = in.Srcs[i].Def
			}
			srcs[0] = rebase(b, d, x.comps[k])
			l := b.Intrinsic(in.Intr, 1, in.Def.BitSize, srcs[:len(in.Srcs)]...)
			copy(l.Imm, in.Imm)
			parts[k] = &l.Def
		}
		in.Def.RewriteUses(b.Vec(parts[:n]...))
	}
	in.Remove()
	removeDeadDerefs(d)
}
