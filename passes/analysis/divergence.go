package analysis

import (
	"slices"

	"nirc/ir"
)

// RequireDivergence makes Def.Divergent, Block.Divergent and the loops'
// DivergentBreak and DivergentContinue valid: a value is divergent if lanes of
// a subgroup that are there together may hold different bits, a block if not
// all lanes that entered the function together need be there together. A value
// that is used after a loop that lanes leave in different iterations counts
// as divergent as a whole unless a phi stands between. Registers and variables
// are divergent; whether memory loaded from one address may change between
// lanes is asked where the target's loads tear (ir.Options).
func RequireDivergence(impl *ir.Impl) {
	if impl.Analysis(ir.MetaDivergence) != nil {
		return
	}
	diverge(impl)
	impl.SetAnalysis(ir.MetaDivergence, true)
}

// CheckDivergence reports whether the marks of a function are what a new
// computation gives; true if they are not said to be valid. The marks are then
// those of the new computation.
func CheckDivergence(impl *ir.Impl) bool {
	if impl.Analysis(ir.MetaDivergence) == nil {
		return true
	}
	old := marks(impl)
	diverge(impl)
	return slices.Equal(old, marks(impl))
}

// marks lists what the analysis has written, in source order.
func marks(impl *ir.Impl) (list []bool) {
	for b := range impl.Blocks() {
		list = append(list, b.Divergent)
		for in := range b.Instrs() {
			list = append(list, in.Def.Divergent)
		}
		if l := b.FollowingLoop(); l != nil {
			list = append(list, l.DivergentBreak, l.DivergentContinue)
		}
	}
	return list
}

// diverge computes the marks from nothing.
func diverge(impl *ir.Impl) {
	impl.Require(ir.MetaBlockIndex)
	d := divergence{stage: impl.Shader.Stage, partLoads: impl.Shader.Options.LoadsTear}
	for b := range impl.Blocks() {
		b.Divergent = false
		for in := range b.Instrs() {
			in.Def.Divergent = false
		}
	}
	resetLoops(&impl.Body)
	for d.changed = true; d.changed; {
		d.changed = false
		d.list(&impl.Body, false, nil)
	}
}

func resetLoops(l *ir.List) {
	for n := range l.Nodes() {
		switch x := n.(type) {
		case *ir.If:
			resetLoops(&x.Then)
			resetLoops(&x.Else)
		case *ir.Loop:
			x.DivergentBreak, x.DivergentContinue = false, false
			resetLoops(&x.Body)
			resetLoops(&x.Continue)
		}
	}
}

// divergence goes forward from all values being uniform until nothing changes.
type divergence struct {
	stage     ir.Stage
	partLoads bool // the target loads for some lanes after others
	changed   bool
}

// loopState is the loop around: apart reports whether lanes that began an
// iteration together may be elsewhere by now.
type loopState struct {
	loop  *ir.Loop
	apart bool
}

func (d *divergence) mark(v *ir.Def) {
	if v.NumComponents != 0 && !v.Divergent {
		v.Divergent = true
		d.changed = true
	}
}

func (d *divergence) flag(p *bool) {
	if !*p {
		*p = true
		d.changed = true
	}
}

// list walks a list that lanes run through together unless apart.
func (d *divergence) list(l *ir.List, apart bool, in *loopState) {
	for n := range l.Nodes() {
		switch x := n.(type) {
		case *ir.Block:
			d.block(x, apart, in)
		case *ir.If:
			split := x.Cond.Def.Divergent
			var then, els *loopState
			if in != nil {
				s := loopState{in.loop, in.apart || split}
				then, els = &s, &s
			}
			d.list(&x.Then, apart || split, then)
			d.list(&x.Else, apart || split, els)
			d.phis(x.After(), split)
		case *ir.Loop:
			split := x.DivergentBreak || x.DivergentContinue
			d.list(&x.Body, apart || split, &loopState{x, split})
			d.list(&x.Continue, apart || split, &loopState{x, split})
			d.phis(x.Body.FirstBlock(), x.DivergentContinue)
			d.phis(x.After(), x.DivergentBreak)
			if x.DivergentBreak {
				d.leaving(x)
			}
		}
	}
}

