package mach

import (
	"fmt"
	"strings"
	"testing"
)

// moves counts what is left of copies.
func moves(f *Func) int {
	n := 0
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			if in.Op == OpMove || in.Op == OpSwap {
				n++
			}
		}
	}
	return n
}

// A vector that grows out of a smaller one, and a group that nothing else ties
// together, get their registers in line; without merge sets they do not.
func TestMergeSets(t *testing.T) {
	isa := &testISA{units: 64}
	const src = `func f target test
block 0
  v1:full*3 = const {1}
  v2:full, v3:full, v4:full = split v1
  v5:full = const {2}
  v6:full*4 = collect v2, v3, v4, v5
  v7:full = const {3}
  v8:full = alu v7 {4}
  v9:full = alu v7 {5}
  v10:full = alu v7 {6}
  store v8
  store v10
  store v9
  store v6
  end
`
	f, err := Parse(src, isa)
	if err != nil {
		t.Fatal(err)
	}
	if err := allocate(f, AllocOptions{RoundRobin: true, MergeSets: true, Groups: [][]Value{{8, 9, 10}}}); err != nil {
		t.Fatal(err)
	}
	if n := moves(f); n != 0 {
		t.Errorf("%d moves are left\n%s", n, f)
	}
	var group [3]Reg
	for _, in := range f.Blocks[0].Instrs {
		for _, d := range in.Defs() {
			if d.Val >= 8 && d.Val <= 10 {
				group[d.Val-8] = d.Reg
			}
		}
	}
	if group[1] != group[0]+2 || group[2] != group[0]+4 {
		t.Errorf("the group is in registers %v\n%s", group, f)
	}
}

// TestRoomForSets: a value that finds no place below the target takes one above it, within the room, and not what a vector
// that is being made wants; without room it takes that, and a move is left.
func TestRoomForSets(t *testing.T) {
	const src = `func f target test
block 0
  v1:full = const {1}
  v2:full = const {2}
  v3:full = const {3}
  v4:full*2 = collect v1, v3
  store v4
  store v2
  end
`
	for _, room := range []int{0, 4, 8} {
		f, err := Parse(src, &testISA{units: 64})
		if err != nil {
			t.Fatal(err)
		}
		opts := AllocOptions{RoundRobin: true, MergeSets: true}
		opts.Target[0], opts.Room[0] = 4, room
		if err := allocate(f, opts); err != nil {
			t.Fatal(err)
		}
		if n := moves(f); (n == 0) != (room > 4) {
			t.Errorf("with room for %d units %d moves are left\n%s", room, n, f)
		}
	}
}

// Values that live at the same time never share a place in a set.
func TestMergeSetsKeepApart(t *testing.T) {
	isa := &testISA{units: 64}
	f, err := Parse(`func f target test
block 0
  v1:full = const {1}
  v2:full = const {2}
  v3:full*2 = collect v1, v2
  v4:full*2 = collect v2, v1
  store v3
  store v4
  end
`, isa)
	if err != nil {
		t.Fatal(err)
	}
	sets := buildSets(f, ComputeLiveness(f), -1, nil, nil)
	if sets.of[3] == sets.of[4] && sets.of[3] >= 0 {
		t.Error("two vectors that live at once are in one set")
	}
	if err := allocate(f, AllocOptions{MergeSets: true}); err != nil {
		t.Fatal(err)
	}
}

