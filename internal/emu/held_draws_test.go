package emu_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"nirc/backend/gputest"
	"nirc/internal/emu"
	"nirc/ir"
)

// digestProgram is a stage in Go: run does what each lane does, and all that it is given goes into the draw's digest.
type digestProgram struct {
	stage ir.Stage
	wave  int
	io    emu.StageIO
	run   func(l *emu.Launch, lane int)
}

func (p *digestProgram) Stage() ir.Stage                { return p.stage }
func (p *digestProgram) WaveSize() int                  { return p.wave }
func (p *digestProgram) WorkgroupSize() [3]uint32       { return [3]uint32{} }
func (p *digestProgram) SharedSize() uint32             { return 0 }
func (p *digestProgram) IO() *emu.StageIO               { return &p.io }
func (p *digestProgram) NewWave(l *emu.Launch) emu.Wave { return &digestWave{p, l} }

type digestWave struct {
	p *digestProgram
	l *emu.Launch
}

func (w *digestWave) Run(int) (emu.Status, error) {
	for i := range w.l.NumLanes {
		w.p.run(w.l, i)
	}
	return emu.StatusDone, nil
}

// randomDraw makes one draw with random state, whose programs note what they are given.
type randomDraw struct {
	r      *rand.Rand
	d      gputest.Digest
	p      *emu.Pipeline
	params emu.DrawParams
	stats  emu.DrawStats
}

const drawWidth, drawHeight = 13, 11

func (d *randomDraw) often() bool  { return d.r.IntN(3) != 0 }
func (d *randomDraw) seldom() bool { return d.r.IntN(4) == 0 }
func (d *randomDraw) wave() int    { return []int{1, 4, 32, 64}[d.r.IntN(4)] }

func (d *randomDraw) floats(list ...float32) {
	for _, x := range list {
		d.d.Words(math.Float32bits(x))
	}
}

func pick[T any](d *randomDraw, list ...T) T { return list[d.r.IntN(len(list))] }

func word(x float32) uint32  { return math.Float32bits(x) }
func float(x uint32) float32 { return math.Float32frombits(x) }

// image is an attachment of the draw's size, filled with bytes.
func (d *randomDraw) image(t *testing.T, format string, samples, layers int) *emu.ImageView {
	t.Helper()
	img, err := emu.NewImage(emu.ImageDesc{Width: drawWidth, Height: drawHeight, Layers: layers, Samples: samples, Format: emu.FormatByName(format)})
	if err != nil {
		t.Fatal(err)
	}
	v := &emu.ImageView{Image: img}
	if f := v.TexelFormat(); f.IsFloat() || f.DepthBits != 0 || f.StencilBits != 0 {
		c := [4]uint32{word(d.r.Float32()), 77, word(0.5), word(d.r.Float32())}
		if f.DepthBits == 0 && f.StencilBits == 0 {
			c[1] = word(d.r.Float32())
		}
		if err := v.Clear(c); err != nil {
			t.Fatal(err)
		}
		return v
	}
	for i := range img.Data {
		img.Data[i] = byte(d.r.Uint32())
	}
	return v
}

