package agx

import (
	"fmt"

	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/object"
	"nirc/ir"
)

// slotComponents is the number of components of a slot that mean something to fixed functions or to
// other stages.
func slotComponents(m *abi.Meta, slot ir.Slot) int {
	at := func(n uint8, first ir.Slot) int { return min(4, max(1, int(n)-4*int(slot-first))) }
	switch slot {
	case ir.SlotPointSize, ir.SlotLayer, ir.SlotViewport, ir.SlotPrimitiveID:
		return 1
	case ir.SlotClipDist0, ir.SlotClipDist1:
		return at(m.ClipDistances, ir.SlotClipDist0)
	case ir.SlotCullDist0, ir.SlotCullDist1:
		return at(m.CullDistances, ir.SlotCullDist0)
	}
	return 4
}

// PassThrough compiles the geometry shader that a driver puts after the last stage of a
// pipeline without one when it has transform feedback, which the geometry path alone writes (the
// agx.md §11.6). last is that stage, compiled for geometry after it,
// size the number of vertices of an input primitive, those of adjacency included.
func (t Target) PassThrough(last *object.Object, size int) (*object.Object, error) {
	var m abi.Meta
	if err := backend.Meta(TargetName, last, &m); err != nil {
		return nil, err
	}
	vertices := backend.PassedOn(size)
	switch {
	case m.Next != ir.StageGeometry:
		return nil, fmt.Errorf("agx: %s is not compiled for a geometry shader after it", last.Entry)
	case vertices == nil:
		return nil, ir.Unsupportedf("agx: primitives of %d vertices are not supported", size)
	}
	s, b := newPart(ir.StageGeometry, "pass_through")
	s.Info.Geom = ir.GeomInfo{Invocations: 1, MaxVertices: uint32(len(vertices)), InPrimitive: uint8(size), OutPrimitive: uint8(len(vertices) - 1)}
	s.Info.ClipDistances, s.Info.CullDistances = m.ClipDistances, m.CullDistances
	if f := m.Feedback; f != nil {
		s.Captures, s.Info.XfbStrides = f.Captures, f.Strides
	}
	for k, starts := range m.RecordStarts {
		declareOutputs(s, m.Record[k], starts)
	}
	id := &b.Intrinsic(ir.IntrLoadPrimitiveId, 1, 32).Def
	word := ir.ALUType{Class: ir.ClassUint, Bits: 32}.Pack()
	store := func(slot ir.Slot, v *ir.Def, first int) {
		sem := ir.IOSemantics{Location: slot, NumSlots: 1}
		b.Effect(ir.IntrStoreOutput, v, b.Imm32(0)).Set(ir.IdxWriteMask, 1<<v.NumComponents-1).Set(ir.IdxComponent, uint64(first)).
			Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxRange, 1).Set(ir.IdxSrcType, word)
	}
	for _, v := range vertices {
		store(ir.SlotPrimitiveID, id, 0) // unless the stage gives one
		for _, slot := range m.Record {
			sem := ir.IOSemantics{Location: slot, NumSlots: 1}
			in := b.Intrinsic(ir.IntrLoadPerVertexInput, 4, 32, b.Imm32(v), b.Imm32(0))
			in.Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxRange, 1).Set(ir.IdxDestType, word)
			store(slot, b.Channels(&in.Def, 0, slotComponents(&m, slot)), 0)
		}
		b.Effect(ir.IntrEmitVertex)
	}
	bin, err := compilePart(s, CompileOptions{GPU: last.GPU, Job: t.job()})
	if err != nil {
		return nil, err
	}
	return partObject(last.GPU, s.Name, s.Stage, bin)
}
