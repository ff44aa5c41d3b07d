package foz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"nirc/backend/layout"
	"nirc/ir"
)

// pipelineLayout has a set that is not there, a type that no target knows, and an immutable sampler.
func pipelineLayout() *layout.Layout {
	return &layout.Layout{Sets: []layout.Set{
		{Set: 0, Bindings: []layout.Binding{{Binding: 1, Type: layout.UniformBufferDynamic, Count: 1, Stages: layout.AllStages}, {Binding: 2, Type: layout.Other, Count: 16, Stages: layout.AllGraphics},
			{Binding: 3, Type: layout.InlineUniformBlock, Count: 24, Stages: layout.AllStages}}},
		{Set: 3, Bindings: []layout.Binding{{Binding: 0, Type: layout.CombinedImageSampler, Count: 2, Stages: layout.AllGraphics,
			Immutable: []layout.SamplerState{{MagFilter: 1, Address: [3]uint8{2, 1, 0}, MaxLod: 4, Compare: true, CompareOp: 3}, {BorderColor: 5, MaxAnisotropy: 8, MaxLod: 1000, MipLodBias: 0.5, Unnormalized: true,
				Conversion: &layout.Conversion{Format: 1000156003, Model: ir.YCbCr709, Narrow: true, Components: "bgr1", MidpointY: true, Filter: 1}}}}, {Binding: 9, Type: layout.AccelerationStructure, Count: 2, Stages: layout.AllStages, PartiallyBound: true},
			{Binding: 11, Type: layout.Other, Count: 1, Stages: layout.AllStages}}},
	}, Push: []layout.PushRange{{Stages: layout.AllGraphics, Offset: 4, Size: 12}}}
}

// oneModule begins a database, of which b are the bytes, with a module.
func oneModule(t *testing.T) (w *Writer, b *bytes.Buffer, module uint64) {
	t.Helper()
	b = &bytes.Buffer{}
	w, err := NewWriter(b)
	if err != nil {
		t.Fatal(err)
	}
	module, err = w.AddModule([]byte{1, 2, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	return w, b, module
}

// packedBytes are a database with two pipelines, one of that layout.
func packedBytes(t *testing.T) []byte {
	t.Helper()
	w, b, module := oneModule(t)
	for _, l := range []*layout.Layout{pipelineLayout(), nil} {
		if _, err := w.AddPipeline(Use{Module: module, Entry: "main", Stage: StageOf("fragment"), Layout: l}); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// packed is that database with its entries changed.
func packed(t *testing.T, edit func(tag Tag, payload string) string) *DB {
	t.Helper()
	d := open(t, packedBytes(t))
	if edit == nil {
		return d
	}
	var c bytes.Buffer
	w, err := NewWriter(&c)
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Entries {
		e := &d.Entries[i]
		payload, err := d.Payload(e)
		if err != nil {
			t.Fatal(err)
		}
		if text := edit(e.Tag, string(payload)); text != "" {
			if err := w.Add(e.Tag, e.Hash, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return open(t, c.Bytes())
}

// TestLayouts: a layout that is written is read, by the pipelines that have it.
func TestLayouts(t *testing.T) {
	uses, problems := packed(t, nil).Uses()
	if len(problems) != 0 || len(uses) != 2 || uses[0].Layout != nil || uses[0].LayoutHash != "" || !reflect.DeepEqual(uses[1].Layout, pipelineLayout()) {
		text, _ := json.Marshal(uses)
		t.Errorf("%s, %v", text, problems)
	}
}

// TestDamagedLayouts: what is wrong with a layout is told, and its pipelines have none.
func TestDamagedLayouts(t *testing.T) {
	for _, c := range []struct {
		tag            Tag
		old, new, want string
	}{
		{TagSetLayout, "", "-", "has no set_layout"},
		{TagSampler, "", "-", "has no sampler"},
		{TagPipelineLayout, "", "-", "has no pipeline_layout"},
		{TagPipelineLayout, `"setLayouts"`, `"setLayouts":7,"x"`, "cannot unmarshal"},
		{TagPipelineLayout, `"setLayouts":["`, `"setLayouts":["nonsense`, "no set layout's hash"},
		{TagPipelineLayout, `"setLayouts":[`, `"setLayouts":[` + strings.Repeat(`"0000000000000000",`, 40), "44 sets, 32 are supported"},
		{TagPipelineLayout, `"size":12`, `"size":13`, "multiples of 4"},
		{TagPipelineLayout, `"pipelineLayouts":{"`, `"pipelineLayouts":{"7`, "nothing of its name"},
		{TagSetLayout, `"binding":2`, `"binding":1`, "binding 1 is given twice"},
		{TagSetLayout, `"descriptorCount":16`, `"descriptorCount":4294967295`, "at most 1048576 descriptors"},
		{TagSetLayout, `"immutableSamplers":["`, `"immutableSamplers":["zz`, "no sampler's hash"},
		{TagSampler, `"magFilter":1`, `"magFilter":200`, "does not exist"},
		{TagSampler, `"magFilter":1`, `"magFilter":-1`, "cannot unmarshal"},
		{TagSampler, `"format":1000156003`, `"format":0`, "format 0, which is none"},
		{TagSampler, `"components":[5,4,3,2]`, `"components":[5,4,3,7]`, "to 7, which is none"},
		{TagSampler, `"components":[5,4,3,2]`, `"components":[]`, "maps 0 components"},
		{TagSampler, `"ycbcrRange":1`, `"ycbcrRange":2`, "does not exist"},
		{TagSampler, `"ycbcrModel":2`, `"ycbcrModel":5`, "does not exist"},
		{TagSampler, `"forceExplicitReconstruction":0`, `"forceExplicitReconstruction":1`, "is not supported"},
	} {
		changed := false
		d := packed(t, func(tag Tag, payload string) string {
			if tag != c.tag {
				return payload
			}
			if c.new == "-" {
				changed = true
				return ""
			}
			out := strings.Replace(payload, c.old, c.new, 1)
			changed = changed || out != payload
			return out
		})
		uses, problems := d.Uses()
		if !changed || len(problems) != 1 || !strings.Contains(fmt.Sprint(problems[0]), c.want) || len(uses) != 2 || uses[1].Layout != nil {
			t.Errorf("%s, %s: %v, changed %v; want %q", c.tag, c.new, problems, changed, c.want)
		}
	}
}
