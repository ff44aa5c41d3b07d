package nirc

import (
	"bytes"
	"context"
	"encoding/json"

	"nirc/backend"
	"nirc/backend/object"
	"nirc/internal/jsonplace"
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
// main part with its prolog and epilog. With a state, which stands for the
// pipeline as JSON (for AGX agx.State), the parts that are missing are made; without,
// all that the main part needs must be there. What is wrong with the state is a StateError.
func Link(ctx context.Context, objects []*object.Object, state []byte) (linked *object.Object, err error) {
	if len(objects) == 0 {
		return nil, Usagef("no objects to link")
	}
	b, err := Backend(objects[0].Target)
	if err != nil {
		return nil, err
	}
	return link(ctx, b, objects, state)
}

func link(ctx context.Context, b backend.Backend, objects []*object.Object, state []byte) (linked *object.Object, err error) {
	l, err := linker(b)
	if err != nil {
		return nil, err
	}
	var s any
	if state != nil {
		if s, err = decodeState(l, state); err != nil {
			return nil, err
		}
	}
	err = Guard(ctx, "link", "", objects[0].Target, func() error {
		if s != nil {
			parts, err := l.Parts(objects[0], s)
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

// StateError says what is wrong with the JSON of a pipeline's state.
type StateError struct {
	Line int // from 1 on, 0 unknown
	Text string
}

// Error returns the text.
func (e *StateError) Error() string { return "the pipeline state: " + e.Text }

// In returns what is wrong as a diagnostic, with its place in the file of the state.
func (e *StateError) In(file, target string) Diagnostics {
	return Diagnostics{{File: file, Line: uint32(e.Line), Msg: e.Error(), Target: target}}
}

// PartsOf makes the prolog and the epilog that a main part takes with a pipeline
// state, those of the two that there are.
func PartsOf(main *object.Object, state []byte) ([]*object.Object, error) {
	l, err := linkerOf(main.Target)
	if err != nil {
		return nil, err
	}
	s, err := decodeState(l, state)
	if err != nil {
		return nil, err
	}
	return l.Parts(main, s)
}

// decodeState reads a state; the error is a StateError.
func decodeState(l backend.Linker, state []byte) (any, error) {
	s := l.NewState()
	d := json.NewDecoder(bytes.NewReader(state))
	d.DisallowUnknownFields() // a word that is spelled wrong must not be a default
	if err := d.Decode(s); err != nil {
		line, text := jsonplace.Explain(state, err)
		return nil, &StateError{line, text}
	}
	if d.More() {
		return nil, &StateError{Text: "there is more after the object"}
	}
	return s, nil
}
