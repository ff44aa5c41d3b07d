// Package irshape measures which shape an SSA IR should have in memory, so that the choice made in package ir rests on
// numbers that anyone can produce again.
//
// It holds two small IRs with the same meaning: pointers into slabs (P, pointers.go) and dense pointer-free slices
// addressed by uint32 handles (H, handles.go). Both are built from one generated program (gen.go), run the same three
// passes (copy propagation, CSE, DCE), and print through one printer (print.go). The benchmarks in irshape_test.go
// time them; RESULTS.md keeps a run.
//
// Nothing of the compiler imports this package, and no compiler code lives here: its opcodes are only as many as the
// three passes need to have realistic work.
package irshape
