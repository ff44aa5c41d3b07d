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
