package nirc_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"testing/fstest"

	"nirc"
	"nirc/backend"
	"nirc/backend/object"
	"nirc/ir"
	"nirc/passes"
)

const shader = `shader compute "main" {
  info { workgroup_size=64,1,1 }
  fn f0 "main" entry() {
    b0:
      %0:32x3 = load_local_invocation_id
      %1:32 = load_const 0x2
      %2:32 = imul %0.x, %1
  }
}
`

// Compile a module, look at the figures and write the object.
func ExampleCompile() {
	ctx := context.Background()
	obj, err := nirc.Compile(ctx, []byte(shader), nirc.Options{File: "twice.nir", Target: "ir3", GPU: "a630", Level: passes.O2})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	file, err := obj.Bytes()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Println(obj.Target, obj.GPU, obj.Stage, obj.Entry, obj.Reflect.WorkgroupSize, obj.Stat("loops"), string(file[1:4]))
	// Output: ir3 a630 compute main [64 1 1] 0 ELF
}

// Take a shader through the stages one by one and look at it in between.
func ExampleUnit() {
	ctx := context.Background()
	m, err := nirc.Load([]byte(shader), "twice.nir")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	list, _ := passes.ParsePassList("opt_dce")
	u, err := nirc.New(nirc.Options{Target: nirc.IRTarget, Passes: list})
	if err == nil {
		err = u.Translate(ctx, m)
	}
	if err == nil {
		err = u.Optimize(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Print(ir.Print(u.Shader))
	// Output:
	// shader compute "main" {
	//   info { workgroup_size=64,1,1 }
	//   fn f0 "main" entry() {
	//     b0: // preds:
	//   }
	// }
}

// A pass of one's own runs between the stages: this one counts multiplications.
func ExampleUnit_RunPass() {
	ctx := context.Background()
	muls := 0
	count := &passes.Pass{Name: "count_muls", Run: func(_ *passes.Context, s *ir.Shader) (progress bool, err error) {
		for _, f := range s.Functions {
			for b := range f.Impl.Blocks() {
				for in := range b.Instrs() {
					if in.Kind == ir.KindALU && in.Op == ir.OpImul {
						muls++
					}
				}
			}
		}
		return false, nil
	}}
	m, err := nirc.Load([]byte(shader), "twice.nir")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	u, err := nirc.New(nirc.Options{Target: nirc.IRTarget})
	if err == nil {
		err = u.Translate(ctx, m)
	}
	if err == nil {
		_, err = u.RunPass(ctx, count)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Println(muls)
	// Output: 1
}

// A pipeline of one's own takes the place of pipeline.yaml.
func ExampleOptions_pipelines() {
	pipelines, err := passes.Load([]byte(`
pipelines:
  common:
    - loop: [opt_copy_prop, opt_dce]
`), "mine.yaml")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	list, err := nirc.PipelinePasses(nirc.Options{Target: nirc.IRTarget, Pipelines: pipelines}, ir.StageCompute)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Println(list)
	// Output: [opt_copy_prop opt_dce]
}

// counting is a backend of one's own: ir3's, which counts what it compiles. Of a whole one all methods are its own.
type counting struct {
	backend.Backend
	compiled []string
}

// Compile generates the code of a shader.
func (b *counting) Compile(s *ir.Shader, job *backend.Job) (*object.Object, error) {
	b.compiled = append(b.compiled, fmt.Sprintf("%s %s for %s", s.Stage, s.Name, job.GPU))
	return b.Backend.Compile(s, job)
}

// A backend of one's own takes the place of a target's.
func ExampleOptions_backend() {
	ctx := context.Background()
	ir3, err := nirc.Backend("ir3")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	mine := &counting{Backend: ir3}
	if _, err := nirc.Compile(ctx, []byte(shader), nirc.Options{Backend: mine, GPU: "a740"}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Println(mine.compiled)
	// Output: [compute main for a740]
}

// What a compile does is told to a logger; here it is without times.
func ExampleOptions_log() {
	ctx := context.Background()
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == "time" {
			return slog.Attr{}
		}
		return a
	}}))
	if _, err := nirc.Compile(ctx, []byte(shader), nirc.Options{File: "twice.nir", Target: "agx", Log: log}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	// Output:
	// level=DEBUG msg=translate file=twice.nir target=agx gpu=g13g entry=main stage=compute
	// level=DEBUG msg=optimize file=twice.nir target=agx gpu=g13g entry=main stage=compute
	// level=INFO msg=generate file=twice.nir target=agx gpu=g13g entry=main stage=compute
}

// Modules come from any file system: one that is embedded in the program, say.
func ExampleFileOptions_fS() {
	ctx := context.Background()
	files := fstest.MapFS{"shaders/twice.nir": {Data: []byte(shader)}}
	m, err := nirc.LoadFile(ctx, "shaders/twice.nir", nirc.FileOptions{FS: files})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Println(m.Name, m.EntryPoints())
	_, err = nirc.LoadFile(ctx, "shaders/thrice.nir", nirc.FileOptions{FS: files})
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// shaders/twice.nir [{main compute}]
	// true
}

// What a shader wants bound, and the values that it can be specialized by.
func ExampleModule_Interface() {
	ctx := context.Background()
	m, err := nirc.LoadFile(ctx, "testdata/blur.comp.spv", nirc.FileOptions{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	x, err := m.Interface(ctx, nirc.Options{Target: nirc.IRTarget})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	for _, r := range x.Resources {
		fmt.Println(r.Set, r.Binding, r.Name)
	}
	for _, c := range x.SpecConstants {
		fmt.Println(c.ID, c.Name)
	}
	// Output:
	// 0 0 src
	// 0 1 dst
	// 0 RADIUS
}

// What is wrong with the input comes as a list.
func ExampleLoad() {
	_, err := nirc.Load([]byte("OpCapability Shader\nOpMystery\n"), "a.spvasm")
	if list, ok := err.(nirc.Diagnostics); ok {
		fmt.Println(len(list), list[0].File, list[0].Line, list[0].Severity)
	}
	// Output: 1 a.spvasm 2 error
}
