package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"nirc"
	"nirc/cache"
	"nirc/internal/jsonplace"

	"github.com/spf13/cobra"
)

const cacheExecuteLong = `Compile the requests of a file, as nirc cache build --remote-executor sends them to a worker. Each
becomes a file in the directory of -o, named by its digest: an object or why there is none, as a
cache has it. The modules are in the folder modules beside the file, named by their digests. The
flags must be those of the build, and this nirc of the same version: else nothing is compiled.`

// workerFlags are the flags that code depends on beside a request.
var workerFlags = append(slices.Clone(choiceFlags), "state", "inline-uniform")

// executed is the document of nirc cache execute.
type executed struct {
	Schema   int   `json:"schema"`
	Requests int   `json:"requests"`
	Answered int64 `json:"answered"`
}

// execute is nirc cache execute.
func (c *cacheCommand) execute() *cobra.Command {
	var r shared
	cmd := &cobra.Command{Use: "execute FILE -o DIR", Short: "Compile the requests of a remote executor", Args: cobra.ExactArgs(1), Long: cacheExecuteLong}
	f := cmd.Flags()
	r.declareOutput(f, "", "write the answers to this `DIRECTORY`")
	r.declare(f, workerFlags, []string{"jobs"})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if r.output == "" {
			return nirc.Usagef("nirc cache execute: want -o DIRECTORY")
		}
		base, err := r.options("")
		if err == nil && r.stateFile != "" {
			base.State, err = readState(r.stateFile)
		}
		if err != nil {
			return err
		}
		r.base = base
		b, err := newBuilder(nil, &r)
		if err != nil {
			return err
		}
		requests, err := readRequests(args[0])
		if err != nil {
			return err
		}
		if err := os.MkdirAll(r.output, 0o777); err != nil {
			return &nirc.IOError{Err: err}
		}
		defer useProcessors(r.jobs)()
		folder := filepath.Join(filepath.Dir(args[0]), filepath.FromSlash(cache.FarmModules))
		worker := cache.Answerer{Builder: b, Base: base, Jobs: r.jobs, Module: func(d cache.Digest) ([]byte, error) { return readFile(filepath.Join(folder, d.String())) }}
		done := executed{Schema: cacheSchema, Requests: len(requests)}
		var answered atomic.Int64
		err = worker.Run(cmd.Context(), requests, func(key cache.Digest, data []byte) error {
			answered.Add(1)
			return ioError(os.WriteFile(filepath.Join(r.output, key.String()), data, 0o666))
		})
		done.Answered = answered.Load()
		return errors.Join(storeError(err), c.tell(&done, "%d of %d requests answered\n", done.Answered, done.Requests))
	}
	return cmd
}

// readRequests reads the file of a remote executor's requests.
func readRequests(file string) ([]cache.Request, error) {
	text, err := readFile(file)
	if err != nil {
		return nil, err
	}
	var doc cache.Wanted
	line := 0
	if err = json.Unmarshal(text, &doc); err != nil {
		var why string
		line, why = jsonplace.Explain(text, err)
		err = errors.New(why)
	} else if doc.Kind != cache.WantedKind || doc.Schema != cache.WantedSchema {
		err = fmt.Errorf("its kind and schema are %q and %d", doc.Kind, doc.Schema)
	}
	if err != nil {
		return nil, nirc.Diagnostics{{File: file, Line: uint32(line), Msg: "no requests of nirc cache build --remote-executor: " + err.Error()}}
	}
	return doc.Requests, nil
}
