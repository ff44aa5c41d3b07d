package costs

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"nirc/backend/cost"
)

func sample() *Shader {
	known := &Cycles{Count: []float64{1.5, 2, 0}, Bound: []string{"load_store"}}
	return &Shader{File: "a.frag", Entry: "main", Stage: "fragment", Target: "midgard", GPU: "t880",
		Pipes: []cost.Pipe{{Name: "arithmetic", Title: "A"}, {Name: "load_store", Title: "LS"}, {Name: "texture", Title: "T"}},
		Total: known, Shortest: known, Occupancy: &cost.Occupancy{Value: 128, Max: 256, Unit: "threads"}, Properties: &cost.Properties{WorkRegisters: 5, Discards: true}}
}

// reader is what a script that was made for malioc looks at; like Flutter's malioc_diff.py it takes each
// member without asking whether it is there.
type reader struct {
	Schema struct {
		Name    string
		Version int
	}
	Shaders []struct {
		Filename   string
		Hardware   struct{ Core string }
		Shader     struct{ Type string }
		Properties []struct {
			Name  string
			Value any
		}
		Variants []struct {
			Name       string
			Properties []struct {
				Name  string
				Value any
			}
			Performance struct {
				Pipelines []string
				Longest   readCycles `json:"longest_path_cycles"`
				Shortest  readCycles `json:"shortest_path_cycles"`
				Total     readCycles `json:"total_cycles"`
			}
		}
	}
}

type readCycles struct {
	Count []*float64 `json:"cycle_count"`
	Bound []*string  `json:"bound_pipelines"`
}

func TestMalioc(t *testing.T) {
	b, err := json.Marshal(NewSet("2", []*Shader{sample(), {File: "bad", Target: "midgard", Error: "no"}}).Report())
	if err != nil {
		t.Fatal(err)
	}
	var r reader
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	s := r.Shaders[0]
	if r.Schema.Name != "performance" || s.Hardware.Core != "Mali-T880" || s.Shader.Type != "Fragment" || len(s.Variants) != 1 || s.Variants[0].Name != "Main" {
		t.Fatalf("%+v", r)
	}
	p := s.Variants[0].Performance
	if strings.Join(p.Pipelines, " ") != "arithmetic load_store texture" || len(p.Total.Count) != 3 || *p.Total.Count[0] != 1.5 || *p.Total.Bound[0] != "load_store" {
		t.Errorf("%+v", p)
	}
	if len(p.Longest.Count) != 3 || p.Longest.Count[0] != nil || len(p.Longest.Bound) != 1 || p.Longest.Bound[0] != nil {
		t.Errorf("a path that is not known: %+v", p.Longest)
	}
	values := map[string]any{}
	for _, v := range append(s.Properties, s.Variants[0].Properties...) {
		values[v.Name] = v.Value
	}
	for name, want := range map[string]any{"work_registers_used": 5.0, "thread_occupancy": 50.0, "has_stack_spilling": false, "fp16_arithmetic": nil,
		"modifies_coverage": true, "uses_late_zs_update": true, "uses_late_zs_test": false, "has_uniform_computation": false, "uniform_registers_used": 0.0} {
		if got, ok := values[name]; !ok || got != want {
			t.Errorf("%s is %v (%t), want %v", name, got, ok, want)
		}
	}
	if bytes.Contains(b, []byte("object\": null")) {
		t.Error("an object is null")
	}
}

func TestText(t *testing.T) {
	var b strings.Builder
	if err := WriteText(&b, []*Shader{sample()}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a.frag: fragment, midgard t880\n", "occupancy: 128 of 256 threads\n", "longest path cycles  N/A  N/A  N/A     N/A  N/A\n",
		"shortest path cycles  1.5    2    0       0  LS\n"} {
		if !strings.Contains(squeeze(b.String()), squeeze(want)) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }
