package nirc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/gputest"
	"nirc/backend/layout"
	"nirc/frontend/spirv"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// saidOf is what an error says, and of which kind it is.
func saidOf(err error) string {
	var (
		list     nirc.Diagnostics
		usage    *nirc.UsageError
		internal *nirc.InternalError
	)
	switch {
	case err == nil:
		return "taken"
	case errors.As(err, &internal):
		return "internal, in " + internal.Pass + ": " + err.Error()
	case errors.As(err, &list):
		return fmt.Sprintf("diagnostics, unsupported %v: %+v", errors.Is(err, errors.ErrUnsupported), []nirc.Diagnostic(list))
	case errors.As(err, &usage):
		return "usage: " + err.Error()
	}
	return "another: " + err.Error()
}

// heldRow is one line of a table.
func heldRow(text string) string { return strings.Join(strings.Fields(text), " ") }

// TestHeldInterfaces holds what the library says of each of our modules: its entry points, which of them are selected, and
// their interfaces, where the target asks for one too.
func TestHeldInterfaces(t *testing.T) {
	rows := map[string]string{}
	sums := map[string]*gputest.Digest{}
	prove.EachForm(t, ".", func(file string, m *nirc.Module, o nirc.Options) {
		if o.Next != ir.StageNone {
			return
		}
		d := sums[file]
		if d == nil {
			d = new(gputest.Digest)
			sums[file] = d
			d.Text(nirc.EntryList(m.EntryPoints()))
			for _, name := range []string{"", "main", "it's none", "no-ne"} {
				for stage := ir.StageNone; stage <= ir.StageKernel; stage++ {
					list, err := m.Select(name, stage)
					d.Text(list)
					d.Text(saidOf(err))
				}
			}
		}
		for _, o.Target = range []string{nirc.IRTarget, "midgard"} {
			r, err := m.Interface(t.Context(), o)
			d.Text(saidOf(err))
			text, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			d.Bytes(text)
		}
		rows[file] = fmt.Sprintf("%016x", uint64(*d))
	})
	gputest.HoldTable(t, "held_interfaces.tsv", rows)
}

