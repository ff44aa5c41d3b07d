package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"sort"

	"nirc"
	"nirc/passes"
)

// maxPassGrowth is how much more a pass's time for an instruction may grow from
// the smallest generated shader to the largest than that of half of the passes
// does. All grow, as caches do not hold the largest, by how much depends on the
// machine and on what else it does; n log n grows by 1.7, n² by 100.
const maxPassGrowth = 3.0

// passNoise is what a pass must take, in ns an instruction, to be judged.
const passNoise = 3

// passTime is what one run of a pass takes for an instruction, by size of the
// shader, in ns; 0 where it does not run.
type passTime struct {
	name string
	runs int // on the largest
	per  []float64
}

// growth is how much longer a run takes on the largest than on the smallest;
// 0 if it does not run on both.
func (p *passTime) growth() float64 {
	last := len(p.per) - 1
	if p.per[0] == 0 || p.per[last] == 0 {
		return 0
	}
	return p.per[last] / p.per[0]
}

// eachPass prints the time of each pass for an instruction by size; the error
// names those that grow too much.
func eachPass(c *config) error {
	var list []*passTime
	at := map[string]*passTime{}
	for i, n := range c.sizes {
		times, err := timePasses(generate(n), n, c)
		if err != nil {
			return fmt.Errorf("generated shader of %d instructions: %w", n, err)
		}
		for _, t := range times {
			p := at[t.name]
			if p == nil {
				p = &passTime{name: t.name, per: make([]float64, len(c.sizes))}
				at[t.name] = p
				list = append(list, p)
			}
			p.per[i], p.runs = t.per[0], t.runs
		}
	}
	last := len(c.sizes) - 1
	sort.SliceStable(list, func(i, j int) bool {
		return list[i].per[last]*float64(list[i].runs) > list[j].per[last]*float64(list[j].runs)
	})
	fmt.Printf("passes and steps for %s -%s: ns an instruction and run\n", c.opts.Target, c.opts.Level)
	limit := maxPassGrowth * medianGrowth(list)
	var bad []string
	table(os.Stdout, func(t io.Writer) {
		fmt.Fprint(t, "pass\truns\t")
		for _, n := range c.sizes {
			fmt.Fprintf(t, "%d\t", n)
		}
		fmt.Fprintf(t, "%d : %d\t\n", c.sizes[last], c.sizes[0])
		for _, p := range list {
			fmt.Fprintf(t, "%s\t%d\t", p.name, p.runs)
			for i := range c.sizes {
				fmt.Fprintf(t, "%.1f\t", p.per[i])
			}
			g := p.growth()
			fmt.Fprintf(t, "%.2f\t\n", g)
			if g > limit && p.per[last] >= passNoise {
				bad = append(bad, fmt.Sprintf("%s (%.1f times)", p.name, g))
			}
		}
	})
	if len(bad) > 0 {
		return fmt.Errorf("passes whose time for an instruction grows by more than %.1f: %v", limit, bad)
	}
	return nil
}

// medianGrowth is the growth that half of the passes that are judged stay below.
func medianGrowth(list []*passTime) float64 {
	var all []float64
	for _, p := range list {
		if g := p.growth(); g > 0 && p.per[len(p.per)-1] >= passNoise {
			all = append(all, g)
		}
	}
	if len(all) == 0 {
		return 1
	}
	sort.Float64s(all)
	return max(1, all[len(all)/2])
}

// timePasses compiles a module c.rounds times and returns the best time of
// each pass and step, an instruction and run, as the first of its sizes.
func timePasses(text string, n int, c *config) ([]passTime, error) {
	rounds := c.rounds
	if n <= 500 {
		rounds *= 4 // short: the first ones are cold
	}
	runtime.LockOSThread() // another thread's clock may be behind
	defer runtime.UnlockOSThread()
	var best []passTime
	for range rounds {
		times := passes.Times{Clock: threadTime}
		o := c.opts
		o.Run.Times = &times
		runtime.GC()
		if _, err := nirc.Compile(context.Background(), []byte(text), o); err != nil {
			return nil, err
		}
		for i, s := range times.Steps {
			per := float64(s.Time.Nanoseconds()) / float64(n) / float64(s.Runs)
			if i == len(best) {
				best = append(best, passTime{name: s.Name, runs: s.Runs, per: []float64{per}})
			}
			best[i].per[0] = min(best[i].per[0], per)
		}
	}
	return best, nil
}
