package passes

import (
	"fmt"

	"nirc/ir"
)

var lowerSystemValuesPass = &Pass{
	Name:  "lower_system_values",
	Class: "A",
	Doc: "Turns loads of system value variables into intrinsics. Input: derefs of ModeSystemValue variables with a BuiltIn, loaded whole or " +
		"by one index. Output: load_* intrinsics; the variables are left for remove_dead_variables.",
	Run:        lowerSystemValues,
	Idempotent: true,
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
		return nil, diag(s, load, fmt.Sprintf("BuiltIn %d of variable %q is not supported in a %s shader", v.BuiltIn, v.Name, s.Stage))
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

// vectorExtract builds val[index] by selects; an index beyond reads the last component.
func vectorExtract(b *ir.Builder, val, index *ir.Def) *ir.Def {
	n := int(val.NumComponents)
	if k, ok := index.Const(0); ok {
		return b.Channel(val, min(int(k), n-1))
	}
	r := b.Channel(val, n-1)
	for i := n - 2; i >= 0; i-- {
		r = b.Bcsel(b.Ieq(index, b.ImmInt(int64(i), index.BitSize)), b.Channel(val, i), r)
	}
	return r
}

// resizeUint converts an unsigned value or a boolean to the given size.
func resizeUint(b *ir.Builder, v *ir.Def, bits uint8) *ir.Def {
	from, to := ir.ClassUint, ir.ALUType{Class: ir.ClassUint, Bits: bits}
	if v.BitSize == 1 {
		from = ir.ClassBool
	}
	if bits == 1 {
		to.Class = ir.ClassBool
	}
	return ConvertType(b, v, from, to)
}

// builtinValue builds the value of a SPIR-V BuiltIn, or returns nil for one
// that is no system value.
func builtinValue(b *ir.Builder, builtin int32) *ir.Def {
	switch builtin {
	case ir.BuiltInInstanceIndex:
		return b.Iadd(b.LoadInstanceId(), b.LoadBaseInstance())
	case ir.BuiltInDeviceIndex:
		return b.Imm32(0)
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

// Diagnostic is a pass's refusal: what is not supported and where in the source.
type Diagnostic struct {
	Msg string
	Loc ir.Loc
	// File is the source file that Loc.Line counts in, or "".
	File string
}

// Error returns the message with its place.
func (d *Diagnostic) Error() string {
	switch {
	case d.Loc.Line != 0:
		return fmt.Sprintf("%s:%d:%d: %s", d.File, d.Loc.Line, d.Loc.Col, d.Msg)
	case d.Loc.ID != 0:
		return fmt.Sprintf("%%%d: %s", d.Loc.ID, d.Msg)
	}
	return d.Msg
}

// DiagnosticAt makes the refusal of an instruction of s, placed where it comes
// from in the source. An instruction that came without a place lies where the
// first of its sources does that has one; nil is the shader as a whole.
func DiagnosticAt(s *ir.Shader, in *ir.Instr, msg string) *Diagnostic {
	d := &Diagnostic{Msg: msg}
	if in == nil {
		return d
	}
	loc := in.Loc
	for i := 0; loc == 0 && i < len(in.Srcs); i++ {
		if from := in.Srcs[i].Def; from != nil {
			loc = from.Instr.Loc
		}
	}
	if int(loc) < len(s.Locs) {
		d.Loc = s.Locs[loc]
		if int(d.Loc.File) < len(s.Files) {
			d.File = s.Files[d.Loc.File]
		}
	}
	return d
}

// diag makes the refusal of instruction in.
func diag(s *ir.Shader, in *ir.Instr, msg string) error { return DiagnosticAt(s, in, msg) }
