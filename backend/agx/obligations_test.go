package agx_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"nirc"
	"nirc/backend"
	"nirc/backend/agx"
	"nirc/backend/gputest"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/passes"
	"nirc/run"
)

// obligations says which script shows that an obligation is met, by the convention with which
// shaders are compiled, both if none is said.
var obligations = []struct {
	fault, script, abi string
	refused            string // the script is skipped for this reason
	draw               func(t *testing.T, abi string) error
}{
	{fault: "faultBaseInstance", script: "base_instance"},
	{fault: "faultWrittenImage", script: "written_image"},
	{fault: "faultImageBarrier", script: "written_image"},
	{fault: "faultGuardLow", draw: wrappedOffset, abi: backend.MonolithicABI},
	{fault: "faultSubgroupBarrier", script: "subgroup_barrier"},
	{fault: "faultPatchBarrier", script: "patch_barrier"},
	{fault: "faultScratchSize", script: "scratch_size"},
	{fault: "faultPointSize", script: "point_size"},
	{fault: "faultSampleHalt", script: "sample_halt", abi: nirc.SeparateABI},
	{fault: "faultSamplePlace", script: "sample_place"},
	{fault: "faultHaltedIndex", script: "halted_index"},
	{fault: "faultEndedLanes", script: "ended_lanes"},
	{fault: "faultQuadIndex", script: "quad_index"},
	{fault: "faultPartialQuad", script: "partial_quad"},
	{fault: "faultPartialQuad", script: "partial_quad_vertex"},
	{fault: "faultPassFacts", script: "base_instance", abi: nirc.SeparateABI},
	{fault: "faultTexelRange", script: "texel_range"},
	{fault: "faultQuadrants", script: "quadrants"},
	{fault: "faultBufferRange", script: "buffer_range"},
	{fault: "faultEarlyTests", script: "early_tests"},
	{fault: "faultSideEffects", script: "sample_place"},
	{fault: "faultVaryingOrder", script: "varying_order"},
	{fault: "faultViewportCopy", script: "viewport_copy"},
	{fault: "faultViewportUnwritten", script: "viewport_copy"},
	{fault: "faultClipCopy", script: "clip_copy"},
	{fault: "faultFirstFan", script: "first_fan"},
	{fault: "faultInvalidPlane", script: "invalid_plane"},
	{fault: "faultWorkgroupFence", script: "workgroup_fence", abi: backend.MonolithicABI},
	{fault: "faultGroupBarrier", script: "workgroup_fence", abi: backend.MonolithicABI},
	{fault: "faultSampleDepth", script: "sample_depth"},
	{fault: "faultKeptDepth", script: "kept_depth", abi: nirc.SeparateABI},
	{fault: "faultNeverDepth", script: "never_depth", abi: nirc.SeparateABI},
	{fault: "faultSampleShading", draw: shadeSamples},
	{fault: "faultSampleMaskIn", draw: maskedSamples},
	{fault: "faultSamplerBias", draw: sampleBiased, abi: backend.MonolithicABI},
	{fault: "faultCoherent", script: "coherent", abi: backend.MonolithicABI},
	{fault: "faultDefaultSize", script: "default_size"},
	{fault: "faultLayer", draw: inputAttachment},
	{fault: "faultLinearTexels", script: "linear_texels", abi: backend.MonolithicABI},
	{fault: "faultTileWords", script: "tile_words", abi: nirc.SeparateABI},
	{fault: "faultCubeDepth", draw: countCubes, abi: backend.MonolithicABI},
	{fault: "faultWaits", script: "texel_range"},
	{fault: "faultPixelFence", script: "varying_order", abi: nirc.SeparateABI},
	{fault: "faultHelperWrites", script: "helper_writes"},
	{fault: "faultFinalStore", script: "varying_order"},
	{fault: "faultNestingStart", script: "halted_index"},
	{fault: "faultLayerRange", script: "layer_range"},
	{fault: "faultFlatTextures", script: "flat_textures"},
	{fault: "faultTestTwice", script: "discard_depth", abi: backend.MonolithicABI},
	{fault: "faultSlots", script: "slots"},
	{fault: "faultAttributeClamp", script: "attribute_clamp", abi: nirc.SeparateABI},
	{fault: "faultHalves", script: "base_instance"},
	{fault: "faultTraps", draw: endsInTraps, abi: backend.MonolithicABI},
	{fault: "faultTileBudget", script: "tile_budget", abi: nirc.SeparateABI, refused: "no tile holds them"},
	{fault: "faultInterlock", draw: interlocked},
	{fault: "faultResidencyBits", draw: residencyCodes, abi: backend.MonolithicABI},
	{fault: "faultTexelRoom", draw: texelMasks, abi: backend.MonolithicABI},
	{fault: "faultCubeGradients", draw: cubeGradients, abi: backend.MonolithicABI},
	{fault: "faultSpillStore", script: "scratch_size"},
	{fault: "faultResidencyWait", draw: residencyCodes, abi: backend.MonolithicABI},
	{fault: "faultMiddleWord", draw: strips},
	{fault: "faultLists", draw: strips},
	{fault: "faultFetchSampler", script: "texel_range"},
	{fault: "faultSampleThere", script: "sample_there"},
	{fault: "faultTileAlign", script: "tile_align", abi: nirc.SeparateABI},
	{fault: "faultAttachmentSamples", draw: sampleColours, abi: backend.MonolithicABI},
	{fault: "faultEmptyTile", draw: noTargets, abi: nirc.SeparateABI},
	{fault: "faultMaskedStore", draw: someComponents, abi: nirc.SeparateABI},
	{fault: "faultTranslucent", draw: someSamples, abi: nirc.SeparateABI},
	{fault: "faultTranslucent", draw: someTargets, abi: nirc.SeparateABI},
	{fault: "faultQueryDim", script: "query_dim"},
	{fault: "faultQuads", script: "query_dim"},
	{fault: "faultGatherLod", script: "texel_offsets"},
	{fault: "faultOddHalves", script: "texel_offsets"},
	{fault: "faultEmptyDispatch", draw: emptyDispatch, abi: backend.MonolithicABI},
	{fault: "faultEmptyDraw", draw: emptyDraw, abi: backend.MonolithicABI},
	{fault: "faultSoftFaults", draw: emptyPointer},
	{fault: "faultPartiallyBound", draw: fetchUnbound, abi: backend.MonolithicABI},
}

