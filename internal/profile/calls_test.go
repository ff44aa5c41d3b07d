package profile_test

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/costs"
	"nirc/internal/exec"
	"nirc/internal/profile"
	"nirc/passes"

	pprof "github.com/google/pprof/profile"
)

// callsModule calls inner by way of outer and by itself.
//
//go:embed testdata/asm/calls.spvasm
var callsModule string

// TestCallPaths: samples and lines of inlined code say by which calls it got there, on every target.
func TestCallPaths(t *testing.T) {
	m, err := nirc.Load([]byte(callsModule), "calls.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range nirc.Targets() {
		o := nirc.Options{Target: target.Name, Level: passes.O2, Debug: true}
		c := &exec.Counts{}
		x := &exec.Execution{Modules: []*nirc.Module{m}, Options: o, Groups: [3]uint32{1, 1, 1}, Bindings: []exec.Binding{{Data: make([]byte, 4)}}}
		if err := exec.Execute(exec.WithCounts(t.Context(), c), x); err != nil {
			t.Fatal(err)
		}
		p := written(t, c)
		var stacks []string
		for _, s := range p.Sample {
			var names []string
			for _, l := range s.Location {
				for _, f := range l.Line {
					names = append(names, fmt.Sprintf("%s:%d", costs.FuncName(f.Function.Name), f.Line))
				}
			}
			stacks = append(stacks, strings.Join(names, " "))
		}
		var paths []string
		for _, l := range c.Programs()[0].Object.Lines {
			paths = append(paths, costs.PlaceAt(c.Programs()[0].Object, int(l.Offset)).Path)
		}
		// Line 11 shares a bundle of Midgard with the call after it, and a bundle has one place.
		shared := func(have []string, a, b string) []string {
			if target.Name == "midgard" && slices.Contains(have, a) != slices.Contains(have, b) {
				return append(have, a, b)
			}
			return have
		}
		stacks = shared(stacks, "outer:11 main:21", "inner:3 main:22")
		for _, want := range []string{"inner:3 outer:10 main:21", "inner:3 main:22", "outer:11 main:21", "main:23"} {
			if !slices.Contains(stacks, want) {
				t.Errorf("%s: no stack %q in %q", target.Name, want, stacks)
			}
		}
		paths = shared(paths, "main calls.comp:21", "main calls.comp:22")
		for _, want := range []string{"main calls.comp:21 > outer calls.comp:10", "main calls.comp:22", "main calls.comp:21"} {
			if !slices.Contains(paths, want) {
				t.Errorf("%s: no path %q in %q", target.Name, want, paths)
			}
		}
	}
}

// TestPlacesCostNothing: without debug information wanted no place is made of inlined code.
func TestPlacesCostNothing(t *testing.T) {
	m, err := nirc.Load([]byte(callsModule), "calls.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	s, err := nirc.Translate(t.Context(), m, nirc.Options{Target: nirc.IRTarget})
	if err != nil {
		t.Fatal(err)
	}
	n := len(s.Locs)
	if _, err := passes.Find("inline_functions").Run(&passes.Context{}, s); err != nil {
		t.Fatal(err)
	}
	if len(s.Locs) != n || len(s.Funcs) != 1 {
		t.Errorf("%d places after inlining, %d before; functions %q", len(s.Locs), n, s.Funcs)
	}
}

// written is the profile of what was counted, as it is read back.
func written(t *testing.T, c *exec.Counts) *pprof.Profile {
	t.Helper()
	var b bytes.Buffer
	if err := profile.Write(context.Background(), &b, c); err != nil {
		t.Fatal(err)
	}
	p, err := pprof.ParseData(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return p
}
