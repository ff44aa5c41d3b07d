package passes

import "nirc/ir"

var legalize16BitSamplerSrcsPass = &Pass{
	Name: "legalize_16bit_sampler_srcs", Class: "B", Run: implPass(ir.MetaControlFlow, legalize16BitSamplerSrcs), Idempotent: true,
	Instead: "hardware: no pipeline makes sources of 16 bits (opt_16bit_tex_image without sources); it stays for those that do",
	Doc: "Makes the float sources of each texture operation one size: where some have 16 and some 32 bits, the halves are widened. " +
		"For targets that have one size bit for all of them, after opt_16bit_tex_image and rules.",
}

func legalize16BitSamplerSrcs(impl *ir.Impl) (progress bool) {
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind != ir.KindTex {
				continue
			}
			wide := false
			for i, k := range in.TexInfo().SrcKinds {
				wide = wide || isFloatSource(in, k) && in.Srcs[i].Def.BitSize == 32
			}
			if !wide {
				continue
			}
			b := builderBefore(in)
			for i, k := range in.TexInfo().SrcKinds {
				if isFloatSource(in, k) && in.Srcs[i].Def.BitSize == 16 {
					in.Srcs[i].Set(b.F2f32(in.Srcs[i].Def))
					progress = true
				}
			}
		}
	}
	return progress
}
