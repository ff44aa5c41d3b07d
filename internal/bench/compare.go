package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"nirc"
	"nirc/passes"
)

// timing is a shader with its time in the table and here.
type timing struct {
	file        string
	ref, ours   float64 // µs
	refInstrs   int64   // of the table's code, -1 unknown
	ourInstrs   int64
	explanation string // why there is no time
}

// compare prints how compile times stand against a table's.
func compare(c *config) error {
	target, gpu, ok := strings.Cut(strings.TrimSuffix(filepath.Base(c.baseline), ".tsv"), "-")
	if !ok {
		return fmt.Errorf("%s: want a name such as ir3-a630.tsv", c.baseline)
	}
	c.opts.Target, c.opts.GPU = target, gpu
	rows, err := readTable(c.baseline)
	if err != nil {
		return err
	}
	cpu := processTime()
	runs := 0
	var done, failed []*timing
	for _, r := range rows {
		data, err := os.ReadFile(filepath.Join(c.real, filepath.FromSlash(r.file)))
		if err != nil {
			r.explanation = "the module is missing"
			failed = append(failed, r)
			continue
		}
		if err := timeOne(c, data, r); err != nil {
			r.explanation = err.Error()
			failed = append(failed, r)
			continue
		}
		runs += c.rounds + 1
		r.ref *= c.scale
		done = append(done, r)
	}
	if len(done) == 0 {
		if len(failed) > 0 {
			return fmt.Errorf("none of %d shaders compiles; %s: %s", len(rows), failed[0].file, failed[0].explanation)
		}
		return fmt.Errorf("%s has no rows that compile", c.baseline)
	}
	fmt.Printf("%s: %d of %d shaders for %s %s -%s, warm, best of %d; table scaled by %.2f\n", filepath.Base(c.baseline), len(done), len(rows), target, gpu, c.opts.Level, c.rounds, c.scale)
	summary(done, (processTime()-cpu).Seconds()*1e6/float64(max(runs, 1)))
	printFailed(failed)
	return bySteps(c, done)
}

// timeOne compiles a module from its bytes in memory to code in memory.
func timeOne(c *config, data []byte, r *timing) error {
	r.ours = math.Inf(1)
	for range c.rounds + 1 { // the first warms up
		start := threadTime()
		obj, err := nirc.Compile(context.Background(), data, c.opts)
		if err != nil {
			return err
		}
		r.ours = min(r.ours, us(threadTime()-start))
		r.ourInstrs = obj.Stat("inst")
	}
	return nil
}

// readTable reads the rows of status ok.
func readTable(name string) ([]*timing, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var rows []*timing
	for i, line := range strings.Split(strings.TrimRight(string(b), "\r\n"), "\n") {
		f := strings.Split(line, "\t")
		if i == 0 && f[0] == "file" {
			continue
		}
		if len(f) < 5 {
			return nil, fmt.Errorf("%s:%d: want 5 columns", name, i+1)
		}
		if f[2] != "ok" {
			continue
		}
		t := &timing{file: f[0], refInstrs: -1}
		if t.ref, err = strconv.ParseFloat(f[3], 64); err != nil || t.ref <= 0 {
			return nil, fmt.Errorf("%s:%d: compile time %q", name, i+1, f[3])
		}
		for _, kv := range strings.Split(f[4], ";") {
			if v, ok := strings.CutPrefix(kv, "inst="); ok {
				if t.refInstrs, err = strconv.ParseInt(v, 10, 64); err != nil {
					return nil, fmt.Errorf("%s:%d: inst %q", name, i+1, v)
				}
			}
		}
		rows = append(rows, t)
	}
	return rows, nil
}

