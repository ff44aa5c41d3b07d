package main

import (
	"slices"
	"strings"
	"testing"
)

// The shell completes the formats of blend programs.
func TestCompleteABIs(t *testing.T) {
	list := completeABIs(nil)
	for _, want := range []string{"monolithic", "separate", "blend:R8G8B8A8_SRGB", "blend:A2B10G10R10_UNORM_PACK32", "cull:1", "cull:8"} {
		if !slices.Contains(list, want) {
			t.Errorf("%s is not offered", want)
		}
	}
	if slices.Contains(list, "blend:D16_UNORM") {
		t.Error("a depth format is offered")
	}
}

// What --disable-pass takes is offered: optional passes, and steps of code generators.
func TestCompleteOptional(t *testing.T) {
	list := completeOptional(nil)
	for _, want := range []string{"predicate_branches\tstep of ir3", "scalar_uniform\tstep of ir3"} {
		if !slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("%s is not offered", want)
		}
	}
}
