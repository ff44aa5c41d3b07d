// Package spv reads and writes SPIR-V modules: the binary form ([Parse]), the assembly text ([Assemble], [Disassemble]), and the names and
// numbers of the language (opcodes, enumerants, extended instructions).
//
// Everything about the language comes from the machine-readable grammar in ../grammar, which the command in ./gen turns into the static
// tables of the *_gen.go files. There is no code here per opcode: a new grammar is a new `go generate`.
//
// A [Module] is one slice of words and a dense slice of [Instruction] over it. Parse checks that every instruction has the operands that
// the grammar wants, that ids are below the bound and defined once, and that strings and literals end where they should, so that readers
// can index into an instruction's words without fear. What never happens here: understanding. Whether types fit, blocks form a function
// or a capability is declared is the business of the translator (package frontend/spirv) and of spirv-val.
package spv

//go:generate go run ./gen