// TestObligations compiles without what meets an obligation of the hardware (agx.md §16) and
// demands that the core notices, or that the result is wrong.
func TestObligations(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	all := gputest.ReadObligations(t, "agx")
	for _, o := range obligations {
		abis := []string{"", nirc.SeparateABI}
		if o.abi != "" {
			abis = []string{o.abi}
		}
		for _, abi := range abis {
			all.Try(t, o.fault+" "+abi, all.Number(t, o.fault), agx.Break, func(t *testing.T) error {
				if o.draw != nil {
					return o.draw(t, abi)
				}
				r := runScript(t, o.script, abi)
				switch {
				case r.Verdict == amber.Fail:
					return errors.New(r.Reason)
				case r.Verdict == amber.Pass && o.refused == "" || r.Verdict == amber.Skip && o.refused != "" && strings.Contains(r.Reason, o.refused):
					return nil
				}
				t.Fatalf("%+v", r)
				return nil
			})
		}
	}
	all.Report(t, "agx")
}

// strips tells the vertices of strips and fans apart, by seeds of which some number them as Vulkan does, and some have the
// second one's values in word c.
func strips(t *testing.T, abi string) error {
	for seed := range uint64(8) {
		if r := runFile(t, "../../testdata/barycentric_strips.amber", abi, seed); r.Verdict != amber.Pass {
			return errors.New(r.Reason)
		}
	}
	return nil
}

