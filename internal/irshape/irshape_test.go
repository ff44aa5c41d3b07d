package irshape

import (
	"strings"
	"testing"
)

// measured is the shader of the benchmarks.
func measured() *program { return generate(1, 5000, 200) }

// TestMix keeps the measured shader what RESULTS.md says it is.
func TestMix(t *testing.T) {
	p := measured()
	var n [numOps]int
	alu := 0
	for i := range p.instrs {
		op := p.instrs[i].op
		n[op]++
		if ops[op].alu && op != opMov {
			alu++
		}
	}
	share := func(what string, got, lo, hi int) {
		t.Logf("%s: %d", what, got)
		if got < lo || got > hi {
			t.Errorf("%s: %d, want %d..%d", what, got, lo, hi)
		}
	}
	share("instructions", len(p.instrs), 5000, 5000)
	share("blocks", len(p.blocks), 190, 210)
	share("ALU", alu, 2700, 3200)
	share("mov", n[opMov], 650, 850)
	share("const", n[opConst], 400, 650)
	share("load+store", n[opLoad]+n[opStore], 700, 950)
	share("phi", n[opPhi], 50, 300)

	s, x := newP(), &pScratch{}
	s.build(p, x)
	start := s.count()
	s.dce(x)
	share("dead at start", start-s.count(), 350, 700)
	s.reset()
	s.build(p, x)
	s.copyProp()
	s.cse(x)
	share("found by CSE", start-s.count(), 350, 800)
	s.dce(x)
	share("left after all", s.count(), 2500, 4200)
}

// TestDominance recomputes dominance from the predecessors and compares it with the numbering.
func TestDominance(t *testing.T) {
	p := measured()
	n := len(p.blocks)
	dom := make([][]bool, n) // dom[b][d]: d dominates b
	for b := range dom {
		dom[b] = make([]bool, n)
		for d := range dom[b] {
			dom[b][d] = b != 0 || d == 0
		}
	}
	for changed := true; changed; {
		changed = false
		for b := 1; b < n; b++ {
			for d := range n {
				v := true
				for _, pr := range p.blocks[b].preds {
					v = v && (pr < 0 || dom[pr][d])
				}
				v = v || b == d
				changed = changed || v != dom[b][d]
				dom[b][d] = v
			}
		}
	}
	for b := range n {
		for d := range n {
			if got := d <= b && b < int(p.blocks[d].domEnd); got != dom[b][d] {
				t.Fatalf("block %d dominates %d: numbering says %v, the graph %v", d, b, got, dom[b][d])
			}
		}
	}
	checkSSA(t, p, dom)
}

// checkSSA demands that every source is dominated by its def.
func checkSSA(t *testing.T, p *program, dom [][]bool) {
	in := make([]int, len(p.instrs))
	for b := range p.blocks {
		for i := p.blocks[b].first; i < p.blocks[b].end; i++ {
			in[i] = b
		}
	}
	for i := range p.instrs {
		g := &p.instrs[i]
		for j := range int(ops[g.op].nsrc) {
			v, at := int(g.src[j]), in[i]
			if g.op == opPhi {
				at = int(p.blocks[at].preds[j])
			}
			if !dom[at][in[v]] || (g.op != opPhi && v >= i) {
				t.Fatalf("instruction %d reads %d, which does not dominate it", i, v)
			}
		}
	}
}

// TestSameResult runs both shapes over several programs, twice in the same memory, and compares what they print.
func TestSameResult(t *testing.T) {
	ps, hs, px, hx := newP(), newH(), &pScratch{}, &hScratch{}
	for seed := uint64(1); seed <= 20; seed++ {
		p := generate(seed, 500+int(seed)*250, int(seed)*10)
		ps.reset()
		hs.reset()
		ps.build(p, px)
		hs.build(p, hx)
		same(t, "built", ps, hs)
		if ps.count() != len(p.instrs) {
			t.Fatalf("built %d of %d instructions", ps.count(), len(p.instrs))
		}
		for _, step := range []struct {
			name string
			p, h func()
		}{
			{"copyProp", ps.copyProp, hs.copyProp},
			{"cse", func() { ps.cse(px) }, func() { hs.cse(hx) }},
			{"dce", func() { ps.dce(px) }, func() { hs.dce(hx) }},
		} {
			before := ps.print()
			step.p()
			step.h()
			same(t, step.name, ps, hs)
			if ps.print() == before {
				t.Fatalf("seed %d: %s changed nothing", seed, step.name)
			}
		}
	}
}

