package main

import (
	"io"
	"os"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progress is a bar on the terminal, with how many a second and the time that is left; nil is none.
type progress struct {
	a    *app
	bars *mpb.Progress
	bar  *mpb.Bar
	err  io.Writer // what the app's standard error was
}

// progress starts a bar of n steps if standard error is a terminal, and there
// is something to wait for. Diagnostics go above the bar.
func (a *app) progress(n int, wanted bool) *progress {
	f, ok := a.err.(*os.File)
	if !wanted || n < 2 || !ok || !isTerminal(f) {
		return nil
	}
	p := &progress{a: a, err: a.err}
	p.bars = mpb.New(mpb.WithOutput(f), mpb.WithWidth(64))
	p.bar = p.bars.AddBar(int64(n), mpb.PrependDecorators(decor.CountersNoUnit("%d / %d ")), mpb.AppendDecorators(decor.Elapsed(decor.ET_STYLE_GO), decor.AverageSpeed(0, " %.0f/s"), decor.AverageETA(decor.ET_STYLE_GO, decor.WCSyncSpaceR)), mpb.BarRemoveOnComplete())
	a.err, a.report.w = p.bars, p.bars
	return p
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
	p.bars.Wait()
	p.a.err, p.a.report.w = p.err, p.err
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
		l.bar, l.started = l.a.progress(n, true), true
	}
	l.bar.step()
}

// close takes the bar away.
func (l *lazyProgress) close() { l.bar.close() }
