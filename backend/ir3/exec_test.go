package ir3

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/core"
	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/passes"
)

// programs are those that the tests compile, each of which holds its own.
var programs gputest.HeldPrograms

// held adds what a test compiles itself to what it holds.
func held(bin *Binary, err error) (*Binary, error) {
	if err == nil {
		programs.Add(bin.Code, bin.Meta, bin.Stats, bin.Locs)
	}
	return bin, err
}

// compile compiles a copy of s and checks that every word decodes, and that the
// listing gives the same words again.
func compile(s *ir.Shader, opts CompileOptions) (*Binary, error) {
	opts.Verify, opts.Lists = true, gputest.Lists
	bin, err := held(Compile(gputest.Located(s), opts))
	if err != nil {
		return nil, err
	}
	for i, l := range isa.Disassemble(bin.Meta.Gen, bin.Code) {
		if l.Err != nil {
			return nil, fmt.Errorf("word %d: %w", i, l.Err)
		}
	}
	again, err := isa.Assemble(bin.Meta.Gen, disasm(bin))
	if err != nil {
		return nil, fmt.Errorf("the listing: %w\n%s", err, disasm(bin))
	}
	for i := 0; i < len(bin.Code); i += isa.WordBytes {
		if w := bin.Code[i : i+isa.WordBytes]; !bytes.Equal(w, again[i:i+isa.WordBytes]) {
			return nil, fmt.Errorf("word %d is %x, its listing %x\n%s", i/isa.WordBytes, w, again[i:i+isa.WordBytes], disasm(bin))
		}
	}
	return bin, nil
}

func disasm(bin *Binary) string {
	return isa.Listing(bin.Meta.Gen, isa.Disassemble(bin.Meta.Gen, bin.Code), true)
}

// loaded compiles a shader and loads what comes out into the core.
func loaded(s *ir.Shader, opts CompileOptions) (emu.Program, *Binary, error) {
	bin, err := compile(s, opts)
	if err != nil {
		return nil, nil, err
	}
	p, err := core.Load(bin.Code, &bin.Meta)
	if err != nil {
		return nil, nil, fmt.Errorf("load: %w", err)
	}
	return p, bin, nil
}

// execute compares a run of s on the core with the interpreter's.
func execute(s *ir.Shader, opts CompileOptions, r *gputest.Run, same func(i int, want, got uint32) bool) (*Binary, error) {
	p, bin, err := loaded(s, opts)
	if err != nil {
		return nil, err
	}
	r.Wave = cmp.Or(r.Wave, 64)
	return bin, r.Differ(s, p, func() string { return disasm(bin) }, same)
}

// differ runs s on the interpreter and on the core and compares what they store.
func differ(s *ir.Shader, opts CompileOptions, groups uint32, in []byte, outSize int, push []byte) error {
	_, err := execute(s, opts, &gputest.Run{Groups: groups, In: in, OutSize: outSize, Push: push}, nil)
	return err
}

// TestOps runs every scalar ALU operation on the interpreter and on the core.
func TestOps(t *testing.T) {
	programs.Hold(t)
	ops := gputest.Ops{Target: "ir3", Sizes: []uint8{1, 8, 16, 32}, Comps: 1}
	ops.Differ = func(_ int, s *ir.Shader, r *gputest.Run, same func(i int, want, got uint32) bool) error {
		for _, gpu := range []string{"a630", "a740"} {
			if _, err := execute(s, CompileOptions{GPU: gpu}, r, same); err != nil {
				return fmt.Errorf("%s: %w", gpu, err)
			}
		}
		return nil
	}
	ops.Test(t)
	ops.TestOperands(t, 3)
}

// leaveOut are the switches of a compile without a step.
func leaveOut(step string) passes.RunOptions { return passes.RunOptions{Disable: []string{step}} }

// collect are the switches of a compile whose text after each step goes to steps.
func collect(steps map[string]string) passes.RunOptions {
	return passes.RunOptions{DumpAfter: []string{"all"}, Dump: func(title, text string) { steps[strings.TrimPrefix(title, "after ")] = text }}
}
