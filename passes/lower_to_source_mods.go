package passes

import "nirc/ir"

var lowerToSourceModsPass = &Pass{
	Name: "lower_to_source_mods", Class: "B", Run: lowerToSourceMods, Idempotent: true, Optional: true,
	Instead: "registers: selection folds modifiers where it chooses the instruction, which knows what each takes; it stays for targets that take the IR's registers",
	Doc: "Folds negations and absolutes of registers into their loads, and saturations into the store that alone takes them: load_reg with legacy_fneg and legacy_fabs (the absolute first), store_reg with legacy_fsat. " +
		"Takes registers, after from_ssa or lower_locals_to_regs; the rest of the modifiers are the selectors' work, which look at the SSA form. lower_regs_to_ssa refuses registers with modifiers.",
	Options: []Option{
		{"sources", "negations and absolutes into loads", true},
		{"dest", "saturations into stores", true},
	},
}

func lowerToSourceMods(c *Context, s *ir.Shader) (bool, error) {
	sources, dest := c.Bool("sources"), c.Bool("dest")
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (progress bool) {
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				switch {
				case sources && (in.IsALU(ir.OpFneg) || in.IsALU(ir.OpFabs)):
					progress = foldIntoLoad(in) || progress
				case dest && (in.IsIntrinsic(ir.IntrStoreReg) || in.IsIntrinsic(ir.IntrStoreRegIndirect)):
					progress = foldIntoStore(in) || progress
				}
			}
		}
		return progress
	}), nil
}

// wholeSource reports whether an operation reads all of its only source in order.
func wholeSource(in *ir.Instr) bool {
	n := int(in.Def.NumComponents)
	return int(in.Srcs[0].Def.NumComponents) == n && in.Srcs[0].Swizzle.Same(ir.IdentitySwizzle, n)
}

// foldIntoLoad folds a negation or absolute into the load that it reads.
func foldIntoLoad(in *ir.Instr) bool {
	load := in.Srcs[0].Def.Instr
	if !load.IsIntrinsic(ir.IntrLoadReg) && !load.IsIntrinsic(ir.IntrLoadRegIndirect) || !wholeSource(in) {
		return false
	}
	if !load.Def.UsedOnce() { // the others go on reading what is there: a load beside it
		load = copyLoad(load)
	}
	if in.Op == ir.OpFabs {
		load.Set(ir.IdxLegacyFabs, 1).Set(ir.IdxLegacyFneg, 0)
	} else {
		load.Set(ir.IdxLegacyFneg, load.Get(ir.IdxLegacyFneg)^1)
	}
	in.Def.RewriteUses(&load.Def)
	in.Remove()
	return true
}

// copyLoad loads a register once more, where load does.
func copyLoad(load *ir.Instr) *ir.Instr {
	var srcs [2]*ir.Def
	for i := range load.Srcs {
		srcs[i] = load.Srcs[i].Def
	}
	c := builderBefore(load).Intrinsic(load.Intr, load.Def.NumComponents, load.Def.BitSize, srcs[:len(load.Srcs)]...)
	c.CopyIndices(load)
	return c
}

// foldIntoStore folds a saturation into the store that alone takes it.
func foldIntoStore(store *ir.Instr) bool {
	sat := store.Srcs[0].Def.Instr
	if !sat.IsALU(ir.OpFsat) || !sat.Def.UsedOnce() || !wholeSource(sat) {
		return false
	}
	store.Set(ir.IdxLegacyFsat, 1)
	store.Srcs[0].Set(sat.Srcs[0].Def)
	sat.Remove()
	return true
}
