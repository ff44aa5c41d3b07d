package ir3

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestHandleSets: a handle is of the sets whose bindings it can come from: through moves, vectors and choices; of
// what is not looked into, any set of the shader's.
func TestHandleSets(t *testing.T) {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	handle := func(set uint32) *ir.Def { return gputest.Handle(b, set, 0, emu.DescStorageBuffer) }
	h0, h2, h3 := handle(0), handle(2), handle(3)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	loaded := gputest.LoadWords(b, h0, b.Imm32(0), 1)
	for _, c := range []struct {
		name string
		h    *ir.Def
		want uint8
	}{
		{"a binding", h2, 1 << 2},
		{"a move", b.Mov(h3), 1 << 3},
		{"a vector", b.Vec(h0, h2), 1 << 0},
		{"a choice", b.Bcsel(b.Ieq(id, b.Imm32(0)), h0, h3), 1<<0 | 1<<3},
		{"a choice of three", b.Bcsel(b.Ieq(id, b.Imm32(0)), h0, b.Bcsel(b.Ieq(id, b.Imm32(1)), h3, h2)), 1<<0 | 1<<2 | 1<<3},
		{"nobody's", b.Undef(1, 32), 0},
		{"memory", loaded, 1<<0 | 1<<2 | 1<<3},
		{"arithmetic", b.Iadd(h0, id), 1<<0 | 1<<2 | 1<<3},
	} {
		d := &descriptors{s: s, impl: s.Entry().Impl, slots: abi.Slots(abi.FindGPU("a630").Gen), stride: 1}
		d.place()
		d.visiting = make([]bool, 1000)
		if got := d.sets(c.h, 0); got != c.want {
			t.Errorf("%s: sets %04b, want %04b", c.name, got, c.want)
		}
	}
}

// TestUBORanges: a vec4 of a buffer stands in the const file where the range that holds it says, and vec4s side by side do if one
// range holds them all.
func TestUBORanges(t *testing.T) {
	u := uboPush{ranges: []uboRange{{set: 0, slot: 1, first: 4, n: 3, at: 100}, {set: 0, slot: 1, first: 7, n: 2, at: 40}, {set: 1, slot: 1, first: 0, n: 8, at: 200}}}
	for _, c := range []struct {
		set            int8
		slot, first, n uint32
		at             int // -1: not there
	}{
		{0, 1, 3, 1, -1}, {0, 1, 4, 1, 100}, {0, 1, 6, 1, 108}, {0, 1, 7, 1, 40}, {0, 1, 8, 1, 44}, {0, 1, 9, 1, -1}, {0, 2, 4, 1, -1}, {1, 1, 7, 1, 228}, {1, 1, 8, 1, -1}, {2, 1, 4, 1, -1},
		{0, 1, 4, 3, 100}, {0, 1, 5, 2, 104}, {0, 1, 5, 3, -1}, {0, 1, 3, 2, -1}, {0, 1, 7, 2, 40}, {0, 1, 8, 2, -1}, {1, 1, 0, 8, 200}, {1, 1, 0, 9, -1}, {1, 2, 0, 8, -1}, {0, 2, 4, 3, -1}, {2, 1, 4, 2, -1},
	} {
		at, ok := u.findArray(c.set, c.slot, c.first, c.n)
		if ok != (c.at >= 0) || ok && at != c.at {
			t.Errorf("%d vec4s of %d.%d from %d: %d, %v, want %d", c.n, c.set, c.slot, c.first, at, ok, c.at)
		}
		if c.n > 1 {
			continue
		}
		if at, ok := u.find(c.set, c.slot, c.first); ok != (c.at >= 0) || ok && at != c.at {
			t.Errorf("vec4 %d of %d.%d: %d, %v, want %d", c.first, c.set, c.slot, at, ok, c.at)
		}
	}
}
