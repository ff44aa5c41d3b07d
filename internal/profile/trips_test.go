package profile_test

import (
	"context"
	_ "embed"
	"testing"

	"nirc"
	"nirc/internal/exec"
	"nirc/passes"
)

// loopModule counts to 100, with a loop of 7 inside, both with an if in them.
//
//go:embed testdata/asm/loop_module.spvasm
var loopModule string

// TestTrips: loops whose trips the model takes for known run that often on the cores, and what a shader without
// branches on data costs on its longest path is what it costs when it runs.
func TestTrips(t *testing.T) {
	m, err := nirc.Load([]byte(loopModule), "loop.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"ir3", "agx", "midgard"} {
		for _, level := range []passes.Level{passes.O0, passes.O2} {
			o := nirc.Options{Target: target, Level: level, Debug: true, Run: passes.RunOptions{Disable: []string{"opt_loop_unroll"}}}
			u, err := nirc.New(o)
			if err != nil {
				t.Fatal(err)
			}
			if err := u.Translate(context.Background(), m); err != nil {
				t.Fatal(err)
			}
			if err := u.Optimize(context.Background()); err != nil {
				t.Fatal(err)
			}
			obj, p, loops, err := u.GenerateCosted(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			c := &exec.Counts{}
			x := &exec.Execution{Modules: []*nirc.Module{m}, Options: o, Groups: [3]uint32{1, 1, 1}, Bindings: []exec.Binding{{Data: make([]byte, 4)}}}
			if err := exec.Execute(exec.WithCounts(context.Background(), c), x); err != nil {
				t.Fatal(err)
			}
			runs := map[int]uint64{}
			for i := range c.Programs()[0].Counters {
				n := &c.Programs()[0].Counters[i]
				runs[int(n.Offset)] = n.Runs()
			}
			trips, want := [2]uint32{101, 8}, [2]uint64{101, 800}
			switch target {
			case "ir3": // turns loops: what a head tests is tested before the first round
				trips, want = [2]uint32{100, 7}, [2]uint64{100, 700}
			case "agx":
				want[1]++ // the lane that has left the outer loop waits while the wave runs on to its end
			}
			if len(loops) != 2 || loops[0].Trips != trips[0] || loops[1].Trips != trips[1] {
				t.Fatalf("%s O%d: %+v of %d bytes", target, level, loops, len(obj.Code))
			}
			for i, want := range want {
				if got := runs[p.Instrs[loops[i].Header].Offset]; got != want {
					t.Errorf("%s O%d: the header of loop %d ran %d times, not %d", target, level, i, got, want)
				}
			}
			var ran float64
			for i := range p.Instrs {
				if in := &p.Instrs[i]; !in.Once {
					ran += p.Sum(&in.Work) * float64(runs[in.Offset])
				}
			}
			paths := p.Paths()
			if got := p.Sum(&paths.Longest.Work); !paths.Longest.Known || got < ran*(1-1e-9) || got > ran*1.02 {
				t.Errorf("%s O%d: the longest path takes %v cycles, the run took %v", target, level, got, ran)
			}
		}
	}
}
