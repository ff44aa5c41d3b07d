package emu

import (
	"math"
	"testing"
)

func byteView(t *testing.T, w, h int, texels ...byte) *ImageView {
	t.Helper()
	img, err := NewImage(ImageDesc{Width: w, Height: h, Format: FormatByName("R8_UNORM")})
	if err != nil {
		t.Fatal(err)
	}
	copy(img.Data, texels)
	return &ImageView{Image: img}
}

// TestSumsOfMissingComponents: components that a format lacks are 0, and alpha 1, whatever weights and differences are
// (Vulkan 1.3, Conversion to RGBA); a view's swizzle comes last.
func TestSumsOfMissingComponents(t *testing.T) {
	s := &Sampler{Unnormalized: true, Address: [3]AddressMode{AddressClampToEdge, AddressClampToEdge, AddressClampToEdge}}
	a, b := byteView(t, 2, 2, 255, 0, 51, 102), byteView(t, 2, 2, 0, 255, 51, 0)
	one := float32(1)
	for _, c := range []struct {
		name string
		got  [4]uint32
		want [4]float32
	}{
		{"absolute differences", MatchBlocks(s, Block{View: a}, Block{View: b}, [2]int{2, 2}, false, Lookup{}), [4]float32{2.4, 0, 0, one}},
		{"squares", MatchBlocks(s, Block{View: a}, Block{View: b}, [2]int{2, 2}, true, Lookup{}), [4]float32{2.16, 0, 0, one}},
		{"beyond the edge", MatchBlocks(s, Block{View: a, At: [2]int{1, 1}}, Block{View: b}, [2]int{2, 1}, false, Lookup{}), [4]float32{1, 0, 0, one}},
		{"a box", a.BoxFilter(s, &SampleOp{Dim: Tex2D, Coord: [3]float32{1, 1}}, [2]float64{2, 2}, 0.25), [4]float32{0.4, 0, 0, one}},
		{"no weights", a.SampleWeighted(s, &SampleOp{Dim: Tex2D}, b), [4]float32{}},
		{"no view", (*ImageView)(nil).BoxFilter(s, &SampleOp{Dim: Tex2D}, [2]float64{1, 1}, 1), [4]float32{}},
	} {
		for k, w := range c.want {
			if g := math.Float32frombits(c.got[k]); !(math.Abs(float64(g-w)) <= 1e-6) {
				t.Errorf("%s: component %d is %v, want %v", c.name, k, g, w)
			}
		}
	}
	a.Swizzle = [4]Select{SelectOne, SelectR, SelectZero, SelectR}
	got := MatchBlocks(s, Block{View: a}, Block{View: b}, [2]int{2, 2}, false, Lookup{})
	if g := math.Float32frombits(got[1]); math.Float32frombits(got[0]) != 1 || !(math.Abs(float64(g)-2.4) <= 1e-6) || got[2] != 0 || got[3] != got[1] {
		t.Errorf("swizzled: %#x", got)
	}
}

// TestBlocksOfNoNumbers: a block match with what cannot be filtered (no view, no image, integers, layers beyond the image), as either of the two, is zero
// in all components.
func TestBlocksOfNoNumbers(t *testing.T) {
	s := &Sampler{Unnormalized: true}
	integers, err := NewImage(ImageDesc{Width: 2, Height: 2, Format: FormatByName("R8_UINT")})
	if err != nil {
		t.Fatal(err)
	}
	good, beyond := byteView(t, 2, 2, 1, 2, 3, 4), byteView(t, 2, 2, 5, 6, 7, 8)
	beyond.BaseLayer, beyond.Layers = -1, 1
	for name, bad := range map[string]*ImageView{"no view": nil, "no image": {}, "integers": {Image: integers}, "layers beyond the image": beyond} {
		for k, pair := range [][2]*ImageView{{bad, good}, {good, bad}, {bad, bad}} {
			if got := MatchBlocks(s, Block{View: pair[0]}, Block{View: pair[1]}, [2]int{2, 2}, false, Lookup{}); got != [4]uint32{} {
				t.Errorf("%s, order %d: %#x", name, k, got)
			}
		}
	}
	if got := MatchBlocks(s, Block{View: good}, Block{View: good}, [2]int{2, 2}, false, Lookup{}); got == [4]uint32{} {
		t.Error("numbers match as if they were none")
	}
}
