// Package agx is the code generator for Apple AGX (G13 and G14). It turns a
// shader in lowered form into machine code and its [abi.Meta].
//
// [Compile] is the way through: bindings get their places (lower_desc.go),
// instruction selection into the shared machine layer (isel*.go), register
// allocation there (package mach), then physical instructions (lower_pseudo.go),
// small improvements of the control flow (opt_*.go), scoreboard waits
// (insert_waits.go) and encoding (package isa). What a binary says about itself is in package
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
// # Divergence
//
// There are no branches for single lanes: an execution mask and a nesting
// counter in r0l say who runs. Selection ends the machine blocks in
// pseudo-instructions for both (isel_control.go), so that for the register allocator
// the function is an ordinary flow graph: what one lane does is a path through
// it, and a lane that waits keeps its registers.
package agx
