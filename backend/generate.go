package backend

import (
	"encoding/json"
	"errors"
	"fmt"

	"nirc/backend/object"
	"nirc/ir"
	"nirc/passes"
)

// codegenStep is the step that stands for the whole of a code generator; the
// machine steps inside it are seen by dumps.
const codegenStep = "codegen"

// Generated is what a code generator makes of a shader.
type Generated struct {
	GPU  string // the chip's own name, where Job.GPU may be empty or another spelling
	Code []byte
	// Meta is the target's ABI data, which becomes JSON.
	Meta  any
	Stats []object.Stat
	// SharedSize is the workgroup's memory, ScratchSize an invocation's private one, in bytes.
	SharedSize, ScratchSize uint32
	Lines                   []CodeLine // by offset
}

// CodeLine is where the code of a source location begins.
type CodeLine struct {
	Offset int    // bytes
	Loc    uint32 // index into ir.Shader.Locs
}

// Object runs the code generator gen as an instrumented step and makes an
// object of what it gives. gen is handed the function that takes the text of
// each machine step, nil if nobody looks.
func (job *Job) Object(target string, s *ir.Shader, gen func(dump func(step, text string)) (*Generated, error)) (*object.Object, error) {
	var dump func(step, text string)
	if job.Dump {
		before := ir.Print(s)
		dump = func(step, text string) { before = job.dumpStep(step, before, text) }
	}
	var g *Generated
	_, err := job.Instrument.Do(&passes.Step{Name: codegenStep, Run: func() (bool, error) {
		var err error
		g, err = gen(dump)
		return true, err
	}})
	if err != nil {
		return nil, err
	}
	return job.NewObject(target, s, g)
}

// NewObject makes the object of what a target's code generator made of s.
func (job *Job) NewObject(target string, s *ir.Shader, g *Generated) (*object.Object, error) {
	if g == nil {
		return nil, errors.New("no code was generated: the pass of --start-before has not run")
	}
	abi, err := json.Marshal(g.Meta)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", target, err)
	}
	o := &object.Object{Target: target, GPU: g.GPU, Stage: s.Stage, Entry: s.Name, Code: g.Code, ABI: abi, Stats: g.Stats}
	o.Reflect.SharedSize, o.Reflect.ScratchSize = g.SharedSize, g.ScratchSize
	if job.Debug {
		lineTable(o, s, g.Lines)
	}
	return o, nil
}

// dumpStep shows a machine step, whose work is done, to the instrument and
// returns the state behind it.
func (job *Job) dumpStep(step, before, text string) string {
	state := before
	job.Instrument.Do(&passes.Step{Name: step, Print: func() string { return state }, Run: func() (bool, error) {
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

// Meta decodes the ABI data of an object of the target into m, a pointer.
func Meta(target string, o *object.Object, m any) error {
	if o.Target != target {
		return fmt.Errorf("%s: the object is for %s", target, o.Target)
	}
	if err := json.Unmarshal(o.ABI, m); err != nil {
		return fmt.Errorf("%s: the object's meta: %w", target, err)
	}
	return nil
}
