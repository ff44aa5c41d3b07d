package passes

import (
	"fmt"
	"slices"

	"nirc/ir"
)

var lowerComputeSystemValuesPass = &Pass{
	Name: "lower_compute_system_values", Class: "A", Run: lowerComputeSystemValues, Idempotent: true,
	Doc: "Derives the compute ids that hardware does not have: global_invocation_id from workgroup_id, its base where the options ask for it (DispatchBase), and size; " +
		"local_invocation_index from local_invocation_id (option local_index); local ids of dimensions of size 1 are 0; workgroup_size from the shader's constant. " +
		"Where quads of the workgroup are squares (derivative_group 1), four lanes in a row get the ids of a square: the groups are linear then.",
	Options: []Option{
		{Name: "local_index", Doc: "derive local_invocation_index", Default: true},
	},
}

func lowerComputeSystemValues(c *Context, s *ir.Shader) (bool, error) {
	if !ir.GroupStages.Has(s.Stage) {
		return false, nil
	}
	base, localIndex := s.Options.DispatchBase, c.Bool("local_index")
	quads := s.Info.DerivativeGroup == ir.DerivativeQuads && !namesIDs(s)
	if quads {
		if err := checkQuads(s); err != nil {
			return false, err
		}
		s.Info.DerivativeGroup = ir.DerivativeLinear
	}
	return eachIntrinsic(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		switch in.Intr {
		case ir.IntrLoadLocalInvocationId:
			if quads || readsUnit(in) {
				return localID(b, quads)
			}
		case ir.IntrLoadGlobalInvocationId:
			if s.Options.HasGlobalInvocationID && in.Def.BitSize == 32 && !s.Info.WorkgroupSizeVariable && !base && !quads {
				return nil
			}
			wg := &b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def
			if base {
				wg = b.Iadd(wg, &b.Intrinsic(ir.IntrLoadBaseWorkgroupId, 3, 32).Def)
			}
			id := b.Iadd(b.Imul(wg, workgroupSize(b, s)), localID(b, quads))
			return resizeUint(b, id, in.Def.BitSize)
		case ir.IntrLoadLocalInvocationIndex:
			if !localIndex && !quads {
				return nil
			}
			id, size := localID(b, quads), workgroupSize(b, s)
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
	}) || quads, nil
}

// namesIDs reports whether system values are read through variables still: where quads are squares ids
// must be loads first, which lower_system_values makes, for the groups are linear afterwards. Paths that
// lead to no access, as that pass leaves them of components, are no reads.
func namesIDs(s *ir.Shader) bool {
	named := func(src ir.Src) bool {
		d := src.Def.Instr
		return d.Kind == ir.KindDeref && d.DerefInfo().Modes&ir.ModeSystemValue != 0
	}
	for _, fn := range s.Functions {
		if fn.Impl == nil {
			continue
		}
		for in := range fn.Impl.Instrs() {
			if in.Kind != ir.KindDeref && slices.ContainsFunc(in.Srcs, named) {
				return true
			}
		}
	}
	return false
}

// checkQuads refuses workgroups that do not fall into squares, as
// SPV_KHR_compute_shader_derivatives asks.
func checkQuads(s *ir.Shader) error {
	w := s.Info.WorkgroupSize
	if s.Info.WorkgroupSizeVariable || w[0]%2 != 0 || w[1]%2 != 0 {
		return diag(s, nil, fmt.Sprintf("derivative_group_quads needs a workgroup of even width and height, not %dx%d", w[0], w[1]))
	}
	return nil
}

// unitSize reports whether the workgroup is one invocation wide in a dimension.
func unitSize(s *ir.Shader, c int) bool {
	return !s.Info.WorkgroupSizeVariable && s.Info.WorkgroupSize[c] == 1
}

// readsUnit reports whether somebody may read a component of a local id that is
// always zero.
func readsUnit(in *ir.Instr) bool {
	s := in.Block.Impl().Shader
	mask, _ := reads(&in.Def)
	for c := range int(in.Def.NumComponents) {
		if unitSize(s, c) && mask>>c&1 != 0 {
			return true
		}
	}
	return false
}

// localID is the invocation's place in the workgroup: the hardware's or, with
// quads, one at which four lanes in a row form a square. Of two rows, the k-th lane
// gets the column k/4*2 + k%2 and the row k/2%2.
func localID(b *ir.Builder, quads bool) *ir.Def {
	id := withoutUnits(b, &b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def)
	if !quads {
		return id
	}
	one, y := b.Imm32(1), b.Channel(id, 1)
	odd := b.Ine(b.Iand(y, one), b.Imm32(0))
	k := b.Iadd(b.Channel(id, 0), b.Bcsel(odd, b.Imm32(b.Shader.Info.WorkgroupSize[0]), b.Imm32(0)))
	half := b.Ushr(k, one)
	x := b.Ior(b.Iand(half, b.Imm32(^uint32(1))), b.Iand(k, one))
	y = b.Ior(b.Iand(y, b.Imm32(^uint32(1))), b.Iand(half, one))
	return b.Vec(x, y, b.Channel(id, 2))
}

// withoutUnits makes the components of a local id zero that can be nothing else.
func withoutUnits(b *ir.Builder, id *ir.Def) *ir.Def {
	var comps [3]*ir.Def
	units := 0
	for c := range comps {
		if unitSize(b.Shader, c) {
			comps[c] = b.Imm32(0)
			units++
		} else {
			comps[c] = b.Channel(id, c)
		}
	}
	if units == 0 {
		return id
	}
	return b.Vec(comps[:]...)
}

func workgroupSize(b *ir.Builder, s *ir.Shader) *ir.Def {
	if s.Info.WorkgroupSizeVariable {
		return &b.Intrinsic(ir.IntrLoadWorkgroupSize, 3, 32).Def
	}
	w := s.Info.WorkgroupSize
	return b.Const(32, uint64(w[0]), uint64(w[1]), uint64(w[2]))
}