// TestInPlace: results in line take the registers of sources in line that they end one after the other; that of
// a source that lives on they do not.
func TestInPlace(t *testing.T) {
	const src = `func f target test
block 0
  v1:full*3 = const {1}
  v2:full, v3:full, v4:full = split v1
  v5:full = const {5}
  v6:full = alu v2 {6}
  v7:full = alu v3 {7}
  v8:full = alu v4 {8}
  v9:full = alu v5 {9}
  store v6
  store v7
  store v8
  store v9
  store v5
  end
`
	for _, wanted := range []bool{false, true} {
		f, err := Parse(src, &testISA{units: 64})
		if err != nil {
			t.Fatal(err)
		}
		opts := AllocOptions{RoundRobin: true, MergeSets: true, Groups: [][]Value{{6, 7, 8}}}
		if wanted {
			opts.InPlace = []InPlace{{6, 2}, {7, 3}, {8, 4}, {9, 5}}
		}
		if err := allocate(f, opts); err != nil {
			t.Fatal(err)
		}
		reg := map[Value]Reg{}
		for _, in := range f.Blocks[0].Instrs {
			for _, d := range in.Defs() {
				reg[d.Val] = d.Reg
			}
		}
		if same := reg[6] == reg[1] && reg[7] == reg[1]+2 && reg[8] == reg[1]+4; same != wanted || reg[9] == reg[5] {
			t.Errorf("in place %t: the registers are %v\n%s", wanted, reg, f)
		}
	}
}

// TestSetsOfManyArms: the vectors that eight arms leave, and what becomes of their components behind the arms, take the same
// registers.
func TestSetsOfManyArms(t *testing.T) {
	const arms = 8
	var b strings.Builder
	b.WriteString("func f target test\nblock 0 ->")
	for k := range arms {
		fmt.Fprintf(&b, " %d", 1+k)
	}
	b.WriteString("\n  v100:pred = const {1}\n  br v100\n")
	var phis [4][]string
	for k := range arms {
		v := 1 + 5*k
		fmt.Fprintf(&b, "block %d <- 0 -> %d\n  v%d:full*4 = const {%d}\n  v%d:full, v%d:full, v%d:full, v%d:full = split v%d\n  jump\n", 1+k, 1+arms, v, k, v+1, v+2, v+3, v+4, v)
		for c := range phis {
			phis[c] = append(phis[c], fmt.Sprintf("v%d", v+1+c))
		}
	}
	fmt.Fprintf(&b, "block %d <-", 1+arms)
	for k := range arms {
		fmt.Fprintf(&b, " %d", 1+k)
	}
	for c := range phis {
		fmt.Fprintf(&b, "\n  v%d:full = phi %s", 110+c, strings.Join(phis[c], ", "))
	}
	b.WriteString("\n  v120:full*4 = collect v110, v111, v112, v113\n  store v120\n  end\n")
	f, err := Parse(b.String(), &testISA{units: 128})
	if err != nil {
		t.Fatal(err)
	}
	if err := allocate(f, AllocOptions{RoundRobin: true, MergeSets: true}); err != nil {
		t.Fatal(err)
	}
	if n := moves(f); n != 0 {
		t.Errorf("%d moves are left\n%s", n, f)
	}
}

// TestSetsAreBounded: a set takes no more members and no more units than it may have, whatever would like to be in line.
func TestSetsAreBounded(t *testing.T) {
	for _, c := range []struct {
		class string
		size  int // units
		most  int // members
	}{{"full", 2, maxSetUnits / 2}, {"half", 1, maxSetMembers}} {
		const n = 120
		text := "func f target test\nblock 0\n"
		var group []Value
		for k := range n {
			text += fmt.Sprintf("  v%d:%s = const {%d}\n", k+1, c.class, k)
			group = append(group, Value(k+1))
		}
		for _, v := range group {
			text += fmt.Sprintf("  store v%d\n", v)
		}
		f, err := Parse(text+"  end\n", &testISA{units: 256})
		if err != nil {
			t.Fatal(err)
		}
		sets := buildSets(f, ComputeLiveness(f), -1, [][]Value{group}, nil)
		in := 0
		for k, v := range group {
			if sets.of[v] == sets.of[group[0]] {
				if in++; sets.off[v] != int32(k*c.size) {
					t.Errorf("%s %d is at unit %d of the set", c.class, k, sets.off[v])
				}
			}
		}
		if s := &sets.sets[sets.of[group[0]]]; in != c.most || len(s.members) != c.most || s.size != c.most*c.size {
			t.Errorf("the set of %ss has %d values, %d members and %d units, want %d", c.class, in, len(s.members), s.size, c.most)
		}
	}
}
