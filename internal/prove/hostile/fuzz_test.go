package hostile

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"testing"
	"time"

	"nirc"
	"nirc/internal/prove"
	"nirc/passes"
)

// fuzzLimit is far above the second that a compile may take: fuzzing workers
// share the machine.
const fuzzLimit = 20 * time.Second

// compileAny compiles bytes that may be anything: an error is fine, a failure
// of the compiler itself or a compile without end is not.
func compileAny(t *testing.T, data []byte, target string, level passes.Level) {
	start := time.Now()
	_, err := nirc.Compile(context.Background(), data, nirc.Options{File: "fuzz", Target: target, Level: level, Run: passes.RunOptions{VerifyEach: true}})
	if internal := (*nirc.InternalError)(nil); errors.As(err, &internal) {
		t.Fatalf("%s: %v\n%s", target, err, internal.Stack)
	}
	if d := time.Since(start); d > fuzzLimit {
		t.Fatalf("the compile took %v", d)
	}
}

func addFiles(f *testing.F, pattern string) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		f.Fatalf("no files match %s: %v", pattern, err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
}

// FuzzModule feeds module binaries to the whole compiler.
func FuzzModule(f *testing.F) {
	addFiles(f, prove.Data("*.spv"))
	f.Fuzz(func(t *testing.T, data []byte) { compileAny(t, data, nirc.DefaultTarget, passes.O2) })
}

// modules are those of testdata with their paths.
func modules(f *testing.F) iter.Seq2[string, *nirc.Module] {
	files, err := filepath.Glob(prove.Data("*.spv"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no modules: %v", err)
	}
	return func(yield func(string, *nirc.Module) bool) {
		for _, name := range files {
			m, err := prove.Read(name)
			if err != nil {
				f.Fatal(err)
			}
			if !yield(name, m) {
				return
			}
		}
	}
}

// FuzzModuleText feeds assembly, whose mutations get further than those of words.
func FuzzModuleText(f *testing.F) {
	for _, m := range modules(f) {
		text, err := m.Disassemble()
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { compileAny(t, data, nirc.DefaultTarget, passes.O2) })
}

// FuzzIR feeds IR text at every stage of lowering.
func FuzzIR(f *testing.F) {
	for name, m := range modules(f) {
		n := 0
		o := nirc.Options{Level: passes.O2, Run: passes.RunOptions{DumpAfter: []string{"all"}, Dump: func(_, text string) {
			if n++; n%16 == 1 && len(text) < 16<<10 {
				f.Add([]byte(text))
			}
		}}}
		u, err := nirc.New(o)
		if err == nil {
			err = u.Translate(context.Background(), m)
		}
		if err == nil {
			err = u.Optimize(context.Background())
		}
		if err != nil {
			f.Fatalf("%s: %v", name, err)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) { compileAny(t, data, nirc.DefaultTarget, passes.O2) })
}

// FuzzPipeline reads pipeline files, and runs the passes of those that are right.
func FuzzPipeline(f *testing.F) {
	f.Add(nirc.PipelineFile())
	f.Add([]byte("pipelines:\n  ir3:\n    - loop: [opt_cse, opt_dce]\n      max: 3\n"))
	f.Add([]byte("lists:\n  a:\n    - use: a\npipelines:\n  ir3:\n    - use: a\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := passes.Load(data, "fuzz.yaml")
		if err != nil {
			return
		}
		m, err := prove.Read(prove.Data("blur.comp.spv"))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = m.Compile(context.Background(), nirc.Options{Pipelines: p, Level: passes.O2})
		if internal := (*nirc.InternalError)(nil); errors.As(err, &internal) {
			t.Fatalf("%v\n%s", err, internal.Stack)
		}
		if d := time.Since(start); d > fuzzLimit {
			t.Fatalf("the compile took %v", d)
		}
	})
}