// vertices gives the draw its buffers, attributes and indices.
func (d *randomDraw) vertices() (n int) {
	p := d.p
	n = 3 + d.r.IntN(20)
	data := make([]byte, 0, 32*40)
	for range 30 {
		w := pick[float32](d, 1, 1, 1, 2, 0.5, -0.5)
		for _, x := range []float32{(2.6*d.r.Float32() - 1.3) * w, (2.6*d.r.Float32() - 1.3) * w, (1.4*d.r.Float32() - 0.2) * w, w, d.r.Float32(), 4*d.r.Float32() - 2, d.r.Float32()} {
			data = append(data, byte(word(x)), byte(word(x)>>8), byte(word(x)>>16), byte(word(x)>>24))
		}
		for range 8 {
			data = append(data, byte(d.r.Uint32()))
		}
	}
	p.Bindings = []emu.VertexBinding{{Binding: 0, Data: data[:len(data)-d.r.IntN(200)], Stride: 36}, {Binding: 3, Data: data, Stride: uint32(pick(d, 0, 12, 36)), Instance: d.often(), Divisor: uint32(d.r.IntN(4)), DivisorSet: d.often()}}
	p.Attributes = []emu.VertexAttribute{
		{Location: 0, Binding: 0, Format: emu.FormatByName("R32G32B32A32_SFLOAT")},
		{Location: 1, Binding: 0, Format: emu.FormatByName("R32G32B32_SFLOAT"), Offset: 16},
		{Location: 2, Binding: 0, Format: emu.FormatByName(pick(d, "R8G8B8A8_UNORM", "R16G16_SNORM", "A2B10G10R10_SNORM_PACK32", "R8G8_SINT", "R16G16_SFLOAT", "R8G8B8A8_USCALED", "B8G8R8A8_UNORM")), Offset: 28},
		{Location: 3, Binding: 3, Format: emu.FormatByName(pick(d, "R32_UINT", "R32G32_SFLOAT", "R16_SINT")), Offset: uint32(4 * d.r.IntN(3))},
	}
	d.params.InstanceCount, d.params.FirstInstance, d.params.FirstVertex = uint32(1+d.r.IntN(2)), uint32(d.r.IntN(3)), uint32(d.r.IntN(4))
	d.params.VertexCount, d.params.DrawIndex = uint32(n), uint32(d.r.IntN(3))
	if d.often() {
		b := &emu.IndexBuffer{Bytes: pick(d, 1, 2, 4), Data: nil}
		for range n + 2 {
			x := uint32(d.r.IntN(25))
			if d.seldom() {
				x = math.MaxUint32
			}
			for k := range b.Bytes {
				b.Data = append(b.Data, byte(x>>(8*k)))
			}
		}
		d.params.Index, d.params.VertexOffset, p.PrimitiveRestart = b, int32(d.r.IntN(5))-1, d.often()
	}
	return n
}

