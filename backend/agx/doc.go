// Package agx is the code generator for Apple AGX (G13 and G14). It turns a
// shader in lowered form into machine code and its [abi.Meta].
//
// [Compile] is the way through, and steps.go lists its steps in order. On the IR: tessellation
// and geometry become programs for compute, bindings get their places, what the hardware has
// not is lowered, and what is the same for all invocations goes to the preamble. Then selection
// into the shared machine layer (isel*.go), improvements there, register allocation, physical
// instructions (phys*.go), scoreboard waits, hints for the operand cache, and encoding (package
// isa). What a binary says about itself is in package abi; package core executes it. The facts
// are those of docs/isa/agx.md.
//
// What never happens here: nothing looks at SPIR-V, nothing executes code,
// and no pass that another target could use lives here.
//
// # The form that Compile takes
//
// One function, the entry point, in SSA, structured control flow without
// continue lists and returns, valid by ir.Validate, scalar ALU operations
// except vecN and mov, what [Options] asks to lower gone, 64-bit values only as
// pairs of words and in sums (iadd, isub, ilea_agx, ulea_agx), booleans of 1 bit, no derefs but those of textures, inputs and outputs by
// lower_io with constant offsets, memory accesses of at most 4 components of 8,
// 16 or 32 bits.
//
// # Parts
//
// A shader is a whole program, or the main part of one (CompileOptions.Part):
// prologs and epilogs are IR that this package builds for a pipeline's state
// (prolog.go, epilog.go, blend.go, tile.go) and compiles like any other, and
// Target.Link puts the parts one after another (link.go).
//
// # Where the field's names are
//
// Each is a file here unless it says mach (backend/mach) or passes.
//
//   - the whole: target.go (backend.Backend's methods), compile.go, steps.go (the order), gpu.go
//   - machine form: mach.go, mach_operands.go; the checks of it: validate.go, mach/validate_ra.go
//   - selection: isel.go and, by subject, isel_alu.go, isel_bits.go (fields,
//     shifts and products that sums and masks take in), isel_conv.go, isel_wide.go (64 bits),
//     isel_minmax.go, isel_control.go, isel_mem.go, isel_address.go, isel_tex.go, isel_image.go, isel_layout.go (where the texels of images lie),
//     isel_subgroup.go, isel_intr.go, isel_inputs.go, isel_outputs.go, isel_vertex.go, isel_record.go
//     (vertex shaders that run as compute), isel_interp.go, isel_bary.go, isel_sample_mask.go,
//     isel_zs.go, isel_sysval.go, isel_part.go; what makes their instructions: isel_emit.go,
//     isel_vector.go, isel_uniform.go, isel_constants.go
//   - uniform registers: uniforms.go, uniforms_room.go
//   - preamble: preamble.go, preamble_negate.go, preamble_texture.go
//   - common subexpressions: cse.go, mach/cse.go; dead code: dce.go, mach/dce.go
//   - forward and backward folding: optimizer.go; what the IR shows is folded on the way
//     through selection (isel.condition, mach_operands.go, isel_emit.go)
//   - reindexing: mach/reindex.go; liveness: mach/liveness.go
//   - scheduling for pressure: presched.go; register allocation: ra.go, ra_bound.go, mach/ra.go, mach/coming.go
//   - spilling: spill.go, mach/spill.go; SSA repair: mach/repair_ssa.go
//   - parallel copies: mach/parallel_copy.go; physical instructions: phys.go
//   - divergent shuffles: phys_shuffle.go
//   - empty else, breaks, jumps over what no lane runs: phys_empty_else.go, phys_break_if.go, phys_jump_none.go
//   - waits: waits.go; operand cache: phys_register_cache.go
//   - encoding: encode.go; text: text.go, mach/text.go; figures: stats.go, stats_cycles.go
//   - passes of this target alone: lower_descriptors.go, lower_images.go, lower_zero_offsets.go,
//     lower_frag_sidefx.go, lower_early_tests.go, lower_texel_range.go, lower_shared_bitsize.go (addresses; the widths of accesses are
//     passes/lower_mem_access_bit_sizes.go), lower_subgroups.go, lower_texture.go, lower_texture_index.go,
//     lower_cull_distance.go
//   - obligations of the hardware (agx.md §16): what tests leave out of them is in fault.go; facts of fragment
//     programs for drivers: pass_facts.go
//   - tessellation and geometry shaders, which run as compute and as vertex shaders: stage_memory.go,
//     lower_tess.go, lower_geometry.go, lower_geometry_main.go, compile_geometry.go
//   - parts and linking: prolog.go, epilog.go, blend.go, tile.go, state.go, pass_through.go, link.go
//
// # Divergence
//
// There are no branches for single lanes: an execution mask and a nesting
// counter in r0l say who runs. Selection ends the machine blocks in
// pseudo-instructions for both (isel_control.go), so that for the register allocator
// the function is an ordinary flow graph: what one lane does is a path through
// it, and a lane that waits keeps its registers.
package agx
