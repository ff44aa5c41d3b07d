package agx

import (
	"encoding/json"
	"errors"
	"fmt"

	"nirc/backend"
	"nirc/ir"
	"nirc/object"
	"nirc/passes"
)

// codegenStep is the step that stands for the whole of Compile; the machine
// steps inside it are seen by dumps.
const codegenStep = "codegen"

// Compile generates the object of a shader that went through the pipeline.
func (Target) Compile(s *ir.Shader, job *backend.Job) (*object.Object, error) {
	if job.ABI != "" && job.ABI != "monolithic" {
		return nil, fmt.Errorf("agx: the %s ABI is not supported", job.ABI)
	}
	opts := CompileOptions{GPU: job.GPU, Verify: job.Instrument.VerifyEach()}
	if job.Dump {
		before := ir.Print(s)
		opts.Dump = func(step, text string) { before = dumpStep(job.Instrument, step, before, text) }
	}
	var bin *Binary
	_, err := job.Instrument.Do(&passes.Step{Name: codegenStep, Run: func() (bool, error) {
		var err error
		bin, err = Compile(s, opts)
		return true, err
	}})
	if err != nil {
		return nil, err
	}
	if bin == nil {
		return nil, errors.New("no code was generated: the pass of --start-before has not run")
	}
	abi, err := json.Marshal(&bin.Meta)
	if err != nil {
		return nil, fmt.Errorf("agx: %w", err)
	}
	g, err := FindGPU(job.GPU)
	if err != nil {
		return nil, err
	}
	o := &object.Object{Target: "agx", GPU: g.Name, Stage: s.Stage, Entry: s.Name, Code: bin.Code, ABI: abi, Stats: bin.Stats.list()}
	o.Reflect.SharedSize, o.Reflect.ScratchSize = bin.Meta.SharedSize, bin.Meta.ScratchSize
	if job.Debug {
		lineTable(o, s, bin.Lines)
	}
	return o, nil
}

// dumpStep shows a machine step, whose work is done, to the instrument and
// returns the state behind it.
func dumpStep(ins *passes.Instrument, step, before, text string) string {
	state := before
	ins.Do(&passes.Step{Name: step, Print: func() string { return state }, Run: func() (bool, error) {
		changed := state != text
		state = text
		return changed, nil
	}})
	return text
}

// lineTable fills the object's map from code to source: an entry wherever the
// location changes.
func lineTable(o *object.Object, s *ir.Shader, lines []CodeLine) {
	o.Files = append([]string(nil), s.Files...)
	last := ir.Loc{}
	for _, n := range lines {
		if int(n.Loc) >= len(s.Locs) || s.Locs[n.Loc] == last {
			continue
		}
		last = s.Locs[n.Loc]
		o.Lines = append(o.Lines, object.LineEntry{Offset: uint32(n.Offset), File: last.File, Line: last.Line, Col: last.Col, ID: last.ID, Word: last.Word})
	}
}
