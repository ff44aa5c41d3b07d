package passes

import (
	"nirc/ir"
	"nirc/ir/optab"
)

var lowerIOToScalarPass = &Pass{
	Name: "lower_io_to_scalar", Class: "B", Run: lowerIOToScalar, Idempotent: true,
	Instead: "linking: targets fetch and store vectors of a slot, and pairs are linked by their variables, which lower_io_to_scalar_early takes apart; it stays for targets that load and store components",
	Doc: "Splits vector accesses of inputs, outputs and memory into one a component. Input: slot intrinsics (after lower_io) for shader_in and shader_out, explicit " +
		"memory intrinsics for mem_ssbo, mem_shared and mem_global. Output: scalar loads and stores with the component, or the byte offset and alignment, of each; " +
		"components outside a write mask are not stored.",
	Options: []Option{
		{Name: "modes", Doc: "what to split: shader_in, shader_out, mem_ssbo, mem_shared, mem_global", Default: ir.ModeShaderIn | ir.ModeShaderOut},
	},
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
	}
	info := i.Info()
	if _, _, ok := memOffsetSrc(i); !ok || info.Flags&optab.CanReorder != 0 {
		return 0, -1
	}
	switch info.Mem.Space {
	case ir.SpaceSsbo:
		return ir.ModeSSBO, int(info.Mem.Data)
	case ir.SpaceShared:
		return ir.ModeShared, int(info.Mem.Data)
	case ir.SpaceGlobal:
		return ir.ModeGlobal, int(info.Mem.Data)
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
