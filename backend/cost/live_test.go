package cost

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLiveness: a value that a loop carries lives all around it, one that is overwritten does not, and
// a lane that waits neither reads nor writes.
func TestLiveness(t *testing.T) {
	p := &Program{Instrs: make([]Instr, 5)}
	for i := range p.Instrs {
		p.Instrs[i].Offset = 8 * i
	}
	// 0 writes r0 and r1; 1 is the loop's head and reads r0; 2 overwrites r1; 3 goes back; 4 reads r0, r1 and r4.
	p.Nodes = []Node{{Instr: 0, Succ: []int32{1}}, {Instr: 1, Succ: []int32{2, 4}}, {Instr: 2, Succ: []int32{3}}, {Instr: 3, Succ: []int32{1}}, {Instr: 4}}
	p.Liveness(Registers{Units: 64, Per: 2}, map[int][]Span{
		0:  {{First: 0, N: 4, Write: true}},
		8:  {{First: 0, N: 2}},
		16: {{First: 2, N: 2, Write: true}, {First: 4, N: 2}},
		32: {{First: 0, N: 4}, {First: 9, N: 1}},
	})
	for i, want := range []int{4, 4, 4, 4, 3} {
		if got := p.Instrs[i].Live; got != want {
			t.Errorf("instruction %d: %d registers live, want %d", i, got, want)
		}
	}
	q := &Program{Instrs: make([]Instr, 2), Nodes: []Node{{Instr: 0, Succ: []int32{1}}, {Instr: 1, Idle: true}}}
	q.Instrs[1].Offset = 8
	q.Liveness(Registers{Units: 64, Per: 1}, map[int][]Span{0: {{First: 0, N: 1, Write: true}}, 8: {{First: 1, N: 1}}})
	if q.Instrs[0].Live != 1 || q.Instrs[1].Live != 0 {
		t.Errorf("an idle lane's instruction counts: %+v", q.Instrs)
	}
}

// TestLivenessClips: of registers that an instruction names beyond the file, only those of the file count.
func TestLivenessClips(t *testing.T) {
	p := &Program{Instrs: make([]Instr, 2), Nodes: []Node{{Instr: 0, Succ: []int32{1}}, {Instr: 1}}}
	p.Instrs[1].Offset = 8
	p.Liveness(Registers{Units: 64, Per: 1}, map[int][]Span{0: {{First: -3, N: 2}}, 8: {{First: -1, N: 3}, {First: 62, N: 5}}})
	if p.Instrs[0].Live != 4 || p.Instrs[1].Live != 4 {
		t.Errorf("registers beyond the file count: %+v", p.Instrs)
	}
}

// randomFlow makes a program of n nodes with registers that they read and write by chance, half of them near ends of words of 64.
func randomFlow(r *rand.Rand, n, units int) (*Program, map[int][]Span) {
	p := &Program{Instrs: make([]Instr, n), Nodes: make([]Node, n)}
	spans := map[int][]Span{}
	for i := range n {
		p.Instrs[i].Offset = 8 * i
		p.Nodes[i] = Node{Instr: int32(i), Idle: r.IntN(8) == 0}
		for range r.IntN(3) {
			p.Nodes[i].Succ = append(p.Nodes[i].Succ, int32(r.IntN(n)))
		}
		for range r.IntN(3) {
			first := r.IntN(units)
			if r.IntN(2) == 0 {
				first = 60 + 64*r.IntN(2) + r.IntN(8)
			}
			spans[8*i] = append(spans[8*i], Span{First: first, N: 1 + r.IntN(3), Write: r.IntN(2) == 0})
		}
	}
	return p, spans
}

// touches reports whether a node that is not idle reads, or writes, a unit.
func touches(p *Program, spans map[int][]Span, n int32, unit int, write bool) bool {
	return !p.Nodes[n].Idle && slices.ContainsFunc(spans[p.Instrs[p.Nodes[n].Instr].Offset], func(s Span) bool {
		return s.Write == write && s.First <= unit && unit < s.First+s.N
	})
}

// TestLivenessRandom: a register is in use at an instruction that reads or writes it, and where a way leads to one that reads it before
// one that writes it.
func TestLivenessRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const units = 140
	for k := range 200 {
		per := []int{1, 2, 4}[k%3]
		p, spans := randomFlow(r, 2+r.IntN(12), units-4)
		p.Liveness(Registers{Units: units, Per: per}, spans)
		for n := range p.Nodes {
			used := map[int]bool{}
			for unit := range units {
				seen := map[int32]bool{}
				var later func(n int32) bool
				later = func(n int32) bool {
					for _, to := range p.Nodes[n].Succ {
						if seen[to] {
							continue
						}
						seen[to] = true
						if touches(p, spans, to, unit, false) || !touches(p, spans, to, unit, true) && later(to) {
							return true
						}
					}
					return false
				}
				if touches(p, spans, int32(n), unit, false) || touches(p, spans, int32(n), unit, true) || later(int32(n)) {
					used[unit/per] = true
				}
			}
			if got := p.Instrs[n].Live; got != len(used) {
				t.Fatalf("program %d, node %d: %d registers in use, want %d", k, n, got, len(used))
			}
		}
	}
}

// TestLivenessOfLarge: of a program that would take too much memory nothing is known.
func TestLivenessOfLarge(t *testing.T) {
	p := &Program{Instrs: make([]Instr, 9), Nodes: make([]Node, 9)}
	p.Liveness(Registers{Units: 64 << 20, Per: 1}, map[int][]Span{0: {{First: 0, N: 1}}})
	if p.Instrs[0].Live != 0 {
		t.Error("registers of a program that is too large are counted")
	}
}
