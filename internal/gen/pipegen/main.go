// Command pipegen writes the built-in pipeline file as a tree in Go, so that no compile reads YAML for it.
// It is run by go generate in package passes.
package main

import (
	"go/format"
	"log"
	"os"

	"nirc/passes"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: pipegen PIPELINE FILE")
	}
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	text, err := passes.TreeSource(data)
	if err == nil {
		text, err = format.Source(text)
	}
	if err == nil {
		err = os.WriteFile(os.Args[2], text, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}
