package layout_test

import (
	"strings"
	"testing"

	"nirc/backend/layout"
	"nirc/ir"
)

// slots is a table by set like ir3's, flat one like Midgard's of uniform buffers.
var (
	slots = layout.Table{Name: "slots", Entries: func(t layout.Type) uint32 {
		if t == layout.CombinedImageSampler {
			return 2
		}
		return 1
	}, Limit: 1 << 16, PerSet: true, DynamicApart: true, Unit: 2, Bindings: 64, Sets: 5, Elements: 512}
	flat = layout.Table{Name: "buffers", Entries: func(t layout.Type) uint32 {
		if t.IsBuffer() {
			return 1
		}
		return 0
	}, Start: 4, Limit: 255, Unit: 1, Bindings: 15, Sets: 4, Elements: 4}
)

// example has gaps between sets and bindings, an empty binding and dynamic buffers.
func example() *layout.Layout {
	return &layout.Layout{Sets: []layout.Set{
		{Set: 0, Bindings: []layout.Binding{{Binding: 0, Type: layout.UniformBuffer, Count: 1, Stages: layout.AllStages},
			{Binding: 1, Type: layout.CombinedImageSampler, Count: 3}, {Binding: 4, Type: layout.StorageBufferDynamic, Count: 2}, {Binding: 5, Type: layout.StorageImage},
			{Binding: 7, Type: layout.Sampler, Count: 1}}},
		{Set: 2, Bindings: []layout.Binding{{Binding: 1, Type: layout.UniformBufferDynamic, Count: 1}, {Binding: 3, Type: layout.StorageBuffer, Count: 9}}},
	}, Push: []layout.PushRange{{Stages: layout.StageBit(ir.StageVertex), Size: 64}, {Stages: layout.StageBit(ir.StageFragment), Offset: 64, Size: 16}}}
}

// The numbers are part of the ABI: docs/abi.md has the rules, and drivers go by them.
func TestPlaces(t *testing.T) {
	l := example()
	for _, c := range []struct {
		t                          *layout.Table
		l                          *layout.Layout
		set, binding, count        uint32
		base, first, stride, total uint32
	}{
		{&slots, l, 0, 0, 1, 0, 0, 1, 1},
		{&slots, l, 0, 1, 2, 0, 1, 2, 3},
		{&slots, l, 0, 7, 1, 0, 7, 1, 1}, // the dynamic buffers and the empty binding take nothing
		{&slots, l, 2, 3, 9, 2, 0, 1, 9},
		{&slots, l, 0, 4, 1, 4, 0, 1, 2}, // of the last set, in the order of their offsets
		{&slots, l, 2, 1, 1, 4, 2, 1, 1},
		{&flat, l, 0, 0, 1, 0, 4, 1, 1},
		{&flat, l, 0, 4, 1, 0, 5, 1, 2},
		{&flat, l, 2, 1, 1, 2, 7, 1, 1},
		{&flat, l, 2, 3, 0, 2, 8, 1, 9},
		{&slots, nil, 0, 0, 1, 0, 0, 128, 512},
		{&slots, nil, 3, 5, 0, 3, 10, 128, 512},
		{&slots, nil, 4, 63, 512, 4, 126, 128, 512},
		{&flat, nil, 0, 0, 1, 0, 4, 60, 4},
		{&flat, nil, 3, 14, 4, 3, 4 + 14 + 45, 60, 4},
	} {
		p, err := c.t.Place(c.l, c.set, c.binding, c.count)
		if err != nil || p.Base != c.base || p.First != c.first || p.Stride != c.stride || p.Count != c.total {
			t.Errorf("%s, layout %v, set %d binding %d: %+v, %v; want base %d, %d + %d*e, %d elements", c.t.Name, c.l != nil, c.set, c.binding, p, err, c.base, c.first, c.stride, c.total)
		}
	}
}

