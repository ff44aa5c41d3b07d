package mach

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// allocate runs the whole way on f and proves the result twice, before and
// after the copies are in sequence.
func allocate(f *Func, opts AllocOptions) error {
	LowerTied(f)
	return allocateUntied(f, opts)
}

// allocateUntied is allocate after LowerTied.
func allocateUntied(f *Func, opts AllocOptions) error {
	c := NewChecker(f)
	if _, err := Allocate(f, opts); err != nil {
		return err
	}
	if err := c.Check(); err != nil {
		return err
	}
	LowerCopies(f)
	return c.Check()
}

// storesTheSame allocates registers for a random function, and demands that it stores the same as before;
// false if it does not fit.
func storesTheSame(t *testing.T, f *Func, seed int64, allocate func() error) bool {
	t.Helper()
	before := f.String()
	want, err := run(f, seed)
	if err != nil {
		t.Fatal(err)
	}
	err = allocate()
	var pe *PressureError
	if errors.As(err, &pe) {
		return false
	}
	if err != nil {
		t.Fatalf("seed %d: %v\n%s\n%s", seed, err, before, f)
	}
	got, err := run(f, seed)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("seed %d: stored %x, want %x\n%s\n%s", seed, got, want, before, f)
	}
	return true
}

func TestRandomAllocation(t *testing.T) {
	copies, moves, swaps, full := 0, 0, 0, 0
	for seed := int64(0); seed < 1500; seed++ {
		isa := &testISA{units: 48}
		f := randomFunc(seed, isa, 10+int(seed)%80, false)
		if !storesTheSame(t, f, seed, func() error { return allocate(f, AllocOptions{RoundRobin: seed%2 == 0, MergeSets: seed%4 < 2}) }) {
			full++
			continue
		}
		for b := range f.Blocks {
			for _, in := range f.Blocks[b].Instrs {
				switch in.Op {
				case OpMove:
					moves++
				case OpSwap:
					swaps++
				}
			}
		}
		copies++
	}
	t.Logf("%d allocated, %d did not fit, %d moves, %d swaps", copies, full, moves, swaps)
	if full > 500 || swaps == 0 {
		t.Errorf("%d of 1500 programs did not fit, %d swaps", full, swaps)
	}
}

func TestTextRoundTrip(t *testing.T) {
	isa := &testISA{units: 48}
	for seed := int64(0); seed < 200; seed++ {
		f := randomFunc(seed, isa, 40, false)
		if seed%2 == 0 {
			if allocate(f, AllocOptions{}) != nil {
				continue
			}
		}
		text := f.String()
		g, err := Parse(text, isa)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if again := g.String(); again != text {
			t.Fatalf("parsed and printed differs:\n%s\n%s", text, again)
		}
	}
}

func TestParseErrors(t *testing.T) {
	isa := &testISA{units: 16}
	for _, text := range []string{
		"", "block 0", "func f target other", "func f target test\n  end",
		"func f target test\nblock 1", "func f target test\nblock 0\n  v1:nope = const",
		"func f target test\nblock 0\n  bogus v1", "func f target test\nblock 0 -> 7\n  jump",
		"func f target test\nblock 0\n  v1:full!tied3 = alu", "func f target test\nblock 0\n  v99999999999:full = const",
		"func f target test\nblock 0\n  v1:full*99 = const", "func f target test\nblock 0\n  v1:full = const {x}",
	} {
		if _, err := Parse(text, isa); err == nil {
			t.Errorf("no error for %q", text)
		}
	}
}

