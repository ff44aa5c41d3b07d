package passes

import "nirc/ir"

var lowerGlobalVarsToLocalPass = &Pass{
	Name: "lower_global_vars_to_local", For: ir.HasPrivate, Class: "A", Run: lowerGlobalVarsToLocal, Idempotent: true,
	Doc: "Makes a shader_temp variable that only the entry point uses a local of it.",
}

// lowerGlobalVarsToLocal makes a shader_temp variable that only one function
// uses a local of it. The entry point runs once, so the value needs not live
// longer; other functions may be called twice and keep it where it is.
func lowerGlobalVarsToLocal(_ *Context, s *ir.Shader) (bool, error) {
	user := make([]*ir.Impl, maxVarID(s.Variables)+1)
	shared := make([]bool, len(user))
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for b := range f.Impl.Blocks() {
			for in := b.First(); in != nil; in = in.Next() {
				if in.Kind != ir.KindDeref || in.Deref != ir.DerefVar {
					continue
				}
				v := in.DerefInfo().Var
				if v.Mode != ir.ModeShaderTemp {
					continue
				}
				if user[v.ID] != nil && user[v.ID] != f.Impl {
					shared[v.ID] = true
				}
				user[v.ID] = f.Impl
			}
		}
	}
	progress := false
	keep := s.Variables[:0]
	for _, v := range s.Variables {
		impl := user[v.ID]
		if v.Mode != ir.ModeShaderTemp || impl == nil || shared[v.ID] || !impl.Fn.IsEntry || v.PointerInit != nil {
			keep = append(keep, v)
			continue
		}
		v.Mode = ir.ModeFunctionTemp
		impl.Locals = append(impl.Locals, v)
		progress = true
	}
	clear(s.Variables[len(keep):])
	s.Variables = keep
	if progress {
		eachImpl(s, ir.MetaAll, fixModes)
	}
	return progress, nil
}

// fixModes gives derefs the mode of their variable after it changed.
func fixModes(impl *ir.Impl) (progress bool) {
	for b := range impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			if in.Kind != ir.KindDeref {
				continue
			}
			info := in.DerefInfo()
			want := info.Modes
			switch p := derefParent(in); {
			case in.Deref == ir.DerefVar:
				want = info.Var.Mode
			case p == nil:
			case in.Deref != ir.DerefCast:
				want = p.DerefInfo().Modes
			case info.Modes&(ir.ModeShaderTemp|ir.ModeFunctionTemp) == ir.ModeShaderTemp && p.DerefInfo().Modes == ir.ModeFunctionTemp:
				want = ir.ModeFunctionTemp
			}
			if want != info.Modes {
				in.SetModes(want)
				progress = true
			}
		}
	}
	return progress
}
