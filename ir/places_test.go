package ir

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// TestInstrIndex: the ends of blocks and the instructions between them have numbers that grow in the order of the text by one.
func TestInstrIndex(t *testing.T) {
	s, err := Parse("shader vertex \"main\" { fn f0 \"main\" entry() { " + ifLoop + " } }")
	if err != nil {
		t.Fatal(err)
	}
	impl := s.Entry().Impl
	impl.Require(MetaInstrIndex)
	next := uint32(0)
	is := func(what string, n uint32) {
		if n != next {
			t.Errorf("%s is %d, want %d", what, n, next)
		}
		next++
	}
	for b := range impl.Blocks() {
		is(fmt.Sprintf("the start of block %d", b.Index), b.StartIP)
		for in := b.First(); in != nil; in = in.Next() {
			is(PrintInstr(in), in.Index)
		}
		is(fmt.Sprintf("the end of block %d", b.Index), b.EndIP)
	}
	is("the start of the last block", impl.End.StartIP)
	is("its end", impl.End.EndIP)
}

// TestStoreCaptures: the indices of a store hold any runs of a slot, one from each component on.
func TestStoreCaptures(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for range 200 {
		s := NewShader(StageVertex, nil)
		f := s.NewFunction("main")
		b := NewBuilder(AtEnd(f.Impl.Start()))
		in := b.Intrinsic(IntrStoreOutput, 0, 0, b.Const(32, 0, 0, 0, 0), b.Imm32(0))
		in.Set(IdxIoSemantics, IOSemantics{Location: SlotVar0 + 3, NumSlots: 1}.Pack())
		var want []Capture
		for first := range uint8(4) {
			if r.IntN(2) == 0 {
				continue
			}
			want = append(want, Capture{Slot: SlotVar0 + 3, First: first, Count: 1 + uint8(r.UintN(4)), Bits: []uint8{16, 32}[r.IntN(2)],
				Buffer: uint8(r.UintN(4)), Offset: r.Uint32N(MaxStoreCaptureOffset + 1)})
		}
		in.SetStoreCaptures(want)
		if got := in.StoreCaptures(); !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, want %+v", got, want)
		}
	}
}

// TestSizesPrinted: sizes of memory and constant data have a line where there are any, and none where there are none.
func TestSizesPrinted(t *testing.T) {
	for _, line := range []string{"constant_data = 0x05", "scratch_size = 1", "shared_size = 1"} {
		s := NewShader(StageVertex, nil)
		name, _, _ := strings.Cut(line, " ")
		if text := Print(s); strings.Contains(text, name) {
			t.Errorf("%q in\n%s", name, text)
		}
		switch name {
		case "constant_data":
			s.ConstantData = []byte{5}
		case "scratch_size":
			s.ScratchSize = 1
		default:
			s.SharedSize = 1
		}
		if text := Print(s); !strings.Contains(text, "\n  "+line+"\n") {
			t.Errorf("no %q in\n%s", line, text)
		}
	}
}
