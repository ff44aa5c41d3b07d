package ir

import (
	"math/rand"
	"slices"
	"testing"
)

// TestInstrWorklist compares the list with a slice, over random operations.
func TestInstrWorklist(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	s := NewShader(StageCompute, nil)
	all := make([]*Instr, 9000)
	for i := range all {
		all[i] = s.NewUndef(1, 32)
	}
	var w InstrWorklist
	var want []*Instr
	check := func(got *Instr, at int) {
		t.Helper()
		if len(want) == 0 {
			if got != nil {
				t.Fatal("an empty list gave something")
			}
			return
		}
		if at < 0 {
			at = len(want) - 1
		}
		if got != want[at] {
			t.Fatal("wrong instruction")
		}
		want = slices.Delete(want, at, at+1)
	}
	for _, in := range all { // long enough to move to the front
		w.Push(in)
		w.Push(in)
		want = append(want, in)
	}
	for i := 0; i < 20000; i++ {
		switch k := r.Intn(10); {
		case k < 4:
			in := all[r.Intn(len(all))]
			if in.Flags&ListedFlag == 0 {
				want = append(want, in)
			}
			w.Push(in)
		case k < 9:
			check(w.Next(), 0)
		default:
			check(w.Pop(), -1)
		}
		if w.Len() != len(want) {
			t.Fatalf("%d wait, want %d", w.Len(), len(want))
		}
	}
}

// TestBlockWorklist takes blocks from both ends.
func TestBlockWorklist(t *testing.T) {
	s := NewShader(StageCompute, nil)
	f := s.NewFunction("main")
	b := NewBuilder(AtEnd(f.Impl.Start()))
	for range 70 {
		b.PopIf(b.PushIf(b.ImmBool(true)))
	}
	var w BlockWorklist
	w.Init(f.Impl)
	if w.PopFirst() != nil || w.PopLast() != nil {
		t.Fatal("a new list is not empty")
	}
	r := rand.New(rand.NewSource(2))
	for range 3 {
		w.Init(f.Impl)
		w.AddAll()
		var have []uint32
		for blk := range f.Impl.Blocks() {
			have = append(have, blk.Index)
		}
		for len(have) > 0 {
			var got *Block
			var want uint32
			if r.Intn(2) == 0 {
				got, want, have = w.PopFirst(), have[0], have[1:]
			} else {
				got, want, have = w.PopLast(), have[len(have)-1], have[:len(have)-1]
			}
			if got == nil || got.Index != want || w.Has(got) {
				t.Fatalf("got %v, want block %d", got, want)
			}
			if r.Intn(3) == 0 && !slices.Contains(have, want) {
				w.Push(got)
				w.Push(got)
				have = append(have, want)
				slices.Sort(have)
			}
		}
		if w.PopFirst() != nil || w.PopLast() != nil {
			t.Fatal("something is left")
		}
	}
}
