package layout_test

import (
	"math"
	"testing"

	"nirc/backend/layout"
	"nirc/ir"
)

// TestTypes: each type has VkDescriptorType's number and a name, and holds what Vulkan says that it does.
func TestTypes(t *testing.T) {
	const buffer, image, sampler, dynamic = 1, 2, 4, 8
	for i, c := range []struct {
		t      layout.Type
		name   string
		vulkan uint32
		holds  int
	}{
		{layout.Sampler, "sampler", 0, sampler},
		{layout.CombinedImageSampler, "combined_image_sampler", 1, image | sampler},
		{layout.SampledImage, "sampled_image", 2, image},
		{layout.StorageImage, "storage_image", 3, image},
		{layout.UniformTexelBuffer, "uniform_texel_buffer", 4, image},
		{layout.StorageTexelBuffer, "storage_texel_buffer", 5, image},
		{layout.UniformBuffer, "uniform_buffer", 6, buffer},
		{layout.StorageBuffer, "storage_buffer", 7, buffer},
		{layout.UniformBufferDynamic, "uniform_buffer_dynamic", 8, buffer | dynamic},
		{layout.StorageBufferDynamic, "storage_buffer_dynamic", 9, buffer | dynamic},
		{layout.InputAttachment, "input_attachment", 10, image},
		{layout.AccelerationStructure, "acceleration_structure", 1000150000, 0},
		{layout.Mutable, "mutable", 1000351000, buffer | image},
		{layout.InlineUniformBlock, "inline_uniform_block", 1000138000, buffer},
		{layout.SampleWeightImage, "sample_weight_image", 1000440000, image},
		{layout.BlockMatchImage, "block_match_image", 1000440001, image},
		{layout.Other, "other", 1 << 30, 0},
	} {
		if int(c.t) != i || c.t.String() != c.name || layout.TypeNames()[i] != c.name {
			t.Errorf("type %d is %s, want %s", i, c.t, c.name)
		}
		if p, ok := layout.ParseType(c.name); !ok || p != c.t {
			t.Errorf("%s is read as %s, %t", c.name, p, ok)
		}
		if c.t.Vulkan() != c.vulkan || layout.OfVulkan(c.vulkan) != c.t {
			t.Errorf("%s: number %d, which is %s, want %d", c.name, c.t.Vulkan(), layout.OfVulkan(c.vulkan), c.vulkan)
		}
		holds := 0
		for bit, is := range map[int]bool{buffer: c.t.IsBuffer(), image: c.t.HasImage(), sampler: c.t.HasSampler(), dynamic: c.t.IsDynamic()} {
			if is {
				holds |= bit
			}
		}
		if holds != c.holds {
			t.Errorf("%s holds %04b, want %04b", c.name, holds, c.holds)
		}
	}
	if layout.NumTypes != 17 || layout.OfVulkan(11) != layout.Other || layout.OfVulkan(1000150001) != layout.Other {
		t.Error("numbers that stand for no type are taken for one")
	}
	if p, ok := layout.ParseType("buffer"); ok {
		t.Errorf("buffer is read as %s", p)
	}
}

// TestStageBits: VkShaderStageFlagBits, and kernels as compute shaders.
func TestStageBits(t *testing.T) {
	for stage, want := range map[ir.Stage]layout.Stages{ir.StageVertex: 1, ir.StageTessCtrl: 2, ir.StageTessEval: 4, ir.StageGeometry: 8, ir.StageFragment: 16,
		ir.StageCompute: 32, ir.StageKernel: 32, ir.StageTask: 64, ir.StageMesh: 128, ir.StageNone: 0} {
		if got := layout.StageBit(stage); got != want {
			t.Errorf("%s: %#x, want %#x", stage, uint32(got), uint32(want))
		}
	}
	l := example()
	for stage, want := range map[ir.Stage][2]uint32{ir.StageVertex: {0, 64}, ir.StageFragment: {64, 16}, ir.StageCompute: {}} {
		if off, size := l.PushRange(stage); [2]uint32{off, size} != want {
			t.Errorf("push constants of %s: %d bytes from %d on, want %v", stage, size, off, want)
		}
	}
}

// TestDynamicOffsets: dynamic buffers go by set, binding and element, as the offsets of vkCmdBindDescriptorSets do.
func TestDynamicOffsets(t *testing.T) {
	l := example()
	for at, want := range map[[2]uint32]int{{0, 4}: 0, {2, 1}: 2, {0, 0}: -1, {2, 3}: -1, {1, 4}: -1, {3, 1}: -1} {
		if got := l.Dynamic(at[0], at[1]); got != want {
			t.Errorf("set %d binding %d: offset %d, want %d", at[0], at[1], got, want)
		}
	}
	none := &layout.Layout{Sets: []layout.Set{{Bindings: []layout.Binding{{Type: layout.UniformBufferDynamic}, {Binding: 1, Type: layout.UniformBuffer, Count: 1}}}}}
	if !l.HasDynamic() || none.HasDynamic() || (*layout.Layout)(nil).Dynamic(0, 4) != -1 {
		t.Error("a layout has dynamic buffers where one of its bindings holds some, and there alone")
	}
	if l.Find(0, 4) == nil || l.Find(0, 2) != nil || l.Find(1, 0) != nil || (*layout.Layout)(nil).Find(0, 0) != nil {
		t.Error("a binding is found where the layout has it, and there alone")
	}
}

