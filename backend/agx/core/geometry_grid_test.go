package core

import (
	"errors"
	"strings"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// RunGeometry refuses what the programs of a geometry shader cannot find out: primitive restart,
// which a driver unrolls, and primitives of another size than the shader takes.
func TestRunGeometryRefusals(t *testing.T) {
	vertex := &program{api: ir.StageVertex, meta: &abi.Meta{Stage: ir.StageVertex, Next: ir.StageGeometry}}
	geometry := &program{api: ir.StageGeometry, meta: &abi.Meta{Geometry: &abi.Geometry{InPrimitive: 3}}}
	env := &emu.Env{Mem: emu.NewMemory()}
	for _, c := range []struct {
		pipeline    emu.Pipeline
		want        string
		unsupported bool
	}{
		{emu.Pipeline{Env: env, Topology: emu.TriangleStrip, PrimitiveRestart: true}, "primitive restart", true},
		{emu.Pipeline{Env: env, Topology: emu.LineList}, "takes primitives of 3 vertices, the topology gives 2", false},
		{emu.Pipeline{Topology: emu.TriangleList}, "no environment", false},
	} {
		draw := emu.DrawParams{VertexCount: 6, InstanceCount: 1}
		got, err := RunGeometry(t.Context(), &Geometry{Grid: Grid{Pipeline: &c.pipeline, Draw: draw}, Vertex: vertex, Geometry: geometry})
		if got != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d emissions, error %v, want %q", len(got), err, c.want)
		}
		var u *emu.Unsupported
		if errors.As(err, &u) != c.unsupported {
			t.Errorf("%v: not supported by design: %v", err, c.unsupported)
		}
	}
}

// TestGridPrimitives: how many primitives so many vertices make, of which size, is counted one by one.
func TestGridPrimitives(t *testing.T) {
	for _, c := range []struct {
		topology          emu.Topology
		size, first, step uint32 // vertices of a primitive, of the first one, and of each that follows
	}{
		{emu.PointList, 1, 1, 1}, {emu.LineList, 2, 2, 2}, {emu.LineStrip, 2, 2, 1}, {emu.TriangleList, 3, 3, 3}, {emu.TriangleStrip, 3, 3, 1}, {emu.TriangleFan, 3, 3, 1}, {emu.LineListAdjacency, 4, 4, 4},
		{emu.LineStripAdjacency, 4, 4, 1}, {emu.TriangleListAdjacency, 6, 6, 6}, {emu.TriangleStripAdjacency, 6, 6, 2},
	} {
		for vertices := range uint32(25) {
			want := uint32(0)
			for taken := c.first; taken <= vertices; taken += c.step {
				want++
			}
			if size, n, err := primitives(c.topology, vertices); err != nil || uint32(size) != c.size || n != want {
				t.Errorf("topology %v, %d vertices: %d primitives of %d, %v; want %d of %d", c.topology, vertices, n, size, err, want, c.size)
			}
		}
	}
	if _, _, err := primitives(emu.PatchList, 3); err == nil {
		t.Error("patches are primitives of geometry")
	}
}
