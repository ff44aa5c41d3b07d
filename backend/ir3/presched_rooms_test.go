package ir3

import (
	"slices"
	"testing"

	"nirc/ir"
)

// TestPreTime: a wave's time is its slots and its share of the waits, a loop counts eight times for each depth, and an order
// without nops and waits takes least.
func TestPreTime(t *testing.T) {
	var sum preTime
	for depth, b := range []preTime{{10, 4, 100}, {3, 1, 20}, {2, 2, 1}} {
		sum.add(b, int32(depth))
	}
	if want := (preTime{10 + 8*3 + 64*2, 4 + 8*1 + 64*2, 100 + 8*20 + 64*1}); sum != want {
		t.Errorf("the time of nested loops is %+v, want %+v", sum, want)
	}
	var deep preTime
	deep.add(preTime{issue: 1}, 40)
	if deep.issue != 1<<30 {
		t.Errorf("what stands in 40 loops counts %d times", deep.issue)
	}
	x := preTime{issue: 100, nops: 30, stall: 64}
	if got := x.of(1); got != 256*164 {
		t.Errorf("a wave alone takes %d", got)
	}
	if got := x.of(4); got != 256*(100+16) {
		t.Errorf("a wave of four takes %d", got)
	}
	if got := x.least(); got != 256*70 {
		t.Errorf("no order takes less than %d", got)
	}
}

// TestSaves: an order that costs waves must take a 32nd less.
func TestSaves(t *testing.T) {
	for _, c := range []struct {
		t, than int64
		want    bool
	}{{3200, 3300, false}, {3199, 3300, true}, {3200, 3301, true}, {3300, 3300, false}, {3400, 3300, false}, {0, 1, true}} {
		if got := saves(c.t, c.than); got != c.want {
			t.Errorf("%d instead of %d saves enough: %t", c.t, c.than, got)
		}
	}
}

// TestPreRoomSizes: the first room costs no wave; each after it has the most registers for fewer waves, less those that arrays take
// and what is left for vectors; and the last takes all that there are.
func TestPreRoomSizes(t *testing.T) {
	g, err := FindGPU("a630")
	if err != nil {
		t.Fatal(err)
	}
	array := []regArray{{first: 2, elems: 4, comps: 2}} // 10 registers with what stands before it
	for _, c := range []struct {
		name            string
		pressure, limit int
		within          int
		arrays          []regArray
		want            []preRoom
	}{
		{"all", 50, 384, 0, nil, []preRoom{{80, 8}, {88, 7}, {112, 6}, {136, 5}, {176, 4}, {240, 3}, {368, 2}}},
		{"arrays", 50, 364, 0, array, []preRoom{{60, 8}, {68, 7}, {92, 6}, {116, 5}, {156, 4}, {220, 3}, {348, 2}}},
		{"more live than is left", 90, 384, 0, nil, []preRoom{{90, 8}, {112, 6}, {136, 5}, {176, 4}, {240, 3}, {368, 2}}},
		{"a second plan", 50, 384, 14, nil, []preRoom{{112, 6}, {136, 5}, {176, 4}, {240, 3}, {368, 2}}},
		{"few", 50, 100, 0, nil, []preRoom{{80, 8}}},
		{"a limit within a number of waves", 50, 144, 0, nil, []preRoom{{80, 8}, {88, 7}, {112, 6}, {128, 5}}},
	} {
		k := &compiler{s: ir.NewShader(ir.StageVertex, nil), gpu: g, mem: new(memory), within: c.within}
		k.sel = &isel{code: &code{arrays: c.arrays}}
		k.pressure, k.limit = c.pressure, c.limit
		if got := k.preRooms(); !slices.Equal(got, c.want) {
			t.Errorf("%s: rooms %v, want %v", c.name, got, c.want)
		}
	}
}
