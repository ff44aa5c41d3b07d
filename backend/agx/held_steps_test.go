package agx_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"nirc"
	"nirc/backend"
	"nirc/backend/agx"
	"nirc/backend/gputest"
	"nirc/passes"
)

// TestHeldSteps: each machine step makes of random shaders, with many and with few registers, and of our modules what
// testdata/held_steps.tsv says.
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
	for _, pattern := range []string{"../../testdata/*.spv", "../../internal/prove/code/testdata/forms/*.spv"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no modules: %v", err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(data) > 100_000 {
				continue // what is there in another size too
			}
			o, err := nirc.Compile(context.Background(), data, nirc.Options{File: file, Target: "agx", Level: passes.O2, Run: h.Shader(file)})
			if err != nil {
				if !errors.Is(err, errors.ErrUnsupported) {
					t.Errorf("%s: %v", file, err)
				}
				h.Hold("refused", err.Error())
				continue
			}
			h.Hold("object", fmt.Sprintf("%x %s", o.Code, o.ABI))
		}
	}
	h.Table("held_steps.tsv")
}
