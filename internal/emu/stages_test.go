package emu

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"nirc/ir"
)

// TestAssembleWide checks the vertices that the geometry stage gets.
func TestAssembleWide(t *testing.T) {
	const restart = 99
	for _, c := range []struct {
		topo Topology
		in   []uint32
		want [][]uint32
	}{
		{TriangleStrip, []uint32{0, 1, 2, 3}, [][]uint32{{0, 1, 2}, {1, 3, 2}}},
		{PointList, []uint32{4, 5}, [][]uint32{{4}, {5}}},
		{PatchList, []uint32{0, 1, 2, 3, 4}, [][]uint32{{0, 1}, {2, 3}}},
		{PatchList, []uint32{0, restart, 1, 2}, [][]uint32{{1, 2}}},
		{LineListAdjacency, []uint32{0, 1, 2, 3, 4}, [][]uint32{{0, 1, 2, 3}}},
		{LineStripAdjacency, []uint32{0, 1, 2, 3, 4}, [][]uint32{{0, 1, 2, 3}, {1, 2, 3, 4}}},
		{LineStripAdjacency, []uint32{0, 1, 2, restart, 3, 4, 5, 6}, [][]uint32{{3, 4, 5, 6}}},
		{TriangleListAdjacency, []uint32{0, 1, 2, 3, 4, 5, 6}, [][]uint32{{0, 1, 2, 3, 4, 5}}},
		{TriangleStripAdjacency, []uint32{0, 1, 2, 3, 4, 5}, [][]uint32{{0, 1, 2, 5, 4, 3}}},
		{TriangleStripAdjacency, []uint32{0, 1, 2, 3, 4, 5, 6, 7}, [][]uint32{{0, 1, 2, 6, 4, 3}, {2, 5, 6, 7, 4, 0}}},
		{TriangleStripAdjacency, []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, [][]uint32{{0, 1, 2, 6, 4, 3}, {2, 5, 6, 8, 4, 0}, {4, 2, 6, 9, 8, 7}}},
		{TriangleStripAdjacency, []uint32{0, 1, 2, 3, 4, 5, 6, restart, 10, 11, 12, 13, 14, 15}, [][]uint32{{0, 1, 2, 5, 4, 3}, {10, 11, 12, 15, 14, 13}}},
	} {
		a := newWideAssembler(&Pipeline{Topology: c.topo, PatchControlPoints: 2})
		var got [][]uint32
		take := func(done bool) {
			if done {
				got = append(got, append([]uint32(nil), a.v[:a.size]...))
			}
		}
		for _, idx := range c.in {
			if idx == restart {
				take(a.restart())
			} else {
				take(a.push(idx))
			}
		}
		take(a.end())
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("topology %d, vertices %v: %v, want %v", c.topo, c.in, got, c.want)
		}
	}
}

// geometryShader runs f on every lane.
func geometryShader(wave int, io GeomIO, f func(l *GeometryLane)) *fakeProgram {
	p := &fakeProgram{stage: ir.StageGeometry, wave: wave}
	p.io.Geom = io
	p.io.Outputs = []OutputSlot{{Slot: ir.SlotPos, Mask: 15}, {Slot: ir.SlotLayer, Mask: 1}, {Slot: ir.SlotPrimitiveID, Mask: 1}}
	p.run = func(l *Launch, _ int) (Status, error) {
		for i := range l.NumLanes {
			f(&l.Geometry[i])
		}
		return StatusDone, nil
	}
	return p
}

