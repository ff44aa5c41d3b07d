package nirc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"nirc/backend"
	"nirc/backend/object"
	"nirc/internal/jsonplace"
)

func linkerOf(target string) (backend.Linker, error) {
	b, err := Backend(target)
	if err != nil {
		return nil, err
	}
	l := b.Linker()
	if l == nil {
		return nil, Usagef("target %s has no parts to link", b.Name())
	}
	return l, nil
}

// Link joins objects that were compiled with SeparateABI to one that runs: a
// main part with its prolog and epilog. With a state, which stands for the
// pipeline as JSON (for AGX agx.State), the parts that are missing are made; without,
// all that the main part needs must be there.
func Link(ctx context.Context, objects []*object.Object, state []byte) (linked *object.Object, err error) {
	if len(objects) == 0 {
		return nil, Usagef("no objects to link")
	}
	l, err := linkerOf(objects[0].Target)
	if err != nil {
		return nil, err
	}
	err = Guard(ctx, "link", "", objects[0].Target, func() error {
		if state != nil {
			parts, err := PartsOf(objects[0], state)
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

// pipelineState begins what is wrong with a state.
const pipelineState = "the pipeline state: "

// PartsOf makes the prolog and the epilog that a main part takes with a pipeline
// state, those of the two that there are.
func PartsOf(main *object.Object, state []byte) ([]*object.Object, error) {
	l, err := linkerOf(main.Target)
	if err != nil {
		return nil, err
	}
	s := l.NewState()
	d := json.NewDecoder(bytes.NewReader(state))
	d.DisallowUnknownFields() // a word that is spelled wrong must not be a default
	if err := d.Decode(s); err != nil {
		line, text := jsonplace.Explain(state, err)
		return nil, Diagnostics{{Line: uint32(line), Msg: pipelineState + text}}
	}
	if d.More() {
		return nil, errors.New(pipelineState + "there is more behind the object")
	}
	return l.Parts(main, s)
}
