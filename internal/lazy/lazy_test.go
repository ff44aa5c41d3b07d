package lazy

import (
	"sync"
	"sync/atomic"
	"testing"
)

var made atomic.Int32

var table = Value[map[int]int]{Make: func() map[int]int {
	made.Add(1)
	return map[int]int{1: 2}
}}

// A value is made once, by whoever asks first, and not before.
func TestValue(t *testing.T) {
	if made.Load() != 0 {
		t.Error("it is made before somebody asks")
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if table.Get()[1] != 2 {
					t.Error("another value")
				}
			}
		})
	}
	if wg.Wait(); made.Load() != 1 {
		t.Errorf("made %d times", made.Load())
	}
}
