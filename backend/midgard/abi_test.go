package midgard

import (
	"errors"
	"strings"
	"testing"

	"nirc/backend"
	"nirc/backend/gputest"
	"nirc/ir"
)

// TestABIs: calling conventions are known by their names and by numbers that a stage may have; others are refused, each with what it lacks.
func TestABIs(t *testing.T) {
	const distances, mask = " clip and cull distances are not supported, a stage has 1 to 8 in all", " is no mask of locations without perspective"
	for name, want := range map[string]string{
		"": "", backend.MonolithicABI: "", "clip:1": "", "clip:8": "", "clip:4+4": "", "clip:0+1": "", "linear:0x5": "", "linear:1,2,3,4": "",
		"clip:": distances, "clip:0": distances, "clip:9": distances, "clip:4+5": distances, "clip:2+": distances, "clip:x+1": distances, "clip:-1+3": distances, "clip:3+-1": distances,
		"linear:": mask, "linear:x": mask, "linear:1,2": mask,
		"blend:": "needs the format", "blend:NONE": "is not known", "separate": "the separate ABI is not supported", "cull:1": "the cull:1 ABI is not supported", "xfb": "is of a vertex shader with outputs",
	} {
		s, _ := gputest.NewShader(ir.StageFragment, 0)
		_, err := Target{}.Compile(s, &backend.Job{ABI: name, Lists: gputest.Lists})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
		if err != nil && !strings.HasPrefix(name, "blend:") && !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%q: %v counts as a failure of the compiler", name, err)
		}
	}
	for text, want := range map[string][2]int{"3": {3, 0}, "2+1": {2, 1}, "0+8": {0, 8}} {
		if clip, cull, err := parseDistances(text); err != nil || clip != want[0] || cull != want[1] {
			t.Errorf("%s: %d and %d, %v", text, clip, cull, err)
		}
	}
}
