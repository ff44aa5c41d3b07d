// Package isa knows the instructions of Apple's AGX shader ISA (G13, G14): it
// unpacks, packs, prints and parses them, all from one table (table.go, what
// its fields mean in classes.go). It knows nothing of what the instructions do
// (package core does) nor of when they are legal (the code generator does),
// and it never panics on bytes or text. Facts and figures are from the
// agx.md §2 to 4.
//
// # How to build an instruction
//
// An [Instr] is a plain comparable value. Fill in Op, operands, flags and what
// the instruction's text shows, leave the rest zero, and call [Pack] or
// [AppendPack]. They unpack their own result and compare, unless it is known to be
// the same (exact.go): whatever the encoding cannot hold is an error that names it,
// never silently different bytes.
// [Instr.Length] tells the length before branch offsets are known: it does not
// depend on them.
//
//	// fmadd32.sat r4, r2l, u10.neg, 0.5
//	half, _ := F(0.5)
//	Instr{Op: OpFmadd32, Flags: Sat, Dst: R(4), Srcs: [6]Operand{H(4), U(10).With(Neg), half}}
//	// isub r4_r5, r6_r7, r8.sx, lsl 2
//	Instr{Op: OpIadd, Flags: Sub, Shift: 2, Dst: R64(4), Srcs: [6]Operand{R64(6), R(8).With(SignExt)}}
//	// mov r4, u3: table 10 is "a" (mov), 5 is "not a"
//	Instr{Op: OpBitop, Table: TableMov, Dst: R(4), Srcs: [6]Operand{U(3), I(0)}}
//	// icmpsel ult, r4, r5, 7, r6, 1
//	Instr{Op: OpIcmpsel, Cond: CondULT, Dst: R(4), Srcs: [6]Operand{R(5), I(7), R(6), I(1)}}
//	// if_icmp r0l, nueq, r5l, 0, 1
//	Instr{Op: OpIfIcmp, Cond: CondUNE, Nest: 1, Dst: H(R0L), Srcs: [6]Operand{H(10), I(0)}}
//	// device_load 0, i32, xy, r0_r1, u0_u1, r2, unsigned, lsl 1
//	Instr{Op: OpDeviceLoad, Format: FormatI32, Mask: 3, Flags: Unsigned, Shift: 1,
//		Dst: R(0).Run(2), Srcs: [6]Operand{U64(0), R(2)}}
//	// texture_sample ..., xyzw, r8_r9_r10_r11, None, ts3, ss1, tex_2d, r4_r5, auto_lod, 0
//	Instr{Op: OpTextureSample, Mask: 15, Dim: Dim2D, Dst: R(8).Run(4),
//		Srcs: [6]Operand{1: {Kind: TS, Val: 3}, 2: {Kind: SS, Val: 1}, 3: R(4).Run(2), 4: I(0)}}
//
// Rules worth knowing:
//   - Register numbers of operands count halves: r5 is Val 10, r5h Val 11.
//     Size is the size of an element, Count the number of elements.
//   - Fields of unknown meaning are in Extra as difference from what compilers
//     emit, so leave it 0; memory that other cores see: [Instr.SetCoherent].
//   - Coordinates with a layer or sample index are runs of halves, see
//     [CoordRun]; a depth reference with texel offsets is H(2n).Run(3).
//   - AGX chips of several dies (M1 Pro and up) need [Instr.SetMultiDie] on
//     atomics.
package isa
