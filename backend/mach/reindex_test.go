package mach

import "testing"

// TestReindex: values are numbered as they come, in results before sources; what is named nowhere goes, and what is known of a value
// moves with it.
func TestReindex(t *testing.T) {
	const before = `func f target test
block 0 -> 1
  v9:full = const {1}
  v3:half*2!nospill@4 = alu v9, _
  jump
block 1 <- 0 1 -> 1 2 loop 1
  v7:full = phi v9, v8
  v8:full = alu v7
  br v3
block 2 <- 1
  store v8
  end
`
	const after = `func f target test
block 0 -> 1
  v1:full = const {1}
  v2:half*2!nospill@4 = alu v1, _
  jump
block 1 <- 0 1 -> 1 2 loop 1
  v3:full = phi v1, v4
  v4:full = alu v3
  br v2
block 2 <- 1
  store v4
  end
`
	f, err := Parse(before, &testISA{units: 48})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // a second time there is nothing to do, in memory that was used before
		if Reindex(f); f.String() != after || f.NumValues() != 5 {
			t.Errorf("%d values:\n%s\nwant\n%s", f.NumValues(), f, after)
		}
	}
	if v := f.NewValue(tFull, 1); v != 5 {
		t.Errorf("the next value is %d", v)
	}
}
