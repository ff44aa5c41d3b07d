package cost

import (
	"fmt"
	"testing"
)

// TestClasses: the classes have names of their own; those from single floats to special functions compute.
func TestClasses(t *testing.T) {
	seen := map[string]bool{}
	for c := range NumClasses {
		if name := c.String(); name == "" || seen[name] || name == NumClasses.String() {
			t.Errorf("class %d is called %q", c, name)
		} else {
			seen[name] = true
		}
		want := false
		switch c {
		case Float32, Float16, Int32, Int16, Convert, Special:
			want = true
		}
		if c.Arithmetic() != want {
			t.Errorf("%s computes: %t", c, !want)
		}
	}
	if Special.String() != "sfu" || Tile.String() != "tile" || NumClasses.String() != "class?" {
		t.Errorf("%s, %s, %s", Special, Tile, NumClasses)
	}
}

// TestWork: work adds up by pipe, and pipes that are parts of others count in no sum.
func TestWork(t *testing.T) {
	a, b := Work{Pipes: Vec{1, 2, 4}, Issue: 3, Stall: 5}, Work{Pipes: Vec{10, 20, 40}, Issue: 30, Stall: 50}
	a.Add(&b)
	if want := (Work{Pipes: Vec{11, 22, 44}, Issue: 33, Stall: 55}); a != want {
		t.Errorf("%+v, want %+v", a, want)
	}
	a.add(&b, 3)
	if want := (Work{Pipes: Vec{41, 82, 164}, Issue: 123, Stall: 205}); a != want {
		t.Errorf("%+v, want %+v", a, want)
	}
	p := &Program{Pipes: []Pipe{{}, {Part: true}, {}}}
	if got := p.Sum(&a); got != 41+164 {
		t.Errorf("the sum is %g", got)
	}
}

// TestDepthTests: what a fragment shader writes decides whether depth and stencil are tested and written after it, unless it asks for
// early tests.
func TestDepthTests(t *testing.T) {
	for n := range 16 {
		p := Properties{EarlyTests: n&1 != 0, WritesDepth: n&2 != 0, SideEffects: n&4 != 0, Discards: n&8 != 0}
		test := n&1 == 0 && n&6 != 0
		update := n&1 == 0 && n&14 != 0
		if p.LateTest() != test || p.LateUpdate() != update {
			t.Errorf("%+v: test late %t, update late %t", p, p.LateTest(), p.LateUpdate())
		}
	}
}

// TestOccupancy: what bounds it stands in order, and a limit that were another leaves the others.
func TestOccupancy(t *testing.T) {
	o := Occupancy{Max: 12, Limits: []Limit{{"shared", 9}, {"registers", 4}, {"threads", 12}, {"rows", 4}}}
	o.Sort()
	if got := fmt.Sprint(o.Limits); got != "[{registers 4} {rows 4} {shared 9} {threads 12}]" {
		t.Error(got)
	}
	for _, c := range []struct {
		by          string
		value, want int
	}{{"registers", 8, 4}, {"threads", 2, 2}, {"shared", 1, 1}, {"shared", 100, 4}} {
		if got := o.With(c.by, c.value); got != c.want {
			t.Errorf("with %d for %s: %d, want %d", c.value, c.by, got, c.want)
		}
	}
	o = Occupancy{Max: 12, Limits: []Limit{{"registers", 4}}}
	if got := o.With("registers", 100); got != 12 {
		t.Errorf("without a limit: %d", got)
	}
}

// TestFill: what runs once counts in no figure, spills and fills count each instruction that one stands for, and waits are what is left of
// a latency in the block.
func TestFill(t *testing.T) {
	p := &Program{Instrs: []Instr{
		{Once: true, Spill: 1, Count: 9, Address64: true, Array: true},
		{Spill: 1, Count: 2}, {Spill: 2, Count: 3}, {Spill: 1, Count: 1, Array: true}, {Address64: true, Count: 1}, {Address64: true, Array: true, Count: 1},
	}}
	p.Fill()
	if w := p.Props; w.Spills != 3 || w.Fills != 3 || w.ArrayAccesses != 2 || w.Address64 != 2 {
		t.Errorf("%+v", w)
	}
	p = &Program{Instrs: []Instr{
		{Produces: 1, Latency: [2]float64{20, 99}, Work: Work{Issue: 4}},
		{Produces: 2, Latency: [2]float64{99, 40}, Work: Work{Issue: 3}},
		{Work: Work{Issue: 5}},
		{Waits: 1, Work: Work{Issue: 1, Stall: 7}}, // 20 less 3 less 5, on top of what it has
		{Waits: 3, Work: Work{Issue: 1}},           // 40 less 5, 12 and 1 of the second, for which that wait was time too; the first was waited for
		{Produces: 1, Latency: [2]float64{6}, Work: Work{Issue: 1}},
		{Work: Work{Issue: 30}},
		{Waits: 1},
		{Produces: 1, Latency: [2]float64{6}},
		{Leader: true, Waits: 1}, // of another block nothing is known
	}}
	p.Fill()
	for i, want := range []float64{0, 0, 0, 7 + 12, 22, 0, 0, 0, 0, 0} {
		if got := p.Instrs[i].Stall; got != want {
			t.Errorf("instruction %d waits %g cycles, want %g", i, got, want)
		}
	}
}

// TestHalfShare: of arithmetic whose size is known the share of 16 bits, to the nearest percent.
func TestHalfShare(t *testing.T) {
	of := func(list ...Instr) string {
		p := &Program{Instrs: list}
		n, ok := p.HalfShare()
		return fmt.Sprint(n, ok)
	}
	for _, c := range []struct{ got, want string }{
		{of(), "0 false"},
		{of(Instr{Class: Move, Count: 3}, Instr{Class: Convert, Count: 1}, Instr{Class: Special, Count: 1}), "0 false"},
		{of(Instr{Class: Float32, Count: 3}, Instr{Class: Move, Count: 5}), "0 true"},
		{of(Instr{Class: Float16, Count: 1}, Instr{Class: Float32, Count: 2}), "33 true"},
		{of(Instr{Class: Int16, Count: 2}, Instr{Class: Int32, Count: 1}), "67 true"},
		{of(Instr{Class: Float16, Count: 9, Classes: []Class{Float16, Int16, Float32, Tile}}), "67 true"},
		{of(Instr{Class: Int16, Count: 1}), "100 true"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}
