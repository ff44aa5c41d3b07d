// Package agx is the code generator for Apple AGX (G13 and G14). It turns a
// shader in lowered form into machine code and its [abi.Meta].
//
// [Compile] is the way through: bindings get their places (lower_desc.go), what is
// the same everywhere goes to the preamble (opt_preamble.go), instruction selection
// into the shared machine layer (isel*.go, lower_*.go), improvements there (opt_cse.go,
// dce.go, pressure_schedule.go), register allocation (register_allocate.go), then physical
// instructions (lower_pseudo.go), small improvements of the control flow (opt_*.go),
// scoreboard waits (insert_waits.go), hints for the operand cache
// (opt_register_cache.go) and encoding (pack.go, package isa). What a binary says about itself is in package
// abi; package core executes it. The facts are those of the project's agx reference.
//
// What never happens here: nothing looks at SPIR-V, nothing executes code,
// and no pass that another target could use lives here.
//
// # The form that Compile takes
//
// One function, the entry point, in SSA, structured control flow without
// continue lists and returns, valid by ir.Validate, scalar ALU operations
// except vecN and mov, what [Options] asks to lower gone, 64-bit values only as
// pairs of words, booleans of 1 bit, no derefs but those of textures, inputs and outputs by
// lower_io with constant offsets, memory accesses of at most 4 components of 8,
// 16 or 32 bits.
//
// # Parts
//
// A shader is a whole program, or the main part of one (CompileOptions.Part):
// prologs and epilogs are IR that this package builds for a pipeline's state
// (prolog.go, epilog.go, blend.go, tile.go) and compiles like any other, and
// Target.Link puts the parts behind each other (link.go).
//
// # Where the field's names are
//
// Liveness, SSA repair behind spilling, reindexing, parallel copies and the
// check of an allocation are those of package mach (liveness.go, spill.go,
// compact.go, copies.go, check.go). Folding operands and results into instructions, the
// field's optimizer, happens while they are selected (isel.condition, opnd, emit.go): there
// is no second walk for it. 64-bit moves are two 32-bit ones because class wide has two
// elements (lower_64bit.go has what else there is). Addresses, interpolation, sample masks,
// depth and stencil, minima and maxima are lowered by the files of these names.
// Widths of workgroup memory are the common pass lower_mem_access_bit_sizes; culling by
// distances is fixed function of the emulator.
//
// # Divergence
//
// There are no branches for single lanes: an execution mask and a nesting
// counter in r0l say who runs. Selection ends the machine blocks in
// pseudo-instructions for both (isel_control.go), so that for the register allocator
// the function is an ordinary flow graph: what one lane does is a path through
// it, and a lane that waits keeps its registers.
package agx
