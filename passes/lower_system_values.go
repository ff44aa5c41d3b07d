package passes

import (
	"fmt"

	"nirc/ir"
)

var lowerSystemValuesPass = &Pass{
	Name: "lower_system_values", For: ir.HasSystemValue, Class: "A", Run: lowerSystemValues, Idempotent: true,
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
	up := d
	if d.Deref == ir.DerefArray {
		index = d.Srcs[1].Def
		up = d.Srcs[0].Def.Instr
	}
	b := ir.NewBuilder(ir.Before(load))
	s.SetLoc(load.Loc)
	if val, err := columnLoad(b, load, d); val != nil || err != nil {
		return val, err
	}
	if d = up; d.Deref != ir.DerefVar {
		return nil, diag(s, load, "system value accessed by more than one index")
	}
	v := d.DerefInfo().Var
	var val *ir.Def
	if s.Stage == ir.StageFragment {
		if val = baryCoord(b, v); val == nil {
			val = fullyCovered(b, v)
		}
	}
	if val == nil {
		val = builtinValue(b, v.BuiltIn)
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

// columnLoad builds the value of a system value that is loaded column by column, or element by element; nil of others.
func columnLoad(b *ir.Builder, load, d *ir.Instr) (*ir.Def, error) {
	v := derefVar(d)
	if v == nil || !v.Type.IsMatrix() && !v.Type.IsArray() {
		return nil, nil
	}
	r := ir.FindBuiltIn(v.BuiltIn)
	if r == nil || r.Load == 0 || r.Load.Info().IndexPos(ir.IdxColumn) < 0 {
		return nil, nil
	}
	var component *ir.Def
	if d.Deref == ir.DerefArray && d.Srcs[0].Def.Instr.Deref == ir.DerefArray {
		component = d.Srcs[1].Def
		d = d.Srcs[0].Def.Instr
	}
	if d.Deref != ir.DerefArray || d.Srcs[0].Def.Instr.Deref != ir.DerefVar {
		return nil, diag(b.Shader, load, "a matrix or array of the system values is loaded whole")
	}
	column := func(k int) *ir.Def {
		return &b.Intrinsic(r.Load, r.Load.Info().DestComps, 32).Set(ir.IdxColumn, uint64(k)).Def
	}
	index, n := d.Srcs[1].Def, v.Type.ChildCount()
	k, known := index.Const(0)
	val := column(int(min(k, uint64(n-1))))
	for i := 1; i < n && !known; i++ {
		val = b.Bcsel(b.Ieq(index, b.ImmInt(int64(i), index.BitSize)), column(i), val)
	}
	if component != nil {
		val = vectorExtract(b, val, component)
	}
	return val, nil
}

// subgroupSize is a constant where the target has one size.
func subgroupSize(b *ir.Builder) *ir.Def {
	if n := b.Shader.Options.SubgroupSize; n != 0 {
		return b.Imm32(uint32(n))
	}
	return b.LoadSubgroupSize()
}

// oneSubgroup reports whether a workgroup is no larger than the smallest subgroups.
func oneSubgroup(s *ir.Shader) bool {
	w := s.Info.WorkgroupSize
	n := uint64(w[0]) * uint64(w[1]) * uint64(w[2])
	return !s.Info.WorkgroupSizeVariable && n > 0 && n <= uint64(max(s.Options.SubgroupSize, s.Options.MinSubgroupSize))
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
		if oneSubgroup(b.Shader) {
			return b.Imm32(1)
		}
	case ir.BuiltInSubgroupID:
		if oneSubgroup(b.Shader) {
			return b.Imm32(0)
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
