package ir

import "testing"

// TestInsertElsewhere: a cursor that was kept while its block was split names an instruction that stands elsewhere now, and
// what is inserted there would be in two lists.
func TestInsertElsewhere(t *testing.T) {
	s := NewShader(StageCompute, nil)
	b := NewBuilder(AtStart(s.NewFunction("main").Impl.Start()))
	cond := b.ImmBool(true)
	at := b.Imm32(1).Instr
	old := Before(at)
	b.Cursor = old
	b.PopIf(b.PushIf(cond))
	if at.Block == old.Block {
		t.Fatal("the instruction stands where it stood")
	}
	defer func() {
		if recover() == nil {
			t.Error("nobody minds")
		}
	}()
	old.Insert(s.NewConst(32, 2))
}
