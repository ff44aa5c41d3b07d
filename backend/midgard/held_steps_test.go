package midgard_test

import (
	"fmt"
	"strings"
	"testing"

	"nirc"
	"nirc/backend"
	"nirc/backend/gputest"
	"nirc/backend/midgard"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// TestHeldSteps: each machine step makes of random shaders, with many and with few registers, on a chip whose pipes share registers and
// on one whose do not, and of our modules, on a chip of each generation and under other calling conventions, what testdata/held_steps.tsv says; the object and what the model says of its cost are held as well.
func TestHeldSteps(t *testing.T) {
	var names []string
	for _, s := range (midgard.Target{}).Steps("") {
		names = append(names, s.Name)
	}
	h := gputest.HoldSteps(t, names)
	for seed := range int64(60) {
		s := gputest.Random{Seed: 5000 + seed, Size: 20 + 2*int(seed), Comps: 4}.Shader()
		opts := midgard.CompileOptions{GPU: []string{"t720", "t860"}[seed%2], Registers: []int{0, 4, 6}[seed%3]}
		opts.Job = &backend.Job{Lists: gputest.Lists, Dump: true, Instrument: passes.NewInstrument(h.Shader(fmt.Sprint("random ", seed)))}
		bin, err := midgard.Compile(s, opts)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		h.Hold("binary", fmt.Sprintf("%x %+v %+v", bin.Code, bin.Meta, bin.Stats))
	}
	prove.EachForm(t, "../..", func(file string, m *nirc.Module, o nirc.Options) {
		o.Target, o.Level = "midgard", passes.O2
		for _, o.GPU = range []string{"t620", "t860"} {
			prove.HoldObject(t, h, file+" "+o.GPU, m, o)
		}
		if strings.HasPrefix(file, "images") || strings.HasPrefix(file, "memory") || strings.HasPrefix(file, "textures") {
			o.Robust = ir.Robust{Uniform: ir.Robust2, Storage: ir.Robust2, Images: ir.Robust2}
			prove.HoldObject(t, h, file+" robust", m, o)
			o.Robust = ir.Robust{}
		}
		for _, o.ABI = range abisOf(o) {
			prove.HoldObject(t, h, file+" "+o.ABI, m, o)
		}
	})
	h.Table("held_steps.tsv")
}

// abisOf are calling conventions for a stage: of a fragment shader after one with distances, and of the last stage before one that
// interpolates without perspective.
func abisOf(o nirc.Options) []string {
	switch {
	case o.Stage == ir.StageFragment:
		return []string{backend.ClipABI + "2+1"}
	case o.Stage == ir.StageVertex && o.Next == ir.StageNone:
		return []string{backend.LinearABI + "0x3"}
	}
	return nil
}
