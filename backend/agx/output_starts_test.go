package agx

import (
	"slices"
	"testing"

	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/gputest"
	"nirc/backend/object"
	"nirc/ir"
)

// sharedLocation is a stage that stores two outputs of one location.
func sharedLocation(t *testing.T, next ir.Stage) *Binary {
	t.Helper()
	s, b := gputest.NewShader(ir.StageVertex, 0)
	for _, c := range []uint8{0, 2} {
		v := s.NewVariable(ir.ModeShaderOut, ir.VectorType(ir.BaseFloat, 32, 2), "")
		v.Location, v.Component = int32(ir.SlotVar0), c
	}
	b.Intrinsic(ir.IntrStoreOutput, 0, 0, b.Const(32, 1, 2, 3, 4), b.Imm32(0)).Set(ir.IdxWriteMask, 15).
		Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotVar0, NumSlots: 1}.Pack()).Set(ir.IdxRange, 1).Set(ir.IdxSrcType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack())
	bin, err := held(Compile(s, CompileOptions{Job: dumpJob("", func(string) {}), Next: next}))
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// TestSharedLocation: each output of a location is a varying, also where a geometry shader that the driver makes hands them on.
func TestSharedLocation(t *testing.T) {
	programs.Hold(t)
	want := []abi.Varying{{Slot: ir.SlotVar0, Count: 2, Word: abi.NoWord, User: true}, {Slot: ir.SlotVar0, First: 2, Count: 2, Word: abi.NoWord, User: true}}
	if got := sharedLocation(t, ir.StageNone).Meta.Varyings; !slices.Equal(got, want) {
		t.Errorf("varyings %v, want %v", got, want)
	}
	last := sharedLocation(t, ir.StageGeometry)
	if !slices.Equal(last.Meta.RecordStarts, []uint8{5}) {
		t.Errorf("starts %v", last.Meta.RecordStarts)
	}
	o, err := partObject("", "main", ir.StageVertex, last)
	if err != nil {
		t.Fatal(err)
	}
	if got := handedOn(t, o); !slices.Equal(got, want) {
		t.Errorf("varyings %v are handed on, want %v", got, want)
	}
}

func handedOn(t *testing.T, last *object.Object) []abi.Varying {
	t.Helper()
	o, err := Target{gputest.Lists}.PassThrough(last, 3)
	if err != nil {
		t.Fatal(err)
	}
	var m abi.Meta
	if err := backend.Meta(TargetName, o, &m); err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(m.Geometry.Raster.Varyings, func(v abi.Varying) bool { return v.Slot != ir.SlotVar0 })
}
