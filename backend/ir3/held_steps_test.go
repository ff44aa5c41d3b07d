package ir3_test

import (
	"fmt"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/gputest"
	"nirc/backend/ir3"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// TestHeldSteps: each machine step makes of random shaders, with many and with few registers, and of our modules, on a chip of each
// generation, what testdata/held_steps.tsv says; the object and what the model says of its cost are held as well.
func TestHeldSteps(t *testing.T) {
	var names []string
	for _, s := range (ir3.Target{}).Steps("") {
		names = append(names, s.Name)
	}
	chips := []string{"a630", "a740"}
	h := gputest.HoldSteps(t, names)
	for seed := range int64(60) {
		s := gputest.Random{Seed: 5000 + seed, Size: 20 + 2*int(seed), Comps: 1, Halves: true}.Shader()
		opts := ir3.CompileOptions{GPU: chips[seed%2], Registers: []int{0, 6, 8}[seed%3], Lists: gputest.Lists, Run: h.Shader(fmt.Sprint("random ", seed))}
		bin, err := ir3.Compile(s, opts)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		h.Hold("binary", fmt.Sprintf("%x %+v %+v", bin.Code, bin.Meta, bin.Stats))
	}
	prove.EachForm(t, "../..", func(file string, m *nirc.Module, o nirc.Options) {
		o.Target, o.Level = "ir3", passes.O2
		for _, o.GPU = range chips {
			prove.HoldObject(t, h, file+" "+o.GPU, m, o)
		}
		if strings.HasPrefix(file, "images") || strings.HasPrefix(file, "memory") || strings.HasPrefix(file, "textures") {
			o.Robust = ir.Robust{Uniform: ir.Robust2, Storage: ir.Robust2, Images: ir.Robust2}
			prove.HoldObject(t, h, file+" robust", m, o)
		}
	})
	h.Table("held_steps.tsv")
}
