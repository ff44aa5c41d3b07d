// Package nirc is the compiler as a library: SPIR-V in, machine code for
// Adreno, AGX and Midgard out, offline. [Compile] does all of it. Its stages can be used
// alone: [Load] reads a module, a [Unit] takes one of its shaders through
// translation to the IR, the passes of pipeline.yaml and code generation, and
// shows the shader in between. [Module.Interface] describes what a shader wants bound, [Link] joins
// parts that were compiled separately, and [Targets] lists what there is to compile for.
//
// This package joins the others and adds what a program that embeds the
// compiler needs: options, diagnostics, reflection and source maps. No shader is analysed, changed or
// executed here, and nothing is printed.
//
//	obj, err := nirc.Compile(ctx, module, nirc.Options{Target: "ir3", Level: passes.O2})
//
// Package nirc/run runs compute shaders and profiles them, package nirc/cache keeps what was compiled. A pass of one's own runs
// by [Unit.RunPass], a backend of one's own by Options.Backend; modules come from any [io/fs.FS], and Options.Log is told
// what a compile does. Nothing is kept between calls, and goroutines may compile at once, sharing modules.
//
// An error is of type [Diagnostics] when it is about the input, [*UsageError]
// when it is about the options, [*IOError] when a file could not be read, and [*InternalError]
// when it is the compiler's own fault.
package nirc

import (
	"context"
	"errors"

	"nirc/backend/object"
	"nirc/ir"
	"nirc/passes"
)

// Version is the compiler's version.
const Version = "0.2.0"

// Compile compiles one shader of a module: SPIR-V of either byte order, SPIR-V
// assembly or IR text. The same module, options and version give the same
// object. ctx ends the compile between passes.
func Compile(ctx context.Context, module []byte, o Options) (*object.Object, error) {
	m, err := Load(module, o.File)
	if err != nil {
		return nil, err
	}
	defer m.Release()
	return m.Compile(ctx, o)
}

// Compile compiles one shader of the module.
func (m *Module) Compile(ctx context.Context, o Options) (*object.Object, error) {
	obj, err := m.compile(ctx, o)
	if err != nil {
		return nil, m.Locate(ctx, o, err)
	}
	return obj, nil
}

func (m *Module) compile(ctx context.Context, o Options) (*object.Object, error) {
	u, err := New(o)
	if err != nil {
		return nil, err
	}
	err = u.Translate(ctx, m)
	if err == nil {
		err = u.Optimize(ctx)
	}
	var obj *object.Object
	if err == nil {
		obj, err = u.Generate(ctx)
	}
	u.Done(err)
	return obj, err
}

// Translate returns the shader that the options choose, as it comes from the
// frontend, with the target's wishes in its Options.
func Translate(ctx context.Context, m *Module, o Options) (*ir.Shader, error) {
	u, err := New(o)
	if err != nil {
		return nil, err
	}
	if err := u.Translate(ctx, m); err != nil {
		return nil, err
	}
	return u.Shader, nil
}

// Optimize runs the passes that the options choose on s.
func Optimize(ctx context.Context, s *ir.Shader, o Options) error {
	u, err := New(o)
	if err != nil {
		return err
	}
	u.Shader = s
	return u.Optimize(ctx)
}

// Generate makes the machine code of a shader that has gone through the
// target's passes. It consumes s. The object's reflection is that of s as it is.
func Generate(ctx context.Context, s *ir.Shader, o Options) (*object.Object, error) {
	u, err := New(o)
	if err != nil {
		return nil, err
	}
	u.Shader, u.Reflection = s, Reflect(s)
	return u.Generate(ctx)
}

// PipelinePasses lists the passes that a compile with these options runs on a
// shader of a stage, in order, loops and conditions flattened.
func PipelinePasses(o Options, stage ir.Stage) ([]string, error) {
	u, err := New(o)
	if err != nil {
		return nil, err
	}
	u.Shader = ir.NewShader(stage, nil)
	p, err := u.pipeline()
	if err != nil {
		return nil, err
	}
	h, err := u.hooks(stage)
	if err != nil {
		return nil, err
	}
	return p.PassesWith(h), nil
}

// Locate gives the refusal of a shader, compiled with these options, the places
// in the module that it is about, where it came without: instructions keep
// their places only under Options.Debug, so the shader is compiled once more
// with it. Other errors come back as they are.
func (m *Module) Locate(ctx context.Context, o Options, err error) error {
	if o.Debug || m.SPIRV == nil || ctx.Err() != nil {
		return err
	}
	return relocate(err, func() error {
		o.Debug = true
		o.Run = passes.RunOptions{Bisect: o.Run.Bisect, Disable: o.Run.Disable, StartBefore: o.Run.StartBefore, StopAfter: o.Run.StopAfter}
		_, again := m.compile(ctx, o)
		return again
	})
}

// relocate gives the diagnostics of a target that have no place the ones that compiling again finds.
func relocate(err error, compile func() error) error {
	var list, placed Diagnostics
	if !errors.As(err, &list) {
		return err
	}
	for i := range list {
		if list[i].Target == "" || list[i].Line != 0 || list[i].Word != 0 {
			return err
		}
	}
	if errors.As(compile(), &placed) && len(placed) == len(list) && placed[0].Msg == list[0].Msg {
		return placed
	}
	return err
}
