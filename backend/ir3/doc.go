// Package ir3 is the code generator for Adreno a6xx and a7xx. It turns a
// shader in lowered form into machine code and its [abi.Meta].
//
// [Compile] is the way through: the steps of steps.go in their order. loweringSteps are the
// target's own passes over the IR (lower_*.go). codeSteps bring equal scalar operations together
// (rpt_plan.go), select instructions of the shared machine layer (isel*.go) with what is done before
// the program proper (consts*.go, preamble.go, prefetch.go), order them (presched.go), give them
// registers (ra.go, spill.go and package mach; preamble_scalar.go and uniform*.go where there is a
// scalar unit), make the program of instructions with registers (phys*.go, rpt.go), order it again
// (sched.go), put in waits and delay slots (waits*.go), mask short sides of ifs (predicate.go), lay
// blocks out (phys_layout.go) and encode (encode.go). Where something does not fit they run again by
// another plan (replans in compile.go). docs/architecture.md has the stage of each file.
//
// Encodings, text and decoding are in package isa; what a binary says about itself in package abi;
// package core executes it. The facts are those of docs/isa/ir3.md.
//
// # Repeat groups
//
// The five steps of ir3.md §8: vectorize brings up to four equal scalar operations
// of a block together; selection links the instructions that it makes of them (linker); nothing
// in between looks at groups but the first scheduler, which keeps them whole; cleanRepeats cuts, right before
// allocation, what can never merge, and tells the allocator which values would like consecutive
// registers (mach.AllocOptions.Groups); mergeRepeats makes one instruction of members whose
// registers came out in line. The dumps of repeat_groups, isel, repeat_runs, ra and repeat_merge show each step, [RptStats] counts.
//
// What never happens here: nothing looks at SPIR-V, nothing executes code,
// and no pass that another target could use lives here.
//
// # Uniform values
//
// Devices with a scalar unit compute what is the same for all fibers of a wave once, in registers
// that all of them share. uniformity (uniform.go) picks those values after selection, by what their
// users can read (uniform_load.go: loads, uniform_const.go: constants) and by what it gains
// (uniform_gain.go). A shared register has one content for fibers of all ways: while those of one side of an if
// wait, the others run and may write it. The ways along which control drops to waiting fibers are
// physical edges (phys_edges.go); liveness in package mach follows them for shared registers, mach.PlaceFile
// gives each value one register for all its life, mach.Checker proves it along the same edges, and the wait flags
// (waits.go) take into account what is under way along them.
//
// # The form that Compile takes
//
// One function, the entry point (inlined, returns lowered, continue lists
// lowered), in SSA, structured control flow, valid by ir.Validate, with:
//   - only scalar ALU operations except vecN and mov (lower_alu_to_scalar);
//     phis of any width;
//   - the operations that [Options] asks to lower are gone (algebraic rules,
//     lower_idiv, lower_doubles, lower_int64); 64-bit values only as
//     pack_64_2x32_split, unpack_64_2x32_split_x/y, moves, phis, selects and global addresses;
//   - booleans of 1 bit;
//   - no derefs: variables in SSA or as scratch (lower_vars_to_ssa,
//     lower_vars_to_explicit_types, lower_explicit_io with 32bit_index_offset pointers for
//     UBO and SSBO, 64-bit global addresses, 32-bit offsets for shared, scratch and push constants);
//   - inputs and outputs by lower_io: load_input, load_interpolated_input,
//     load_barycentric_*, store_output with io_semantics, constant offsets
//     (lower_indirect_io or temporaries), fragment outputs anywhere;
//   - system values as intrinsics (lower_system_values, lower_compute_system_values):
//     global and workgroup ids, local ids, vertex and instance ids and so on;
//   - memory accesses of at most 4 components of 8, 16 or 32 bits, aligned to their
//     component size (lower_mem_access_bit_sizes: 64-bit components become pairs; UBO
//     and push constant loads of 32-bit components only); contiguous write masks
//     (lower_wrmasks);
//   - textures, images and samplers as derefs of variables and array elements
//     (a choice between variables at run time is diagnosed, as are multisampled storage
//     images, lower bounds of the LOD, and explicit derivatives in vertex shaders);
//   - subgroup operations as SPIR-V has them.
package ir3
