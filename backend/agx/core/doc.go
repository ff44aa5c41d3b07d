// Package core executes packed AGX code (G13, G14) on the software GPU: it
// implements emu.Program and emu.Wave. It reads the bytes and the shader's
// abi.Meta and nothing of the compiler, and plays the driver: it fills uniform
// registers, runs the preamble, fetches attributes, gives tessellation the records and
// points it reads (tess.go) and makes the epilog's part of fragment results. A program is decoded once by [Load]; waves interpret the
// dense result over registers stored as [register][lane].
//
// Semantics are those of agx.md §1 and 5 to 9.
// Choices where the reference leaves room: fmul keeps the IEEE sign of zero;
// rcp, rsqrt, log2, exp2 and the sines are the rounded exact results, in
// checking mode off by the worst (approx.go); float
// reductions go in lane order and take min and max of the numbers; float to
// integer conversions clamp and make 0 of NaN; every wave runs the preamble
// into its own uniforms, in one lane.
//
// What nobody knows (instructions of unknown meaning, calls through registers,
// matrices), what only the driver's own programs use and descriptors as data
// are errors of Run that name the instruction, never silence.
//
// With Launch.Check the wave also keeps the results that are under way and the
// state of samples, and reports code that hardware would punish (check.go).
package core