// state chooses what fixed function does.
func (d *randomDraw) state(t *testing.T) {
	p := d.p
	samples := pick(d, 1, 1, 2, 4, 8)
	layers := 1 + d.r.IntN(2)
	formats := []string{"R8G8B8A8_UNORM", "R8G8B8A8_SRGB", "R16G16B16A16_SFLOAT", "R32_UINT", "R8G8B8A8_SNORM", "A2B10G10R10_UNORM_PACK32", "B10G11R11_UFLOAT_PACK32", "R5G6B5_UNORM_PACK16", "R16G16_SINT", "R32G32B32A32_SFLOAT", "B8G8R8A8_UNORM"}
	for range 1 + d.r.IntN(2) {
		a := emu.Attachment{View: d.image(t, pick(d, formats...), samples, layers)}
		if f := a.View.TexelFormat(); samples > 1 && f.IsFloat() && d.often() {
			a.Resolve = d.image(t, f.Name, 1, layers)
		}
		p.Color = append(p.Color, a)
		b := emu.AttachmentBlend{WriteMask: pick[uint8](d, 15, 15, 7, 9, 2), Enable: a.View.TexelFormat().IsFloat() && d.often(), ColorOp: ir.BlendOp(d.r.IntN(5)), AlphaOp: ir.BlendOp(d.r.IntN(5))}
		for _, f := range []*ir.BlendFactor{&b.SrcColor, &b.DstColor, &b.SrcAlpha, &b.DstAlpha} {
			*f = ir.BlendFactor(d.r.IntN(15))
		}
		p.Blend.Attachments = append(p.Blend.Attachments, b)
	}
	p.Blend.LogicEnable, p.Blend.Logic = d.seldom(), ir.LogicOp(d.r.IntN(16))
	p.Blend.Constants = [4]float32{d.r.Float32(), d.r.Float32(), d.r.Float32(), d.r.Float32()}
	p.Raster = emu.RasterState{
		Polygon: pick(d, emu.PolygonFill, emu.PolygonFill, emu.PolygonLine, emu.PolygonPoint), Cull: pick(d, emu.CullNone, emu.CullNone, emu.CullFront, emu.CullBack), FrontClockwise: d.often(), DepthClamp: d.seldom(),
		DepthBias: d.often(), BiasConstant: 20*d.r.Float32() - 10, BiasSlope: 2*d.r.Float32() - 1, BiasClamp: pick[float32](d, 0, 0.01, -0.01), LineWidth: pick[float32](d, 0, 1, 2.5), LineBresenham: d.seldom(), ProvokingLast: d.often(),
		DepthMinusOneToOne: d.seldom(), Discard: d.r.IntN(20) == 0,
	}
	if p.Raster.LineBresenham {
		p.Raster.LineWidth = 1
	}
	p.Multisample = emu.MultisampleState{SampleShading: d.seldom(), AlphaToCoverage: d.seldom(), AlphaToOne: d.seldom()}
	if d.seldom() {
		p.Multisample.Mask = new(uint32)
		*p.Multisample.Mask = d.r.Uint32()
	}
	if d.often() {
		p.DepthStencil.View = d.image(t, pick(d, "D16_UNORM", "D32_SFLOAT", "D24_UNORM_S8_UINT", "D32_SFLOAT_S8_UINT", "S8_UINT"), samples, layers)
		face := func() emu.StencilFace {
			return emu.StencilFace{Fail: emu.StencilOp(d.r.IntN(8)), Pass: emu.StencilOp(d.r.IntN(8)), DepthFail: emu.StencilOp(d.r.IntN(8)), Compare: emu.CompareOp(d.r.IntN(8)),
				CompareMask: pick[uint32](d, 255, 0xf0, 0x3c), WriteMask: pick[uint32](d, 255, 0x0f), Reference: uint32(d.r.IntN(256))}
		}
		p.Depth = emu.DepthState{Test: d.often(), Write: d.often(), Compare: emu.CompareOp(d.r.IntN(8)), BoundsTest: d.seldom(), MinBounds: 0.1, MaxBounds: 0.9, StencilTest: d.often(), Front: face(), Back: face()}
	}
	for range d.r.IntN(3) {
		v := emu.Viewport{X: float32(d.r.IntN(5)) - 1, Y: float32(d.r.IntN(4)), Width: 6 + 8*d.r.Float32(), Height: 12*d.r.Float32() - 3, MinDepth: d.r.Float32(), MaxDepth: d.r.Float32()}
		p.Viewports = append(p.Viewports, v)
		p.Scissors = append(p.Scissors, emu.Rect{X: d.r.IntN(4), Y: d.r.IntN(4), Width: 4 + d.r.IntN(12), Height: 3 + d.r.IntN(12)})
	}
	if d.seldom() {
		p.Area = emu.Rect{X: 1, Y: 2, Width: 9, Height: 7}
	}
	if layers == 2 && d.seldom() {
		p.ViewMask = uint32(1 + d.r.IntN(3))
	} else if layers == 2 && d.seldom() {
		p.Layer = 1
	}
}

// position writes what the last stage before the rasteriser puts out, of a position and three numbers.
func (d *randomDraw) position(io *emu.StageIO, out *emu.Slots, pos emu.Vec4, a, b, c float32) {
	out[ir.SlotPos] = pos
	out[ir.SlotVar0] = emu.Vec4{word(a), word(b), word(c), 0x3c00_4000}
	for _, o := range io.Outputs {
		switch o.Slot {
		case ir.SlotPointSize:
			out[o.Slot][0] = word(1 + 3*a)
		case ir.SlotLayer, ir.SlotViewport:
			out[o.Slot][0] = uint32(2 * c)
		case ir.SlotClipDist0:
			out[o.Slot] = emu.Vec4{word(a + 0.3 - b), word(b + 1), word(c - 0.1), word(2 - a)}
		}
	}
}

