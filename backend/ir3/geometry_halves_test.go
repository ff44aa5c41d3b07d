package ir3

import (
	"maps"
	"strings"
	"testing"

	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// halfVertex is a geometry shader that emits one vertex, with a half of each class in a slot of its own.
func halfVertex() *ir.Shader {
	s, b := newStage(ir.StageGeometry)
	s.Info.Geom = ir.GeomInfo{Invocations: 1, MaxVertices: 1, InPrimitive: 3, OutPrimitive: 2}
	v := vertexInput(b, b.Imm32(0), ir.SlotVar0+2, 4)
	outputTo(b, v, ir.SlotPos)
	half := b.F2f16(b.Channel(v, 0))
	outputTo(b, half, ir.SlotVar0)
	b.Intrinsic(ir.IntrStoreOutput, 0, 0, half, b.Imm32(0)).Set(ir.IdxWriteMask, 1).Set(ir.IdxIoSemantics, sem(ir.SlotVar0+1)).
		Set(ir.IdxSrcType, ir.ALUType{Class: ir.ClassUint, Bits: 16}.Pack())
	b.Intrinsic(ir.IntrEmitVertex, 0, 0)
	return s
}

// TestGeometryHalves: what a geometry shader leaves in halves goes to the rasteriser as other stages' outputs do, floats widened to words.
func TestGeometryHalves(t *testing.T) {
	programs.Hold(t)
	bin, err := compile(halfVertex(), CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	as := map[ir.Slot]isa.Type{}
	for _, o := range bin.Meta.Outputs {
		if o.Half {
			as[o.Slot] = o.As
		}
	}
	if want := map[ir.Slot]isa.Type{ir.SlotVar0: isa.F32, ir.SlotVar0 + 1: 0}; !maps.Equal(as, want) {
		t.Errorf("halves leave as %v, want %v", as, want)
	}
}

// TestGeometryRefused: outputs of geometry shaders that have no register are refused, and named.
func TestGeometryRefused(t *testing.T) {
	programs.Hold(t)
	for want, store := range map[string]func(b *ir.Builder){
		"": func(b *ir.Builder) { outputTo(b, b.Imm32(5), ir.SlotVar0) },
		"with an indirect slot is not supported": func(b *ir.Builder) {
			at := b.Iand(b.Channel(vertexInput(b, b.Imm32(0), ir.SlotVar0, 1), 0), b.Imm32(1))
			b.Intrinsic(ir.IntrStoreOutput, 0, 0, b.Imm32(5), at).Set(ir.IdxWriteMask, 1).
				Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotVar0, NumSlots: 2}.Pack()).Set(ir.IdxSrcType, ir.ALUType{Class: ir.ClassUint, Bits: 32}.Pack())
		},
	} {
		s, b := newStage(ir.StageGeometry)
		s.Info.Geom = ir.GeomInfo{Invocations: 1, MaxVertices: 1, InPrimitive: 3, OutPrimitive: 2}
		outputTo(b, vertexInput(b, b.Imm32(0), ir.SlotVar0+2, 4), ir.SlotPos)
		store(b)
		b.Intrinsic(ir.IntrEmitVertex, 0, 0)
		_, err := compile(s, CompileOptions{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