// interlocked counts in memory in fragments of a pixel, one after the other, that run beside each other in some orders.
func interlocked(t *testing.T, abi string) error {
	for seed := range uint64(4) {
		if r := runFile(t, "../../testdata/interlock.amber", abi, seed); r.Verdict != amber.Pass {
			return errors.New(r.Reason)
		}
	}
	return nil
}

// shadeSamples draws a pixel of four samples in pipelines that shade each, with a fragment shader that
// interpolates and one that does not.
func shadeSamples(t *testing.T, abi string) error {
	t.Helper()
	for _, c := range []struct {
		color string
		want  [4]uint8
	}{{"vec4(v, 0, 1)", [4]uint8{96, 223, 32, 159}}, {"vec4(1, v.y * 0.0, 0, 1)", [4]uint8{255, 255, 255, 255}}, {"vec4(1)", [4]uint8{255, 255, 255, 255}}} {
		if err := shadePixel(t, abi, c.color, c.want); err != nil {
			return fmt.Errorf("%s: %w", c.color, err)
		}
	}
	return nil
}

// shadePixel draws such a pixel and wants samples' red.
func shadePixel(t *testing.T, abi, color string, want [4]uint8) error {
	t.Helper()
	modules := []*nirc.Module{
		prove.FromGLSL(t, ir.StageVertex, `#version 450
layout(location=0) out vec2 v;
void main() { vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1); v = at * 2.0; gl_Position = vec4(at * 4.0 - 1.0, 0, 1); }`),
		prove.FromGLSL(t, ir.StageFragment, `#version 450
layout(location=0) in vec2 v;
layout(location=0) out vec4 o;
layout(set=0, binding=0) buffer B { uint n; };
void main() { atomicAdd(n, 1u); o = `+color+`; }`)}
	img, err := emu.NewImage(emu.ImageDesc{Width: 1, Height: 1, Samples: 4, Format: emu.FormatByName("R8G8B8A8_UNORM")})
	if err != nil {
		t.Fatal(err)
	}
	counter := make([]byte, 4)
	x := &exec.Execution{Modules: modules, Options: nirc.Options{Target: "agx", ABI: abi, Level: passes.O2}, DrawParams: emu.DrawParams{VertexCount: 3, InstanceCount: 1},
		Draw: &emu.Pipeline{Topology: emu.TriangleList, Color: []emu.Attachment{{View: &emu.ImageView{Image: img}}},
			Multisample: emu.MultisampleState{Samples: 4, SampleShading: true}},
		Limits: emu.Limits{Check: true}, Bindings: []exec.Binding{{Data: counter}}}
	if err := exec.Execute(t.Context(), x); err != nil {
		return err
	}
	if counter[0] != 4 {
		return fmt.Errorf("%d invocations, want 4", counter[0])
	}
	for s, want := range want { // of the first, 255 times the place in x
		if got := img.Data[4*s]; got != want {
			return fmt.Errorf("sample %d has %d, want %d", s, got, want)
		}
	}
	return nil
}

// maskedSamples draws a pixel of four samples, of which the pipeline's mask leaves two, in the number that the
// shader finds in gl_SampleMaskIn.
func maskedSamples(t *testing.T, abi string) error {
	t.Helper()
	modules := []*nirc.Module{
		prove.FromGLSL(t, ir.StageVertex, `#version 450
void main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0, 1); }`),
		prove.FromGLSL(t, ir.StageFragment, `#version 450
layout(location=0) out vec4 o;
void main() { o = vec4(float(gl_SampleMaskIn[0]) / 255.0); }`)}
	img, err := emu.NewImage(emu.ImageDesc{Width: 1, Height: 1, Samples: 4, Format: emu.FormatByName("R8_UNORM")})
	if err != nil {
		t.Fatal(err)
	}
	mask := uint32(5)
	x := &exec.Execution{Modules: modules, Options: nirc.Options{Target: "agx", ABI: abi, Level: passes.O2}, DrawParams: emu.DrawParams{VertexCount: 3, InstanceCount: 1},
		Draw: &emu.Pipeline{Topology: emu.TriangleList, Color: []emu.Attachment{{View: &emu.ImageView{Image: img}}},
			Multisample: emu.MultisampleState{Samples: 4, Mask: &mask}},
		Limits: emu.Limits{Check: true}}
	if err := exec.Execute(t.Context(), x); err != nil {
		return err
	}
	if !bytes.Equal(img.Data, []byte{5, 0, 5, 0}) {
		return fmt.Errorf("the samples are %v, want 5 in the first and the third", img.Data)
	}
	return nil
}

