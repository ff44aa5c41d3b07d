// Package midgard generates code for Mali Midgard (T720 to T880): it is the
// target "midgard" of package backend. A shader comes in lowered by the target's part
// of pipeline.yaml, vectors kept, and leaves as bundles of package isa beside an
// abi.Meta. Nothing here runs code: package core does. Facts about the hardware are
// from docs/isa/midgard.md, which comments cite.
//
// # The way of a shader
//
// [Compile] (compile.go) runs the steps that steps.go lists. It rewrites buffer handles to
// table entries (lower_handles.go), products with columns of matrices (lower_columns.go) and
// interpolation at chosen places (lower_offsets.go), selects instructions (isel*.go), lets
// values be made where moves would put them (coalesce.go), removes dead lanes (dce.go),
// brings what makes colours and conditions into the bundles that want them
// (fuse_writeouts.go, fuse_conditions.go), and goes on by several plans, of whose code the
// best is taken (plan.go): it may order blocks for low pressure (presched.go); it gives the
// virtual registers places among the vec4 work registers, makes cheap values again and
// spills others where that does not fit (ra*.go, spill.go), and packs instructions into
// bundles (sched*.go; the form is phys.go), or packs first, so that values of one bundle
// live in its pipeline registers and need no work register (phys_pipes.go, ra_bundles.go).
// Last it puts the bundles in a row (layout.go) and encodes them (encode*.go). The hardware
// waits for what is not ready by itself: there is no step for waits. A fragment shader may
// become a blend program instead (isel_blend.go, isel_pixel.go).
//
// # The machine form
//
// An [inst] is a vec4 instruction before its unit is chosen: a destination register
// with a write mask and two sources with a selector a lane. Lane i of the result comes
// from lane i of the swizzled sources, so a write of w alone has its operand in lane w
// (midgard.md §1.1). Scalar units are the business of the bundler alone. A register is
// physical or virtual; a virtual one has up to four components of 32 bits, may be
// written piece by piece, and is never split over two work registers.
//
// Values of 16 bits lie two to a component (isel_half.go), a vector in half a work
// register. Those of 8 bits lie four to a component (isel_byte.go), computed in lanes of
// 16 bits with extended operands; a scalar whose upper bits do not matter is computed in
// 32. 64-bit values have two components (isel_wide.go), computed in lanes of 64 bits up to
// two at once. Booleans are 0 or all ones of 32 bits: a comparison of bytes makes each as
// two lanes of 16, one of 64 bits keeps the half of its result.
//
// Arrays of descriptors that have no known size stand after the tables of the binary
// (isel_tail.go), so that every index into them works.
package midgard
