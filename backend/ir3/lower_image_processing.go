package ir3

import "nirc/ir"

// lowerImageProcessing brings the operands of image processing into the form of the hardware (ir3.md §3.7), as the source
// backend1: of a box its sides in 64ths of a texel in one word and the reciprocal of its area as a half; of a block match the
// reference's place and the size of the blocks, in a word each, and the place in the target as floats.
func lowerImageProcessing(impl *ir.Impl) {
	progress := false
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind != ir.KindTex || in.TexSrc(ir.TexSrcBackend1) != nil {
				continue
			}
			b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
			switch in.TexOp {
			case ir.TexOpBoxFilterQcom:
				box := takeTexSrc(in, ir.TexSrcBoxSize)
				area := b.Fmul(b.Channel(box, 0), b.Channel(box, 1))
				side := func(k int) *ir.Def {
					return b.F2u32(b.FroundEven(b.Fmul(b.Channel(box, k), b.ImmFloat(64, 32))))
				}
				b.Shader.AddTexSrc(in, ir.TexSrcBackend1, b.Vec(packPair(b, side(0), side(1)), b.U2u32(b.F2f16(b.Frcp(area)))))
			case ir.TexOpBlockMatchSadQcom, ir.TexOpBlockMatchSsdQcom:
				ref, size := takeTexSrc(in, ir.TexSrcRefCoord), takeTexSrc(in, ir.TexSrcBlockSize)
				b.Shader.AddTexSrc(in, ir.TexSrcBackend1, b.Vec(packPair(b, b.Channel(ref, 0), b.Channel(ref, 1)), packPair(b, b.Channel(size, 0), b.Channel(size, 1))))
				c := in.TexSrc(ir.TexSrcCoord)
				c.Set(b.Vec(b.U2f32(b.Channel(c.Def, 0)), b.U2f32(b.Channel(c.Def, 1))))
			default:
				continue
			}
			progress = true
		}
	}
	if progress {
		impl.Preserve(ir.MetaControlFlow)
	}
}

// packPair puts two numbers of 16 bits into a word.
func packPair(b *ir.Builder, low, high *ir.Def) *ir.Def {
	return b.Ior(low, b.Ishl(high, b.Imm32(16)))
}

// takeTexSrc removes a source that is there.
func takeTexSrc(in *ir.Instr, k ir.TexSrc) *ir.Def {
	d := in.TexSrc(k).Def
	for i, kind := range in.TexInfo().SrcKinds {
		if kind == k {
			in.RemoveSrc(i)
			break
		}
	}
	return d
}