// phis marks the phis of a block where values meet of lanes that came by
// different ways if split.
func (d *divergence) phis(b *ir.Block, split bool) {
	for phi := range b.Phis() {
		for i := range phi.Srcs { // none where nothing leads to the block
			v, first := phi.Srcs[i].Def, phi.Srcs[0].Def
			if v.Divergent || split && v != first && !EqualConsts(v, first) {
				d.mark(&phi.Def)
			}
		}
	}
}

// EqualConsts reports whether two values are constants with the same components.
func EqualConsts(a, b *ir.Def) bool {
	if !a.IsConst() || !b.IsConst() {
		return false
	}
	for i, v := range a.Instr.Imm {
		if b.Instr.Imm[i] != v {
			return false
		}
	}
	return true
}

// leaving marks what a loop makes and lanes carry out in different iterations.
func (d *divergence) leaving(l *ir.Loop) {
	first, after := l.Body.FirstBlock().Index, l.After().Index
	inside := func(b *ir.Block) bool { return b.Index >= first && b.Index < after }
	for phi := range l.After().Phis() {
		for i := range phi.Srcs {
			if made := phi.Srcs[i].Def.Instr; made.Kind != ir.KindLoadConst && inside(made.Block) {
				d.mark(&phi.Def)
			}
		}
	}
	for _, list := range []*ir.List{&l.Body, &l.Continue} {
		for b := range ir.ListBlocks(list) {
			for in := range b.Instrs() {
				if in.Kind != ir.KindLoadConst && in.HasDef() && !in.Def.Divergent && usedBeyond(&in.Def, l, inside) {
					d.mark(&in.Def)
				}
			}
		}
	}
}

// usedBeyond reports whether a value made in a loop is used after it, the phis
// right after it left out.
func usedBeyond(v *ir.Def, l *ir.Loop, inside func(*ir.Block) bool) bool {
	for u := range v.Uses() {
		switch {
		case u.If != nil:
			if !inside(ir.Prev(u.If).(*ir.Block)) {
				return true
			}
		case u.Instr.Kind == ir.KindPhi && u.Instr.Block == l.After():
		case !inside(u.Instr.Block):
			return true
		}
	}
	return false
}

func (d *divergence) block(b *ir.Block, apart bool, in *loopState) {
	if apart {
		d.flag(&b.Divergent)
	}
	for i := range b.Instrs() {
		if i.Kind == ir.KindPhi {
			// Its value depends on the node in front; see phis.
			continue
		}
		if i.HasDef() && !i.Def.Divergent && d.diverges(i) {
			d.mark(&i.Def)
		}
	}
	j := b.Jump()
	if j == nil || in == nil || !in.apart {
		return
	}
	switch j.Jump {
	case ir.JumpBreak:
		d.flag(&in.loop.DivergentBreak)
	case ir.JumpContinue:
		d.flag(&in.loop.DivergentContinue)
	}
}

func anyDivergent(in *ir.Instr) bool {
	for i := range in.Srcs {
		if in.Srcs[i].Def.Divergent {
			return true
		}
	}
	return false
}

// diverges reports whether an instruction's result may differ between lanes,
// given what is known of its sources.
func (d *divergence) diverges(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindALU, ir.KindTex, ir.KindDeref:
		return anyDivergent(in)
	case ir.KindLoadConst, ir.KindUndef:
		return false
	case ir.KindIntrinsic:
		return d.intrinsic(in)
	}
	return true
}

// tears reports whether lanes may find different things at one address: somebody may write there meanwhile, and hardware may load for some
// lanes after others. Of workgroup memory no load says that nobody writes.
func (d *divergence) tears(in *ir.Instr) bool {
	const constant = ir.AccessNonWriteable | ir.AccessCanReorder
	return d.partLoads && (!in.Has(ir.IdxAccess) || ir.Access(in.Get(ir.IdxAccess))&constant != constant)
}

