package passes

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// stageLanes is how many vertices, or fragments in quads, runStage runs.
const stageLanes = 8

// stageRun is what a vertex or fragment shader left: by lane the words of each
// output slot and whether the lane lives, and the memory of set 0, binding 0.
type stageRun struct {
	Out  []emu.Slots
	Live [stageLanes]bool
	Mem  []byte
}

// stageInputs are the inputs of a run.
type stageInputs struct {
	seed int64
	// samples a pixel; with more than one, fragments are at different samples.
	samples int
	planes  [8][4]float32
	push    []byte
	view    uint32
	// verts, unless nil, are the triangle's vertices; else they are random.
	verts *[3]emu.Slots
}

// words fills slots with small floats, so that arithmetic on them is exact or nearly so.
func (in *stageInputs) words(r *rand.Rand) (v emu.Vec4) {
	for i := range v {
		v[i] = math.Float32bits(float32(r.Intn(65)-32) / 8)
	}
	return v
}

// runStage executes a vertex or fragment shader by itself.
func runStage(s *ir.Shader, in stageInputs) (*stageRun, error) {
	p, err := interp.New(s, interp.Options{WaveSize: stageLanes})
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewSource(in.seed))
	mem := emu.NewMemory()
	buf := mem.Alloc(256)
	var bind emu.Bindings
	bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: buf.Addr, Size: uint64(len(buf.Data))}})
	l := &emu.Launch{Env: &emu.Env{Mem: mem, Bindings: &bind, Push: in.push, ClipPlanes: in.planes}, NumLanes: stageLanes, Out: make([]emu.Slots, stageLanes)}
	if s.Stage == ir.StageVertex {
		for i := range stageLanes {
			l.Vertex = append(l.Vertex, emu.VertexLane{VertexIndex: uint32(i), ViewIndex: in.view})
			slots := make([]emu.Vec4, ir.NumAttribSlots)
			for k := range slots {
				slots[k] = in.words(r)
			}
			l.Inputs = append(l.Inputs, slots)
		}
	} else {
		l.Fragment = in.fragments(r)
	}
	w := p.NewWave(l)
	for {
		st, err := w.Run(1 << 20)
		if err != nil {
			return nil, err
		}
		if st == emu.StatusDone {
			break
		}
	}
	run := &stageRun{Out: l.Out, Mem: buf.Data}
	for i := range run.Live {
		run.Live[i] = l.Live.Get(i)
	}
	return run, nil
}

// fragments makes two quads of one triangle.
func (in *stageInputs) fragments(r *rand.Rand) []emu.FragmentLane {
	prim := &emu.Primitive{FrontFacing: r.Intn(2) == 0, PrimitiveID: 7, Layer: 3, Samples: max(1, in.samples)}
	for i := range prim.V {
		prim.V[i] = new(emu.Slots)
		for k := range prim.V[i] {
			prim.V[i][k] = in.words(r)
		}
		if in.verts != nil {
			prim.V[i] = &in.verts[i]
		}
	}
	prim.Bary = func(x, y float32, persp bool) (float32, float32) {
		if persp {
			return x / 16, y / 8
		}
		return x / 32, y / 16
	}
	prim.PointCoord = func(x, y float32) (float32, float32) { return x / 8, y / 8 }
	at := func(n int) (float32, float32) {
		if in.samples < 2 {
			return 0.5, 0.5
		}
		return float32(n%4)/4 + 0.125, float32(n/4)/4 + 0.125
	}
	prim.SamplePos = at
	lanes := make([]emu.FragmentLane, stageLanes)
	for i := range lanes {
		f := &lanes[i]
		*f = emu.FragmentLane{Prim: prim, X: int32(i/4*2 + i&1), Y: int32(i >> 1 & 1), SampleID: -1, Helper: i == 3, Coverage: 1}
		if in.samples > 1 {
			f.SampleID = int32(i % in.samples)
		}
		if f.Helper {
			f.Coverage = 0
		}
		f.Coord = [4]float32{float32(f.X) + 0.5, float32(f.Y) + 0.5, 0.25, 0.5}
		for k := range 3 {
			x, y := float32(0.5), float32(0.5)
			if k != emu.BaryPixel {
				x, y = at(int(max(f.SampleID, 0)))
			}
			for p := range 2 {
				a, b := prim.Bary(float32(f.X)+x, float32(f.Y)+y, p == 0)
				if p == 0 {
					f.Persp[k] = [2]float32{a, b}
				} else {
					f.Linear[k] = [2]float32{a, b}
				}
			}
		}
	}
	return lanes
}

// parseShader parses and validates a test's shader.
func parseShader(t *testing.T, text string) *ir.Shader {
	t.Helper()
	s, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Validate(s); err != nil {
		t.Fatal(err)
	}
	return s
}

// runPasses runs a pass list under verification and tests that idempotent last
// passes have nothing left to do.
func runPasses(t *testing.T, s *ir.Shader, list string) {
	t.Helper()
	p, err := ParsePassList(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(s, RunOptions{VerifyEach: true}); err != nil {
		t.Fatalf("%s: %v\n%s", list, err, ir.Print(s))
	}
	if last := p.steps[len(p.steps)-1]; last.ctx != nil && last.ctx.pass.Idempotent {
		if progress, err := last.ctx.pass.Run(last.ctx, s); progress || err != nil {
			t.Errorf("%s again: progress %v, %v\n%s", list, progress, err, ir.Print(s))
		}
	}
}

// differ says in what two runs differ, "" if in nothing. Outputs of lanes that
// died do not count.
func differ(a, b *stageRun) string {
	if a.Live != b.Live {
		return fmt.Sprintf("live lanes %v and %v", a.Live, b.Live)
	}
	for l := range a.Out {
		for s := range a.Out[l] {
			if a.Live[l] && a.Out[l][s] != b.Out[l][s] {
				return fmt.Sprintf("lane %d slot %d: %08x and %08x", l, s, a.Out[l][s], b.Out[l][s])
			}
		}
	}
	if string(a.Mem) != string(b.Mem) {
		return fmt.Sprintf("memory %x and %x", a.Mem, b.Mem)
	}
	return ""
}

// comparePasses executes a vertex or fragment shader before and after a pass
// list and tests that both leave the same.
func comparePasses(t *testing.T, before *ir.Shader, list string, in stageInputs) *ir.Shader {
	t.Helper()
	after := ir.Clone(before)
	runPasses(t, after, list)
	for in.seed = 1; in.seed <= 4; in.seed++ {
		a, err := runStage(before, in)
		if err != nil {
			t.Fatalf("before: %v\n%s", err, ir.Print(before))
		}
		b, err := runStage(after, in)
		if err != nil {
			t.Fatalf("%s: after: %v\n%s", list, err, ir.Print(after))
		}
		if d := differ(a, b); d != "" {
			t.Fatalf("%s, seed %d: %s\n%s\n---\n%s", list, in.seed, d, ir.Print(before), ir.Print(after))
		}
	}
	return after
}
