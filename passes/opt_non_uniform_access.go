package passes

import (
	"nirc/ir"
	"nirc/passes/analysis"
)

var optNonUniformAccessPass = &Pass{
	Name:       "opt_non_uniform_access",
	Class:      "B",
	For:        ir.HasTex | ir.HasMarks,
	Doc:        "Takes the mark non_uniform off accesses to resources whose index is the same in all lanes, by the divergence analysis, so that no loop over the lanes is made of them.",
	Run:        implPass(ir.MetaControlFlow|ir.MetaDivergence|ir.MetaLoops|ir.MetaLiveness, optNonUniformAccess),
	Optional:   true,
	Idempotent: true,
}

func optNonUniformAccess(impl *ir.Impl) (progress bool) {
	analysed := false
	for blk := range impl.Blocks() {
		for in := blk.First(); in != nil; in = in.Next() { // few shaders have any such marks: what looks for them is short
			switch in.Kind {
			case ir.KindTex:
				if t := in.TexInfo(); t.TextureNonUniform || t.SamplerNonUniform {
					analysed = requireDivergence(impl, analysed)
					progress = uniformTex(in) || progress
				}
			case ir.KindIntrinsic:
				if a := ir.Access(in.Get(ir.IdxAccess)); a&ir.AccessNonUniform != 0 && bufferHandle(in) != nil {
					analysed = requireDivergence(impl, analysed)
					progress = uniformAccess(in, a) || progress
				}
			}
		}
	}
	return progress
}

// uniformAccess takes the mark off an access with marks a whose buffer or image is the same in all lanes.
func uniformAccess(in *ir.Instr, a ir.Access) bool {
	if !sameInLanes(bufferHandle(in).Def) {
		return false
	}
	in.Set(ir.IdxAccess, uint64(a&^ir.AccessNonUniform))
	return true
}

// requireDivergence analyses an impl unless that is done.
func requireDivergence(impl *ir.Impl, analysed bool) bool {
	if !analysed {
		analysis.RequireDivergence(impl)
	}
	return true
}

// sameInLanes reports whether a handle, or all indices of a deref chain, are
// the same in all lanes.
func sameInLanes(d *ir.Def) bool {
	x := derefOf(d)
	if x == nil {
		return !d.Divergent
	}
	for ; x != nil; x = derefParent(x) {
		for i := range x.Srcs {
			if s := x.Srcs[i].Def; derefOf(s) == nil && s.Divergent {
				return false
			}
		}
	}
	return true
}

func uniformTex(in *ir.Instr) (progress bool) {
	t := in.TexInfo()
	for i, k := range t.SrcKinds {
		switch k {
		case ir.TexSrcTextureDeref, ir.TexSrcTextureOffset, ir.TexSrcTextureHandle:
			if second := in.TexSrc(ir.TexSrcTexture2Deref); t.TextureNonUniform && sameInLanes(in.Srcs[i].Def) && (second == nil || sameInLanes(second.Def)) {
				t.TextureNonUniform, progress = false, true
			}
		case ir.TexSrcSamplerDeref, ir.TexSrcSamplerOffset, ir.TexSrcSamplerHandle:
			if t.SamplerNonUniform && sameInLanes(in.Srcs[i].Def) {
				t.SamplerNonUniform, progress = false, true
			}
		}
	}
	return progress
}
