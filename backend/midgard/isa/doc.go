// Package isa knows the instruction words of Mali Midgard (T600 to T880): it
// decodes, encodes, prints and parses bundles, all from the same tables: the
// operations in ops.go and ldst_ops.go, the bit layouts in alu.go, ldst.go,
// texture.go and branch.go. It knows nothing of what the operations do (package
// core does) nor of when they may be used (the code generator does), and it
// never panics on bytes or text. Facts and figures are from
// midgard.md §2 to 6 and 12.
//
// # The shape of a program
//
// A program is a sequence of bundles of 16 to 64 bytes, each a plain comparable
// [Bundle]: an ALU bundle holds up to five [ALU] instructions (one a unit), up
// to two [Branch]es and 16 bytes of constants; a load/store bundle holds two
// [LoadStore]s; a texture bundle one [Texture]. Every bundle names its own type
// and that of the bundle after it ([Tag]).
//
// # How to build a bundle
//
// Fill in a Bundle, let [Bundle.SetTag] choose the tag of ALU bundles, set Next
// (or call [Link] on the whole program), and call [AppendEncode]. A value that
// its field cannot hold is an error that names it.
//
//	// vmul.FMUL.f32 R2, R0.xxxx, #2
//	var b Bundle
//	b.Add(UnitVMUL, Vector(OpFmul, Mode32, 2, FullMask).
//		From(0, VReg(0, Swz(0, 0, 0, 0))).Inline(0x4000))
//	b.SetTag(false)
//	b.Next = TagBreak
//
// # Two texts
//
// The text is that of the reference disassembler (midgard.md §12), which leaves
// much unsaid: units unless asked, selectors of lanes that are not written,
// opcodes that share a mnemonic, next tags. With TextOptions.Full the printer
// adds what a parse would not bring back as a note at the end of the line,
// "; src1.swizzle=0x1b op=0x61", so that full text and bytes say the same.
package isa