// The checker must see each of these mistakes.
func TestCheckerRejects(t *testing.T) {
	isa := &testISA{units: 16}
	src := `func f target test
block 0 -> 1 2
  v1:full = const {1}
  v2:full = const {2}
  v3:pred = alu v1 {3}
  br v3
block 1 <- 0 -> 3
  v4:full = alu v1, v2 {4}
  jump
block 2 <- 0 -> 3
  v5:full = alu v2 {5}
  jump
block 3 <- 1 2
  v6:full = phi v4, v5
  v7:full*2 = collect v6, v2
  store v7
  store v1
  end
`
	breakers := []struct {
		name string
		do   func(f *Func)
	}{
		{"wrong source register", func(f *Func) { f.Blocks[1].Instrs[0].Ops[1].Reg ^= 2 }},
		{"wrong result register", func(f *Func) { f.Blocks[0].Instrs[0].Ops[0].Reg ^= 4 }},
		{"wrong value", func(f *Func) { f.Blocks[1].Instrs[0].Ops[1].Val = 2 }},
		{"misaligned", func(f *Func) { f.Blocks[0].Instrs[1].Ops[0].Reg++ }},
		{"lost instruction", func(f *Func) { f.Blocks[0].Instrs = f.Blocks[0].Instrs[1:] }},
		{"lost store", func(f *Func) { f.Blocks[3].Instrs = slices.Delete(f.Blocks[3].Instrs, 2, 3) }},
		{"phi register", func(f *Func) { f.Blocks[3].Instrs[0].Ops[0].Reg ^= 8 }},
	}
	for _, br := range breakers {
		f, err := Parse(src, isa)
		if err != nil {
			t.Fatal(err)
		}
		c := NewChecker(f)
		if _, err := Allocate(f, AllocOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
		br.do(f)
		if err := c.Check(); err == nil {
			t.Errorf("%s: the checker sees nothing wrong", br.name)
		}
	}
}

// Values that dominate nothing in the way of a vector are placed in line: no
// move is left.
func TestCollectCostsNothing(t *testing.T) {
	isa := &testISA{units: 32}
	f, err := Parse(`func f target test
block 0
  v1:full*4 = const {1}
  v2:full, v3:full, v4:full, v5:full = split v1
  v6:full = alu v2 {2}
  v7:full = alu v3 {3}
  v8:full = alu v4 {4}
  v9:full = alu v5 {5}
  v10:full*4 = collect v6, v7, v8, v9
  store v10
  end
`, isa)
	if err != nil {
		t.Fatal(err)
	}
	if err := allocate(f, AllocOptions{}); err != nil {
		t.Fatal(err)
	}
	if text := f.String(); strings.Contains(text, "move") || strings.Contains(text, "swap") {
		t.Errorf("copies left:\n%s", text)
	}
}

// A full value that is made of halves, or taken apart into halves, keeps to the registers that
// have names as halves while there is room.
func TestPiecesStayLow(t *testing.T) {
	for _, sets := range []bool{false, true} {
		for _, split := range []bool{false, true} {
			f := NewFunc("t", &testISA{units: 32})
			b := f.NewBlock()
			def := func(class uint8) Value {
				v := f.NewValue(class, 1)
				f.Add(b, opConst, []Value{v}, nil)
				return v
			}
			h := []Value{def(tHalf), def(tHalf)}
			// The round goes past the half that has names.
			for range 7 {
				f.Add(b, opStore, nil, []Value{def(tFull)})
			}
			v := f.NewValue(tFull, 1)
			whole := f.Add(b, OpCollect, []Value{v}, h)
			if split {
				whole.Op = opConst
				whole.TruncateUses(0)
				f.Add(b, OpSplit, []Value{f.NewValue(tHalf, 1), f.NewValue(tHalf, 1)}, []Value{v})
			}
			f.Add(b, opStore, nil, []Value{v})
			f.Add(b, opStore, nil, h)
			f.Add(b, opEnd, nil, nil)
			c := NewChecker(f)
			if _, err := Allocate(f, AllocOptions{RoundRobin: true, MergeSets: sets}); err != nil {
				t.Fatal(err)
			}
			if err := c.Check(); err != nil {
				t.Error(err)
			}
			if r := whole.Ops[0].Reg; r+2 > 16 {
				t.Errorf("sets %v, split %v: the value is at unit %d\n%s", sets, split, r, f)
			}
		}
	}
}

// TestFixedSources: sources go to the registers that an operation wants them in, whoever is there; what cannot be is an error.
func TestFixedSources(t *testing.T) {
	for _, c := range []struct{ uses, want string }{
		{"v1!fixed@8, v2!fixed@10", ""},
		{"v2!fixed@8, v1!fixed@10, v3!fixed@12", ""},
		{"v1!fixed@2, v2!fixed@0, v3!fixed@4", ""}, // they change places
		{"v1!fixed@4, v2!fixed@0, v3!fixed@2", ""},
		{"v4!fixed@7, v5!fixed@6", ""},
		{"v2!fixed@0, v1, v3", ""}, // any place does for v1
		{"v1!fixed@0, v2!fixed@0", "register 0 of block 0 cannot be had for value 2"},
		{"v2!fixed@0, v1!fixed@0", "register 0 of block 0 cannot be had for value 2"},
		{"v1!fixed@8, v1!fixed@10", "value 1 is wanted in registers 8 and 10 at once"},
		{"v1!fixed@8, v2!fixed@8", "register 8 of block 0 cannot be had for value 2"},
		{"v1!fixed@8, v4!fixed@9", "register 9 of block 0 cannot be had for value 4"},
		{"v4!fixed@9, v5!fixed@8", ""},
		{"v4!fixed@8, v5!fixed@8", "register 8 of block 0 cannot be had for value 5"},
		{"v1!fixed@8, v6!fixed@0", ""},
		{"v1!fixed@0, v6!fixed@0", ""}, // another file
	} {
		text := `func f target test
block 0
  v1:full = const {1}
  v2:full = const {2}
  v3:full = const {3}
  v4:half = const {4}
  v5:half = const {5}
  v6:pred = const {1}
  store ` + c.uses + ` {7}
  store v1, v2, v3, v4, v5, v6 {8}
  end
`
		isa := &testISA{units: 32}
		free, err := Parse(regexp.MustCompile("!fixed@[0-9]+").ReplaceAllString(text, ""), isa)
		if err != nil {
			t.Fatal(err)
		}
		want, err := run(free, 1)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Parse(text, isa)
		if err != nil {
			t.Fatal(err)
		}
		err = allocate(f, AllocOptions{})
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", c.uses, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", c.uses, err, f)
			continue
		}
		for _, in := range f.Blocks[0].Instrs {
			if in.Op == opStore && in.Ext == 7 {
				for _, u := range in.Uses() {
					if v := fmt.Sprintf("v%d!fixed@", u.Val); strings.Contains(c.uses, v) && !strings.Contains(c.uses, v+fmt.Sprint(u.Reg)) {
						t.Errorf("%s: value %d is in register %d", c.uses, u.Val, u.Reg)
					}
				}
			}
		}
		if got, err := run(f, 1); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: stored %x, %v; want %x\n%s", c.uses, got, err, want, f)
		}
	}
}

