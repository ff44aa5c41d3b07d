package ir3

import (
	"math/bits"

	"nirc/backend"
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// registers reads from the operands where inputs and outputs ended up.
func (c *compiler) registers(f *mach.Func) {
	s := c.sel
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			switch in.Op {
			case opInputs:
				for k := range in.Defs() {
					c.input(&s.in.defs[k], &in.Ops[k])
				}
			case machOp(isa.OpEnd):
				c.outputs(f, in)
			}
		}
	}
	if c.s.Stage == ir.StageFragment {
		c.varyings()
	}
}

// outputs notes the registers that the end of the program uses: the outputs that have some, in
// their order.
func (c *compiler) outputs(f *mach.Func, end *mach.Instr) {
	k := 0
	for i, u := range end.Uses() {
		for c.meta.Outputs[k].Registers() == 0 {
			k++
		}
		c.meta.Outputs[k].Reg = regNumber(f.Class(u.Val), int(u.Reg)) + c.sel.out.begin[i]
		k++
	}
}

// varyings lists the slots that a fragment shader reads, and how far they reach.
func (c *compiler) varyings() {
	s := c.sel
	for slot := range s.in.slots {
		i := &s.in.slots[slot]
		if i.mask == 0 {
			continue
		}
		c.meta.Inputs = append(c.meta.Inputs, abi.Input{Slot: ir.Slot(slot), Mask: i.mask, Reg: abi.NoReg, InLoc: i.inLoc, Interp: i.interp, Half: i.half})
		for k := range 4 {
			if i.mask>>k&1 != 0 {
				c.meta.TotalIn = max(c.meta.TotalIn, i.inLoc+k+1)
			}
		}
	}
}

func regNumber(class uint8, unit int) int { return int(regOperand(class, unit).Val) }

func (c *compiler) input(d *inputDef, o *mach.Operand) {
	f := c.sel.f
	if o.Flags&mach.Dead != 0 && o.Flags&mach.Fixed == 0 && !c.rateWants(d) {
		return
	}
	reg := regNumber(f.Class(d.val), int(o.Reg))
	if d.prefetch > 0 {
		p := c.sel.in.prefetches[d.prefetch-1].meta
		p.Reg = reg
		c.meta.Prefetches = append(c.meta.Prefetches, p)
		return
	}
	if d.attrib {
		c.meta.Inputs = append(c.meta.Inputs, abi.Input{Slot: d.slot, Mask: c.sel.in.slots[d.slot].mask, Reg: reg})
		return
	}
	v := c.sel.sysvalMeta(d.sysval)
	v.Reg = reg
	c.meta.Sysvals = append(c.meta.Sysvals, v)
}

// rateWants reports whether a value that nobody reads must arrive for the shading rate to (ir3.md §1.8).
func (c *compiler) rateWants(d *inputDef) bool {
	return d.sysval == abi.SampleMaskIn && c.sel.in.wanted[abi.ShadingRate] && c.gpu.RateWithMask && !faults.has(faultRateMask)
}

// describe fills the metadata that follows from the final code.
func (c *compiler) describe() {
	m := &c.meta
	if m.BranchStack = c.stack; faults.has(faultBranchStack) {
		m.BranchStack = 0
	}
	m.EarlyPreamble = c.phys.early
	m.SharedSize, m.CoherentShared = c.s.SharedSize, c.s.Info.CoherentShared
	m.PrivateSize = uint32(backend.AlignUp(int(c.s.ScratchSize), 512))
	if n := c.sel.f.SpillUnits; n > 0 {
		m.PrivateSize = uint32(backend.AlignUp(c.spillStart+2*n, 512))
	}
	if faults.has(faultPrivateSize) {
		m.PrivateSize = 0
	}
	if c.s.Stage == ir.StageCompute {
		m.WorkgroupSize = c.s.Info.WorkgroupSize
	}
	if len(c.s.Captures) > 0 {
		m.Feedback = &abi.Feedback{Captures: c.s.Captures, Strides: c.s.Info.XfbStrides}
	}
	m.EarlyFragmentTests, m.PostDepthCoverage = c.s.Info.EarlyFragmentTests, c.s.Info.PostDepthCoverage && !faults.has(faultPostDepth)
	m.PerSample = m.PerSample || c.s.Info.SampleInputs
	m.OrderedAttachments = c.orderedAttachments()
	m.FullQuads = c.fullQuads()
	m.NeedsQuads = m.NeedsQuads || c.s.Info.FullQuads
	c.distanceMasks()
	m.PrivatePerFiber = c.privatePerFiber()
	m.LinearDispatch = c.linearDispatch()
	if m.MaxRegs = c.footprint(c.list); faults.has(faultFootprint) {
		m.MaxRegs--
	}
	m.DoubleWave = c.doubleWave()
	c.sel.consts.describe(m, c.gpu)
	m.Consts.Preamble = c.sel.pre.area()
	m.Bindless = c.bindless()
}

