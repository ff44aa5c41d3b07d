package irtest

import (
	"nirc/ir"
	"nirc/ir/optab"
)

// pickOps collects the operations that can be evaluated and belong to no target.
func (g *gen) pickOps() {
	for i := range optab.Ops {
		op := optab.Ops[i]
		if op.Target != "" || op.Eval == nil && op.EvalVec == nil || g.Op != nil && !g.Op(op) || g.IntOnly && hasFloat(op) {
			continue
		}
		g.ops = append(g.ops, ir.Op(i))
	}
}

func hasFloat(op *optab.Op) bool {
	for _, t := range op.In {
		if t.Class == optab.ClassFloat {
			return true
		}
	}
	return op.Out.Class == optab.ClassFloat
}

// alu makes one ALU instruction with random swizzles.
func (g *gen) alu() {
	op := g.ops[g.r.IntN(len(g.ops))]
	info := op.Info()
	w := g.opBits(op)
	comps := info.Out.Comps
	if comps == 0 {
		comps = g.comps()
	}
	size := func(t optab.T) uint8 {
		if t.Bits != 0 {
			return t.Bits
		}
		return w
	}
	srcs := make([]*ir.Def, len(info.In))
	for i, t := range info.In {
		srcs[i] = g.value(size(t))
	}
	in := g.s.NewALU(op, comps, size(info.Out), srcs...)
	for i := range in.Srcs {
		for k := range in.SrcComps(i) {
			if have := int(srcs[i].NumComponents); k >= have || g.chance(1, 3) {
				in.Srcs[i].Swizzle = in.Srcs[i].Swizzle.With(k, g.r.IntN(have))
			}
		}
	}
	in.Exact = g.AllExact || g.chance(1, 4)
	if g.Everything {
		in.NoSignedWrap, in.NoUnsignedWrap = g.chance(1, 8), g.chance(1, 8)
		in.FastMath = ir.FloatControls(g.r.IntN(512)) * ir.FloatControls(g.r.IntN(2))
	}
	g.b.Insert(in)
	g.add(&in.Def)
}

// opBits picks the size of the operation's unsized operands. Booleans are 1
// bit: wider ones would have to be all zeros or all ones.
func (g *gen) opBits(op ir.Op) uint8 {
	info := op.Info()
	first, end := 1, 5
	limit := func(t optab.T) {
		switch {
		case t.Bits != 0:
		case t.Class == optab.ClassBool:
			first, end = 0, 1
		case t.Class == optab.ClassFloat:
			first = max(first, 2)
		}
	}
	limit(info.Out)
	for _, t := range info.In {
		limit(t)
	}
	if op == ir.OpUfindMsb || op == ir.OpUfindMsbRev {
		first = 3
	}
	return sizes[min(first, end-1)+g.r.IntN(end-min(first, end-1))]
}
