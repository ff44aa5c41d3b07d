package emu

import (
	"context"
	"math"
	"testing"

	"nirc/ir"
)

// fakeProgram is a core in Go: run is called for every Run of a wave with the
// count of calls before it.
type fakeProgram struct {
	stage ir.Stage
	wave  int
	size  [3]uint32
	share uint32
	io    StageIO
	run   func(l *Launch, pc int) (Status, error)
}

func (p *fakeProgram) Stage() ir.Stage          { return p.stage }
func (p *fakeProgram) WaveSize() int            { return p.wave }
func (p *fakeProgram) WorkgroupSize() [3]uint32 { return p.size }
func (p *fakeProgram) SharedSize() uint32       { return p.share }
func (p *fakeProgram) IO() *StageIO             { return &p.io }
func (p *fakeProgram) NewWave(l *Launch) Wave   { return &fakeWave{p: p, l: l} }

type fakeWave struct {
	p  *fakeProgram
	l  *Launch
	pc int
}

func (w *fakeWave) Run(int) (Status, error) {
	w.pc++
	return w.p.run(w.l, w.pc-1)
}

func fb(x float32) uint32 { return math.Float32bits(x) }

func bf(x uint32) float32 { return math.Float32frombits(x) }

// vertexShader passes attribute 0 on as the position and attributes 1.. as
// varyings.
func vertexShader(wave, attrs int) *fakeProgram {
	p := &fakeProgram{stage: ir.StageVertex, wave: wave}
	p.io.Outputs = []OutputSlot{{Slot: ir.SlotPos, Mask: 15}}
	for i := range attrs {
		p.io.Inputs = append(p.io.Inputs, InputSlot{Slot: ir.Slot(i), Mask: 15})
	}
	p.run = func(l *Launch, _ int) (Status, error) {
		for i := range l.NumLanes {
			l.Out[i][ir.SlotPos] = l.Inputs[i][0]
			for a := 1; a < attrs; a++ {
				l.Out[i][int(ir.SlotVar0)+a-1] = l.Inputs[i][a]
			}
			l.Live.Set(i)
		}
		return StatusDone, nil
	}
	return p
}

// fragmentShader runs f on every lane; f returns whether the lane lives.
func fragmentShader(wave int, f func(l *FragmentLane, out *Slots) bool) *fakeProgram {
	p := &fakeProgram{stage: ir.StageFragment, wave: wave}
	p.io.Outputs = []OutputSlot{{Slot: ir.SlotData0, Mask: 15}}
	p.run = func(l *Launch, _ int) (Status, error) {
		for i := range l.NumLanes {
			if f(&l.Fragment[i], &l.Out[i]) {
				l.Live.Set(i)
			}
		}
		return StatusDone, nil
	}
	return p
}

func constantColor(r, g, b, a float32) *fakeProgram {
	return fragmentShader(64, func(_ *FragmentLane, out *Slots) bool {
		out[ir.SlotData0] = Vec4{fb(r), fb(g), fb(b), fb(a)}
		return true
	})
}

// interp evaluates a smooth input as a core would.
func interp(l *FragmentLane, slot ir.Slot, c int, at int, persp bool) float32 {
	p := l.Prim
	v0, v1, v2 := bf(p.V[0][slot][c]), bf(p.V[1][slot][c]), bf(p.V[2][slot][c])
	b := l.Persp[at]
	if !persp {
		b = l.Linear[at]
	}
	return v0 + b[0]*(v1-v0) + b[1]*(v2-v0)
}

func floatBytes(v ...float32) []byte {
	b := make([]byte, 4*len(v))
	for i, x := range v {
		StoreBytes(b[4*i:], 4, uint64(fb(x)))
	}
	return b
}

func mustImage(t testing.TB, d ImageDesc) *ImageView {
	t.Helper()
	img, err := NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	return &ImageView{Image: img}
}

// testPipeline draws vertices of attrs vec4 attributes into a new colour
// attachment.
func testPipeline(t testing.TB, w, h, samples int, format string, attrs int, data []float32, fs Program) *Pipeline {
	t.Helper()
	p := &Pipeline{
		Vertex: vertexShader(64, attrs), Fragment: fs, Env: &Env{Mem: NewMemory(), Bindings: &Bindings{}},
		Topology: TriangleList,
		Bindings: []VertexBinding{{Data: floatBytes(data...), Stride: uint32(16 * attrs)}},
		Color:    []Attachment{{View: mustImage(t, ImageDesc{Width: w, Height: h, Samples: samples, Format: FormatByName(format)})}},
	}
	for a := range attrs {
		p.Attributes = append(p.Attributes, VertexAttribute{Location: uint32(a), Format: FormatByName("R32G32B32A32_SFLOAT"), Offset: uint32(16 * a)})
	}
	return p
}

func draw(t testing.TB, p *Pipeline, vertices int) DrawStats {
	t.Helper()
	var st DrawStats
	if err := Draw(context.Background(), p, DrawParams{VertexCount: uint32(vertices), InstanceCount: 1, Stats: &st}); err != nil {
		t.Fatal(err)
	}
	return st
}

// quad is a strip over the whole view volume at depth z.
func quad(z float32) []float32 {
	return []float32{-1, -1, z, 1, 1, -1, z, 1, -1, 1, z, 1, 1, 1, z, 1}
}
