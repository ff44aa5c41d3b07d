package core

import (
	"slices"
	"testing"

	"nirc/backend/gputest"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestCounting: each instruction has a counter at its place in the code, those of other programs of the object too, and counts the waves that come by
// and their lanes.
func TestCounting(t *testing.T) {
	code := assemble(t, "\tmov_imm r1l, 5\n\tiadd r2, r1, r1\n\tstop")
	m := newMachine()
	loaded, err := Load(code, m.meta())
	if err != nil {
		t.Fatal(err)
	}
	p := loaded.(*program)
	other, err := Load(code, anyMeta(ir.StageCompute))
	if err != nil {
		t.Fatal(err)
	}
	p.raster = other.(*program)
	for i := range p.raster.code {
		p.raster.code[i].pc += 1000
	}
	counters := p.StartCounting()
	var places, want []int
	for i := range counters {
		places = append(places, int(counters[i].Offset))
	}
	for _, q := range []*program{p, p.raster} {
		for i := range q.code {
			want = append(want, q.code[i].pc)
		}
	}
	if !slices.Equal(places, want) {
		t.Errorf("counters at %v, want %v", places, want)
	}
	for _, q := range []*program{p, p.raster} {
		for i, c := range q.counts {
			if int(c.Offset) != q.code[i].pc {
				t.Errorf("the counter of the instruction at %d is that at %d", q.code[i].pc, c.Offset)
			}
		}
	}
	l := quads(8)
	gputest.AnyStage(l, 256)
	l.NumLanes, l.Env = 7, &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
	w := other.(*program).newWave(l)
	if _, err := w.Run(2); err != nil {
		t.Fatal(err)
	}
	for i := range counters {
		runs, lanes := counters[i].Runs(), counters[i].Lanes()
		if ran := i == len(p.code) || i == len(p.code)+1; ran != (runs == 1 && lanes == 7) || !ran && runs != 0 {
			t.Errorf("counter %d: %d runs, %d lanes", i, runs, lanes)
		}
	}
}
