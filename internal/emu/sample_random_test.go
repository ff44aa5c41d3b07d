package emu

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSampleAnything samples with random state and coordinates, the odd ones
// among them. Whatever is asked, filtered values lie between the least and the
// greatest texel (the border among them), and nothing panics.
func TestSampleAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	odd := []float32{0, 1, -1, 0.5, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1e30, -1e30, 0.99999994, 1e-40}
	coord := func() float32 {
		if r.IntN(4) == 0 {
			return odd[r.IntN(len(odd))]
		}
		return r.Float32()*4 - 2
	}
	three := func() [3]float32 { return [3]float32{coord(), coord(), coord()} }
	for n := range 20000 {
		d := ImageDesc{Width: 1 + r.IntN(9), Height: 1 + r.IntN(9), Format: FormatByName("R8_UNORM")}
		switch r.IntN(3) {
		case 0:
			d.Depth = 1 + r.IntN(5)
		case 1:
			d.Layers = 1 + r.IntN(13)
			if r.IntN(2) == 0 {
				d.Height = d.Width
			}
		}
		for max(d.Width, d.Height, d.Depth)>>d.Mips > 0 && r.IntN(4) > 0 {
			d.Mips++
		}
		img, err := NewImage(d)
		if err != nil {
			t.Fatal(err)
		}
		for i := range img.Data {
			img.Data[i] = byte(64 + r.IntN(128))
		}
		v := &ImageView{Image: img, BaseMip: r.IntN(img.Mips + 1), Mips: r.IntN(3), BaseLayer: r.IntN(img.Layers + 1), Layers: r.IntN(7)}
		s := Sampler{Mag: Filter(r.IntN(2)), Min: Filter(r.IntN(2)), Mip: MipMode(r.IntN(2)), MaxLod: r.Float32() * 5, MinLod: r.Float32() * 2, LodBias: coord(),
			Anisotropy: float32(r.IntN(9)), Border: BorderColor(r.IntN(7)), CompareOp: CompareOp(r.IntN(8)), Unnormalized: r.IntN(8) == 0,
			NonSeamlessCube: r.IntN(2) == 0, Reduction: Reduction(r.IntN(3))}
		for i := range s.Address {
			s.Address[i] = AddressMode(r.IntN(5))
		}
		op := SampleOp{Dim: TexDim(r.IntN(4)), Array: r.IntN(2) == 0, Layer: coord(), Coord: three(), Gradient: r.IntN(2) == 0, Ddx: three(), Ddy: three(),
			Lod: coord(), Bias: coord(), MinLod: r.Float32(), Compare: r.IntN(4) == 0, Ref: coord()}
		for i := range op.Offset {
			op.Offset[i] = int32(r.Uint32()) >> r.IntN(32)
		}
		texel := v.Sample(&s, &op)
		for _, x := range append(texel[:1:1], v.gatherRed(&s, &op)...) {
			if f := math.Float32frombits(x); !(f >= 0 && f <= 1.000001) || !op.Compare && f != 0 && f < 63.0/255 && !whiteOrBlack(&s) {
				t.Fatalf("%d: %g\n%+v\n%+v\n%+v", n, f, d, s, op)
			}
		}
		v.QueryLod(&s, &op)
		v.Fetch(op.Dim, r.IntN(12)-2, r.IntN(12)-2, r.IntN(8)-2, r.IntN(15)-2, r.IntN(5)-2, r.IntN(3)-1)
	}
}

// whiteOrBlack reports whether the border can mix with the texels.
func whiteOrBlack(s *Sampler) bool {
	for _, a := range s.Address {
		if a == AddressClampToBorder {
			return true
		}
	}
	return false
}

func (v *ImageView) gatherRed(s *Sampler, op *SampleOp) []uint32 {
	t := v.Gather(s, op, 0, nil)
	return t[:]
}