// bindless is what the instructions and the prefetches find by sets.
func (c *compiler) bindless() (b abi.Bindless) {
	if faults.has(faultBindless) {
		return b
	}
	for i := range c.list {
		b = b.Or(abi.BindlessOf(&c.list[i].Instr))
	}
	if len(c.meta.Prefetches) > 0 {
		b.Textures, b.Samplers = true, true
	}
	return b
}

// footprint is the number of vec4 registers in use, halves folded in.
func (c *compiler) footprint(list []pinstr) int {
	most := 0
	note := func(s span) {
		if s.unit+s.n <= gprUnits {
			most = max(most, s.unit+s.n)
		}
	}
	var t touch
	for i := range list {
		t.ofAliased(&list[i])
		for _, r := range t.reads {
			note(r)
		}
		for _, w := range t.writes {
			note(w)
		}
	}
	for _, v := range c.meta.Sysvals {
		r := isa.R(v.Reg)
		if v.Kind.Half() {
			r = isa.HR(v.Reg)
		}
		if s, ok := operandSpan(r, v.Count()); ok {
			note(s)
		}
	}
	for _, i := range c.meta.Inputs {
		if i.Reg != abi.NoReg {
			n := 1
			for i.Mask>>n != 0 {
				n++
			}
			if s, ok := operandSpan(isa.R(i.Reg), n); ok {
				note(s)
			}
		}
	}
	for _, s := range c.prefetchSpans() {
		note(s)
	}
	for _, o := range c.meta.Outputs {
		r := isa.R(o.Reg)
		if o.Half {
			r = isa.HR(o.Reg)
		}
		if s, ok := operandSpan(r, bits.Len8(o.Registers())); ok {
			note(s)
		}
	}
	return (most + 7) / 8
}

// distanceMasks says which of the clip and cull distances the stage writes.
func (c *compiler) distanceMasks() {
	m := &c.meta
	m.ClipDistances, m.CullDistances = c.s.Info.ClipDistances, c.s.Info.CullDistances
	if c.s.Stage == ir.StageFragment || m.Chain.Next != ir.StageNone {
		return
	}
	var written uint8
	for i := range m.Outputs {
		if s := m.Outputs[i].Slot; s == ir.SlotClipDist0 || s == ir.SlotClipDist1 {
			written |= m.Outputs[i].Mask << (4 * (s - ir.SlotClipDist0))
		}
	}
	if faults.has(faultDistanceMasks) {
		written = 255
	}
	m.ClipMask = written & (1<<m.ClipDistances - 1)
	m.CullMask = written & (1<<(m.ClipDistances+m.CullDistances) - 1) &^ m.ClipMask
	m.CullMask &^= 1<<m.ClipDistances - 1
}

// privatePerFiber reports whether an access of private memory moves several components.
func (c *compiler) privatePerFiber() bool {
	if c.meta.PrivateSize == 0 || faults.has(faultPrivateLayout) {
		return false
	}
	for i := range c.list {
		if in := &c.list[i].Instr; (in.Op == isa.OpLdp || in.Op == isa.OpStp) && in.Size > 1 {
			return true
		}
	}
	return c.s.Stage != ir.StageCompute // the default of the other stages
}

// fullQuads reports whether the shader asks for whole quads (RequireFullQuads), or an instruction reads the fiber that stands across
// in its quad.
func (c *compiler) fullQuads() bool {
	if c.s.Stage != ir.StageFragment || faults.has(faultFullQuads) {
		return false
	}
	if c.s.Info.FullQuads {
		return true
	}
	for i := range c.list {
		switch c.list[i].Op {
		case isa.OpDsxpp1, isa.OpDsypp1, isa.OpQuadBrcst, isa.OpQuadHoriz, isa.OpQuadVert, isa.OpQuadDiag:
			return true
		}
	}
	return false
}

// linearDispatch reports whether it matters which fibers of a workgroup share a wave: the number
// of a subgroup, or of a fiber in it, is computed from the local id, or fibers exchange values.
func (c *compiler) linearDispatch() bool {
	if c.s.Stage != ir.StageCompute || faults.has(faultDispatchOrder) {
		return false
	}
	if c.sel.numbersFibers || c.s.Info.DerivativeGroup != 0 {
		return true
	}
	for i := preambleEnd(c.list); i < len(c.list); i++ {
		in := &c.list[i].Instr
		if needsHelpers(in) || in.Op == isa.OpGetfiberid {
			return true
		}
	}
	return false
}
