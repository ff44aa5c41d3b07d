package main

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"nirc/cache"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progress is a bar on the terminal, with how many a second and the time that is left; nil is none.
type progress struct {
	a     *app
	bars  *mpb.Progress
	bar   *mpb.Bar
	timer *time.Timer
	// what the app's streams were
	err, out io.Writer
}

// patienceBar is how long a command works before a bar comes: what takes less is not worth one.
const patienceBar = time.Second

// progress starts a bar of n steps, 0 if nobody knows how many, that a second later is shown if standard error is a terminal.
// more stands after it. Diagnostics, and what goes to a terminal as standard output, go above the bar.
func (a *app) progress(n int, more ...decor.Decorator) *progress {
	f, ok := a.err.(*os.File)
	if a.quiet || n == 1 || !ok || !isTerminal(f) {
		return nil
	}
	p := &progress{a: a, err: a.err, out: a.out}
	delay := make(chan struct{})
	p.timer = time.AfterFunc(patienceBar, func() { close(delay) })
	p.bars = mpb.New(mpb.WithOutput(f), mpb.WithWidth(64), mpb.WithRenderDelay(delay))
	p.bar = p.bars.AddBar(int64(n), mpb.PrependDecorators(counter(n)), mpb.AppendDecorators(append([]decor.Decorator{decor.Elapsed(decor.ET_STYLE_GO), decor.AverageSpeed(0, " %.0f/s"), left(n)}, more...)...), mpb.BarRemoveOnComplete())
	above := &aboveBar{f: f, bars: p.bars, shown: delay}
	a.err, a.report.w = above, above
	if out, ok := a.out.(*watchedOut); ok && out.terminal() {
		a.out = above
	}
	return p
}

func counter(n int) decor.Decorator {
	if n == 0 {
		return decor.CurrentNoUnit("%d ")
	}
	return decor.CountersNoUnit("%d / %d ")
}

// left is the time that is left, by the mean of what was done.
func left(n int) decor.Decorator {
	if n == 0 {
		return decor.Name("")
	}
	return decor.OnComplete(decor.AverageETA(decor.ET_STYLE_GO, decor.WCSyncSpaceR), "")
}

// aboveBar writes to the terminal: above the bar, once there is one.
type aboveBar struct {
	f     *os.File
	bars  *mpb.Progress
	shown <-chan struct{}
}

func (w *aboveBar) Write(b []byte) (int, error) {
	select {
	case <-w.shown:
		return w.bars.Write(b)
	default:
		return w.f.Write(b)
	}
}

func (p *progress) step() {
	if p != nil {
		p.bar.Increment()
	}
}

// close takes the bar away. It may be called twice.
func (p *progress) close() {
	if p == nil || p.bars == nil {
		return
	}
	p.bar.Abort(true)
	if p.timer.Stop() {
		p.bars.Shutdown() // it was never shown
	} else {
		p.bars.Wait()
	}
	p.a.err, p.a.report.w, p.a.out = p.err, p.err, p.out
	p.bars = nil
}

// lazyProgress is a bar whose length is known at its first step.
type lazyProgress struct {
	a       *app
	bar     *progress
	started bool
}

func (a *app) lazyProgress() *lazyProgress { return &lazyProgress{a: a} }

// step is one of n steps.
func (l *lazyProgress) step(n int) {
	if !l.started {
		l.bar, l.started = l.a.progress(n), true
	}
	l.bar.step()
}

// close takes the bar away.
func (l *lazyProgress) close() { l.bar.close() }

// farmProgress is a bar over files that are read, with how many actions of an executor wait, run and are done.
type farmProgress struct {
	*progress
	figures atomic.Pointer[cache.FarmFigures]
}

func (a *app) farmProgress(n int) *farmProgress {
	f := &farmProgress{}
	f.figures.Store(&cache.FarmFigures{})
	f.progress = a.progress(n, decor.Any(func(decor.Statistics) string {
		s := f.figures.Load()
		return fmt.Sprintf(" actions: %d queued, %d running, %d done", s.Queued, s.Running, s.Done+s.Failed)
	}))
	return f
}

// moved is told when an action moved.
func (f *farmProgress) moved(s cache.FarmFigures) { f.figures.Store(&s) }
