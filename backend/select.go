package backend

import (
	"nirc/ir"
)

// Components gathers what stands for the sources of a vector or a move,
// component by component of its result. Each component is parts of T; at gives
// part k of a value, counted through all of its components.
func Components[T any](in *ir.Instr, parts int, at func(d *ir.Def, k int) T) []T {
	n := int(in.Def.NumComponents)
	list := make([]T, 0, n*parts)
	for c := range n {
		src, lane := &in.Srcs[0], c
		if len(in.Srcs) > 1 {
			src, lane = &in.Srcs[c], 0
		}
		for k := range parts {
			list = append(list, at(src.Def, src.Swizzle.Lane(lane)*parts+k))
		}
	}
	return list
}

// OnlySaturated reports whether the one use of a result is an fsat, which the
// instruction can do itself.
func OnlySaturated(in *ir.Instr) bool {
	if !in.Def.UsedOnce() {
		return false
	}
	u := in.Def.FirstUse()
	return u.Instr != nil && u.Instr.IsALU(ir.OpFsat)
}

// Runs calls f for each run of consecutive components in a write mask.
func Runs(mask uint64, f func(first, n int)) {
	for c := 0; mask>>c != 0; c++ {
		if mask>>c&1 == 0 {
			continue
		}
		n := 1
		for mask>>(c+n)&1 != 0 {
			n++
		}
		f(c, n)
		c += n
	}
}

// LoopDepth is the number of loops around a block.
func LoopDepth(b *ir.Block) int32 {
	n := int32(0)
	for l := ir.EnclosingLoop(b); l != nil; l = ir.EnclosingLoop(l) {
		n++
	}
	return n
}

// Parts is the number of 32-bit registers, or pieces of such, that one component of a value takes.
func Parts(d *ir.Def) int {
	if d.BitSize == 64 {
		return 2
	}
	return 1
}

// ConstPart is part k, counted through all components, of a constant.
func ConstPart(d *ir.Def, k int) uint32 {
	v := d.Instr.Imm[k/Parts(d)]
	if d.BitSize == 64 && k&1 != 0 {
		v >>= 32
	}
	return uint32(v)
}

// IOSlot returns slot and first component of an input or output access whose
// offset is the constant off, or an error that says why it cannot be selected.
func IOSlot(in *ir.Instr, off *ir.Def) (slot, comp int, err error) {
	c, ok := off.Const(0)
	if !ok {
		return 0, 0, ir.Unsupportedf("%s with an indirect slot is not supported: it must be lowered", in.Intr)
	}
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	slot, comp = int(sem.Location)+int(c), int(in.Get(ir.IdxComponent))
	if slot >= ir.NumVaryingSlots || comp+max(int(in.Def.NumComponents), 1) > 4 {
		return 0, 0, ir.Unsupportedf("%s of slot %d, components from %d on, is not supported", in.Intr, slot, comp)
	}
	return slot, comp, nil
}

// IOStore is a store to components of an output slot.
type IOStore struct {
	Slot  ir.Slot
	Comp  int   // the first component that may be written
	Index uint8 // 1: the second source of dual-source blending
	Value *ir.Def
	mask  uint64
}

// NewIOStore takes a store_output apart, or gives an error that says why it cannot be selected.
func NewIOStore(in *ir.Instr) (IOStore, error) {
	val := in.Srcs[0].Def
	slot, comp, err := IOSlot(in, in.Srcs[1].Def)
	if err == nil && val.BitSize != 32 && val.BitSize != 16 {
		err = ir.Unsupportedf("outputs of %d bits are not supported: they must be lowered to 32 bits", val.BitSize)
	}
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	return IOStore{ir.Slot(slot), comp, sem.DualSourceIndex, val, in.Get(ir.IdxWriteMask)}, err
}

// Written yields the components of Value that are stored.
func (st *IOStore) Written(yield func(c int) bool) {
	for c := range int(st.Value.NumComponents) {
		if st.mask>>c&1 != 0 && !yield(c) {
			return
		}
	}
}

// AlignUp returns the least multiple of a that is not below n.
func AlignUp(n, a int) int { return (n + a - 1) / a * a }
