package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"nirc"
	"nirc/cache"
	"nirc/frontend/spirv"
	"nirc/internal/jsonplace"
)

// readManifest reads the requests of --manifest.
func (b *cacheBuild) readManifest(manifest string) ([]buildJob, error) {
	text, err := b.read(manifest)
	if err != nil {
		return nil, err
	}
	var jobs []buildJob
	scan := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; scan.Scan(); n++ {
		words, err := splitArgs(scan.Text())
		j := buildJob{entry: b.compile.entry, stage: b.compile.stageName, next: b.compile.nextName, spec: b.compile.spec}
		if err == nil && len(words) > 0 {
			err = j.parse(words, func(path string) string { return beside(manifest, path) })
		}
		if err != nil {
			return nil, nirc.Diagnostics{{File: manifest, Line: uint32(n), Msg: err.Error()}}
		}
		if len(words) == 0 {
			continue
		}
		j.path = beside(manifest, j.path)
		j.rel = filepath.Base(j.path)
		jobs = append(jobs, j)
	}
	return jobs, ioError(scan.Err())
}

// beside is a path that a file names: from the folder of the file on.
func beside(file, path string) string {
	if filepath.IsAbs(path) || file == "-" {
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}

// parse reads a manifest's line; at is where a file of a relative path is.
func (j *buildJob) parse(words []string, at func(string) string) (err error) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		if !strings.HasPrefix(w, "-") {
			if j.path != "" {
				return fmt.Errorf("%q: a line has one file", w)
			}
			j.path = w
			continue
		}
		if j.state.SetFlag(w) {
			continue
		}
		name, value, ok := strings.Cut(w, "=")
		if !ok {
			if i++; i == len(words) {
				return fmt.Errorf("%s wants a value", w)
			}
			value = words[i]
		}
		switch name {
		case "--entry":
			j.entry = value
		case "--stage", "--next":
			if _, err := parseStage(value); err != nil {
				return err
			}
			if name == "--stage" {
				j.stage = value
			} else {
				j.next = value
			}
		case "--robust":
			if err := j.state.SetRobust(value); err != nil {
				return err
			}
		case "--spec":
			j.spec = append(slices.Clone(j.spec), value)
		case "--layout":
			if j.layout, err = readLayout(at(value)); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s: want --entry, --stage, --next, --spec, --layout, --sample-shading, --points, --multiview, --dispatch-base or --robust", name)
		}
	}
	if j.path == "" {
		return fmt.Errorf("the line has no file")
	}
	return nil
}

// wanted is a document about shaders that were asked of a cache: of build's --manifest-out what it
// got, of index what it would ask for.
type wanted struct {
	Schema  int            `json:"schema"`
	Code    string         `json:"code"` // the version of the code generation
	Shaders []wantedShader `json:"shaders"`
}

// wantedShader is one shader. Name, target and GPU together are its own.
type wantedShader struct {
	Name    string            `json:"name"` // FILE:ENTRY
	File    string            `json:"file"`
	Entry   string            `json:"entry"`
	Stage   string            `json:"stage"`
	Spec    []spirv.SpecValue `json:"spec,omitempty"`
	Target  string            `json:"target"`
	GPU     string            `json:"gpu"`
	Level   string            `json:"level"`
	Debug   bool              `json:"debug,omitempty"`
	ABI     string            `json:"abi,omitempty"`
	Next    string            `json:"next,omitempty"`
	Digest  cache.Digest      `json:"digest"`
	Outcome string            `json:"outcome"` // of build; absent or there of index
	Refused []string          `json:"refused,omitempty"`
}

// newWanted describes a request; the outcome is not set.
func newWanted(j *buildJob, label string, key cache.Digest, q *cache.Request) wantedShader {
	return wantedShader{Name: filepath.ToSlash(j.rel) + ":" + label, File: filepath.ToSlash(j.path), Entry: q.Entry, Stage: q.Stage, Spec: q.Spec,
		Target: q.Target, GPU: q.GPU, Level: q.Level, Debug: q.Debug, ABI: q.ABI, Next: q.Next, Digest: key}
}

// readWanted reads what --manifest-out wrote.
func (a *app) readWanted(path string) (*wanted, error) {
	text, err := a.read(path)
	if err != nil {
		return nil, err
	}
	var w wanted
	if err := json.Unmarshal(text, &w); err != nil {
		line, why := jsonplace.Explain(text, err)
		return nil, nirc.Diagnostics{{File: path, Line: uint32(line), Msg: "no manifest of nirc cache build --manifest-out: " + why}}
	}
	if w.Schema != cacheSchema {
		return nil, nirc.Diagnostics{{File: path, Msg: fmt.Sprintf("no manifest of nirc cache build --manifest-out: its schema is %d, not %d", w.Schema, cacheSchema)}}
	}
	return &w, nil
}
