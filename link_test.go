package nirc_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/object"
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// varyingModule is a vertex shader that stores its inputs to outputs, or a fragment shader that adds its inputs up, one a location with so many
// components; each access is on a line of its own, from 10 on.
func varyingModule(t *testing.T, fragment bool, decoration string, components map[int]int) *nirc.Module {
	t.Helper()
	model, class, names := "Vertex", "Output", ""
	if fragment {
		model, class = "Fragment", "Input"
	}
	var decorations, types, body strings.Builder
	for location := range 8 {
		n := components[location]
		if n == 0 {
			continue
		}
		ty := [...]string{"", "%float", "%v2", "%v3", "%v4"}[n]
		names += fmt.Sprintf(" %%x%d", location)
		fmt.Fprintf(&decorations, "OpDecorate %%x%d Location %d\n%s", location, location, strings.ReplaceAll(decoration, "IT", fmt.Sprintf("%%x%d", location)))
		fmt.Fprintf(&types, "%%p%d = OpTypePointer %s %s\n%%x%d = OpVariable %%p%d %s\n", location, class, ty, location, location, class)
		fmt.Fprintf(&body, "OpLine %%file %d 3\n", 10+location)
		if !fragment {
			names += fmt.Sprintf(" %%a%d", location)
			fmt.Fprintf(&decorations, "OpDecorate %%a%d Location %d\n", location, location)
			fmt.Fprintf(&types, "%%q%d = OpTypePointer Input %s\n%%a%d = OpVariable %%q%d Input\n", location, ty, location, location)
			fmt.Fprintf(&body, "%%i%d = OpLoad %s %%a%d\nOpStore %%x%d %%i%d\n", location, ty, location, location, location)
			continue
		}
		fmt.Fprintf(&body, "%%l%d = OpLoad %s %%x%d\n", location, ty, location)
		if n == 1 {
			fmt.Fprintf(&body, "OpStore %%out %%l%d\n", location)
		} else {
			fmt.Fprintf(&body, "%%c%d = OpCompositeExtract %%float %%l%d %d\nOpStore %%out %%c%d\n", location, location, n-1, location)
		}
	}
	extra := ""
	if fragment {
		names += " %out"
		extra = "%pf = OpTypePointer Output %float\n%out = OpVariable %pf Output\n"
		decorations.WriteString("OpDecorate %out Location 0\n")
	}
	mode := ""
	if fragment {
		mode = "OpExecutionMode %main OriginUpperLeft\n"
	}
	words, err := spv.Assemble("OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint "+model+" %main \"main\""+names+"\n"+mode+"%file = OpString \"a.glsl\"\n"+decorations.String()+
		"%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%float = OpTypeFloat 32\n%v2 = OpTypeVector %float 2\n%v3 = OpTypeVector %float 3\n%v4 = OpTypeVector %float 4\n"+types.String()+extra+
		"%main = OpFunction %void None %fn\n%l = OpLabel\n"+body.String()+"OpReturn\nOpFunctionEnd\n", spv.AssembleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var data []byte
	for _, w := range words {
		data = append(data, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	m, err := nirc.Load(data, model)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMatchedStages: inputs that the stage before does not write are warned of, each at the line that reads it, on all targets; those that it writes
// otherwise are an error.
func TestMatchedStages(t *testing.T) {
	for _, target := range []string{"ir3", "agx", "midgard"} {
		for _, c := range []struct {
			out, in map[int]int
			missing []int // locations
		}{
			{map[int]int{0: 4, 1: 2}, map[int]int{0: 4, 1: 2}, nil},
			{map[int]int{0: 4, 1: 2, 3: 1}, map[int]int{1: 2}, nil},
			{map[int]int{0: 4}, map[int]int{0: 4, 2: 1}, []int{2}},
			{nil, map[int]int{1: 3, 5: 4}, []int{1, 5}},
			{map[int]int{2: 4}, map[int]int{2: 3}, nil},
		} {
			stages := []nirc.PipelineStage{{Module: varyingModule(t, false, "", c.out), Entry: "main", Stage: ir.StageVertex},
				{Module: varyingModule(t, true, "", c.in), Entry: "main", Stage: ir.StageFragment}}
			p, err := nirc.CompilePipeline(t.Context(), stages, nirc.Options{Target: target, Level: 2})
			if err != nil {
				t.Errorf("%s, %v to %v: %v", target, c.out, c.in, err)
				continue
			}
			if len(p.Warnings) != len(c.missing) || len(p.Objects) != 2 || len(p.Links) != 1 || p.Links[0].From != ir.StageVertex || p.Links[0].To != ir.StageFragment {
				t.Errorf("%s, %v to %v: warnings %v, links %+v", target, c.out, c.in, p.Warnings, p.Links)
				continue
			}
			for i, location := range c.missing {
				if w := p.Warnings[i]; w.Severity != nirc.SeverityWarning || w.File != "a.glsl" || w.Line != uint32(10+location) {
					t.Errorf("%s: %s, want a warning at line %d", target, w.String(), 10+location)
				}
			}
		}
	}
}

// TestLinearABI: on Midgard the vertex shader is compiled for what the fragment shader interpolates without perspective, whatever components that has.
func TestLinearABI(t *testing.T) {
	for n := 1; n <= 4; n++ {
		for decoration, want := range map[string]string{"": "", "OpDecorate IT NoPerspective\n": "linear:0x1", "OpDecorate IT Flat\n": ""} {
			in := map[int]int{0: n, 3: 5 - n} // which linking packs
			stages := []nirc.PipelineStage{{Module: varyingModule(t, false, "", in), Entry: "main", Stage: ir.StageVertex},
				{Module: varyingModule(t, true, decoration, in), Entry: "main", Stage: ir.StageFragment}}
			p, err := nirc.CompilePipeline(t.Context(), stages, nirc.Options{Target: "midgard", Level: 2})
			if err != nil {
				t.Fatal(err)
			}
			if p.ABIs[0] != want || p.ABIs[1] != "" {
				t.Errorf("%d components, %q: the conventions %q, want %q", n, decoration, p.ABIs, want)
			}
		}
	}
}

// TestNothingToLink: no objects, and those of a target whose programs have no parts, are refused as wrong uses.
func TestNothingToLink(t *testing.T) {
	m, err := nirc.LoadFile(t.Context(), "testdata/lit.vert.spv", nirc.FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nirc.Link(t.Context(), nil, nil); err == nil || err.Error() != "no objects to link" {
		t.Errorf("no objects: %v", err)
	}
	for _, target := range []string{"ir3", "midgard"} {
		o, err := m.Compile(t.Context(), nirc.Options{Target: target, Level: 2, Entry: "main"})
		if err != nil {
			t.Fatal(err)
		}
		want := "target " + target + " has no parts to link"
		var usage *nirc.UsageError
		if _, err := nirc.Link(t.Context(), []*object.Object{o}, nil); err == nil || err.Error() != want || !errors.As(err, &usage) {
			t.Errorf("link of %s: %v", target, err)
		}
		if _, err := nirc.PartsOf(o, &nirc.State{}); err == nil || err.Error() != want {
			t.Errorf("parts of %s: %v", target, err)
		}
	}
}
