package agx

import (
	"fmt"

	"nirc/backend/agx/abi"
	"nirc/backend/resource"
	"nirc/ir"
)

// room is a number of uniform halves, and how many of those are addresses, which only
// the low half of the file holds.
type room struct{ all, low int }

func (r *room) add(rank, halves int) {
	r.all += halves
	if rank < 2 {
		r.low += halves
	}
}

// isOptional reports whether there is another way to a kind of piece when the
// uniform registers are full.
func isOptional(k abi.UniformKind) bool {
	switch k {
	case abi.UniformNone, abi.UniformWords, abi.UniformPush, abi.UniformBufferData, abi.UniformBufferAddr, abi.UniformBufferSize,
		abi.UniformSamplerBias:
		return true
	}
	return false
}

// alwaysNeeded are the pieces that selection may ask for in every stage, the others those
// of the stages named.
var (
	alwaysNeeded  = []abi.UniformKind{abi.UniformHeap, abi.UniformTable}
	computeNeeded = []abi.UniformKind{abi.UniformNumWorkgroups, abi.UniformBaseWorkgroup, abi.UniformNumSubgroups}
	vertexNeeded  = []abi.UniformKind{abi.UniformBaseVertex, abi.UniformBaseInstance, abi.UniformDrawID,
		abi.UniformRecords, abi.UniformGridVertices}
)

// neededKinds are the kinds of pieces that a shader cannot do without.
type neededKinds [abi.NumUniformKinds]bool

func (n *neededKinds) mark(list ...abi.UniformKind) {
	for _, k := range list {
		n[k] = true
	}
}

// needed is the room that a shader must find: what has no other way than a uniform register. Selection
// asks for no more of that (checkNeeded), whatever else fills the registers first.
func needed(s *ir.Shader, impl *ir.Impl) (r room) {
	var n neededKinds
	n.mark(alwaysNeeded...)
	if s.Stage != ir.StageVertex && s.Stage != ir.StageFragment {
		n.mark(computeNeeded...)
	}
	if s.Stage != ir.StageCompute && s.Stage != ir.StageFragment {
		n.mark(vertexNeeded...)
		word := abi.Uniform{Kind: abi.UniformVaryingWord}
		r.add(uniformRank(word.Kind), placedVaryings(s, impl)*((word.Halves()+1)&^1))
	}
	for in := range impl.Instrs() {
		if biasedSampler(in) != nil {
			n.mark(abi.UniformSamplerBiases)
		}
		if in.Kind == ir.KindIntrinsic {
			n.intrinsic(in, s.Stage)
		}
	}
	for i, on := range n {
		if k := abi.UniformKind(i); on && !isOptional(k) {
			u := abi.Uniform{Kind: k, Size: 8 * maxSamples} // the size counts for sample positions alone
			r.add(uniformRank(k), (u.Halves()+1)&^1)
		}
	}
	return r
}

// intrinsic notes what an intrinsic cannot do without.
func (n *neededKinds) intrinsic(in *ir.Instr, stage ir.Stage) {
	switch in.Intr {
	case ir.IntrLoadSysvalAgx:
		if k := in.Get(ir.IdxFlags); k < uint64(len(n)) {
			n[k] = true
		}
	case ir.IntrLoadPushConstant:
		n.mark(abi.UniformPushAddr)
	case ir.IntrLoadConstant:
		n.mark(abi.UniformConstData)
	case ir.IntrLoadViewIndex:
		n.mark(abi.UniformViewIndex)
	case ir.IntrLoadSamplePos, ir.IntrLoadSamplePosOrCenter:
		n.mark(abi.UniformSamplePositions)
	case ir.IntrLoadInputVertex:
		n.mark(abi.UniformMiddleWord)
	case ir.IntrLoadPrimitiveId, ir.IntrLoadInput: // flat, where fragments read them
		if stage == ir.StageFragment {
			n.mark(abi.UniformFirstFan, abi.UniformSlotWritten)
		}
	}
}

// checkNeeded reports pieces that selection could not do without and needed did not count.
func (u *uniforms) checkNeeded() error {
	all, low := u.used.all-u.optional.all, u.used.low-u.optional.low
	if all > u.keep.all || low > u.keep.low {
		return fmt.Errorf("agx: selection took %d halves of uniform registers that it must have, %d of them for addresses; %d and %d were counted", all, low, u.keep.all, u.keep.low)
	}
	return nil
}

// takeBiases asks for the LOD biases of the samplers that the shader names by constants before the preamble
// fills the registers: those without room come from a table, with a load at each use.
func (u *uniforms) takeBiases(impl *ir.Impl) {
	for in := range impl.Instrs() {
		d := biasedSampler(in)
		if d == nil || in.TexSrc(ir.TexSrcBackend1) != nil {
			continue
		}
		known := true
		v, element := resource.Element(d.Def, 0, func(x *ir.Def, stride, sum uint32) uint32 {
			n, ok := x.Const(0)
			known = known && ok
			return sum + uint32(n)*stride
		})
		if known {
			u.take(abi.Uniform{Kind: abi.UniformSamplerBias, Set: v.Set, Binding: v.Binding, Element: element}, baseHalves)
		}
	}
}
