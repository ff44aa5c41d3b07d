package agx_test

import (
	"fmt"
	"strings"
	"testing"

	"nirc"
	"nirc/backend"
	"nirc/backend/agx"
	"nirc/backend/gputest"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// TestHeldSteps: each machine step makes of random shaders, with many and with few registers, and of our modules, whole and as
// parts, what testdata/held_steps.tsv says; the object and what the model says of its cost are held as well.
func TestHeldSteps(t *testing.T) {
	var names []string
	for _, s := range (agx.Target{}).Steps("") {
		names = append(names, s.Name)
	}
	h := gputest.HoldSteps(t, names)
	for seed := range int64(60) {
		s := gputest.Random{Seed: 5000 + seed, Size: 20 + 2*int(seed), Comps: 1, Halves: true}.Shader()
		opts := agx.CompileOptions{Halves: []int{0, 40, 64}[seed%3]}
		opts.Job = &backend.Job{Lists: gputest.Lists, Dump: true, Instrument: passes.NewInstrument(h.Shader(fmt.Sprint("random ", seed)))}
		bin, err := agx.Compile(s, opts)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		h.Hold("binary", fmt.Sprintf("%x %+v %+v", bin.Code, bin.Meta, bin.Stats))
	}
	prove.EachForm(t, "../..", func(file string, m *nirc.Module, o nirc.Options) {
		o.Target, o.Level = "agx", passes.O2
		prove.HoldObject(t, h, file, m, o)
		if strings.HasPrefix(file, "images") || strings.HasPrefix(file, "memory") || strings.HasPrefix(file, "textures") {
			robust := o
			robust.Robust = ir.Robust{Uniform: ir.Robust2, Storage: ir.Robust2, Images: ir.Robust2}
			prove.HoldObject(t, h, file+" robust", m, robust)
		}
		if o.ABI = nirc.SeparateABI; o.Next == ir.StageNone && (o.Stage == ir.StageVertex || o.Stage == ir.StageFragment) {
			prove.HoldObject(t, h, file+" part", m, o)
		}
	})
	h.Table("held_steps.tsv")
}