// residencyCodes asks of eight texels, the last four of which have no memory, whether they are resident, and nothing else.
func residencyCodes(t *testing.T, _ string) error {
	t.Helper()
	m := prove.FromGLSL(t, ir.StageCompute, `#version 450
#extension GL_ARB_sparse_texture2 : require
layout(local_size_x=8) in;
layout(set=0, binding=0) uniform sampler2D s;
layout(std430, set=0, binding=1) buffer W { uint w[]; };
void main() {
  vec4 texel;
  w[gl_LocalInvocationIndex] = uint(sparseTexelsResidentARB(sparseTexelFetchARB(s, ivec2(gl_LocalInvocationIndex, 0), 0, texel)));
}`)
	img, err := emu.NewImage(emu.ImageDesc{Width: 8, Height: 1, Format: emu.FormatByName("R8_UNORM")})
	if err != nil {
		t.Fatal(err)
	}
	img.Unbound = []emu.Unbound{{From: 4, To: 8}}
	w := make([]byte, 32)
	x := &exec.Execution{Modules: []*nirc.Module{m}, Options: nirc.Options{Target: "agx", Level: passes.O2}, Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true},
		Bindings: []exec.Binding{{Binding: 0, Image: img}, {Binding: 1, Data: w}}}
	if err := exec.Execute(t.Context(), x); err != nil {
		return err
	}
	for i := range 8 {
		if got := w[4*i] != 0; got != (i < 4) {
			return fmt.Errorf("texel %d is resident: %v", i, got)
		}
	}
	return nil
}

// cubeGradients samples a cube of two levels by derivatives that choose either.
func cubeGradients(t *testing.T, _ string) error {
	t.Helper()
	m := prove.FromGLSL(t, ir.StageCompute, `#version 450
layout(local_size_x=2) in;
layout(set=0, binding=0) uniform samplerCube c;
layout(std430, set=0, binding=1) buffer W { float w[]; };
void main() {
  uint k = gl_LocalInvocationIndex;
  w[k] = textureGrad(c, vec3(1, 0.1, 0.2), vec3(0, float(k * 8), 0), vec3(0, 0, float(k * 8))).x;
}`)
	img, err := emu.NewImage(emu.ImageDesc{Width: 2, Height: 2, Layers: 6, Mips: 2, Format: emu.FormatByName("R8_UNORM")})
	if err != nil {
		t.Fatal(err)
	}
	for i := range img.LevelBytes(1) {
		img.LevelBytes(1)[i] = 255
	}
	o := nirc.Options{Target: "agx", Level: passes.O2}
	if agx.CubesBroken() {
		if o.Pipelines, err = passes.Load(bytes.Replace(nirc.PipelineFile(), []byte("\n    - lower_tex: {projector: true, txd: cube, implicit_lod: true, group_lod: true}\n"), []byte("\n    - lower_tex: {projector: true, implicit_lod: true, group_lod: true}\n"), 1), "pipeline.yaml"); err != nil {
			t.Fatal(err)
		}
	}
	w := make([]byte, 8)
	x := &exec.Execution{Modules: []*nirc.Module{m}, Options: o, Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true},
		Bindings: []exec.Binding{{Binding: 0, Image: img}, {Binding: 1, Data: w}}}
	if err := exec.Execute(t.Context(), x); err != nil {
		return err
	}
	if got := [2]float32{math.Float32frombits(uint32(emu.LoadBytes(w, 4))), math.Float32frombits(uint32(emu.LoadBytes(w[4:], 4)))}; got != [2]float32{0, 1} {
		return fmt.Errorf("the levels give %v, not 0 and 1", got)
	}
	return nil
}