// TestGeometryStage makes of each point two strips of two triangles, in the
// layer of the invocation, and checks counts, ids and the pixels.
func TestGeometryStage(t *testing.T) {
	var ids []string
	fs := fragmentShader(64, func(l *FragmentLane, out *Slots) bool {
		if l.X%4 == 0 && l.Y == 0 && !l.Helper {
			ids = append(ids, fmt.Sprint(l.X, l.Prim.Layer, l.Prim.PrimitiveID))
		}
		out[ir.SlotData0] = Vec4{fb(1), fb(1), fb(1), fb(1)}
		return true
	})
	p := testPipeline(t, 8, 4, 1, "R8G8B8A8_UNORM", 1, []float32{-1, -1, 0, 1, 0, -1, 0, 1}, fs)
	p.Color[0].View = mustImage(t, ImageDesc{Width: 8, Height: 4, Layers: 2, Format: FormatByName("R8G8B8A8_UNORM")})
	p.Topology = PointList
	p.Geometry = geometryShader(2, GeomIO{Invocations: 2, MaxVertices: 4, InPrimitive: 1, OutPrimitive: 2}, func(l *GeometryLane) {
		for k := range 5 { // one more than the stage may emit
			v := *l.V[0]
			x, y := bf(v[ir.SlotPos][0])+float32(k&1), bf(v[ir.SlotPos][1])+2*float32(k>>1)
			v[ir.SlotPos] = Vec4{fb(x), fb(y), 0, fb(1)}
			v[ir.SlotLayer][0], v[ir.SlotPrimitiveID][0] = l.InvocationID, 10+l.PrimitiveID
			l.Emitted.Emit(&v)
		}
		l.Emitted.EndPrimitive()
	})
	st := draw(t, p, 2)
	if want := []string{"0 0 10", "0 1 10", "4 0 11", "4 1 11"}; !reflect.DeepEqual(ids, want) {
		t.Errorf("%q, want %q", ids, want)
	}
	if st.Primitives != 2 || st.PrimitivesDrawn != 8 || st.FragmentInvocations != 64 {
		t.Errorf("%+v", st)
	}
}

// tessShaders pass positions on, with these levels.
func tessShaders(wave int, mode TessIO, outer [4]float32, inner [2]float32) (ctrl, eval *fakeProgram) {
	ctrl = &fakeProgram{stage: ir.StageTessCtrl, wave: wave}
	ctrl.io.Tess.OutputVertices = mode.OutputVertices
	ctrl.run = func(l *Launch, pc int) (Status, error) {
		for i := range l.NumLanes {
			c := &l.TessCtrl[i]
			p := c.Patch
			if pc == 0 { // every lane gives its point to the next vertex
				p.Out[(c.InvocationID+1)%uint32(len(p.Out))] = *p.In[c.InvocationID]
				continue
			}
			if c.InvocationID == 0 {
				for k := range outer {
					p.PerPatch[ir.SlotTessLevelOuter][k] = fb(outer[k])
				}
				p.PerPatch[ir.SlotTessLevelInner] = Vec4{fb(inner[0]), fb(inner[1])}
				p.PerPatch[ir.SlotPatch0] = p.Out[0][ir.SlotPos] // of another lane
			}
		}
		if pc == 0 {
			return StatusBarrier, nil
		}
		return StatusDone, nil
	}
	eval = &fakeProgram{stage: ir.StageTessEval, wave: wave}
	eval.io.Tess = mode
	eval.io.Outputs = []OutputSlot{{Slot: ir.SlotPos, Mask: 15}}
	eval.run = func(l *Launch, _ int) (Status, error) {
		for i := range l.NumLanes {
			e := &l.TessEval[i]
			first := e.Patch.PerPatch[ir.SlotPatch0]
			x, y := bf(first[0])+2*e.Coord[0], bf(first[1])+2*e.Coord[1]
			l.Out[i][ir.SlotPos] = Vec4{fb(x), fb(y), 0, fb(1)}
		}
		return StatusDone, nil
	}
	return ctrl, eval
}

