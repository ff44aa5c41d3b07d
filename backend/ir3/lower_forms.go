package ir3

import (
	"nirc/backend"
	"nirc/internal/lazy"
	"nirc/ir"
	"nirc/ir/optab"
)

// form is what lowering and selection take of an intrinsic beside what the IR
// demands: sizes of the result and of the sources (0: any of the result and of
// the value that it moves, 32 of other sources), and the most components of that
// value (0: any).
type form struct {
	dst  optab.Bits
	srcs [5]optab.Bits
	max  uint8
}

// Sizes of operands.
const (
	words    = optab.Bits32
	halves   = optab.Bits16 | optab.Bits32
	upTo32   = optab.Bits8 | optab.Bits16 | optab.Bits32
	booleans = optab.Bits1
	longs    = optab.Bits32 | optab.Bits64
	anySize  = optab.Bits1 | optab.Bits8 | optab.Bits16 | optab.Bits32 | optab.Bits64
)

// forms are those of the intrinsics that differ from the zero form, by intrinsic.
var forms = lazy.Value[[]form]{Make: func() []form {
	t := make([]form, ir.NumIntrinsics)
	set := func(f form, list ...ir.Intrinsic) {
		for _, i := range list {
			t[i] = f
		}
	}
	// Conditions, and what is true or false of a fiber.
	set(form{srcs: [5]optab.Bits{booleans}}, ir.IntrDemoteIf, ir.IntrTerminateIf)
	set(form{dst: booleans, srcs: [5]optab.Bits{booleans}}, ir.IntrVoteAny, ir.IntrVoteAll, ir.IntrQuadVoteAny, ir.IntrQuadVoteAll)
	set(form{dst: booleans}, ir.IntrVoteFeq, ir.IntrVoteIeq, ir.IntrElect, ir.IntrIsHelperInvocation, ir.IntrLoadHelperInvocation, ir.IntrLoadFrontFace)
	// Masks of fibers.
	set(form{dst: words, srcs: [5]optab.Bits{booleans}, max: 4}, ir.IntrBallot, ir.IntrBallotRelaxed)
	set(form{dst: booleans, srcs: [5]optab.Bits{words}, max: 4}, ir.IntrInverseBallot)
	set(form{dst: booleans | words}, ir.IntrBallotBitfieldExtract)
	set(form{dst: words, max: 4}, ir.IntrBallotBitCountReduce, ir.IntrBallotBitCountInclusive, ir.IntrBallotBitCountExclusive, ir.IntrBallotFindLsb,
		ir.IntrBallotFindMsb, ir.IntrLoadSubgroupEqMask, ir.IntrLoadSubgroupGeMask, ir.IntrLoadSubgroupGtMask, ir.IntrLoadSubgroupLeMask,
		ir.IntrLoadSubgroupLtMask)
	// Values that go from fiber to fiber.
	set(form{srcs: [5]optab.Bits{anySize, booleans}}, ir.IntrReadInvocationCondIr3)
	set(form{srcs: [5]optab.Bits{halves}}, ir.IntrDdx, ir.IntrDdy, ir.IntrDdxFine, ir.IntrDdyFine, ir.IntrDdxCoarse, ir.IntrDdyCoarse)
	// Interpolation.
	set(form{dst: words}, ir.IntrLoadBarycentricPixel, ir.IntrLoadBarycentricCentroid, ir.IntrLoadBarycentricSample)
	set(form{dst: words, srcs: [5]optab.Bits{upTo32}}, ir.IntrLoadBarycentricAtSample)
	set(form{dst: words, srcs: [5]optab.Bits{halves}}, ir.IntrLoadBarycentricAtOffset)
	set(form{dst: halves, srcs: [5]optab.Bits{upTo32}}, ir.IntrLoadSamplePosFromId)
	set(form{dst: halves}, ir.IntrLoadSamplePos, ir.IntrLoadInput, ir.IntrLoadInterpolatedInput)
	set(form{srcs: [5]optab.Bits{halves}}, ir.IntrStoreOutput)
	// Memory. Accesses of wider components are split before.
	set(form{dst: upTo32, max: 4}, ir.IntrLoadSsbo, ir.IntrLoadShared, ir.IntrLoadScratch, ir.IntrLoadGlobal2x32, ir.IntrLoadGlobalIr3, ir.IntrLoadSharedIr3)
	set(form{dst: words}, ir.IntrLoadUboVec4)
	set(form{dst: upTo32}, ir.IntrLoadUbo, ir.IntrLoadPushConstant, ir.IntrLoadConstant)
	set(form{dst: upTo32, srcs: [5]optab.Bits{optab.Bits64}, max: 4}, ir.IntrLoadGlobal, ir.IntrLoadGlobalConstant)
	set(form{srcs: [5]optab.Bits{upTo32}, max: 4}, ir.IntrStoreSsbo, ir.IntrStoreShared, ir.IntrStoreScratch, ir.IntrStoreGlobal2x32,
		ir.IntrStoreGlobalIr3, ir.IntrStoreSharedIr3)
	set(form{srcs: [5]optab.Bits{upTo32, optab.Bits64}, max: 4}, ir.IntrStoreGlobal)
	set(form{dst: longs, srcs: [5]optab.Bits{words, words, longs, longs}}, ir.IntrSsboAtomic, ir.IntrSsboAtomicSwap)
	set(form{dst: longs, srcs: [5]optab.Bits{words, longs, longs}}, ir.IntrSharedAtomic, ir.IntrSharedAtomicSwap, ir.IntrGlobalAtomic2x32,
		ir.IntrGlobalAtomicSwap2x32)
	set(form{dst: longs, srcs: [5]optab.Bits{optab.Bits64, longs, longs}}, ir.IntrGlobalAtomic, ir.IntrGlobalAtomicSwap)
	set(form{dst: words, srcs: [5]optab.Bits{words}}, ir.IntrLoadReg, ir.IntrLoadRegIndirect, ir.IntrStoreReg, ir.IntrStoreRegIndirect)
	// Images.
	texels := halves | optab.Bits64
	set(form{dst: texels, srcs: [5]optab.Bits{words, halves, halves, halves}, max: 4}, ir.IntrImageDerefLoad)
	set(form{dst: longs, srcs: [5]optab.Bits{words, halves, halves, halves}, max: 5}, ir.IntrImageDerefSparseLoad)
	set(form{srcs: [5]optab.Bits{words, halves, halves, texels, halves}, max: 4}, ir.IntrImageDerefStore)
	set(form{dst: longs, srcs: [5]optab.Bits{words, halves, halves, longs, longs}}, ir.IntrImageDerefAtomic, ir.IntrImageDerefAtomicSwap)
	set(form{dst: halves, srcs: [5]optab.Bits{words, halves}, max: 3}, ir.IntrImageDerefSize)
	set(form{dst: halves}, ir.IntrImageDerefSamples)
	set(form{dst: words}, ir.IntrLoadGlobalInvocationId)
	return t
}}