// TestLookup: what stands at the place of each element is that element, and nothing stands twice.
func TestLookup(t *testing.T) {
	l := example()
	for _, tab := range []*layout.Table{&slots, &flat} {
		for _, have := range []*layout.Layout{l, nil} {
			seen := map[[2]uint32]bool{}
			for _, s := range l.Sets {
				for _, b := range s.Bindings {
					if tab.Entries(b.Type) == 0 || b.Count == 0 || have == nil && b.Count > tab.Elements {
						continue
					}
					p, err := tab.Place(have, s.Set, b.Binding, b.Count)
					if err != nil {
						t.Fatal(err)
					}
					for k := range b.Count {
						n := [2]uint32{p.Base, p.At(k)}
						if !tab.PerSet {
							n[0] = 0
						}
						if seen[n] {
							t.Errorf("number %d stands for two things", n)
						}
						seen[n] = true
						if e, ok := tab.Lookup(have, p.Base, p.At(k)); !ok || e != (layout.Entry{Set: s.Set, Binding: b.Binding, Element: k}) {
							t.Errorf("%s, number %d: %+v, want element %d of binding %d in set %d", tab.Name, n, e, k, b.Binding, s.Set)
						}
					}
				}
			}
		}
	}
	for _, c := range []struct {
		t       *layout.Table
		l       *layout.Layout
		base, n uint32
	}{{&slots, l, 0, 8}, {&slots, l, 1, 0}, {&slots, l, 4, 3}, {&slots, l, 7, 0}, {&flat, l, 0, 3}, {&flat, l, 0, 17}, {&flat, nil, 0, 3}, {&flat, nil, 0, 254}, {&slots, nil, 5, 0}, {&slots, nil, 0, 1 << 16}} {
		if e, ok := c.t.Lookup(c.l, c.base, c.n); ok {
			t.Errorf("%s, number %d of base %d: %+v, want nothing", c.t.Name, c.n, c.base, e)
		}
	}
	if e, ok := slots.Lookup(l, 0, 4); !ok || e.Element != 1 || e.Part != 1 {
		t.Errorf("the sampler of element 1: %+v", e)
	}
}