func (d *divergence) intrinsic(in *ir.Instr) bool {
	switch in.Intr {
	// The same for the whole subgroup whatever the sources.
	case ir.IntrReadFirstInvocation, ir.IntrBallot, ir.IntrBallotRelaxed, ir.IntrVoteAny, ir.IntrVoteAll, ir.IntrVoteFeq, ir.IntrVoteIeq,
		ir.IntrFirstInvocation, ir.IntrLastInvocation, ir.IntrAsUniform, ir.IntrLoadPreamble:
		return false
	case ir.IntrReduce:
		return in.Get(ir.IdxClusterSize) != 0 && anyDivergent(in)
	case ir.IntrReadInvocation:
		return in.Srcs[1].Def.Divergent
	// The same for a draw or dispatch, or for a workgroup.
	case ir.IntrLoadWorkgroupId, ir.IntrLoadWorkgroupIndex, ir.IntrLoadBaseWorkgroupId, ir.IntrLoadNumWorkgroups, ir.IntrLoadWorkgroupSize,
		ir.IntrLoadBaseVertex, ir.IntrLoadFirstVertex, ir.IntrLoadBaseInstance, ir.IntrLoadDrawId, ir.IntrLoadIsIndexedDraw,
		ir.IntrLoadViewIndex, ir.IntrLoadSubgroupId, ir.IntrLoadNumSubgroups, ir.IntrLoadSubgroupSize, ir.IntrLoadWorkDim, ir.IntrLoadGlobalSize,
		ir.IntrLoadViewportScale, ir.IntrLoadViewportOffset, ir.IntrLoadBlendConstColorRgba, ir.IntrLoadScratchBasePtr,
		ir.IntrLoadConstantBasePtr, ir.IntrLoadSharedBasePtr, ir.IntrLoadGlobalBasePtr, ir.IntrLoadUserClipPlane, ir.IntrLoadPatchVerticesIn:
		return false
	// The same where the sources are.
	case ir.IntrLoadSsbo, ir.IntrLoadShared, ir.IntrLoadGlobal, ir.IntrLoadGlobal2x32,
		ir.IntrImageLoad, ir.IntrBindlessImageLoad, ir.IntrImageDerefLoad:
		return anyDivergent(in) || d.tears(in)
	case ir.IntrLoadUbo, ir.IntrLoadUboVec4, ir.IntrBindlessResourceIr3, ir.IntrLoadGlobalConstant,
		ir.IntrLoadGlobalConstantOffset, ir.IntrLoadGlobalConstantBounded, ir.IntrLoadPushConstant, ir.IntrLoadConstant,
		ir.IntrLoadUniform, ir.IntrLoadKernelInput, ir.IntrGetSsboSize, ir.IntrGetUboSize, ir.IntrLoadSsboAddress, ir.IntrDerefBufferArrayLength,
		ir.IntrVulkanResourceIndex, ir.IntrVulkanResourceReindex, ir.IntrLoadVulkanDescriptor,
		ir.IntrImageSize, ir.IntrBindlessImageSize, ir.IntrImageDerefSize,
		ir.IntrImageLevels, ir.IntrImageDerefLevels, ir.IntrImageSamples, ir.IntrImageDerefSamples, ir.IntrIsSparseTexelsResident,
		ir.IntrSparseResidencyCodeAnd, ir.IntrShuffle, ir.IntrShuffleXor, ir.IntrShuffleUp, ir.IntrShuffleDown, ir.IntrRotate,
		ir.IntrQuadBroadcast, ir.IntrQuadSwapHorizontal, ir.IntrQuadSwapVertical, ir.IntrQuadSwapDiagonal, ir.IntrQuadVoteAny, ir.IntrQuadVoteAll,
		ir.IntrDdx, ir.IntrDdy, ir.IntrDdxFine, ir.IntrDdyFine, ir.IntrDdxCoarse, ir.IntrDdyCoarse,
		ir.IntrBallotBitfieldExtract, ir.IntrBallotBitCountReduce, ir.IntrBallotFindLsb, ir.IntrBallotFindMsb, ir.IntrLoadConstIr3:
		return anyDivergent(in)
	case ir.IntrLoadDeref:
		modes := in.Srcs[0].Def.Instr.DerefInfo().Modes
		return modes&^(ir.ModeUBO|ir.ModeSSBO|ir.ModePushConst|ir.ModeConstant|ir.ModeUniform|ir.ModeGlobal) != 0 || anyDivergent(in) ||
			modes&(ir.ModeSSBO|ir.ModeGlobal) != 0 && d.tears(in)
	case ir.IntrDeclReg:
		return false // the handle, not what it holds
	}
	return true // a register, an input, an atomic's old value, a lane's own number …
}
