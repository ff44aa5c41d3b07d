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
