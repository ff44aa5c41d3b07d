package core

import (
	"math"
	"testing"

	"nirc/backend/midgard/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestSysvalsOfLaunches: each system value is what a driver would say of the launch that has it, and what no driver knows is garbage that checks show.
func TestSysvalsOfLaunches(t *testing.T) {
	img, err := emu.NewImage(emu.ImageDesc{Width: 16, Height: 8, Layers: 3, Mips: 2, Samples: 1, Format: emu.FormatByName("R8G8B8A8_UNORM")})
	if err != nil {
		t.Fatal(err)
	}
	env := func() *emu.Env {
		e := &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
		e.Bindings.Set(1, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: 0x123456789a, Size: 77}, {Type: emu.DescUniformBuffer, Addr: 0x1000, Size: 99}})
		e.Bindings.Set(1, 1, []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Image: &emu.ImageView{Image: img}, Sampler: &emu.Sampler{MinLod: 0.5, MaxLod: 4, LodBias: -1, Mip: emu.MipLinear}},
			{Type: emu.DescSampler, Sampler: &emu.Sampler{MinLod: 1, MaxLod: 2, Mip: emu.MipNearest}}})
		e.Bindings.Set(1, 2, []emu.Descriptor{{Type: emu.DescUniformTexelBuffer, Format: emu.FormatByName("R32_UINT"), Addr: 0x2000, Size: 44}})
		return e
	}
	compute := func() *emu.Launch {
		return &emu.Launch{Compute: &emu.ComputeLaunch{NumWorkgroups: [3]uint32{3, 4, 5}, BaseWorkgroupID: [3]uint32{6, 7, 8}}}
	}
	vertex := func(indexed bool) func() *emu.Launch {
		return func() *emu.Launch {
			return &emu.Launch{Vertex: []emu.VertexLane{{BaseVertex: 100, BaseInstance: 20, DrawIndex: 5, ViewIndex: 2, IsIndexed: indexed}},
				Capture: &emu.CaptureLaunch{Buffers: [ir.NumXfbBuffers]uint64{0x100000001, 0x200000002, 0x300000003, 0x400000004}, Vertices: 42}}
		}
	}
	fragment := func(samples int) func() *emu.Launch {
		return func() *emu.Launch {
			return &emu.Launch{Fragment: []emu.FragmentLane{{Prim: &emu.Primitive{ViewIndex: 3, Layer: 6, Samples: samples}}}, Viewport: &emu.ViewportTransform{Scale: [3]float32{2, 3, 4}, Offset: [3]float32{5, 6, 7}}}
		}
	}
	in := func(k abi.SysvalKind, binding, element uint32) abi.Sysval {
		return abi.Sysval{Kind: k, Set: 1, Binding: binding, Element: element}
	}
	for _, c := range []struct {
		name    string
		launch  func() *emu.Launch
		s       abi.Sysval
		want    [4]uint32
		unknown bool
	}{
		{"groups", compute, in(abi.SysvalNumWorkgroups, 0, 0), [4]uint32{3, 4, 5}, false}, {"base", compute, in(abi.SysvalBaseWorkgroup, 0, 0), [4]uint32{6, 7, 8}, false},
		{"size of a group", compute, in(abi.SysvalWorkgroupSize, 0, 0), [4]uint32{8, 4, 4}, false}, {"dimensions", compute, in(abi.SysvalWorkDim, 0, 0), [4]uint32{3}, false},
		{"a buffer", compute, in(abi.SysvalSSBO, 0, 0), [4]uint32{0x3456789a, 0x12, 77}, false}, {"bytes of a buffer", compute, in(abi.SysvalUBOSize, 0, 1), [4]uint32{99}, false},
		{"texture", compute, abi.Sysval{Kind: abi.SysvalTextureSize, Set: 1, Binding: 1, Dim: ir.Dim2D, Array: true}, [4]uint32{16, 8, 3, 2}, false},
		{"level of a texture", compute, abi.Sysval{Kind: abi.SysvalTextureSize, Set: 1, Binding: 1, Dim: ir.Dim2D, Lod: 1}, [4]uint32{8, 4, 0, 2}, false},
		{"texels", compute, abi.Sysval{Kind: abi.SysvalImageSize, Set: 1, Binding: 2, Dim: ir.DimBuf}, [4]uint32{11}, false}, {"samples", compute, in(abi.SysvalTextureSamples, 1, 0), [4]uint32{1}, false},
		{"a sampler", compute, in(abi.SysvalSampler, 1, 0), [4]uint32{f(0.5), f(4), f(-1), f(1)}, false}, {"a sampler of one level", compute, in(abi.SysvalSampler, 1, 1), [4]uint32{f(1), f(2), f(0)}, false},
		{"the sink", compute, in(abi.SysvalSink, 0, 0), [4]uint32{0, uint32(sinkBase >> 32), 16, uint32(sinkBase >> 32)}, false},
		{"sample positions", compute, in(abi.SysvalSamplePositions, 0, 0), [4]uint32{0, uint32(sampleBase >> 32)}, false},
		{"offsets", vertex(false), in(abi.SysvalVertexOffsets, 0, 0), [4]uint32{100, 100, 20}, false}, {"offsets by indices", vertex(true), in(abi.SysvalVertexOffsets, 0, 0), [4]uint32{103, 100, 20}, false},
		{"draw", vertex(false), in(abi.SysvalDrawID, 0, 0), [4]uint32{5}, false}, {"view", vertex(false), in(abi.SysvalViewIndex, 0, 0), [4]uint32{2}, false},
		{"captured vertices", vertex(false), in(abi.SysvalNumVertices, 0, 0), [4]uint32{42}, false}, {"capture", vertex(false), in(abi.SysvalFeedback, 0, 0), [4]uint32{1, 1}, false},
		{"last capture", vertex(false), in(abi.SysvalFeedback, 0, 3), [4]uint32{4, 4}, false}, {"no capture", vertex(false), in(abi.SysvalFeedback, 0, 4), [4]uint32{}, false},
		{"capture of nothing", compute, in(abi.SysvalFeedback, 0, 0), [4]uint32{}, false}, {"vertices of nothing", compute, in(abi.SysvalNumVertices, 0, 0), [4]uint32{}, false},
		{"view of a fragment", fragment(1), in(abi.SysvalViewIndex, 0, 0), [4]uint32{3}, false}, {"layer", fragment(1), in(abi.SysvalLayer, 0, 0), [4]uint32{6}, false},
		{"one sample", fragment(1), in(abi.SysvalMultisampled, 0, 0), [4]uint32{}, false}, {"samples of a pixel", fragment(4), in(abi.SysvalMultisampled, 0, 0), [4]uint32{math.MaxUint32}, false},
		{"scale", fragment(1), in(abi.SysvalViewportScale, 0, 0), [4]uint32{f(2), f(3), f(4)}, false}, {"offset", fragment(1), in(abi.SysvalViewportOffset, 0, 0), [4]uint32{f(5), f(6), f(7)}, false},
		{"scale of no draw", compute, in(abi.SysvalViewportScale, 0, 0), [4]uint32{f(1), f(1), f(1)}, false}, {"offset of no draw", compute, in(abi.SysvalViewportOffset, 0, 0), [4]uint32{}, false},
		{"groups of a draw", vertex(false), in(abi.SysvalNumWorkgroups, 0, 0), [4]uint32{}, true}, {"draw of a dispatch", compute, in(abi.SysvalDrawID, 0, 0), [4]uint32{}, true},
		{"layer of a vertex", vertex(false), in(abi.SysvalLayer, 0, 0), [4]uint32{}, true},
	} {
		for _, check := range []bool{false, true} {
			l := c.launch()
			l.Env = env()
			w := &wave{p: &program{meta: computeMeta()}, l: l, check: check, garbage: emu.Poison(5)}
			got, again := w.sysval(&c.s), w.sysval(&c.s)
			if garbage := c.unknown && check; garbage != (got != again) || !garbage && got != c.want {
				t.Errorf("%s, checked %v: %#x, then %#x, want %#x", c.name, check, got, again, c.want)
			}
		}
	}
}
