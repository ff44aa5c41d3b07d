// Package costs proves the cost model: its sums are the figures of the targets' own statistics, and its
// paths are in order.
package costs

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"nirc"
	"nirc/backend/cost"
	"nirc/backend/object"
	"nirc/internal/prove"
	"nirc/passes"
)

// costed compiles the testdata's shaders and some of the corpus for all targets.
func costed(t *testing.T, each func(name string, o *object.Object, p *cost.Program, loops []nirc.LoopCost)) {
	t.Helper()
	files, _ := filepath.Glob(prove.Data("*.spv"))
	files = append(files, prove.Corpus(t, "*.spv")...)
	n := 0
	for _, path := range files[:min(len(files), 60)] {
		m, err := nirc.LoadFile(context.Background(), path, nirc.FileOptions{})
		if err != nil {
			continue
		}
		for _, target := range nirc.Targets() {
			for _, e := range m.EntryPoints() {
				u, err := nirc.New(nirc.Options{Target: target.Name, Level: passes.O2, Entry: e.Name, Stage: e.Stage, Debug: true})
				if err != nil {
					t.Fatal(err)
				}
				if u.Translate(context.Background(), m) != nil || u.Optimize(context.Background()) != nil {
					continue
				}
				o, p, loops, err := u.GenerateCosted(context.Background())
				if err != nil {
					continue
				}
				n++
				each(path+" "+e.Name+" "+target.Name, o, p, loops)
			}
		}
	}
	if n < 12 {
		t.Fatalf("only %d shaders were modelled", n)
	}
}

// TestCostAgrees: where the reference has figures of the same kind, the model's sums are equal to them.
func TestCostAgrees(t *testing.T) {
	costed(t, func(name string, o *object.Object, p *cost.Program, _ []nirc.LoopCost) {
		var sum cost.Work
		var count int64
		pipes := map[string]float64{}
		for i := range p.Instrs {
			in := &p.Instrs[i]
			if in.Once {
				continue
			}
			sum.Issue += in.Issue
			sum.Stall += in.Stall
			count += int64(in.Count)
			for k, pipe := range p.Pipes {
				if !in.Doubt {
					pipes[pipe.Name] += in.Pipes[k]
				}
			}
		}
		want := func(figure string, got float64) {
			if v := float64(o.Stat(figure)); !(math.Abs(got-v) <= 1e-6) { // NaN is not equal
				t.Errorf("%s: %v modelled, but %s=%v", name, got, figure, v)
			}
		}
		switch o.Target {
		case "ir3":
			want("inst", sum.Issue)
			// The statistics are the reference's: each counts its own waits, also where one passes during the other.
			ss, sy := float64(o.Stat("sstall")), float64(o.Stat("systall"))
			if sum.Stall > ss+sy || sum.Stall < max(ss, sy) || sum.Stall != ss+sy && (ss == 0 || sy == 0) {
				t.Errorf("%s: stalls of %v, but sstall=%v and systall=%v", name, sum.Stall, ss, sy)
			}
			want("waves", float64(p.Occupancy.Value))
		case "agx":
			if len(p.Nodes) == 0 {
				t.Errorf("%s: the flow of control is not understood", name)
			}
			want("fscib", pipes["arith_fscib"])
			want("ic", pipes["arith_ic"])
			want("inst", float64(count))
			want("threads", float64(p.Occupancy.Value))
		case "midgard":
			want("ldst", pipes["load_store"])
			want("inst", float64(count))
		}
	})
}

// TestCostPaths: a shortest path is known of all shaders, and is no dearer than the longest, which is
// known of shaders without loops.
func TestCostPaths(t *testing.T) {
	known := 0
	costed(t, func(name string, o *object.Object, p *cost.Program, loops []nirc.LoopCost) {
		r := p.Paths()
		if !r.Shortest.Known {
			t.Errorf("%s: no shortest path", name)
		}
		if !r.Longest.Known {
			if len(loops) == 0 {
				t.Errorf("%s: no longest path, but no loop", name)
			}
			return
		}
		known++
		if p.Sum(&r.Shortest.Work) > p.Sum(&r.Longest.Work) {
			t.Errorf("%s: the shortest path %v is dearer than the longest %v", name, r.Shortest.Work, r.Longest.Work)
		}
		if len(loops) == 0 && p.Sum(&r.Longest.Work) > p.Sum(&r.Total.Work)*(1+1e-9) {
			t.Errorf("%s: a path without loops takes more than all of the code", name)
		}
	})
	if known == 0 {
		t.Error("no longest path is known")
	}
}
