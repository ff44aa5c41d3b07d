package ir

import (
	"math/bits"
	"testing"

	"nirc/ir/optab"
)

// TestIndexTexts: whatever number a constant index holds, sensible or not, is
// printed so that it reads back as that number.
func TestIndexTexts(t *testing.T) {
	var values []uint64
	for v := range uint64(1500) {
		values = append(values, v)
	}
	for shift := range 64 {
		for _, v := range []uint64{0, 1, 3, 0xab, ^uint64(0)} {
			values = append(values, bits.RotateLeft64(v, shift), 1<<shift-1)
		}
	}
	var user [optab.NumIndices]Intrinsic // an intrinsic that has the index
	for k := Intrinsic(NumIntrinsics - 1); k > 0; k-- {
		for _, x := range k.Info().Indices {
			user[x] = k
		}
	}
	for _, stage := range []Stage{StageVertex, StageFragment} {
		for n, k := range user {
			if k == 0 {
				continue // no intrinsic has it
			}
			checkIndexTexts(t, stage, k, Index(n), values)
		}
	}
}

func checkIndexTexts(t *testing.T, stage Stage, k Intrinsic, x Index, values []uint64) {
	t.Helper()
	s := NewShader(stage, nil)
	f := s.NewFunction("main")
	f.IsEntry = true
	b := NewBuilder(AtEnd(f.Impl.Start()))
	srcs := make([]*Def, len(k.Info().Srcs))
	for i := range srcs {
		srcs[i] = b.Imm32(0)
	}
	for _, v := range values {
		in := s.NewIntrinsic(k, 1, 32, srcs...)
		in.Set(x, v)
		b.Insert(in)
	}
	text := Print(s)
	back, err := Parse(text)
	if err != nil {
		t.Errorf("%s of %s: %v", x, k, err)
		return
	}
	i := 0
	for in := range back.Entry().Impl.Start().Instrs() {
		if in.Kind != KindIntrinsic {
			continue
		}
		if got := in.Get(x); got != values[i] {
			t.Errorf("%s of %s: %#x came back as %#x", x, k, values[i], got)
		}
		i++
	}
	if i != len(values) {
		t.Errorf("%s of %s: %d instructions came back of %d", x, k, i, len(values))
	}
}
