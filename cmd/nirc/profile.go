package main

import (
	"bytes"
	"context"

	"nirc"
	"nirc/internal/exec"
	"nirc/internal/profile"
)

// profileFlags are about what the cores count.
type profileFlags struct {
	file   string
	counts bool
	got    exec.Counts
}

// on reports whether anything is to be counted.
func (p *profileFlags) on() bool { return p.file != "" || p.counts }

// check refuses what cannot be counted on these devices.
func (p *profileFlags) check(list []device) error {
	if p.on() && len(list) > 1 {
		return nirc.Usagef("--profile and --counts are of one target and GPU, not of %d: choose with -t and --gpu", len(list))
	}
	return nil
}

// start makes the programs that are loaded under the context count. The options then keep lines.
func (p *profileFlags) start(ctx context.Context, o *nirc.Options) (context.Context, error) {
	if !p.on() {
		return ctx, nil
	}
	if o.Target == nirc.IRTarget {
		return ctx, nirc.Usagef("--profile and --counts need a target with machine code: -t ir has none")
	}
	o.Debug = true
	return exec.WithCounts(ctx, &p.got), nil
}

// finish writes what was counted.
func (p *profileFlags) finish(ctx context.Context, a *app) error {
	if p.counts {
		if err := profile.WriteCounts(ctx, a.out, &p.got); err != nil {
			return ioError(err)
		}
	}
	if p.file == "" {
		return nil
	}
	var b bytes.Buffer
	if err := profile.Write(ctx, &b, &p.got); err != nil {
		return &nirc.InternalError{Pass: "profile", Value: err}
	}
	return a.writeFile(p.file, b.Bytes())
}
