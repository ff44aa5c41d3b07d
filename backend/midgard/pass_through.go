package midgard

import (
	"encoding/json"
	"fmt"
	"strings"

	"nirc/backend"
	"nirc/backend/midgard/abi"
	"nirc/backend/object"
	"nirc/ir"
	"nirc/passes"
)

// FeedbackStage makes the geometry stage of pipelines whose transform feedback no program of the ABI xfb writes: after tessellation,
// and where the vertices of primitives do not follow each other.
func (Target) FeedbackStage(lists passes.Lists) backend.FeedbackStage {
	return func(last *object.Object, vertices int, convention string) (*object.Object, error) {
		opts := CompileOptions{GPU: last.GPU, Job: &backend.Job{Lists: lists}}
		if mask, ok := strings.CutPrefix(convention, backend.LinearABI); ok {
			var err error
			if opts.Linear, err = parseLinear(mask); err != nil {
				return nil, err
			}
		}
		return passThrough(last, vertices, opts)
	}
}

// passThrough compiles a geometry shader that hands on the primitives, of some vertices, of the stage before, which is compiled
// for it.
func passThrough(last *object.Object, size int, opts CompileOptions) (*object.Object, error) {
	var m abi.Meta
	if err := backend.Meta(TargetName, last, &m); err != nil {
		return nil, err
	}
	vertices := backend.PassedOn(size)
	switch {
	case m.Next != ir.StageGeometry:
		return nil, fmt.Errorf("midgard: %s is not compiled for a geometry shader after it", last.Entry)
	case vertices == nil:
		return nil, ir.Unsupportedf("midgard: primitives of %d vertices are not supported", size)
	}
	o, err := Options(last.GPU, ir.StageGeometry)
	if err != nil {
		return nil, err
	}
	s := ir.NewShader(ir.StageGeometry, o)
	defer s.Release()
	s.Name = "pass_through"
	s.Info.Geom = ir.GeomInfo{Invocations: 1, MaxVertices: uint32(len(vertices)), InPrimitive: uint8(size), OutPrimitive: uint8(len(vertices) - 1)}
	s.Info.ClipDistances, s.Info.CullDistances = m.ClipDistances, m.CullDistances
	s.Captures, s.Info.XfbStrides = m.Captures, m.XfbStrides
	f := s.NewFunction("main")
	f.IsEntry = true
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	id := &b.Intrinsic(ir.IntrLoadPrimitiveId, 1, 32).Def
	for _, v := range vertices {
		storeNumber(b, id) // unless the stage gives one
		for _, out := range m.Outputs {
			if unfed.Get()[out.Slot] == "" {
				passSlot(b, v, &out)
			}
		}
		b.Effect(ir.IntrEmitVertex)
	}
	bin, err := Compile(s, opts)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(&bin.Meta)
	if err != nil {
		return nil, fmt.Errorf("midgard: %w", err)
	}
	return &object.Object{Target: TargetName, GPU: bin.Meta.GPU, Stage: ir.StageGeometry, Entry: s.Name, Code: bin.Code, ABI: data, Stats: bin.Stats.list(),
		Reflect: object.Reflection{Stage: ir.StageGeometry.String()}}, nil
}

// passSlot hands on a slot of vertex v.
func passSlot(b *ir.Builder, v uint32, out *abi.Output) {
	word := ir.ALUType{Class: ir.ClassUint, Bits: 32}.Pack()
	sem := ir.IOSemantics{Location: out.Slot, NumSlots: 1}
	in := b.Intrinsic(ir.IntrLoadPerVertexInput, 4, 32, b.Imm32(v), b.Imm32(0)).Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxRange, 1).Set(ir.IdxDestType, word)
	b.Effect(ir.IntrStoreOutput, &in.Def, b.Imm32(0)).Set(ir.IdxWriteMask, uint64(out.Mask)).
		Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxRange, 1).Set(ir.IdxSrcType, word)
}