// heldOptions are options that say something each, right or wrong.
func heldOptions(t *testing.T) map[string]nirc.Options {
	run := func(f func(o *passes.RunOptions)) (o nirc.Options) {
		f(&o.Run)
		return o
	}
	list, err := passes.ParsePassList("opt_dce")
	if err != nil {
		t.Fatal(err)
	}
	binding := func(n uint32, stages layout.Stages) *nirc.Layout {
		return &nirc.Layout{Sets: []layout.Set{{Bindings: []layout.Binding{{Binding: n, Type: layout.StorageBuffer, Count: 1, Stages: stages}}}}}
	}
	converted, err := nirc.ReadLayout("converted.json", []byte(`{"schema": 1, "sets": [{"set": 0, "bindings": [{"binding": 0, "type": "combined_image_sampler",
		"immutable_samplers": [{"ycbcr_conversion": {"format": "g8_b8r8_2plane_420_unorm", "model": "ycbcr_709"}}]}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	options := map[string]nirc.Options{
		"layout that converts": {Layout: converted},
		"nothing":              {}, "entry": {Entry: "main"}, "no entry": {Entry: "none"}, "stage": {Stage: ir.StageCompute}, "another stage": {Stage: ir.StageVertex}, "no GPU": {GPU: "voodoo"},
		"a GPU of another": {GPU: "g13g"}, "a GPU as target": {Target: "a630"}, "no target": {Target: "vax"}, "nearly a target": {Target: "midgrad"}, "the GPU's old name": {GPU: "a618"},
		"ABI": {ABI: nirc.SeparateABI}, "no ABI": {ABI: "none"}, "linear": {ABI: "linear:0x1"}, "level": {Level: passes.O2}, "known words": {Uniforms: []passes.UniformValue{{Push: true, Value: 1}}},
		"print": {Printf: &passes.PrintfBuffer{Set: 3}}, "specialised": {Spec: []spirv.SpecValue{{ID: 7, Bits: 1}}}, "robust": {Robust: ir.Robust{Storage: ir.Robust2, Images: ir.Robust1}},
		"empty layout": {Layout: &nirc.Layout{}}, "layout": {Layout: binding(0, layout.AllStages)}, "layout of another stage": {Layout: binding(0, layout.StageBit(ir.StageVertex))},
		"wrong layout": {Layout: binding(1<<31, 0)}, "state": {State: &nirc.State{}}, "state of the shader": {State: &nirc.State{Shader: &passes.ShaderState{AlphaToOne: true}}},
		"wrong state": {State: &nirc.State{Shader: &passes.ShaderState{PatchVertices: 99}}}, "parts by another ABI": {State: &nirc.State{IndexBytes: 2}, ABI: "none"},
		"whole by another ABI": {State: &nirc.State{IndexBytes: 2}, ABI: nirc.BlendABI + ":R8_UNORM"}, "passes": {Passes: list},
		"workgroup": {WorkgroupSize: [3]uint32{4, 2, 1}}, "base": {DispatchBase: true}, "all flags": {SampleShading: true, Points: true, Multiview: true, SafeConsts: true, HardFaults: true},
		"no cut": run(func(o *passes.RunOptions) { o.StopAfter = "opt_dec" }), "cut": run(func(o *passes.RunOptions) { o.StopAfter = "opt_dce" }), "second cut": run(func(o *passes.RunOptions) { o.StopAfter = "opt_dce:2" }),
		"cut in steps": run(func(o *passes.RunOptions) { o.StopAfter = "ra" }), "begun in steps": run(func(o *passes.RunOptions) { o.StartBefore = "ra" }), "begun": run(func(o *passes.RunOptions) { o.StartBefore = "opt_dce" }),
		"never begun": run(func(o *passes.RunOptions) { o.StartBefore = "opt_dce:99" }), "not to be left out": run(func(o *passes.RunOptions) { o.Disable = []string{"lower_io"} }),
		"steps not to be left out": run(func(o *passes.RunOptions) { o.Disable = []string{"ra"} }), "left out": run(func(o *passes.RunOptions) { o.Disable = []string{"opt_dce", "dce"} }),
		"nothing to leave out": run(func(o *passes.RunOptions) { o.Disable = []string{"opt_deadc"} }), "no optional pass": run(func(o *passes.RunOptions) { o.Bisect = &passes.BisectLimit{} }),
		"checked": run(func(o *passes.RunOptions) { o.VerifyEach = true }), "no pass at all": run(func(o *passes.RunOptions) { o.Bisect = &passes.BisectLimit{Every: true} }),
	}
	return options
}

// wishes are what options make of those of a shader.
func wishes(o *ir.Options) string {
	return fmt.Sprintf("base=%v safe=%v hard=%v sample=%v points=%v multiview=%v robust=%v joins=%v cost=%d rows=%v", o.DispatchBase, o.SafeConsts, o.HardFaults, o.SampleShading, o.Points, o.Multiview, o.Robust,
		o.JoinsDistances, o.UniformCost, o.YCbCr)
}

// TestHeldOptions holds what becomes of a compile by each option on each target: which stages take it, what the shader is asked to be, what the log
// and dumps are told, and the words of those that refuse it.
func TestHeldOptions(t *testing.T) {
	rows := map[string]string{}
	for _, file := range []string{"blur.comp.spv", "lit.vert.spv", "lit.frag.spv", "asm/fragment.spvasm"} {
		m, err := nirc.LoadFile(t.Context(), "testdata/"+file, nirc.FileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for name, o := range heldOptions(t) {
			targets := []string{nirc.IRTarget, "ir3", "agx", "midgard", ""}
			if o.Target != "" {
				targets = []string{o.Target}
			}
			for _, o.Target = range targets {
				rows[fmt.Sprintf("%s, %s, %s", file, name, o.Target)] = heldRow(shortened(heldCompile(t, m, o)))
			}
		}
	}
	gputest.HoldTable(t, "held_options.tsv", rows)
}

// shortened is a text with a digest of what comes after its first line's worth of characters.
func shortened(text string) string {
	var d gputest.Digest
	d.Bytes([]byte(text))
	return fmt.Sprintf("%016x %s", uint64(d), text[:min(100, len(text))])
}

// heldCompile goes through the stages of a compile and says what they say.
func heldCompile(t *testing.T, m *nirc.Module, o nirc.Options) string {
	var b strings.Builder
	var log bytes.Buffer
	leave := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == "time" {
			return slog.Attr{}
		}
		return a
	}
	o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: leave}))
	var dumped []string
	o.Run.DumpAfter, o.Run.Dump, o.PrintCFG = []string{"translate"}, func(title, text string) {
		dumped = append(dumped, fmt.Sprintf("%s, with edges %v", title, strings.Contains(text, " succs:")))
	}, o.Robust == ir.Robust{}
	u, err := nirc.New(o)
	if err != nil {
		return saidOf(err)
	}
	fmt.Fprintf(&b, "%s", u.GPU())
	stages := []func() error{
		func() error { return u.Translate(t.Context(), m) },
		func() error { return u.Optimize(t.Context()) },
		func() error {
			obj, err := u.Generate(t.Context())
			if err == nil {
				text, err := json.Marshal(obj.Reflect)
				fmt.Fprintf(&b, " an object of %s, %s, code %v, lines %v: %s %v", obj.Target, obj.GPU, len(obj.Code) > 0, len(obj.Lines) > 0, text, err)
			}
			return err
		},
	}
	for i, f := range stages {
		err = f()
		fmt.Fprintf(&b, "; %d %s", i, saidOf(err))
		if err != nil {
			break
		}
		if i == 0 {
			fmt.Fprintf(&b, " %s", wishes(u.Shader.Options))
		}
		fmt.Fprintf(&b, ", missed %q, stopped %v", u.Missed(), u.Stopped())
	}
	fmt.Fprintf(&b, "; %q; %s", dumped, log.String())
	u.Done(err)
	return b.String()
}

// TestHeldRefusals holds which of our modules each target refuses, at what stage and in which words; the others compile, to what reflection says.
func TestHeldRefusals(t *testing.T) {
	rows := map[string]string{}
	taken := map[string]int{}
	prove.EachForm(t, ".", func(file string, m *nirc.Module, o nirc.Options) {
		for _, o.Target = range []string{"ir3", "agx", "midgard"} {
			u, err := nirc.New(o)
			if err != nil {
				t.Fatal(err)
			}
			at := "translated"
			if err = u.Translate(t.Context(), m); err == nil {
				at = "optimised"
				err = u.Optimize(t.Context())
			}
			if err == nil {
				at = "generated"
				_, err = u.Generate(t.Context())
			}
			u.Done(err)
			if err == nil {
				taken[o.Target]++
				continue
			}
			rows[fmt.Sprintf("%s, %s before %s, %s", file, o.Stage, o.Next, o.Target)] = heldRow("not " + at + ", " + saidOf(err))
		}
	})
	for target, n := range taken {
		rows["taken by "+target] = fmt.Sprint(n)
	}
	gputest.HoldTable(t, "held_refusals.tsv", rows)
}

// shaderOf is a module of a graphics pipeline and which of its shaders.
type shaderOf struct {
	name string
	m    *nirc.Module
	o    nirc.Options
}

// TestHeldLinks holds what linking says of each vertex shader of ours before each fragment shader, by level and layout: what it did, what the
// interfaces are then, warnings, and why others do not fit.
func TestHeldLinks(t *testing.T) {
	var vertices, fragments []shaderOf
	prove.EachForm(t, ".", func(file string, m *nirc.Module, o nirc.Options) {
		s := shaderOf{file, m, o}
		switch {
		case o.Next != ir.StageNone || slices.ContainsFunc(slices.Concat(vertices, fragments), func(x shaderOf) bool { return x.name == file }):
		case o.Stage == ir.StageVertex:
			vertices = append(vertices, s)
		case o.Stage == ir.StageFragment:
			fragments = append(fragments, s)
		}
	})
	targets := []string{nirc.IRTarget, "ir3", "agx", "midgard"}
	rows := map[string]string{}
	for i, v := range vertices {
		var sum gputest.Digest
		kinds := map[string]int{}
		for k, f := range fragments {
			o := nirc.Options{Target: targets[(i+k)%len(targets)], Level: passes.Level(2 * (k % 2)), Debug: k%3 == 0, File: "pair"}
			if k%5 == 0 {
				o.Layout = &nirc.Layout{Push: []layout.PushRange{{Stages: layout.StageBit(ir.StageVertex) | layout.StageBit(ir.StageFragment), Size: uint32(64 * (k % 2))}}}
			}
			text := linked(t.Context(), []shaderOf{f, v}, o)
			kind, _, _ := strings.Cut(text, " ")
			kinds[kind]++
			sum.Bytes([]byte(text))
		}
		rows[v.name] = fmt.Sprintf("%v\t%016x", kinds, uint64(sum))
	}
	gputest.HoldTable(t, "held_links.tsv", rows)
}

// linked links shaders and says all that comes of it.
func linked(ctx context.Context, list []shaderOf, o nirc.Options) string {
	var units []*nirc.Unit
	for _, s := range list {
		own := o
		own.Entry, own.Stage, own.File = s.o.Entry, s.o.Stage, s.name
		u, err := nirc.New(own)
		if err == nil {
			err = u.Translate(ctx, s.m)
		}
		if err != nil {
			return "refused " + saidOf(err)
		}
		units = append(units, u)
	}
	links, warnings, err := nirc.LinkUnits(ctx, units)
	if err != nil {
		return "apart " + saidOf(err)
	}
	text := fmt.Sprintf("linked %+v %+v", links, []nirc.Diagnostic(warnings))
	for _, u := range units {
		r, err := json.Marshal(u.Reflection)
		text += fmt.Sprintf(" %+v %s %v joins %v", u.Links(), r, err, u.Shader.Options.JoinsDistances)
	}
	return text
}

// TestHeldChains: what is a chain of stages, in whatever order it is given, and what is none.
func TestHeldChains(t *testing.T) {
	text := func(stage ir.Stage) shaderOf {
		m, err := nirc.Load([]byte(fmt.Sprintf("shader %s \"main\" {\n  fn f0 \"main\" entry() {\n    b0:\n  }\n}\n", stage)), stage.String())
		if err != nil {
			t.Fatal(err)
		}
		return shaderOf{stage.String() + ".nir", m, nirc.Options{Stage: stage}}
	}
	stages := []ir.Stage{ir.StageFragment, ir.StageVertex, ir.StageGeometry, ir.StageTessEval, ir.StageTessCtrl, ir.StageCompute}
	rows := map[string]string{}
	for set := range 1 << len(stages) {
		var list []shaderOf
		name := ""
		for i, s := range stages {
			if set>>i&1 != 0 {
				list = append(list, text(s))
				name += s.String() + " "
			}
		}
		if len(list) == 0 {
			continue
		}
		rows[name] = heldRow(shortened(linked(t.Context(), list, nirc.Options{Target: "ir3", Level: passes.O1})))
		rows[name+"twice"] = heldRow(shortened(linked(t.Context(), append(list, list[len(list)-1]), nirc.Options{Target: nirc.IRTarget})))
	}
	gputest.HoldTable(t, "held_chains.tsv", rows)
}
