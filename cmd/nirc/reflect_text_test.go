package main

import (
	"bytes"
	"os"
	"testing"

	"nirc"
	"nirc/backend/object"
)

// TestInterfaceText: an interface that has some of everything, as text and as a table, is what testdata/interface.txt has.
func TestInterfaceText(t *testing.T) {
	r := &nirc.Interface{File: "a.spv", Entry: "main", Reflection: object.Reflection{
		Stage: "compute", WorkgroupSize: []uint32{8, 4, 2}, SharedSize: 96,
		Inputs:  []object.Slot{{Name: "i", Location: "attribute 1", Component: 2, Type: "vec2f32", Interp: "flat"}, {Location: "varying 0", Type: "f32", Interp: "smooth", PerPrimitive: true}},
		Outputs: []object.Slot{{Name: "o", Location: "color 0", Type: "vec4f32"}, {Location: "varying 3", Component: 1, Type: "u32", PerPrimitive: true}},
		Resources: []object.Resource{{Name: "none", Set: 1, Binding: 2, Kind: "storage_buffer", Type: "struct\n  S"}, {Set: 0, Binding: 3, Kind: "sampler", Count: 1, Type: "sampler"},
			{Name: "many", Set: 2, Binding: 0, Kind: "sampled_image", Count: 5, Type: "tex2D<f32>"}},
		PushConstants: []object.Member{{Name: "p", Offset: 4, Size: 8, Type: "vec2f32"}, {Offset: 16, Type: "u32[]"}},
		Arguments:     []object.Argument{{Name: "a", Kind: "buffer", Offset: 8, Size: 8}, {Kind: "image", Set: 1, Binding: 6}},
	},
		Modes: []string{"early_fragment_tests", "invocations=2"}, WorkgroupVariable: true,
		Blocks:        []nirc.BlockLayout{{Set: 1, Binding: 2, Size: 16, Members: []object.Member{{Name: "m", Offset: 12, Size: 4, Type: "i32"}, {Name: "rest", Offset: 16, Type: "f32[]"}}}},
		SpecConstants: []nirc.SpecConstant{{ID: 7, Name: "K", Type: "u32", Default: "3"}, {ID: 8, Type: "bool", Default: "true"}},
		Captures:      []nirc.CapturedOutput{{Buffer: 1, Offset: 16, Stride: 32, Stream: 2, Location: "varying 0", Components: 3, Bits: 32, First: 1}},
		Payloads: []nirc.Payload{{Name: "d", Kind: "incoming_call_data", Location: "0", Size: 12, Type: "vec3f32"},
			{Kind: "task_payload", Size: 20, Type: "struct\n  T", Members: []object.Member{{Name: "x", Offset: 4, Size: 16, Type: "vec4u32"}}}},
		Deciding: []string{"0.1+16", "push+4"},
	}
	var b bytes.Buffer
	if err := writeInterface(&b, r); err != nil {
		t.Fatal(err)
	}
	b.WriteString("\n")
	if err := interfaceSheet([]*nirc.Interface{r, {Entry: "e", Reflection: object.Reflection{Stage: "vertex"}}}).csv(&b); err != nil {
		t.Fatal(err)
	}
	const file = "testdata/interface.txt"
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the text is\n%s", b.String())
	}
}
