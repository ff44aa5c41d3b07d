package midgard

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"nirc/backend"
	"nirc/backend/gputest"
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/core"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
	"nirc/passes"
)

// Each obligation of midgard.md §17 is met, and if the step that meets it is left out the
// core notices, or what the shader leaves is wrong.
func TestObligations(t *testing.T) {
	programs.Hold(t)
	all := gputest.ReadObligations(t, "midgard")
	for _, o := range obligations {
		all.Try(t, o.name, int(o.fault), func(number int) { faults = fault(number) }, func(*testing.T) error { return o.run() })
	}
	all.Report(t, "midgard")
}

// obligations are the faults and what shows each: an error without it is a mistake.
var obligations = []struct {
	name  string
	fault fault
	run   func() error
}{
	{"the vertex program does the viewport transform", faultViewport, drawsAlike(positions, plainColor)},
	{"the point size is at least 1", faultPointSize, pointSize},
	{"the second colour of dual-source blending is in r2 at the writeout", faultSecondColor, secondColor},
	{"gl_BaseVertex is the base, not where raw ids begin", faultBaseVertex, drawsAlike(baseVertex, plainColor)},
	{"texel fetches have a sampler", faultFetchSampler, fetchWithoutSampler},
	{"blend programs read sample 0 of the tile", faultTileSample, func() error { return tileSample("") }},
	{"chips without LD_TILEBUFFER read the tile as a special value", faultTileLoad, func() error { return tileSample("t720") }},
	{"the tile is read after the wait for it", faultTileWait, drawsAlike(positions, moreColor)},
	{"the depth is read before the fragment is tested", faultReadsDepth, drawsAlike(positions, depthColor)},
	{"bound uniform buffers are no uniform registers", faultUniformBuffer, uniformBuffer},
	{"a demoted thread takes part in derivatives", faultDemote, drawsAlike(positions, demoted)},
	{"helper threads write no memory", faultHelperWrites, helperWrites},
	{"a demoted thread knows that it is a helper", faultHelperFlag, drawsAlike(positions, demotedFlag)},
	{"loads stay on their side of memory barriers", faultLoadOrder, messages},
	{"accesses out of bounds touch nothing, wherever buffers lie", faultBounds, outOfBounds},
	{"uniform buffers give zeros beyond their end", faultUniformBounds, beyondUniform},
	{"fragments that distances cut off are dropped", faultClip, clipDistances},
	{"threads of a large workgroup have few registers", faultWorkgroup, largeWorkgroup},
	{"vertex inputs are loaded by their type", faultAttributeType, drawsAlike(attributed, plainColor)},
	{"varyings are loaded by the type of the instruction", faultVaryingAuto, drawsAlike(linear, linearColor)},
	{"inputs without perspective are loaded with it", faultPerspective, drawsAlike(linear, linearColor)},
	{"the one sample of a pixel is its centre", faultSampleThere, drawsAlike(linear, sampleColor)},
	{"outputs without perspective leave multiplied by w", faultLinear, drawsAlike(linear, linearColor)},
	{"the condition of a branch is made in stage 2", faultBranchStage, drawsAlike(positions, branches)},
	{"atomics on images touch texels of theirs alone", faultTexelRange, texelRange},
	{"fragments know the layer that is drawn to", faultLayer, drawsAlike(positions, layerColor)},
	{"bounds of explicit LODs hold with the sampler's bias", faultLodClamp, drawsAlike(positions, boundedLod)},
	{"immediate offsets of uniform buffers have no sign", faultUBOOffset, farUniform},
	{"threads of a workgroup wait for each other", faultBarrier, func() error { return runPassed(passedShared, wholeBarrier) }},
	{"the metadata has the barriers", faultBarrierFlag, func() error { return runPassed(passedShared, wholeBarrier) }},
	{"64-bit addresses are halves of a register", faultLongPair, func() error { return runPassed(passedBuffer, wholeBarrier) }},
	{"the comparand of an exchange is no index", faultExchangeFormat, func() error { return runPassed(passedSwap, wholeBarrier) }},
	{"accesses are aligned", faultAlignment, misaligned},
	{"the metadata has all work registers", faultWorkRegs, drawsAlike(positions, plainColor)},
	{"the metadata asks for quads where derivatives are", faultQuads, drawsAlike(positions, demoted)},
	{"helper threads run on after a derivative", faultHelpers, drawsAlike(positions, secondDerivative)},
	{"helper threads have the results that later derivatives are made of", faultSkippedResults, drawsAlike(positions, secondDerivative)},
	{"nothing reads a lookup's result before it is there", faultOutOfOrder, drawsAlike(positions, secondDerivative)},
	{"varyings are stored beside varyings alone", faultVaryPairs, drawsAlike(storing, plainColor)},
	{"tags of writeouts are those of the chip", faultUpperTags, upperTags},
	{"samplers that ignore explicit LODs are done by the shader", faultBrokenLOD, limitedLod},
	{"gathers have the texels row by row", faultGatherOrder, gatherOrder},
	{"coordinates beyond 16 bits are outside of images", faultTexelCoords, farTexel},
	{"transform feedback is stored by the program", faultFeedback, feedback},
	{"varyings that nothing feeds are refused", faultUnfed, unfedInput},
	{"textures in blend programs are refused where their results land on the colour", faultBlendTexture, blendTexture},
	{"a layout of more uniform buffers than the table counts is refused", faultUBOCount, manyBuffers},
	{"the table has the buffers that are read", faultMissingUBO, drawsAlike(positions, thirdBuffer)},
	{"results of a stage land apart", faultStagePairs, deadResults},
	{"modules cannot demand that denormals are flushed or kept", faultDenormals, denormals},
	{"what is spilled is stored", faultSpillStore, spilled},
	{"bits are counted, whatever IPOPCNT counts", faultBitCount, bitCounts},
	{"the condition of a scalar select is made by SADD", faultSelectUnit, randomBundles},
	{"VMUL takes the first pipeline register", faultPipeOrder, randomBundles},
	{"reductions do not widen and narrow at once", faultWidenedSum, halfDots},
	{"the tile has pixels in forms of its own", faultTileForm, tileForms},
	{"blend programs have no buffers of their own", faultBlendUniforms, blendUniforms},
	{"each access has its operands written for it", faultStaleInput, storedAgain},
	{"uniform buffers stand where the pipeline's layout has them", faultSlots, drawsAlike(positions, thirdBuffer)},
}

