package layout

import (
	"fmt"
	"strings"
	"sync"

	"nirc/ir"
)

// Conversion is the conversion from YCbCr of an immutable sampler: the facts of
// VkSamplerYcbcrConversionCreateInfo that Vulkan's numbers stand for.
type Conversion struct {
	Format uint32 // VkFormat: one of Formats
	Model  ir.YCbCrModel
	Narrow bool // VK_SAMPLER_YCBCR_RANGE_ITU_NARROW
	// Components is the component mapping: four of "rgba01", "" for each its own.
	Components           string
	MidpointX, MidpointY bool  // VK_CHROMA_LOCATION_MIDPOINT, else samples of chroma lie on even ones of luma
	Filter               uint8 // of chroma: VkFilter
}

// Planar is a format that conversions may name: the planes it has, which are descriptors, the bits
// of a component, and whether chroma has half the texels.
type Planar struct {
	Format                uint32
	Name                  string // Vulkan's, in small letters, without VK_FORMAT_
	Bits, Planes          uint8
	HalfWidth, HalfHeight bool
}

// Formats are Vulkan's formats for conversions (VkFormat's table and "Formats requiring sampler Y'CbCr conversion"),
// and those of one plane whose chroma has all texels.
var Formats = sync.OnceValue(makeFormats)

func makeFormats() []Planar {
	list := []Planar{{Format: 37, Name: "r8g8b8a8_unorm", Bits: 8, Planes: 1}, {Format: 44, Name: "b8g8r8a8_unorm", Bits: 8, Planes: 1},
		{Format: 58, Name: "a2r10g10b10_unorm_pack32", Bits: 10, Planes: 1}, {Format: 64, Name: "a2b10g10r10_unorm_pack32", Bits: 10, Planes: 1},
		{Format: 91, Name: "r16g16b16a16_unorm", Bits: 16, Planes: 1}, {Format: 1000156009, Name: "r10x6g10x6b10x6a10x6_unorm_4pack16", Bits: 10, Planes: 1},
		{Format: 1000156019, Name: "r12x4g12x4b12x4a12x4_unorm_4pack16", Bits: 12, Planes: 1}}
	for i, depth := range []struct {
		bits  uint8
		first uint32 // of seven, in this order
		unit  string // how the names write a component
		pack  string
	}{{8, 1000156000, "8", ""}, {10, 1000156010, "10x6", "_%dpack16"}, {12, 1000156020, "12x4", "_%dpack16"}, {16, 1000156027, "16", ""}} {
		add := func(format uint32, channels, form string, planes, words uint8, halfWidth, halfHeight bool) {
			name := ""
			for _, c := range channels {
				if name += string(c); c != '_' {
					name += depth.unit
				}
			}
			if name += "_" + form + "_unorm"; depth.pack != "" {
				name += fmt.Sprintf(depth.pack, words)
			}
			list = append(list, Planar{Format: format, Name: name, Bits: depth.bits, Planes: planes, HalfWidth: halfWidth, HalfHeight: halfHeight})
		}
		add(depth.first, "gbgr", "422", 1, 4, true, false)
		add(depth.first+1, "bgrg", "422", 1, 4, true, false)
		add(depth.first+2, "g_b_r", "3plane_420", 3, 3, true, true)
		add(depth.first+3, "g_br", "2plane_420", 2, 3, true, true)
		add(depth.first+4, "g_b_r", "3plane_422", 3, 3, true, false)
		add(depth.first+5, "g_br", "2plane_422", 2, 3, true, false)
		add(depth.first+6, "g_b_r", "3plane_444", 3, 3, false, false)
		add(1000330000+uint32(i), "g_br", "2plane_444", 2, 3, false, false)
	}
	return list
}

// planar is the row of a conversion's format, nil if conversions do not have it.
func (c *Conversion) planar() *Planar {
	all := Formats()
	for i := range all {
		if all[i].Format == c.Format {
			return &all[i]
		}
	}
	return nil
}

// check says what no conversion has, "" nothing.
func (c *Conversion) check() string {
	switch {
	case c.planar() == nil:
		return fmt.Sprintf("the conversion from YCbCr has format %d, which is none of its formats", c.Format)
	case c.Model > ir.YCbCr2020 || c.Filter > 1:
		return "a model or filter of the conversion from YCbCr does not exist"
	case c.Components != "" && (len(c.Components) != 4 || strings.Trim(c.Components, "rgba01") != ""):
		return fmt.Sprintf("the conversion from YCbCr maps components to %q: want four of rgba01", c.Components)
	}
	return ""
}

// Planes is how many descriptors an element of the binding takes: as many as its conversions have planes
// at most, 1 where there are none.
func (b *Binding) Planes() uint32 {
	n := uint32(1)
	for i := range b.Immutable {
		if c := b.Immutable[i].Conversion; c != nil && c.planar() != nil {
			n = max(n, uint32(c.planar().Planes))
		}
	}
	return n
}

// Descriptors is how many descriptors the binding takes.
func (b *Binding) Descriptors() uint32 { return uint32(b.total()) }

// total is Descriptors of a binding that may have more than there are numbers for.
func (b *Binding) total() uint64 {
	if b.Type == InlineUniformBlock {
		return uint64(min(b.Count, 1))
	}
	return uint64(b.Count) * uint64(b.Planes())
}

// Sampler is the immutable sampler of a descriptor of the binding, which of a plane of chroma has the conversion's filter.
func (b *Binding) Sampler(descriptor uint32) (s SamplerState, ok bool) {
	element, plane := descriptor/b.Planes(), descriptor%b.Planes()
	if element >= uint32(len(b.Immutable)) {
		return s, false
	}
	if s = b.Immutable[element]; s.Conversion != nil && plane > 0 {
		s.MagFilter, s.MinFilter = s.Conversion.Filter, s.Conversion.Filter
	}
	return s, true
}

// Conversions are the conversions of the layout's samplers as passes take them, nil where there are none.
func (l *Layout) Conversions() *ir.YCbCrTable {
	if l == nil {
		return nil
	}
	var t ir.YCbCrTable
	for i := range l.Sets {
		for k := range l.Sets[i].Bindings {
			b := &l.Sets[i].Bindings[k]
			for e := range b.Immutable {
				c := b.Immutable[e].Conversion
				if c == nil {
					continue
				}
				f := c.planar()
				row := ir.YCbCr{Set: l.Sets[i].Set, Binding: b.Binding, Element: int32(e), Model: c.Model, Narrow: c.Narrow, Bits: f.Bits, Planes: f.Planes,
					HalfWidth: f.HalfWidth, HalfHeight: f.HalfHeight, CositedX: !c.MidpointX, CositedY: !c.MidpointY, Linear: c.Filter != 0, Swizzle: c.Components}
				if row.Swizzle == "" {
					row.Swizzle = "rgba"
				}
				t.Rows = append(t.Rows, row)
			}
		}
	}
	if t.Rows == nil {
		return nil
	}
	return &t
}
