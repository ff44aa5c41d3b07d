// Package nirc is the compiler as a library: SPIR-V in, machine code for
// Adreno, AGX and Midgard out, offline. [Compile] does all of it. Its stages can be used
// alone: [Load] reads a module, a [Unit] takes one of its shaders through
// translation to the IR, the passes of pipeline.yaml and code generation, and
// shows the shader in between. [Execute] runs a module on a target's software core,
// [Module.Interface] describes what a shader wants bound; [Bisection] finds the pass that
// breaks a shader and [Reduction] shrinks the shader.
//
// This package joins the others and adds what a program that embeds the
// compiler needs: options, diagnostics, reflection, source maps, the list of targets, and
// targets for the amber runner. No shader is analysed or changed here, and
// nothing is printed.
//
//	obj, err := nirc.Compile(ctx, module, nirc.Options{Target: "ir3", Level: passes.O2})
//
// An error is of type [Diagnostics] when it is about the input, [*UsageError]
// when it is about the options, [*IOError] when a file could not be read, and [*InternalError]
// when it is the compiler's own fault.
package nirc
