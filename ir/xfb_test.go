package ir

import (
	"reflect"
	"testing"
)

// TestAppendCaptures lists the runs of captured variables: leaves in order,
// 64-bit values aligned, halves packed, compact arrays without gaps.
func TestAppendCaptures(t *testing.T) {
	s := NewShader(StageVertex, nil)
	make := func(ty *Type, loc Slot, comp uint8, offset int32) *Variable {
		v := s.NewVariable(ModeShaderOut, ty, "v")
		v.Location, v.Component, v.XfbBuffer, v.XfbOffset, v.Stream = int32(loc), comp, 1, offset, 2
		return v
	}
	f32, f64 := ScalarType(BaseFloat, 32), ScalarType(BaseFloat, 64)
	mat := MatrixType(32, 2, 3)
	st := &Type{Base: BaseStruct, Name: "S", Fields: []Field{{Type: f32}, {Type: VectorType(BaseFloat, 64, 3)}}}
	clip := make(ArrayType(f32, 6, 0), SlotClipDist0, 0, 0)
	clip.Compact = true
	run := func(slot Slot, first, count, bits uint8, offset uint32) Capture {
		return Capture{Slot: slot, First: first, Count: count, Bits: bits, Buffer: 1, Stream: 2, Offset: offset}
	}
	for _, c := range []struct {
		v    *Variable
		want []Capture
	}{
		{make(VectorType(BaseFloat, 32, 2), SlotVar0, 2, 4), []Capture{run(SlotVar0, 2, 2, 32, 4)}},
		{make(mat, SlotVar0+1, 0, 0), []Capture{run(SlotVar0+1, 0, 3, 32, 0), run(SlotVar0+2, 0, 3, 32, 12)}},
		{make(ArrayType(f64, 2, 0), SlotVar0, 2, 8), []Capture{run(SlotVar0, 2, 2, 32, 8), run(SlotVar0+1, 2, 2, 32, 16)}},
		{make(st, SlotVar0, 0, 0), []Capture{run(SlotVar0, 0, 1, 32, 0), run(SlotVar0+1, 0, 4, 32, 8), run(SlotVar0+2, 0, 2, 32, 24)}},
		{make(VectorType(BaseFloat, 16, 3), SlotVar0, 0, 2), []Capture{run(SlotVar0, 0, 3, 16, 2)}},
		{clip, []Capture{run(SlotClipDist0, 0, 4, 32, 0), run(SlotClipDist1, 0, 2, 32, 16)}},
	} {
		if got := AppendCaptures(nil, c.v); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s at %d.%d: %+v, want %+v", c.v.Type, c.v.Location, c.v.Component, got, c.want)
		}
		s.Captures = append(s.Captures, c.want...)
	}
	s.Info.XfbStrides[1] = 64
	text := Print(s)
	back, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back.Captures, s.Captures) || back.Info != s.Info {
		t.Errorf("text does not read back:\n%s", text)
	}
	bytes, err := Deserialize(Serialize(s, SerializeOptions{}))
	if err != nil || !reflect.DeepEqual(bytes.Captures, s.Captures) || bytes.Info != s.Info {
		t.Errorf("serialised form does not read back: %v", err)
	}
}
