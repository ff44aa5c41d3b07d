package emu

import "testing"

// TestResidency: texels of which a byte lies in a range without memory are not resident, those beside it are, and so is all that is out
// of bounds or of an image whose memory is whole.
func TestResidency(t *testing.T) {
	v := mustImage(t, ImageDesc{Width: 8, Height: 2, Format: FormatByName("R32_UINT")})
	for _, none := range []*ImageView{nil, {}, v} {
		if none.Residency(Tex2D, 0, 0, 0, 0, 0, 0) != Resident || none.LoadResidency(0, 0, 0, 0, 0) != Resident {
			t.Errorf("%+v is not resident", none)
		}
	}
	v.Image.Unbound = []Unbound{{From: 9, To: 16}, {From: 44, To: 45}}
	for x := -1; x < 9; x++ {
		for y := range 2 {
			want := uint32(Resident)
			if y == 0 && (x == 2 || x == 3) || y == 1 && x == 3 {
				want = NotResident
			}
			if got := v.LoadResidency(x, y, 0, 0, 0); got != want {
				t.Errorf("load of %d, %d: %d, want %d", x, y, got, want)
			}
			if got := v.Residency(Tex2D, x, y, 0, 0, 0, 0); got != want {
				t.Errorf("fetch of %d, %d: %d, want %d", x, y, got, want)
			}
		}
	}
}
