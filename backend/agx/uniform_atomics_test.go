package agx_test

import (
	"strings"
	"testing"

	"nirc/ir"
)

// The lanes of a subgroup get what one of them had of an atomic from lane 0 where all are there, for which the others do nothing
// meanwhile; where some may be missing by a reduction.
func TestSharedAtomics(t *testing.T) {
	const source = `#version 460
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer C { uint c; };
layout(set = 0, binding = 1) buffer O { uint v[]; };
void main() {
  uint id = gl_LocalInvocationIndex;
  IF v[atomicAdd(c, 1)] = id;
}`
	for cond, whole := range map[string]bool{"": true, "if (v[40] == 7)": true, "if (v[40 + id] == 7)": false} {
		text := mainPart(t, ir.StageCompute, strings.ReplaceAll(source, "IF", cond))
		if whole != strings.Contains(text, "simd_shuffle") || whole == strings.Contains(text, "simd_or") || whole == strings.Contains(text, "else_") {
			t.Errorf("%s:\n%s", cond, text)
		}
	}
}
