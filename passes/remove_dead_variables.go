package passes

import (
	"slices"

	"nirc/ir"
)

var removeDeadVariablesPass = &Pass{
	Name: "remove_dead_variables", Withstands: ChangeFacts, Class: "A", Run: removeDeadVariables,
	Options: []Option{{"modes", "modes whose variables are handled", ir.ModeFunctionTemp | ir.ModeShaderTemp}},
	Doc:     "Deletes variables that are not used, and temporaries and workgroup memory that are only written, with their stores.",
}

// removeDeadVariables deletes the variables of the given modes that are not
// used, and those of writeOnlyModes that are only written, stores included.
func removeDeadVariables(c *Context, s *ir.Shader) (bool, error) {
	modes := c.Modes("modes")
	if !hasVarOf(s, modes) {
		return false, nil
	}
	live := make([]bool, highestVarID(s)+1)
	if liveVariables(s, modes, live) {
		return false, nil
	}
	progress := false
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		if dropDeadStores(f.Impl, modes, live) {
			f.Impl.Preserve(ir.MetaControlFlow)
			progress = true
		}
		if modes&ir.ModeFunctionTemp != 0 {
			progress = filterVars(&f.Impl.Locals, modes, live) || progress
		}
	}
	return filterVars(&s.Variables, modes, live) || progress, nil
}

// hasVarOf reports whether the shader has a variable of the given modes.
func hasVarOf(s *ir.Shader, modes ir.Mode) bool {
	of := func(v *ir.Variable) bool { return v.Mode&modes != 0 }
	for _, f := range s.Functions {
		if f.Impl != nil && slices.ContainsFunc(f.Impl.Locals, of) {
			return true
		}
	}
	return slices.ContainsFunc(s.Variables, of)
}

// liveVariables marks in live, by their numbers, the variables of the given modes that are used. all: they are all of
// them. Code is looked at no further then: most runs find nothing dead.
func liveVariables(s *ir.Shader, modes ir.Mode, live []bool) (all bool) {
	for _, v := range s.Variables {
		if v.PointerInit != nil {
			live[v.PointerInit.ID] = true
		}
		// Blocks of workgroup memory with layouts of their own lie over each other: another may read what one writes.
		over := v.Mode == ir.ModeShared && s.Info.SharedExplicitLayout
		live[v.ID] = live[v.ID] || v.AlwaysActive || v.XfbBuffer >= 0 || over
	}
	left := countDead(s.Variables, modes, live)
	for _, f := range s.Functions {
		if f.Impl != nil {
			left += countDead(f.Impl.Locals, modes, live)
		}
	}
	for _, f := range s.Functions {
		if f.Impl != nil && left > 0 {
			left = markLiveVars(f.Impl, modes, live, left)
		}
	}
	return left == 0
}

// countDead counts the variables of the given modes that are not marked.
func countDead(vars []*ir.Variable, modes ir.Mode, live []bool) (n int) {
	for _, v := range vars {
		if v.Mode&modes != 0 && !live[v.ID] {
			n++
		}
	}
	return n
}

// writeOnlyModes are the modes where what is never read need not be written.
const writeOnlyModes = ir.ModeFunctionTemp | ir.ModeShaderTemp | ir.ModeShared

// markLiveVars marks the variables of the given modes that something reads, until none of left is left, and returns
// how many are.
func markLiveVars(impl *ir.Impl, modes ir.Mode, live []bool, left int) int {
	for b := range impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			if in.Kind != ir.KindDeref || in.Deref != ir.DerefVar {
				continue
			}
			v := in.DerefInfo().Var
			if v.Mode&modes == 0 || live[v.ID] || !(v.Mode&writeOnlyModes == 0 && !in.Def.Unused() || derefIsRead(in)) {
				continue
			}
			live[v.ID] = true
			if left--; left == 0 {
				return 0
			}
		}
	}
	return left
}

// derefIsRead reports whether anything but plain stores and copies into it uses
// a deref or what is derived from it.
func derefIsRead(d *ir.Instr) bool {
	for u := d.Def.FirstUse(); u != nil; u = u.NextUse() {
		switch {
		case u.Instr == nil: // a condition
			return true
		case u.Instr.Kind == ir.KindDeref && u == &u.Instr.Srcs[0]:
			if derefIsRead(u.Instr) {
				return true
			}
		case (u.Instr.IsIntrinsic(ir.IntrStoreDeref) || u.Instr.IsIntrinsic(ir.IntrCopyDeref)) && u == &u.Instr.Srcs[0]:
			if a := u.Instr.Get(ir.IdxAccess) | u.Instr.Get(ir.IdxDstAccess); ir.Access(a)&ir.AccessVolatile != 0 {
				return true
			}
		default:
			return true
		}
	}
	return false
}

func dropDeadStores(impl *ir.Impl, modes ir.Mode, live []bool) (progress bool) {
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if !in.IsIntrinsic(ir.IntrStoreDeref) && !in.IsIntrinsic(ir.IntrCopyDeref) {
				continue
			}
			d := in.Srcs[0].Def.Instr
			v := rootVar(d)
			if v == nil || v.Mode&modes == 0 || v.Mode&writeOnlyModes == 0 || live[v.ID] {
				continue
			}
			other := derefOf(in.Srcs[1].Def)
			in.Remove()
			removeDeadDerefs(d)
			if other != nil {
				removeDeadDerefs(other)
			}
			progress = true
		}
	}
	if progress || anyDeadDeref(impl, modes, live) {
		progress = removeUnusedDerefs(impl) || progress
	}
	return progress
}

// anyDeadDeref reports whether a deref names a variable that is going to go.
func anyDeadDeref(impl *ir.Impl, modes ir.Mode, live []bool) bool {
	for b := range impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			if in.Kind != ir.KindDeref || in.Deref != ir.DerefVar {
				continue
			}
			if v := in.DerefInfo().Var; v.Mode&modes != 0 && !live[v.ID] {
				return true
			}
		}
	}
	return false
}

func filterVars(vars *[]*ir.Variable, modes ir.Mode, live []bool) bool {
	out := (*vars)[:0]
	n := len(*vars)
	for _, v := range *vars {
		if v.Mode&modes == 0 || live[v.ID] {
			out = append(out, v)
		}
	}
	clear((*vars)[len(out):])
	*vars = out
	return len(out) != n
}
