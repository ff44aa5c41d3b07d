package backend

import (
	"fmt"

	"nirc/ir"
)

// StageAccess is what an instruction accesses of the inputs or outputs that a stage has in memory: component
// Comp of a slot, or of one of the Count slots from it on that Index tells, of a vertex or of the patch (nil).
type StageAccess struct {
	Slot, Count   ir.Slot
	Comp          uint32
	Index, Vertex *ir.Def
}

// StageAccessOf reads an input or output intrinsic of a stage between the vertex stage and the rasteriser; why, unless
// it is empty, says what is not supported of it.
func StageAccessOf(in *ir.Instr) (a StageAccess, why string) {
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	off := in.Srcs[len(in.Srcs)-1].Def
	a = StageAccess{Slot: sem.Location, Count: 1, Comp: uint32(in.Get(ir.IdxComponent))}
	if k, constant := off.Const(0); constant {
		a.Slot += ir.Slot(min(k, ir.NumVaryingSlots))
	} else {
		a.Index, a.Count = off, ir.Slot(max(1, sem.NumSlots))
	}
	val := &in.Def
	if !in.HasDef() {
		val = in.Srcs[0].Def
	}
	switch in.Intr {
	case ir.IntrLoadPerVertexInput, ir.IntrLoadPerVertexOutput:
		a.Vertex = in.Srcs[0].Def
	case ir.IntrStorePerVertexOutput:
		a.Vertex = in.Srcs[1].Def
	}
	switch end := a.Slot + a.Count; {
	case end > ir.NumVaryingSlots || (a.Vertex != nil) != (end <= ir.SlotPatch0 && !IsTessLevel(a.Slot)) || a.Index != nil && a.Slot < ir.SlotVar0:
		return a, fmt.Sprintf("%s of slots %d to %d is not supported", in.Intr, a.Slot, end-1)
	case val.BitSize != 32 && val.BitSize != 16 || sem.High16:
		return a, fmt.Sprintf("%s of %d bits is not supported: inputs and outputs must be lowered to words", in.Intr, val.BitSize)
	}
	return a, ""
}

// IsTessLevel reports whether a slot holds tessellation levels.
func IsTessLevel(slot ir.Slot) bool {
	return slot == ir.SlotTessLevelOuter || slot == ir.SlotTessLevelInner
}

// StageWord makes the word in which a value of 16 bits, that in stores, stands between stages.
func StageWord(b *ir.Builder, in *ir.Instr, val *ir.Def) *ir.Def {
	switch {
	case val.BitSize != 16:
		return val
	case ir.UnpackALUType(in.Get(ir.IdxSrcType)).Class == ir.ClassFloat:
		return b.F2f32(val)
	}
	return b.U2u32(val)
}

// FromStageWord makes what in gives of the words that stand between stages.
func FromStageWord(b *ir.Builder, in *ir.Instr, d *ir.Def) *ir.Def {
	switch {
	case in.Def.BitSize != 16:
		return d
	case ir.UnpackALUType(in.Get(ir.IdxDestType)).Class == ir.ClassFloat:
		return b.F2f16(d)
	}
	return b.U2u16(d)
}

// PassedOn returns the vertices of an input primitive of that many that a pass-through geometry shader hands on: those of
// adjacency are for nobody after it. nil: no primitive has so many.
func PassedOn(vertices int) []uint32 {
	switch vertices {
	case 1, 2, 3:
		return []uint32{0, 1, 2}[:vertices]
	case 4:
		return []uint32{1, 2}
	case 6:
		return []uint32{0, 2, 4}
	}
	return nil
}
