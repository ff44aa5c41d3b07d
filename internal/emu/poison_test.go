package emu

import (
	"context"
	"slices"
	"testing"

	"nirc/ir"
)

func TestShuffle(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 5, 16, 63, 64, 100, 1000} {
		for seed := range uint64(20) {
			s := newShuffle(seed, n)
			var seen []uint64
			for i := range n {
				seen = append(seen, s.at(i))
			}
			if seed == 0 && !slices.IsSorted(seen) || seed != 0 && n >= 63 && slices.IsSorted(seen) {
				t.Errorf("%d numbers by seed %d: %v", n, seed, seen)
			}
			slices.Sort(seen)
			for i, v := range seen {
				if v != uint64(i) {
					t.Fatalf("%d numbers by seed %d are no order", n, seed)
				}
			}
		}
	}
}

func TestGarbage(t *testing.T) {
	var zero Garbage
	b := []byte{1, 2, 3}
	if zero.Fill(b); b[0]|b[1]|b[2] != 0 || zero.Long() != 0 || zero.On() {
		t.Errorf("no garbage: %v", b)
	}
	a, c := Poison(5), Poison(5)
	x, y := make([]byte, 77), make([]byte, 77)
	a.Fill(x)
	c.Fill(y)
	if !slices.Equal(x, y) {
		t.Error("one seed gives two garbages")
	}
	if a.Fill(x); slices.Equal(x, y) || slices.Index(x, 0) >= 0 && slices.Max(x) == 0 {
		t.Error("garbage repeats")
	}
	d, e := a.Fork(1), a.Fork(2)
	if d.Long() == e.Long() {
		t.Error("two parts have one garbage")
	}
	if f := zero.Fork(3); f.On() {
		t.Error("a part of zeros is garbage")
	}
}

// TestCheckedDispatch looks at what a checked dispatch gives: workgroup memory
// that is not zero, each wave another seed, workgroups and waves out of order,
// and the same for the same seed.
func TestCheckedDispatch(t *testing.T) {
	run := func(limits Limits) (order []uint32, seeds []uint64, shared byte) {
		p := &fakeProgram{stage: ir.StageCompute, size: [3]uint32{16, 1, 1}, wave: 4, share: 16}
		p.run = func(l *Launch, _ int) (Status, error) {
			c := l.Compute
			order = append(order, c.WorkgroupID[0]*4+c.SubgroupID)
			seeds = append(seeds, l.Seed)
			for _, b := range c.Shared {
				shared |= b
			}
			return StatusDone, nil
		}
		if err := Dispatch(context.Background(), p, &Env{Mem: NewMemory()}, DispatchParams{Groups: [3]uint32{8, 1, 1}, Limits: limits}); err != nil {
			t.Fatal(err)
		}
		return order, seeds, shared
	}
	lenient, seeds, shared := run(Limits{Seed: 7})
	if !slices.IsSorted(lenient) || shared != 0 || slices.Max(seeds) != 0 {
		t.Errorf("lenient: order %v, memory %#x, seeds %v", lenient, shared, seeds)
	}
	checked, seeds, shared := run(Limits{Check: true})
	again, _, _ := run(Limits{Check: true})
	other, _, _ := run(Limits{Check: true, Seed: 9})
	if slices.IsSorted(checked) || shared == 0 || !slices.Equal(checked, again) || slices.Equal(checked, other) {
		t.Errorf("checked: orders %v, %v, %v, memory %#x", checked, again, other, shared)
	}
	slices.Sort(seeds)
	if len(slices.Compact(seeds)) != 32 || seeds[0] == 0 {
		t.Errorf("seeds of 32 waves: %v", seeds)
	}
}

// TestMemoryRanges looks at where buffers of a checked run lie: in several ranges
// of 4 GiB, and each is found by its address.
func TestMemoryRanges(t *testing.T) {
	for seed := range uint64(8) {
		m := (&Limits{Check: true, Seed: seed}).NewMemory()
		var bufs []*Buffer
		ranges := map[uint64]bool{}
		for i := range 300 {
			b := m.Alloc(100 + i)
			bufs = append(bufs, b)
			ranges[b.Addr>>32] = true
			if b.Addr&255 != 0 || b.Addr < firstAddress || b.Addr >= maxAddress {
				t.Fatalf("a buffer at %#x", b.Addr)
			}
		}
		if len(ranges) < 10 {
			t.Errorf("seed %d: %d ranges", seed, len(ranges))
		}
		for i, b := range bufs {
			m.Store(b.Addr+96, 4, uint64(i))
		}
		for i, b := range bufs {
			if v := LoadBytes(b.Data[96:], 4); v != uint64(i) {
				t.Errorf("seed %d: buffer %d holds %d", seed, i, v)
			}
		}
	}
	if m := (&Limits{Seed: 3}).NewMemory(); m.Alloc(4).Addr != firstAddress {
		t.Error("a lenient run has other addresses")
	}
}

// TestGarbageEverywhere: of whatever length, all of it is filled, in words and in bytes, by two seeds differently, and cleared where there is none.
func TestGarbageEverywhere(t *testing.T) {
	for n := range 20 {
		words, bytes := [3][]uint32{}, [3][]byte{}
		for k := range 3 {
			words[k], bytes[k] = slices.Repeat([]uint32{7}, n), slices.Repeat([]byte{7}, n)
		}
		differ := make([]bool, n) // bytes may be equal by chance, but not in all rounds
		for seed := range uint64(16) {
			a, b := Poison(2*seed+1), Poison(2*seed+2)
			a.FillWords(words[0])
			b.FillWords(words[1])
			a.Fill(bytes[0])
			b.Fill(bytes[1])
			for i := range n {
				if words[0][i] == 7 || words[0][i] == words[1][i] {
					t.Errorf("word %d of %d is %#x by two seeds", i, n, words[0][i])
				}
				differ[i] = differ[i] || bytes[0][i] != 7 && bytes[0][i] != bytes[1][i]
			}
		}
		if slices.Contains(differ, false) {
			t.Errorf("not all of %d bytes are filled: %v", n, differ)
		}
		var none Garbage
		none.FillWords(words[2])
		none.Fill(bytes[2])
		if slices.ContainsFunc(words[2], func(w uint32) bool { return w != 0 }) || slices.ContainsFunc(bytes[2], func(b byte) bool { return b != 0 }) {
			t.Errorf("no garbage of length %d: %v, %v", n, words[2], bytes[2])
		}
	}
}
