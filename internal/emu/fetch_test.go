package emu

import "testing"

// TestFetchPlaces fetches at all places in and about small images of every shape, levels and samples included: each is the texel that
// the image has there, and outside of them there is none.
func TestFetchPlaces(t *testing.T) {
	for _, d := range []ImageDesc{
		{Width: 5, Height: 1}, {Width: 3, Height: 1, Layers: 4}, {Width: 5, Height: 3, Mips: 3}, {Width: 4, Height: 3, Layers: 3, Mips: 2}, {Width: 4, Height: 3, Depth: 5, Mips: 3},
		{Width: 4, Height: 4, Layers: 12, Mips: 3}, {Width: 3, Height: 2, Samples: 4}, {Width: 3, Height: 2, Layers: 2, Samples: 2},
	} {
		d.Format = FormatByName("R32_UINT")
		img, err := NewImage(d)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(img.Data); i += 4 {
			img.Data[i], img.Data[i+1] = byte(i/4+1), byte((i/4+1)>>8)
		}
		for _, v := range []ImageView{{Image: img}, {Image: img, BaseLayer: 1, Layers: 2}, {Image: img, BaseMip: 1, Mips: 1}} {
			if v.BaseLayer >= img.Layers || v.BaseMip >= img.Mips {
				continue
			}
			for dim := Tex1D; dim <= TexCube; dim++ {
				fetchAll(t, &v, dim)
			}
		}
	}
}

// fetchAll compares the fetches of a view in a shape with where the image has its texels: level after level, in each layer after layer, slice, row, texel, sample.
func fetchAll(t *testing.T, v *ImageView, dim TexDim) {
	img := v.Image
	samples := max(1, img.Samples)
	start := uint32(0)
	for lod := -1; lod < img.Mips+1; lod++ {
		if lod < 0 || lod >= v.NumMips() {
			if got := v.Fetch(dim, 0, 0, 0, 0, lod, 0); got[0] != 0 {
				t.Fatalf("level %d of %d: %v", lod, v.NumMips(), got)
			}
			continue
		}
		if lod == 0 {
			for m := range v.BaseMip {
				start += uint32(max(1, img.Width>>m) * max(1, img.Height>>m) * max(1, img.Depth>>m) * img.Layers * samples)
			}
		}
		m := v.BaseMip + lod
		w, h, dep := max(1, img.Width>>m), max(1, img.Height>>m), max(1, img.Depth>>m)
		for layer := -1; layer <= v.NumLayers(); layer++ {
			for z := -1; z <= max(dep, 6); z++ {
				for y := -1; y <= h; y++ {
					for x := -1; x <= w; x++ {
						for sample := -1; sample <= samples; sample++ {
							at := [4]int{x, y, z, layer}
							switch dim {
							case Tex1D:
								at[1], at[2] = 0, 0
							case Tex2D:
								at[2] = 0
							case TexCube:
								at[2], at[3] = 0, 6*layer+z
							}
							want := uint32(0)
							if in(at[0], w) && in(at[1], h) && in(at[2], dep) && in(at[3], v.NumLayers()) && in(sample, samples) {
								want = start + uint32(((((v.BaseLayer+at[3])*dep+at[2])*h+at[1])*w+at[0])*samples+sample) + 1
							}
							if got := v.Fetch(dim, x, y, z, layer, lod, sample); got[0] != want {
								t.Fatalf("%dx%dx%d, %d layers: dim %d (%d,%d,%d) layer %d level %d sample %d: %v, want %d", img.Width, img.Height, img.Depth, img.Layers, dim, x, y, z, layer, lod, sample, got, want)
							}
						}
					}
				}
			}
		}
		start += uint32(w * h * dep * img.Layers * samples)
	}
}

// in reports whether n is a number from 0 on below end.
func in(n, end int) bool { return n >= 0 && n < end }
