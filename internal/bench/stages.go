package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"text/tabwriter"
	"time"

	"nirc"
	"nirc/passes"
)

// The stages of a compile. Common are the passes of all targets, target the
// target's own: the common ones are timed in a run of their own, which is
// subtracted from that of the target's whole list.
const (
	stageParse = iota
	stageTranslate
	stageCommon
	stageTarget
	stageGenerate
	stageObject
	numStages
)

var stageNames = [numStages]string{"parse", "translate", "common passes", "target passes", "generate", "object"}

// figures are what one compile took by stage.
type figures struct {
	time   [numStages]time.Duration
	allocs [numStages]uint64
	bytes  [numStages]uint64
	loops  passes.Times // of the pipeline's loops, within the passes' times
}

func (f *figures) total() (d time.Duration) {
	for _, t := range f.time {
		d += t
	}
	return d
}

// keepBest takes over the shorter times of o.
func (f *figures) keepBest(o *figures) {
	for i := range f.time {
		f.time[i] = min(f.time[i], o.time[i])
	}
	if o.loops.InLoops() < f.loops.InLoops() {
		f.loops = o.loops
	}
}

func (f *figures) add(o *figures) {
	for i := range f.time {
		f.time[i] += o.time[i]
		f.allocs[i] += o.allocs[i]
		f.bytes[i] += o.bytes[i]
	}
	f.loops.Merge(&o.loops)
}

// meter takes the time, or counts allocations, of one stage after the other.
type meter struct {
	f      figures
	allocs bool
	start  time.Duration
	mem    runtime.MemStats
}

func (m *meter) begin() {
	if m.allocs {
		runtime.ReadMemStats(&m.mem)
	}
	m.start = threadTime()
}

func (m *meter) end(stage int) {
	m.f.time[stage] += threadTime() - m.start
	if m.allocs {
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		m.f.allocs[stage] += now.Mallocs - m.mem.Mallocs
		m.f.bytes[stage] += now.TotalAlloc - m.mem.TotalAlloc
	}
}

// stageError says which stage refused a shader.
type stageError struct {
	stage int
	err   error
}

func (e *stageError) Error() string { return stageNames[e.stage] + ": " + e.err.Error() }

// compile runs the stages over one entry point of a module. The target's
// passes are with the common ones.
func compile(data []byte, name string, o nirc.Options, allocs bool) (*figures, error) {
	ctx := context.Background()
	m := &meter{allocs: allocs}
	m.begin()
	mod, err := nirc.Load(data, name)
	m.end(stageParse)
	if err != nil {
		return nil, &stageError{stageParse, err}
	}
	// The common passes alone, on a shader that is then dropped.
	s, err := nirc.Translate(ctx, mod, o)
	if err != nil {
		return nil, &stageError{stageTranslate, err}
	}
	common := o
	common.Target, common.GPU = nirc.IRTarget, ""
	m.begin()
	err = nirc.Optimize(ctx, s, common)
	m.end(stageCommon)
	if err != nil {
		return nil, &stageError{stageCommon, err}
	}
	s.Release()

	m.begin()
	s, err = nirc.Translate(ctx, mod, o)
	m.end(stageTranslate)
	if err != nil {
		return nil, &stageError{stageTranslate, err}
	}
	times := passes.Times{Clock: threadTime, OnlyLoops: true}
	timed := o
	timed.Run.Times = &times
	m.begin()
	err = nirc.Optimize(ctx, s, timed)
	m.end(stageTarget)
	m.f.loops = times
	if err != nil {
		return nil, &stageError{stageTarget, err}
	}
	m.begin()
	obj, err := nirc.Generate(ctx, s, o)
	m.end(stageGenerate)
	if err != nil {
		return nil, &stageError{stageGenerate, err}
	}
	m.begin()
	_, err = obj.Bytes()
	m.end(stageObject)
	if err != nil {
		return nil, &stageError{stageObject, err}
	}
	s.Release()
	return &m.f, nil
}

func sub(a, b uint64) uint64 {
	if a < b {
		return 0
	}
	return a - b
}

// measure is compile, best of rounds by stage, with allocations.
func measure(data []byte, name string, o nirc.Options, rounds int) (*figures, error) {
	best, err := compile(data, name, o, false)
	if err != nil {
		return nil, err
	}
	for range rounds - 1 {
		f, err := compile(data, name, o, false)
		if err != nil {
			return nil, err
		}
		best.keepBest(f)
	}
	f, err := compile(data, name, o, true)
	if err != nil {
		return nil, err
	}
	best.allocs, best.bytes = f.allocs, f.bytes
	best.time[stageTarget] = max(0, best.time[stageTarget]-best.time[stageCommon])
	best.allocs[stageTarget] = sub(best.allocs[stageTarget], best.allocs[stageCommon])
	best.bytes[stageTarget] = sub(best.bytes[stageTarget], best.bytes[stageCommon])
	return best, nil
}

// table writes aligned columns.
func table(w io.Writer, rows func(t io.Writer)) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	rows(t)
	t.Flush()
}

func us(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// printStages writes the figures of n shaders.
func printStages(f *figures, n int) {
	table(os.Stdout, func(t io.Writer) {
		fmt.Fprintf(t, "stage\tµs a shader\tshare\tallocations\tKiB\t\n")
		for i, name := range stageNames {
			fmt.Fprintf(t, "%s\t%.1f\t%.0f %%\t%.0f\t%.1f\t\n", name, us(f.time[i])/float64(n), 100*us(f.time[i])/us(f.total()),
				float64(f.allocs[i])/float64(n), float64(f.bytes[i])/1024/float64(n))
		}
		fmt.Fprintf(t, "all\t%.1f\t\t\t\t\n", us(f.total())/float64(n))
	})
	fmt.Printf("loops of the pipeline: %.0f %% of the compile;", 100*us(f.loops.InLoops())/us(f.total()))
	for _, l := range f.loops.Loops {
		fmt.Printf(" line %d %.1f %%", l.Line, 100*us(l.Time)/us(f.total()))
	}
	fmt.Println()
}

// peakMemory returns the process's largest resident size in MiB, 0 if unknown.
func peakMemory() float64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, ok := bytes.Cut(b, []byte("VmHWM:"))
	var kib float64
	if !ok {
		return 0
	}
	if _, err := fmt.Sscan(string(rest[:min(len(rest), 40)]), &kib); err != nil {
		return 0
	}
	return kib / 1024
}