// What is undefined has no content to move: of vectors with it, only the other parts are.
func TestUndefinedStays(t *testing.T) {
	f, err := Parse(`func f target test
block 0
  v1:full = undef
  v2:full = const {2}
  v3:full*2 = collect v1, v2
  v4:full*2 = collect v2, v1
  v5:full*2 = collect v1, v2
  store v3
  store v4
  store v5
  store v2
  end
`, &testISA{units: 16})
	if err != nil {
		t.Fatal(err)
	}
	if err := allocate(f, AllocOptions{}); err != nil {
		t.Fatal(err)
	}
	written := map[Reg]bool{}
	for _, in := range f.Blocks[0].Instrs {
		switch in.Op {
		case opConst:
			written[in.Ops[0].Reg] = true
		case OpMove:
			if !written[in.Ops[1].Reg] {
				t.Errorf("a move reads register %d, which nothing wrote:\n%s", in.Ops[1].Reg, f)
			}
			written[in.Ops[0].Reg] = true
		}
	}
	if len(written) != 4 {
		t.Errorf("%d registers are written, not those of the constant and its three copies:\n%s", len(written), f)
	}
}

// TestResultsDoNotFit: where the values that live on, the dying sources and the results do not fit however they are laid out, that is
// said, of results bound to the low part of the file and of others, early or not.
func TestResultsDoNotFit(t *testing.T) {
	for _, c := range []struct {
		name, text string
		units      int
		fits       bool
	}{
		{"beside one another", "  v1:full*2 = const {1}\n  v2:full*2 = const {2}\n  store v1\n  store v2\n", 8, true},
		{"a result too large", "  v1:full*2 = const {1}\n  v2:full*3 = const {2}\n  store v1\n  store v2\n", 8, false},
		{"a result over dying sources", "  v1:full*2 = const {1}\n  v2:full*2 = const {2}\n  v3:full*4 = alu v1, v2\n  store v3\n", 8, true},
		{"a result larger than dying sources", "  v1:full*1 = const {1}\n  v2:full*2 = const {2}\n  v3:full*4 = alu v2\n  store v3\n  store v1\n", 8, false},
		{"two results, the second too large", "  v1:full*1 = const {1}\n  v2:full*1, v3:full*3 = alu\n  store v2\n  store v3\n  store v1\n", 8, false},
		{"a half too many", "  v1:full*4 = const {1}\n  v2:half*1 = const {2}\n  store v1\n  store v2\n", 8, false},
		{"a result above halves that live on", "  v1:half*4 = const {1}\n  v2:full*3 = const {2}\n  store v1\n  store v2\n", 8, false},
		{"results above halves that live on", "  v1:half*2 = const {1}\n  v2:full*1, v3:full*3 = alu\n  store v1\n  store v2\n  store v3\n", 8, false},
		{"an early result above halves", "  v1:half*4 = const {1}\n  v2:full*3!early = alu\n  store v1\n  store v2\n", 8, false},
		{"a half as an early result", "  v1:half*3 = const {1}\n  v2:half*2!early = alu\n  store v1\n  store v2\n", 8, false},
		{"an early result", "  v1:full*2 = const {1}\n  v2:full*3!early = alu v1\n  store v2\n", 8, false},
	} {
		f, err := Parse("func f target test\nblock 0\n"+c.text+"  end\n", &testISA{units: c.units})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var pe *PressureError
		if err := allocateUntied(f, AllocOptions{}); c.fits && err != nil || !c.fits && (!errors.As(err, &pe) || pe.File != "r") {
			t.Errorf("%s: %v, want that it fits: %v\n%s", c.name, err, c.fits, f)
		}
	}
}
