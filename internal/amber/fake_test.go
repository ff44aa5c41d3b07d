package amber

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// fakeProgram runs a Go function for each lane.
type fakeProgram struct {
	stage ir.Stage
	size  [3]uint32
	io    emu.StageIO
	lane  func(l *emu.Launch, lane int) error
}

func (p *fakeProgram) Stage() ir.Stage          { return p.stage }
func (p *fakeProgram) WaveSize() int            { return 4 }
func (p *fakeProgram) WorkgroupSize() [3]uint32 { return p.size }
func (p *fakeProgram) SharedSize() uint32       { return 0 }
func (p *fakeProgram) IO() *emu.StageIO         { return &p.io }
func (p *fakeProgram) NewWave(l *emu.Launch) emu.Wave {
	return &fakeWave{p, l}
}

type fakeWave struct {
	p *fakeProgram
	l *emu.Launch
}

func (w *fakeWave) Run(int) (emu.Status, error) {
	for i := range w.l.NumLanes {
		w.l.Live.Set(i)
		if err := w.p.lane(w.l, i); err != nil {
			return emu.StatusDone, err
		}
	}
	return emu.StatusDone, nil
}

// fakeTarget has programs by the shader's name.
type fakeTarget struct {
	programs map[string]*fakeProgram
	err      error
	seen     []Shader
}

func (f *fakeTarget) Name() string { return "fake" }

func (f *fakeTarget) Compile(_ context.Context, s Shader) (emu.Program, error) {
	f.seen = append(f.seen, s)
	if f.err != nil {
		return nil, f.err
	}
	if s.Words[0] != 0x07230203 {
		return nil, fmt.Errorf("not SPIR-V")
	}
	if p := f.programs[s.Name]; p != nil {
		return p, nil
	}
	return nil, &Unsupported{"unknown shader " + s.Name}
}

// increment adds one to element i of the buffer at set 0, binding 0.
func increment() *fakeProgram {
	return &fakeProgram{stage: ir.StageCompute, size: [3]uint32{2, 1, 1}, lane: func(l *emu.Launch, lane int) error {
		d := l.Env.Bindings.Lookup(0, 0, 0)
		i := l.Compute.WorkgroupID[0]*2 + l.Compute.LocalID[lane][0]
		a := d.Addr + uint64(4*i)
		l.Env.Mem.Store(a, 4, l.Env.Mem.Load(a, 4)+1)
		return nil
	}}
}

// vertexPass copies attribute 0 to the position.
func vertexPass() *fakeProgram {
	return &fakeProgram{stage: ir.StageVertex,
		io: emu.StageIO{Inputs: []emu.InputSlot{{Slot: ir.SlotAttrib0, Mask: 15}}, Outputs: []emu.OutputSlot{{Slot: ir.SlotPos, Mask: 15}}},
		lane: func(l *emu.Launch, lane int) error {
			l.Out[lane][ir.SlotPos] = l.Inputs[lane][0]
			return nil
		}}
}

// orange writes 255 127.5 0 255.
func orange() *fakeProgram {
	return &fakeProgram{stage: ir.StageFragment,
		io: emu.StageIO{Outputs: []emu.OutputSlot{{Slot: ir.SlotData0, Mask: 15}}},
		lane: func(l *emu.Launch, lane int) error {
			one, half := math.Float32bits(1), math.Float32bits(0.5)
			l.Out[lane][ir.SlotData0] = emu.Vec4{one, half, 0, one}
			return nil
		}}
}

// someModule is the source of a shader whose program the fake target has.
const someModule = "0x07230203 0x00010000 0 1 0\nEND\n"

func runText(t *testing.T, target Target, text string) Result {
	t.Helper()
	s, err := Parse("test.amber", []byte(text))
	if err != nil {
		return resultOf(err, 0)
	}
	r := &Runner{Target: target, Strict: true}
	return r.Run(t.Context(), s)
}

