package agx_test

import (
	"strings"
	"testing"

	"nirc/ir"
)

// The lanes of a subgroup get what one of them had of an atomic from lane 0 where all are there; where some may be missing from the first that is
// there, for which the others do nothing meanwhile, and by a reduction where a quad may lack lanes.
func TestSharedAtomics(t *testing.T) {
	const source = `#version 460
layout(local_size_x = SIZE) in;
layout(set = 0, binding = 0) buffer C { uint c; };
layout(set = 0, binding = 1) buffer O { uint v[]; };
void main() {
  uint id = gl_LocalInvocationIndex;
  IF v[atomicAdd(c, 1)] = id;
}`
	const whole, same, some = "", "if (v[40] == 7)", "if (v[40 + id] == 7)"
	for _, c := range []struct{ size, cond, shared string }{
		{"32", whole, "simd_shuffle"}, {"32", same, "simd_shuffle"}, {"32", some, "icmp_ballot"},
		{"30", whole, "simd_shuffle"}, {"30", same, "simd_shuffle"}, {"30", some, "simd_or"},
	} {
		text := mainPart(t, ir.StageCompute, strings.NewReplacer("IF", c.cond, "SIZE", c.size).Replace(source))
		reduces := c.shared == "simd_or"
		if !strings.Contains(text, c.shared) || reduces == strings.Contains(text, "simd_shuffle") || reduces != strings.Contains(text, "else_") ||
			strings.Contains(text, "icmp_ballot") != (c.shared == "icmp_ballot") {
			t.Errorf("%s, workgroups of %s:\n%s", c.cond, c.size, text)
		}
	}
}

// What the first active lane has comes by a shuffle of its number, which is found once for all components, where no quad lacks lanes; else by
// reductions.
func TestFirstLane(t *testing.T) {
	const source = `#version 460
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = SIZE) in;
layout(set = 0, binding = 0) buffer O { uvec4 v[]; };
void main() {
  uint id = gl_LocalInvocationIndex;
  if (v[id + 64].x == 7) v[id] = subgroupBroadcastFirst(v[id + 128]);
}`
	for size, ballots := range map[string]int{"32": 1, "30": 0, "36": 1} {
		text := mainPart(t, ir.StageCompute, strings.ReplaceAll(source, "SIZE", size))
		if strings.Count(text, "icmp_ballot") != ballots || strings.Contains(text, "simd_or") == (ballots > 0) {
			t.Errorf("workgroups of %s:\n%s", size, text)
		}
	}
}
