package code

import (
	"errors"
	"fmt"
	"math"

	"nirc/backend/gputest"
	"nirc/internal/emu"
	"nirc/ir"
)

// stageLanes is how many lanes a wave of a stage other than compute has: a quad.
const stageLanes = 4

// stageFuel is how many instructions such a wave runs at most, and stageTurns how often it may stop before.
const (
	stageFuel  = 1 << 12
	stageTurns = 8
)

// errNotRun is what becomes of shaders that one wave alone cannot be.
var errNotRun = errors.New("not run")

// runWave runs one wave of a vertex, tessellation, geometry or fragment shader, whose inputs all differ, and returns what it puts out.
func runWave(p emu.Program, env *emu.Env) ([]byte, error) {
	switch p.Stage() {
	case ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry, ir.StageFragment:
	default:
		return nil, errNotRun
	}
	l := &emu.Launch{Env: env, Check: true, Seed: 1}
	gputest.AnyStage(l, int(p.SharedSize()))
	l.NumLanes = stageLanes
	giveInputs(l)
	w := p.NewWave(l)
	st, err := emu.StatusYield, error(nil)
	for turn := 0; turn < stageTurns && err == nil && st != emu.StatusDone; turn++ {
		st, err = w.Run(stageFuel)
	}
	if err == nil && st != emu.StatusDone {
		err = emu.ErrTimeout
	}
	return putOut(l), err
}

// slotsOf are slots whose words are floats that differ with the slot, the component and n.
func slotsOf(n int) *emu.Slots {
	var v emu.Slots
	for s := range v {
		for c := range v[s] {
			v[s][c] = math.Float32bits(float32(n*n*3+s)*0.5 - float32(c))
		}
	}
	return &v
}

// giveInputs gives each lane of a launch inputs of its own: vertices, control points and fragments of a triangle.
func giveInputs(l *emu.Launch) {
	prim := &emu.Primitive{V: [3]*emu.Slots{slotsOf(1), slotsOf(2), slotsOf(3)}, Provoking: 1, PrimitiveID: 5, Layer: 3, Viewport: 2, ViewIndex: 1, Samples: 4,
		Bary:      func(x, y float32, _ bool) (i, j float32) { return x / 16, y / 8 },
		SamplePos: func(n int) (x, y float32) { return float32(n) / 4, float32(3-n) / 4 },
	}
	for i := range l.NumLanes {
		l.Inputs[i] = slotsOf(i)[:]
		l.Vertex[i] = emu.VertexLane{VertexIndex: uint32(100 + i), InstanceIndex: uint32(7 + i), BaseVertex: 100, BaseInstance: 7, DrawIndex: 3, ViewIndex: 1, IsIndexed: true}
		for k := range l.Geometry[i].V {
			l.Geometry[i].V[k] = slotsOf(3*i + k)
		}
		x, y := i&1, i>>1
		f := emu.FragmentLane{Prim: prim, X: int32(x), Y: int32(y), Helper: i == 3, SampleID: -1, Coord: [4]float32{float32(x) + 0.5, float32(y) + 0.5, float32(i) / 64, 0.5}, Coverage: 5}
		for k := range f.Persp {
			f.Persp[k] = [2]float32{float32(x)/16 + float32(k)/64, float32(y) / 16}
			f.Linear[k] = [2]float32{float32(x) / 32, float32(y)/8 + float32(k)/64}
		}
		l.Fragment = append(l.Fragment, f)
	}
	patch := l.TessCtrl[0].Patch
	for k := range patch.In {
		patch.In[k] = slotsOf(7 + k)
	}
	patch.Out = make([]emu.Slots, stageLanes)
}

// putOut is a digest of the outputs of a launch's lanes.
func putOut(l *emu.Launch) []byte {
	var d gputest.Digest
	slots := func(list []emu.Slots) {
		for i := range list {
			for s := range list[i] {
				d.Words(list[i][s][:]...)
			}
		}
	}
	slots(l.Out[:l.NumLanes])
	slots(l.TessCtrl[0].Patch.Out)
	slots([]emu.Slots{l.TessCtrl[0].Patch.PerPatch})
	for i := range l.NumLanes {
		for n := range ir.NumXfbBuffers {
			s := l.Geometry[i].Emitted.Stream(n)
			slots(s.Vertices)
			d.Text(s.Ends)
		}
	}
	d.Text(l.Live)
	return fmt.Appendf(nil, "%016x", uint64(d))
}
