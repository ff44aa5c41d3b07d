package ir

import "testing"

func TestRobustText(t *testing.T) {
	for _, c := range []struct {
		text string
		want Robust
		back string
	}{
		{"off", Robust{}, "off"},
		{"buffer", Robust{Storage: Robust1, Uniform: Robust1, Vertex: Robust1}, "storage=buffer,uniform=buffer,vertex=buffer"},
		{"buffer2,image", Robust{Storage: Robust2, Uniform: Robust2, Vertex: Robust2, Images: Robust1}, "storage=buffer2,uniform=buffer2,vertex=buffer2,images=image"},
		{"storage=buffer2,uniform=off,images=image2", Robust{Storage: Robust2, Images: Robust2}, "storage=buffer2,images=image2"},
		{"buffer, uniform=off", Robust{Storage: Robust1, Vertex: Robust1}, "storage=buffer,vertex=buffer"},
		{"image2,off", Robust{}, "off"},
	} {
		r, err := ParseRobust(c.text)
		if err != nil || r != c.want || r.String() != c.back {
			t.Errorf("%q: %+v, %q, %v", c.text, r, r, err)
		}
		if again, err := ParseRobust(r.String()); err != nil || again != r {
			t.Errorf("%q reads back as %+v, %v", r, again, err)
		}
	}
	for _, text := range []string{"", "on", "buffer,", "storage=image", "images=buffer2", "sampler=off", "storage", "storage=", "=off", "buffer3"} {
		if r, err := ParseRobust(text); err == nil {
			t.Errorf("%q: %+v", text, r)
		}
	}
}
