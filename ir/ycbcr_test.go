package ir

import "testing"

func TestYCbCrText(t *testing.T) {
	base := YCbCr{Element: -1, Model: YCbCr601, Bits: 8, Planes: 2, HalfWidth: true, HalfHeight: true, Swizzle: "rgba"}
	with := func(change func(*YCbCr)) YCbCr {
		c := base
		change(&c)
		return c
	}
	for _, c := range []struct {
		text string
		want YCbCr
		back string
	}{
		{"0.0", base, "0.0/601/8bit/2plane/full/420/nearest/rgba"},
		{"3.14", with(func(c *YCbCr) { c.Set, c.Binding = 3, 14 }), "3.14/601/8bit/2plane/full/420/nearest/rgba"},
		{"1.2.0", with(func(c *YCbCr) { c.Set, c.Binding, c.Element = 1, 2, 0 }), "1.2.0/601/8bit/2plane/full/420/nearest/rgba"},
		{"0.0/rgb/narrow/16bit/1plane/444", with(func(c *YCbCr) {
			c.Model, c.Narrow, c.Bits, c.Planes, c.HalfWidth, c.HalfHeight = YCbCrRGB, true, 16, 1, false, false
		}), "0.0/rgb/16bit/1plane/narrow/444/nearest/rgba"},
		{"0.0/ycbcr/narrow/full/3plane/422/linear/cosited_x/cosited_y/1b0r", with(func(c *YCbCr) {
			c.Model, c.Planes, c.HalfHeight, c.Linear, c.CositedX, c.CositedY, c.Swizzle = YCbCrIdentity, 3, false, true, true, true, "1b0r"
		}), "0.0/ycbcr/8bit/3plane/full/422/cosited_x/cosited_y/linear/1b0r"},
		{"0.0/709/linear/nearest/444/420", with(func(c *YCbCr) { c.Model = YCbCr709 }), "0.0/709/8bit/2plane/full/420/nearest/rgba"},
		{"0.0/2020/8bit/10bit", with(func(c *YCbCr) { c.Model, c.Bits = YCbCr2020, 10 }), "0.0/2020/10bit/2plane/full/420/nearest/rgba"},
	} {
		got, err := ParseYCbCr(c.text)
		if err != nil || got != c.want || got.String() != c.back {
			t.Errorf("%s: %s, %v, want %s", c.text, got.String(), err, c.back)
		}
		if again, err := ParseYCbCr(got.String()); err != nil || again != got {
			t.Errorf("%s reads back as %s, %v", got.String(), again.String(), err)
		}
	}
	for _, text := range []string{"", "0", "0.0.0.0", "a.0", "0.-1", "0.2147483648", "0.0/", "0.0/7bit", "0.0/17bit", "0.0/bit", "0.0/0plane", "0.0/4plane", "0.0/22plane", "0.0/rgb0a", "0.0/rgbx", "0.0/411"} {
		if got, err := ParseYCbCr(text); err == nil {
			t.Errorf("%q: %s", text, got.String())
		}
	}
}
