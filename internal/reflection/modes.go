package reflection

import (
	"fmt"

	"nirc/ir"
)

// Modes lists the execution modes of a shader.
func Modes(s *ir.Shader) []string {
	var list []string
	add := func(on bool, format string, args ...any) {
		if on {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	name := func(names []string, i uint8) string { return names[min(int(i), len(names)-1)] }
	tess, geom := &s.Info.Tess, &s.Info.Geom
	switch s.Stage {
	case ir.StageTessCtrl:
		add(true, "output_vertices %d", tess.OutputVertices)
	case ir.StageGeometry:
		add(true, "input %s", name(ir.InPrimitiveNames[:], geom.InPrimitive))
		add(true, "output %s", name(ir.OutPrimitiveNames[:], geom.OutPrimitive))
		add(true, "max_vertices %d", geom.MaxVertices)
		add(geom.Invocations > 1, "invocations %d", geom.Invocations)
	case ir.StageMesh:
		add(true, "output %s", name(ir.MeshPrimitiveNames[:], s.Info.Mesh.Primitive))
		add(true, "max_vertices %d", s.Info.Mesh.MaxVertices)
		add(true, "max_primitives %d", s.Info.Mesh.MaxPrimitives)
	case ir.StageFragment:
		add(s.Info.EarlyFragmentTests, "early_fragment_tests")
		add(s.Info.PostDepthCoverage, "post_depth_coverage")
		add(s.Info.DepthReplacing, "depth_replacing")
		add(s.Info.StencilReplacing, "stencil_replacing")
	}
	if s.Stage == ir.StageTessCtrl || s.Stage == ir.StageTessEval {
		add(tess.Domain != ir.DomainNone, "domain %s", name(ir.DomainNames[:], tess.Domain))
		add(tess.Domain != ir.DomainNone, "spacing %s", name(ir.SpacingNames[:], tess.Spacing))
		add(tess.Domain == ir.DomainTriangles || tess.Domain == ir.DomainQuads, "order %s", map[bool]string{true: "ccw", false: "cw"}[tess.CCW])
		add(tess.PointMode, "point_mode")
	}
	return list
}