// lastStage adds what a stage before the rasteriser may put out.
func (d *randomDraw) lastStage(io *emu.StageIO) {
	io.Outputs = []emu.OutputSlot{{Slot: ir.SlotPos, Mask: 15}, {Slot: ir.SlotVar0, Mask: 15}}
	for _, s := range []ir.Slot{ir.SlotPointSize, ir.SlotLayer, ir.SlotViewport} {
		if d.seldom() {
			io.Outputs = append(io.Outputs, emu.OutputSlot{Slot: s, Mask: 1})
		}
	}
	if d.seldom() {
		io.Outputs = append(io.Outputs, emu.OutputSlot{Slot: ir.SlotClipDist0, Mask: 15})
		io.ClipDistances, io.CullDistances = uint8(d.r.IntN(3)), uint8(d.r.IntN(3))
		io.NoDistances = uint8(d.r.IntN(4))
	}
	if d.often() {
		io.Captures = []ir.Capture{{Slot: ir.SlotPos, Count: 4, Bits: 32, Buffer: 0}, {Slot: ir.SlotVar0, First: 1, Count: 2, Bits: 32, Buffer: 1, Offset: 4}, {Slot: ir.SlotVar0, First: 3, Count: 1, Bits: 16, Buffer: 1, Offset: 2}}
		io.XfbStrides = [ir.NumXfbBuffers]uint32{16, 12}
		d.params.Feedback = &emu.Feedback{}
		d.params.Feedback.Buffers[0], d.params.Feedback.Buffers[1] = make([]byte, 16*d.r.IntN(60)), make([]byte, 12*d.r.IntN(60))
	}
}

// stages makes the programs; geometry and tessellation as the topology asks for.
func (d *randomDraw) stages() {
	p := d.p
	vs := &digestProgram{stage: ir.StageVertex, wave: d.wave()}
	p.Vertex = vs
	for i := range 4 {
		vs.io.Inputs = append(vs.io.Inputs, emu.InputSlot{Slot: ir.Slot(i), Mask: 15})
	}
	vs.run = func(l *emu.Launch, i int) {
		v := &l.Vertex[i]
		d.d.Text(*v)
		for _, a := range l.Inputs[i][:4] {
			d.d.Words(a[:]...)
		}
		in := l.Inputs[i]
		d.position(&vs.io, &l.Out[i], in[0], float(in[1][0]), float(in[1][1]), float(in[1][2]))
		l.Live.Set(i)
	}
	last := &vs.io
	if p.Topology == emu.PatchList {
		last = d.tessellation()
	}
	if n := d.geometryInput(); n > 0 {
		last = d.geometry(n)
	}
	d.lastStage(last)
	d.fragment()
}

// tessellation adds its stages, whose levels go by the patch's first vertex.
func (d *randomDraw) tessellation() *emu.StageIO {
	p := d.p
	p.PatchControlPoints = 1 + d.r.IntN(4)
	io := ir.TessInfo{OutputVertices: uint32(1 + d.r.IntN(4)), Domain: pick[uint8](d, ir.DomainTriangles, ir.DomainQuads, ir.DomainIsolines), Spacing: uint8(d.r.IntN(3)), CCW: d.often(), PointMode: d.seldom()}
	ctrl, eval := &digestProgram{stage: ir.StageTessCtrl, wave: d.wave()}, &digestProgram{stage: ir.StageTessEval, wave: d.wave()}
	ctrl.io.Tess, eval.io.Tess = io, io
	p.TessCtrl, p.TessEval = ctrl, eval
	ctrl.run = func(l *emu.Launch, i int) {
		x := &l.TessCtrl[i]
		d.d.Words(x.Patch.PrimitiveID, x.Patch.ViewIndex, x.InvocationID, uint32(len(x.Patch.In)))
		v := x.Patch.In[int(x.InvocationID)%len(x.Patch.In)]
		x.Patch.Out[x.InvocationID][ir.SlotPos] = v[ir.SlotPos]
		level := func(k int) uint32 {
			a := x.Patch.In[0][ir.SlotVar0]
			return word(0.7 + 3*float(a[k%3])*float32(k+1)/2)
		}
		x.Patch.PerPatch[ir.SlotTessLevelOuter] = emu.Vec4{level(0), level(1), level(2), level(3)}
		x.Patch.PerPatch[ir.SlotTessLevelInner] = emu.Vec4{level(4), level(5)}
	}
	eval.run = func(l *emu.Launch, i int) {
		x := &l.TessEval[i]
		d.floats(x.Coord[:]...)
		d.d.Words(x.Patch.PrimitiveID, uint32(len(x.Patch.Out)))
		c := x.Patch.Out[0][ir.SlotPos]
		pos := emu.Vec4{word(float(c[0]) + x.Coord[0] - 0.5), word(float(c[1]) + x.Coord[1] - 0.5), c[2], word(1)}
		d.position(&eval.io, &l.Out[i], pos, x.Coord[0], x.Coord[1], x.Coord[2])
		l.Live.Set(i)
	}
	return &eval.io
}

