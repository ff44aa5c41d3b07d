package passes

import "nirc/ir"

var lowerVarsToExplicitTypesPass = &Pass{
	Name: "lower_vars_to_explicit_types", Class: "A", Run: lowerVarsToExplicitTypes, Idempotent: true,
	Doc: "Lays out the variables of some modes: gives their types offsets and strides (natural alignment, vec3 as vec4), places them one after " +
		"the other (Variable.DriverLocation in bytes) and sets shared_size, scratch_size or task_payload_size; constants with a value become constant_data. Types that have a layout keep it.",
	Options: []Option{
		{Name: "modes", Doc: "modes to lay out: mem_shared, mem_task_payload, function_temp, shader_temp, mem_constant", Default: ir.ModeShared},
	},
}

func lowerVarsToExplicitTypes(c *Context, s *ir.Shader) (bool, error) {
	modes := c.Modes("modes")
	if !hasVarOf(s, modes) {
		return false, nil
	}
	progress := false
	shared, scratch, payload := uint64(s.SharedSize), uint64(s.ScratchSize), uint64(s.Info.TaskPayloadSize)
	place := func(v *ir.Variable) error {
		if v.Mode&modes == 0 || v.ExplicitLayout || v.Type.HasRayQuery() {
			return nil
		}
		t, size, align := v.Type.Explicit()
		v.Type, v.ExplicitLayout = t, true
		progress = true
		if v.Mode == ir.ModeConstant {
			if uint64(len(s.ConstantData))+size > 1<<28 {
				return &Diagnostic{Msg: "constant " + v.Name + ": more than 256 MiB of constant data"}
			}
			placeConstant(s, v, size, align)
			return nil
		}
		end := &scratch
		switch v.Mode {
		case ir.ModeShared:
			end = &shared
		case ir.ModeTaskPayload:
			end = &payload
		}
		if v.Mode == ir.ModeShared && s.Info.SharedExplicitLayout {
			// WorkgroupMemoryExplicitLayout: all blocks alias at 0.
			v.DriverLocation = 0
			*end = max(*end, size)
		} else {
			at := (*end + align - 1) / align * align
			v.DriverLocation = uint32(at)
			*end = at + size
		}
		if *end > 1<<30 {
			return &Diagnostic{Msg: "variable " + v.Name + ": more than 1 GiB of " + v.Mode.String() + " memory"}
		}
		return nil
	}
	for _, v := range s.Variables {
		if err := place(v); err != nil {
			return false, err
		}
	}
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for _, v := range f.Impl.Locals {
			if err := place(v); err != nil {
				return false, err
			}
		}
	}
	s.SharedSize, s.ScratchSize, s.Info.TaskPayloadSize = uint32(shared), uint32(scratch), uint32(payload)
	if progress {
		retypeDerefs(s, modes)
	}
	return progress, nil
}

// retypeDerefs brings the types of derefs in line with their variables'.
func retypeDerefs(s *ir.Shader, modes ir.Mode) {
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for in := range f.Impl.Instrs() {
			if in.Kind == ir.KindDeref && in.DerefInfo().Modes&modes != 0 {
				retypeDeref(in)
			}
		}
		f.Impl.Preserve(ir.MetaControlFlow | ir.MetaInstrIndex | ir.MetaLiveness | ir.MetaLoops)
	}
}

// retypeDeref takes a deref's type from its variable or parent, whose type is
// right already.
func retypeDeref(in *ir.Instr) {
	d := in.DerefInfo()
	switch in.Deref {
	case ir.DerefVar:
		d.Type = d.Var.Type
	case ir.DerefCast:
		t, size, align := d.Type.Explicit()
		d.Type = t
		if d.PtrStride == 0 {
			d.PtrStride = uint32((size + align - 1) / align * align)
		}
	case ir.DerefStruct:
		d.Type = in.Srcs[0].Def.Instr.DerefInfo().Type.Fields[d.Field].Type
	case ir.DerefPtrAsArray:
		d.Type = in.Srcs[0].Def.Instr.DerefInfo().Type
	default:
		d.Type = in.Srcs[0].Def.Instr.DerefInfo().Type.Child()
	}
}