// linear makes a triangle with w other than 1 and a value for each vertex, which linearColor
// paints without perspective, at the pixel's centre and at the centroid.
var linear = strings.NewReplacer("outputs_written=0x1 ", "outputs_written=0x100000001 ", "      store_output %12", `      %20:32 = fadd %4, %6
      store_output %20, %0 base=32 range=1 write_mask=x src_type=f32 io_semantics={VAR0 1}
      store_output %12`, "%11:32 = load_const 0x40000000", `%21:32 = load_const 0x3f800000
      %11:32 = fadd %21, %4`).Replace(positions)

//go:embed testdata/ir/linear_color.nir
var linearColor string

// sampleColor paints how far what is interpolated at samples that the pixel does not have is from what is at its centre.
//
//go:embed testdata/ir/sample_color.nir
var sampleColor string

// boundedLod paints the colour of a level that a bound gives, and that of one that the LOD and the sampler's bias give.
//
//go:embed testdata/ir/bounded_lod.nir
var boundedLod string

// moreColor adds to the colour that is there, of triangles of one place: each finds what those before it have left.
//
//go:embed testdata/ir/more_color.nir
var moreColor string

// depthColor adds the depth that is there to the colour, of triangles of one place: the first finds none.
//
//go:embed testdata/ir/depth_color.nir
var depthColor string

