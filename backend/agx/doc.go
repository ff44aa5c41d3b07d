// Package agx is the code generator for Apple AGX (G13 and G14). It turns a
// shader in lowered form into machine code and its [abi.Meta].
//
// [Compile] is the way through: bindings get their places (lower_desc.go), what is
// the same everywhere goes to the preamble (opt_preamble.go), instruction selection
// into the shared machine layer (isel*.go, lower_*.go), improvements there (opt_cse.go,
// optimizer.go, dce.go, pressure_schedule.go), register allocation (register_allocate.go), then physical
// instructions (lower_pseudo.go), small improvements of the control flow (opt_*.go),
// scoreboard waits (insert_waits.go), hints for the operand cache
// (opt_register_cache.go) and encoding (pack.go, package isa). What a binary says about itself is in package
// abi; package core executes it. The facts are those of docs/isa/agx.md.
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
// Each is a file here unless it says mach (backend/mach) or passes.
//
//   - dead code elimination: dce.go, mach/dce.go
//   - common subexpressions: opt_cse.go
//   - forward and backward folding: optimizer.go; what the IR shows is folded on the way
//     through selection (isel.condition, opnd.go, emit.go)
//   - reindexing: mach/reindex.go; liveness: mach/liveness.go
//   - scheduling for pressure: pressure_schedule.go; register allocation: register_allocate.go, mach/ra.go
//   - spilling: spill.go, mach/spill.go; SSA repair: mach/repair_ssa.go; spill lowering: lower_spill.go
//   - parallel copies: mach/parallel_copy.go; pseudo instructions: lower_pseudo.go
//   - 64-bit operations: lower_64bit.go (moves are two of 32 bits: class wide has two elements)
//   - divergent shuffles: lower_divergent_shuffle.go; sources that are uniforms: lower_uniform_sources.go
//   - constants: opt_compact_constants.go, opt_promote_constants.go
//   - empty else, breaks, jumps over what no lane runs: opt_empty_else.go, opt_break_if.go, opt_jmp_none.go
//   - waits: insert_waits.go; operand cache: opt_register_cache.go
//   - encoding: pack.go; printing: print.go, mach/text.go; performance model: performance.go
//   - checks: validate.go (machine code), mach/validate_ra.go (allocation)
//   - preamble: opt_preamble.go
//   - addresses, subgroups, textures, minima and maxima, interpolation, sample masks, discard with depth and
//     stencil, side effects of fragments: lower_address.go, lower_subgroups.go, lower_texture.go, lower_fminmax.go,
//     lower_interpolation.go, lower_sample_mask.go, lower_discard_zs_emit.go, lower_frag_sidefx.go
//   - workgroup memory: lower_shared_bitsize.go (addresses), passes/lower_mem_access_bit_sizes.go (widths of accesses)
//   - cull distances: lower_cull_distance.go; barycentrics and inputs at vertices: isel_bary.go
//   - vertex shaders that run as compute: isel_record.go, prolog.go
//   - tessellation and geometry shaders, which run as compute and as vertex shaders: lower_stage.go, lower_tess.go,
//     lower_geometry.go, lower_geometry_main.go, compile_geometry.go
//
// # Divergence
//
// There are no branches for single lanes: an execution mask and a nesting
// counter in r0l say who runs. Selection ends the machine blocks in
// pseudo-instructions for both (isel_control.go), so that for the register allocator
// the function is an ordinary flow graph: what one lane does is a path through
// it, and a lane that waits keeps its registers.
package agx
