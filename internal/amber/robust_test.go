package amber

import (
	"testing"

	"nirc/ir"
)

// TestRobust: what a script requires says how robust its accesses are, the most of all that it requires, and a few scripts are taken as if
// they required it.
func TestRobust(t *testing.T) {
	one := ir.Robust{Storage: ir.Robust1, Uniform: ir.Robust1, Vertex: ir.Robust1}
	both := ir.Robust{Storage: ir.Robust2, Uniform: ir.Robust2, Vertex: ir.Robust2, Images: ir.Robust1}
	feature := func(names ...string) (list []Requirement) {
		for _, n := range names {
			list = append(list, Requirement{Kind: RequireFeature, Name: n})
		}
		return list
	}
	for _, c := range []struct {
		name     string
		requires []Requirement
		want     ir.Robust
	}{
		{"a.amber", nil, ir.Robust{}},
		{"a.amber", feature("shaderInt64"), ir.Robust{}},
		{"a.amber", feature("robustBufferAccess"), one},
		{"a.amber", []Requirement{{Kind: RequireFeature + 1, Name: "robustBufferAccess"}}, ir.Robust{}},
		{"a.amber", feature("ImageRobustnessFeatures.robustImageAccess", "Robustness2Features.robustBufferAccess2", "robustBufferAccess"), both},
		{"a.amber", feature("Robustness2Features.robustImageAccess2", "ImageRobustnessFeatures.robustImageAccess"), ir.Robust{Images: ir.Robust2}},
		{"/cts/spirv/opptrequal/variable_pointers_wg_equal.amber", nil, one},
		{"/cts/spirv/opptrequal/variable_pointers_wg_equal.amber", feature("ImageRobustnessFeatures.robustImageAccess"), one.Max(ir.Robust{Images: ir.Robust1})},
		{"variable_pointers_wg_equal.amber", nil, ir.Robust{}},
	} {
		s := Script{Name: c.name, Requirements: c.requires}
		if got := s.robust(); got != c.want {
			t.Errorf("%s, %v: %+v, want %+v", c.name, c.requires, got, c.want)
		}
	}
	for _, suffix := range leavesBuffers {
		if s := (Script{Name: "/cts" + suffix}); s.robust() != one {
			t.Errorf("%s: %+v, want %+v", suffix, s.robust(), one)
		}
	}
}