// inputAttachment draws to layer 1 of a framebuffer what an input attachment has there.
func inputAttachment(t *testing.T, abi string) error {
	t.Helper()
	modules := []*nirc.Module{
		prove.FromGLSL(t, ir.StageVertex, `#version 450
#extension GL_ARB_shader_viewport_layer_array : require
void main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0, 1); gl_Layer = 1; }`),
		prove.FromGLSL(t, ir.StageFragment, `#version 450
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput a;
layout(location=0) out vec4 o;
void main() { o = subpassLoad(a); }`)}
	image := func() *emu.Image {
		img, err := emu.NewImage(emu.ImageDesc{Width: 2, Height: 2, Layers: 2, Format: emu.FormatByName("R8_UNORM")})
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	source, target := image(), image()
	copy(source.Data, "abcdefgh")
	x := &exec.Execution{Modules: modules, Options: nirc.Options{Target: "agx", ABI: abi, Level: passes.O2}, DrawParams: emu.DrawParams{VertexCount: 3, InstanceCount: 1},
		Draw:   &emu.Pipeline{Topology: emu.TriangleList, Color: []emu.Attachment{{View: &emu.ImageView{Image: target}}}},
		Limits: emu.Limits{Check: true}, Bindings: []exec.Binding{{Image: source}}}
	if err := exec.Execute(t.Context(), x); err != nil {
		return err
	}
	if got, want := string(target.Data), "\x00\x00\x00\x00efgh"; got != want {
		return fmt.Errorf("%q is drawn, want %q", got, want)
	}
	return nil
}

// wrappedOffset stores to a robust buffer at an index of -1, and inside of it.
func wrappedOffset(t *testing.T, _ string) error {
	t.Helper()
	file := "testdata/obligations/guard.nir"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := nirc.Load(text, file)
	if err != nil {
		t.Fatal(err)
	}
	v, i := make([]byte, 32), []byte{255, 255, 255, 255, 1, 0, 0, 0}
	d := run.Dispatch{Module: m, Options: nirc.Options{Target: "agx", Level: passes.O2, Robust: ir.Robust{Storage: ir.Robust1}}, Groups: [3]uint32{1, 1, 1},
		Buffers: []run.Buffer{{Binding: 0, Data: v}, {Binding: 1, Data: i}}}
	if err := d.Run(t.Context()); err != nil {
		return err
	}
	if want := append(make([]byte, 16), bytes.Repeat([]byte{0, 0, 0xe0, 0x40}, 4)...); !bytes.Equal(v, want) {
		return fmt.Errorf("the buffer holds % x, want % x", v, want)
	}
	return nil
}

// sampleBiased samples a texture whose levels are their numbers with samplers of which one has a LOD
// bias of 1, in all the ways in which a level is chosen.
func sampleBiased(t *testing.T, _ string) error {
	t.Helper()
	vs := prove.FromGLSL(t, ir.StageVertex, `#version 450
void main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0, 1); }`)
	fs := prove.FromGLSL(t, ir.StageFragment, `#version 450
layout(set=0, binding=0) uniform sampler2D a;
layout(set=0, binding=1) uniform sampler2D b[2];
layout(set=0, binding=2) uniform U { int one; };
layout(set=0, binding=3) buffer B { float n[8]; };
layout(location=0) out vec4 o;
void main() {
  vec2 p = gl_FragCoord.xy / 16.0, dx = vec2(2.0 / 16.0, 0), dy = vec2(0, 2.0 / 16.0);
  float v[8] = float[8](texture(a, p).x, texture(a, p, 1.0).x, textureLod(a, p, 0.5).x, textureGrad(a, p, dx, dy).x, texture(b[one], p).x,
    textureGrad(b[one], p, dx, dy).x, textureQueryLod(a, p).x, textureLod(b[1 - one], p, 1.0).x);
  if (ivec2(gl_FragCoord.xy) == ivec2(0)) for (int i = 0; i < 8; i++) n[i] = v[i];
  o = vec4(1);
}`)
	o := nirc.Options{Target: "agx", Level: passes.O2}
	program := func(m *nirc.Module, stage ir.Stage) emu.Program {
		o.Stage = stage
		p, _, err := exec.Executable(t.Context(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	image := func(w, mips int, format string) *emu.Image {
		img, err := emu.NewImage(emu.ImageDesc{Width: w, Height: w, Mips: mips, Format: emu.FormatByName(format)})
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	tex, mem, table := image(16, 5, "R32_SFLOAT"), emu.NewMemory(), &emu.Bindings{}
	for level := range 5 {
		data := tex.LevelBytes(level)
		for i := 0; i < len(data); i += 4 {
			emu.StoreBytes(data[i:], 4, uint64(math.Float32bits(float32(level))))
		}
	}
	sampled := func(bias float32) emu.Descriptor {
		return emu.Descriptor{Type: emu.DescCombinedImageSampler, Image: &emu.ImageView{Image: tex},
			Sampler: &emu.Sampler{Mag: emu.FilterLinear, Min: emu.FilterLinear, Mip: emu.MipLinear, LodBias: bias, MaxLod: emu.LodNone}}
	}
	buffer := func(kind emu.DescriptorType, data ...byte) []byte {
		b := mem.Alloc(max(32, len(data)))
		copy(b.Data, data)
		table.Set(0, map[emu.DescriptorType]uint32{emu.DescUniformBuffer: 2, emu.DescStorageBuffer: 3}[kind], []emu.Descriptor{{Type: kind, Addr: b.Addr, Size: uint64(len(b.Data))}})
		return b.Data
	}
	table.Set(0, 0, []emu.Descriptor{sampled(1)})
	table.Set(0, 1, []emu.Descriptor{sampled(0), sampled(2)})
	buffer(emu.DescUniformBuffer, 1, 0, 0, 0)
	out := buffer(emu.DescStorageBuffer)
	p := &emu.Pipeline{Topology: emu.TriangleList, Vertex: program(vs, ir.StageVertex), Fragment: program(fs, ir.StageFragment), Env: &emu.Env{Mem: mem, Bindings: table},
		Color: []emu.Attachment{{View: &emu.ImageView{Image: image(4, 1, "R8G8B8A8_UNORM")}}}}
	if err := exec.LinkPipeline(t.Context(), "agx", p); err != nil {
		t.Fatal(err)
	}
	if err := emu.Draw(t.Context(), p, emu.DrawParams{VertexCount: 3, InstanceCount: 1, Limits: emu.Limits{Check: true}}); err != nil {
		return err
	}
	for i, want := range []float32{1, 2, 1.5, 2, 2, 3, 1, 1} {
		if got := math.Float32frombits(uint32(emu.LoadBytes(out[4*i:], 4))); !(math.Abs(float64(got-want)) <= 0.01) {
			return fmt.Errorf("level %d is %v, want %v", i, got, want)
		}
	}
	return nil
}

// endsInTraps runs a program to its end.
func endsInTraps(t *testing.T, _ string) error {
	t.Helper()
	m := prove.FromGLSL(t, ir.StageCompute, "#version 450\nlayout(local_size_x=1) in;\nlayout(set=0, binding=0) buffer B { int n; };\nvoid main() { n = 1; }")
	p, _, err := exec.Executable(t.Context(), m, nirc.Options{Target: "agx", Level: passes.O2})
	if err != nil {
		t.Fatal(err)
	}
	mem, table := emu.NewMemory(), &emu.Bindings{}
	table.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: mem.Alloc(4).Addr, Size: 4}})
	return emu.Dispatch(t.Context(), p, &emu.Env{Mem: mem, Bindings: table}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}})
}

