package interp

import (
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// TestStrictFetches: where texels have to exist, a fetch of one beyond an end of a level, a layer or a level beyond the last, and the size of a level that is not there,
// are errors; without that demand nothing is.
func TestStrictFetches(t *testing.T) {
	for _, c := range []struct {
		op                   ir.TexOp
		x, y, layer, lod, dx int32
		exists               bool
	}{
		{ir.TexOpTxf, 0, 0, 0, 0, 0, true}, {ir.TexOpTxf, 7, 3, 2, 0, 0, true}, {ir.TexOpTxf, 8, 0, 0, 0, 0, false}, {ir.TexOpTxf, 0, 4, 0, 0, 0, false}, {ir.TexOpTxf, 0, 0, 3, 0, 0, false},
		{ir.TexOpTxf, -1, 0, 0, 0, 0, false}, {ir.TexOpTxf, 3, 1, 2, 1, 0, true}, {ir.TexOpTxf, 4, 0, 0, 1, 0, false}, {ir.TexOpTxf, 0, 0, 0, 2, 0, false}, {ir.TexOpTxf, 0, 0, 0, -1, 0, false},
		{ir.TexOpTxf, 7, 0, 0, 0, 1, false}, {ir.TexOpTxf, 6, 0, 0, 0, 1, true}, {ir.TexOpTxf, 0, 0, 0, 0, -1, false}, {ir.TexOpTxf, 1, 0, 0, 0, -1, true},
		{ir.TexOpTxs, 0, 0, 0, 0, 0, true}, {ir.TexOpTxs, 0, 0, 0, 1, 0, true}, {ir.TexOpTxs, 0, 0, 0, 2, 0, false}, {ir.TexOpTxs, 0, 0, 0, -1, 0, false},
	} {
		for _, strict := range []bool{false, true} {
			k := newBench(t, 4)
			k.texels = strict
			img := picture(t, emu.ImageDesc{Width: 8, Height: 4, Layers: 3, Mips: 2}, "R32G32_SINT")
			k.bind = func(b *emu.Bindings, _ *emu.Memory) {
				b.Set(1, 0, []emu.Descriptor{{Type: emu.DescSampledImage, Image: img}})
			}
			v := k.s.NewVariable(ir.ModeUniform, &ir.Type{Base: ir.BaseTexture, Dim: ir.Dim2D, Arrayed: true, Texel: ir.BaseInt, TexelBits: 32}, "t")
			v.Set, v.Binding, v.HasBinding = 1, 0, true
			b := k.b
			word := func(n int32) *ir.Def { return b.Imm32(uint32(n)) }
			srcs := []texSrc{{ir.TexSrcTextureDeref, b.DerefVar(v)}, {ir.TexSrcLod, word(c.lod)}}
			d := texDesc{op: c.op, dim: ir.Dim2D, array: true, class: ir.ClassInt, comps: 3}
			if c.op == ir.TexOpTxf {
				d.comps = 4
				srcs = append(srcs, texSrc{ir.TexSrcCoord, b.Vec(word(c.x), word(c.y), word(c.layer))}, texSrc{ir.TexSrcOffset, b.Vec(word(c.dx), word(0))})
			}
			k.out(insertTex(b, d, srcs...))
			r := k.run(8)
			if (r.err == nil) != (c.exists || !strict) {
				t.Errorf("%+v, strict %t: %v", c, strict, r.err)
			}
			if want := uint32(1000*c.lod + 100*c.layer + 10*c.y + c.x + c.dx); c.op == ir.TexOpTxf && c.exists && r.at(0, 0) != want {
				t.Errorf("%+v: %d, want %d", c, r.at(0, 0), want)
			}
		}
	}
}
