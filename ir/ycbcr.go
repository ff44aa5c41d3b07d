package ir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// YCbCr is the conversion that comes with an immutable combined image sampler:
// the facts of VkSamplerYcbcrConversionCreateInfo. Where a binding has one,
// each element of its array is so many descriptors as it has planes, one after
// the other.
type YCbCr struct {
	Set, Binding uint32
	// Element is the one of the binding's array, -1 all.
	Element int32
	Model   YCbCrModel
	// Narrow: luma has 219 and chroma 224 of 256 steps; else both have all.
	Narrow bool
	// Bits of a component in memory, 8 to 16.
	Bits uint8
	// Planes is 1 (all components in one descriptor), 2 (luma; blue and red) or 3 (luma; blue; red).
	Planes uint8
	// HalfWidth and HalfHeight: planes of chroma have half as many texels.
	HalfWidth, HalfHeight bool
	// CositedX and CositedY: samples of chroma lie where the even ones of luma do, else between two.
	CositedX, CositedY bool
	// Linear is the filter of chroma.
	Linear bool
	// Swizzle is the component mapping, of rgba01.
	Swizzle string
}

// YCbCrTable are the conversions of a pipeline layout; the first that fits an element counts.
type YCbCrTable struct{ Rows []YCbCr }

// YCbCrModel is VkSamplerYcbcrModelConversion with its numbers.
type YCbCrModel uint8

// Models. The first leaves components as they are, the second expands their range only.
const (
	YCbCrRGB YCbCrModel = iota
	YCbCrIdentity
	YCbCr709
	YCbCr601
	YCbCr2020
	numYCbCrModels
)

var ycbcrModels = [numYCbCrModels]string{"rgb", "ycbcr", "709", "601", "2020"}

// ycbcrWords are the words of the text form beside models, sizes and mappings.
var ycbcrWords = []struct {
	name string
	set  func(*YCbCr)
	has  func(*YCbCr) bool
}{
	{"full", func(c *YCbCr) { c.Narrow = false }, func(c *YCbCr) bool { return !c.Narrow }},
	{"narrow", func(c *YCbCr) { c.Narrow = true }, func(c *YCbCr) bool { return c.Narrow }},
	{"444", func(c *YCbCr) { c.HalfWidth, c.HalfHeight = false, false }, func(c *YCbCr) bool { return !c.HalfWidth && !c.HalfHeight }},
	{"422", func(c *YCbCr) { c.HalfWidth, c.HalfHeight = true, false }, func(c *YCbCr) bool { return c.HalfWidth && !c.HalfHeight }},
	{"420", func(c *YCbCr) { c.HalfWidth, c.HalfHeight = true, true }, func(c *YCbCr) bool { return c.HalfWidth && c.HalfHeight }},
	{"cosited_x", func(c *YCbCr) { c.CositedX = true }, func(c *YCbCr) bool { return c.CositedX }},
	{"cosited_y", func(c *YCbCr) { c.CositedY = true }, func(c *YCbCr) bool { return c.CositedY }},
	{"nearest", func(c *YCbCr) { c.Linear = false }, func(c *YCbCr) bool { return !c.Linear }},
	{"linear", func(c *YCbCr) { c.Linear = true }, func(c *YCbCr) bool { return c.Linear }},
}

// ParseYCbCr reads SET.BINDING or SET.BINDING.ELEMENT, then words after slashes:
// a model (rgb, ycbcr, 709, 601, 2020), full or narrow, 8bit to 16bit, 1plane to 3plane, 444, 422 or 420,
// cosited_x, cosited_y, nearest or linear, and a component mapping of rgba01. What is not said is
// 601, full, 8bit, 2plane, 420, nearest and rgba.
func ParseYCbCr(text string) (YCbCr, error) {
	c := YCbCr{Element: -1, Model: YCbCr601, Bits: 8, Planes: 2, HalfWidth: true, HalfHeight: true, Swizzle: "rgba"}
	words := strings.Split(text, "/")
	if err := c.parsePlace(words[0]); err != nil {
		return c, fmt.Errorf("%q: %w", text, err)
	}
	for _, w := range words[1:] {
		if !c.word(w) {
			return c, fmt.Errorf("%q: %q is no word of a conversion", text, w)
		}
	}
	return c, nil
}

func (c *YCbCr) parsePlace(text string) error {
	parts := strings.Split(text, ".")
	if len(parts) != 2 && len(parts) != 3 {
		return fmt.Errorf("want SET.BINDING or SET.BINDING.ELEMENT")
	}
	var n [3]uint64
	for i, p := range parts {
		var err error
		if n[i], err = strconv.ParseUint(p, 10, 31); err != nil {
			return fmt.Errorf("want numbers, not %q", p)
		}
	}
	c.Set, c.Binding = uint32(n[0]), uint32(n[1])
	if len(parts) == 3 {
		c.Element = int32(n[2])
	}
	return nil
}

func (c *YCbCr) word(w string) bool {
	if i := slices.Index(ycbcrModels[:], w); i >= 0 {
		c.Model = YCbCrModel(i)
		return true
	}
	for _, row := range ycbcrWords {
		if row.name == w {
			row.set(c)
			return true
		}
	}
	if n, ok := strings.CutSuffix(w, "bit"); ok {
		v, err := strconv.ParseUint(n, 10, 8)
		c.Bits = uint8(v)
		return err == nil && v >= 8 && v <= 16
	}
	if n, ok := strings.CutSuffix(w, "plane"); ok && len(n) == 1 && n[0] >= '1' && n[0] <= '3' {
		c.Planes = n[0] - '0'
		return true
	}
	if len(w) == 4 && strings.Trim(w, "rgba01") == "" {
		c.Swizzle = w
		return true
	}
	return false
}

// String is the text that ParseYCbCr reads.
func (c *YCbCr) String() string {
	place := fmt.Sprintf("%d.%d", c.Set, c.Binding)
	if c.Element >= 0 {
		place += fmt.Sprintf(".%d", c.Element)
	}
	words := []string{place, ycbcrModels[min(c.Model, numYCbCrModels-1)], fmt.Sprintf("%dbit", c.Bits), fmt.Sprintf("%dplane", c.Planes)}
	for _, row := range ycbcrWords {
		if row.has(c) {
			words = append(words, row.name)
		}
	}
	return strings.Join(append(words, c.Swizzle), "/")
}