// checkForms refuses operands of sizes that lowering and selection do not
// take, whatever passes have run.
func checkForms(s *ir.Shader, impl *ir.Impl) error {
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind != ir.KindIntrinsic {
				continue
			}
			if err := checkForm(s, in); err != nil {
				return err
			}
		}
		if i := b.FollowingIf(); i != nil && i.Cond.Def.BitSize != 1 {
			return backend.Refuse(TargetName, s, i.Cond.Def.Instr, "an if on a value of %d bits is not supported: it must be a boolean", i.Cond.Def.BitSize)
		}
	}
	return nil
}

// checkDistances refuses cull distances that do not stand after the clip distances where fixed functions take or give them: the
// hardware has one array of up to eight for both (ir3.md §11). From stage to stage there are two.
func checkDistances(s *ir.Shader, impl *ir.Impl, next ir.Stage) error {
	if s.Info.CullDistances == 0 || next != ir.StageNone || s.Stage == ir.StageTessCtrl {
		return nil
	}
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			// Results of fragments have slots of other meaning.
			if in.Kind != ir.KindIntrinsic || !in.Has(ir.IdxIoSemantics) || in.Intr == ir.IntrStoreOutput == (s.Stage == ir.StageFragment) {
				continue
			}
			if slot := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location; slot == ir.SlotCullDist0 || slot == ir.SlotCullDist1 {
				return backend.Refuse(TargetName, s, in, "cull distances in slots of their own are not supported, lower_clip_cull_distance_arrays puts them after the clip distances")
			}
		}
	}
	return nil
}

func checkForm(s *ir.Shader, in *ir.Instr) error {
	f, info := &forms.Get()[in.Intr], in.Intr.Info()
	if in.HasDef() && f.dst != 0 && !f.dst.Has(in.Def.BitSize) {
		return backend.Refuse(TargetName, s, in, "%s with a result of %d bits is not supported", in.Intr, in.Def.BitSize)
	}
	if f.max != 0 && in.NumComponents > f.max {
		return backend.Refuse(TargetName, s, in, "%s of %d components is not supported, at most %d are", in.Intr, in.NumComponents, f.max)
	}
	for i := range in.Srcs {
		d := in.Srcs[i].Def
		want := words
		switch {
		case i < len(f.srcs) && f.srcs[i] != 0:
			want = f.srcs[i]
		case info.Srcs[i] == 0:
			want = anySize
		}
		if !want.Has(d.BitSize) && d.Instr.Kind != ir.KindDeref {
			return backend.Refuse(TargetName, s, in, "%s with a source of %d bits (%d) is not supported", in.Intr, d.BitSize, i)
		}
		if f.dst == longs && want == longs && d.BitSize != in.Def.BitSize {
			return backend.Refuse(TargetName, s, in, "%s with an operand of %d bits and a result of %d is not supported", in.Intr, d.BitSize, in.Def.BitSize)
		}
	}
	return nil
}

// booleanOps are the operations that take or give values of 1 bit: on those, no
// other is arithmetic modulo 2.
var booleanOps = lazy.Value[[]bool]{Make: func() []bool {
	t := make([]bool, ir.NumOps)
	for _, op := range [...]ir.Op{
		ir.OpIand, ir.OpIor, ir.OpIxor, ir.OpInot, ir.OpIeq, ir.OpIne, ir.OpUlt, ir.OpUge, ir.OpBcsel, ir.OpFlt, ir.OpFge, ir.OpFeq, ir.OpFneu,
		ir.OpIlt, ir.OpIge, ir.OpB2i1, ir.OpB2i8, ir.OpB2i16, ir.OpB2i32, ir.OpB2b32, ir.OpB2f16, ir.OpB2f32,
		ir.OpI2i1, ir.OpU2u1, ir.OpU2f16, ir.OpU2f32,
	} {
		t[op] = true
	}
	return t
}}

// booleanForm reports whether an ALU operation is none on values of 1 bit, or one
// that selection has.
func booleanForm(in *ir.Instr) bool {
	if in.Def.BitSize == 1 && !booleanOps.Get()[in.Op] {
		return false
	}
	for i := range in.Srcs {
		if in.Srcs[i].Def.BitSize == 1 && (!booleanOps.Get()[in.Op] || in.Op == ir.OpIlt || in.Op == ir.OpIge) {
			return false
		}
	}
	return true
}
