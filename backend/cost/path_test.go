package cost

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// graph makes a program of nodes that cost what cycles says on the first pipe; edges by node.
func graph(cycles []float64, edges ...[]int32) *Program {
	p := &Program{Pipes: []Pipe{{Name: "a"}, {Name: "b"}, {Name: "part", Part: true}}}
	for i, c := range cycles {
		in := Instr{Offset: i, Size: 1, Count: 1}
		in.Pipes[0], in.Pipes[2], in.Issue = c, 100, c
		p.Instrs = append(p.Instrs, in)
		n := Node{Instr: int32(i)}
		if i < len(edges) {
			n.Succ = edges[i]
		}
		p.Nodes = append(p.Nodes, n)
	}
	return p
}

// ending lets a program end at a node too.
func ending(p *Program, node int) *Program {
	p.Nodes[node].Ends = true
	return p
}

func TestPaths(t *testing.T) {
	for _, c := range []struct {
		name            string
		p               *Program
		trips           map[int32]uint32
		short, long     float64
		noShort, noLong bool
	}{
		{name: "straight", p: graph([]float64{1, 2, 3}, []int32{1}, []int32{2}), short: 6, long: 6},
		{name: "if", p: graph([]float64{1, 10, 20, 5}, []int32{1, 2}, []int32{3}, []int32{3}), short: 16, long: 26},
		{name: "early end", p: graph([]float64{1, 10, 5}, []int32{1, 2}, []int32{2}), short: 6, long: 16},
		// 0 -> 1 (header) -> 2 (body) -> 1; 1 -> 3.
		{name: "loop", p: graph([]float64{1, 2, 10, 5}, []int32{1}, []int32{2, 3}, []int32{1}), trips: map[int32]uint32{1: 4}, short: 1 + 3*12 + 2 + 5, long: 44},
		{name: "unknown loop", p: graph([]float64{1, 2, 10, 5}, []int32{1}, []int32{2, 3}, []int32{1}), short: 8, noLong: true},
		{name: "self loop", p: graph([]float64{1, 2, 5}, []int32{1}, []int32{1, 2}), trips: map[int32]uint32{1: 3}, short: 12, long: 12},
		// An if in a loop: the round takes the dear side, or the cheap one.
		{name: "if in loop", p: graph([]float64{1, 1, 10, 20, 1, 5}, []int32{1}, []int32{2, 3, 5}, []int32{4}, []int32{4}, []int32{1}),
			trips: map[int32]uint32{1: 3}, short: 1 + 2*12 + 1 + 5, long: 1 + 2*22 + 1 + 5},
		// 1 is the outer header, 2 the inner one: 1 -> 2 -> 3 -> 2, 2 -> 4 -> 1, 1 -> 5.
		{name: "nested", p: graph([]float64{0, 1, 1, 10, 1, 7}, []int32{1}, []int32{2, 5}, []int32{3, 4}, []int32{2}, []int32{1}),
			trips: map[int32]uint32{1: 3, 2: 5}, short: 2*(1+4*11+1+1) + 1 + 7, long: 102},
		{name: "inner unknown", p: graph([]float64{0, 1, 1, 10, 1, 7}, []int32{1}, []int32{2, 5}, []int32{3, 4}, []int32{2}, []int32{1}),
			trips: map[int32]uint32{1: 3}, short: 2*3 + 1 + 7, noLong: true},
		{name: "end on the way", p: ending(graph([]float64{1, 2, 3}, []int32{1}, []int32{2}), 1), short: 3, long: 6},
		{name: "end out of a loop", p: ending(graph([]float64{1, 2}, []int32{1}, []int32{1}), 1), trips: map[int32]uint32{1: 3}, short: 7, long: 7},
		{name: "two entries", p: graph([]float64{1, 1, 1, 1}, []int32{1, 2}, []int32{2, 3}, []int32{1}), noShort: true, noLong: true},
		{name: "endless", p: graph([]float64{1, 1}, []int32{1}, []int32{0}), noShort: true, noLong: true},
		{name: "nothing", p: graph(nil), noShort: true, noLong: true},
	} {
		c.p.Trips = c.trips
		r := c.p.Paths()
		if r.Shortest.Known == c.noShort || r.Longest.Known == c.noLong {
			t.Errorf("%s: shortest known %t, longest known %t", c.name, r.Shortest.Known, r.Longest.Known)
		}
		if r.Shortest.Pipes[0] != c.short || r.Longest.Pipes[0] != c.long {
			t.Errorf("%s: shortest %v, longest %v, want %v and %v", c.name, r.Shortest.Pipes[0], r.Longest.Pipes[0], c.short, c.long)
		}
		if c.long > 0 && !slices.Equal(r.Longest.Bound, []int{0}) {
			t.Errorf("%s: bound by %v: parts bound nothing", c.name, r.Longest.Bound)
		}
	}
}

