package passes

import "nirc/ir"

var lowerIOToScalarPass = &Pass{
	Name:  "lower_io_to_scalar",
	Class: "B",
	Doc: "Splits vector accesses of inputs, outputs and memory into one a component. Input: slot intrinsics (behind lower_io) for shader_in and shader_out, explicit " +
		"memory intrinsics for mem_ssbo, mem_shared and mem_global. Output: scalar loads and stores with the component, or the byte offset and alignment, of each; " +
		"components outside a write mask are not stored.",
	Options: []Option{
		{Name: "modes", Doc: "what to split: shader_in, shader_out, mem_ssbo, mem_shared, mem_global", Default: ir.ModeShaderIn | ir.ModeShaderOut},
	},
	Run:        lowerIOToScalar,
	Idempotent: true,
}

var lowerIOToScalarEarlyPass = &Pass{
	Name:  "lower_io_to_scalar_early",
	Class: "B",
	Doc: "Splits vector inputs and outputs into one variable a component, so that later passes handle components by themselves. Input: variables of 32 or 16 bits " +
		"at user locations, loaded and stored by whole vectors. Output: scalar variables at the same slot with their component; arrays of vectors become arrays of scalars.",
	Options: []Option{
		{Name: "modes", Doc: "shader_in, shader_out or both", Default: ir.ModeShaderIn | ir.ModeShaderOut},
	},
	Run:        lowerIOToScalarEarly,
	Idempotent: true,
}

// accessMode returns what an input, output or memory intrinsic accesses and
// the number of its value source, -1 of a load; mode 0 of anything else.
func accessMode(i ir.Intrinsic) (mode ir.Mode, value int) {
	switch i {
	case ir.IntrLoadInput, ir.IntrLoadInterpolatedInput, ir.IntrLoadPerVertexInput, ir.IntrLoadInputVertex, ir.IntrLoadPerPrimitiveInput:
		return ir.ModeShaderIn, -1
	case ir.IntrLoadOutput, ir.IntrLoadPerVertexOutput, ir.IntrLoadPerViewOutput, ir.IntrLoadPerPrimitiveOutput:
		return ir.ModeShaderOut, -1
	case ir.IntrStoreOutput, ir.IntrStorePerVertexOutput, ir.IntrStorePerViewOutput, ir.IntrStorePerPrimitiveOutput:
		return ir.ModeShaderOut, 0
	case ir.IntrLoadSsbo:
		return ir.ModeSSBO, -1
	case ir.IntrStoreSsbo:
		return ir.ModeSSBO, 0
	case ir.IntrLoadShared:
		return ir.ModeShared, -1
	case ir.IntrStoreShared:
		return ir.ModeShared, 0
	case ir.IntrLoadGlobal:
		return ir.ModeGlobal, -1
	case ir.IntrStoreGlobal:
		return ir.ModeGlobal, 0
	}
	return 0, -1
}

func lowerIOToScalar(c *Context, s *ir.Shader) (bool, error) {
	modes := c.Modes("modes")
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool {
			mode, value := accessMode(in.Intr)
			if mode&modes == 0 {
				return false
			}
			if value < 0 {
				return in.Def.NumComponents > 1
			}
			return in.Srcs[value].Def.NumComponents > 1
		})
		for _, in := range list {
			b := builderBefore(in)
			_, value := accessMode(in.Intr)
			if value < 0 {
				var parts [16]*ir.Def
				n := int(in.Def.NumComponents)
				for k := range n {
					parts[k] = &scalarAccess(b, in, k, -1).Def
				}
				in.Def.RewriteUses(b.Vec(parts[:n]...))
			} else {
				mask := in.Get(ir.IdxWriteMask)
				for k := range int(in.Srcs[value].Def.NumComponents) {
					if mask>>k&1 != 0 {
						scalarAccess(b, in, k, value)
					}
				}
			}
			in.Remove()
		}
		return len(list) > 0
	}), nil
}

// scalarAccess builds the access to component k of what in accesses.
func scalarAccess(b *ir.Builder, in *ir.Instr, k, value int) *ir.Instr {
	var srcs [4]*ir.Def
	n := len(in.Srcs)
	for i := range in.Srcs {
		srcs[i] = in.Srcs[i].Def
	}
	bits := in.Def.BitSize
	if value >= 0 {
		bits = srcs[value].BitSize
		srcs[value] = b.Channel(srcs[value], k)
	}
	step := int64(k) * int64(bits/8)
	if !in.Has(ir.IdxComponent) {
		at := n - 1 // the offset comes last
		srcs[at] = b.IAddImm(srcs[at], step)
	}
	comps := uint8(0)
	if value < 0 {
		comps = 1
	}
	x := b.Intrinsic(in.Intr, comps, in.Def.BitSize, srcs[:n]...)
	copy(x.Imm, in.Imm)
	if value >= 0 {
		x.Set(ir.IdxWriteMask, 1)
	}
	switch {
	case in.Has(ir.IdxComponent):
		per := max(1, uint64(bits)/32)
		x.Set(ir.IdxComponent, in.Get(ir.IdxComponent)+uint64(k)*per)
	case in.Has(ir.IdxAlignOffset):
		if mul := in.Get(ir.IdxAlignMul); mul != 0 {
			x.Set(ir.IdxAlignOffset, (in.Get(ir.IdxAlignOffset)+uint64(step))%mul)
		}
	}
	return x
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

// userLocation reports whether an input or output has a Location of the API's,
// as opposed to a built-in's slot.
func userLocation(s *ir.Shader, v *ir.Variable) bool {
	switch {
	case v.Location < 0:
		return false
	case s.Stage == ir.StageVertex && v.Mode == ir.ModeShaderIn:
		return true
	case s.Stage == ir.StageFragment && v.Mode == ir.ModeShaderOut:
		return v.Location >= int32(ir.SlotData0)
	}
	return v.Location >= int32(ir.SlotVar0)
}

// vectorAccesses reports whether a deref is an array step or its variable's, and
// is used for further steps and for accesses to whole vectors only.
func vectorAccesses(in *ir.Instr) bool {
	if in.Deref != ir.DerefVar && (in.Deref != ir.DerefArray || in.DerefInfo().Type.IsScalar()) {
		return false
	}
	for u := in.Def.FirstUse(); u != nil; u = u.NextUse() {
		if u.Instr == nil || u.Instr.Kind == ir.KindDeref {
			continue
		}
		ok := false
		switch u.Instr.Intr {
		case ir.IntrLoadDeref, ir.IntrInterpDerefAtCentroid, ir.IntrInterpDerefAtOffset, ir.IntrInterpDerefAtSample, ir.IntrInterpDerefAtVertex, ir.IntrStoreDeref:
			ok = u == &u.Instr.Srcs[0]
		}
		if u.Instr.Kind != ir.KindIntrinsic || !ok {
			return false
		}
	}
	return true
}

// withLeaf returns t with its vectors replaced by leaf.
func withLeaf(t, leaf *ir.Type) *ir.Type {
	if t.IsArray() {
		return ir.ArrayType(withLeaf(t.Elem, leaf), t.Len, t.Stride)
	}
	return leaf
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

// rebase builds the chain of d, of variables and array steps, on variable v.
func rebase(b *ir.Builder, d *ir.Instr, v *ir.Variable) *ir.Def {
	if d.Deref == ir.DerefVar {
		return b.DerefVar(v)
	}
	return b.DerefArray(rebase(b, d.Srcs[0].Def.Instr, v), d.Srcs[1].Def)
}
