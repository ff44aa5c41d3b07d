// Package spirv translates a SPIR-V module (package spv) to the IR (package
// ir): the one way into the compiler. It is one pass over the module's
// instructions for types, constants and variables, a structuriser that turns
// each function's blocks into a tree, and one pass over the instructions of
// the functions that the chosen entry point reaches.
//
// Where to look: types.go, consts.go, spec.go and vars.go for what stands
// before the functions; cfg.go, structure.go, flow.go and emit.go for control
// flow, and for that of kernels, which need not be structured, unstructured.go, plan.go, cycles*.go and dispatch.go; access.go and memory.go for pointers; alu.go, convert.go, composite.go,
// matrix.go and glsl450*.go for arithmetic; builtin.go, blockarray.go and decor.go for the
// stage's interface; check_*.go for the rules whose breach would mislead.
//
// What never happens here: optimisation, knowledge of a target, and failure
// because of code that the entry point does not reach. A module that spv.Parse
// accepts gives a shader or an [Error], whatever stands in it.
//
// The mapping is that of nir-ir.md §15 to 17: what Mesa's NIR does as of version 25.0.
// The meaning of instructions is that of the SPIR-V specification 1.6 and of the
// GLSL.std.450 specification.
package spirv
