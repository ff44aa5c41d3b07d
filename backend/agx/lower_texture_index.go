package agx

import (
	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/resource"
	"nirc/ir"
	"nirc/passes"
)

// lowerTextureIndices computes where the descriptors of textures and samplers stand that an index chooses, and loads what their
// sampler adds to levels of detail: where all invocations choose the same, the preamble does it. Operations on the same
// texture share what was computed, as a preamble's result for each would take a uniform, and in ifs a load. Selection
// does it for images, and for queries of textures.
func lowerTextureIndices(s *ir.Shader, impl *ir.Impl, res *resources, lists passes.Lists) error {
	if s.Contents()&ir.HasTex == 0 {
		return nil
	}
	chosen := false
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind != ir.KindTex || !hasTexture(in.TexOp) {
				continue
			}
			if d := in.TexSrc(ir.TexSrcTextureDeref); d != nil && isChosen(d.Def) {
				chosen = true
				b, index, v := chosenElement(in, d.Def)
				h := res.heapRange(v)
				at := b.IAddImm(b.Imul(index, b.Imm32(h.Stride*abi.HeapEntrySize)), int64(h.First*abi.HeapEntrySize))
				s.AddTexSrc(in, ir.TexSrcTextureHandle, at)
			}
			if d := in.TexSrc(ir.TexSrcSamplerDeref); d != nil && isChosen(d.Def) && in.TexOp != ir.TexOpTxf && in.TexOp != ir.TexOpTxfMs {
				chosen = true
				if err := lowerSamplerIndex(s, in, d.Def, res); err != nil {
					return err
				}
			}
		}
	}
	impl.Preserve(ir.MetaControlFlow)
	if !chosen {
		return nil
	}
	return lists.Run(s, "agx_indices")
}

// hasTexture reports whether a texture operation is an instruction with texture and sampler, and no query.
func hasTexture(op ir.TexOp) bool {
	switch op {
	case ir.TexOpTex, ir.TexOpTxb, ir.TexOpTxl, ir.TexOpTxd, ir.TexOpTxf, ir.TexOpTxfMs, ir.TexOpLod, ir.TexOpTg4:
		return true
	}
	return false
}

// isChosen reports whether a deref has an index that is no constant.
func isChosen(d *ir.Def) bool {
	for ; d.Instr.Deref == ir.DerefArray; d = d.Instr.Srcs[0].Def {
		if !d.Instr.Srcs[1].Def.IsConst() {
			return true
		}
	}
	return false
}

// chosenElement computes the element of a deref before in.
func chosenElement(in *ir.Instr, d *ir.Def) (b *ir.Builder, index *ir.Def, v *ir.Variable) {
	b = ir.NewBuilder(ir.Before(in)).AtInstr(in)
	v, list := resource.Texture(d)
	for _, x := range list {
		n := x.Def
		if n.BitSize != 32 {
			n = b.U2u32(n)
		}
		if x.Stride != 1 {
			n = b.Imul(n, b.Imm32(x.Stride))
		}
		if index == nil {
			index = n
		} else {
			index = b.Iadd(index, n)
		}
	}
	return b, index, v
}

// lowerSamplerIndex gives in the number of its sampler in the heap, and the sampler's bias as [samplerBias] has it.
func lowerSamplerIndex(s *ir.Shader, in *ir.Instr, d *ir.Def, res *resources) error {
	b, index, v := chosenElement(in, d)
	h, err := res.samplerEntry(v)
	if err != nil {
		return backend.Refuse(TargetName, s, in, "the sampler %s, which has no state register: %v", v.Name, err)
	}
	s.AddTexSrc(in, ir.TexSrcSamplerHandle, b.IAddImm(b.Imul(index, b.Imm32(h.Stride)), int64(h.First)))
	if in.TexOp == ir.TexOpTg4 || faults.has(faultSamplerBias) {
		return nil
	}
	table := &b.Intrinsic(ir.IntrLoadSysvalAgx, 1, 64).Set(ir.IdxFlags, uint64(abi.UniformSamplerBiases)).Def
	at := b.IAddImm(b.Imul(index, b.Imm32(h.Stride*abi.SamplerBiasSize/4)), int64(h.First*abi.SamplerBiasSize/4))
	words := uint8(1)
	if in.TexOp == ir.TexOpTxd {
		words = 2
	}
	w := &b.Intrinsic(ir.IntrLoadConstantAgx, words, 32, table, at).Set(ir.IdxFormat, uint64(isa.FormatI32)).Def
	s.AddTexSrc(in, ir.TexSrcBackend1, b.Unpack32_2x16SplitX(b.Channel(w, 0)))
	if words == 2 {
		s.AddTexSrc(in, ir.TexSrcBackend2, b.Channel(w, 1))
	}
	return nil
}
