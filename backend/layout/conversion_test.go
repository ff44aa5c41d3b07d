package layout_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"nirc/backend/layout"
	"nirc/ir"
)

// TestPlanarFormats: the formats of conversions are those that VkFormat's table has, each with its number, its name, the bits
// of a component, the planes, and whether chroma has half the texels of a row and half the rows.
func TestPlanarFormats(t *testing.T) {
	want := strings.Fields(`
37:r8g8b8a8_unorm:8:1:-
44:b8g8r8a8_unorm:8:1:-
58:a2r10g10b10_unorm_pack32:10:1:-
64:a2b10g10r10_unorm_pack32:10:1:-
91:r16g16b16a16_unorm:16:1:-
1000156000:g8b8g8r8_422_unorm:8:1:w
1000156001:b8g8r8g8_422_unorm:8:1:w
1000156002:g8_b8_r8_3plane_420_unorm:8:3:wh
1000156003:g8_b8r8_2plane_420_unorm:8:2:wh
1000156004:g8_b8_r8_3plane_422_unorm:8:3:w
1000156005:g8_b8r8_2plane_422_unorm:8:2:w
1000156006:g8_b8_r8_3plane_444_unorm:8:3:-
1000156009:r10x6g10x6b10x6a10x6_unorm_4pack16:10:1:-
1000156010:g10x6b10x6g10x6r10x6_422_unorm_4pack16:10:1:w
1000156011:b10x6g10x6r10x6g10x6_422_unorm_4pack16:10:1:w
1000156012:g10x6_b10x6_r10x6_3plane_420_unorm_3pack16:10:3:wh
1000156013:g10x6_b10x6r10x6_2plane_420_unorm_3pack16:10:2:wh
1000156014:g10x6_b10x6_r10x6_3plane_422_unorm_3pack16:10:3:w
1000156015:g10x6_b10x6r10x6_2plane_422_unorm_3pack16:10:2:w
1000156016:g10x6_b10x6_r10x6_3plane_444_unorm_3pack16:10:3:-
1000156019:r12x4g12x4b12x4a12x4_unorm_4pack16:12:1:-
1000156020:g12x4b12x4g12x4r12x4_422_unorm_4pack16:12:1:w
1000156021:b12x4g12x4r12x4g12x4_422_unorm_4pack16:12:1:w
1000156022:g12x4_b12x4_r12x4_3plane_420_unorm_3pack16:12:3:wh
1000156023:g12x4_b12x4r12x4_2plane_420_unorm_3pack16:12:2:wh
1000156024:g12x4_b12x4_r12x4_3plane_422_unorm_3pack16:12:3:w
1000156025:g12x4_b12x4r12x4_2plane_422_unorm_3pack16:12:2:w
1000156026:g12x4_b12x4_r12x4_3plane_444_unorm_3pack16:12:3:-
1000156027:g16b16g16r16_422_unorm:16:1:w
1000156028:b16g16r16g16_422_unorm:16:1:w
1000156029:g16_b16_r16_3plane_420_unorm:16:3:wh
1000156030:g16_b16r16_2plane_420_unorm:16:2:wh
1000156031:g16_b16_r16_3plane_422_unorm:16:3:w
1000156032:g16_b16r16_2plane_422_unorm:16:2:w
1000156033:g16_b16_r16_3plane_444_unorm:16:3:-
1000330000:g8_b8r8_2plane_444_unorm:8:2:-
1000330001:g10x6_b10x6r10x6_2plane_444_unorm_3pack16:10:2:-
1000330002:g12x4_b12x4r12x4_2plane_444_unorm_3pack16:12:2:-
1000330003:g16_b16r16_2plane_444_unorm:16:2:-`)
	have := map[string]bool{}
	for _, f := range layout.Formats() {
		half := map[[2]bool]string{{}: "-", {true, false}: "w", {false, true}: "h", {true, true}: "wh"}[[2]bool{f.HalfWidth, f.HalfHeight}]
		row := fmt.Sprintf("%d:%s:%d:%d:%s", f.Format, f.Name, f.Bits, f.Planes, half)
		if have[row] {
			t.Errorf("%s stands there twice", row)
		}
		have[row] = true
	}
	for _, row := range want {
		if !have[row] {
			t.Errorf("%s is missing", row)
		}
		delete(have, row)
	}
	for row := range have {
		t.Errorf("%s is none of VkFormat's table", row)
	}
}

// converted is a layout whose samplers have conversions of three, two and one planes, and none.
func converted() *layout.Layout {
	const three, two, one = 1000156002, 1000156015, 37
	state := layout.SamplerState{MagFilter: 1, MinFilter: 1}
	with := func(c layout.Conversion) layout.SamplerState {
		s := state
		s.Conversion = &c
		return s
	}
	return &layout.Layout{Sets: []layout.Set{{Set: 1, Bindings: []layout.Binding{
		{Binding: 2, Type: layout.CombinedImageSampler, Count: 2, Immutable: []layout.SamplerState{state,
			with(layout.Conversion{Format: three, Model: ir.YCbCr709, Narrow: true, MidpointX: true})}},
		{Binding: 5, Type: layout.CombinedImageSampler, Count: 1, Immutable: []layout.SamplerState{with(layout.Conversion{Format: two, Filter: 1, MidpointY: true, Components: "bgr1"})}},
		{Binding: 6, Type: layout.CombinedImageSampler, Count: 3, Immutable: []layout.SamplerState{state, state, with(layout.Conversion{Format: one})}},
		{Binding: 7, Type: layout.InlineUniformBlock, Count: 16},
		{Binding: 8, Type: layout.InlineUniformBlock},
		{Binding: 9, Type: layout.StorageBuffer, Count: 1},
	}}}}
}

