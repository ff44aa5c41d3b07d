package ir3

import (
	"math"
	"slices"

	"nirc/backend/ir3/abi"
	"nirc/ir"
	"nirc/passes"
)

// Uniform buffers are read in units of 16 bytes (ir3.md §2.9.5), which lower_ubo_vec4 makes of loads. It leaves those by which
// fibers choose elements of arrays that may be in the const file: that is read by words. Whether an array has room there is known
// when the const file is laid out; loads from arrays that have none become units then, by the same pass, and selection begins again.

// lowerUnits makes units of all loads but those. Constant data is a uniform buffer of the stage's own.
func (c *compiler) lowerUnits() error {
	found := c.uboLoads(func(in *ir.Instr) bool { return in.Intr == ir.IntrLoadUbo || !c.wordsOfData(in) })
	if len(found) == 0 {
		return nil
	}
	for _, in := range found {
		c.wordLoad(in)
	}
	if err := c.opts.Lists.Run(c.s, "ir3_units"); err != nil {
		return err
	}
	if arrays := c.uboLoads(func(in *ir.Instr) bool { return in.Intr == ir.IntrLoadUbo }); len(arrays) > 0 {
		p := &c.mem.sel.pre
		p.Classify(c.impl, p)
		for _, in := range arrays {
			if _, _, ok := constBuffer(in.Srcs[0].Def); !ok || !p.readsInPlace(in) {
				passes.LowerUboVec4(in)
			}
		}
	}
	c.impl.Preserve(ir.MetaControlFlow)
	return nil
}

// lowerLeft makes units of the loads that selection found no place in the const file for.
func (c *compiler) lowerLeft() {
	for _, in := range c.mem.sel.left {
		c.wordLoad(in)
	}
	for _, in := range c.uboLoads(func(in *ir.Instr) bool { return in.Intr == ir.IntrLoadUbo }) {
		if in.Srcs[0].Def.IsConst() || slices.Contains(c.mem.sel.left, in) {
			passes.LowerUboVec4(in)
		}
	}
	c.impl.Preserve(ir.MetaControlFlow)
	c.groups = nil
}

// uboLoads are the loads of uniform buffers and constant data that take takes.
func (c *compiler) uboLoads(take func(*ir.Instr) bool) []*ir.Instr {
	var found []*ir.Instr
	for b := range c.impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind == ir.KindIntrinsic && (in.Intr == ir.IntrLoadUbo || in.Intr == ir.IntrLoadConstant) && take(in) {
				found = append(found, in)
			}
		}
	}
	return found
}

// wordLoad makes loads of words from a buffer of a load of anything from a buffer or of constant data.
func (c *compiler) wordLoad(in *ir.Instr) {
	if in.Intr == ir.IntrLoadConstant {
		in = c.dataBuffer(in)
	}
	if in.Def.BitSize < 32 {
		passes.LoadWords(in)
	}
}

// dataBuffer makes a load from the stage's own buffer, whose handle is its number, of one of constant data.
func (c *compiler) dataBuffer(in *ir.Instr) *ir.Instr {
	b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
	off := in.Srcs[0].Def
	if off.BitSize == 16 {
		off = b.U2u32(off)
	}
	if c, ok := off.Const(0); ok {
		off = b.Imm32(uint32(c + in.Get(ir.IdxBase)))
	} else {
		off = b.IAddImm(off, int64(in.Get(ir.IdxBase)))
	}
	x := b.Intrinsic(ir.IntrLoadUbo, in.Def.NumComponents, in.Def.BitSize, b.Imm32(abi.ConstDataUBO), off)
	x.Set(ir.IdxAccess, in.Get(ir.IdxAccess)).Set(ir.IdxAlignMul, max(1, in.Get(ir.IdxAlignMul))).Set(ir.IdxAlignOffset, in.Get(ir.IdxAlignOffset)).Set(ir.IdxRange, math.MaxUint32)
	in.Def.RewriteUses(&x.Def)
	in.Remove()
	return x
}

// wordsOfData reports whether constant data is read by words, from the const file, relative to a0.x, if it may be there: where nobody knows the
// components that words are in, each would be loaded with the three around it, and chosen.
func (c *compiler) wordsOfData(in *ir.Instr) bool {
	base := in.Get(ir.IdxBase)
	if in.Srcs[0].Def.IsConst() || base&3 != 0 || in.Def.BitSize == 32 && base == 0 && in.Get(ir.IdxAlignMul) >= dataAlign {
		return false
	}
	n := (len(c.s.ConstantData) + 3) / 4
	return n <= maxDataConsts && (!c.gpu.PreambleConsts || n <= maxMadeConsts)
}
