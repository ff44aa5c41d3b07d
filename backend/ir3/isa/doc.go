// Package isa knows the instruction words of Adreno's "ir3" shader ISA, a6xx
// and a7xx: it unpacks, packs, prints and parses them, all from one table
// (table.go, with the bit layouts in layout.go). It knows nothing of what the
// instructions do (package core does) nor of when they are legal (the code
// generator does), and it never panics on a word or a text. Facts and figures
// are from ir3.md §1 to 3 and 7.
//
// # How to build an instruction
//
// An [Instr] is a plain comparable value. Fill in Op, operands, flags and what
// the instruction's text shows, leave the rest zero, and call [Pack]. Pack
// unpacks its own result and compares: whatever the encoding cannot hold (an
// immediate too large, a flag without a bit, operands of different size) is an
// error that names it, never a silently different word.
//
//	// (ss)(rpt1)add.f r4.x, (r)r8.x, c1.y
//	Instr{Op: OpAddF, Flags: SS, Repeat: 1, Dst: R(16), Srcs: [4]Operand{R(32).With(Rpt), C(5)}}
//	// cmps.s.ne p0.x, hr0.z, h(0)
//	Instr{Op: OpCmpsS, Cond: CondNE, Dst: P(0), Srcs: [4]Operand{HR(2), I(0).With(Half)}}
//	// cov.f32f16 (even)hr1.y, r2.y
//	Instr{Op: OpCov, SrcType: F32, Type: F16, Round: RoundEven, Dst: HR(5), Srcs: [4]Operand{R(9)}}
//	// br !p0.x, #7
//	Instr{Op: OpBr, Srcs: [4]Operand{P(0).With(Inv)}, Target: 7}
//	// ldib.b.untyped.1d.u32.4.imm.base0 r0.x, r5.x, 2
//	Instr{Op: OpLdib, Dims: 1, Type: U32, Size: 4, Mode: ModeImm, Set: 1, Dst: R(0), Srcs: [4]Operand{R(20), I(2)}}
//
// Rules worth knowing:
//   - Register numbers are 4*N+c. Half marks 16-bit registers and consts, and in
//     category 2 the immediates that go with them. A destination whose Half
//     differs from the sources' makes the folded conversion; predicates, a0.x
//     and a1.x are never Half.
//   - Set is the bindless set plus 1; 0 is the classic binding table.
//   - mov has equal Type and SrcType, cov different ones; mova writes R(A0) with
//     both S16, mova1 R(A1) with both U16. Immediates of mov are raw bits, 16
//     of them for 16-bit types.
//   - (nopN) goes into Nop and needs Repeat 0. bary.f and flat.b show theirs as
//     (r) marks: use [Instr.SetNops] and [Instr.Nops].
//   - Data registers of memory instructions are Half as Type is (8-bit u8 too).
//   - atomic.b has its data register (operand in, old value out) in Srcs[0].
//   - ldc.k writes the const file at a1.x and has no Dst; its Size counts vec4.
package isa
