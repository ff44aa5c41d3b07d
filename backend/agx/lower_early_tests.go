package agx

import (
	"nirc/backend/agx/abi"
	"nirc/ir"
)

// lowerEarlyTests says when a fragment shader's samples are tested (agx.md §9.2). Fixed functions
// test before a shader that does nothing about it. With side effects and no early tests asked
// for, written depths, the samples' own, keep hardware from skipping the shader. With early
// tests and anything that would test late, the shader tests first; what it discards from then
// on and the sample mask that it writes only mask its colours, and its depth is dropped.
func (c *compiler) lowerEarlyTests() error {
	if c.s.Stage != ir.StageFragment || c.opts.Part == abi.PartProlog || c.opts.Part == abi.PartEpilog {
		return nil
	}
	e := &earlyTests{impl: c.impl}
	for in := range c.impl.Instrs() {
		if in.Kind != ir.KindIntrinsic {
			continue
		}
		e.scan(in)
	}
	if !c.s.Info.EarlyFragmentTests {
		switch {
		case !e.writes || e.depth || faults.has(faultSideEffects):
		case perSampleShader(c.s, c.impl):
			e.keepDepth()
		default:
			c.meta.KeepDepth = true
		}
		return nil
	}
	if !e.writes && !e.depth && len(e.masks)+len(e.discards)+len(e.stencils) == 0 || faults.has(faultEarlyTests) {
		return nil
	}
	c.testsFirst = true
	e.maskStores()
	c.impl.Preserve(ir.MetaNone)
	return c.opts.lists().Run(c.s, "agx_geometry")
}

// earlyTests is that lowering under way.
type earlyTests struct {
	impl                              *ir.Impl
	writes, depth                     bool
	discards, masks, stencils, depths []*ir.Instr
	helpers                           []*ir.Instr
	alive                             *ir.Variable
}

func (e *earlyTests) scan(in *ir.Instr) {
	switch in.Intr {
	case ir.IntrDemote, ir.IntrDemoteIf, ir.IntrTerminate, ir.IntrTerminateIf:
		e.discards = append(e.discards, in)
	case ir.IntrIsHelperInvocation, ir.IntrLoadHelperInvocation:
		e.helpers = append(e.helpers, in)
	case ir.IntrStoreOutput:
		switch ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location {
		case ir.SlotDepth:
			e.depth, e.depths = true, append(e.depths, in)
		case ir.SlotStencil:
			e.stencils = append(e.stencils, in)
		case ir.SlotSampleMask:
			e.masks = append(e.masks, in)
		}
	default:
		e.writes = e.writes || writesMemory(in.Intr)
	}
}

// storeResult stores a result of one component.
func storeResult(b *ir.Builder, slot ir.Slot, class ir.TypeClass, v *ir.Def) {
	sem := ir.IOSemantics{Location: slot, NumSlots: 1}
	b.Effect(ir.IntrStoreOutput, v, b.Imm32(0)).Set(ir.IdxWriteMask, 1).Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxRange, 1).
		Set(ir.IdxSrcType, ir.ALUType{Class: class, Bits: 32}.Pack())
}

// keepDepth writes the depth of the sample that the shader runs for; of a pixel with several the
// epilog writes each sample's.
func (e *earlyTests) keepDepth() {
	b := ir.NewBuilder(ir.AtStart(e.impl.Start()))
	z := &b.Intrinsic(ir.IntrLoadFragCoordZw, 1, 32).Set(ir.IdxComponent, 2).Def
	storeResult(b, ir.SlotDepth, ir.ClassFloat, z)
	e.impl.Preserve(ir.MetaControlFlow)
}

// maskStores makes a sample mask, which the epilog's stores obey, of discards and of the
// sample mask that the shader writes.
func (e *earlyTests) maskStores() {
	for _, in := range append(e.depths, e.stencils...) {
		in.Remove()
	}
	if len(e.discards)+len(e.masks) == 0 {
		return
	}
	e.alive = e.impl.NewLocal(ir.ScalarType(ir.BaseUint, 32), "alive")
	b := ir.NewBuilder(ir.AtStart(e.impl.Start()))
	b.StoreVar(e.alive, b.Imm32(samplesAll), 1)
	storeResult(b, ir.SlotSampleMask, ir.ClassInt, b.Imm32(samplesAll))
	for _, in := range e.discards {
		e.discard(in)
	}
	for _, in := range e.masks {
		b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
		m := in.Srcs[0].Def
		if m.BitSize == 16 {
			m = b.U2u32(m)
		}
		storeResult(b, ir.SlotSampleMask, ir.ClassInt, b.Iand(b.LoadVar(e.alive), m))
		in.Remove()
	}
	for _, in := range e.helpers {
		b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
		h := b.Intrinsic(in.Intr, in.Def.NumComponents, in.Def.BitSize).CopyIndices(in)
		gone := b.Ieq(b.LoadVar(e.alive), b.Imm32(0))
		in.Def.RewriteUses(b.Ior(&h.Def, gone))
		in.Remove()
	}
}

// discard masks the invocation's colours, and ends it if it terminates.
func (e *earlyTests) discard(in *ir.Instr) {
	b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
	gone := func() {
		b.StoreVar(e.alive, b.Imm32(0), 1)
		storeResult(b, ir.SlotSampleMask, ir.ClassInt, b.Imm32(0))
	}
	switch in.Intr {
	case ir.IntrDemoteIf, ir.IntrTerminateIf:
		i := b.PushIf(in.Srcs[0].Def)
		gone()
		if in.Intr == ir.IntrTerminateIf {
			b.Jump(ir.JumpHalt)
		}
		b.PopIf(i)
	default:
		gone()
	}
	in.Remove()
}
