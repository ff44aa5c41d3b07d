package passes

import (
	"math/bits"

	"nirc/ir"
)

var optShrinkVectorsPass = &Pass{
	Name: "opt_shrink_vectors", Class: "B", Run: optShrinkVectors, Optional: true, Rewrites: true,
	Doc: "Takes away components that nothing reads: of ALU operations, vectors, constants, undefs and phis whose users are all ALU operations, " +
		"and trailing ones of loads. Equal components of a vector or constant become one.",
}

func optShrinkVectors(c *Context, s *ir.Shader) (bool, error) {
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		progress := false
		for blk := range impl.BlocksReverse() {
			for in := range blk.InstrsReverse() {
				if in.HasDef() && in.Def.NumComponents > 1 && !in.Def.Unused() && shrinkable(in) {
					progress = shrink(c, impl, in) || progress
				}
			}
		}
		return progress
	}), nil
}

func shrinkable(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindALU:
		return in.Op.Info().Out.Comps == 0 || in.IsVec()
	case ir.KindLoadConst, ir.KindUndef, ir.KindPhi:
		return true
	case ir.KindIntrinsic:
		return trailingLoad(in)
	}
	return false
}

// trailingLoad tells loads that may read fewer components from the same place.
func trailingLoad(in *ir.Instr) bool {
	switch in.Intr {
	case ir.IntrLoadUbo, ir.IntrLoadSsbo, ir.IntrLoadShared, ir.IntrLoadGlobal, ir.IntrLoadGlobalConstant, ir.IntrLoadPushConstant,
		ir.IntrLoadConstant, ir.IntrLoadScratch, ir.IntrLoadInput, ir.IntrLoadInterpolatedInput:
		return ir.Access(in.Get(ir.IdxAccess))&ir.AccessVolatile == 0
	}
	return false
}

// reads returns the components of d that its users read; swizzled says
// whether all of these can choose components.
func reads(d *ir.Def) (mask uint32, swizzled bool) {
	return d.ComponentsRead(), onlyALUReads(d)
}

func shrink(c *Context, impl *ir.Impl, in *ir.Instr) bool {
	mask, swizzled := reads(&in.Def)
	if in.Kind == ir.KindIntrinsic {
		n := bits.Len32(mask)
		for !legalWidth(n) {
			n++
		}
		if n >= int(in.Def.NumComponents) || !c.Step() {
			return false
		}
		in.Def.NumComponents, in.NumComponents = uint8(n), uint8(n)
		return true
	}
	if !swizzled {
		return false
	}
	// place[i] is where component i goes.
	var place [16]int
	var kept []int
	for i := range int(in.Def.NumComponents) {
		if mask>>i&1 == 0 {
			continue
		}
		place[i] = -1
		for k, j := range kept {
			if sameComponent(in, i, j) {
				place[i] = k
			}
		}
		if place[i] < 0 {
			place[i] = len(kept)
			kept = append(kept, i)
		}
	}
	if len(kept) == int(in.Def.NumComponents) || !legalWidth(len(kept)) || !c.Step() {
		return false
	}
	for u := range in.Def.Uses() {
		for i := range 16 {
			if l := u.Swizzle.Lane(i); l < int(in.Def.NumComponents) {
				u.Swizzle = u.Swizzle.With(i, place[l])
			}
		}
	}
	rebuild(impl, in, kept)
	return true
}

// sameComponent reports whether two components of an instruction always agree.
func sameComponent(in *ir.Instr, i, j int) bool {
	switch {
	case in.Kind == ir.KindLoadConst:
		return in.Imm[i] == in.Imm[j]
	case in.Kind == ir.KindUndef:
		return true
	case in.IsVec():
		return in.Srcs[i].Def == in.Srcs[j].Def && in.Srcs[i].Swizzle.Lane(0) == in.Srcs[j].Swizzle.Lane(0)
	case in.Kind == ir.KindALU:
		for k, t := range in.Op.Info().In {
			if t.Comps != 0 || in.Srcs[k].Swizzle.Lane(i) != in.Srcs[k].Swizzle.Lane(j) {
				return false
			}
		}
		return true
	}
	return false
}

// rebuild makes in compute only the components kept, in their order.
func rebuild(impl *ir.Impl, in *ir.Instr, kept []int) {
	n := uint8(len(kept))
	s := impl.Shader
	switch {
	case in.Kind == ir.KindLoadConst:
		vals := make([]uint64, n)
		for k, i := range kept {
			vals[k] = in.Imm[i]
		}
		in.Imm = vals
		in.Def.NumComponents = n
	case in.Kind == ir.KindUndef:
		in.Def.NumComponents = n
	case in.Kind == ir.KindPhi:
		for i, p := range in.PhiInfo().Preds {
			in.Srcs[i].Set(ir.NewBuilder(ir.BeforeJump(p)).Swizzle(in.Srcs[i].Def, kept...))
		}
		in.Def.NumComponents = n
	case in.IsVec():
		defs, comps := make([]*ir.Def, n), make([]int, n)
		for k, i := range kept {
			defs[k], comps[k] = in.Srcs[i].Def, in.Srcs[i].Swizzle.Lane(0)
		}
		op := ir.OpMov
		if n > 1 {
			op = ir.VecOp(int(n))
		}
		v := s.NewALU(op, n, in.Def.BitSize, defs...)
		for k := range v.Srcs {
			v.Srcs[k].Swizzle = ir.Broadcast(comps[k])
		}
		v.Loc, v.Exact = in.Loc, in.Exact
		ir.Before(in).Insert(v)
		in.Def.RewriteUses(&v.Def)
		in.Remove()
	default:
		for k, t := range in.Op.Info().In {
			if t.Comps != 0 {
				continue
			}
			swz := make([]int, n)
			for j, i := range kept {
				swz[j] = in.Srcs[k].Swizzle.Lane(i)
			}
			in.Srcs[k].Swizzle = ir.Swz(swz...)
		}
		in.Def.NumComponents = n
	}
}
