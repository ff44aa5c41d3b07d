package passes

import "nirc/ir"

// collect lists the intrinsics that f picks; edits of the control flow may follow.
func collect(impl *ir.Impl, f func(*ir.Instr) bool) (list []*ir.Instr) {
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind == ir.KindIntrinsic && f(in) {
				list = append(list, in)
			}
		}
	}
	return list
}

// localAccess takes a load or store of a function's variable apart: its deref and the variable; nil of all else.
func localAccess(in *ir.Instr) (*ir.Instr, *ir.Variable) {
	if !in.IsIntrinsic(ir.IntrLoadDeref) && !in.IsIntrinsic(ir.IntrStoreDeref) {
		return nil, nil
	}
	d := in.Srcs[0].Def.Instr
	if v := derefVar(d); v != nil && v.Mode == ir.ModeFunctionTemp {
		return d, v
	}
	return nil, nil
}

func eachCopy(impl *ir.Impl, f func(*ir.Instr)) {
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.IsIntrinsic(ir.IntrCopyDeref) {
				f(in)
			}
		}
	}
}

// eachImpl runs f on every function body and, where it reports progress,
// keeps only the given metadata.
func eachImpl(s *ir.Shader, keep ir.Metadata, f func(*ir.Impl) bool) (progress bool) {
	for _, fn := range s.Functions {
		if fn.Impl != nil && f(fn.Impl) {
			fn.Impl.Preserve(keep)
			progress = true
		}
	}
	return progress
}

// eachBlock asks f for each block, which reports whether it changed it. The control flow stays.
func eachBlock(s *ir.Shader, f func(*ir.Block) bool) bool {
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (progress bool) {
		for blk := range impl.Blocks() {
			progress = f(blk) || progress
		}
		return progress
	})
}

// implPass makes the Run function of a pass that works on one function at a
// time, needs no option and cannot fail.
func implPass(keep ir.Metadata, f func(*ir.Impl) bool) func(*Context, *ir.Shader) (bool, error) {
	return func(_ *Context, s *ir.Shader) (bool, error) { return eachImpl(s, keep, f), nil }
}

// eachInstr asks f for each instruction, with the builder before it; what f
// returns replaces the result, nil keeps the instruction. It leaves the control
// flow alone.
func eachInstr(s *ir.Shader, f func(b *ir.Builder, in *ir.Instr) *ir.Def) bool {
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (changed bool) {
		b := impl.Builder(ir.AtStart(impl.Start()))
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				b.AtInstr(in)
				if v := f(b, in); v != nil {
					in.Def.RewriteUses(v)
					in.Remove()
					changed = true
				}
			}
		}
		return changed
	})
}

// eachALU is eachInstr for ALU instructions.
func eachALU(s *ir.Shader, f func(b *ir.Builder, in *ir.Instr) *ir.Def) bool {
	return eachInstr(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		if in.Kind != ir.KindALU {
			return nil
		}
		return f(b, in)
	})
}

// eachIntrinsic is eachInstr for intrinsics with a result.
func eachIntrinsic(s *ir.Shader, f func(b *ir.Builder, in *ir.Instr) *ir.Def) bool {
	return eachInstr(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		if in.Kind != ir.KindIntrinsic || !in.HasDef() {
			return nil
		}
		return f(b, in)
	})
}
