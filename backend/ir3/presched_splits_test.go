package ir3

import (
	"testing"

	"nirc/ir"
)

// TestSplitsFirst: constants beside components of attributes go where the components stood that nobody reads, without copies.
func TestSplitsFirst(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range gpus {
		s, b := newStage(ir.StageVertex)
		in, colour := inputFrom(b, ir.SlotAttrib0, 0, 4), inputFrom(b, ir.SlotAttrib0+1, 0, 4)
		one := b.ImmFloat(1, 32)
		outputTo(b, b.Vec(b.Channel(in, 0), b.Channel(in, 1), b.ImmFloat(.5, 32), one), ir.SlotPos)
		outputTo(b, b.Vec(b.Channel(colour, 0), b.Channel(colour, 1), b.Channel(colour, 2), one), ir.SlotVar0)
		bin, err := compile(s, CompileOptions{GPU: gpu})
		if err != nil {
			t.Fatal(err)
		}
		if n := bin.Stats.Instrs; n > 5 { // constants and the end, on some GPUs with what their outputs need
			t.Errorf("%s: %d instructions, want at most 5:\n%s", gpu, n, disasm(bin))
		}
		if err := stageDiffer(s, gpu); err != nil {
			t.Errorf("%s: %v", gpu, err)
		}
	}
}
