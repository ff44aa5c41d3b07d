package ir3

import (
	"slices"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/abi"
	"nirc/ir"
)

// TestDriverWords: a shader asks for the registers and the driver parameters that its system values are made of, parameters as far as
// the last that is read, and for no more: fragment shaders in vec4s, stages that indirect draws and dispatches write for in four of these.
func TestDriverWords(t *testing.T) {
	programs.Hold(t)
	type kinds = []abi.SysvalKind
	for _, c := range []struct {
		stage   ir.Stage
		intr    ir.Intrinsic
		comps   uint8
		bits    uint8
		words   int
		sysvals kinds
	}{
		{ir.StageVertex, ir.IntrLoadVertexId, 1, 32, 0, kinds{abi.VertexID}},
		{ir.StageVertex, ir.IntrLoadInstanceId, 1, 32, 0, kinds{abi.InstanceID}},
		{ir.StageVertex, ir.IntrLoadDrawId, 1, 32, 16, nil},
		{ir.StageVertex, ir.IntrLoadFirstVertex, 1, 32, 16, nil},
		{ir.StageVertex, ir.IntrLoadBaseInstance, 1, 32, 16, nil},
		{ir.StageVertex, ir.IntrLoadSubgroupSize, 1, 32, 16, nil},
		{ir.StageFragment, ir.IntrLoadFrontFace, 1, 1, 0, kinds{abi.FrontFace}},
		{ir.StageFragment, ir.IntrLoadSampleId, 1, 32, 0, kinds{abi.SampleID}},
		{ir.StageFragment, ir.IntrLoadSampleMaskIn, 1, 32, 0, kinds{abi.SampleMaskIn}},
		{ir.StageFragment, ir.IntrLoadSubgroupSize, 1, 32, 4, nil},
		{ir.StageFragment, ir.IntrLoadFragInvocationCount, 1, 32, 8, nil},
		{ir.StageFragment, ir.IntrLoadFragSize, 2, 32, 12, nil},
		{ir.StageCompute, ir.IntrLoadNumWorkgroups, 3, 32, 16, nil},
		{ir.StageCompute, ir.IntrLoadBaseWorkgroupId, 3, 32, 16, nil},
		{ir.StageCompute, ir.IntrLoadSubgroupSize, 1, 32, 16, nil},
		{ir.StageCompute, ir.IntrLoadSubgroupId, 1, 32, 16, kinds{abi.LocalInvocationID}},
		{ir.StageCompute, ir.IntrLoadLocalInvocationId, 3, 32, 16, kinds{abi.LocalInvocationID}},
		{ir.StageCompute, ir.IntrLoadWorkgroupId, 3, 32, 16, kinds{abi.WorkgroupID}},
	} {
		s, b := newStage(c.stage)
		if c.stage == ir.StageCompute {
			s, b = gputest.NewShader(c.stage, 64)
		}
		x := &b.Intrinsic(c.intr, c.comps, c.bits).Def
		if c.bits == 1 {
			x = b.B2i32(x)
		}
		switch c.stage {
		case ir.StageCompute:
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Imm32(0), x)
		case ir.StageVertex:
			v := b.U2f32(b.Channel(x, 0))
			outputTo(b, b.Vec(v, v, v, v), ir.SlotPos)
		default:
			v := b.U2f32(b.Channel(x, int(c.comps)-1))
			outputTo(b, b.Vec(v, v, v, v), ir.SlotData0)
		}
		if err := ir.Validate(s); err != nil {
			t.Fatal(err)
		}
		bin, err := compile(s, CompileOptions{GPU: "a630"})
		if err != nil {
			t.Errorf("%s: %v", c.intr, err)
			continue
		}
		var got kinds
		for _, v := range bin.Meta.Sysvals {
			got = append(got, v.Kind)
		}
		if n := bin.Meta.Consts.Driver.Size; n != c.words || !slices.Equal(got, c.sysvals) {
			t.Errorf("%s of a %s shader: %d words of driver parameters and system values %v, want %d and %v", c.intr, c.stage, n, got, c.words, c.sysvals)
		}
	}
}
