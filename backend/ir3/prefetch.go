package ir3

import (
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// prefetch is a texture operation that the hardware does before the fragment
// shader starts (ir3.md §6.4): its coordinates are
// two neighbouring components of a varying.
type prefetch struct {
	in   *ir.Instr
	slot ir.Slot
	comp int
	val  mach.Value
	ops  []opnd
	meta abi.Prefetch
}

// planPrefetches picks lookups of the first block; short shaders get fewer, as
// the results take registers from the start on.
func (s *isel) planPrefetches() {
	if s.sh.Stage != ir.StageFragment || s.noPush || s.gpu.NoPrefetch && !faults.has(faultPrefetch) {
		return
	}
	limit, n := 2, 0
	for _, b := range s.irBlocks {
		if b == nil {
			continue
		}
		for range b.Instrs() {
			n++
		}
	}
	switch {
	case n >= 70:
		limit = 4
	case n >= 50:
		limit = 3
	}
	for in := range s.irBlocks[0].Instrs() {
		if in.Kind != ir.KindTex || len(s.in.prefetches) == limit {
			continue
		}
		if p, ok := s.prefetchable(in); ok {
			s.in.prefetches = append(s.in.prefetches, p)
		}
	}
	if len(s.in.prefetches) > 0 {
		s.want(abi.IJPerspPixel)
	}
}

func (s *isel) prefetchable(in *ir.Instr) (p prefetch, ok bool) {
	i := in.TexInfo()
	if in.TexOp != ir.TexOpTex || i.Dim != ir.Dim2D || i.IsArray || i.IsShadow || i.IsSparse || i.Aliased || in.Def.BitSize != 32 {
		return p, false
	}
	for _, k := range i.SrcKinds {
		switch k {
		case ir.TexSrcCoord, ir.TexSrcTextureDeref, ir.TexSrcSamplerDeref:
		default:
			return p, false
		}
	}
	tex, smp := in.TexSrc(ir.TexSrcTextureDeref), in.TexSrc(ir.TexSrcSamplerDeref)
	coord := in.TexSrc(ir.TexSrcCoord)
	if tex == nil || smp == nil || coord == nil || i.CoordComponents != 2 || !constDeref(tex.Def) || !constDeref(smp.Def) {
		return p, false
	}
	x, cx := throughVec(coord.Def, 0)
	y, cy := throughVec(coord.Def, 1)
	if x != y || cy != cx+1 {
		return p, false
	}
	slot, comp, ok := s.plainInput(x)
	if !ok {
		return p, false
	}
	t, m := s.resource(in, tex.Def, false), s.resource(in, smp.Def, true)
	if s.err != nil || t.slot.bits > abi.MaxPrefetchSlot || m.slot.bits > abi.MaxPrefetchSlot {
		return p, false
	}
	p = prefetch{in: in, slot: slot, comp: comp + cx}
	p.meta = abi.Prefetch{Set: uint8(t.set), SamplerSet: uint8(m.set), Texture: uint16(t.slot.bits), Sampler: uint16(m.slot.bits), Mask: uint8(in.Def.ComponentsRead())}
	return p, p.meta.Mask != 0
}

// plainInput is the varying, and its first component, that in interpolates in perspective at the pixel's centre; false if it does
// something else.
func (s *isel) plainInput(in *ir.Instr) (slot ir.Slot, comp int, ok bool) {
	switch {
	case in.IsIntrinsic(ir.IntrLoadPointCoord):
		return ir.SlotPointCoord, 0, true
	case !in.IsIntrinsic(ir.IntrLoadInterpolatedInput) || in.Def.BitSize != 32:
		return 0, 0, false
	}
	if k, ok := baryKind(in.Srcs[0].Def.Instr); !ok || k != abi.IJPerspPixel {
		return 0, 0, false
	}
	n, comp, ok := s.ioSlot(in, in.Srcs[1].Def)
	return ir.Slot(n), comp, ok
}

// constDeref reports whether all array indices of a deref are constants.
func constDeref(d *ir.Def) bool {
	in := d.Instr
	for ; in.Kind == ir.KindDeref && in.Deref == ir.DerefArray; in = in.Srcs[0].Def.Instr {
		if _, ok := in.Srcs[1].Def.Const(0); !ok {
			return false
		}
	}
	return in.Kind == ir.KindDeref && in.Deref == ir.DerefVar
}

// throughVec follows component c of d through moves and vectors.
func throughVec(d *ir.Def, c int) (*ir.Instr, int) {
	for {
		in := d.Instr
		switch {
		case in.IsVec():
			d, c = in.Srcs[c].Def, in.Srcs[c].Swizzle.Lane(0)
		default:
			return in, c
		}
	}
}

// prefetched returns the result of a texture operation that was prefetched, or nil.
func (s *isel) prefetched(in *ir.Instr) []opnd {
	for i := range s.in.prefetches {
		if s.in.prefetches[i].in == in {
			return s.in.prefetches[i].ops
		}
	}
	return nil
}

// isPrefetched reports whether a prefetch leaves v.
func (s *isel) isPrefetched(v mach.Value) bool {
	for i := range s.in.prefetches {
		if s.in.prefetches[i].val == v {
			return true
		}
	}
	return false
}

// definePrefetches makes the values that prefetches leave.
func (s *isel) definePrefetches() {
	for i := range s.in.prefetches {
		p := &s.in.prefetches[i]
		n := 0
		for m := p.meta.Mask; m != 0; m >>= 1 {
			n++
		}
		p.val = s.f.NewValue(classFull, n)
		s.in.defs = append(s.in.defs, inputDef{val: p.val, prefetch: i + 1})
	}
}

func (s *isel) splitPrefetches() {
	for i := range s.in.prefetches {
		p := &s.in.prefetches[i]
		parts := s.split(p.val, s.f.Elems(p.val))
		p.ops = s.opnds.Slice(int(p.in.Def.NumComponents))
		for k := range p.ops {
			p.ops[k] = immediate(0, false)
			if p.meta.Mask>>k&1 != 0 {
				p.ops[k] = parts[k]
			}
		}
	}
}

// prefetchSpans are the registers that prefetches are writing when the shader starts.
func (c *compiler) prefetchSpans() []span {
	list := c.mem.early[:0]
	for _, p := range c.meta.Prefetches {
		n := 0
		for m := p.Mask; m != 0; m >>= 1 {
			n++
		}
		if s, ok := operandSpan(isa.R(p.Reg), n); ok {
			list = append(list, s)
		}
	}
	c.mem.early = list
	return list
}

// prefetchesFit reports whether the results of prefetches got registers that
// prefetches can write.
func (c *compiler) prefetchesFit() bool {
	for _, s := range c.prefetchSpans() {
		if (s.unit+s.n-1)/2 > abi.MaxPrefetchReg {
			return false
		}
	}
	return true
}
