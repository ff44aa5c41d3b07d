package passes

import "nirc/ir"

var lowerComputeSystemValuesPass = &Pass{
	Name:  "lower_compute_system_values",
	Class: "A",
	Doc: "Derives the compute ids that hardware does not have: global_invocation_id from workgroup_id, base and size; " +
		"local_invocation_index from local_invocation_id (option lower_local_index); workgroup_size from the shader's constant.",
	Options: []Option{
		{Name: "base", Doc: "add base_workgroup_id (vkCmdDispatchBase)", Default: false},
		{Name: "local_index", Doc: "derive local_invocation_index", Default: true},
	},
	Run:        lowerComputeSystemValues,
	Idempotent: true,
}

func lowerComputeSystemValues(c *Context, s *ir.Shader) (bool, error) {
	if s.Stage != ir.StageCompute && s.Stage != ir.StageKernel {
		return false, nil
	}
	base, localIndex := c.Bool("base"), c.Bool("local_index")
	return eachIntrinsic(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		switch in.Intr {
		case ir.IntrLoadGlobalInvocationId:
			if s.Options.HasGlobalInvocationID && in.Def.BitSize == 32 && !s.Info.WorkgroupSizeVariable && !base {
				return nil
			}
			wg := &b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def
			if base {
				wg = b.Iadd(wg, &b.Intrinsic(ir.IntrLoadBaseWorkgroupId, 3, 32).Def)
			}
			id := b.Iadd(b.Imul(wg, workgroupSize(b, s)), &b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def)
			return resizeUint(b, id, in.Def.BitSize)
		case ir.IntrLoadLocalInvocationIndex:
			if !localIndex {
				return nil
			}
			id, size := &b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, workgroupSize(b, s)
			x, y := b.Channel(size, 0), b.Channel(size, 1)
			yz := b.Iadd(b.Channel(id, 1), b.Imul(b.Channel(id, 2), y))
			return b.Iadd(b.Channel(id, 0), b.Imul(yz, x))
		case ir.IntrLoadWorkgroupSize:
			if s.Info.WorkgroupSizeVariable {
				return nil
			}
			return workgroupSize(b, s)
		}
		return nil
	}), nil
}

func workgroupSize(b *ir.Builder, s *ir.Shader) *ir.Def {
	if s.Info.WorkgroupSizeVariable {
		return &b.Intrinsic(ir.IntrLoadWorkgroupSize, 3, 32).Def
	}
	w := s.Info.WorkgroupSize
	return b.Const(32, uint64(w[0]), uint64(w[1]), uint64(w[2]))
}
