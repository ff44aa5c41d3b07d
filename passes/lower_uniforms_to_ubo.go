package passes

import "nirc/ir"

var lowerUniformsToUboPass = &Pass{
	Name: "lower_uniforms_to_ubo", Class: "C", Run: lowerUniformsToUbo, Idempotent: true,
	Doc: "Reads the default block of OpenGL's uniforms from a uniform buffer: load_uniform becomes load_ubo at the same place. Bindings of other uniform buffers of the set move up by shift, " +
		"so that the block can be the first. Input: after lower_explicit_io.",
	Options: []Option{
		{"set", "descriptor set of the buffer", 0},
		{"binding", "its binding", 0},
		{"unit", "bytes that base and offset count: 1, or 16 where they count vectors of four", 1},
		{"shift", "how far bindings of uniform buffers from the block's on move up, where the shader has a default block", 0},
	},
}

func lowerUniformsToUbo(c *Context, s *ir.Shader) (bool, error) {
	if err := c.wantUpTo(mostPlaces, "set", "binding", "shift"); err != nil {
		return false, err
	}
	unit, shift := c.Int("unit"), c.Int("shift")
	if unit != 1 && unit != 16 {
		return false, optionError("unit=%d: want 1 or 16", unit)
	}
	set, binding := uint64(c.Int("set")), uint64(c.Int("binding"))
	found := false
	for _, f := range s.Functions {
		if f.Impl != nil {
			found = found || len(collect(f.Impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrLoadUniform })) > 0
		}
	}
	if !found {
		return false, nil
	}
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		for _, in := range collect(impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrVulkanResourceIndex }) {
			if ubo := in.Get(ir.IdxDescType) == descUniformBuffer; ubo && in.Get(ir.IdxDescSet) == set && in.Get(ir.IdxBinding) >= binding {
				in.Set(ir.IdxBinding, in.Get(ir.IdxBinding)+uint64(shift))
			}
		}
		list := collect(impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrLoadUniform })
		for _, in := range list {
			b := builderBefore(in)
			at := b.IAddImm(in.Srcs[0].Def, int64(in.Get(ir.IdxBase)))
			if unit == 16 {
				at = b.Ishl(at, b.Imm32(4))
			}
			index := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0))
			index.Set(ir.IdxDescSet, set).Set(ir.IdxBinding, binding).Set(ir.IdxDescType, descUniformBuffer)
			d := b.Intrinsic(ir.IntrLoadVulkanDescriptor, 2, 32, &index.Def)
			d.Set(ir.IdxDescType, descUniformBuffer)
			l := b.Intrinsic(ir.IntrLoadUbo, in.Def.NumComponents, in.Def.BitSize, b.Channel(&d.Def, 0), at)
			l.Set(ir.IdxAlignMul, uint64(max(unit, int(in.Def.BitSize)/8))).Set(ir.IdxRange, 0xffffffff)
			in.Def.RewriteUses(&l.Def)
			in.Remove()
		}
		return len(list) > 0
	}), nil
}

// Kinds of descriptors, as the frontend numbers them (desc_type).
const (
	descUniformBuffer = 1
	descStorageBuffer = 2
)
