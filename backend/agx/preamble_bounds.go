package agx

import (
	"math"

	"nirc/ir"
)

// What the preamble reads by an index has to be mapped even where no invocation has that index: behind an if that is not
// taken, and in a draw that shades nothing, for which the hardware may run the preamble too (agx.md §11.1).

// chosenByIndex reports whether an index chooses the descriptor that an instruction reads.
func chosenByIndex(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindTex:
		for i, k := range in.TexInfo().SrcKinds {
			if k == ir.TexSrcTextureDeref && !fixedDeref(in.Srcs[i].Def.Instr) {
				return true
			}
		}
	case ir.KindIntrinsic:
		switch in.Intr {
		case ir.IntrImageDerefSize, ir.IntrImageDerefLevels, ir.IntrImageDerefSamples:
			return !fixedDeref(in.Srcs[0].Def.Instr)
		}
		return choosesBuffer(in)
	}
	return false
}

// partiallyBound reports whether a descriptor that a lookup reads may be missing where no invocation comes by (the layout's partially_bound);
// one that the shader names is good otherwise (VUID-vkCmdDispatch-None-08114).
func (p *preamble) partiallyBound(in *ir.Instr) bool {
	for i, k := range in.TexInfo().SrcKinds {
		if k != ir.TexSrcTextureDeref && k != ir.TexSrcSamplerDeref {
			continue
		}
		d := in.Srcs[i].Def.Instr
		for d.Kind == ir.KindDeref && d.Deref == ir.DerefArray {
			d = d.Srcs[0].Def.Instr
		}
		if d.Kind != ir.KindDeref || d.Deref != ir.DerefVar {
			continue
		}
		if v := d.DerefInfo().Var; p.layout.PartiallyBound(v.Set, v.Binding) {
			return !faults.has(faultPartiallyBound)
		}
	}
	return false
}

// goodEarly reports whether the preamble can read what in reads although nothing may be shaded: compute shaders ask whether there are
// workgroups; in draws no index may choose a descriptor (buffers by index are as pointers, which count on soft faults), or the layer, level or sample of a texel, for which the descriptor has no bound. Offsets
// have bounds, which Copied sees to.
func (p *preamble) goodEarly(in *ir.Instr) bool {
	if p.s.Stage == ir.StageCompute || faults.has(faultEmptyDraw) {
		return true
	}
	if in.Kind == ir.KindTex && (p.partiallyBound(in) || isFetch(in) && !fetchesBounded(in)) {
		return false
	}
	return !chosenByIndex(in) || !p.s.Options.HardFaults && choosesBuffer(in)
}

// choosesBuffer reports whether an index chooses the buffer that an instruction reads, or reads the size of: what it leads to is in
// memory, where a pointer of the application could lead as well. Texture units fault in earnest.
func choosesBuffer(in *ir.Instr) bool {
	if in.Kind != ir.KindIntrinsic {
		return false
	}
	switch in.Intr {
	case ir.IntrLoadUbo, ir.IntrLoadSsbo, ir.IntrGetUboSize, ir.IntrGetSsboSize:
		return !in.Srcs[0].Def.IsConst()
	}
	return false
}

// readsPointers reports whether a preamble loads by pointers of the application, or from buffers that an index chooses: in a draw that
// shades nothing those that lead nowhere give 0
// where soft faults are on, as they are by default (the kernel's parameter fault_control, 0xb, which is macOS' value; agx.md §7.1).
func readsPointers(pre *ir.Shader) bool {
	for b := range pre.Entry().Impl.Blocks() {
		for in := range b.Instrs() {
			if in.IsIntrinsic(ir.IntrLoadGlobal) || choosesBuffer(in) {
				return true
			}
		}
	}
	return false
}

// fetchesBounded reports whether only coordinates for which the descriptor has bounds choose what a fetch reads, besides constants; of samples
// those that each multisampled texture has.
func fetchesBounded(in *ir.Instr) bool {
	if in.TexInfo().IsArray {
		return false
	}
	if ms := in.TexSrc(ir.TexSrcMsIndex); ms != nil {
		n, ok := ms.Def.Const(0)
		return ok && n < leastSamples
	}
	lod := in.TexSrc(ir.TexSrcLod)
	return lod == nil || lod.Def.IsConst()
}

// bound holds the offset of the preamble's copy of a load within what the load reads from. Where a buffer has no room for the load,
// that is its start: drivers bind no buffer that begins where nothing is mapped.
func (p *preamble) bound(b *ir.Builder, c *ir.Instr) {
	k, size := p.extent(b, c)
	if size == nil || c.Srcs[k].Def.IsConst() || faults.has(faultEmptyDraw) {
		return
	}
	need := uint32(c.Def.NumComponents) * uint32(c.Def.BitSize) / 8
	if c.Intr == ir.IntrLoadConstantAgx {
		need /= 4 // its offset counts words
	}
	var last *ir.Def
	if n, ok := size.Const(0); ok {
		last = b.Imm32(uint32(max(n, uint64(need))) - need)
	} else {
		least := b.Imm32(need)
		last = b.Isub(b.Umax(size, least), least)
	}
	c.Srcs[k].Set(b.Umin(c.Srcs[k].Def, last))
}

// extent makes the size of what a load reads from by an offset, its source k, in what the offset counts; nil where accesses have bounds anyway, or stand only where they are good.
func (p *preamble) extent(b *ir.Builder, c *ir.Instr) (k int, size *ir.Def) {
	r, draws := &p.s.Options.Robust, p.s.Stage != ir.StageCompute
	switch {
	case c.Kind != ir.KindIntrinsic:
	case c.Intr == ir.IntrLoadUbo && r.Uniform == ir.RobustOff:
		return 1, sizeBefore(b, c, ir.IntrGetUboSize)
	case c.Intr == ir.IntrLoadSsbo && r.Storage == ir.RobustOff && draws:
		return 1, sizeBefore(b, c, ir.IntrGetSsboSize)
	case c.Intr == ir.IntrLoadConstant && draws:
		return 0, b.Imm32(uint32(len(p.s.ConstantData)) - uint32(c.Get(ir.IdxBase)))
	case c.Intr == ir.IntrLoadPushConstant && c.Get(ir.IdxRange) < math.MaxUint32:
		return 0, b.Imm32(uint32(c.Get(ir.IdxRange)))
	case c.Intr == ir.IntrLoadConstantAgx && draws:
		return 1, b.Imm32(p.biasWords)
	}
	return 0, nil
}

// sizeBefore asks for the size of the buffer that a load with an offset reads.
func sizeBefore(b *ir.Builder, load *ir.Instr, size ir.Intrinsic) *ir.Def {
	if load.Srcs[1].Def.IsConst() {
		return nil
	}
	return &b.Intrinsic(size, 1, 32, load.Srcs[0].Def).Def
}
