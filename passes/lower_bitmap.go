package passes

import "nirc/ir"

// glTextureOptions place the texture that OpenGL's raster operations draw.
var glTextureOptions = []Option{
	{"set", "descriptor set of the combined image and sampler", 0},
	{"binding", "its binding, -1: the pass does nothing", -1},
	{"texcoord", "location of the texture coordinates", 0},
}

var lowerBitmapPass = &Pass{
	Name: "lower_bitmap", Class: "C", Run: lowerBitmap,
	Doc: "Draws a bitmap, as glBitmap does, by a textured quad: a fragment ends where the texel is not 0. Input: a fragment shader after lower_io. Output: at its start a texture " +
		"operation by derefs, before descriptors are lowered. Runs once.",
	Options: append(glTextureOptions[:3:3], Option{"component", "the component that has the bit: 0 or 3", 0}),
}

func lowerBitmap(c *Context, s *ir.Shader) (bool, error) {
	f := s.Entry()
	if s.Stage != ir.StageFragment || c.Int("binding") < 0 || f == nil || f.Impl == nil {
		return false, nil
	}
	b := ir.NewBuilder(ir.AtStart(f.Impl.Start()))
	s.SetLoc(0)
	texel := sample2D(b, glTexture(s, c.Int("set"), c.Int("binding"), "bitmap"), texcoordAt(b, c.Int("texcoord")))
	b.Effect(ir.IntrTerminateIf, b.Fneu(b.Channel(texel, c.Int("component")&3), b.ImmFloat(0, 32)))
	s.Info.UsesDiscard, s.Info.NeedsQuadHelpers = true, true
	f.Impl.Preserve(ir.MetaControlFlow)
	return true, nil
}

// glTexture is a variable for a combined image and sampler of two dimensions.
func glTexture(s *ir.Shader, set, binding int, name string) *ir.Variable {
	v := s.NewVariable(ir.ModeUniform, &ir.Type{Base: ir.BaseSampledImage, Dim: ir.Dim2D, Texel: ir.BaseFloat, TexelBits: 32}, name)
	v.Set, v.Binding, v.HasBinding = uint32(set), uint32(binding), true
	return v
}

// texcoordAt interpolates the texture coordinates at a location.
func texcoordAt(b *ir.Builder, location int) *ir.Def {
	slot := ir.SlotVar0 + ir.Slot(location&(maxLocations-1))
	bary := &b.Intrinsic(ir.IntrLoadBarycentricPixel, 2, 32).Set(ir.IdxInterpMode, uint64(ir.InterpSmooth)).Def
	l := b.Intrinsic(ir.IntrLoadInterpolatedInput, 2, 32, bary, b.Imm32(0))
	l.Set(ir.IdxBase, uint64(slot)).Set(ir.IdxDestType, floatType.Pack()).Set(ir.IdxIoSemantics, ir.IOSemantics{Location: slot, NumSlots: 1}.Pack())
	return &l.Def
}

// sample2D samples a texture at coordinates of two components.
func sample2D(b *ir.Builder, v *ir.Variable, at *ir.Def) *ir.Def {
	d := b.DerefVar(v)
	tex := b.Shader.NewTex(ir.TexOpTex, 4, 32)
	t := tex.TexInfo()
	t.Dim, t.CoordComponents, t.DestType = ir.Dim2D, 2, floatType
	b.Shader.AddTexSrc(tex, ir.TexSrcTextureDeref, d)
	b.Shader.AddTexSrc(tex, ir.TexSrcSamplerDeref, d)
	b.Shader.AddTexSrc(tex, ir.TexSrcCoord, at)
	b.Insert(tex)
	return &tex.Def
}