// countCubes asks for the size of an array of four cubes, as a texture and as a storage image.
func countCubes(t *testing.T, _ string) error {
	t.Helper()
	m := prove.FromGLSL(t, ir.StageCompute, `#version 450
layout(local_size_x=1) in;
layout(set=0, binding=0) uniform samplerCubeArray c;
layout(set=0, binding=1, r32f) uniform readonly imageCubeArray d;
layout(set=0, binding=2) buffer B { ivec3 n, k; };
void main() { n = textureSize(c, 0); k = imageSize(d); }`)
	o := nirc.Options{Target: "agx", Level: passes.O2}
	if agx.CubeSizesBroken() {
		file, err := passes.Load(bytes.ReplaceAll(nirc.PipelineFile(), []byte("\n    - lower_image: {cube_size: true}\n"), []byte("\n")), "pipeline.yaml")
		if err != nil {
			t.Fatal(err)
		}
		o.Pipelines = file
	}
	p, _, err := exec.Executable(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	img, err := emu.NewImage(emu.ImageDesc{Width: 8, Height: 8, Layers: 24, Format: emu.FormatByName("R32_SFLOAT")})
	if err != nil {
		t.Fatal(err)
	}
	mem, table := emu.NewMemory(), &emu.Bindings{}
	out := mem.Alloc(32)
	table.Set(0, 0, []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Image: &emu.ImageView{Image: img}, Sampler: &emu.Sampler{}}})
	table.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageImage, Image: &emu.ImageView{Image: img}}})
	table.Set(0, 2, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 32}})
	err = emu.Dispatch(t.Context(), p, &emu.Env{Mem: mem, Bindings: table}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}})
	if n, k := out.Data[8], out.Data[24]; err == nil && (n != 4 || k != 4) {
		return fmt.Errorf("%d cubes of the texture, %d of the image, want 4", n, k)
	}
	return err
}

