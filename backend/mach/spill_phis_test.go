package mach

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// loopOfPhis is a loop with more phis than fit into registers. What comes back to one is made of it, another phi, what was before
// the loop, a constant, or what a branch in the loop made.
func loopOfPhis(seed int64, isa ISA) *Func {
	g := &gen{f: NewFunc("t", isa), r: rand.New(rand.NewSource(seed))}
	f := g.f
	add := func(op Op, uses ...Value) Value {
		g.ext++
		v := f.NewValue(tFull, 1)
		f.Add(g.cur, op, []Value{v}, uses).Ext = g.ext
		return v
	}
	g.block()
	first := add(opConst)
	before := []Value{first}
	for range 4 + g.r.Intn(12) {
		before = append(before, add([]Op{opALU, opSum, opConst}[g.r.Intn(3)], before[g.r.Intn(len(before))]))
		if last := f.Blocks[0].Instrs[len(f.Blocks[0].Instrs)-1]; last.Op == opConst {
			last.TruncateUses(0)
		}
	}
	g.loop = 1
	head := g.block()
	g.cur = 0
	g.jump(head)
	g.cur = head
	var phis []*Instr
	for range 6 + g.r.Intn(14) {
		phis = append(phis, f.Add(head, OpPhi, []Value{f.NewValue(tFull, 1)}, []Value{before[g.r.Intn(len(before))], 0}))
	}
	var back []Value
	for i, p := range phis {
		v := p.Ops[0].Val
		switch g.r.Intn(6) {
		case 0, 1:
			v = add(opALU, v, before[g.r.Intn(len(before))])
		case 2:
			v = phis[(i+1)%len(phis)].Ops[0].Val
		case 3:
			v = []Value{before[g.r.Intn(len(before))], add(opConst)}[g.r.Intn(2)]
		case 4:
			g.avail = []Value{v, before[g.r.Intn(len(before))]}
			g.branch(1)
			for _, w := range g.avail {
				if f.Class(w) == tFull && f.Elems(w) == 1 {
					v = w
				}
			}
		}
		back = append(back, v)
	}
	g.avail = []Value{phis[0].Ops[0].Val}
	g.cond()
	latch := g.cur
	again := g.block()
	f.AddEdge(latch, again)
	g.jump(head)
	for i, p := range phis {
		p.Ops[2].Val = back[i]
	}
	g.loop = 0
	exit := g.block()
	f.AddEdge(latch, exit)
	for _, p := range phis {
		f.Add(exit, opStore, nil, []Value{p.Ops[0].Val})
	}
	for _, v := range back[:1+g.r.Intn(len(back))] {
		f.Add(exit, opStore, nil, []Value{v})
	}
	f.Add(exit, opEnd, nil, nil)
	return f
}

// TestMemoryPhis: programs with phis in memory compute the same, with those that read each other's slots, and those whose
// sources lie in their slots.
func TestMemoryPhis(t *testing.T) {
	staged, kept := 0, 0
	for seed := range int64(1500) {
		f := loopOfPhis(seed, &testISA{units: 96})
		want, err := run(f, seed)
		if err != nil {
			t.Fatal(err)
		}
		before := f.String()
		did, err := Spill(f, 0, 20, 4, &testSpiller{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, before)
		}
		if !did {
			continue
		}
		if got, err := run(f, seed); err != nil || !slices.Equal(got, want) {
			t.Fatalf("seed %d: stored %x, want %x (%v)\n%s\n%s", seed, got, want, err, before, f)
		}
		if most := Pressure(f, 0); most > 18 { // copies of slots take one more
			t.Fatalf("seed %d: %d units are live at once\n%s", seed, most, f)
		}
		copies := 0
		for b := range f.Blocks {
			for i, in := range f.Blocks[b].Instrs {
				if in.Op == OpSpill && i > 0 && f.Blocks[b].Instrs[i-1].Op == OpReload && f.Blocks[b].Instrs[i-1].Ops[0].Val == in.Ops[0].Val {
					copies++
				}
			}
		}
		if copies > 0 {
			staged++
		} else {
			kept++
		}
	}
	if staged < 100 || kept < 100 {
		t.Errorf("%d programs copy slots, %d do not", staged, kept)
	}
}

// TestPhisInPlace: of phis in memory that a loop changes one by one, each is loaded once and stored once in it, and not copied.
// A sum of a value in a register is made again, and never stored.
func TestPhisInPlace(t *testing.T) {
	var b strings.Builder
	const n = 12
	fmt.Fprint(&b, "func f target test\nblock 0 -> 1\n  v99:full = const {99}\n  v98:full = alu v99 {98}\n  v97:full = sum v98 {97}\n")
	for i := range n {
		fmt.Fprintf(&b, "  v%d:full = alu v99 {%d}\n", 1+i, i)
	}
	fmt.Fprint(&b, "  jump\nblock 1 <- 0 2 -> 2 3 loop 1\n")
	for i := range n {
		fmt.Fprintf(&b, "  v%d:full = phi v%d, v%d\n", 20+i, 1+i, 40+i)
	}
	for i := range n {
		fmt.Fprintf(&b, "  v%d:full = alu v%d {%d}\n", 40+i, 20+i, 100+i)
	}
	fmt.Fprint(&b, "  store v98\n  store v97\n  v90:pred = const {1}\n  br v90\nblock 2 <- 1 -> 1 loop 1\n  jump\nblock 3 <- 1\n")
	for i := range n {
		fmt.Fprintf(&b, "  store v%d\n", 40+i)
	}
	fmt.Fprint(&b, "  end\n")
	f, err := Parse(b.String(), &testISA{units: 96})
	if err != nil {
		t.Fatal(err)
	}
	want, err := run(f, 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Spill(f, 0, 20, 4, &testSpiller{}); err != nil {
		t.Fatal(err)
	}
	if got, err := run(f, 3); err != nil || !slices.Equal(got, want) {
		t.Fatalf("stored %x, want %x (%v)\n%s", got, want, err, f)
	}
	if most := Pressure(f, 0); most > 16 {
		t.Errorf("%d units are live at once\n%s", most, f)
	}
	stores, loads := 0, 0
	for _, block := range f.Blocks[1:3] {
		for _, in := range block.Instrs {
			switch in.Op {
			case OpSpill:
				stores++
			case OpReload:
				loads++
			}
		}
	}
	if sums := strings.Count(f.String(), "sum"); sums != 2 {
		t.Errorf("%d sums, want the first and that of the loop\n%s", sums, f)
	}
	if stores == 0 || stores > n/2 || loads > stores+1 {
		t.Errorf("%d stores and %d loads in the loop\n%s", stores, loads, f)
	}
}
