package passes

import "nirc/ir"

var lowerDrawpixelsPass = &Pass{
	Name: "lower_drawpixels", Class: "C", Run: lowerDrawpixels,
	Doc: "Draws pixels, as glDrawPixels does, by a textured quad: the colour that a fragment shader reads is the texel, by scale and bias of the push constants, and then by the pixel map, " +
		"a texture that two components at a time are looked up in. Input: a fragment shader after lower_io. Output: texture operations by derefs, before descriptors are lowered. Runs once.",
	Options: append(glTextureOptions[:3:3],
		Option{"color", "location of the colour that the pixels take the place of", 0},
		Option{"push", "offset of scale and bias, two vectors of four floats, in the push constants, -1: none", -1},
		Option{"map", "binding of the pixel map in the same set, -1: none", -1}),
}

func lowerDrawpixels(c *Context, s *ir.Shader) (bool, error) {
	push := c.Int("push")
	if err := checkPush(push); err != nil || s.Stage != ir.StageFragment || c.Int("binding") < 0 {
		return false, err
	}
	if err := checkLocations([]string{"color", "texcoord"}, c.Int("color"), c.Int("texcoord")); err != nil {
		return false, err
	}
	var pixels, table *ir.Variable
	return eachSlot(s, varyingsAt(1<<c.Int("color")), slotLoads, func(b *ir.Builder, in *ir.Instr) (bool, error) {
		if pixels == nil {
			pixels = glTexture(s, c.Int("set"), c.Int("binding"), "pixels")
			if c.Int("map") >= 0 {
				table = glTexture(s, c.Int("set"), c.Int("map"), "pixelmap")
			}
		}
		v := sample2D(b, pixels, texcoordAt(b, c.Int("texcoord")))
		if push >= 0 {
			v = b.Fadd(b.Fmul(v, pushFloats(b, push, 4)), pushFloats(b, push+16, 4))
		}
		if table != nil {
			xy, zw := sample2D(b, table, b.Channels(v, 0, 2)), sample2D(b, table, b.Channels(v, 2, 2))
			v = b.Vec(b.Channel(xy, 0), b.Channel(xy, 1), b.Channel(zw, 0), b.Channel(zw, 1))
		}
		s.Info.NeedsQuadHelpers = true
		replaceLoad(b, in, v)
		return true, nil
	})
}
