package agx

import (
	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/object"
	"nirc/ir"
	"nirc/passes"
)

// The hardware has no cull distances (agx.md §9.4). The last stage
// before the rasteriser leaves for each of them whether the vertex is inside, as a linear varying: 0 or
// 1 (backend.StoreCullFlags). Where that is 0 at all vertices of a primitive, and only there, its plane
// is 0, and the primitive's fragments drop out.

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
	b.Effect(ir.IntrTerminateIf, culled(b, n))
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
