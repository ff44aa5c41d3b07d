package passes

import "nirc/ir"

var lowerVecToRegsPass = &Pass{
	Name: "lower_vec_to_regs", Class: "A", Run: implPass(ir.MetaControlFlow, lowerVecToRegs), Idempotent: true,
	Instead: "registers: vectors are made in machine form, where the allocator gives components neighbours (collect, which ir3 and AGX need for vectors of scalars too) or masks (midgard); it stays for targets that take the IR's registers",
	Doc:     "Turns vecN into masked stores to a register, folded into the instructions that make the channels.",
}

// lowerVecToRegs turns vecN into a register with one masked store for each
// distinct source, folded into the source's instruction where that is made
// for the vector only.
func lowerVecToRegs(impl *ir.Impl) (progress bool) {
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.IsVec() {
				vecToReg(in)
				progress = true
			}
		}
	}
	return progress
}

func vecToReg(vec *ir.Instr) {
	b := builderBefore(vec)
	n := int(vec.Def.NumComponents)
	reg := b.DeclReg(vec.Def.NumComponents, vec.Def.BitSize, 0)
	reg.Instr.Set(ir.IdxDivergent, boolBits(vec.Def.Divergent))
	done := uint64(0)
	for i := 0; i < n; i++ {
		src := vec.Srcs[i].Def
		if done>>i&1 != 0 || src.IsUndef() {
			continue
		}
		mask := uint64(0)
		swz := ir.Broadcast(vec.Srcs[i].Swizzle.Lane(0))
		for k := i; k < n; k++ {
			if vec.Srcs[k].Def == src {
				mask |= 1 << k
				swz = swz.With(k, vec.Srcs[k].Swizzle.Lane(0))
			}
		}
		done |= mask
		if widenForVec(vec, src, swz, mask) {
			ir.NewBuilder(ir.After(src.Instr)).StoreReg(reg, src, uint16(mask))
			for k := range vec.Srcs {
				if vec.Srcs[k].Def == src {
					vec.Srcs[k].Set(nil)
				}
			}
			continue
		}
		mov := b.Shader.NewALU(ir.OpMov, vec.Def.NumComponents, vec.Def.BitSize, src)
		mov.Srcs[0].Swizzle = swz
		b.Insert(mov)
		b.StoreReg(reg, &mov.Def, uint16(mask))
	}
	load := b.LoadReg(reg)
	vec.Def.RewriteUses(load)
	vec.Remove()
}

// widenForVec makes src's instruction as wide as the vector with its channels
// in place, if it is a per-component ALU instruction of the vector's block
// that nothing else uses.
func widenForVec(vec *ir.Instr, src *ir.Def, swz ir.Swizzle, mask uint64) bool {
	in := src.Instr
	if in.Kind != ir.KindALU || in.Block != vec.Block || in.IsVec() || in.Op.Info().Horizontal() {
		return false
	}
	for u := src.FirstUse(); u != nil; u = u.NextUse() {
		if u.Instr != vec {
			return false
		}
	}
	n := int(vec.Def.NumComponents)
	for i := range in.Srcs {
		old := in.Srcs[i].Swizzle
		for k := 0; k < n; k++ {
			in.Srcs[i].Swizzle = in.Srcs[i].Swizzle.With(k, old.Lane(swz.Lane(k)))
		}
	}
	src.NumComponents = vec.Def.NumComponents
	return true
}