// layerColor paints the number of the layer.
//
//go:embed testdata/ir/layer_color.nir
var layerColor string

// attributed adds an attribute of floats to the position.
var attributed = strings.NewReplacer("%11:32 = load_const 0x40000000", `%11:32 = load_input %0 dest_type=f32 io_semantics={ATTRIB0 1}`).Replace(positions)

// branches discards by a comparison.
//
//go:embed testdata/ir/branches.nir
var branches string

// texelRange adds to texels of images, and to some that there are not.
func texelRange() error {
	_, p, err := loadText(sampleArrays, CompileOptions{})
	if err != nil {
		return err
	}
	env, _, _ := sampleWorld(new(testing.T))
	params := emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}
	params.Check = true
	return emu.Dispatch(context.Background(), p, env, params)
}

//go:embed testdata/ir/far_uniform.nir
var farUniformText string

// farUniform reads the last words of a uniform buffer of 64 KiB, at a constant offset and at an index.
func farUniform() error {
	_, p, err := loadText(farUniformText, CompileOptions{})
	if err != nil {
		return err
	}
	env := &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
	ubo, out := env.Mem.Alloc(1<<16), env.Mem.Alloc(8)
	copy(ubo.Data[1<<16-8:], "abcdefgh")
	env.Bindings.Set(0, 0, []emu.Descriptor{{Type: emu.DescUniformBuffer, Addr: ubo.Addr, Size: 1 << 16}})
	env.Bindings.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 8}})
	params := emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}
	params.Check = true
	if err := emu.Dispatch(context.Background(), p, env, params); err != nil {
		return err
	}
	if string(out.Data) != "abcdefgh" {
		return fmt.Errorf("the end of the buffer reads %q", out.Data)
	}
	return nil
}

// run compiles a shader of IR text and loads it on the core.
func loadText(text string, opts CompileOptions) (*ir.Shader, emu.Program, error) {
	s, err := ir.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	s.Options.Robust.Storage, s.Options.Robust.Images = ir.Robust2, ir.Robust2
	p, err := load(s, opts)
	return s, p, err
}

func load(s *ir.Shader, opts CompileOptions) (emu.Program, error) {
	bin, err := compile(s, opts)
	if err != nil {
		return nil, err
	}
	return core.LoadFresh(bin.Code, &bin.Meta)
}

// positions makes a triangle of the vertex index with w other than 1, plainColor paints
// what it covers.
//
//go:embed testdata/ir/positions.nir
var positions string

// thirdBuffer paints the colour of a uniform buffer, the only one that it reads.
//
//go:embed testdata/ir/third_buffer.nir
var thirdBuffer string

//go:embed testdata/ir/plain_color.nir
var plainColor string

// baseVertex moves a triangle by gl_BaseVertex.
//
//go:embed testdata/ir/base_vertex.nir
var baseVertex string

// drawnSize is how many pixels a picture has in a row.
const drawnSize = 16

// drawTimes draws so many instances of three indexed vertices and returns the picture.
func drawTimes(vs, fs emu.Program, topology emu.Topology, instances uint32) ([][4]uint32, error) {
	return drawSamples(vs, fs, topology, instances, 1)
}

