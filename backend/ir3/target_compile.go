package ir3

import (
	"encoding/json"
	"errors"
	"fmt"

	"nirc/backend"
	"nirc/backend/ir3/isa"
	"nirc/ir"
	"nirc/object"
	"nirc/passes"
)

// codegenStep is the step that stands for the whole of Compile; the machine
// steps inside it are seen by dumps.
const codegenStep = "codegen"

// repeatStep is the step that stands for repeat groups.
const repeatStep = "repeat_groups"

// Compile generates the object of a shader that went through the pipeline.
func (Target) Compile(s *ir.Shader, job *backend.Job) (*object.Object, error) {
	opts := CompileOptions{GPU: job.GPU, Verify: job.Instrument.VerifyEach()}
	if job.Dump {
		before := ir.Print(s)
		opts.Dump = func(step, text string) { before = dumpStep(job.Instrument, step, before, text) }
	}
	// The repeat groups may be left out as a pass may be.
	opts.NoRepeat = true
	if _, err := job.Instrument.Do(&passes.Step{Name: repeatStep, Optional: true, Run: func() (bool, error) {
		opts.NoRepeat = false
		return true, nil
	}}); err != nil {
		return nil, err
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
		return nil, fmt.Errorf("ir3: %w", err)
	}
	g, err := FindGPU(job.GPU)
	if err != nil {
		return nil, err
	}
	o := &object.Object{Target: "ir3", GPU: g.Name, Stage: s.Stage, Entry: s.Name, Code: bin.Code, ABI: abi, Stats: bin.Stats.list()}
	o.Reflect.SharedSize, o.Reflect.ScratchSize = bin.Meta.SharedSize, bin.Meta.PrivateSize
	if job.Debug {
		lineTable(o, s, bin.Locs)
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
func lineTable(o *object.Object, s *ir.Shader, locs []uint32) {
	o.Files = append([]string(nil), s.Files...)
	last := ir.Loc{}
	for i, n := range locs {
		if int(n) >= len(s.Locs) {
			continue
		}
		l := s.Locs[n]
		if l == last {
			continue
		}
		last = l
		o.Lines = append(o.Lines, object.LineEntry{Offset: uint32(i * isa.WordBytes), File: l.File, Line: l.Line, Col: l.Col, ID: l.ID, Word: l.Word})
	}
}

// list gives the figures by their names in the project's ir3 reference,
// section 10, and the two that all targets have: regs and code_bytes.
func (s *Stats) list() []object.Stat {
	var l []object.Stat
	add := func(name string, v int) { l = append(l, object.Stat{Name: name, Value: int64(v)}) }
	add("inst", s.Instrs)
	add("nops", s.Nops)
	add("non-nops", s.NonNops)
	add("mov", s.Mov)
	add("cov", s.Cov)
	add("dwords", s.Dwords)
	add("last-baryf", s.LastBaryf)
	add("last-helper", s.LastHelper)
	add("half", s.Half)
	add("full", s.Full)
	add("constlen", s.ConstLen)
	for i, n := range s.Cat {
		add(fmt.Sprintf("cat%d", i), n)
	}
	add("stp", s.Stp)
	add("ldp", s.Ldp)
	add("sstall", s.SStall)
	add("(ss)", s.SS)
	add("systall", s.SyStall)
	add("(sy)", s.SY)
	add("waves", s.Waves)
	add("loops", s.Loops)
	add("preamble inst", s.Preamble)
	add("early-preamble", boolInt(s.EarlyPreamble))
	add("rpt groups made", s.Rpt.Made)
	add("rpt groups cleaned", s.Rpt.Cleaned)
	add("rpt merged", s.Rpt.Merged)
	add("rpt groups split", s.Rpt.Split)
	add("rpt saved", s.Rpt.Saved)
	add("regs", s.Full)
	add("code_bytes", s.CodeBytes)
	return l
}
