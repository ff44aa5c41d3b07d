package backend

import (
	"nirc/backend/object"
	"nirc/internal/emu"
)

// Linker makes whole programs of parts, and the parts that depend on a pipeline's state.
type Linker interface {
	// Link joins objects that were compiled with SeparateABI: a main part with its prolog and epilog.
	Link(parts []*object.Object) (*object.Object, error)
	// StateOf takes the state out of a pipeline of the software GPU, the stage before whose
	// rasterizer writes a number of cull distances.
	StateOf(p *emu.Pipeline, cullDistances int) *State
	// Parts makes what of prolog and epilog a main part takes with a state.
	Parts(main *object.Object, state *State) ([]*object.Object, error)
	// CullDistances is the number of those that a main part writes and an epilog must test.
	CullDistances(main *object.Object) int
	// Strip takes out of a pipeline what a linked fragment program does itself.
	Strip(p *emu.Pipeline)
}

// FeedbackStage makes the geometry stage that hands on the primitives, of a number of vertices,
// of the stage last, for transform feedback. abi is the calling convention of the stage: "" or LinearABI with a mask.
type FeedbackStage func(last *object.Object, vertices int, abi string) (*object.Object, error)
