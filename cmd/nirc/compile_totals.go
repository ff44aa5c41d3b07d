package main

import (
	"fmt"
	"io"

	"nirc/passes"
)

// totals are the figures over all jobs of a compile.
type totals struct {
	times *passes.Times
	rules []uint32
}

func newTotals(c *compileCommand) *totals {
	t := &totals{}
	if c.timePasses {
		t.times = &passes.Times{}
	}
	if c.rules {
		t.rules = newRuleHits()
	}
	return t
}

func (t *totals) add(r *compiled) {
	if t.times != nil && r.times != nil {
		t.times.Merge(r.times)
	}
	for i := range r.rules {
		t.rules[i] += r.rules[i]
	}
}

func (t *totals) write(w io.Writer) {
	if t.times != nil {
		writeTimes(w, t.times)
	}
	for i, n := range t.rules {
		if n != 0 {
			fmt.Fprintf(w, "%8d  %s\n", n, ruleName(i))
		}
	}
}