// drawSamples draws with so many samples a pixel, whose colours it returns one sample after the other.
func drawSamples(vs, fs emu.Program, topology emu.Topology, instances uint32, samples int) ([][4]uint32, error) {
	img, err := emu.NewImage(emu.ImageDesc{Width: drawnSize, Height: drawnSize, Layers: 3, Samples: samples, Format: emu.FormatByName("R8G8B8A8_UNORM")})
	if err != nil {
		return nil, err
	}
	depth, err := emu.NewImage(emu.ImageDesc{Width: drawnSize, Height: drawnSize, Layers: 3, Samples: samples, Format: emu.FormatByName("D32_SFLOAT")})
	if err != nil {
		return nil, err
	}
	view := &emu.ImageView{Image: img}
	p := &emu.Pipeline{Vertex: vs, Fragment: fs, Env: drawnEnv(), Topology: topology, Layer: 2,
		DepthStencil: emu.Attachment{View: &emu.ImageView{Image: depth}}, Depth: emu.DepthState{Test: true, Write: true, Compare: emu.CompareAlways},
		Viewports: []emu.Viewport{{X: 2, Y: 1, Width: 12, Height: 10, MinDepth: 0.25, MaxDepth: 0.75}}, Color: []emu.Attachment{{View: view}}}
	w := make([]byte, 4*7)
	for i := range 7 {
		binary.LittleEndian.PutUint32(w[4*i:], math.Float32bits(float32(1+i&1)))
	}
	p.Bindings = []emu.VertexBinding{{Data: w, Stride: 4}}
	p.Attributes = []emu.VertexAttribute{{Format: emu.FormatByName("R32_SFLOAT")}}
	index := make([]byte, 6)
	for i := range 3 {
		binary.LittleEndian.PutUint16(index[2*i:], uint16(i))
	}
	params := emu.DrawParams{VertexCount: 3, InstanceCount: instances, Index: &emu.IndexBuffer{Data: index, Bytes: 2}, VertexOffset: 4}
	params.Check = true
	if err := emu.Draw(context.Background(), p, params); err != nil {
		return nil, err
	}
	var list [][4]uint32
	for i := range drawnSize * drawnSize * samples {
		at := i % (drawnSize * drawnSize)
		list = append(list, view.Load(at%drawnSize, at/drawnSize, 2, 0, i/(drawnSize*drawnSize)))
	}
	return list, nil
}

// drawnEnv binds a colour as a uniform buffer at binding 2.
func drawnEnv() *emu.Env {
	env := &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
	buf := env.Mem.Alloc(16)
	for i, v := range []float32{0.5, 1, 0.25, 1} {
		binary.LittleEndian.PutUint32(buf.Data[4*i:], math.Float32bits(v))
	}
	env.Bindings.Set(0, 2, []emu.Descriptor{{Type: emu.DescUniformBuffer, Addr: buf.Addr, Size: 16}})
	img, err := emu.NewImage(emu.ImageDesc{Width: 8, Height: 8, Mips: 4, Format: emu.FormatByName("R8_UNORM")})
	if err != nil {
		panic(err) // of a format that there is
	}
	for level := range 4 {
		for i := range img.LevelBytes(level) {
			img.LevelBytes(level)[i] = byte(10 + 50*level)
		}
	}
	env.Bindings.Set(0, 3, []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Image: &emu.ImageView{Image: img},
		Sampler: &emu.Sampler{Mip: emu.MipLinear, LodBias: 1, MaxLod: emu.LodNone}}})
	return env
}

// drawsAlike compares the pictures of the core and of the interpreter.
func drawsAlike(vertex, fragment string) func() error {
	return func() error {
		vs, vp, err := loadText(vertex, CompileOptions{Linear: backend.LinearOf(1)})
		if err != nil {
			return err
		}
		fs, fp, err := loadText(fragment, CompileOptions{})
		if err != nil {
			return err
		}
		return alike(vs, fs, vp, fp)
	}
}

func alike(vs, fs *ir.Shader, vp, fp emu.Program) error {
	vi, err := interp.New(vs, interp.Options{})
	if err != nil {
		return err
	}
	fi, err := interp.New(fs, interp.Options{})
	if err != nil {
		return err
	}
	want, err := drawTimes(vi, fi, emu.TriangleList, 3)
	if err != nil {
		return fmt.Errorf("interpreter: %w", err)
	}
	got, err := drawTimes(vp, fp, emu.TriangleList, 3)
	if err != nil {
		return err
	}
	drawn := 0
	for i := range want {
		if want[i] != got[i] {
			return fmt.Errorf("pixel (%d, %d) is %v, want %v", i%drawnSize, i/drawnSize, got[i], want[i])
		}
		if want[i] != want[len(want)-1] {
			drawn++
		}
	}
	if drawn < 3 {
		return fmt.Errorf("%d pixels are drawn", drawn)
	}
	return nil
}

