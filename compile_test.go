package nirc_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"nirc"
	"nirc/backend"
	"nirc/backend/midgard"
	"nirc/backend/object"
	"nirc/ir"
	"nirc/passes"
)

// TestPipelineErrors: a pipeline of which a stage does not get through its passes, or its code, is no pipeline; the error is that stage's.
func TestPipelineErrors(t *testing.T) {
	load := func(name string) *nirc.Module {
		m, err := nirc.LoadFile(t.Context(), "testdata/"+name, nirc.FileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	stages := []nirc.PipelineStage{{Module: load("lit.frag.spv"), Stage: ir.StageFragment}, {Module: load("lit.vert.spv"), Stage: ir.StageVertex}}
	another, err := passes.Load([]byte("pipelines:\n  other: [opt_dce]\n"), "another.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]nirc.Options{
		"no passes": {Target: "ir3", Pipelines: another}, "no code": {Target: nirc.IRTarget}, "no GPU": {Target: "ir3", GPU: "voodoo"},
		"a cut": {Target: "ir3", Level: passes.O2, Run: passes.RunOptions{StopAfter: "opt_dce"}},
	} {
		var usage *nirc.UsageError
		if p, err := nirc.CompilePipeline(t.Context(), stages, o); p != nil || !errors.As(err, &usage) {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	if p, err := nirc.CompilePipeline(t.Context(), stages, nirc.Options{Target: "ir3", Level: passes.O2}); err != nil || len(p.Objects) != 2 || p.Objects[0].Stage != ir.StageFragment {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestWholeForState: with a state that parts depend on, a compile gives what linking its main part with that state gives.
func TestWholeForState(t *testing.T) {
	for _, name := range []string{"lit.vert.spv", "lit.frag.spv", "blur.comp.spv"} {
		m, err := nirc.LoadFile(t.Context(), "testdata/"+name, nirc.FileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		state := &nirc.State{Attributes: []backend.AttribKey{{Location: 0, Format: "R32G32B32_SFLOAT", Stride: 12}, {Location: 1, Format: "R32G32B32_SFLOAT", Stride: 12}, {Location: 2, Format: "R32G32_SFLOAT", Stride: 8}},
			Fragment: backend.FragmentKey{Targets: []backend.TargetKey{{Format: "R8G8B8A8_UNORM"}}}}
		whole, err := m.Compile(t.Context(), nirc.Options{Target: "agx", Level: passes.O2, State: state})
		if err != nil {
			t.Fatal(err)
		}
		part, err := m.Compile(t.Context(), nirc.Options{Target: "agx", Level: passes.O2, ABI: nirc.SeparateABI})
		if err == nil && part.Stage != ir.StageCompute {
			part, err = nirc.Link(t.Context(), []*object.Object{part}, state)
		}
		if err != nil {
			t.Fatal(err)
		}
		a, err1 := whole.Bytes()
		b, err2 := part.Bytes()
		if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %d bytes and %d, %v, %v", name, len(a), len(b), err1, err2)
		}
	}
}

// TestMachineDumps: machine steps are dumped where any dump before or after a step is asked for, or what steps change.
func TestMachineDumps(t *testing.T) {
	m, err := nirc.LoadFile(t.Context(), "testdata/blur.comp.spv", nirc.FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range nirc.Targets() {
		steps := map[string]bool{}
		for _, s := range target.Steps {
			steps[s.Name] = true
		}
		for name, run := range map[string]passes.RunOptions{"after": {DumpAfter: []string{"all"}}, "before": {DumpBefore: []string{"all"}}, "changed": {PrintChanged: true},
			"one": {DumpAfter: []string{target.Steps[0].Name}}, "none": {}} {
			count := 0
			run.Dump = func(title, text string) {
				title, _, _ = strings.Cut(title[strings.Index(title, " ")+1:], ":")
				if steps[title] && text != "" {
					count++
				}
			}
			if _, err := m.Compile(t.Context(), nirc.Options{Target: target.Name, Level: passes.O2, Run: run}); err != nil {
				t.Fatal(err)
			}
			least := map[string]int{"after": 3, "before": 3, "changed": 1, "one": 1}[name]
			if count < least || name == "none" && count > 0 || name == "one" && count > 1 {
				t.Errorf("%s, %s: %d dumps of machine steps", target.Name, name, count)
			}
		}
	}
}

// TestDiscardIsOneBranch: an if around nothing but a discard is the branch that discards, on Midgard as elsewhere.
func TestDiscardIsOneBranch(t *testing.T) {
	m, err := nirc.LoadFile(t.Context(), "testdata/lit.frag.spv", nirc.FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o, err := m.Compile(t.Context(), nirc.Options{Target: "midgard", Level: passes.O2})
	if err != nil {
		t.Fatal(err)
	}
	lines, err := midgard.Target{}.Disassemble(o.GPU, o.Code)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, l := range lines {
		text.WriteString(l.Text + "\n")
	}
	if discards, others := strings.Count(text.String(), ".discard.true"), strings.Count(text.String(), ".cond.")+strings.Count(text.String(), ".discard.always"); discards != 1 || others > 0 {
		t.Errorf("%d branches that discard by a condition, %d others:\n%s", discards, others, text.String())
	}
}
