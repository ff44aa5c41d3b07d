package nirc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"nirc/backend/agx"
	"nirc/backend/object"
	"nirc/internal/jsonplace"
)

// partsLinker is a backend whose shaders can be compiled as parts.
type partsLinker interface {
	Link(parts []*object.Object) (*object.Object, error)
	Parts(main *object.Object, s *agx.State) (prolog, epilog *object.Object, err error)
}

func linkerOf(target string) (partsLinker, error) {
	b, err := Backend(target)
	if err != nil {
		return nil, err
	}
	l, ok := b.(partsLinker)
	if !ok {
		return nil, Usagef("target %s has no parts to link", b.Name())
	}
	return l, nil
}

// Link joins objects that were compiled with SeparateABI to one that runs: a
// main part with its prolog and epilog. With a state, which stands for the
// pipeline as JSON (agx.State), the parts that are missing are made; without,
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
	var s agx.State
	d := json.NewDecoder(bytes.NewReader(state))
	d.DisallowUnknownFields() // a word that is spelled wrong must not be a default
	if err := d.Decode(&s); err != nil {
		line, text := jsonplace.Explain(state, err)
		return nil, Diagnostics{{Line: uint32(line), Msg: pipelineState + text}}
	}
	if d.More() {
		return nil, errors.New(pipelineState + "there is more behind the object")
	}
	prolog, epilog, err := l.Parts(main, &s)
	var list []*object.Object
	for _, o := range []*object.Object{prolog, epilog} {
		if o != nil && err == nil {
			list = append(list, o)
		}
	}
	return list, err
}