// TestPathsRandom compares with a walk of all paths, on random graphs without loops.
func TestPathsRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 2 + r.IntN(12)
		cycles, edges := make([]float64, n), make([][]int32, n)
		for i := range cycles {
			cycles[i] = float64(r.IntN(10))
			for j := i + 1; j < n; j++ {
				if r.IntN(3) == 0 {
					edges[i] = append(edges[i], int32(j))
				}
			}
		}
		low, high := 1e9, -1.0
		var walk func(i int, sum float64)
		walk = func(i int, sum float64) {
			sum += cycles[i]
			if len(edges[i]) == 0 {
				low, high = min(low, sum), max(high, sum)
			}
			for _, j := range edges[i] {
				walk(int(j), sum)
			}
		}
		walk(0, 0)
		got := graph(cycles, edges...).Paths()
		if got.Shortest.Pipes[0] != low || got.Longest.Pipes[0] != high {
			t.Fatalf("%v %v: shortest %v, longest %v, want %v and %v", cycles, edges, got.Shortest.Pipes[0], got.Longest.Pipes[0], low, high)
		}
	}
}

func TestLoops(t *testing.T) {
	p := graph(make([]float64, 6), []int32{1}, []int32{2, 5}, []int32{3, 4}, []int32{2}, []int32{1})
	loops, ok := p.Loops()
	if !ok || len(loops) != 2 || loops[0].Header != 1 || loops[0].Depth != 1 || loops[1].Header != 2 || loops[1].Depth != 2 ||
		!slices.Equal(loops[0].Instrs, []int32{1, 2, 3, 4}) || !slices.Equal(loops[1].Instrs, []int32{2, 3}) {
		t.Errorf("%+v %t", loops, ok)
	}
	if _, ok := graph(make([]float64, 4), []int32{1, 2}, []int32{2, 3}, []int32{1}).Loops(); ok {
		t.Error("a loop with two entries has a header")
	}
}

// TestLoopFromStart: a program may begin with the first instruction of a loop, which holds another here.
func TestLoopFromStart(t *testing.T) {
	p := graph([]float64{1, 2, 4, 8}, []int32{1}, []int32{1, 2}, []int32{0, 3})
	loops, ok := p.Loops()
	if !ok || len(loops) != 2 || loops[0].Header != 0 || !slices.Equal(loops[0].Instrs, []int32{0, 1, 2}) || loops[1].Header != 1 {
		t.Errorf("%+v %t", loops, ok)
	}
	p.Trips = map[int32]uint32{0: 3, 1: 2}
	if w := p.Weighed(); w != 3*(1+2*2+4)+8 {
		t.Errorf("weighs %v", w)
	}
	if r := p.Paths(); !r.Longest.Known || r.Longest.Issue != 3*(1+2*2+4)+8 {
		t.Errorf("longest %+v", r.Longest)
	}
}

// TestDeepNesting: loops inside each other beyond the bound are not known, and take no time.
func TestDeepNesting(t *testing.T) {
	const n = 3000
	edges := make([][]int32, n+1)
	for i := range n {
		edges[i] = []int32{int32(i + 1)}
	}
	for i := range n / 2 {
		edges[n-1-i] = append(edges[n-1-i], int32(i))
	}
	if r := graph(make([]float64, n+1), edges...).Paths(); r.Longest.Known || !r.Total.Known {
		t.Errorf("%+v", r)
	}
}

// TestNestingBound: as many loops inside each other as the bound allows are known, and one more is not.
func TestNestingBound(t *testing.T) {
	for n, known := range map[int]bool{maxNesting: true, maxNesting + 1: false} {
		edges, trips := make([][]int32, 2*n), make(map[int32]uint32, n)
		for i := range n { // a header of each loop, and the end of each, the innermost first
			edges[i], edges[2*n-1-i] = []int32{int32(i + 1)}, []int32{int32(i), int32(2*n - i)}
			trips[int32(i)] = 1
		}
		edges[2*n-1] = []int32{0, int32(2 * n)}
		p := graph(make([]float64, 2*n+1), edges...)
		p.Trips = trips
		if loops, ok := p.Loops(); ok != known || known && (len(loops) != n || loops[n-1].Depth != n) {
			t.Errorf("%d loops inside each other: %d found, %t", n, len(loops), ok)
		}
		if r := p.Paths(); r.Longest.Known != known || r.Shortest.Known != known {
			t.Errorf("%d loops inside each other: shortest %+v, longest %+v", n, r.Shortest, r.Longest)
		}
	}
}

