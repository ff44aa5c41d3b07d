package nirc

import (
	"context"

	"nirc/backend"
	"nirc/backend/object"
)

func linkerOf(target string) (backend.Linker, error) {
	b, err := Backend(target)
	if err != nil {
		return nil, err
	}
	return linker(b)
}

func linker(b backend.Backend) (backend.Linker, error) {
	l := b.Linker(BuiltinLists(b.Name()))
	if l == nil {
		return nil, Usagef("target %s has no parts to link", b.Name())
	}
	return l, nil
}

// Link joins objects that were compiled with SeparateABI to one that runs: a
// main part with its prolog and epilog. With a state the parts that are missing are made; without,
// all that the main part needs must be there. What State.Shader says is done when a main part is compiled.
func Link(ctx context.Context, objects []*object.Object, state *State) (linked *object.Object, err error) {
	if len(objects) == 0 {
		return nil, Usagef("no objects to link")
	}
	b, err := Backend(objects[0].Target)
	if err != nil {
		return nil, err
	}
	return link(ctx, b, objects, state)
}

func link(ctx context.Context, b backend.Backend, objects []*object.Object, state *State) (linked *object.Object, err error) {
	l, err := linker(b)
	if err != nil {
		return nil, err
	}
	err = Guard(ctx, "link", "", objects[0].Target, func() error {
		if state != nil {
			parts, err := l.Parts(objects[0], state)
			if err != nil {
				return err
			}
			objects = append(objects[:len(objects):len(objects)], parts...)
		}
		linked, err = l.Link(objects)
		return err
	})
	return linked, err
}

// PartsOf makes the prolog and the epilog that a main part takes with a pipeline
// state, those of the two that there are.
func PartsOf(main *object.Object, state *State) ([]*object.Object, error) {
	l, err := linkerOf(main.Target)
	if err != nil {
		return nil, err
	}
	return l.Parts(main, state)
}
