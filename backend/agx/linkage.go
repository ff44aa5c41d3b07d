package agx

import (
	"nirc/backend"
	"nirc/backend/object"
	"nirc/internal/emu"
)

// linkage is the target's backend.Linker, whose states are of type State.
type linkage struct{ Target }

// Linker links main parts with prologs and epilogs.
func (t Target) Linker() backend.Linker { return linkage{t} }

func (linkage) NewState() any { return &State{} }

func (linkage) StateOf(p *emu.Pipeline, cullDistances int) any {
	s := StateOf(p)
	s.Fragment.CullDistances = cullDistances
	if p.TessCtrl != nil || p.Geometry != nil {
		s.IndexBytes = 4 // of those by which the core numbers the vertices of patches and primitives
	}
	return s
}

func (l linkage) Parts(main *object.Object, state any) (list []*object.Object, err error) {
	prolog, epilog, err := l.Target.Parts(main, state.(*State))
	for _, o := range []*object.Object{prolog, epilog} {
		if o != nil && err == nil {
			list = append(list, o)
		}
	}
	return list, err
}

func (linkage) Strip(p *emu.Pipeline) { Strip(p) }

// Dropper compiles the fragment program of pipelines that have none of their own, but cull distances.
func (t Target) Dropper(abi string) (*object.Object, error) {
	n, err := cullsOf(abi)
	if err != nil {
		return nil, err
	}
	return t.CullProgram("", n)
}

// FeedbackStage is PassThrough: the geometry stage alone writes transform feedback.
func (t Target) FeedbackStage() backend.FeedbackStage { return t.PassThrough }
