package main

import (
	"os"
	"testing"

	"github.com/spf13/pflag"
)

// TestWorkerFlags: each flag that code depends on beside what a request says makes other keys, and not two make the same.
func TestWorkerFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"state.json": `{"shader": {"alpha_to_one": true}}`, "pipeline.yaml": "pipelines: {ir3: [opt_dce]}"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	samples := map[string]string{"": "", "state": "state.json", "pipeline": "pipeline.yaml", "inline-uniform": "push+16=3", "passes": "opt_dce", "disable-pass": "opt_dce",
		"dispatch-base": "true", "workgroup-size": "8,4,1", "local-memory": "64", "sample-shading": "true", "multiview": "true", "points": "true", "robust": "buffer", "safe-consts": "true", "hard-faults": "true"}
	keys := map[string]string{}
	for _, name := range append([]string{""}, workerFlags...) {
		value, ok := samples[name]
		switch {
		case name == "opt-level" || name == "layout": // in the requests themselves
			continue
		case name == "verify-each": // changes no code
			continue
		case !ok:
			t.Errorf("--%s: no sample", name)
			continue
		}
		var s shared
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		s.declare(f, targetFlags, choiceFlags, moduleFlags)
		if name != "" {
			if err := f.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.settle(&app{}); err != nil {
			t.Fatalf("--%s: %v", name, err)
		}
		b, err := newBuilder(nil, &s)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := keys[b.Pipeline.String()]; ok {
			t.Errorf("--%s makes the keys of --%s", name, other)
		}
		keys[b.Pipeline.String()] = name
	}
}