// emptyDispatch reads early by a pointer, and at an index, that are good only if there are workgroups: first there are, then there are not.
func emptyDispatch(t *testing.T, _ string) error {
	t.Helper()
	m := prove.FromGLSL(t, ir.StageCompute, `#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x=32) in;
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer In { uint v[]; };
layout(set=0, binding=0) writeonly buffer Out { uint o[]; };
layout(set=0, binding=1) readonly buffer Table { uint t[]; };
layout(push_constant) uniform P { In i; uint n; };
void main() { o[gl_LocalInvocationIndex] = i.v[1] + t[n]; }`)
	p, _, err := exec.Executable(t.Context(), m, nirc.Options{Target: "agx", Level: passes.O2})
	if err != nil {
		t.Fatal(err)
	}
	mem, table := emu.NewMemory(), &emu.Bindings{}
	out, in := mem.Alloc(128), mem.Alloc(8)
	in.Data[0], in.Data[4] = 3, 2
	table.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 128}})
	table.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: in.Addr, Size: 8}})
	dispatch := func(groups, index uint32, addr uint64) error {
		push := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, addr), index)
		return emu.Dispatch(t.Context(), p, &emu.Env{Mem: mem, Bindings: table, Push: push},
			emu.DispatchParams{Groups: [3]uint32{1, groups, 1}, Limits: emu.Limits{Check: true}})
	}
	if err := dispatch(1, 0, in.Addr); err != nil || out.Data[124] != 5 {
		t.Fatalf("sum %d, %v", out.Data[124], err)
	}
	return errors.Join(dispatch(0, 0, in.Addr+1<<44), dispatch(0, 1<<30, in.Addr))
}

// modules keeps what glslangValidator makes of the scripts.
var modules amber.ModuleCache

func runScript(t *testing.T, name, abi string) amber.Result {
	t.Helper()
	return runFile(t, "testdata/obligations/"+name+".amber", abi, 0)
}

// runFile runs a script in the checking mode, by a seed.
func runFile(t *testing.T, file, abi string, seed uint64) amber.Result {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := amber.Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	target, err := exec.AmberTarget(nirc.Options{Target: "agx", ABI: abi, Level: passes.O2})
	if err != nil {
		t.Fatal(err)
	}
	return (&amber.Runner{Target: target, Modules: &modules, Limits: emu.Limits{Check: true, Seed: seed}}).Run(t.Context(), s)
}
