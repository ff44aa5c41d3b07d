package ir

import "testing"

// TestClonedPlaces: what has no place gets none, others theirs by Loc.
func TestClonedPlaces(t *testing.T) {
	c := &Cloner{Loc: func(i uint32) uint32 { return i + 10 }}
	for i, want := range map[uint32]uint32{0: 0, 1: 11, 7: 17} {
		if got := c.loc(i); got != want {
			t.Errorf("place %d becomes %d, want %d", i, got, want)
		}
	}
	if got := (&Cloner{}).loc(7); got != 7 {
		t.Errorf("without Loc place 7 becomes %d", got)
	}
}
