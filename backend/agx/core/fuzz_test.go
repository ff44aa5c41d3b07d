package core

import (
	"math/rand"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/gputest"
	"nirc/internal/emu"
	"nirc/ir"
)

// anyMeta describes a program of a stage that has a place for all that it can ask for.
func anyMeta(stage ir.Stage) *abi.Meta {
	m := &abi.Meta{Stage: stage, Halves: 256, Fetches: true, UniformHalves: 512, SharedSize: 64, WorkgroupSize: [3]uint32{32, 1, 1},
		Uniforms: []abi.Uniform{{Kind: abi.UniformTable, Half: 0}, {Kind: abi.UniformHeap, Half: 4}, {Kind: abi.UniformPushAddr, Half: 8},
			{Kind: abi.UniformConstData, Half: 12}},
		Table:  []abi.TableRange{{}},
		Heap:   []abi.HeapRange{{}},
		States: []abi.State{{Index: 0}, {Index: 1, Write: true}, {Sampler: true}},
		Coefs:  []abi.Coef{{Source: abi.CoefW, Count: 1}, {CF: 1, Count: 4, Slot: ir.SlotVar0, Interp: ir.InterpSmooth}},
		Tile:   []abi.TileTarget{{Slot: ir.SlotData0, Mask: 15, Format: isa.FormatI32}}, ConstData: []byte{1, 2, 3, 4, 5}}
	for i, k := range tessUniforms {
		if stage == ir.StageTessCtrl || stage == ir.StageTessEval {
			m.Uniforms = append(m.Uniforms, abi.Uniform{Kind: k, Half: 16 + 4*i})
			m.Reads, m.PatchSlots = []ir.Slot{ir.SlotPos, ir.SlotVar0 + 31}, 3
		}
	}
	if stage == ir.StageTessCtrl {
		m.Record = []ir.Slot{ir.SlotPos, ir.SlotVar0}
	}
	if stage == ir.StageGeometry {
		fuzzGeometry(m)
	}
	return m
}

// runBytes executes bytes as a program of a stage, whatever they are.
func runBytes(code []byte, stage ir.Stage, check bool) {
	p, err := Load(code, anyMeta(stage))
	if err != nil {
		return
	}
	b := &emu.Bindings{}
	b.Set(0, 0, []emu.Descriptor{gputest.Picture()})
	l := quads(8)
	gputest.AnyStage(l, 64)
	l.Check = check
	l.Env = &emu.Env{Mem: emu.NewMemory(), Bindings: b, Push: []byte{1, 2, 3}}
	w := p.NewWave(l)
	for i := 0; i < 8; i++ {
		if st, err := w.Run(200); err != nil || st == emu.StatusDone {
			return
		}
	}
}

// fuzzGeometry makes the meta of a geometry shader whose programs are all the same.
func fuzzGeometry(m *abi.Meta) {
	for i := range 8 {
		m.Uniforms = append(m.Uniforms, abi.Uniform{Kind: abi.UniformTopology + abi.UniformKind(i), Half: 16 + 4*i})
	}
	count, raster := *m, *m
	count.Stage, raster.Stage = ir.StageCompute, ir.StageVertex
	raster.Varyings = []abi.Varying{{Slot: ir.SlotPos, Count: 4}, {Slot: ir.SlotVar0 + 1, Count: 4, Word: 4}}
	m.Reads = []ir.Slot{ir.SlotPos, ir.SlotVar0 + 31}
	m.Geometry = &abi.Geometry{Invocations: 2, MaxVertices: 5, InPrimitive: 3, OutPrimitive: 2, Count: &count, Raster: &raster,
		Feedback: abi.Feedback{Captures: []ir.Capture{{Slot: ir.SlotPos, Count: 4, Bits: 32}}, Strides: [ir.NumXfbBuffers]uint32{16}}}
}

var stages = []ir.Stage{ir.StageCompute, ir.StageFragment, ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry}

var tessUniforms = []abi.UniformKind{abi.UniformRecords, abi.UniformRecordSlots, abi.UniformPatches, abi.UniformPatchRecord,
	abi.UniformPatchPoints, abi.UniformTessPoints, abi.UniformPatchSlots, abi.UniformPatchVertices, abi.UniformPatchCount}

// TestRandomCode: no bytes make the core panic. Each program is a row of
// random instructions.
func TestRandomCode(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	ran := 0
	for i := 0; i < 1500; i++ {
		var code []byte
		for k := 0; k < 24; k++ {
			var b [isa.MaxBytes]byte
			for try := 0; try < 40; try++ {
				r.Read(b[:])
				if in, n, err := isa.Unpack(b[:]); err == nil && (execOf.Get()[in.Op] != nil || k == 23) {
					code = append(code, b[:n]...)
					ran++
					break
				}
			}
		}
		code = append(code, 0x88, 0)
		runBytes(code, stages[i%len(stages)], i%2 == 0)
	}
	if ran < 10000 {
		t.Errorf("only %d random instructions", ran)
	}
}

// TestEveryInstruction runs random forms of each instruction alone.
func TestEveryInstruction(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	seen := map[isa.Op]int{}
	for i := 0; i < 60000 && len(seen) < int(isa.NumOps); i++ {
		var b [isa.MaxBytes]byte
		r.Read(b[:])
		b[0] = byte(i)
		in, n, err := isa.Unpack(b[:])
		if err != nil || seen[in.Op] >= 12 {
			continue
		}
		seen[in.Op]++
		for _, s := range stages {
			runBytes(append(b[:n:n], 0x88, 0), s, false)
		}
	}
	t.Logf("%d instructions", len(seen))
	if len(seen) < 60 {
		t.Errorf("only %d instructions", len(seen))
	}
}

func FuzzRun(f *testing.F) {
	f.Add(assemble(f, head+"\tdevice_load 0, i32, xy, r2_r3, u0_u1, r10, unsigned\n\twait 0"+tail), byte(0))
	f.Add(assemble(f, "\twait_pix 13, 0\n\tst_tile r4, i32, 0, x, 0, 255, 0\n\tstop"), byte(1))
	f.Fuzz(func(_ *testing.T, code []byte, stage byte) {
		runBytes(code, stages[int(stage&15)%len(stages)], stage&16 != 0)
	})
}
