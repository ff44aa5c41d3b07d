// Package core executes packed Midgard code on the software GPU: it implements
// emu.Program and emu.Wave. It reads the bytes and the shader's abi.Meta and
// nothing of the compiler. A program is decoded once by [Load]; waves interpret
// the dense result. A wave is one thread, in fragment shaders the four threads
// of a quad: each has its own program counter, and they meet where the texture
// pipe takes derivatives, the lowest program counter first.
//
// Semantics are those of midgard.md §1 to 8 and
// 16. Choices where the reference leaves room: LUT results are the correctly
// rounded ones as far as float64 functions give them, in checking mode off
// by the worst (lut.go); denormals are kept;
// shift counts are taken modulo the lane width; f2i of what has no such integer
// is garbage; dot products round each product and sum; the unsigned saturation of a
// narrowing takes the value as signed unless the operation is unsigned; the
// cube map pair is (s, t) of the face with the face's number in the low three
// bits of t. An operation whose result is not known (fdot3r, freduce, the pow
// and atan2 helpers, the double-width multiplies, ichoose) is an error of Run.
//
// With Launch.Check the wave also reports code that breaks the rules of
// midgard.md §8 (check.go), takes every writeout's branch once before it succeeds, and
// takes r0 to r3 for lost after a writeout.
package core
