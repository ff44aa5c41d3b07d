package run

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"nirc"
	"nirc/passes"
)

// swap exchanges two texels of an image.
const swap = `
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %i DescriptorSet 2
OpDecorate %i Binding 3
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uint4 = OpTypeVector %uint 4
%uint2 = OpTypeVector %uint 2
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%left = OpConstantComposite %uint2 %zero %zero
%right = OpConstantComposite %uint2 %one %zero
%image = OpTypeImage %uint 2D 0 0 0 2 R32ui
%ptr = OpTypePointer UniformConstant %image
%i = OpVariable %ptr UniformConstant
%main = OpFunction %void None %fn
%entry = OpLabel
%v = OpLoad %image %i
%a = OpImageRead %uint4 %v %left
%b = OpImageRead %uint4 %v %right
OpImageWrite %v %left %b
OpImageWrite %v %right %a
OpReturn
OpFunctionEnd`

// dispatch is one of swap.
func dispatch(t *testing.T, target string, texels ...uint32) *Dispatch {
	t.Helper()
	m, err := nirc.Load([]byte(swap), "swap.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	var data []byte
	for _, v := range texels {
		data = binary.LittleEndian.AppendUint32(data, v)
	}
	return &Dispatch{Module: m, Options: nirc.Options{Target: target, Level: passes.O2}, Groups: [3]uint32{1, 1, 1},
		Images: []Image{{Set: 2, Binding: 3, Format: "R32_UINT", Width: 2, Height: 1, Data: data}}}
}

// What the shader stores in an image stands there afterwards, on the interpreter and on each core.
func TestImage(t *testing.T) {
	for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
		d := dispatch(t, target, 5, 7)
		if err := d.Run(context.Background()); err != nil {
			t.Errorf("%s: %v", target, err)
			continue
		}
		if data := d.Images[0].Data; !slices.Equal(data, []byte{7, 0, 0, 0, 5, 0, 0, 0}) {
			t.Errorf("%s: the image holds % x", target, data)
		}
	}
}

// What cannot be run is told.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Dispatch)
		want   string
	}{
		{"no module", func(d *Dispatch) { d.Module = nil }, "no module"},
		{"not bound", func(d *Dispatch) { d.Images = nil }, "2.3"},
		{"twice", func(d *Dispatch) { d.Images = append(d.Images, d.Images[0]) }, "2.3 is bound twice"},
		{"format", func(d *Dispatch) { d.Images[0].Format = "R33_UINT" }, "the format R33_UINT is not supported"},
		{"size", func(d *Dispatch) { d.Images[0].Width = 3 }, "3x1 texels of R32_UINT are 12 bytes, not 8"},
		{"too large", func(d *Dispatch) { d.Images[0].Width = 1 << 20 }, "2.3: "},
		{"a buffer", func(d *Dispatch) { d.Images, d.Buffers = nil, []Buffer{{Set: 2, Binding: 3, Data: make([]byte, 8)}} }, "2.3 is a storage_image"},
		{"profile of the IR", func(d *Dispatch) { d.Options.Target, d.Profile = nirc.IRTarget, &Profile{} }, "a profile is of machine code"},
	} {
		d := dispatch(t, "ir3", 5, 7)
		c.change(d)
		err := d.Run(context.Background())
		var usage *nirc.UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want a UsageError with %q", c.name, err, c.want)
		}
	}
}

// The end of the context ends the run, and the budget does.
func TestEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := dispatch(t, "agx", 5, 7).Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a run whose context has ended: %v", err)
	}
	d := dispatch(t, "agx", 5, 7)
	d.Budget = 1
	if err := d.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "budget") {
		t.Errorf("a run of one instruction: %v", err)
	}
}
