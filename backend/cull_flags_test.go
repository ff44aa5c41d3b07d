package backend_test

import (
	"math"
	"testing"

	"nirc/backend"
	"nirc/backend/gputest"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// cullStores is a store of cull distances: values from a component of a slot on, of those that the mask has; nil is undefined.
type cullStores struct {
	slot      ir.Slot
	offset    uint32
	component uint64
	mask      uint64
	values    []float64
}

// TestStoreCullFlags: for each cull distance up to the last that is stored there is a word of the slots that is 1 where the vertex is
// inside, which it is at zero too, and 0 where it is not; distances that are not stored cull nothing.
func TestStoreCullFlags(t *testing.T) {
	const at = ir.SlotVar0 + 20
	for _, c := range []struct {
		what   string
		stores []cullStores
		want   []float64
	}{
		{"four at once", []cullStores{{ir.SlotCullDist0, 0, 0, 15, []float64{-1, 0, 2, -0.5}}}, []float64{0, 1, 1, 0}},
		{"one of four", []cullStores{{ir.SlotCullDist0, 0, 2, 1, []float64{-1}}}, []float64{1, 1, 0}},
		{"one that is inside", []cullStores{{ir.SlotCullDist0, 0, 1, 1, []float64{4}}}, []float64{1, 1}},
		{"two masked out of three", []cullStores{{ir.SlotCullDist0, 0, 1, 5, []float64{-1, -1, -1}}}, []float64{1, 0, 1, 0}},
		{"the last masked out", []cullStores{{ir.SlotCullDist0, 0, 0, 3, []float64{-1, 3, -1, -1}}}, []float64{0, 1}},
		{"the second slot", []cullStores{{ir.SlotCullDist1, 0, 1, 1, []float64{-1}}}, []float64{1, 1, 1, 1, 1, 0}},
		{"the second slot by an offset", []cullStores{{ir.SlotCullDist0, 1, 2, 3, []float64{-1, 1}}}, []float64{1, 1, 1, 1, 1, 1, 0, 1}},
		{"both", []cullStores{{ir.SlotCullDist1, 0, 0, 15, []float64{-1, 1, -1, 1}}, {ir.SlotCullDist0, 0, 0, 15, []float64{1, -1, 1, -1}}}, []float64{1, 0, 1, 0, 0, 1, 0, 1}},
		{"an undefined one", []cullStores{{ir.SlotCullDist0, 0, 0, 1, nil}}, nil},
		{"a clip distance", []cullStores{{ir.SlotClipDist0, 0, 0, 1, []float64{-1}}, {ir.SlotCullDist1 + 1, 0, 0, 1, []float64{-1}}}, nil},
		{"none", nil, nil},
	} {
		s, b := gputest.NewShader(ir.StageVertex, 0)
		s.Info.CullDistances = 1
		for _, st := range c.stores {
			v := b.Undef(1, 32)
			if st.values != nil {
				parts := make([]*ir.Def, len(st.values))
				for i, x := range st.values {
					parts[i] = b.ImmFloat(x, 32)
				}
				v = b.Vec(parts...)
			}
			sem := ir.IOSemantics{Location: st.slot, NumSlots: 1}
			b.Intrinsic(ir.IntrStoreOutput, 0, 0, v, b.Imm32(st.offset)).Set(ir.IdxWriteMask, st.mask).Set(ir.IdxComponent, st.component).
				Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxRange, 1).Set(ir.IdxSrcType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack())
		}
		n := backend.StoreCullFlags(s, s.Entry().Impl, at)
		if n != len(c.want) {
			t.Errorf("%s: %d flags, want %d", c.what, n, len(c.want))
			continue
		}
		out := runVertex(t, s)
		for k, want := range c.want {
			if got := math.Float32frombits(out[at+ir.Slot(k/4)][k%4]); got != float32(want) {
				t.Errorf("%s: flag %d is %g, want %g:\n%s", c.what, k, got, want, ir.Print(s))
			}
		}
	}
}

// runVertex runs a vertex shader for one vertex on the interpreter, and returns its outputs.
func runVertex(t *testing.T, s *ir.Shader) emu.Slots {
	t.Helper()
	if err := ir.Validate(s); err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(s))
	}
	p, err := interp.New(s, interp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := &emu.Launch{Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}, NumLanes: 1, Out: make([]emu.Slots, 1), Vertex: make([]emu.VertexLane, 1)}
	if _, err := p.NewWave(l).Run(10000); err != nil {
		t.Fatal(err)
	}
	return l.Out[0]
}

// TestNoCullFlags: a shader that declares no cull distances, or hands on to no rasteriser from its vertex stage, is left as it was.
func TestNoCullFlags(t *testing.T) {
	for stage, declared := range map[ir.Stage]uint8{ir.StageVertex: 0, ir.StageTessEval: 1, ir.StageGeometry: 1} {
		s, b := gputest.NewShader(stage, 0)
		s.Info.CullDistances = declared
		sem := ir.IOSemantics{Location: ir.SlotCullDist0, NumSlots: 1}
		b.Intrinsic(ir.IntrStoreOutput, 0, 0, b.ImmFloat(-1, 32), b.Imm32(0)).Set(ir.IdxWriteMask, 1).Set(ir.IdxIoSemantics, sem.Pack())
		before := ir.Print(s)
		if n := backend.StoreCullFlags(s, s.Entry().Impl, ir.SlotVar0); n != 0 || ir.Print(s) != before {
			t.Errorf("%s: %d flags:\n%s", stage, n, ir.Print(s))
		}
	}
}
