package mach

import (
	"slices"
	"testing"
)

// TestSet: what is put into a set is in it until it is taken out, whichever word it is in, and is visited in order.
func TestSet(t *testing.T) {
	s := make(Set, 3)
	list := []Value{0, 1, 62, 63, 64, 65, 127, 128, 191}
	for _, v := range slices.Backward(list) {
		s.Add(v)
	}
	each := func() (got []Value) {
		s.Each(func(v Value) { got = append(got, v) })
		return got
	}
	if got := each(); !slices.Equal(got, list) {
		t.Errorf("visited are %v, want %v", got, list)
	}
	for i, v := range list {
		if !s.Has(v) || v < 191 && s.Has(v+1) != slices.Contains(list, v+1) {
			t.Errorf("value %d is %t, or the next one is wrong", v, s.Has(v))
		}
		s.Remove(v)
		if got := each(); s.Has(v) || !slices.Equal(got, list[i+1:]) {
			t.Errorf("without %d there are %v", v, got)
		}
	}
}