// TestAtTheLimit: the most that Check allows of each thing is allowed, and one more is not.
func TestAtTheLimit(t *testing.T) {
	sampler := func(edit func(s *layout.SamplerState)) func(l *layout.Layout) {
		return func(l *layout.Layout) {
			s := layout.SamplerState{}
			edit(&s)
			l.Sets[0].Bindings[4].Immutable = []layout.SamplerState{s}
		}
	}
	bytes := func(n uint32) func(l *layout.Layout) {
		return func(l *layout.Layout) {
			l.Sets[0].Bindings[0].Type, l.Sets[0].Bindings[0].Count = layout.InlineUniformBlock, n
		}
	}
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		what string
		ok   bool
		edit func(l *layout.Layout)
	}{
		{"set 31", true, func(l *layout.Layout) { l.Sets[1].Set = layout.MaxSets - 1 }},
		{"set 32", false, func(l *layout.Layout) { l.Sets[1].Set = layout.MaxSets }},
		{"binding 65535", true, func(l *layout.Layout) { l.Sets[0].Bindings[4].Binding = layout.MaxBindings - 1 }},
		{"binding 65536", false, func(l *layout.Layout) { l.Sets[0].Bindings[4].Binding = layout.MaxBindings }},
		{"2^20 descriptors of two bindings", true, func(l *layout.Layout) { l.Sets[1].Bindings[1].Count = layout.MaxDescriptors - 1 }},
		{"2^20 descriptors and one", false, func(l *layout.Layout) { l.Sets[1].Bindings[1].Count = layout.MaxDescriptors }},
		{"the most push constants", true, func(l *layout.Layout) { l.Push[1].Size = layout.MaxPush - 64 }},
		{"four bytes more", false, func(l *layout.Layout) { l.Push[1].Size = layout.MaxPush - 60 }},
		{"no push constants", false, func(l *layout.Layout) { l.Push[1].Size = 0 }},
		{"push constants from byte 66 on", false, func(l *layout.Layout) { l.Push[1].Offset = 66 }},
		{"the most bytes of an inline uniform block", true, bytes(layout.MaxInline)},
		{"four more", false, bytes(layout.MaxInline + 4)},
		{"six bytes of one", false, bytes(6)},
		{"the last filters and modes", true, sampler(func(s *layout.SamplerState) {
			*s = layout.SamplerState{MagFilter: 1, MinFilter: 1, MipmapMode: 1, CompareOp: 7, BorderColor: layout.MaxBorderColor, Address: [3]uint8{4, 4, 4}, MinLod: 3, MaxLod: 3}
		})},
		{"mag filter 2", false, sampler(func(s *layout.SamplerState) { s.MagFilter = 2 })},
		{"min filter 2", false, sampler(func(s *layout.SamplerState) { s.MinFilter = 2 })},
		{"mipmap mode 2", false, sampler(func(s *layout.SamplerState) { s.MipmapMode = 2 })},
		{"comparison 8", false, sampler(func(s *layout.SamplerState) { s.CompareOp = 8 })},
		{"border colour 6", false, sampler(func(s *layout.SamplerState) { s.BorderColor = layout.MaxBorderColor + 1 })},
		{"address mode 5 of w", false, sampler(func(s *layout.SamplerState) { s.Address[2] = 5 })},
		{"an infinite level of detail", false, sampler(func(s *layout.SamplerState) { s.MaxLod = inf })},
		{"a negative infinite bias", false, sampler(func(s *layout.SamplerState) { s.MipLodBias = -inf })},
		{"an anisotropy that is no number", false, sampler(func(s *layout.SamplerState) { s.MaxAnisotropy = float32(math.NaN()) })},
	} {
		l := example()
		c.edit(l)
		if p := l.Check(); (p == nil) != c.ok {
			t.Errorf("%s: %v", c.what, p)
		}
	}
	l := example()
	l.Sets[1].Bindings[1].Binding = 0
	if p := l.Check(); p == nil || p.Set != 1 || p.Binding != 1 || p.Range != -1 {
		t.Errorf("the second binding of the second set: %+v", p)
	}
	l = example()
	l.Sets[1].Set = 0
	if p := l.Check(); p == nil || p.Set != 1 || p.Binding != -1 || p.Range != -1 {
		t.Errorf("the second set: %+v", p)
	}
	l = example()
	l.Push[1].Stages = 0
	if p := l.Check(); p == nil || p.Set != -1 || p.Binding != -1 || p.Range != 1 {
		t.Errorf("the second range: %+v", p)
	}
}