// TestLimits: what a table cannot hold is refused with what is in the way.
func TestLimits(t *testing.T) {
	with := func(set, binding, count uint32, y layout.Type) *layout.Layout {
		return &layout.Layout{Sets: []layout.Set{{Set: set, Bindings: []layout.Binding{{Binding: binding, Type: y, Count: count}}}}}
	}
	for _, c := range []struct {
		l                   *layout.Layout
		t                   *layout.Table
		set, binding, count uint32
		want                string
	}{
		{nil, &slots, 5, 0, 1, "there are 5 sets"},
		{nil, &slots, 0, 64, 1, "bindings 0 to 63"},
		{nil, &slots, 0, 0, 513, "room for 512"},
		{nil, &flat, 0, 15, 1, "give one (--layout)"},
		{with(0, 0, 1, layout.Sampler), &flat, 0, 0, 1, "no binding 0 in set 0 that is one of the buffers"},
		{with(0, 1, 1, layout.UniformBuffer), &flat, 0, 0, 1, "no binding 0 in set 0"},
		{with(6, 0, 1, layout.UniformBuffer), &slots, 0, 0, 0, "set 6, which is not supported: there are 5 sets (VUID-VkPipelineLayoutCreateInfo-setLayoutCount-00286: "},
		{with(0, 9, 1<<16+1, layout.UniformBuffer), &slots, 0, 0, 0, "more than 65536 slots at set 0 binding 9"},
		{with(2, 3, 252, layout.UniformBuffer), &flat, 0, 0, 0, "more than 251 buffers at set 2 binding 3"},
		{&layout.Layout{Sets: []layout.Set{{Set: 4, Bindings: []layout.Binding{{Type: layout.UniformBufferDynamic, Count: 1}}}}}, &slots, 0, 0, 0, "they take the last"},
	} {
		err := c.t.Fits(c.l)
		if err == nil {
			_, err = c.t.Place(c.l, c.set, c.binding, c.count)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if err := slots.Fits(example()); err != nil {
		t.Error(err)
	}
	if err := slots.Fits(&layout.Layout{Sets: []layout.Set{{Set: 9}}}); err != nil {
		t.Errorf("a set of nothing: %v", err)
	}
}

// TestCheck: each edit makes the example wrong.
func TestCheck(t *testing.T) {
	if p := example().Check(); p != nil {
		t.Fatal(p)
	}
	for want, edit := range map[string]func(l *layout.Layout){
		"set 0 is given twice":           func(l *layout.Layout) { l.Sets[1].Set = 0 },
		"set 0 comes after set 2":        func(l *layout.Layout) { l.Sets[0], l.Sets[1] = l.Sets[1], l.Sets[0] },
		"set 32: the most is 31":         func(l *layout.Layout) { l.Sets[1].Set = 32 },
		"set 0 binding 0 is given twice": func(l *layout.Layout) { l.Sets[0].Bindings[1].Binding = 0 },
		"comes after binding":            func(l *layout.Layout) { l.Sets[0].Bindings[0].Binding = 3 },
		"the largest number is 65535":    func(l *layout.Layout) { l.Sets[0].Bindings[4].Binding = 1 << 16 },
		"there is no type 17":            func(l *layout.Layout) { l.Sets[0].Bindings[0].Type = layout.NumTypes },
		"at most 1048576 descriptors":    func(l *layout.Layout) { l.Sets[0].Bindings[0].Count = 1 << 31 },
		"has no immutable samplers":      func(l *layout.Layout) { l.Sets[0].Bindings[0].Immutable = make([]layout.SamplerState, 1) },
		"1 immutable samplers for 3":     func(l *layout.Layout) { l.Sets[0].Bindings[1].Immutable = make([]layout.SamplerState, 1) },
		"does not exist":                 func(l *layout.Layout) { l.Sets[0].Bindings[4].Immutable = []layout.SamplerState{{MagFilter: 2}} },
		"min_lod 2 is above max_lod 1": func(l *layout.Layout) {
			l.Sets[0].Bindings[4].Immutable = []layout.SamplerState{{MinLod: 2, MaxLod: 1}}
		},
		"a stage has two ranges": func(l *layout.Layout) { l.Push[1].Stages = layout.AllGraphics },
		"must be multiples of 4": func(l *layout.Layout) { l.Push[0].Size = 6 },
		"ends beyond byte":       func(l *layout.Layout) { l.Push[0].Offset = 1<<32 - 4 },
		"for no stage":           func(l *layout.Layout) { l.Push[0].Stages = 0 },
	} {
		l := example()
		edit(l)
		if p := l.Check(); p == nil || !strings.Contains(p.Msg, want) {
			t.Errorf("%v, want %q", p, want)
		}
	}
}

// TestHighBindings: without a layout, bindings beyond the first Bindings of a set have places of their own behind the elements of those,
// and a driver finds them there.
func TestHighBindings(t *testing.T) {
	one := func(layout.Type) uint32 { return 1 }
	for _, tab := range []*layout.Table{
		{Name: "slots", Entries: one, Limit: 1 << 16, PerSet: true, Unit: 2, Bindings: 64, Sets: 5, Elements: 509, High: 3},
		{Name: "images", Entries: one, Start: 34, Limit: 1 << 12, Unit: 1, Bindings: 16, Sets: 4, Elements: 48, High: 15},
	} {
		seen := map[[2]uint32]bool{}
		for set := range tab.Sets {
			for binding := range uint32(256) {
				p, err := tab.Place(nil, set, binding, 1)
				if err != nil {
					t.Fatal(err)
				}
				for e := range p.Count {
					n := p.At(e)
					where := [2]uint32{p.Base, n}
					if !tab.PerSet {
						where[0] = 0
					}
					if seen[where] || n < tab.Start || n+tab.Unit > tab.Limit {
						t.Fatalf("%s: element %d of binding %d of set %d is at %d, which is taken or beyond the table", tab.Name, e, binding, set, n)
					}
					seen[where] = true
					if x, ok := tab.Lookup(nil, p.Base, n); !ok || x != (layout.Entry{Set: set, Binding: binding, Element: e}) {
						t.Fatalf("%s, number %d: %+v, want element %d of binding %d of set %d", tab.Name, n, x, e, binding, set)
					}
				}
			}
		}
		for _, c := range []struct {
			binding, count uint32
			want           string
		}{{256, 1, "have bindings 0 to 255 of a set"}, {200, 2, "2 descriptors at binding 200 of set 1 are not supported"}, {200, 0, "descriptors without a number at binding 200"}} {
			if _, err := tab.Place(nil, 1, c.binding, c.count); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", tab.Name, err, c.want)
			}
		}
	}
}

// TestElements: which element a number of a place is in, and which of its entries.
func TestElements(t *testing.T) {
	p := layout.Place{First: 10, Stride: 3, Count: 4}
	for n := range uint32(30) {
		element, part, ok := p.Element(n)
		if want := n >= 10 && n < 22; ok != want || ok && (p.At(element)+part != n || part >= 3) {
			t.Errorf("number %d: element %d, entry %d, %t", n, element, part, ok)
		}
	}
	p.Stride = 0
	if _, _, ok := p.Element(10); ok {
		t.Error("a place without a step has an element")
	}
}