// geometryInput is how many vertices a geometry stage gets, 0 if there is none.
func (d *randomDraw) geometryInput() int {
	adjacency := d.p.Topology >= emu.LineListAdjacency && d.p.Topology <= emu.TriangleStripAdjacency
	if !adjacency && !d.seldom() || d.p.Topology == emu.PatchList {
		return 0
	}
	return map[emu.Topology]int{emu.PointList: 1, emu.LineList: 2, emu.LineStrip: 2, emu.TriangleList: 3, emu.TriangleStrip: 3, emu.TriangleFan: 3, emu.LineListAdjacency: 4, emu.LineStripAdjacency: 4,
		emu.TriangleListAdjacency: 6, emu.TriangleStripAdjacency: 6}[d.p.Topology]
}

// geometry adds a stage that emits strips of its input's vertices.
func (d *randomDraw) geometry(n int) *emu.StageIO {
	gs := &digestProgram{stage: ir.StageGeometry, wave: d.wave()}
	gs.io.Geom = ir.GeomInfo{Invocations: uint32(1 + d.r.IntN(2)), MaxVertices: uint32(2 + d.r.IntN(8)), InPrimitive: uint8(n), OutPrimitive: uint8(d.r.IntN(3))}
	cut := 2 + d.r.IntN(5)
	gs.run = func(l *emu.Launch, i int) {
		x := &l.Geometry[i]
		d.d.Words(x.PrimitiveID, x.InvocationID, x.ViewIndex, uint32(len(x.V)))
		for k := range 2 * len(x.V) {
			v := x.V[k%len(x.V)]
			d.d.Words(v[ir.SlotPos][:]...)
			var out emu.Slots
			a := v[ir.SlotVar0]
			d.position(&gs.io, &out, v[ir.SlotPos], float(a[0]), float(a[1]), float(a[2]))
			x.Emitted.Emit(&out)
			if k%cut == cut-1 {
				x.Emitted.EndPrimitive()
			}
		}
	}
	d.p.Geometry = gs
	return &gs.io
}