const computeScript = `#!amber
SHADER compute inc SPIRV-HEX
` + someModule + `
BUFFER data DATA_TYPE uint32 SIZE 8 SERIES_FROM 10 INC_BY 2
BUFFER copy DATA_TYPE uint32 SIZE 8 FILL 0
PIPELINE compute p
  ATTACH inc SPECIALIZE 3 AS uint32 7 SPECIALIZE 4 AS float 1.0
  BIND BUFFER data AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 2 1 1
EXPECT data IDX 0 EQ 11 13 15 17 18
REPEAT 3
RUN p 4 1 1
END
EXPECT data IDX 16 EQ 21 23 25 27
COPY data TO copy
EXPECT data EQ_BUFFER copy
`

func TestComputeEndToEnd(t *testing.T) {
	target := &fakeTarget{programs: map[string]*fakeProgram{"inc": increment()}}
	r := runText(t, target, computeScript)
	if r.Verdict != Pass || r.Checked != 3 {
		t.Fatalf("%+v", r)
	}
	if len(target.seen) != 1 {
		t.Fatalf("%d compiles", len(target.seen))
	}
	sh := target.seen[0]
	want := []Specialization{{3, 7}, {4, uint64(math.Float32bits(1))}}
	if sh.Stage != ir.StageCompute || sh.Entry != "main" || len(sh.Spec) != 2 || sh.Spec[0] != want[0] || sh.Spec[1] != want[1] {
		t.Errorf("%+v", sh)
	}
}

const rectScript = `#!amber
SHADER vertex v PASSTHROUGH
SHADER fragment f SPIRV-HEX
` + someModule + `
BUFFER fb FORMAT R8G8B8A8_UNORM
PIPELINE graphics p
  ATTACH v
  ATTACH f
  FRAMEBUFFER_SIZE 16 8
  BIND BUFFER fb AS color LOCATION 0
END
CLEAR_COLOR p 0 0 255 128
CLEAR p
RUN p DRAW_RECT POS 4 2 SIZE 8 4
EXPECT fb IDX 4 2 SIZE 8 4 EQ_RGBA 255 128 0 255 TOLERANCE 1
EXPECT fb IDX 0 0 SIZE 16 2 EQ_RGBA 0 0 255 128
EXPECT fb IDX 0 0 SIZE 4 8 EQ_RGB 0 0 255
EXPECT fb IDX 12 0 SIZE 4 8 EQ_RGB 0 0 255
EXPECT fb IDX 0 6 SIZE 16 2 EQ_RGB 0 0 255
`

func graphicsTarget() *fakeTarget {
	return &fakeTarget{programs: map[string]*fakeProgram{"v": vertexPass(), "f": orange()}}
}

func TestDrawRectEndToEnd(t *testing.T) {
	r := runText(t, graphicsTarget(), rectScript)
	if r.Verdict != Pass || r.Checked != 5 {
		t.Fatalf("%+v", r)
	}
}

func TestDrawGridAndArray(t *testing.T) {
	grid := strings.Replace(rectScript, "DRAW_RECT POS 4 2 SIZE 8 4", "DRAW_GRID POS 4 2 SIZE 8 4 CELLS 4 2", 1)
	if r := runText(t, graphicsTarget(), grid); r.Verdict != Pass {
		t.Errorf("grid: %+v", r)
	}
	data := "BUFFER pos DATA_TYPE vec2<float> DATA -0.5 -0.5 0.5 -0.5 -0.5 0.5 0.5 0.5 END\nBUFFER idx DATA_TYPE uint16 DATA 0 1 2 2 1 3 END\nPIPELINE graphics p\n"
	array := strings.Replace(rectScript, "PIPELINE graphics p\n", data, 1)
	array = strings.Replace(array, "FRAMEBUFFER_SIZE", "VERTEX_DATA pos LOCATION 0\nINDEX_DATA idx\nFRAMEBUFFER_SIZE", 1)
	for _, form := range []string{"TRIANGLE_STRIP START_IDX 0 COUNT 4", "TRIANGLE_STRIP", "TRIANGLE_LIST INDEXED"} {
		text := strings.Replace(array, "DRAW_RECT POS 4 2 SIZE 8 4", "DRAW_ARRAY AS "+form, 1)
		if r := runText(t, graphicsTarget(), text); r.Verdict != Pass {
			t.Errorf("%s: %+v", form, r)
		}
	}
}

