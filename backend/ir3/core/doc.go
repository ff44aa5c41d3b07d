// Package core executes packed ir3 code (a6xx, a7xx) on the software GPU: it
// implements emu.Program and emu.Wave. It reads the words and the shader's
// abi.Meta and nothing of the compiler. A program is decoded once by [Load];
// waves interpret the dense result over registers stored as [register][lane].
//
// Semantics are those of ir3.md §1 and 3 to 6.
// Choices where the reference leaves room: mad.f32 and mad.f16 round once; SFU
// results are the rounded exact ones, in checking mode off by the worst
// (sfu.go); every wave runs the preamble into its
// own copy of the const file; a half const is demoted f32 to f16 in float
// instructions of categories 2 and 3 and its low half is taken elsewhere;
// killed fibers go on as helpers without side effects until (eq).
//
// Images and samplers are not executed: category 5 works on storage buffers
// (isam) and on registers (derivatives, quads, brcst), everything else is an
// error of Run that names the instruction. So are the geometry stages (Load).
//
// With Launch.Check the wave also keeps the time of every register's last
// write and the results still under way, and reports the code that hardware
// would punish (check.go).
package core