// vertexOut runs one vertex and returns its outputs.
func vertexOut(text string) (*emu.Slots, error) {
	_, p, err := loadText(text, CompileOptions{})
	if err != nil {
		return nil, err
	}
	l := &emu.Launch{NumLanes: 1, Check: true, Out: make([]emu.Slots, 1), Vertex: make([]emu.VertexLane, 1), Inputs: make([][]emu.Vec4, 1),
		Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}}
	if st, err := p.NewWave(l).Run(1000); err != nil || st != emu.StatusDone {
		return nil, fmt.Errorf("status %d, %w", st, err)
	}
	return &l.Out[0], nil
}

//go:embed testdata/ir/point_size.nir
var pointSizeText string

func pointSize() error {
	out, err := vertexOut(pointSizeText)
	if err != nil {
		return err
	}
	if v := math.Float32frombits(out[ir.SlotPointSize][0]); v != 1 {
		return fmt.Errorf("a point size of 0.25 is stored as %v", v)
	}
	return nil
}

// fragmentOut runs a quad of a fragment program in checking mode.
func fragmentOut(p emu.Program, l *emu.Launch) error {
	if l.Env == nil {
		l.Env = &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
	}
	l.NumLanes, l.Check, l.Out = 4, true, make([]emu.Slots, 4)
	if len(l.Fragment) == 0 {
		for i := range int32(4) {
			l.Fragment = append(l.Fragment, emu.FragmentLane{X: i & 1, Y: i >> 1, SampleID: -1, Coverage: 1, Prim: &emu.Primitive{}})
		}
	}
	if st, err := p.NewWave(l).Run(10000); err != nil || st != emu.StatusDone {
		return fmt.Errorf("status %d, %w", st, err)
	}
	return nil
}

//go:embed testdata/ir/second_color.nir
var secondColorText string

func secondColor() error {
	_, p, err := loadText(secondColorText, CompileOptions{})
	if err != nil {
		return err
	}
	l := &emu.Launch{}
	if err := fragmentOut(p, l); err != nil {
		return err
	}
	if v := l.Out[0][ir.SlotData0+7]; v != (emu.Vec4{0x3f800000, 0x3e800000, 0x3f000000, 0x3f800000}) {
		return fmt.Errorf("the second colour is %x", v)
	}
	return nil
}

//go:embed testdata/ir/fetch_without_sampler.nir
var fetchWithoutSamplerText string

func fetchWithoutSampler() error {
	_, p, err := loadText(fetchWithoutSamplerText, CompileOptions{})
	if err != nil {
		return err
	}
	l := &emu.Launch{Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}}
	l.Env.Bindings.Set(0, 0, []emu.Descriptor{gputest.Picture()})
	return fragmentOut(p, l)
}

func tileSample(gpu string) error {
	f := emu.FormatByName("R8G8B8A8_UNORM")
	bin, err := compile(blendShader(f, 0), CompileOptions{GPU: gpu, Blend: f.Name})
	if err != nil {
		return err
	}
	p, err := core.LoadFresh(bin.Code, &bin.Meta)
	if err != nil {
		return err
	}
	img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 4, Format: f})
	if err != nil {
		return err
	}
	return fragmentOut(p, &emu.Launch{Draw: &emu.Pipeline{Color: []emu.Attachment{{View: &emu.ImageView{Image: img}}}}})
}

//go:embed testdata/ir/uniform_buffer.nir
var uniformBufferText string

func uniformBuffer() error {
	_, _, err := loadText(uniformBufferText, CompileOptions{})
	return err
}

