package ir3

import (
	"fmt"

	"nirc/backend"
	"nirc/backend/ir3/isa"
	"nirc/backend/object"
	"nirc/ir"
	"nirc/passes"
)

// Optional steps: repeat groups, predicated sides of ifs, preambles in shared registers,
// uniform values of the program in such, and hints at last reads.
const (
	repeatStep    = "repeat_groups"
	predicateStep = "predicate_branches"
	scalarStep    = "scalar_preamble"
	uniformStep   = "scalar_uniform"
	lastStep      = "last_reads"
)

// Compile generates the object of a shader that went through the pipeline.
func (t Target) Compile(s *ir.Shader, job *backend.Job) (*object.Object, error) {
	g, err := FindGPU(job.GPU)
	if err != nil {
		return nil, err
	}
	opts := CompileOptions{GPU: g.Name, Lists: job.Lists, Verify: job.Instrument.VerifyEach(), NoRepeat: true, NoScalar: true, NoLast: true, uniform: shareNever, predicate: predicateNever}
	if takesOver(s.Stage, job.Next) {
		opts.Next = job.Next
	}
	// What may be left out as a pass may be.
	optional := [...]struct {
		name   string
		enable func()
	}{
		{repeatStep, func() { opts.NoRepeat = false }},
		{scalarStep, func() { opts.NoScalar = false }},
		{uniformStep, func() { opts.uniform = shareCheap }},
		{lastStep, func() { opts.NoLast = false }},
		{predicateStep, func() { opts.predicate = predicateCheap }},
	}
	for _, o := range optional {
		if _, err := job.Instrument.Do(&passes.Step{Name: o.name, Optional: true, Run: func() (bool, error) {
			o.enable()
			return true, nil
		}}); err != nil {
			return nil, err
		}
	}
	return job.Object(t.Name(), s, func(dump func(step, text string)) (*backend.Generated, error) {
		opts.Dump = dump
		bin, err := Compile(s, opts)
		if err != nil {
			return nil, err
		}
		m := &bin.Meta
		return &backend.Generated{GPU: g.Name, Code: bin.Code, Meta: m, Stats: bin.Stats.list(), SharedSize: m.SharedSize, ScratchSize: m.PrivateSize, Lines: codeLines(bin.Locs)}, nil
	})
}

// codeLines finds where the location of the words changes.
func codeLines(locs []uint32) []backend.CodeLine {
	var lines []backend.CodeLine
	for i, n := range locs {
		if i == 0 || n != locs[i-1] {
			lines = append(lines, backend.CodeLine{Offset: i * isa.WordBytes, Loc: n})
		}
	}
	return lines
}

// list gives the figures by their names in
// ir3.md §10, and the two that all targets have: regs and code_bytes.
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
