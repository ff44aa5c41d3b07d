package passes

import (
	"nirc/ir"
	"nirc/ir/optab"
)

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
		b := ir.NewBuilder(ir.AtStart(impl.Start()))
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

// hasSideEffects reports whether in may not be deleted although nothing uses its result.
func hasSideEffects(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindJump, ir.KindCall, ir.KindParallelCopy:
		return true
	case ir.KindIntrinsic:
		return in.Intr.Info().Flags&optab.CanEliminate == 0 || ir.Access(in.Get(ir.IdxAccess))&ir.AccessVolatile != 0
	}
	return false
}

// canReorder reports whether an intrinsic may move across any other instruction
// and be merged with an equal one.
func canReorder(in *ir.Instr) bool {
	a := ir.Access(in.Get(ir.IdxAccess))
	if a&ir.AccessVolatile != 0 {
		return false
	}
	if in.Intr.Info().Flags&optab.CanReorder != 0 {
		return true
	}
	if in.Intr.Info().Flags&optab.CanEliminate == 0 {
		return false
	}
	if in.Intr == ir.IntrLoadDeref {
		if d := derefOf(in.Srcs[0].Def); d != nil && d.DerefInfo().Modes&^ir.ModeReadOnly == 0 {
			v := rootVar(d)
			return v == nil || v.Mode != ir.ModeSystemValue || v.BuiltIn != ir.BuiltInHelperInvocation
		}
	}
	return in.Has(ir.IdxAccess) && a&ir.AccessCanReorder != 0
}

// isDerivative reports whether an intrinsic is one of ddx, ddy and their forms.
func isDerivative(i ir.Intrinsic) bool {
	switch i {
	case ir.IntrDdx, ir.IntrDdy, ir.IntrDdxFine, ir.IntrDdyFine, ir.IntrDdxCoarse, ir.IntrDdyCoarse:
		return true
	}
	return false
}

// firstConst returns the first component of a load_const.
func firstConst(d *ir.Def) (uint64, bool) { return d.Const(0) }

// undefAtStart makes an undef at the start of the function, where it
// dominates everything.
func undefAtStart(impl *ir.Impl, comps, bits uint8) *ir.Def {
	u := impl.Shader.NewUndef(comps, bits)
	ir.AtStart(impl.Start()).Insert(u)
	return &u.Def
}

// vecOf builds the vector of the given scalar sources (a value and a
// component each) at b, or the value itself if they are all of one.
func vecOf(b *ir.Builder, defs []*ir.Def, comps []int) *ir.Def {
	same := true
	for i := range defs {
		same = same && defs[i] == defs[0] && comps[i] == i
	}
	if same && int(defs[0].NumComponents) == len(defs) {
		return defs[0]
	}
	if len(defs) == 1 {
		return b.Channel(defs[0], comps[0])
	}
	in := b.Shader.NewALU(ir.VecOp(len(defs)), uint8(len(defs)), defs[0].BitSize, defs...)
	for i := range in.Srcs {
		in.Srcs[i].Swizzle = ir.Broadcast(comps[i])
	}
	return &b.Insert(in).Def
}

// blend builds the vector that has the channels of mask from val and the others from old.
func blend(b *ir.Builder, old, val *ir.Def, mask uint64) *ir.Def {
	n := int(val.NumComponents)
	if mask&(1<<n-1) == 1<<n-1 {
		return val
	}
	var defs [16]*ir.Def
	var comps [16]int
	for i := 0; i < n; i++ {
		defs[i], comps[i] = old, i
		if mask>>i&1 != 0 {
			defs[i] = val
		}
	}
	return vecOf(b, defs[:n], comps[:n])
}

// builderBefore returns a builder right before in whose instructions take in's
// place in the source but not its float properties.
func builderBefore(in *ir.Instr) *ir.Builder {
	b := ir.NewBuilder(ir.Before(in))
	b.Shader.SetLoc(in.Loc)
	return b
}

// choiceLoc is the place of code that stands for a phi behind an if: the phi's
// if it comes from the source, else the condition's.
func choiceLoc(phi *ir.Instr, x *ir.If) uint32 {
	if phi.Loc != 0 {
		return phi.Loc
	}
	return x.Cond.Def.Instr.Loc
}

// copyALU puts a copy of an ALU instruction at the builder's cursor, with its
// swizzles, flags and place in the source.
func copyALU(b *ir.Builder, in *ir.Instr) *ir.Instr {
	var srcs [16]*ir.Def
	for i := range in.Srcs {
		srcs[i] = in.Srcs[i].Def
	}
	c := b.Shader.NewALU(in.Op, in.Def.NumComponents, in.Def.BitSize, srcs[:len(in.Srcs)]...)
	for i := range in.Srcs {
		c.Srcs[i].Swizzle = in.Srcs[i].Swizzle
	}
	c.Exact, c.FastMath, c.NoSignedWrap, c.NoUnsignedWrap, c.Loc = in.Exact, in.FastMath, in.NoSignedWrap, in.NoUnsignedWrap, in.Loc
	return b.Insert(c)
}