func largeWorkgroup() error {
	for _, size := range []uint32{64, 65, 128, 129, 256} {
		s := gputest.Random{Seed: 7, Size: 40, Comps: 4}.Shader()
		s.Info.WorkgroupSize, s.SharedSize = [3]uint32{size, 1, 1}, 16
		if _, err := compile(s, CompileOptions{}); err != nil {
			return fmt.Errorf("%d threads: %w", size, err)
		}
	}
	s := gputest.Random{Seed: 7, Size: 40, Comps: 4}.Shader()
	s.Info.WorkgroupSize = [3]uint32{257, 1, 1}
	if _, err := compile(s, CompileOptions{}); err == nil {
		return errors.New("257 threads are accepted")
	}
	return nil
}

// secondDerivative paints a derivative of what a derivative goes into.
//
//go:embed testdata/ir/second_derivative.nir
var secondDerivative string

// demoted paints derivatives of what is computed after every other pixel was demoted.
//
//go:embed testdata/ir/demoted.nir
var demoted string

// demotedFlag writes the depth that a demoted neighbour's flag is.
//
//go:embed testdata/ir/demoted_flag.nir
var demotedFlag string

//go:embed testdata/ir/helper_writes.nir
var helperWritesText string

// helperWrites counts fragments whose quads have helpers.
func helperWrites() error {
	s, err := ir.Parse(helperWritesText)
	if err != nil {
		return err
	}
	list := []string{"lower_helper_writes", "lower_bool_to_int32"}
	if faults.has(faultHelperWrites) {
		list = list[1:]
	}
	for _, name := range list {
		if _, err := passes.Find(name).Run(&passes.Context{}, s); err != nil {
			return err
		}
	}
	bin, err := compile(s, CompileOptions{})
	if err != nil {
		return err
	}
	p, err := core.LoadFresh(bin.Code, &bin.Meta)
	if err != nil {
		return err
	}
	l := &emu.Launch{Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}}
	at := l.Env.Mem.Alloc(16)
	l.Env.Bindings.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: at.Addr, Size: 16}})
	for i := range int32(4) {
		l.Fragment = append(l.Fragment, emu.FragmentLane{X: i & 1, Y: i >> 1, SampleID: -1, Coverage: uint32(1 &^ (i & 1)), Helper: i&1 != 0, Prim: &emu.Primitive{}})
	}
	if err := fragmentOut(p, l); err != nil {
		return err
	}
	if n := binary.LittleEndian.Uint32(at.Data); n != 2 {
		return fmt.Errorf("%d fragments were counted of 2", n)
	}
	return nil
}

//go:embed testdata/ir/messages.nir
var messagesText string

// messages has one thread of each workgroup tell another that there is data, and counts
// those that were told too early.
// misaligned loads and stores words of which the shader knows that they begin at even bytes.
func misaligned() error {
	s, err := ir.Parse(`
shader compute "main" {
  info { workgroup_size=1,1,1 num_ssbos=1 writes_memory }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32x2 = vulkan_resource_index %0 desc_type=7
      %2:32x2 = load_vulkan_descriptor %1 desc_type=7
      %3:32 = load_const 0x2
      %4:32 = load_ssbo %2, %3 align_mul=4 align_offset=2
      %5:32 = load_const 0xa
      store_ssbo %4, %2, %5 write_mask=x align_mul=4 align_offset=2
  }
}
`)
	if err != nil {
		return err
	}
	if !faults.has(faultAlignment) {
		split := passes.Find("lower_mem_access_bit_sizes")
		c := passes.NewContext(split)
		if err := errors.Join(c.SetOption("max_bits", "32"), c.SetOption("const_bits", "32")); err != nil {
			return err
		}
		if _, err := split.Run(c, s); err != nil {
			return err
		}
	}
	bin, err := compile(s, CompileOptions{})
	if err != nil {
		return err
	}
	p, err := core.LoadFresh(bin.Code, &bin.Meta)
	if err != nil {
		return err
	}
	env := &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
	buf := env.Mem.Alloc(64)
	env.Bindings.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: buf.Addr, Size: 64}})
	return emu.Dispatch(context.Background(), p, env, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}})
}

