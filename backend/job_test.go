package backend_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nirc/backend"
	"nirc/backend/agx"
	"nirc/backend/gputest"
	"nirc/backend/ir3"
	"nirc/backend/midgard"
	"nirc/ir"
	"nirc/passes"
)

// TestABIKinds: conventions are listed once, without their parameters, and a target knows its own with any parameter.
func TestABIKinds(t *testing.T) {
	for abi, want := range map[string]string{"": "", "separate": "separate", "clip:2+1": "clip:", "blend:a:b": "blend:", ":": ":"} {
		if got := backend.ABIKind(abi); got != want {
			t.Errorf("%q is of kind %q, want %q", abi, got, want)
		}
	}
	all := []backend.Backend{ir3.Target{}, agx.Target{}, midgard.Target{}}
	kinds := backend.ABIKinds(all...)
	if kinds[0] != backend.MonolithicABI || !slices.Contains(kinds, backend.BlendABI) || !slices.Contains(kinds, backend.SeparateABI) {
		t.Errorf("%v", kinds)
	}
	for i, k := range kinds {
		if slices.Contains(kinds[i+1:], k) {
			t.Errorf("%v has %s twice", kinds, k)
		}
	}
	for _, b := range all {
		own := backend.ABIKinds(b)
		for _, k := range kinds {
			if got, want := backend.HasABI(b, k+map[bool]string{true: "7"}[strings.HasSuffix(k, ":")]), slices.Contains(own, k); got != want {
				t.Errorf("%s has %s: %t", b.Name(), k, got)
			}
		}
		if !backend.HasABI(b, "") || backend.HasABI(b, "monolith") {
			t.Errorf("%s: no convention is that of whole programs, and one that nobody has is none", b.Name())
		}
	}
}

// TestFindGPU: the first chip stands for none, others go by their names.
func TestFindGPU(t *testing.T) {
	list := []string{"a", "b", "c"}
	listed := func(name *string) backend.GPU { return backend.GPU{Name: "gpu-" + *name} }
	for name, want := range map[string]int{"": 0, "gpu-a": 0, "gpu-b": 1, "gpu-c": 2} {
		if g, err := backend.FindGPU("x", list, name, listed); err != nil || g != &list[want] {
			t.Errorf("%q: %v, %v", name, g, err)
		}
	}
	if g, err := backend.FindGPU("x", list, "b", listed); g != nil || !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a chip that does not exist: %v, %v", g, err)
	}
	if got := backend.ListGPUs(list, listed); len(got) != 3 || got[0].Name != "gpu-a" || got[2].Name != "gpu-c" {
		t.Errorf("%v", got)
	}
}

// written is what steps write, which is no IR.
type written string

func (*written) Lowering() *ir.Shader { return nil }

// stepNames are steps that write their names, of which b is optional.
func stepNames() []backend.Step[*written] {
	step := func(name string, optional bool) backend.Step[*written] {
		return backend.Step[*written]{StepInfo: backend.StepInfo{Name: name, Optional: optional}, Run: func(s *written) error {
			*s += written(name)
			if name == "fails" {
				return errors.New("it failed")
			}
			return nil
		}}
	}
	return []backend.Step[*written]{step("a", false), step("b", true), step("c", false)}
}

// TestRunSteps: all steps run in their order, those that may be left out and are not; what is cut short, or fails, is an error.
func TestRunSteps(t *testing.T) {
	fails := stepNames()
	fails[1].Run = func(s *written) error { return errors.New("it failed") }
	for _, c := range []struct {
		opt  passes.RunOptions
		dump bool
		fail bool
		want string
		err  string
	}{
		{want: "abc"},
		{dump: true, want: "abc"},
		{opt: passes.RunOptions{Disable: []string{"b"}}, want: "ac"},
		{opt: passes.RunOptions{Disable: []string{"a"}}, want: "abc"},
		{opt: passes.RunOptions{StopAfter: "a"}, want: "a", err: backend.ErrStopped.Error()},
		{opt: passes.RunOptions{StopAfter: "c"}, want: "abc"},
		{opt: passes.RunOptions{Bisect: &passes.BisectLimit{Runs: 0, Rewrites: -1}}, want: "ac"},
		{fail: true, want: "a", err: "it failed"},
		{fail: true, dump: true, want: "a", err: "it failed"},
	} {
		steps, text := stepNames(), written("")
		if c.fail {
			steps = fails
		}
		job := &backend.Job{Instrument: passes.NewInstrument(c.opt), Dump: c.dump}
		err := backend.RunSteps(job, steps, &text, func(s *written) string { return string(*s) })
		if string(text) != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%+v: %q, %v, want %q, %q", c.opt, text, err, c.want, c.err)
		}
	}
}

// TestStepDumps: someone who looks sees the state after each step, and of a step that changes no text that it changed nothing.
func TestStepDumps(t *testing.T) {
	steps := stepNames()
	steps[1].Run = func(*written) error { return nil }
	var got []string
	opt := passes.RunOptions{PrintChanged: true, Dump: func(title, text string) { got = append(got, title+": "+text) }}
	text := written("_")
	if err := backend.RunSteps(&backend.Job{Instrument: passes.NewInstrument(opt), Dump: true}, steps, &text, func(s *written) string { return string(*s) }); err != nil {
		t.Fatal(err)
	}
	if want := "[after a: _a after c: _ac]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	got = nil
	opt = passes.RunOptions{DumpBefore: []string{"all"}, Dump: opt.Dump}
	if text = "_"; backend.RunSteps(&backend.Job{Instrument: passes.NewInstrument(opt), Dump: true}, steps, &text, func(s *written) string { return string(*s) }) != nil || fmt.Sprint(got) != "[before a: _ before b: _a before c: _a]" {
		t.Errorf("before: %v", got)
	}
}

