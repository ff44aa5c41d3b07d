package agx

import (
	"testing"

	"nirc/backend/agx/core"
	"nirc/backend/gputest"
	"nirc/ir"
)

// execute compares a run of s on the core, in checking mode, with the interpreter's.
func execute(t *testing.T, s *ir.Shader, opts CompileOptions, r *gputest.Run, same func(i int, want, got uint32) bool) error {
	t.Helper()
	bin, text, err := tryBuild(t, s, opts)
	if err != nil {
		return err
	}
	p, err := core.Load(bin.Code, &bin.Meta)
	if err != nil {
		return err
	}
	r.Wave = 32
	return r.Differ(s, p, func() string { return text }, same)
}

// narrows are conversions of floats to 8 bits: the pipeline makes them wider,
// and what does not fit is undefined.
func narrows(op ir.Op, _ uint8) bool { return op == ir.OpF2i8 || op == ir.OpF2u8 }

// TestOps runs every scalar ALU operation on the interpreter and on the core.
func TestOps(t *testing.T) {
	programs.Hold(t)
	ops := gputest.Ops{Target: "agx", Sizes: []uint8{1, 8, 16, 32}, Comps: 1, Skip: narrows}
	ops.Differ = func(_ int, s *ir.Shader, r *gputest.Run, same func(i int, want, got uint32) bool) error {
		return execute(t, s, CompileOptions{}, r, same)
	}
	ops.Test(t)
	ops.TestOperands(t, 3)
}

// Random programs store the same on the core as in the interpreter; also with
// few registers.
func TestRandom(t *testing.T) {
	programs.Hold(t)
	for seed := range gputest.Seeds(150) {
		s := gputest.Random{Seed: seed, Size: 10 + int(seed)%60, Comps: 1, Halves: true}.Shader()
		opts := CompileOptions{}
		if seed%3 == 0 {
			opts.Halves = 40
		}
		r := &gputest.Run{Groups: 2, In: gputest.RandomInput(seed, 128), OutSize: 128 * gputest.OutBytes}
		if err := execute(t, s, opts, r, nil); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(s))
		}
	}
}
