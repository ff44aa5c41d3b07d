package emu

import (
	"strings"
	"testing"

	"nirc/ir"
)

// TestMissing: elements of arrays that nothing is bound to are told by set, binding and element, and by handle, unless accesses are robust.
func TestMissing(t *testing.T) {
	var b Bindings
	b.Set(0, 1, []Descriptor{{Type: DescUniformBuffer}, {}, {Type: DescUniformBuffer}})
	b.Set(0, 2, []Descriptor{{}, {}})
	b.Set(1, 0, []Descriptor{{}, {Type: DescSampledImage}})
	for _, c := range []struct {
		set, binding, element uint32
		robust                ir.Robust
		want                  string
	}{
		{0, 1, 0, ir.Robust{}, ""},
		{0, 1, 1, ir.Robust{}, "element 1 of 0.1"},
		{0, 1, 3, ir.Robust{}, "element 3 of 0.1"},
		{0, 1, 1, ir.Robust{Uniform: ir.Robust1}, ""},
		{0, 1, 1, ir.Robust{Storage: ir.Robust2, Images: ir.Robust2}, "element 1 of 0.1"},
		{0, 2, 0, ir.Robust{}, ""},
		{0, 3, 0, ir.Robust{}, ""},
		{1, 0, 0, ir.Robust{}, "element 0 of 1.0"},
		{1, 0, 0, ir.Robust{Images: ir.Robust1}, ""},
		{1, 0, 1, ir.Robust{}, ""},
	} {
		told := func(err error) bool {
			return err == nil && c.want == "" || err != nil && c.want != "" && strings.Contains(err.Error(), c.want)
		}
		if err := b.Missing(c.set, c.binding, c.element, &c.robust); !told(err) {
			t.Errorf("%+v: %v", c, err)
		}
		if h := b.Handle(c.set, c.binding, c.element); h >= 0 {
			if err := b.MissingHandle(h, &c.robust); !told(err) {
				t.Errorf("%+v by its handle: %v", c, err)
			}
		}
	}
	for _, h := range []int{-1, 7, 1 << 30} {
		if err := b.MissingHandle(h, &ir.Robust{}); err != nil {
			t.Errorf("handle %d, which is none: %v", h, err)
		}
	}
}

// TestAbsent: what is missing has an address of its own, the same each time, and what is bound has none.
func TestAbsent(t *testing.T) {
	var b Bindings
	b.Set(0, 1, []Descriptor{{Type: DescStorageBuffer}, {}, {}})
	var a Absent
	var r ir.Robust
	first, second := a.Place(&b, 0, 1, 1, &r), a.Place(&b, 0, 1, 2, &r)
	switch {
	case a.Place(&b, 0, 1, 0, &r) != 0 || a.Place(&b, 0, 1, 1, &ir.Robust{Storage: ir.Robust1}) != first:
		t.Error("what is bound has a place, or the same element has two")
	case first == second || first != a.Place(&b, 0, 1, 1, &r):
		t.Errorf("places %#x and %#x", first, second)
	}
	for addr, want := range map[uint64]string{first: "element 1", first + 1<<32 - 1: "element 1", second: "element 2", second + 1<<32: "", first - 1: "", 0: ""} {
		if err := a.At(addr); err == nil && want != "" || err != nil && (want == "" || !strings.Contains(err.Error(), want)) {
			t.Errorf("at %#x: %v, want %q", addr, err, want)
		}
	}
}
