package passes

import (
	"nirc/ir"
	"nirc/passes/analysis"
)

var optUniformAtomicsPass = &Pass{
	Name: "opt_uniform_atomics", For: ir.HasAtomic, Class: "B", Run: optUniformAtomics, Idempotent: true, Optional: true,
	Doc: "Where all lanes of a subgroup do an atomic at the same place, one does it with the reduction of all their operands; if the result is used, each lane's is what was there combined " +
		"with a scan over the lanes before it; where the whole subgroup of a compute shader is together, lanes read what was there of lane 0. Explicit buffer, shared and global atomics whose place is uniform by the divergence analysis, except where the conditions around them let a single lane through; helpers of fragment shaders take no part. " +
		"Makes reduce, exclusive_scan, elect and read_first_invocation: lower_subgroups comes after it.",
	Options: []Option{
		{"float_add", "additions of floats too: the sum is rounded in another order", false},
		{"join", "give all lanes the result of the one by a reduction, to which the others add nothing, and not by read_first_invocation", false},
	},
}

func optUniformAtomics(c *Context, s *ir.Shader) (bool, error) {
	floatAdd, join := c.Bool("float_add"), c.Bool("join")
	return eachImpl(s, ir.MetaNone, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool {
			if atomicData(in) < 0 {
				return false
			}
			_, ok := reducedBy(ir.AtomicOp(in.Get(ir.IdxAtomicOp)), floatAdd)
			return ok
		})
		if len(list) == 0 {
			return false
		}
		analysis.RequireDivergence(impl)
		whole := s.Stage == ir.StageCompute && !mayEnd(impl)
		progress := false
		for _, in := range list {
			if uniformPlace(in) && !oneLane(in.Block) {
				op, _ := reducedBy(ir.AtomicOp(in.Get(ir.IdxAtomicOp)), floatAdd)
				reduceAtomic(in, op, shareFor(in.Block, join, whole))
				progress = true
			}
		}
		return progress
	}), nil
}

// atomicData returns the number of an atomic's operand, -1 of what is none.
func atomicData(in *ir.Instr) int {
	if m := in.Memory(); m.Op == ir.MemAtomic && m.Space != ir.SpaceDeref && m.Space != ir.SpaceImage {
		return int(m.Data)
	}
	return -1
}

// uniformPlace reports whether all lanes do an atomic at one place.
func uniformPlace(in *ir.Instr) bool {
	for i := range atomicData(in) {
		if in.Srcs[i].Def.Divergent {
			return false
		}
	}
	return true
}

// share is how all lanes get what the one has that did the atomic.
type share uint8

const (
	shareByFirst     share = iota // read_first_invocation
	shareByReduction              // a reduction to which the others add nothing
	shareByLane                   // read_invocation of lane 0, which is there and the first
)

// shareFor is how lanes share a result in a block: where the whole subgroup is there together, lane 0 is the one, and nobody has to find it.
// Subgroups of compute shaders have a lane 0.
func shareFor(b *ir.Block, join, whole bool) share {
	switch {
	case whole && !b.Divergent:
		return shareByLane
	case join:
		return shareByReduction
	}
	return shareByFirst
}

// mayEnd reports whether lanes of a function may end before others.
func mayEnd(impl *ir.Impl) bool {
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if endsShader(in) {
				return true
			}
		}
	}
	return false
}

// reduceAtomic replaces an atomic by one for all lanes that are there.
func reduceAtomic(in *ir.Instr, op ir.Op, how share) {
	b := builderBefore(in)
	used := !in.Def.Unused()
	var guard *ir.If
	if b.Shader.Stage == ir.StageFragment {
		helper := &b.Intrinsic(ir.IntrIsHelperInvocation, 1, 1).Def
		guard = b.PushIf(b.Inot(helper))
	}
	k := atomicData(in)
	data := in.Srcs[k].Def
	sum := b.Intrinsic(ir.IntrReduce, 1, data.BitSize, data).Set(ir.IdxReductionOp, uint64(op))
	var rest *ir.Def // what the other lanes have
	switch {
	case used && how == shareByReduction:
		rest = b.ImmInt(0, in.Def.BitSize)
	case used:
		rest = &sum.Def // nobody reads it; where the atomic's result takes the register of its operand, they have it for nothing
	}
	elect := b.PushIf(&b.Intrinsic(ir.IntrElect, 1, 1).Def)
	var srcs [4]*ir.Def
	for i := range in.Srcs {
		srcs[i] = in.Srcs[i].Def
	}
	srcs[k] = &sum.Def
	one := b.Intrinsic(in.Intr, in.Def.NumComponents, in.Def.BitSize, srcs[:len(in.Srcs)]...)
	copy(one.Imm, in.Imm)
	b.PopIf(elect)
	if used {
		base := fromOne(b, b.IfPhi(elect, &one.Def, rest), how)
		before := &b.Intrinsic(ir.IntrExclusiveScan, 1, data.BitSize, data).Set(ir.IdxReductionOp, uint64(op)).Def
		v := b.ALU(op, base, before)
		if guard != nil {
			b.PopIf(guard)
			v = b.IfPhi(guard, v, undefAtStart(b.Impl, 1, in.Def.BitSize))
		}
		in.Def.RewriteUses(v)
	}
	in.Remove()
}

// fromOne gives all lanes what the one that did the atomic has; for a reduction the others have 0.
func fromOne(b *ir.Builder, v *ir.Def, how share) *ir.Def {
	switch how {
	case shareByReduction:
		return &b.Intrinsic(ir.IntrReduce, 1, v.BitSize, v).Set(ir.IdxReductionOp, uint64(ir.OpIor)).Def
	case shareByLane:
		return &b.Intrinsic(ir.IntrReadInvocation, 1, v.BitSize, v, b.Imm32(0)).Def
	}
	return &b.Intrinsic(ir.IntrReadFirstInvocation, 1, v.BitSize, v).Def
}

// reducedBy returns the operation with which an atomic combines, false if it
// is no such.
func reducedBy(a ir.AtomicOp, floatAdd bool) (ir.Op, bool) {
	switch a {
	case ir.AtomicIAdd:
		return ir.OpIadd, true
	case ir.AtomicIMin:
		return ir.OpImin, true
	case ir.AtomicUMin:
		return ir.OpUmin, true
	case ir.AtomicIMax:
		return ir.OpImax, true
	case ir.AtomicUMax:
		return ir.OpUmax, true
	case ir.AtomicIAnd:
		return ir.OpIand, true
	case ir.AtomicIOr:
		return ir.OpIor, true
	case ir.AtomicIXor:
		return ir.OpIxor, true
	case ir.AtomicFMin:
		return ir.OpFmin, true
	case ir.AtomicFMax:
		return ir.OpFmax, true
	case ir.AtomicFAdd:
		return ir.OpFadd, floatAdd
	}
	return 0, false
}
