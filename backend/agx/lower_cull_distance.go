package agx

import (
	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/object"
	"nirc/ir"
	"nirc/passes"
)

// The hardware has no cull distances (agx.md §9.4). The last stage
// before the rasteriser leaves for each of them whether it culls, as a linear varying: 0 or
// 1. Where that is 0 at all vertices of a primitive, and only there, its plane
// is 0, and the primitive's fragments drop out.

// storeCullDistances adds those varyings to a vertex stage and returns their number: that of the
// last distance that is stored, for GLSL declares one that nobody may ask for.
func storeCullDistances(s *ir.Shader, impl *ir.Impl) (n int) {
	if s.Info.CullDistances == 0 || s.Stage != ir.StageVertex {
		return 0
	}
	var stored [8]bool
	for _, in := range backend.Intrinsics(impl) {
		first, ok := cullStore(in)
		if !ok {
			continue
		}
		b := ir.NewBuilder(ir.After(in)).AtInstr(in)
		d := in.Srcs[0].Def
		parts := make([]*ir.Def, d.NumComponents)
		for c := range parts {
			parts[c] = b.B2f32(b.Fge(b.Channel(d, c), b.ImmFloat(0, d.BitSize)))
			if k := first + c; k < len(stored) && in.Get(ir.IdxWriteMask)>>c&1 != 0 {
				stored[k], n = true, max(n, k+1)
			}
		}
		storeCull(b, first, in.Get(ir.IdxWriteMask), b.Vec(parts...))
	}
	b := ir.NewBuilder(ir.AtStart(impl.Start()))
	for k := range n {
		if !stored[k] { // it culls nothing
			storeCull(b, k, 1, b.ImmFloat(1, 32))
		}
	}
	impl.Preserve(ir.MetaControlFlow)
	return n
}

// cullStore reports whether an intrinsic stores cull distances, and from which one on.
func cullStore(in *ir.Instr) (first int, ok bool) {
	if in.Intr != ir.IntrStoreOutput || in.Srcs[0].Def.Instr.Kind == ir.KindUndef {
		return 0, false
	}
	off, ok := in.Srcs[1].Def.Const(0)
	slot := uint64(ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location) + off
	ok = ok && (slot == uint64(ir.SlotCullDist0) || slot == uint64(ir.SlotCullDist1))
	return int(slot-uint64(ir.SlotCullDist0))*4 + int(in.Get(ir.IdxComponent)), ok
}

// storeCull stores what stands for cull distances from one on.
func storeCull(b *ir.Builder, first int, mask uint64, v *ir.Def) {
	sem := ir.IOSemantics{Location: abi.CullSlot0 + ir.Slot(first/4), NumSlots: 1}
	b.Intrinsic(ir.IntrStoreOutput, 0, 0, v, b.Imm32(0)).Set(ir.IdxWriteMask, mask).Set(ir.IdxComponent, uint64(first%4)).
		Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxRange, 1).Set(ir.IdxSrcType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack())
}

// culled is the condition that one of n cull distances culls the fragment's primitive.
func culled(b *ir.Builder, n int) *ir.Def {
	var any *ir.Def
	for k := range n {
		sem := ir.IOSemantics{Location: abi.CullSlot0 + ir.Slot(k/4), NumSlots: 1}
		plane := &b.Intrinsic(ir.IntrLoadCoefficientsAgx, 3, 32, b.Imm32(0)).Set(ir.IdxComponent, uint64(k%4)).
			Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxInterpMode, uint64(ir.InterpNoPerspective)).Def
		zero := func(c int) *ir.Def { return b.Feq(b.Channel(plane, c), b.ImmFloat(0, 32)) }
		out := b.Iand(b.Iand(zero(0), zero(1)), zero(2))
		if any != nil {
			out = b.Ior(any, out)
		}
		any = out
	}
	return any
}

// cullFragments drops the fragments of culled primitives out of a whole program.
func cullFragments(s *ir.Shader, impl *ir.Impl, n int, lists passes.Lists) error {
	if n == 0 || s.Stage != ir.StageFragment {
		return nil
	}
	if s.Info.EarlyFragmentTests {
		return backend.Refuse(TargetName, s, nil, errEarlyCull)
	}
	b := ir.NewBuilder(ir.AtStart(impl.Start()))
	b.Intrinsic(ir.IntrTerminateIf, 0, 0, culled(b, n))
	impl.Preserve(ir.MetaControlFlow)
	return lists.Run(s, "agx_handles")
}

// errEarlyCull: the tests would change depth and stencil before the shader drops the fragment.
const errEarlyCull = "early fragment tests with cull distances are not supported"

// CullProgram compiles the fragment program of pipelines that have none of their own, but n
// cull distances.
func (t Target) CullProgram(gpu string, n int) (*object.Object, error) {
	s, _ := newPart(ir.StageFragment, "cull")
	bin, err := compilePart(s, CompileOptions{GPU: gpu, Job: t.job(), CullDistances: n})
	if err != nil {
		return nil, err
	}
	return partObject(gpu, s.Name, s.Stage, bin)
}
