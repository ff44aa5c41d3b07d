package gputest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"nirc/passes"
)

// HeldSteps collects what each machine step makes of many shaders.
type HeldSteps struct {
	t      *testing.T
	steps  []string // in their order
	rows   map[string]*heldStep
	shader string // at hand
	state  string // its text after the last step that changed it
}

// heldStep is how many shaders a step changes, and a digest of what it makes of them.
type heldStep struct {
	changed int
	digest  Digest
}

// HoldSteps begins a collection for the steps of a target, in their order.
func HoldSteps(t *testing.T, steps []string) *HeldSteps {
	return &HeldSteps{t: t, steps: steps, rows: make(map[string]*heldStep)}
}

// Shader begins with another shader, and returns the switches under which it is to be compiled.
func (h *HeldSteps) Shader(name string) passes.RunOptions {
	h.shader, h.state = name, ""
	return passes.RunOptions{DumpBefore: h.steps[:1], DumpAfter: h.steps, Dump: h.dump}
}

// dump takes the text after a step, and before the first.
func (h *HeldSteps) dump(title, text string) {
	if text == h.state {
		return
	}
	h.state = text
	name, after := strings.CutPrefix(title, "after ")
	if !after {
		name = heldInput
	}
	h.Hold(name, text)
}

// heldInput is the row of what comes into the first step.
const heldInput = "input"

// Hold adds what a step makes of the shader at hand.
func (h *HeldSteps) Hold(step, text string) {
	r := h.rows[step]
	if r == nil {
		r = new(heldStep)
		h.rows[step] = r
	}
	r.changed++
	r.digest.Bytes([]byte(text))
	if os.Getenv("NIRC_VERBOSE") != "" {
		d := Digest(0)
		d.Bytes([]byte(text))
		h.t.Logf("%s: %s: %016x", h.shader, step, uint64(d))
	}
}

// Table compares the collection with a file of testdata, a row for each step: the number of its place, its name, how many
// shaders it changes, and the digest. Where a change means to change code, the first row that differs is the step that does.
// go test -update writes the file; NIRC_VERBOSE=1 shows a digest for each shader.
func (h *HeldSteps) Table(file string) {
	place := map[string]int{}
	for i, s := range h.steps {
		place[s] = i + 1
	}
	rows := make(map[string]string, len(h.rows))
	for s, r := range h.rows {
		name := s // of what stands after all steps
		if place[s] > 0 || s == heldInput {
			name = fmt.Sprintf("%02d %s", place[s], s)
		}
		rows[name] = fmt.Sprintf("%d\t%016x", r.changed, uint64(r.digest))
	}
	HoldTable(h.t, file, rows)
}
