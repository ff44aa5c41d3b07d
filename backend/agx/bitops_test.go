package agx

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestInvertTable: the table of a bitop whose source is inverted is that of the source that is not.
func TestInvertTable(t *testing.T) {
	for table := range uint8(16) {
		for i := range 2 {
			inverted := invertTable(table, i)
			for x := range uint8(4) { // bit i is source i
				if got, want := inverted>>x&1, table>>(x^1<<i)&1; got != want || inverted > 15 {
					t.Errorf("table %04b with source %d inverted is %04b", table, i, inverted)
				}
			}
		}
	}
}

// TestInvertedOperands: operations on bits with any of their sources and their result inverted store what the interpreter stores.
func TestInvertedOperands(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 32)
	id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
	word := func(at int64) *ir.Def {
		return gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.IAddImm(b.Ishl(id, b.Imm32(3)), at), 1)
	}
	x, y := word(0), word(4)
	ops := []ir.Op{ir.OpIand, ir.OpIor, ir.OpIxor}
	at := b.IMulImm(id, int64(4*8*len(ops)))
	for k, op := range ops {
		for form := range 8 {
			v, w := x, y
			if form&1 != 0 {
				v = b.Inot(v)
			}
			if form&2 != 0 {
				w = b.Inot(w)
			}
			r := b.ALU(op, v, w)
			if form&4 != 0 {
				r = b.Inot(r)
			}
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.IAddImm(at, int64(4*(8*k+form))), r)
		}
	}
	if err := ir.Validate(s); err != nil {
		t.Fatal(err)
	}
	run := &gputest.Run{Groups: 1, In: gputest.RandomInput(5, 32*8), OutSize: 32 * 4 * 8 * len(ops)}
	if err := execute(t, s, CompileOptions{}, run, nil); err != nil {
		t.Error(err)
	}
}
