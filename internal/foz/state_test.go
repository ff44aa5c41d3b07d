package foz

import (
	"bytes"
	"fmt"
	"testing"

	"nirc/ir"
)

// TestState reads states as Fossilize writes them: members of a pipeline, structures in its chain and in its stages', views of
// dynamic rendering and of render passes.
func TestState(t *testing.T) {
	const shading = `"multisampleState":{"flags":0,"rasterizationSamples":4,"sampleShadingEnable":%d,"minSampleShading":%g,"alphaToOneEnable":0,"alphaToCoverageEnable":0},`
	for _, c := range []struct {
		state, stage string
		want         State
	}{
		{"", "", State{}},
		{fmt.Sprintf(shading, 1, 1.0), "", State{SampleShading: true}},
		{fmt.Sprintf(shading, 1, 0.25), "", State{}},
		{fmt.Sprintf(shading, 0, 1.0), "", State{}},
		{`"inputAssemblyState":{"flags":0,"topology":3,"primitiveRestartEnable":0},`, "", State{}},
		{`"pNext":[{"sType":1000044002,"viewMask":6,"colorAttachmentFormats":[37]}],`, "", State{Multiview: true}},
		{`"pNext":[{"sType":1000044002,"viewMask":0}],`, "", State{}},
		{`"pNext":[{"sType":7,"images":["x"]},{"sType":1000068000,"storageBuffers":3,"vertexInputs":0,"uniformBuffers":1,"images":2}],`, "", State{Robust: [4]uint8{3, 1, 0, 2}}},
		{`"pNext":[{"sType":1000068000,"storageBuffers":2,"vertexInputs":2,"uniformBuffers":2,"images":0}],`,
			`,"pNext":[{"sType":1000068000,"storageBuffers":1,"vertexInputs":0,"uniformBuffers":0,"images":3}]`, State{Robust: [4]uint8{1, 2, 2, 3}}},
		{`"renderPass":"00000000000000aa","subpass":1,`, "", State{Multiview: true}},
		{`"renderPass":"00000000000000aa","subpass":0,`, "", State{}},
		{`"renderPass":"00000000000000bb","subpass":0,`, "", State{Multiview: true}},
		{`"renderPass":"00000000000000cc","subpass":0,`, "", State{}},
		{`"renderPass":"0000000000000000",`, "", State{}},
	} {
		w, b, module := oneModule(t)
		for hash, pass := range map[uint64]string{
			0xaa: `{"renderPasses":{"00000000000000aa":{"subpasses":[{"flags":0,"viewMask":0},{"viewMask":3}]}}}`,
			0xbb: `{"renderPasses":{"00000000000000bb":{"subpasses":[{"flags":0}],"pNext":[{"sType":1000053000,"viewMasks":[5]}]}}}`,
		} {
			if err := w.Add(TagRenderPass, hash, append([]byte(pass), 0)); err != nil {
				t.Fatal(err)
			}
		}
		text := fmt.Sprintf(`{"version":6,"graphicsPipelines":{"0000000000000001":{"flags":0,%s"stages":[{"flags":0,"stage":16,"module":"%016x","name":"main"%s}]}}}`, c.state, module, c.stage)
		if err := w.Add(TagGraphicsPipeline, 1, append([]byte(text), 0)); err != nil {
			t.Fatal(err)
		}
		uses, problems := open(t, b.Bytes()).Uses()
		if len(problems) != 0 || len(uses) != 1 || uses[0].State != c.want {
			t.Errorf("%s%s: %+v, %v; want %+v", c.state, c.stage, uses, problems, c.want)
		}
	}
}

// TestStateIsKept: states are written as they are read, and stages differ by what concerns them alone.
func TestStateIsKept(t *testing.T) {
	w, b, module := oneModule(t)
	vertex, fragment, compute := StageOf("vertex"), StageOf("fragment"), StageOf("compute")
	var want []State
	for _, p := range []struct {
		stage Stage
		state State
	}{
		{vertex, State{}}, {vertex, State{Points: true}}, {fragment, State{}}, {fragment, State{SampleShading: true, Multiview: true}},
		{fragment, State{Robust: [4]uint8{2, 3, 1, 3}}}, {compute, State{}}, {compute, State{DispatchBase: true}},
	} {
		if _, err := w.AddPipeline(Use{Module: module, Entry: "main", Stage: p.stage, State: p.state}); err != nil {
			t.Fatal(err)
		}
		want = append(want, p.state)
	}
	all := State{SampleShading: true, Points: true, Multiview: true}
	if _, err := w.AddPipeline(Use{Module: module, Entry: "main", Stage: vertex, State: all}, Use{Module: module, Entry: "main", Stage: fragment, State: all}); err != nil {
		t.Fatal(err)
	}
	d, err := Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	uses, problems := d.Uses()
	pipelines := 0
	for _, s := range want {
		found := false
		for _, u := range uses {
			found = found || u.State == s && u.State == s.of(u.Stage)
		}
		if !found {
			t.Errorf("no use of state %+v", s)
		}
	}
	for _, u := range uses {
		pipelines += u.Pipelines
	}
	if len(problems) != 0 || len(uses) != len(want) || pipelines != len(want)+2 {
		t.Errorf("%d uses in %d pipelines, %v; want %d: %+v", len(uses), pipelines, problems, len(want), uses)
	}
	list, _ := d.Pipelines()
	if last := list[len(list)-1]; len(last.Stages) != 2 && len(list[0].Stages) != 2 {
		t.Errorf("no pipeline of two stages: %+v", list)
	}
	for _, p := range list {
		if len(p.Stages) == 2 && (p.Stages[0].State != all || p.Stages[1].State != all) {
			t.Errorf("stages that are linked have the state of the pipeline: %+v", p.Stages)
		}
	}
}

// TestStateFlags: the flags that stand for a state are read back, and give the options.
func TestStateFlags(t *testing.T) {
	var s State
	for _, f := range []string{"--sample-shading", "--points", "--multiview", "--dispatch-base"} {
		if !s.SetFlag(f) {
			t.Errorf("no flag %s", f)
		}
	}
	if err := s.SetRobust("buffer,storage=buffer2,images=off"); err != nil || s.Robust != [4]uint8{3, 2, 2, 1} {
		t.Errorf("%+v, %v", s, err)
	}
	if want := " --sample-shading --points --multiview --dispatch-base --robust storage=buffer2,uniform=buffer,vertex=buffer,images=off"; s.Flags() != want {
		t.Errorf("%s, want %s", s.Flags(), want)
	}
	if s.SetFlag("--robust") || s.SetRobust("buffer3") == nil {
		t.Error("what is no flag is taken")
	}
	device := ir.Robust{Storage: ir.Robust1, Images: ir.Robust2}
	if got := s.RobustOr(device); got != (ir.Robust{Storage: ir.Robust2, Uniform: ir.Robust1, Vertex: ir.Robust1}) {
		t.Errorf("%s", got)
	}
	if got := (State{}).RobustOr(device); got != device {
		t.Errorf("what the device is asked for became %s", got)
	}
}
