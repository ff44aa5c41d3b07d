package interp

import (
	"math"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// checkValues asks for system values of lane 1.
func checkValues(t *testing.T, w *Wave, want map[sysval][4]uint32) {
	t.Helper()
	for sv, v := range want {
		if got := w.sysval(sv, 1); got != v {
			t.Errorf("system value %d: %v, want %v", sv, got, v)
		}
	}
}

func asFloats(v ...float32) (w [4]uint32) {
	for i, x := range v {
		w[i] = math.Float32bits(x)
	}
	return w
}

// TestComputeValues: the ids of a dispatch of 5 x 7 x 11 workgroups of 4 x 2 x 3, that begins at workgroup 10, 20, 30.
func TestComputeValues(t *testing.T) {
	s := ir.NewShader(ir.StageCompute, nil)
	s.Info.WorkgroupSize = [3]uint32{4, 2, 3}
	l := &emu.Launch{Env: &emu.Env{}, NumLanes: 2, Compute: &emu.ComputeLaunch{WorkgroupID: [3]uint32{2, 3, 4}, NumWorkgroups: [3]uint32{5, 7, 11}, BaseWorkgroupID: [3]uint32{10, 20, 30},
		LocalID: [][3]uint32{{0, 0, 0}, {3, 1, 2}}, SubgroupID: 6, NumSubgroups: 9}}
	w := &Wave{p: &Program{shader: s, lanes: 128}, l: l, state: &state{}}
	checkValues(t, w, map[sysval][4]uint32{
		svNumWorkgroups: {5, 7, 11}, svWorkgroupID: {2, 3, 4}, svBaseWorkgroupID: {10, 20, 30}, svWorkgroupFromBase: {12, 23, 34}, svWorkgroupSize: {4, 2, 3},
		svWorkgroupIndex: {2 + 5*(3+7*4)}, svLocalID: {3, 1, 2}, svLocalIndex: {3 + 4*(1+2*2)}, svGlobalID: {12*4 + 3, 23*2 + 1, 34*3 + 2},
		svGlobalIndex: {51 + 20*(47+14*104)}, svGlobalSize: {20, 14, 33}, svSubgroupSize: {128}, svNumSubgroups: {9}, svSubgroupID: {6}, svSubgroupLane: {1},
		svEqMask: {2}, svLtMask: {1}, svLeMask: {3}, svGeMask: {0xfffffffe, 0xffffffff, 0xffffffff, 0xffffffff}, svGtMask: {0xfffffffc, 0xffffffff, 0xffffffff, 0xffffffff},
		svOne: {1, 1}, svZero: {},
	})
	if got := w.sysval(svEqMask, 100); got != [4]uint32{0, 0, 0, 1 << 4} {
		t.Errorf("the mask of lane 100: %v", got)
	}
	// Quads: lanes of one row of two quads take the columns of two rows.
	s.Info.DerivativeGroup = ir.DerivativeQuads
	for k := range 8 {
		id := quadID([3]uint32{uint32(k % 4), uint32(k / 4), 2}, 4)
		if want := [3]uint32{uint32(k/4*2 + k%2), uint32(k / 2 % 2), 2}; id != want {
			t.Errorf("lane %d is at %v, want %v", k, id, want)
		}
	}
	checkValues(t, w, map[sysval][4]uint32{svLocalID: {3, 1, 2}})
	l.Compute.LocalID[1] = [3]uint32{2, 0, 1}
	checkValues(t, w, map[sysval][4]uint32{svLocalID: {0, 1, 1}, svLocalIndex: {0 + 4*(1+2*1)}, svGlobalID: {48, 47, 103}})
}

// TestVertexValues: what a vertex shader is told.
func TestVertexValues(t *testing.T) {
	v := emu.VertexLane{VertexIndex: 107, InstanceIndex: 58, BaseVertex: 100, BaseInstance: 50, DrawIndex: 3, ViewIndex: 2, IsIndexed: true}
	w := &Wave{p: &Program{shader: ir.NewShader(ir.StageVertex, nil), lanes: 4}, l: &emu.Launch{Vertex: []emu.VertexLane{{}, v}}}
	checkValues(t, w, map[sysval][4]uint32{svVertexIndex: {107}, svVertexIndexZero: {7}, svInstanceIndex: {58}, svInstanceID: {8}, svBaseVertex: {100}, svBaseInstance: {50},
		svDrawIndex: {3}, svIsIndexed: {0xffffffff}, svViewIndex: {2}})
}

// TestFragmentValues: what a fragment shader is told, for a pixel and for a sample.
func TestFragmentValues(t *testing.T) {
	prim := &emu.Primitive{ViewIndex: 3, FrontFacing: true, PrimitiveID: 77, Layer: 5, Viewport: 6, Samples: 4,
		PointCoord: func(x, y float32) (float32, float32) { return x / 100, y / 10 }, SamplePos: func(n int) (float32, float32) { return float32(n) / 8, float32(n) / 16 }}
	f := emu.FragmentLane{Prim: prim, X: 12, Y: 34, SampleID: -1, Coord: [4]float32{12.5, 34.5, 0.25, 2}, Coverage: 0xb, ShadingRate: 6, Helper: true,
		Persp: [3][2]float32{{0.25, 0.125}}, Linear: [3][2]float32{{0.5, 0.375}}}
	l := &emu.Launch{Fragment: []emu.FragmentLane{{}, f}}
	w := &Wave{p: &Program{shader: ir.NewShader(ir.StageFragment, nil), lanes: 4}, l: l}
	checkValues(t, w, map[sysval][4]uint32{svViewIndex: {3}, svFragCoord: asFloats(12.5, 34.5, 0.25, 2), svPixelCoord: {12, 34}, svPointCoord: asFloats(0.125, 3.45), svFrontFace: {1},
		svFrontFaceSign: asFloats(1), svSampleID: {0}, svSamplePos: asFloats(0.5, 0.5), svSampleMask: {0xb}, svShadingRate: {6}, svPrimitiveID: {77}, svLayer: {5}, svViewport: {6}, svHelper: {1},
		svBary: asFloats(0.625, 0.25, 0.125), svBaryLinear: asFloats(0.125, 0.5, 0.375)})
	l.Fragment[1].SampleID, l.Fragment[1].Helper, prim.FrontFacing, prim.PointCoord = 2, false, false, nil
	checkValues(t, w, map[sysval][4]uint32{svSampleID: {2}, svSamplePos: asFloats(0.25, 0.125), svHelper: {}, svFrontFace: {}, svFrontFaceSign: asFloats(-1), svPointCoord: {}})
	prim.SamplePos = nil
	l.Fragment[1].SampleID = 0
	checkValues(t, w, map[sysval][4]uint32{svSampleID: {0}, svSamplePos: asFloats(0.5, 0.5)})
	for s, want := range map[ir.Slot]uint32{ir.SlotPrimitiveID: 77, ir.SlotLayer: 5, ir.SlotViewport: 6, ir.SlotViewIndex: 3, ir.SlotFace: 0, ir.SlotPos: math.Float32bits(12.5)} {
		if got := w.slotValue(s, 1, 0); got != want {
			t.Errorf("slot %d: %d, want %d", s, got, want)
		}
	}
}

// TestWhichStageHasWhat: a system value is given to the stages that have it, and to no other.
func TestWhichStageHasWhat(t *testing.T) {
	all := []ir.Stage{ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry, ir.StageFragment, ir.StageCompute}
	vertex, fragment, compute := []ir.Stage{ir.StageVertex}, []ir.Stage{ir.StageFragment}, []ir.Stage{ir.StageCompute}
	tess := []ir.Stage{ir.StageTessCtrl, ir.StageTessEval}
	want := map[sysval][]ir.Stage{
		svViewIndex: {ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry, ir.StageFragment}, svPrimitiveID: {ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry, ir.StageFragment},
		svInvocationID: {ir.StageTessCtrl, ir.StageGeometry}, svPatchVertices: tess, svTessOuter: tess, svTessInner: tess, svTessCoord: {ir.StageTessEval},
		svSubgroupSize: all, svSubgroupLane: all, svEqMask: all, svLtMask: all, svZero: all, svOne: all, svNumSubgroups: compute, svSubgroupID: compute,
	}
	for sv := svVertexIndex; sv <= svIsIndexed; sv++ {
		want[sv] = vertex
	}
	for sv := svFragCoord; sv <= svBaryLinear; sv++ {
		if sv != svPrimitiveID {
			want[sv] = fragment
		}
	}
	for sv := svNumWorkgroups; sv <= svGlobalSize; sv++ {
		want[sv] = compute
	}
	for sv, stages := range want {
		for _, st := range all {
			has := false
			for _, s := range stages {
				has = has || s == st
			}
			if svStage(sv, st) != has {
				t.Errorf("system value %d in stage %s: %v", sv, st, !has)
			}
		}
	}
	if !svStage(svGlobalID, ir.StageKernel) || !svStage(svSubgroupID, ir.StageKernel) {
		t.Error("a kernel has no ids")
	}
}

// TestBooleanValues: in memory a system value that is a boolean has all bits, as booleans of more than one bit do: opt_if turned a
// question around by inot, and 1 stayed true.
func TestBooleanValues(t *testing.T) {
	for _, front := range []bool{false, true} {
		l := &emu.Launch{NumLanes: 1, Fragment: []emu.FragmentLane{{Prim: &emu.Primitive{FrontFacing: front}}}}
		w := &Wave{p: &Program{shader: ir.NewShader(ir.StageFragment, nil), lanes: 1, private: 4, sysvars: []sysvar{{svFrontFace, 0, ir.BoolType}}}, l: l, state: &state{priv: make([]byte, 4)}}
		w.startSysvals()
		if want := front; (w.priv[0] == 0xff && w.priv[3] == 0xff) != want || !want && (w.priv[0] != 0 || w.priv[3] != 0) {
			t.Errorf("front facing %v: %x", front, w.priv)
		}
	}
}
