package mach

import "testing"

// blockVariables are variables of values, where missing ones are 100 and the block's number.
type blockVariables struct {
	f     *Func
	stack Stores[Value]
	uses  int
}

func (v *blockVariables) Stored(k int, b BlockID) (Value, bool) { return v.stack.At(b, k) }
func (v *blockVariables) Missing(_ int, b BlockID) Value        { return Value(100 + b) }

func (v *blockVariables) Join(int) (Value, Value) {
	x := v.f.NewValue(0, 1)
	return x, x
}

func (v *blockVariables) Use(_ BlockID, x Value) Value {
	v.uses++
	return x
}

// TestReader: a variable is at a block's end what the block stores to it last, else what it is at its start: what one predecessor
// leaves, a phi of what several do, once for each variable and block, in loops too.
func TestReader(t *testing.T) {
	f, err := Parse(`func f target test
block 0 -> 1 2
  v1:full = const {1}
  v2:full = const {2}
  v3:full = const {3}
  v4:pred = alu v1 {3}
  br v4
block 1 <- 0 -> 3
  jump
block 2 <- 0 -> 3
  jump
block 3 <- 1 2 3 -> 3 4
  br v4
block 4 <- 3
  end
`, &testISA{units: 16})
	if err != nil {
		t.Fatal(err)
	}
	v := &blockVariables{f: f}
	store := func(b BlockID, list ...Value) { // variable and value in turn
		for i := 0; i < len(list); i += 2 {
			v.stack.Set(int(list[i]), list[i+1])
		}
		v.stack.Leave(f, b)
	}
	store(0, 0, 1, 1, 2)
	store(1, 0, 3, 0, 2) // the last counts
	store(2)
	store(3, 2, 3)
	store(4)
	r := &Reader[Value]{F: f, Of: v}
	for _, c := range []struct {
		k          int
		b          BlockID
		start, end Value
	}{{0, 0, 100, 1}, {0, 1, 1, 2}, {0, 2, 1, 1}, {1, 2, 2, 2}, {2, 0, 100, 100}, {2, 4, 3, 3}, {2, 3, 0, 3}, {1, 1, 2, 2}} {
		if c.start != 0 { // else nobody asks
			if got := r.AtStart(c.k, c.b); got != c.start {
				t.Errorf("variable %d at the start of block %d is %d, want %d", c.k, c.b, got, c.start)
			}
		}
		if got := r.AtEnd(c.k, c.b); got != c.end {
			t.Errorf("variable %d at the end of block %d is %d, want %d", c.k, c.b, got, c.end)
		}
	}
	if n := len(f.Blocks[3].Instrs); n != 1 {
		t.Errorf("%d phis where nobody needs one", n-1)
	}
	phi := r.AtEnd(0, 4) // through the loop
	in := f.Blocks[3].Instrs[0]
	if in.Op != OpPhi || in.Ops[0].Val != phi || in.Uses()[0].Val != 2 || in.Uses()[1].Val != 1 || in.Uses()[2].Val != phi || len(f.Blocks[3].Instrs) != 2 || v.uses != 3 {
		t.Errorf("the phi of the loop is %d, after %d uses:\n%s", phi, v.uses, f)
	}
	other := r.AtStart(1, 3)
	if in := f.Blocks[3].Instrs[0]; other == phi || in.Ops[0].Val != other || in.Uses()[0].Val != 2 || in.Uses()[1].Val != 2 {
		t.Errorf("another variable is %d:\n%s", other, f)
	}
	if v.stack.Reset(); len(v.stack.cur) != 0 {
		t.Error("what was stored is not forgotten")
	} else if _, ok := v.stack.At(0, 0); ok {
		t.Error("what a block stored is not forgotten")
	}
}
