package core

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestUniforms: what a program of each stage finds in uniform registers of each kind that tells of buffers, of the draw or of the
// dispatch; and that a stage which cannot have a kind is told so.
func TestUniforms(t *testing.T) {
	const garbage = 0xdeadbeef
	m := emu.NewMemory()
	buf := m.Alloc(64)
	for i := range 10 {
		emu.StoreBytes(buf.Data[4*i:], 4, uint64(100+i))
	}
	b := &emu.Bindings{}
	b.Set(1, 2, []emu.Descriptor{{}, {Type: emu.DescUniformBuffer, Addr: buf.Addr, Size: 40}})
	b.Set(1, 3, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: 7<<32 | 16, Size: 1 << 33}})
	l := quads(8)
	l.Env = &emu.Env{Mem: m, Bindings: b, Push: []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0}}
	l.Compute = &emu.ComputeLaunch{LocalID: make([][3]uint32, 32), NumWorkgroups: [3]uint32{2, 3, 5}, BaseWorkgroupID: [3]uint32{7, 11, 13}, NumSubgroups: 17}
	l.Vertex = make([]emu.VertexLane, 32)
	l.Vertex[0] = emu.VertexLane{BaseVertex: 19, BaseInstance: 23, DrawIndex: 29, ViewIndex: 31}
	l.Draw = &emu.Pipeline{}
	l.Draw.Blend.Constants = [4]float32{0.25, 0.5, 0.75, 1}
	l.Fragment[0].Prim.ViewIndex, l.Fragment[0].Prim.Samples = 37, 2
	l.Fragment[0].Prim.SamplePos = func(i int) (x, y float32) { return float32(i+1) / 8, float32(i+1) / 4 }
	address := func(a uint64) []uint32 { return []uint32{uint32(a), uint32(a >> 32)} }
	floats := func(list ...float32) (words []uint32) {
		for _, f := range list {
			words = append(words, math.Float32bits(f))
		}
		return words
	}
	const other = "does not exist in stage"
	compute, vertex, fragment := ir.StageCompute, ir.StageVertex, ir.StageFragment
	for _, c := range []struct {
		u      abi.Uniform
		robust ir.Robustness
		in     []ir.Stage // where it can be; nil: everywhere
		want   []uint32
	}{
		{u: abi.Uniform{Kind: abi.UniformWords, Words: []uint32{5, 6, 7}}, want: []uint32{5, 6, 7}},
		{u: abi.Uniform{Kind: abi.UniformPush, Offset: 4, Size: 12}, want: []uint32{2, 3, 0}},
		{u: abi.Uniform{Kind: abi.UniformBufferData, Set: 1, Binding: 2, Element: 1, Offset: 32, Size: 16}, want: []uint32{108, 109, garbage, garbage}},
		{u: abi.Uniform{Kind: abi.UniformBufferData, Set: 1, Binding: 2, Element: 1, Offset: 32, Size: 16}, robust: ir.Robust1, want: []uint32{108, 109, 0, 0}},
		{u: abi.Uniform{Kind: abi.UniformBufferAddr, Set: 1, Binding: 2, Element: 1}, want: address(buf.Addr)},
		{u: abi.Uniform{Kind: abi.UniformBufferAddr, Set: 1, Binding: 3}, want: []uint32{16, 7}},
		{u: abi.Uniform{Kind: abi.UniformBufferSize, Set: 1, Binding: 2, Element: 1}, want: []uint32{40}},
		{u: abi.Uniform{Kind: abi.UniformBufferSize, Set: 1, Binding: 3}, want: []uint32{math.MaxUint32}},
		{u: abi.Uniform{Kind: abi.UniformTable}, want: address(abi.TableAddr)},
		{u: abi.Uniform{Kind: abi.UniformHeap}, want: address(abi.HeapAddr)},
		{u: abi.Uniform{Kind: abi.UniformConstData}, want: address(abi.ConstDataAddr)},
		{u: abi.Uniform{Kind: abi.UniformPushAddr}, want: address(abi.PushAddr)},
		{u: abi.Uniform{Kind: abi.UniformSamplerBiases}, want: address(abi.BiasAddr)},
		{u: abi.Uniform{Kind: abi.UniformNumWorkgroups}, in: []ir.Stage{compute}, want: []uint32{2, 3, 5}},
		{u: abi.Uniform{Kind: abi.UniformBaseWorkgroup}, in: []ir.Stage{compute}, want: []uint32{7, 11, 13}},
		{u: abi.Uniform{Kind: abi.UniformNumSubgroups}, in: []ir.Stage{compute}, want: []uint32{17}},
		{u: abi.Uniform{Kind: abi.UniformBaseVertex}, in: []ir.Stage{vertex}, want: []uint32{19}},
		{u: abi.Uniform{Kind: abi.UniformBaseInstance}, in: []ir.Stage{vertex}, want: []uint32{23}},
		{u: abi.Uniform{Kind: abi.UniformDrawID}, in: []ir.Stage{vertex}, want: []uint32{29}},
		{u: abi.Uniform{Kind: abi.UniformBlendConst}, in: []ir.Stage{vertex, fragment}, want: floats(0.25, 0.5, 0.75, 1)},
	} {
		for _, stage := range []ir.Stage{compute, vertex, fragment} {
			w, own := uniformWave(t, stage, c.robust, l)
			w.l = &own
			if stage != compute {
				own.Compute = nil
			} else {
				own.Draw = nil
			}
			for i := range w.unis {
				w.unis[i] = garbage
			}
			c.u.Half = 8
			err := w.fillUniform(&c.u)
			name := fmt.Sprintf("%s of %+v in a %s shader", c.u.Kind, c.u, stage)
			if c.in != nil && !slices.Contains(c.in, stage) {
				if want := other; err == nil || c.u.Kind != abi.UniformBlendConst && !strings.Contains(err.Error(), want) {
					t.Errorf("%s: error %v, want %q", name, err, want)
				}
				continue
			}
			got := w.unis[4 : 4+len(c.want)]
			if err != nil || !slices.Equal(got, c.want) || w.unis[3] != garbage || w.unis[4+len(c.want)] != garbage {
				t.Errorf("%s: %x, %v; want %x, and nothing around it", name, got, err, c.want)
			}
		}
	}
	for stage, want := range map[ir.Stage][]uint32{compute: {garbage}, vertex: {31}, fragment: {37}} {
		w, _ := uniformWave(t, stage, ir.RobustOff, l)
		w.unis[4] = garbage
		if err := w.fillUniform(&abi.Uniform{Kind: abi.UniformViewIndex, Half: 8}); err != nil || w.unis[4] != want[0] {
			t.Errorf("view of a %s shader: %d, %v; want %d", stage, w.unis[4], err, want[0])
		}
		places := []uint32{garbage, garbage, garbage, garbage, garbage, garbage}
		if stage == fragment { // a third sample, which there is not, is at the centre
			places = floats(0.125, 0.25, 0.25, 0.5, 0.5, 0.5)
		}
		for i := range places {
			w.unis[4+i] = garbage
		}
		if err := w.fillUniform(&abi.Uniform{Kind: abi.UniformSamplePositions, Half: 8, Size: 24}); err != nil || !slices.Equal(w.unis[4:10], places) {
			t.Errorf("samples of a %s shader: %x, %v; want %x", stage, w.unis[4:10], err, places)
		}
	}
}

// uniformWave is a wave of a stage that has not filled its uniform registers yet, and a launch of its own like l.
func uniformWave(t *testing.T, stage ir.Stage, robust ir.Robustness, l *emu.Launch) (*wave, emu.Launch) {
	t.Helper()
	meta := anyMeta(stage)
	meta.Robust.Uniform = robust
	p, err := Load(assemble(t, "\tstop\n"), meta)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*program).newWave(l), *l
}

// TestTwoViews: fragments of two views have no one view index.
func TestTwoViews(t *testing.T) {
	l := quads(2)
	l.Env = &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
	w, _ := uniformWave(t, ir.StageFragment, ir.RobustOff, l)
	other := *l.Fragment[7].Prim
	l.Fragment[7].Prim = &other
	u := &abi.Uniform{Kind: abi.UniformViewIndex, Half: 8}
	if err := w.fillUniform(u); err != nil {
		t.Error(err)
	}
	other.ViewIndex++
	wantError(t, w.fillUniform(u), "shades two views at once")
}