// TestMutatedExpectationsFail changes each number of each expectation and
// wants a failure at its line.
func TestMutatedExpectationsFail(t *testing.T) {
	target := graphicsTarget()
	target.programs["inc"] = increment()
	mutants := 0
	for _, text := range []string{computeScript, rectScript} {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			from := strings.LastIndex(line, " EQ")
			if !strings.HasPrefix(line, "EXPECT") || strings.Contains(line, "EQ_BUFFER") {
				continue
			}
			words := strings.Fields(line[from:])
			for k := 1; k < len(words) && words[k] != "TOLERANCE"; k++ {
				m := append([]string(nil), words...)
				if m[k] == "255" {
					m[k] = "250"
				} else {
					m[k] += "9"
				}
				if len(m[k]) > 3 {
					m[k] = "7"
				}
				mutated := append([]string(nil), lines...)
				mutated[i] = line[:from] + " " + strings.Join(m, " ")
				r := runText(t, target, strings.Join(mutated, "\n"))
				mutants++
				if r.Verdict != Fail || r.Cause != CauseExpectation || r.Line != i+1 {
					t.Errorf("%q: %+v", mutated[i], r)
				}
			}
		}
	}
	// EQ_BUFFER: what the copy holds is changed before it is compared.
	text := strings.Replace(computeScript, "COPY data TO copy\n", "COPY data TO copy\nRUN p 1 1 1\n", 1)
	if r := runText(t, target, text); r.Verdict != Fail || r.Cause != CauseExpectation {
		t.Errorf("EQ_BUFFER: %+v", r)
	}
	if mutants < 20 {
		t.Errorf("only %d mutants", mutants)
	}
}

func TestVerdicts(t *testing.T) {
	broken := increment()
	broken.lane = func(*emu.Launch, int) error { return fmt.Errorf("bad instruction") }
	for _, c := range []struct {
		name    string
		target  *fakeTarget
		text    string
		verdict Verdict
		cause   Cause
		reason  string
	}{
		{"vkscript", graphicsTarget(), "[require]\nnoSuchFeature\n", Skip, CauseNone, "noSuchFeature"},
		{"no script", graphicsTarget(), "require\n", Fail, CauseParse, "neither AmberScript"},
		{"feature", graphicsTarget(), "#!amber\nDEVICE_FEATURE sparseBinding\n", Skip, CauseNone, "sparseBinding"},
		{"extension", graphicsTarget(), "#!amber\nDEVICE_EXTENSION VK_XX_none\n", Skip, CauseNone, "VK_XX_none"},
		{"property", graphicsTarget(), "#!amber\nDEVICE_PROPERTY none\n", Skip, CauseNone, "property none"},
		{"parse", graphicsTarget(), "#!amber\nNONSENSE\n", Fail, CauseParse, "NONSENSE"},
		{"unsupported", &fakeTarget{err: fmt.Errorf("wrapped: %w", &Unsupported{"capability X"})}, computeScript, Skip, CauseNone, "capability X"},
		{"compile", &fakeTarget{err: fmt.Errorf("no register left")}, computeScript, Fail, CauseCompile, "no register left"},
		{"run", &fakeTarget{programs: map[string]*fakeProgram{"inc": broken}}, computeScript, Fail, CauseRun, "bad instruction"},
		{"offset", &fakeTarget{programs: map[string]*fakeProgram{"inc": increment()}}, computeScript + "EXPECT data IDX 2 EQ 1\n", Fail, CauseExpectation, "multiple"},
		{"beyond", &fakeTarget{programs: map[string]*fakeProgram{"inc": increment()}}, computeScript + "EXPECT data IDX 32 EQ 1\n", Fail, CauseExpectation, "beyond"},
		{"region", graphicsTarget(), rectScript + "EXPECT fb IDX 10 0 SIZE 7 1 EQ_RGB 0 0 255\n", Fail, CauseExpectation, "outside"},
	} {
		r := runText(t, c.target, c.text)
		if r.Verdict != c.verdict || r.Cause != c.cause || !strings.Contains(r.Reason, c.reason) {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}