// TestConversions: what passes are told of each conversion, in Vulkan's words.
func TestConversions(t *testing.T) {
	want := []ir.YCbCr{
		{Set: 1, Binding: 2, Element: 1, Model: ir.YCbCr709, Narrow: true, Bits: 8, Planes: 3, HalfWidth: true, HalfHeight: true, CositedY: true, Swizzle: "rgba"},
		{Set: 1, Binding: 5, Element: 0, Bits: 10, Planes: 2, HalfWidth: true, CositedX: true, Linear: true, Swizzle: "bgr1"},
		{Set: 1, Binding: 6, Element: 2, Bits: 8, Planes: 1, CositedX: true, CositedY: true, Swizzle: "rgba"},
	}
	l := converted()
	if p := l.Check(); p != nil {
		t.Fatal(p)
	}
	if got := l.Conversions(); got == nil || !reflect.DeepEqual(got.Rows, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if got := example().Conversions(); got != nil {
		t.Errorf("without conversions: %+v", got)
	}
	if got := (*layout.Layout)(nil).Conversions(); got != nil {
		t.Errorf("without a layout: %+v", got)
	}
}

// TestPlanes: an element takes a descriptor for each plane of the conversion that has most, bytes that the set holds are one
// descriptor, and chroma's planes are filtered as the conversion says.
func TestPlanes(t *testing.T) {
	l := converted()
	tab := layout.Table{Name: "slots", Entries: func(layout.Type) uint32 { return 2 }, Limit: 1 << 16, PerSet: true, Unit: 2, Bindings: 64, Sets: 5, Elements: 512}
	first := uint32(0)
	for i, want := range []struct{ planes, descriptors uint32 }{{3, 6}, {2, 2}, {1, 3}, {1, 1}, {1, 0}, {1, 1}} {
		b := &l.Sets[0].Bindings[i]
		if b.Planes() != want.planes || b.Descriptors() != want.descriptors {
			t.Errorf("binding %d: %d planes, %d descriptors, want %v", b.Binding, b.Planes(), b.Descriptors(), want)
		}
		if p, err := tab.Place(l, 1, b.Binding, 1); err != nil || p.First != first || p.Count != want.descriptors {
			t.Errorf("binding %d is at %+v, %v, want %d", b.Binding, p, err, first)
		}
		for n := range want.descriptors {
			e, ok := tab.Lookup(l, 1, first+2*n+1)
			if want := (layout.Entry{Set: 1, Binding: b.Binding, Element: n, Part: 1}); !ok || e != want {
				t.Errorf("number %d: %+v, %t, want %+v", first+2*n+1, e, ok, want)
			}
		}
		first += 2 * want.descriptors
	}
	for _, c := range []struct {
		binding, descriptor uint32
		filter              uint8
		ok                  bool
	}{{2, 0, 1, true}, {2, 2, 1, true}, {2, 3, 1, true}, {2, 4, 0, true}, {2, 5, 0, true}, {2, 6, 0, false}, {5, 0, 1, true}, {5, 1, 1, true}, {5, 2, 0, false},
		{6, 2, 1, true}, {6, 3, 0, false}, {9, 0, 0, false}} {
		s, ok := l.Find(1, c.binding).Sampler(c.descriptor)
		if ok != c.ok || ok && (s.MagFilter != c.filter || s.MinFilter != c.filter) {
			t.Errorf("binding %d, descriptor %d: %+v, %t, want filter %d, %t", c.binding, c.descriptor, s, ok, c.filter, c.ok)
		}
	}
}

// TestConversionsRefused: each edit makes a conversion that none can be, and what stands at the limit is taken.
func TestConversionsRefused(t *testing.T) {
	for _, c := range []struct {
		want string
		edit func(c *layout.Conversion)
	}{
		{"", func(c *layout.Conversion) { c.Model = ir.YCbCr2020 }},
		{"", func(c *layout.Conversion) { c.Filter = 1 }},
		{"", func(c *layout.Conversion) { c.Components = "01ab" }},
		{"has format 38, which is none", func(c *layout.Conversion) { c.Format = 38 }},
		{"does not exist", func(c *layout.Conversion) { c.Model = ir.YCbCr2020 + 1 }},
		{"does not exist", func(c *layout.Conversion) { c.Filter = 2 }},
		{`components to "rgb"`, func(c *layout.Conversion) { c.Components = "rgb" }},
		{`components to "rgbar"`, func(c *layout.Conversion) { c.Components = "rgbar" }},
		{`components to "xgba"`, func(c *layout.Conversion) { c.Components = "xgba" }},
	} {
		l := converted()
		c.edit(l.Sets[0].Bindings[0].Immutable[1].Conversion)
		if p := l.Check(); (p != nil) != (c.want != "") || p != nil && !strings.Contains(p.Msg, c.want) {
			t.Errorf("%v, want %q", p, c.want)
		}
	}
	l := converted()
	l.Sets[0].Bindings[0].Type = layout.Sampler
	if p := l.Check(); p == nil || !strings.Contains(p.Msg, "a sampler has no conversion from YCbCr") {
		t.Error(p)
	}
}
