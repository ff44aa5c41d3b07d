package abi

import (
	"strings"
	"testing"

	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// TestRefused: what a device does not have, and the largest that it has.
func TestRefused(t *testing.T) {
	compute := func(gpu string) func() *Meta {
		return func() *Meta {
			g := FindGPU(gpu)
			return &Meta{GPU: gpu, Gen: g.Gen, Stage: ir.StageCompute, ConstLen: 64, WorkgroupSize: [3]uint32{64, 1, 1}, Consts: Consts{ByPreamble: g.PreambleConsts}}
		}
	}
	stage := func(gpu string, s ir.Stage) func() *Meta {
		return func() *Meta {
			m := compute(gpu)()
			m.Stage, m.WorkgroupSize, m.DoubleWave = s, [3]uint32{}, false
			return m
		}
	}
	none := func(*Meta) {}
	for _, c := range []struct {
		meta func() *Meta
		edit func(m *Meta)
		want string
	}{
		{compute("a660"), none, ""},
		{compute("a660"), func(m *Meta) { m.GPU = "a999" }, `there is no device "a999"`},
		{compute("a660"), func(m *Meta) { m.Gen = isa.A7xx }, "a660: the device is no a7xx"},
		{compute("a660"), func(m *Meta) { m.ConstLen = 516 }, "constlen 516, at most 512"},
		{compute("a660"), func(m *Meta) { m.PrivateSize = 1 << 20 }, ""},
		{compute("a660"), func(m *Meta) { m.PrivateSize = 1<<20 + 1 }, "1048577 bytes of private memory a fiber"},
		{compute("a660"), func(m *Meta) { m.SharedSize = 32 << 10 }, ""},
		{compute("a660"), func(m *Meta) { m.SharedSize = 32<<10 + 1 }, "32769 bytes of workgroup memory, the device has 32768"},
		{compute("a660"), func(m *Meta) { m.ConstLen = 66 }, "constlen 66 is no multiple of 4"},
		{compute("a660"), func(m *Meta) { m.ConstLen = 260 }, "constlen 260, at most 256 beside 0 bytes"},
		{compute("a660"), func(m *Meta) { m.WorkgroupSize = [3]uint32{1024, 2, 1} }, ""},
		{compute("a660"), func(m *Meta) { m.WorkgroupSize = [3]uint32{1025, 1, 1} }, "1025 invocations in a dimension of a workgroup"},
		{compute("a660"), func(m *Meta) { m.WorkgroupSize = [3]uint32{1, 1, 1025} }, "1025 invocations in a dimension of a workgroup"},
		{compute("a660"), func(m *Meta) { m.WorkgroupSize = [3]uint32{1024, 2, 2} }, "4096 invocations of a workgroup are not supported on a660, which has 2048"},
		{compute("a660"), func(m *Meta) { m.Descriptors = []Descriptor{{Base: 4}} }, ""},
		{compute("a660"), func(m *Meta) { m.Descriptors = []Descriptor{{}, {Base: 5}} }, "descriptor set 5, the device has 5"},
		{compute("a660"), func(m *Meta) { m.Descriptors = []Descriptor{{Views: []uint8{4, 3}}} }, "elements of 3 bytes, 1, 2 and 4 exist"},
		{compute("a660"), func(m *Meta) { m.Sysvals = []Sysval{{}} }, "unknown system value 0"},
		{compute("a660"), func(m *Meta) { m.Sysvals = []Sysval{{Kind: NumSysvals}} }, "unknown system value"},
		{compute("a660"), func(m *Meta) { m.Consts.ByPreamble = true }, "consts come by the preamble: false, not true"},
		{compute("a660"), func(m *Meta) { m.UsesBarrier, m.WorkgroupSize, m.MaxRegs = true, [3]uint32{512, 1, 1}, 16 }, ""},
		{compute("a660"), func(m *Meta) { m.UsesBarrier, m.WorkgroupSize, m.MaxRegs = true, [3]uint32{1024, 1, 1}, 48 }, "can be resident with 48 registers and a branch stack of 0"},
		{compute("a660"), func(m *Meta) { m.WorkgroupSize, m.MaxRegs = [3]uint32{1024, 1, 1}, 48 }, ""},
		{compute("a750"), func(m *Meta) { m.Consts.Immediates = []uint32{1} }, "1 immediates, which nobody puts into the const file"},
		{compute("a630"), func(m *Meta) { m.EarlyPreamble = true }, "the device has no early preambles"},
		{stage("a610", ir.StageFragment), func(m *Meta) { m.DoubleWave = true }, "the device has no double waves"},
		{stage("a702", ir.StageGeometry), none, "the device has no stage geometry"},
		{stage("a702", ir.StageVertex), none, ""},
		{stage("a660", ir.StageGeometry), none, ""},
		{stage("a610", ir.StageFragment), func(m *Meta) { m.Prefetches, m.NeedsQuads = []Prefetch{{Mask: 15}}, true }, "the device has no texture prefetches"},
		{stage("a660", ir.StageFragment), func(m *Meta) { m.Prefetches, m.NeedsQuads = []Prefetch{{Mask: 15, Reg: MaxPrefetchReg - 3}}, true }, ""},
		{stage("a660", ir.StageFragment), func(m *Meta) { m.Prefetches, m.NeedsQuads = []Prefetch{{Mask: 15, Reg: MaxPrefetchReg - 2}}, true }, "the texture prefetch into register 61 cannot be had"},
		{stage("a660", ir.StageFragment), func(m *Meta) { m.Prefetches = []Prefetch{{Mask: 15}} }, "and no helpers are asked for"},
		{stage("a660", ir.StageFragment), func(m *Meta) { m.Prefetches, m.NeedsQuads = make([]Prefetch, 4), true }, ""},
		{stage("a660", ir.StageFragment), func(m *Meta) { m.Prefetches, m.NeedsQuads = make([]Prefetch, 5), true }, "5 texture prefetches, at most 4"},
		{stage("a660", ir.StageFragment), func(m *Meta) {
			m.Prefetches, m.NeedsQuads, m.Sysvals = make([]Prefetch, 1), true, []Sysval{{Kind: IJPerspCentroid, Reg: 2}, {Kind: IJPerspPixel}, {Kind: IJPerspPixel, Reg: NoReg}}
		}, ""},
		{stage("a660", ir.StageFragment), func(m *Meta) {
			m.Prefetches, m.NeedsQuads, m.Sysvals = make([]Prefetch, 1), true, []Sysval{{Kind: IJPerspPixel, Reg: 2}}
		}, "from r0.x, not from register 2"},
		{stage("a660", ir.StageFragment), func(m *Meta) { m.PostDepthCoverage = true }, "the mask after depth tests is wanted of tests that are late"},
		{stage("a660", ir.StageFragment), func(m *Meta) { m.Sysvals = []Sysval{{Kind: ViewIndex}} }, "the view index of a fragment shader is a varying"},
		{stage("a660", ir.StageVertex), func(m *Meta) { m.Sysvals = []Sysval{{Kind: ViewIndex}} }, ""},
		{stage("a660", ir.StageVertex), func(m *Meta) { m.ConstLen = 8 }, ""},
		{stage("a660", ir.StageVertex), func(m *Meta) { m.ConstLen = 4 }, "constlen 4 of a vertex shader, at least 8"},
		{stage("a660", ir.StageFragment), func(m *Meta) { m.Outputs = []Output{{Slot: ir.SlotData0, Mask: 1, AliasRT: 1}} }, "the device has no alias.rt"},
		{stage("a750", ir.StageFragment), func(m *Meta) { m.Outputs = []Output{{Slot: ir.SlotData0, Mask: 1, AliasRT: 1}} }, ""},
		{stage("a750", ir.StageFragment), func(m *Meta) { m.Outputs = []Output{{Slot: ir.SlotData0, Mask: 1, AliasRT: 2}} }, "components 0x2 of the output in slot"},
		{stage("a750", ir.StageFragment), func(m *Meta) { m.Outputs = []Output{{Slot: ir.SlotData0, Mask: 1, AliasRT: 1, Half: true}} }, "cannot be given by alias.rt"},
		{stage("a750", ir.StageFragment), func(m *Meta) { m.Outputs = []Output{{Slot: ir.SlotData0, Mask: 1, AliasRT: 1, Index: 1}} }, "cannot be given by alias.rt"},
		{stage("a660", ir.StageVertex), func(m *Meta) { m.ClipDistances, m.ClipMask = 1, 1 }, "the distances 0x1 clip or cull, but have no register"},
		{stage("a660", ir.StageVertex), func(m *Meta) { m.ClipDistances, m.CullDistances = 5, 4 }, "5 clip and 4 cull distances, at most 8 exist"},
		{stage("a660", ir.StageFragment), func(m *Meta) { m.Inputs, m.TotalIn = []Input{{Slot: ir.SlotClipDist0, Mask: 2}}, 2 }, "lists components 0x2, and not all before them"},
		{stage("a660", ir.StageFragment), func(m *Meta) { m.Inputs, m.TotalIn = []Input{{Slot: ir.SlotClipDist0, Mask: 3}}, 2 }, ""},
		{stage("a630", ir.StageFragment), func(m *Meta) { m.Sysvals = []Sysval{{Kind: ShadingRate}} }, "the device tells fragments no shading rate"},
		{stage("a730", ir.StageFragment), func(m *Meta) { m.Sysvals = []Sysval{{Kind: ShadingRate}} }, "with the mask of covered samples alone"},
		{stage("a750", ir.StageFragment), func(m *Meta) { m.Sysvals = []Sysval{{Kind: ShadingRate}} }, ""},
		{stage("a630", ir.StageVertex), func(m *Meta) { m.Outputs = []Output{{Slot: ir.SlotShadingRate, Mask: 1}} }, "the device takes no shading rate of primitives"},
	} {
		m := c.meta()
		c.edit(m)
		if err := m.Check(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", m.GPU, m.Stage, err, c.want)
		}
	}
	// What only some devices have or need, by a device of its own.
	for _, names := range GPUNames() {
		g := FindGPU(names[0])
		if n := g.MaxInputs; n > 0 {
			m := stage(g.Name, ir.StageVertex)()
			m.Inputs = []Input{{Slot: ir.Slot(n - 1)}}
			if err := m.Check(); err != nil {
				t.Errorf("%s, the last attribute: %v", g.Name, err)
			}
			if m.Inputs[0].Slot++; m.Check() == nil {
				t.Errorf("%s: attribute %d is accepted", g.Name, n)
			}
		}
		m := stage(g.Name, ir.StageFragment)()
		m.ConstLen, m.Consts.ByPreamble = 0, g.PreambleConsts
		if err := m.Check(); (err != nil) != g.FSMinConst {
			t.Errorf("%s, a fragment shader without consts: %v", g.Name, err)
		}
	}
}
