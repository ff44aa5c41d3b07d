package passes

import "nirc/ir"

var removeTexShadowPass = &Pass{
	Name: "remove_tex_shadow", Class: "C", Run: removeTexShadow, Idempotent: true,
	Doc: "Samples depth without a comparison, as textures whose comparison is off give it: the first component in place of the result. Works on texture operations before descriptors are lowered.",
}

func removeTexShadow(_ *Context, s *ir.Shader) (bool, error) {
	return eachShadow(s, func(_ *ir.Builder, _, depth *ir.Def) *ir.Def { return depth })
}

// eachShadow makes operations that compare sample plainly; f builds the result of the reference and the depth.
func eachShadow(s *ir.Shader, f func(b *ir.Builder, ref, depth *ir.Def) *ir.Def) (bool, error) {
	var refused error
	progress := eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (changed bool) {
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				if in.Kind != ir.KindTex || !in.TexInfo().IsShadow || refused != nil || in.TexSrc(ir.TexSrcComparator) == nil {
					continue
				}
				if in.TexOp == ir.TexOpTg4 || in.TexInfo().IsSparse {
					refused = refusal(s, in, "a gather that compares, or a comparison with residency, cannot be done by plain sampling")
					continue
				}
				plainShadow(in, f)
				changed = true
			}
		}
		return changed
	})
	return progress, refused
}

func plainShadow(in *ir.Instr, f func(b *ir.Builder, ref, depth *ir.Def) *ir.Def) {
	t, ref := in.TexInfo(), in.TexSrc(ir.TexSrcComparator).Def
	in.RemoveSrc(texSrcAt(t, ir.TexSrcComparator))
	t.IsShadow, t.NewStyleShadow = false, false
	old := int(in.Def.NumComponents)
	in.Def.NumComponents = 4
	b := ir.NewBuilder(ir.After(in))
	b.Shader.SetLoc(in.Loc)
	v := f(b, resizeRef(b, ref, in.Def.BitSize), b.Channel(&in.Def, 0))
	if old > 1 { // all components of old-style results are the comparison's
		v = b.Vec(v, v, v, v)
	}
	in.Def.RewriteUsesAfter(v, v.Instr)
}

// resizeRef gives the reference the size of what is sampled.
func resizeRef(b *ir.Builder, ref *ir.Def, bits uint8) *ir.Def {
	if ref.BitSize == bits {
		return ref
	}
	if ref.BitSize == 16 {
		return b.F2f32(ref)
	}
	return resizeFloat(b, ref, bits)
}

func texSrcAt(t *ir.TexInfo, k ir.TexSrc) int {
	for i, kind := range t.SrcKinds {
		if kind == k {
			return i
		}
	}
	return -1
}