func messages() error {
	s, p, err := loadText(messagesText, CompileOptions{})
	if err != nil {
		return err
	}
	const groups = 64
	env := &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
	buf := env.Mem.Alloc(16 * groups)
	env.Bindings.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: buf.Addr, Size: 16 * groups}})
	params := emu.DispatchParams{Groups: [3]uint32{groups, 1, 1}}
	params.Check = true
	if err := emu.Dispatch(context.Background(), p, env, params); err != nil {
		return err
	}
	for i := range groups {
		if binary.LittleEndian.Uint32(buf.Data[16*i+8:])&1 != 0 {
			return fmt.Errorf("workgroup %d: the message was there before the data\n%s", i, ir.Print(s))
		}
	}
	return nil
}

//go:embed testdata/ir/out_of_bounds.nir
var outOfBoundsText string

// outOfBounds reads and writes beyond a buffer, at places that another has if only the
// low words of addresses are looked at.
func outOfBounds() error {
	_, p, err := loadText(outOfBoundsText, CompileOptions{})
	if err != nil {
		return err
	}
	for _, base := range []uint64{1 << 16, 1 << 32, 1<<40 + 1<<20} {
		env := &emu.Env{Mem: emu.NewMemoryAt(base), Bindings: &emu.Bindings{}}
		a, b := env.Mem.Alloc(16), env.Mem.Alloc(8192)
		for i := range b.Data {
			b.Data[i] = 0xaa
		}
		env.Bindings.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: a.Addr, Size: 16}})
		env.Bindings.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: b.Addr, Size: 16}})
		for _, off := range []uint32{16, 0xfffffffc, uint32(b.Addr-a.Addr) + 64} {
			env.Push = binary.LittleEndian.AppendUint32(nil, off)
			params := emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}
			params.Check = true
			if err := emu.Dispatch(context.Background(), p, env, params); err != nil {
				return fmt.Errorf("offset %#x: %w", off, err)
			}
			if v := binary.LittleEndian.Uint32(b.Data[4:]); v != 0 {
				return fmt.Errorf("offset %#x reads %#x", off, v)
			}
			if v := binary.LittleEndian.Uint32(b.Data[64:]); v != 0xaaaaaaaa {
				return fmt.Errorf("offset %#x reaches another buffer: %#x", off, v)
			}
		}
	}
	return nil
}

// beyondUniform reads the words at the end of a robust uniform buffer and beyond it, at a constant offset
// and at one that is none.
func beyondUniform() error {
	s, err := ir.Parse(farUniformText)
	if err != nil {
		return err
	}
	s.Options.Robust = ir.Robust{Storage: ir.Robust2, Uniform: ir.Robust2}
	p, err := load(s, CompileOptions{})
	if err != nil {
		return err
	}
	for _, c := range []struct {
		size uint64
		want string
	}{{1 << 16, "abcdefgh"}, {1<<16 - 4, "abcd\x00\x00\x00\x00"}, {16, strings.Repeat("\x00", 8)}} {
		env := &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
		ubo, out := env.Mem.Alloc(1<<16), env.Mem.Alloc(8)
		copy(ubo.Data[1<<16-8:], "abcdefgh")
		env.Bindings.Set(0, 0, []emu.Descriptor{{Type: emu.DescUniformBuffer, Addr: ubo.Addr, Size: c.size}})
		env.Bindings.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 8}})
		params := emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}
		params.Check = true
		if err := emu.Dispatch(context.Background(), p, env, params); err != nil {
			return err
		}
		if string(out.Data) != c.want {
			return fmt.Errorf("a buffer of %d bytes reads %q, not %q", c.size, out.Data, c.want)
		}
	}
	return nil
}

//go:embed testdata/ir/test_unfed_refused.nir
var testUnfedRefusedText string

