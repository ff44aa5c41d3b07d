package capability

import (
	"testing"

	"nirc/frontend/spirv/spv"
)

// Each capability of the grammar has one row, and each row is one of the grammar's.
func TestEveryCapabilityHasARow(t *testing.T) {
	rows := map[spv.Capability]int{}
	for _, r := range Rows() {
		rows[r.Capability]++
		if r.Frontend != "" && r.Vulkan == "" && len(r.Lacks) > 0 {
			t.Errorf("%s: what no target can have needs no reasons of targets", r.Capability)
		}
	}
	n := 0
	for v := range uint32(1 << 16) {
		c := spv.Capability(v)
		if _, known := spv.KindCapability.Lookup(c.String()); !known {
			if rows[c] != 0 {
				t.Errorf("the grammar has no capability %d", v)
			}
			continue
		}
		n++
		if rows[c] != 1 {
			t.Errorf("%s has %d rows", c, rows[c])
		}
	}
	if n < 250 {
		t.Errorf("only %d capabilities in the grammar", n)
	}
}

// What a GPU has in part is not what it has, and not what it refuses.
func TestPart(t *testing.T) {
	for _, r := range Rows() {
		if r.Capability != spv.CapabilityFragmentBarycentricKHR {
			continue
		}
		const want = "inputs per vertex: the hardware gives what it interpolates, and the value of the provoking vertex alone"
		if !r.Part("ir3", "a630") || r.Why("ir3", "a630") != want {
			t.Errorf("ir3: %v, %q", r.Part("ir3", "a630"), r.Why("ir3", "a630"))
		}
		if r.Part("agx", "g13g") || r.Part("midgard", "t860") {
			t.Error("agx and midgard have all of it, or nothing")
		}
	}
}

// A reason names the first GPU that does not need it.
func TestWhy(t *testing.T) {
	for _, x := range []struct {
		c                 spv.Capability
		target, gpu, want string
	}{
		{spv.CapabilityRayQueryKHR, "ir3", "a630", "the hardware has no test of rays against boxes and triangles, needs a740"},
		{spv.CapabilityRayQueryKHR, "ir3", "a740", ""},
		{spv.CapabilityInt64Atomics, "ir3", "a750", ""},
		{spv.CapabilityMultiViewport, "midgard", "t860", "the hardware draws to one viewport"},
		{spv.CapabilityFragmentBarycentricKHR, "ir3", "a740", ""},
		{spv.CapabilityFragmentBarycentricKHR, "midgard", "t860", "interpolation keeps the barycentrics to itself"},
		{spv.CapabilityGeometry, "midgard", "t860", ""},
		{spv.CapabilityGeometry, "ir3", "a702", "the hardware has no such stage"},
		{spv.CapabilityGeometry, "agx", "g13g", ""},
	} {
		if got := Why(x.c, x.target, x.gpu); got != x.want {
			t.Errorf("%s on %s: %q, want %q", x.c, x.gpu, got, x.want)
		}
	}
}
