package main

import (
	"nirc"
	"nirc/backend/object"
	"nirc/internal/figures"
)

// objectKinds are the kinds of artefacts that an object alone gives, without the compile that it came from.
var objectKinds = []string{"obj", "bin", "asm", "json"}

// objectArtefact is what --emit writes of an object's bytes; file is the input that it came from.
func objectArtefact(emit, file string, data []byte, debug bool) ([]byte, error) {
	if emit == "obj" {
		return data, nil
	}
	o, err := object.Read(data)
	if err != nil {
		return nil, nirc.Diagnostics{{File: file, Msg: err.Error()}}
	}
	switch emit {
	case "bin":
		return o.Code, nil
	case "asm":
		return listing(o, debug)
	case "json":
		return jsonLine(figures.NewDocument(file, o))
	}
	return nil, nirc.Usagef("--emit %s: want obj, bin, asm or json", emit)
}
