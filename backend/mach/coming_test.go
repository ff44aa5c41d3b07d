package mach

import (
	"strings"
	"testing"
)

// places allocates a program and returns where its values are defined, and how many moves are left.
func places(t *testing.T, src string, opts AllocOptions) (map[Value]Reg, int) {
	t.Helper()
	f, err := Parse(src, &testISA{units: 64})
	if err != nil {
		t.Fatal(err)
	}
	if err := allocate(f, opts); err != nil {
		t.Fatal(err)
	}
	at := map[Value]Reg{}
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			for _, d := range in.Defs() {
				if _, seen := at[d.Val]; !seen {
					at[d.Val] = d.Reg
				}
			}
		}
	}
	return at, moves(f)
}

// A value that is gone before another comes which is to end in a fixed register may be there; one that lives on is elsewhere, even if
// a source of its own dies there, and of several fixed registers the lowest is wished for.
func TestWishesToCome(t *testing.T) {
	const src = `func f target test
block 0
  v1:full = const {1}
  v2:full = alu v1 {2}
  v3:full = alu v2 {3}
  v4:full = const {4}
  v5:full = alu v4, v3 {5}
  v6:full!fixed@0, v7:full!fixed@4 = pcopy v5, v5
  store v6, v7
  end
`
	at, n := places(t, src, AllocOptions{PassWishes: true})
	if at[1] != 0 || at[2] != 0 || at[3] == 0 || at[4] != 0 || at[5] != 0 || n != 1 {
		t.Errorf("the registers are %v, %d moves are left", at, n)
	}
}

// A value that goes round a loop needs its register up to the loop's end, one that goes to a phi to the end of its block: neither is
// where a value wishes to be that comes after its last use.
func TestWishesInLoops(t *testing.T) {
	const src = `func f target test
block 0 -> 1
  v1:full = const {1}
  jump
block 1 <- 0 2 -> 2 3
  v2:full = alu v1 {2}
  v3:full = const {3}
  v4:full!fixed@0 = pcopy v3
  store v4, v2
  v9:pred = const {9}
  br v9
block 2 <- 1 -> 1
  jump
block 3 <- 1
  end
`
	if at, n := places(t, src, AllocOptions{PassWishes: true}); at[1] == 0 || at[3] != 0 || n != 0 {
		t.Errorf("the registers are %v, %d moves are left", at, n)
	}
}

// What is gone before a part of a vector comes may be where that will be.
func TestSetsToCome(t *testing.T) {
	const src = `func f target test
block 0
  v1:full = const {1}
  v2:full = const {2}
  v3:full = alu v2 {3}
  store v3
  v4:full = const {4}
  v5:full*2 = collect v1, v4
  store v5
  OTHER
  end
`
	at, n := places(t, strings.ReplaceAll(src, "OTHER", "store v5"), AllocOptions{MergeSets: true})
	if at[2] != at[1]+2 || at[4] != at[1]+2 || n != 0 {
		t.Errorf("the registers are %v, %d moves are left", at, n)
	}
	at, n = places(t, strings.ReplaceAll(src, "OTHER", "store v2"), AllocOptions{MergeSets: true})
	if at[2] == at[1]+2 || at[4] != at[1]+2 || n != 0 {
		t.Errorf("with a value that lives on the registers are %v, %d moves are left", at, n)
	}
}

// Within a bound values move into holes for what needs a run of registers; without one that goes above, and after Unallocate the
// function is allocated again as if for the first time.
func TestBound(t *testing.T) {
	const src = `func f target test
block 0
  v1:full = const {1}
  v2:full = const {2}
  v3:full = const {3}
  v4:full = const {4}
  store v1, v3
  v5:full*2 = alu v2 {5}
  store v5, v2, v4
  end
`
	f, err := Parse(src, &testISA{units: 64})
	if err != nil {
		t.Fatal(err)
	}
	free := ""
	for _, bound := range []int{0, 8, 0} {
		var opts AllocOptions
		opts.Bound[0] = bound
		res, err := Allocate(f, opts)
		if err != nil {
			t.Fatal(err)
		}
		text := f.String()
		if within := res.Used[0] <= 8; within != (bound == 8) || (res.Copies > 0) != within {
			t.Errorf("with bound %d: %d units, %d copies\n%s", bound, res.Used[0], res.Copies, text)
		}
		if bound == 0 && free != "" && text != free {
			t.Errorf("the second time the result is\n%snot\n%s", text, free)
		}
		if bound == 0 {
			free = text
		}
		f.Unallocate()
	}
}
