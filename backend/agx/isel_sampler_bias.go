package agx

import (
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/ir"
)

// samplerBias is the LOD bias of a sampler: what levels of detail have added, and what explicit
// derivatives are multiplied by; none where the operation has no use for it.
type samplerBias struct{ lod, scale opnd }

// samplerBias finds the bias of a texture operation's sampler, which hardware samplers do not
// have (agx.md §8.7): among the uniforms, or in a table by the sampler's number.
func (s *isel) samplerBias(in *ir.Instr) (b samplerBias) {
	d := biasedSampler(in)
	if d == nil {
		return b
	}
	if w := in.TexSrc(ir.TexSrcBackend1); w != nil {
		b.lod = s.value(s.reg(s.comp(w.Def, 0)))
		if scale := in.TexSrc(ir.TexSrcBackend2); scale != nil {
			b.scale = s.comp(scale.Def, 0)
		}
		return b
	}
	v, index := s.variable(d.Def)
	grad := in.TexOp == ir.TexOpTxd
	if index.kind == opImm {
		u := abi.Uniform{Kind: abi.UniformSamplerBias, Set: v.Set, Binding: v.Binding, Element: index.bits}
		if n, ok := s.uni.take(u, baseHalves); ok {
			b.lod = opnd{kind: opUniform, half: true, bits: n}
			if grad {
				b.scale = opnd{kind: opUniform, bits: n + abi.SamplerBiasScaleHalf}
			}
			return b
		}
	}
	h, err := s.res.samplerEntry(v)
	base, room := s.uni.take(abi.Uniform{Kind: abi.UniformSamplerBiases}, baseHalves)
	if err != nil || !room {
		s.fail(in, "more samplers than uniform registers can tell of are not supported")
		return b
	}
	at := s.scaled(index, h.Stride*abi.SamplerBiasSize/4, imm32(h.First*abi.SamplerBiasSize/4))
	w := s.split(s.load(isa.Instr{Format: isa.FormatI32, Mask: 3, Flags: isa.Unsigned}, address{uniform: true, number: base}, at, classFull, 2), 2)
	b.lod, _ = s.halves(w[0])
	if grad {
		b.scale = w[1]
	}
	return b
}

// biasedSampler is the sampler of an instruction whose levels of detail its bias changes; nil if there is none.
func biasedSampler(in *ir.Instr) *ir.Src {
	if in.Kind != ir.KindTex || in.TexOp == ir.TexOpTxf || in.TexOp == ir.TexOpTxfMs || in.TexOp == ir.TexOpTg4 || faults.has(faultSamplerBias) {
		return nil
	}
	return in.TexSrc(ir.TexSrcSamplerDeref)
}

// notBelow is a level of detail of 16 bits, or the operation's clamp if that is more.
func (s *isel) notBelow(lod opnd, clamp *ir.Src, half func(*ir.Src) opnd) opnd {
	if clamp == nil {
		return lod
	}
	least := half(clamp)
	return s.value(s.compareSelect(isa.Instr{Op: isa.OpFcmpsel, Cond: isa.CondFGTN}, true, lod, least, lod, least))
}

// biased adds a sampler's bias to a level of detail, both 16-bit floats.
func (s *isel) biased(lod opnd, b samplerBias) opnd {
	switch {
	case b.lod.kind == opNone:
		return lod
	case lod.isImm(0):
		return b.lod
	}
	return s.intOp(isa.Instr{Op: isa.OpFadd16}, true, lod, b.lod)
}