// fragment adds a stage that colours by what is interpolated, and discards some.
func (d *randomDraw) fragment() {
	fs := &digestProgram{stage: ir.StageFragment, wave: pick(d, 4, 32, 64)}
	fs.io.Inputs = []emu.InputSlot{{Slot: ir.SlotVar0, Mask: 15}}
	fs.io.UsesDiscard, fs.io.PerSample, fs.io.NeedsQuads = d.seldom(), d.seldom(), d.often()
	fs.io.WritesDepth, fs.io.WritesStencil, fs.io.WritesSampleMask, fs.io.EarlyFragmentTests = d.seldom(), false, d.seldom(), d.seldom()
	var integer [2]bool
	for k := range d.p.Color {
		fs.io.Outputs = append(fs.io.Outputs, emu.OutputSlot{Slot: ir.SlotData0 + ir.Slot(k), Mask: 15})
		integer[k] = !d.p.Color[k].View.TexelFormat().IsFloat()
	}
	if fs.io.WritesDepth {
		fs.io.Outputs = append(fs.io.Outputs, emu.OutputSlot{Slot: ir.SlotDepth, Mask: 1})
	}
	if fs.io.WritesSampleMask {
		fs.io.Outputs = append(fs.io.Outputs, emu.OutputSlot{Slot: ir.SlotSampleMask, Mask: 1})
	}
	fs.run = func(l *emu.Launch, i int) {
		x := &l.Fragment[i]
		q := x.Prim
		d.d.Words(uint32(x.X), uint32(x.Y), uint32(x.SampleID), x.Coverage, q.PrimitiveID, q.Layer, q.Viewport, q.ViewIndex, uint32(q.Provoking))
		d.d.Bool(x.Helper)
		d.d.Bool(q.FrontFacing)
		d.floats(x.Coord[:]...)
		for k := range 3 {
			d.floats(x.Persp[k][0], x.Persp[k][1], x.Linear[k][0], x.Linear[k][1])
		}
		if q.PointCoord != nil {
			d.floats(two(q.PointCoord(x.Coord[0], x.Coord[1]))...)
		}
		d.floats(q.Depth(x.Coord[0], x.Coord[1]))
		d.floats(two(q.Bary(x.Coord[0]+0.25, x.Coord[1], true))...)
		at := func(c int) float32 {
			v0, v1, v2 := float(q.V[0][ir.SlotVar0][c]), float(q.V[1][ir.SlotVar0][c]), float(q.V[2][ir.SlotVar0][c])
			b := x.Persp[emu.BaryCentroid]
			return v0 + b[0]*(v1-v0) + b[1]*(v2-v0)
		}
		for k := range d.p.Color {
			c := emu.Vec4{word(at(0)), word(at(1)), word(at(2)), word(0.4 + at(0)/2)}
			if integer[k] {
				c = emu.Vec4{uint32(x.X)<<20 ^ uint32(x.Y)<<3 ^ x.Coverage, q.PrimitiveID - 3, 7, 1}
			}
			l.Out[i][int(ir.SlotData0)+k] = c
		}
		if fs.io.WritesDepth {
			l.Out[i][ir.SlotDepth][0] = word(at(0))
		}
		if fs.io.WritesSampleMask {
			l.Out[i][ir.SlotSampleMask][0] = 0x5a ^ uint32(x.X)
		}
		if !fs.io.UsesDiscard || (x.X+x.Y)%5 != 0 {
			l.Live.Set(i)
		}
	}
	d.p.Fragment = fs
}

func two(a, b float32) []float32 { return []float32{a, b} }

// draw draws and adds what is left to the digest; ok says that the draw was not refused.
func (d *randomDraw) draw() (ok bool) {
	d.params.Stats = &d.stats
	d.params.Limits = emu.Limits{Check: d.seldom(), Seed: d.r.Uint64()}
	err := emu.Draw(context.Background(), d.p, d.params)
	d.d.Text(d.stats)
	if err != nil {
		d.d.Text(err.Error())
	}
	for _, a := range append(d.p.Color, d.p.DepthStencil) {
		for _, v := range []*emu.ImageView{a.View, a.Resolve} {
			if v != nil {
				d.d.Bytes(v.Image.Data)
			}
		}
	}
	if f := d.params.Feedback; f != nil {
		d.d.Text(f.Offsets)
		d.d.Text(f.Generated)
		d.d.Text(f.Written)
		for _, b := range f.Buffers {
			d.d.Bytes(b)
		}
	}
	return err == nil
}

// TestHeldDraws draws random primitives of each topology with random state, whose programs note all that they are given: what they note, and
// what is left in attachments, buffers and counts, is what the table has, or a change means to change it (go test -update).
func TestHeldDraws(t *testing.T) {
	rows := map[string]string{}
	for topology := emu.PointList; topology <= emu.PatchList; topology++ {
		for group := range 4 {
			var sum gputest.Digest
			drawn, refused, fragments := 0, 0, uint64(0)
			for k := range 60 {
				d := &randomDraw{r: rand.New(rand.NewPCG(uint64(topology), uint64(100*group+k))), p: &emu.Pipeline{Topology: topology, Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}}}
				d.vertices()
				d.state(t)
				d.stages()
				if d.draw() {
					drawn++
				} else {
					refused++
				}
				fragments += d.stats.FragmentInvocations
				sum.Words(uint32(d.d), uint32(d.d>>32))
			}
			if fragments < 500 || refused > drawn/10 {
				t.Errorf("topology %d, group %d: %d draws, %d refused, %d fragments", topology, group, drawn, refused, fragments)
			}
			rows[fmt.Sprintf("topology %d, group %d", topology, group)] = fmt.Sprintf("%d\t%d\t%d\t%016x", drawn, refused, fragments, uint64(sum))
		}
	}
	gputest.HoldTable(t, "held_draws.tsv", rows)
}
