package ir3

import (
	"strings"
	"testing"

	"nirc/ir"
)

// TestSharedOutputs: an output of one component that is a component of another output, such as a depth that fragments
// read again, is in that one's register, whichever was stored first.
func TestSharedOutputs(t *testing.T) {
	programs.Hold(t)
	for _, first := range []ir.Slot{ir.SlotPos, ir.SlotVar0} {
		s, b := newStage(ir.StageVertex)
		in := inputFrom(b, ir.SlotAttrib0, 0, 4)
		var pos [4]*ir.Def
		for k := range pos {
			pos[k] = b.Fmul(b.Channel(in, k), b.Channel(in, k))
		}
		all, depth := b.Vec(pos[:]...), pos[2]
		if first == ir.SlotPos {
			outputTo(b, all, ir.SlotPos)
			outputTo(b, depth, ir.SlotVar0)
		} else {
			outputTo(b, depth, ir.SlotVar0)
			outputTo(b, all, ir.SlotPos)
		}
		_, bin, err := loaded(s, CompileOptions{GPU: "a630"})
		if err != nil {
			t.Fatal(err)
		}
		if text := disasm(bin); strings.Contains(text, "mov.") {
			t.Errorf("%v first:\n%s", first, text)
		}
		reg := map[ir.Slot]int{}
		for _, o := range bin.Meta.Outputs {
			reg[o.Slot] = int(o.Reg)
		}
		if reg[ir.SlotVar0] != reg[ir.SlotPos]+2 {
			t.Errorf("%v first: the depth is in register %d, the position from %d on", first, reg[ir.SlotVar0], reg[ir.SlotPos])
		}
	}
}