// summary prints means, totals and the ten worst.
func summary(done []*timing, cpu float64) {
	var logRef, logOurs, sumRef, sumOurs, instRef, instOurs float64
	faster := 0
	for _, r := range done {
		logRef += math.Log(r.ref)
		logOurs += math.Log(r.ours)
		sumRef += r.ref
		sumOurs += r.ours
		if r.refInstrs > 0 {
			instRef += float64(r.refInstrs)
			instOurs += float64(r.ourInstrs)
		}
		if r.ours < r.ref {
			faster++
		}
	}
	n := float64(len(done))
	table(os.Stdout, func(t io.Writer) {
		fmt.Fprintf(t, "\ttable\there\tratio\t\n")
		fmt.Fprintf(t, "geometric mean, µs\t%.1f\t%.1f\t%.2f\t\n", math.Exp(logRef/n), math.Exp(logOurs/n), math.Exp((logOurs-logRef)/n))
		fmt.Fprintf(t, "total, ms\t%.1f\t%.1f\t%.2f\t\n", sumRef/1e3, sumOurs/1e3, sumOurs/sumRef)
		if cpu > 0 {
			fmt.Fprintf(t, "mean with collection, CPU µs\t%.1f\t%.1f\t%.2f\t\n", sumRef/n, cpu, cpu/(sumRef/n))
		}
		fmt.Fprintf(t, "instructions\t%.0f\t%.0f\t%.2f\t\n", instRef, instOurs, instOurs/max(instRef, 1))
	})
	fmt.Printf("faster than the table: %d of %d; peak memory %.0f MiB\n\nworst\n", faster, len(done), peakMemory())
	sort.SliceStable(done, func(i, j int) bool { return done[i].ours/done[i].ref > done[j].ours/done[j].ref })
	table(os.Stdout, func(t io.Writer) {
		for _, r := range done[:min(10, len(done))] {
			fmt.Fprintf(t, "%.2f\t%.0f µs\t%.0f µs in the table\t  %s\t\n", r.ours/r.ref, r.ours, r.ref, r.file)
		}
	})
	fmt.Printf("\nslowest an instruction, of those with %d or more\n", fewInstrs)
	long := slices.DeleteFunc(slices.Clone(done), func(r *timing) bool { return r.ourInstrs < fewInstrs })
	sort.SliceStable(long, func(i, j int) bool { return long[i].perInstr() > long[j].perInstr() })
	table(os.Stdout, func(t io.Writer) {
		for _, r := range long[:min(10, len(long))] {
			fmt.Fprintf(t, "%.0f ns\t%d instructions\t%.2f\t  %s\t\n", r.perInstr(), r.ourInstrs, r.ours/r.ref, r.file)
		}
	})
}

// fewInstrs is below what the floor of a compile, and not the instructions, decides.
const fewInstrs = 100

// perInstr is the time of an instruction of the code in ns.
func (r *timing) perInstr() float64 { return 1e3 * r.ours / float64(r.ourInstrs) }

// bySteps prints which passes and machine steps take the time over all shaders.
func bySteps(c *config, done []*timing) error {
	times := passes.Times{Clock: threadTime}
	for _, r := range done {
		data, err := os.ReadFile(filepath.Join(c.real, filepath.FromSlash(r.file)))
		if err != nil {
			return err
		}
		one := passes.Times{Clock: threadTime}
		o := c.opts
		o.Run.Times = &one
		if _, err := nirc.Compile(context.Background(), data, o); err != nil {
			return err
		}
		times.Merge(&one)
	}
	var all time.Duration
	for _, s := range times.Steps {
		all += s.Time
	}
	sort.SliceStable(times.Steps, func(i, j int) bool { return times.Steps[i].Time > times.Steps[j].Time })
	fmt.Printf("\nsteps that take most, of %d\n", len(times.Steps))
	table(os.Stdout, func(t io.Writer) {
		for _, s := range times.Steps[:min(20, len(times.Steps))] {
			fmt.Fprintf(t, "%.1f %%\t%d runs\t%d changed something\t  %s\t\n", 100*float64(s.Time)/float64(all), s.Runs, s.Changes, s.Name)
		}
	})
	return nil
}

// printFailed says why shaders that the table has do not compile here, by reason.
func printFailed(failed []*timing) {
	if len(failed) == 0 {
		return
	}
	fmt.Printf("\n%d of the table's shaders do not compile here\n", len(failed))
	by := map[string]int{}
	for _, r := range failed {
		text, _, _ := strings.Cut(r.explanation, "\n")
		text = strings.TrimPrefix(text, r.file)
		by[text]++
	}
	var reasons []string
	for k := range by {
		reasons = append(reasons, k)
	}
	sort.Slice(reasons, func(i, j int) bool {
		if by[reasons[i]] != by[reasons[j]] {
			return by[reasons[i]] > by[reasons[j]]
		}
		return reasons[i] < reasons[j]
	})
	for _, k := range reasons[:min(20, len(reasons))] {
		fmt.Printf("%5d  %s\n", by[k], k)
	}
}