func same(t *testing.T, when string, ps *pShader, hs *hShader) {
	t.Helper()
	if err := ps.check(); err != nil {
		t.Fatalf("%s: P: %v", when, err)
	}
	if err := hs.check(); err != nil {
		t.Fatalf("%s: H: %v", when, err)
	}
	if p, h := ps.count(), hs.count(); p != h {
		t.Fatalf("%s: P has %d instructions, H %d", when, p, h)
	}
	if ps.print() != hs.print() {
		t.Fatalf("%s: the shapes print differently", when)
	}
}

// TestPasses pins what the passes do on a program made by hand: swizzles compose, equal instructions of sibling
// blocks both stay, one in a dominating block replaces, and a phi nobody needs goes.
func TestPasses(t *testing.T) {
	p := &program{
		instrs: []genInstr{
			{op: opConst, bits: 32, comps: 1, imm: 7},
			{op: opLoad, bits: 32, comps: 4, src: [3]int32{0}, imm: 1},
			{op: opMov, bits: 32, comps: 2, src: [3]int32{1}, swz: [3]uint64{0x13}},   // wy
			{op: opMov, bits: 32, comps: 4, src: [3]int32{1}, swz: [3]uint64{0x3210}}, // whole
			{op: opNeg, bits: 32, comps: 3, src: [3]int32{2}, swz: [3]uint64{0x010}},  // xyx of wy
			{op: opBranch, src: [3]int32{0}},                                          // b0
			{op: opNeg, bits: 32, comps: 3, src: [3]int32{1}, swz: [3]uint64{0x313}},  // equals 4
			{op: opAbs, bits: 32, comps: 1, src: [3]int32{1}},                         // first of the siblings
			{op: opStore, src: [3]int32{6, 7}},                                        // b1
			{op: opAbs, bits: 32, comps: 1, src: [3]int32{3}},                         // second of the siblings
			{op: opStore, src: [3]int32{2, 9}},                                        // b2: keeps the mov
			{op: opPhi, bits: 32, comps: 1, src: [3]int32{7, 9}},                      // nobody reads it
			{op: opStore, src: [3]int32{3, 0}, imm: 2},                                // b3: whole copy goes
		},
		blocks: []genBlock{
			{first: 0, end: 6, domEnd: 4, preds: [2]int32{-1, -1}},
			{first: 6, end: 9, domEnd: 2, preds: [2]int32{0, -1}},
			{first: 9, end: 11, domEnd: 3, preds: [2]int32{0, -1}},
			{first: 11, end: 13, domEnd: 4, preds: [2]int32{1, 2}},
		},
	}
	want := strings.Join([]string{
		"b0:", "\t%0:32x1 = const #7", "\t%1:32x4 = load %0 #1", "\t%2:32x2 = mov %1.wy", "\t%4:32x3 = neg %1.wyw",
		"\tbranch %0",
		"b1:", "\t%7:32x1 = abs %1.x", "\tstore %4 %7 #0",
		"b2:", "\t%9:32x1 = abs %1.x", "\tstore %2 %9 #0",
		"b3:", "\tstore %1 %0 #2", ""}, "\n")
	ps, hs, px, hx := newP(), newSizedH(p), &pScratch{}, &hScratch{}
	ps.build(p, px)
	ps.passes(px)
	hs.build(p, hx)
	hs.passes(hx)
	if got := ps.print(); got != want {
		t.Errorf("P:\n%s\nwant:\n%s", got, want)
	}
	if got := hs.print(); got != want {
		t.Errorf("H:\n%s\nwant:\n%s", got, want)
	}
}