// TestTessellation draws patches through both stages for several wave sizes:
// in narrow waves a patch's barrier joins several.
func TestTessellation(t *testing.T) {
	for _, wave := range []int{1, 2, 64} {
		mode := TessIO{OutputVertices: 3, Domain: ir.DomainQuads}
		for _, points := range []bool{false, true} {
			p := testPipeline(t, 8, 8, 1, "R8G8B8A8_UNORM", 1, []float32{5, 5, 0, 1, 5, 5, 0, 1, -1, -1, 0, 1, 9, 9, 0, 1, 9, 9, 0, 1, -1, -1, 0, 1}, constantColor(1, 1, 1, 1))
			mode.PointMode = points
			p.Topology, p.PatchControlPoints = PatchList, 3
			c, e := tessShaders(wave, mode, [4]float32{4, 4, 4, 4}, [2]float32{4, 4})
			p.TessCtrl, p.TessEval = c, e
			st := draw(t, p, 6)
			want := DrawStats{Primitives: 2, PrimitivesDrawn: 2 * 32, FragmentInvocations: 2 * 64}
			if points {
				want.PrimitivesDrawn, want.FragmentInvocations = 2*25, 2*16
			}
			if st.Primitives != want.Primitives || st.PrimitivesDrawn != want.PrimitivesDrawn || st.FragmentInvocations != want.FragmentInvocations {
				t.Errorf("wave %d points %v: %+v, want %+v", wave, points, st, want)
			}
		}
	}
}

// TestTessellationToGeometry sends the triangles of a patch through the
// geometry stage.
func TestTessellationToGeometry(t *testing.T) {
	p := testPipeline(t, 8, 8, 1, "R8G8B8A8_UNORM", 1, []float32{-1, -1, 0, 1}, constantColor(1, 1, 1, 1))
	p.Topology, p.PatchControlPoints = PatchList, 1
	c, e := tessShaders(64, TessIO{OutputVertices: 1, Domain: ir.DomainQuads}, [4]float32{1, 1, 1, 1}, [2]float32{1, 1})
	p.TessCtrl, p.TessEval = c, e
	p.Geometry = geometryShader(64, GeomIO{MaxVertices: 3, InPrimitive: 3, OutPrimitive: 1}, func(l *GeometryLane) {
		for _, v := range l.V {
			l.Emitted.Emit(v)
		}
	})
	if st := draw(t, p, 1); st.PrimitivesDrawn != 4 {
		t.Errorf("%+v, want 4 lines", st)
	}
}

// TestStageErrors are pipelines that cannot be.
func TestStageErrors(t *testing.T) {
	ctrl, eval := tessShaders(64, TessIO{OutputVertices: 3, Domain: ir.DomainTriangles}, [4]float32{}, [2]float32{})
	for _, c := range []struct {
		change func(p *Pipeline)
		want   string
	}{
		{func(p *Pipeline) { p.TessCtrl = ctrl }, "only one of the two"},
		{func(p *Pipeline) { p.TessCtrl, p.TessEval = ctrl, eval }, "the topology is not a list of patches"},
		{func(p *Pipeline) { p.Topology = PatchList }, "there are no tessellation stages"},
		{func(p *Pipeline) { p.TessCtrl, p.TessEval, p.Topology = ctrl, eval, PatchList }, "0 control points"},
		{func(p *Pipeline) { p.TessCtrl, p.TessEval = eval, ctrl }, "of stage"},
		{func(p *Pipeline) { p.Geometry = geometryShader(64, GeomIO{InPrimitive: 2}, nil) }, "primitives of 2 vertices, the topology gives 3"},
		{func(p *Pipeline) {
			p.TessCtrl, p.TessEval, p.Topology, p.PatchControlPoints = ctrl, eval, PatchList, 3
			p.Geometry = geometryShader(64, GeomIO{InPrimitive: 1}, nil)
		}, "primitives of 1 vertices, tessellation gives 3"},
	} {
		p := testPipeline(t, 8, 8, 1, "R8G8B8A8_UNORM", 1, quad(0), constantColor(1, 1, 1, 1))
		c.change(p)
		err := Draw(context.Background(), p, DrawParams{VertexCount: 3, InstanceCount: 1})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
