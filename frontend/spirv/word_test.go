package spirv

import (
	"testing"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// TestWords: integers of all sizes are brought to 32 bits, and to any other size, with zeros or with their sign; those that have the
// size are taken as they are.
func TestWords(t *testing.T) {
	s := ir.NewShader(ir.StageCompute, nil)
	f := s.NewFunction("main")
	f.IsEntry = true
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	tr := &translator{f: &fctx{b: b}}
	for _, from := range []uint8{8, 16, 32, 64} {
		d := b.ImmInt(-3, from)
		if w := tr.toU32(d); w.BitSize != 32 || (w == d) != (from == 32) || from != 32 && !w.Instr.IsALU(ir.OpU2u32) {
			t.Errorf("%d bits as a word: %d bits", from, w.BitSize)
		}
		for _, to := range []uint8{8, 16, 32, 64} {
			for _, signed := range []bool{false, true} {
				if w := tr.resize(d, to, signed); w.BitSize != to || (w == d) != (from == to) || from != to && w.Instr.Op != intResize(to, signed) {
					t.Errorf("%d bits to %d, signed %v: %d bits", from, to, signed, w.BitSize)
				}
			}
		}
	}
	if err := ir.Validate(s); err != nil {
		t.Error(err)
	}
}

// TestNoLine: after OpNoLine, or without a line, an instruction has no file.
func TestNoLine(t *testing.T) {
	tr := &translator{line: line{file: 3, line: 4, col: 5}}
	tr.sourceLine(&spv.Instruction{Op: spv.OpNoLine})
	if tr.line.file >= 0 || tr.line.line != 0 || tr.line.col != 0 {
		t.Errorf("%+v", tr.line)
	}
	if tr.fileIndex(tr.line.file) != 0 || tr.fileName(tr.line.file) != "" {
		t.Error("no file has a name")
	}
}
