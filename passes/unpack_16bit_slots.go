package passes

import (
	"fmt"

	"nirc/ir"
)

var unpack16BitSlotsPass = &Pass{
	Name: "unpack_16bit_slots", Class: "B", Run: unpack16BitSlots, Idempotent: true,
	Instead: "linking: no stage packs two varyings into a component unless it is linked so",
	Doc: "Gives 16-bit varyings in the upper halves of components (high16 of io_semantics) slots of their own, a given distance after those that they share with lower halves: " +
		"for hardware whose components hold one value each. Takes the intrinsics of lower_io. The stages on both sides must be given the same distance; " +
		"a slot that is not there or in use otherwise is an error.",
	Options: []Option{
		{"modes", "shader_in, shader_out or both", ir.ModeShaderIn | ir.ModeShaderOut},
		{"distance", "slots from a shared one to that of the upper halves", 16},
	},
}

func unpack16BitSlots(c *Context, s *ir.Shader) (progress bool, err error) {
	modes, distance := c.Modes("modes"), c.Int("distance")
	var used [2]slotSet // by accesses that stay
	eachIO(s, func(in *ir.Instr, mode ir.Mode) {
		if sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)); !sem.High16 {
			used[ioSide(mode)].add(sem)
		}
	})
	eachIO(s, func(in *ir.Instr, mode ir.Mode) {
		sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
		if !sem.High16 || mode&modes == 0 || err != nil || !isUserVarying(s.Stage, sem, mode) {
			return
		}
		at := int(sem.Location) + distance
		if distance < 1 || at+max(int(sem.NumSlots), 1) > int(ir.SlotPatch0) {
			err = diag(s, in, fmt.Sprintf("no slot %d after that of the upper halves", distance))
			return
		}
		sem.High16, sem.Location = false, ir.Slot(at)
		if used[ioSide(mode)].meets(sem) {
			err = diag(s, in, fmt.Sprintf("the slot %d after that of the upper halves is in use", distance))
			return
		}
		in.Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxBase, in.Get(ir.IdxBase)+uint64(distance))
		progress = true
	})
	return progress, err
}

// isUserVarying tells a slot that the shader's author declared between two stages.
func isUserVarying(stage ir.Stage, sem ir.IOSemantics, mode ir.Mode) bool {
	if stage == ir.StageVertex && mode == ir.ModeShaderIn || stage == ir.StageFragment && mode == ir.ModeShaderOut {
		return false
	}
	return sem.Location >= ir.SlotVar0 && sem.Location < ir.SlotPatch0
}
