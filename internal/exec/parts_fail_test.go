package exec

import (
	"context"
	"errors"
	"testing"

	"nirc"
	"nirc/backend/object"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// TestPartsFail: a pipeline one of whose main parts cannot be linked with its state is not linked, whichever part it is.
func TestPartsFail(t *testing.T) {
	failed := errors.New("no such state")
	for _, stage := range []ir.Stage{ir.StageVertex, ir.StageFragment} {
		p := &emu.Pipeline{Topology: emu.TriangleList}
		for _, s := range []ir.Stage{ir.StageVertex, ir.StageFragment} {
			program := &p.Vertex
			if s == ir.StageFragment {
				program = &p.Fragment
			}
			if s == stage {
				*program = &mainPart{target: "agx", stage: s, whole: func(context.Context, *nirc.State) (*object.Object, error) { return nil, failed }}
				continue
			}
			whole := ir.NewShader(s, nil)
			whole.NewFunction("main").IsEntry = true
			var err error
			if *program, err = interp.New(whole, interp.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := LinkPipeline(t.Context(), "agx", p); !errors.Is(err, failed) {
			t.Errorf("a %s part that cannot be linked: %v", stage, err)
		}
	}
}
