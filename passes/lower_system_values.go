package passes

import (
	"fmt"

	"nirc/ir"
)

var lowerSystemValuesPass = &Pass{
	Name: "lower_system_values", Class: "A", Run: lowerSystemValues, Idempotent: true,
	Doc: "Turns loads of system value variables into intrinsics. Input: derefs of ModeSystemValue variables with a BuiltIn, loaded whole or " +
		"by one index. Output: load_* intrinsics; the variables are left for remove_dead_variables.",
}

func lowerSystemValues(_ *Context, s *ir.Shader) (bool, error) {
	var err error
	progress := eachIntrinsic(s, func(_ *ir.Builder, in *ir.Instr) *ir.Def {
		if in.Intr != ir.IntrLoadDeref || err != nil {
			return nil
		}
		d := in.Srcs[0].Def.Instr
		if d.Kind != ir.KindDeref || d.DerefInfo().Modes != ir.ModeSystemValue {
			return nil
		}
		var v *ir.Def
		v, err = systemValueLoad(s, in, d)
		return v
	})
	return progress, err
}

// systemValueLoad builds the value that load reads through deref d.
func systemValueLoad(s *ir.Shader, load, d *ir.Instr) (*ir.Def, error) {
	var index *ir.Def
	if d.Deref == ir.DerefArray {
		index = d.Srcs[1].Def
		d = d.Srcs[0].Def.Instr
	}
	if d.Deref != ir.DerefVar {
		return nil, diag(s, load, "system value accessed by more than one index")
	}
	v := d.DerefInfo().Var
	b := ir.NewBuilder(ir.Before(load))
	s.SetLoc(load.Loc)
	val := builtinValue(b, v.BuiltIn)
	if val == nil && s.Stage == ir.StageFragment {
		val = baryCoord(b, v)
	}
	if val == nil {
		return nil, refusal(s, load, fmt.Sprintf("BuiltIn %d of variable %q is not supported in a %s shader", v.BuiltIn, v.Name, s.Stage))
	}
	if v.Type.IsArray() {
		// SampleMask: one element; the others are zero.
		if index == nil {
			return nil, diag(s, load, "array system value loaded whole")
		}
		if k, ok := index.Const(0); !ok || k != 0 {
			val = b.Bcsel(b.Ieq(index, b.ImmInt(0, index.BitSize)), val, b.ImmInt(0, val.BitSize))
		}
	} else if index != nil {
		val = vectorExtract(b, val, index)
	}
	switch {
	case val.NumComponents > load.Def.NumComponents:
		val = b.Channels(val, 0, int(load.Def.NumComponents))
	case val.NumComponents < load.Def.NumComponents:
		return nil, diag(s, load, fmt.Sprintf("BuiltIn %d has %d components, the variable %d", v.BuiltIn, val.NumComponents, load.Def.NumComponents))
	}
	return resizeUint(b, val, load.Def.BitSize), nil
}

// subgroupSize is a constant where the target has one size.
func subgroupSize(b *ir.Builder) *ir.Def {
	if n := b.Shader.Options.SubgroupSize; n != 0 {
		return b.Imm32(uint32(n))
	}
	return b.LoadSubgroupSize()
}

// builtinValue builds the value of a SPIR-V BuiltIn, or returns nil for one
// that is no system value.
func builtinValue(b *ir.Builder, builtin int32) *ir.Def {
	switch builtin {
	case ir.BuiltInInstanceIndex:
		return b.Iadd(b.LoadInstanceId(), b.LoadBaseInstance())
	case ir.BuiltInWorkgroupID:
		if b.Shader.Options.DispatchBase {
			return b.Iadd(b.LoadWorkgroupId(), b.LoadBaseWorkgroupId())
		}
	case ir.BuiltInDeviceIndex:
		return b.Imm32(0)
	case ir.BuiltInSubgroupSize:
		return subgroupSize(b)
	case ir.BuiltInNumSubgroups:
		if i, n := &b.Shader.Info, uint32(b.Shader.Options.SubgroupSize); n != 0 && !i.WorkgroupSizeVariable {
			w := i.WorkgroupSize
			return b.Imm32((w[0]*w[1]*w[2] + n - 1) / n)
		}
	}
	r := ir.FindBuiltIn(builtin)
	if r == nil || r.Load == 0 {
		return nil
	}
	row, bits := r.Load.Info(), uint8(32)
	if row.DestBits.Has(1) {
		bits = 1
	}
	comps := row.DestComps
	if comps == 0 {
		comps = r.Comps
	}
	return &b.Intrinsic(r.Load, comps, bits).Def
}
