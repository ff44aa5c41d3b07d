package nirc_test

import (
	"testing"

	"nirc"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// TestNotedLoops: with Options.Debug an object notes the loops that it was left with, and its model knows how often each runs; an object
// without knows of none.
func TestNotedLoops(t *testing.T) {
	m := prove.FromGLSL(t, ir.StageCompute, `#version 450
layout(set = 0, binding = 0) buffer B { uint n, o[]; };
void main() {
  for (uint i = 0; i < 70; i++) { atomicAdd(n, i); for (uint k = 0; k < o[i]; k++) atomicXor(n, k); }
}`)
	for _, target := range nirc.Targets() {
		for _, debug := range []bool{false, true} {
			o, err := m.Compile(t.Context(), nirc.Options{Target: target.Name, Level: passes.O2, Debug: debug})
			if err != nil {
				t.Fatal(err)
			}
			p, loops, err := nirc.CostLoops(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case !debug:
				if len(o.Loops) != 0 || len(loops) != 0 {
					t.Errorf("%s: %d loops are noted without being asked for", target.Name, len(o.Loops))
				}
			case len(loops) != 2 || loops[0].Depth != 1 || loops[1].Depth != 2 || loops[1].Trips != 0:
				t.Errorf("%s: loops %+v", target.Name, loops)
			case loops[0].Trips < 70 || loops[0].Trips > 71 || p.Trips[loops[0].Header] != loops[0].Trips:
				t.Errorf("%s: the outer loop runs %d times, in the model %d", target.Name, loops[0].Trips, p.Trips[loops[0].Header])
			}
		}
	}
}