// TestInfos: steps of several lists are listed in order, each once.
func TestInfos(t *testing.T) {
	list := stepNames()
	var names []string
	for _, info := range backend.Infos(list[:2], list[1:], list) {
		names = append(names, info.Name)
	}
	if fmt.Sprint(names) != "[a b c]" {
		t.Errorf("%v", names)
	}
}

// TestWantsParts: a state that says anything of prologs and epilogs is for parts, and so is an empty one; one of the shader alone is not.
func TestWantsParts(t *testing.T) {
	shader, mask := &passes.ShaderState{}, uint32(1)
	for _, c := range []struct {
		s           backend.State
		parts, prol bool
	}{
		{backend.State{}, true, false},
		{backend.State{Shader: shader}, false, false},
		{backend.State{Shader: shader, Attributes: make([]backend.AttribKey, 1)}, true, false},
		{backend.State{Shader: shader, IndexBytes: 2}, true, false},
		{backend.State{Shader: shader, Fragment: backend.FragmentKey{AlphaToOne: true}}, true, false},
		{backend.State{Shader: shader, Fragment: backend.FragmentKey{SampleMask: &mask}}, true, true},
		{backend.State{Shader: shader, Fragment: backend.FragmentKey{CullDistances: 1}}, true, true},
	} {
		if c.s.WantsParts() != c.parts || c.s.Fragment.NeedsProlog() != c.prol {
			t.Errorf("%+v: parts %t, prolog %t", c.s, c.s.WantsParts(), c.s.Fragment.NeedsProlog())
		}
	}
}

// TestLoopDepth: the loops around a block, whatever ifs are among them.
func TestLoopDepth(t *testing.T) {
	_, b := gputest.NewShader(ir.StageCompute, 1)
	depth := func() int32 { return backend.LoopDepth(b.Cursor.Block) }
	var got []int32
	got = append(got, depth())
	outer := b.PushLoop()
	got = append(got, depth())
	branch := b.PushIf(b.ImmBool(true))
	inner := b.PushLoop()
	got = append(got, depth())
	b.PopLoop(inner)
	got = append(got, depth())
	b.PopIf(branch)
	b.PopLoop(outer)
	if got = append(got, depth()); fmt.Sprint(got) != "[0 1 2 1 0]" {
		t.Errorf("%v", got)
	}
}

// TestStageWords: what has 16 bits stands between stages as the word of the same number, by its class; words stand as they are.
func TestStageWords(t *testing.T) {
	_, b := gputest.NewShader(ir.StageVertex, 0)
	for _, c := range []struct {
		bits      uint8
		class     ir.TypeClass
		to, fro   ir.Op
		unchanged bool
	}{{32, ir.ClassFloat, 0, 0, true}, {16, ir.ClassFloat, ir.OpF2f32, ir.OpF2f16, false}, {16, ir.ClassInt, ir.OpU2u32, ir.OpU2u16, false}, {16, ir.ClassUint, ir.OpU2u32, ir.OpU2u16, false}} {
		v, typ := b.Undef(2, c.bits), ir.ALUType{Class: c.class, Bits: c.bits}.Pack()
		store := b.Intrinsic(ir.IntrStoreOutput, 0, 0, v, b.Imm32(0)).Set(ir.IdxSrcType, typ)
		load := b.Intrinsic(ir.IntrLoadInput, 2, c.bits, b.Imm32(0)).Set(ir.IdxDestType, typ)
		word := b.Undef(2, 32)
		to, fro := backend.StageWord(b, store, v), backend.FromStageWord(b, load, word)
		if c.unchanged {
			if to != v || fro != word {
				t.Errorf("%d bits, %v: a word is converted", c.bits, c.class)
			}
			continue
		}
		if !to.Instr.IsALU(c.to) || to.BitSize != 32 || !fro.Instr.IsALU(c.fro) || fro.BitSize != 16 {
			t.Errorf("%d bits, %v: %s, and back %s", c.bits, c.class, ir.PrintInstr(to.Instr), ir.PrintInstr(fro.Instr))
		}
	}
}

// TestCoordinate: a component of a vector that was made of others is that of which it was made.
func TestCoordinate(t *testing.T) {
	_, b := gputest.NewShader(ir.StageFragment, 0)
	pair := b.Undef(2, 32)
	first, second := b.Channel(pair, 1), b.Undef(1, 32)
	vec := b.Vec(first, second)
	if got := backend.Coordinate(b, vec, 1); got != second {
		t.Errorf("component 1 is %s", ir.PrintInstr(got.Instr))
	}
	got := backend.Coordinate(b, vec, 0)
	if src := got.Instr.Srcs[0]; got != first && (src.Def != pair || src.Swizzle.Lane(0) != 1) {
		t.Errorf("component 0 is %s", ir.PrintInstr(got.Instr))
	}
	if got := backend.Coordinate(b, pair, 1); got.Instr.Srcs[0].Def != pair || got.Instr.Srcs[0].Swizzle.Lane(0) != 1 {
		t.Errorf("component 1 of what is no such vector is %s", ir.PrintInstr(got.Instr))
	}
}
