package ir

import "testing"

const regsText = `shader compute "m" {
  fn f0 "main" entry() {
    b0:
      %0:1 = load_const 0x1
      %1:32 = decl_reg num_components=1 bit_size=32
      %2:32 = load_const 0x2
      %3:32 = decl_reg num_components=1 bit_size=32
      store_reg %2, %3 write_mask=x
      store_reg %2, %1 write_mask=x
  }
}`

// TestSplitKeepsRegisters: whatever splits the start block, registers are
// declared there still.
func TestSplitKeepsRegisters(t *testing.T) {
	edits := map[string]func(start *Block){
		"if":            func(b *Block) { InsertIf(After(b.First()), &b.First().Def) },
		"if behind two": func(b *Block) { InsertIf(After(b.First()), NewBuilder(AtStart(b)).ImmBool(false)) },
		"loop":          func(b *Block) { InsertLoop(After(b.First())).Body.LastBlock().InsertJump(JumpBreak) },
		"extract all":   func(b *Block) { Reinsert(Extract(AtStart(b), AtEnd(b)), AtEnd(b)) },
		"extract to":    func(b *Block) { Reinsert(Extract(AtStart(b), Before(b.First().Next())), AtStart(b)) },
		"extract a reg": func(b *Block) { Reinsert(Extract(Before(b.Last().Prev().Prev()), Before(b.Last())), AtEnd(b)) },
	}
	for name, edit := range edits {
		s, err := Parse(regsText)
		if err != nil {
			t.Fatal(err)
		}
		start := s.Functions[0].Impl.Start()
		edit(start)
		regs := 0
		for in := range s.Functions[0].Impl.Start().Instrs() {
			if in.IsIntrinsic(IntrDeclReg) {
				regs++
			}
		}
		if regs != 2 {
			t.Errorf("%s: %d registers in the start block\n%s", name, regs, Print(s))
		}
		if err := Validate(s); err != nil {
			t.Errorf("%s: %v\n%s", name, err, Print(s))
		}
	}
}

// TestDeleteParallelCopy: what a deleted parallel copy makes becomes undef after it too.
func TestDeleteParallelCopy(t *testing.T) {
	s, err := Parse(`shader compute "m" {
  fn f0 "main" entry() {
    b0:
      %0:1 = load_const 0x1
      %1:32 = load_const 0x2
    if %0 {
      b1:
        parallel_copy (%2:32 <- %1, %3:32 <- %1)
    } else {
      b2:
    }
    b3:
      %4:32 = phi b1: %3, b2: %1
      store_scratch %4, %1 align_mul=4
  }
}`)
	if err != nil {
		t.Fatal(err)
	}
	RemoveNode(Next(s.Functions[0].Impl.Start()))
	if err := Validate(s); err != nil {
		t.Errorf("%v\n%s", err, Print(s))
	}
}

// TestDeleteLeavesNothing: deleting what nobody uses leaves no undefs in its place; what is used elsewhere leaves one.
func TestDeleteLeavesNothing(t *testing.T) {
	for _, c := range []struct {
		used  string
		undef int
	}{{"", 0}, {"%2:32 = mov %1", 1}} {
		s, err := Parse("shader compute \"m\" {\n  fn f0 \"main\" entry() {\n    b0:\n      %0:32 = load_local_invocation_index\n      %1:32 = iadd %0, %0\n      %9:32 = iadd %0, %0\n      " + c.used + "\n  }\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		start := s.Entry().Impl.Start()
		Extract(Before(start.First().Next()), After(start.First().Next().Next())).Delete()
		if err := Validate(s); err != nil {
			t.Error(err)
		}
		n := 0
		for in := range start.Instrs() {
			if in.Kind == KindUndef {
				n++
			}
		}
		if n != c.undef {
			t.Errorf("%d undefs are left, want %d:\n%s", n, c.undef, Print(s))
		}
	}
}
