package cost

import "testing"

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