func TestStalls(t *testing.T) {
	p := graph([]float64{1, 4, 1, 1}, []int32{1}, []int32{2}, []int32{3})
	p.Instrs[0].Produces, p.Instrs[0].Latency = 1, [2]float64{10}
	p.Instrs[2].Waits = 1
	p.Instrs[3].Waits = 1 // nothing is left to wait for
	p.Hiding = 1
	p.Fill()
	r := p.Paths()
	if r.Total.Stall != 6 || r.Total.Unhidden != 6 {
		t.Errorf("alone: %v, %v", r.Total.Stall, r.Total.Unhidden)
	}
	if !slices.Equal(r.Total.Bound, []int{0}) {
		t.Errorf("bound by %v", r.Total.Bound)
	}
	p.Hiding = 2 // 13 cycles alone, of two waves 7 of the pipe each: all is hidden
	if r := p.Paths(); r.Total.Unhidden != 0 {
		t.Errorf("of two waves: %v", r.Total.Unhidden)
	}
	p.Instrs[2].Leader = true // what another block began is not followed
	p.Instrs[2].Stall = 0
	p.Fill()
	if p.Instrs[2].Stall != 0 {
		t.Error("stalls reach over blocks")
	}
}

func TestWeighed(t *testing.T) {
	// 0 -> 1 (outer header) -> 2 (inner header) -> 3 -> 2, 2 -> 4 -> 1, 1 -> 5; 6 runs once, 7 is of another program.
	p := graph([]float64{1, 2, 3, 4, 5, 6, 32, 100}, []int32{1}, []int32{2, 5}, []int32{3, 4}, []int32{2}, []int32{1}, nil)
	p.Instrs[6].Once, p.Instrs[7].Aside = true, true
	p.Instrs[5].Stall = 30
	for _, c := range []struct {
		trips, most map[int32]uint32
		hiding      float64
		want        float64
	}{
		{want: 1 + 8*(2+5) + 64*(3+4) + 6 + 2},
		{trips: map[int32]uint32{2: 3}, want: 1 + 8*(2+5) + 24*(3+4) + 6 + 2},
		{most: map[int32]uint32{1: 4, 2: 100}, want: 1 + 4*(2+5) + 32*(3+4) + 6 + 2},
		{trips: map[int32]uint32{1: 1, 2: 1}, hiding: 10, want: 1 + 2 + 5 + 3 + 4 + 6 + 30/10 + 2},
	} {
		p.Trips, p.Most, p.Hiding = c.trips, c.most, c.hiding
		if got := p.Weighed(); got != c.want {
			t.Errorf("trips %v, at most %v: %v, want %v", c.trips, c.most, got, c.want)
		}
	}
}

func TestOccupancyWith(t *testing.T) {
	o := Occupancy{Value: 4, Max: 16, Limits: []Limit{{"b", 8}, {"a", 4}}}
	o.Sort()
	if o.Limits[0].By != "a" || o.With("a", 12) != 8 || o.With("b", 2) != 2 || o.With("a", 100) != 8 {
		t.Errorf("%+v", o)
	}
}

// TestNoWay: a program without nodes has no loops, and a loop that nothing leads to neither counts nor takes time.
func TestNoWay(t *testing.T) {
	if list, ok := new(Program).Loops(); !ok || len(list) != 0 {
		t.Errorf("an empty program has the loops %v, %t", list, ok)
	}
	p := graph([]float64{1, 2, 50, 60}, []int32{1}, nil, []int32{3}, []int32{2, 1})
	if list, ok := p.Loops(); !ok || len(list) != 0 {
		t.Errorf("the loops are %v, %t", list, ok)
	}
	if r := p.Paths(); r.Shortest.Pipes[0] != 3 || r.Longest.Pipes[0] != 3 {
		t.Errorf("the paths take %v and %v, want 3", r.Shortest.Pipes[0], r.Longest.Pipes[0])
	}
}