// What the hardware does not feed, take or hold is refused.
func TestUnfedRefused(t *testing.T) {
	programs.Hold(t)
	const (
		vertex   = `shader vertex "main" { info { io_lowered } fn f0 "main" entry() { b0: %0:32 = load_const 0x0 store_output %0, %0 write_mask=x src_type=u32 io_semantics={SLOT 1} } }`
		fragment = `shader fragment "main" { info { io_lowered } fn f0 "main" entry() { b0: %0:32 = load_const 0x0 %1:32 = load_input %0 dest_type=u32 io_semantics={SLOT 1}
			store_output %1, %0 write_mask=x src_type=u32 io_semantics={DATA0 1} } }`
	)
	for _, text := range []string{vertex, fragment} {
		for slot, name := range unfed.Get() {
			if slot == ir.SlotLayer && text == fragment {
				continue // the driver knows it
			}
			s, err := ir.Parse(strings.ReplaceAll(text, "SLOT", slotName(slot)))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := held(Compile(s, CompileOptions{Job: verifying()})); err == nil || !strings.Contains(err.Error(), name+" is not supported") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	s, err := ir.Parse(testUnfedRefusedText)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range gpus {
		_, err := held(Compile(ir.Clone(s), CompileOptions{GPU: g.Name, Blend: "R8G8B8A8_UNORM"}))
		if refused := err != nil && strings.Contains(err.Error(), "in a blend program is not supported"); refused != g.Alias {
			t.Errorf("%s: %v", g.Name, err)
		}
	}
	if _, err := held(Compile(ir.Clone(s), CompileOptions{Feedback: true})); err == nil || !strings.Contains(err.Error(), "which this fragment shader is not") {
		t.Errorf("a fragment program of transform feedback: %v", err)
	}
	vs, err := ir.Parse(positions)
	if err != nil {
		t.Fatal(err)
	}
	vs.Captures = []ir.Capture{{Slot: ir.SlotPos, Count: 4, Bits: 16}}
	if _, err := held(Compile(vs, CompileOptions{Feedback: true})); err == nil || !strings.Contains(err.Error(), "transform feedback of 16 bits on stream 0 is not supported") {
		t.Errorf("transform feedback of 16 bits: %v", err)
	}
	far := tables{meta: &abi.Meta{}}
	for _, r := range []abi.Resource{{Binding: 15}, {Set: 4}, {Element: 4}} {
		if _, err := far.ubo(abi.UBOBinding, r); err == nil {
			t.Errorf("buffer %+v is accepted without a layout", r)
		}
	}
}

// slotName is a slot as the text of the IR has it.
func slotName(s ir.Slot) string {
	switch s {
	case ir.SlotPrimitiveID:
		return "PRIMITIVE_ID"
	case ir.SlotLayer:
		return "LAYER"
	}
	return "VIEWPORT"
}

// clipDistances draws what a clip and a cull distance leave.
func clipDistances() error {
	for _, c := range []struct{ slot, info string }{{"CLIP_DIST0", "clip_distances=1"}, {"CULL_DIST0", "cull_distances=1"}} {
		text := strings.Replace(positions, "outputs_written=0x1 io_lowered", "outputs_written=0x1 "+c.info+" io_lowered", 1)
		text = strings.Replace(text, "      store_output %12", `      %20:32 = load_const 0xbf000000
      %21:32 = fadd %4, %20
      store_output %21, %0 base=17 range=1 write_mask=x src_type=f32 io_semantics={`+c.slot+` 1}
      store_output %12`, 1)
		vs, vp, err := loadText(text, CompileOptions{})
		if err != nil {
			return err
		}
		o := CompileOptions{Clip: 1}
		if c.slot != "CLIP_DIST0" {
			o = CompileOptions{Cull: 1}
		}
		fs, fp, err := loadText(plainColor, o)
		if err != nil {
			return err
		}
		if err := alike(vs, fs, vp, fp); err != nil {
			return fmt.Errorf("%s: %w", c.slot, err)
		}
	}
	return nil
}
