package passes

import "nirc/ir"

var optConstComponentsPass = &Pass{
	Name: "opt_const_components", For: ir.HasVector, Class: "B", Run: optConstComponents, Optional: true, Rewrites: true,
	Doc: "Computes components of vector operations for which all sources are constants, as unrolled loops leave them, by themselves: " +
		"opt_constant_folding makes them values, and what reads them alone is folded too.",
}

func optConstComponents(c *Context, s *ir.Shader) (bool, error) {
	return eachBlock(s, func(blk *ir.Block) (progress bool) {
		for in := range blk.Instrs() {
			if n := int(in.Def.NumComponents); in.Kind == ir.KindALU && n > 1 && n <= 4 && mixesConsts(in) {
				if mask := constComponents(in); mask != 0 && mask != 1<<n-1 && c.Step() {
					splitComponents(in, mask)
					progress = true
				}
			}
		}
		return progress
	}), nil
}

// mixesConsts reports whether an operation works on each component by itself, on constants and vectors put together alone.
func mixesConsts(in *ir.Instr) bool {
	if copies(in) || in.Op.Info().Out.Comps != 0 {
		return false
	}
	for i := range in.Srcs {
		if d := in.Srcs[i].Def; in.Op.Info().In[i].Comps != 0 || !d.IsConst() && !d.Instr.IsVec() {
			return false
		}
	}
	return true
}

// constComponents is the set of components whose sources are constants.
func constComponents(in *ir.Instr) (mask uint) {
	for k := range int(in.Def.NumComponents) {
		all := true
		for i := range in.Srcs {
			q := &in.Srcs[i]
			all = all && (q.Def.IsConst() || q.Def.Instr.Srcs[q.Swizzle.Lane(k)].Def.IsConst())
		}
		if all {
			mask |= 1 << k
		}
	}
	return mask
}

// splitComponents makes the components of mask and the others operations of their own, and a vector of both.
func splitComponents(in *ir.Instr, mask uint) {
	b := builderBefore(in)
	n := int(in.Def.NumComponents)
	var parts [2]*ir.Def
	var place [4]int
	var count [2]int
	var lanes [2][4]int
	for k := range n {
		side := int(mask >> k & 1)
		place[k] = count[side]
		lanes[side][count[side]] = k
		count[side]++
	}
	for side := range parts {
		parts[side] = someComponents(b, in, lanes[side][:count[side]], side == 1)
	}
	defs := make([]*ir.Def, n)
	for k := range n {
		defs[k] = parts[mask>>k&1]
	}
	v := b.Shader.NewALU(ir.VecOp(n), uint8(n), in.Def.BitSize, defs...)
	for k := range n {
		v.Srcs[k].Swizzle = ir.Broadcast(place[k])
	}
	b.Insert(v)
	in.Def.RewriteUses(&v.Def)
	in.Remove()
}

// someComponents makes the operation for the given components, with constants of their own where all that it reads is constant.
func someComponents(b *ir.Builder, in *ir.Instr, lanes []int, consts bool) *ir.Def {
	var srcs [4]*ir.Def
	var swz [4]ir.Swizzle
	for i := range in.Srcs {
		q := &in.Srcs[i]
		srcs[i] = q.Def
		for j, k := range lanes {
			swz[i] = swz[i].With(j, q.Swizzle.Lane(k))
		}
		if !consts || q.Def.IsConst() {
			continue
		}
		vals := make([]uint64, len(lanes))
		for j, k := range lanes {
			vals[j], _ = q.Def.Instr.Srcs[q.Swizzle.Lane(k)].Const(0)
		}
		srcs[i], swz[i] = b.Const(q.Def.BitSize, vals...), ir.IdentitySwizzle
	}
	v := b.Shader.NewALU(in.Op, uint8(len(lanes)), in.Def.BitSize, srcs[:len(in.Srcs)]...)
	for i := range in.Srcs {
		v.Srcs[i].Swizzle = swz[i]
	}
	v.Exact, v.FastMath, v.NoSignedWrap, v.NoUnsignedWrap, v.Loc = in.Exact, in.FastMath, in.NoSignedWrap, in.NoUnsignedWrap, in.Loc
	b.Insert(v)
	return &v.Def
}
