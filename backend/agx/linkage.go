package agx

import (
	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/object"
	"nirc/internal/emu"
	"nirc/passes"
)

// linkage is the target's backend.Linker.
type linkage struct{ Target }

// Linker links main parts with prologs and epilogs.
func (Target) Linker(lists passes.Lists) backend.Linker { return linkage{Target{lists}} }

func (linkage) StateOf(p *emu.Pipeline, cullDistances int) *backend.State {
	s := StateOf(p)
	s.Fragment.CullDistances = cullDistances
	if p.TessCtrl != nil || p.Geometry != nil {
		s.IndexBytes = 4 // of those by which the core numbers the vertices of patches and primitives
	}
	return s
}

func (l linkage) Parts(main *object.Object, state *backend.State) (list []*object.Object, err error) {
	prolog, epilog, err := l.Target.Parts(main, state)
	for _, o := range []*object.Object{prolog, epilog} {
		if o != nil && err == nil {
			list = append(list, o)
		}
	}
	return list, err
}

func (linkage) CullDistances(main *object.Object) int {
	var m abi.Meta
	if err := backend.Meta(TargetName, main, &m); err != nil {
		return 0 // linking says what is wrong
	}
	return int(m.CullDistances)
}

func (linkage) Strip(p *emu.Pipeline) { Strip(p) }

// Dropper compiles the fragment program of pipelines that have none of their own, but cull distances.
func (Target) Dropper(abi string, lists passes.Lists) (*object.Object, error) {
	n, err := cullsOf(abi)
	if err != nil {
		return nil, err
	}
	return Target{lists}.CullProgram("", n)
}

// FeedbackStage is PassThrough: the geometry stage alone writes transform feedback.
func (Target) FeedbackStage(lists passes.Lists) backend.FeedbackStage {
	return func(last *object.Object, vertices int, _ string) (*object.Object, error) {
		return Target{lists}.PassThrough(last, vertices)
	}
}
