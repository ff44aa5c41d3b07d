package passes

import (
	"slices"

	"nirc/ir"
)

var opt16BitTexImagePass = &Pass{
	Name: "opt_16bit_tex_image", Class: "B", Run: opt16BitTexImage, Idempotent: true, Optional: true,
	Doc: "Folds conversions into texture operations and image loads and stores: a float result that is only narrowed to 16 bits is made so, a stored texel that is a widened 16-bit float is stored as that, " +
		"and coordinates, LODs and other float sources that are all widened 16-bit values become those. For targets whose texture unit has the 16-bit forms. " +
		"Conversions fold that round as the unit does, by the target's options to nearest or toward zero; where a shader does not say how it rounds, both are right.",
	Options: []Option{
		{"dest", "results of texture operations and image loads", true},
		{"store", "values of image stores", true},
		{"sources", "float sources of texture operations, all of one or none", false},
		{"rtz", "the unit rounds toward zero, whatever the target's options say", false},
	},
}

func opt16BitTexImage(c *Context, s *ir.Shader) (bool, error) {
	dest, store, sources := c.Bool("dest"), c.Bool("store"), c.Bool("sources")
	folds := conversionsLike(s, c.Bool("rtz") || s.Options.CutsTexels)
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (progress bool) {
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				if dest && canGive16(in) && onlyNarrowed(&in.Def, folds) {
					foldNarrowing(in)
					progress = true
				}
				if sources && in.Kind == ir.KindTex {
					progress = foldWideSources(in) || progress
				}
				if store && storesFloat(in) {
					progress = foldWideTexel(in) || progress
				}
			}
		}
		return progress
	}), nil
}

// canGive16 reports whether in reads 32-bit floats of a texture or image.
func canGive16(in *ir.Instr) bool {
	float32 := ir.ALUType{Class: ir.ClassFloat, Bits: 32}
	switch {
	case !in.HasDef() || in.Def.BitSize != 32:
		return false
	case in.Kind == ir.KindTex:
		t := in.TexInfo()
		return t.DestType == float32 && !t.IsSparse && !in.TexOp.Info().Query && in.TexOp != ir.TexOpLod && !processesImage(in.TexOp)
	case in.Kind != ir.KindIntrinsic:
		return false
	}
	switch in.Intr {
	case ir.IntrImageDerefLoad, ir.IntrImageLoad, ir.IntrBindlessImageLoad:
		return ir.UnpackALUType(in.Get(ir.IdxDestType)) == float32
	}
	return false
}

// processesImage reports whether an operation sums many texels: there are no halves of those.
func processesImage(op ir.TexOp) bool {
	return op == ir.TexOpSampleWeightedQcom || op == ir.TexOpBoxFilterQcom || op == ir.TexOpBlockMatchSadQcom || op == ir.TexOpBlockMatchSsdQcom
}

// conversionsLike lists the conversions to halves that may round as a unit does that rounds toward zero, or to nearest even.
func conversionsLike(s *ir.Shader, cuts bool) []ir.Op {
	own, other := ir.OpF2f16Rtne, ir.FCRoundRTZ
	if cuts {
		own, other = ir.OpF2f16Rtz, ir.FCRoundRTE
	}
	if s.Info.FloatControls.Has(other, 16) {
		return []ir.Op{ir.OpF2fmp, own}
	}
	return []ir.Op{ir.OpF2fmp, own, ir.OpF2f16}
}

// onlyNarrowed reports whether all that uses d converts it to a half by one of some conversions.
func onlyNarrowed(d *ir.Def, by []ir.Op) bool {
	for u := d.FirstUse(); u != nil; u = u.NextUse() {
		if u.Instr == nil || u.Instr.Kind != ir.KindALU || !slices.Contains(by, u.Instr.Op) {
			return false
		}
	}
	return !d.Unused()
}

// set16 makes the result of a texture operation or image load a half.
func set16(in *ir.Instr) {
	in.Resize(16)
	half := ir.ALUType{Class: ir.ClassFloat, Bits: 16}
	if in.Kind == ir.KindTex {
		in.TexInfo().DestType = half
		return
	}
	in.Set(ir.IdxDestType, half.Pack())
}

// foldNarrowing makes the result a half; the conversions become moves.
func foldNarrowing(in *ir.Instr) {
	set16(in)
	for u := range in.Def.Uses() {
		u.Instr.Become(ir.OpMov)
	}
}

// isWidened tells a half converted to 32 bits.
func isWidened(in *ir.Instr) bool {
	return in.IsALU(ir.OpF2f32) && in.Srcs[0].Def.BitSize == 16
}

// areWidened reports whether d is a converted half, or a vector of such.
func areWidened(d *ir.Def) bool {
	in := d.Instr
	if !in.IsVec() {
		return isWidened(in)
	}
	for i := range in.Srcs {
		if !isWidened(in.Srcs[i].Def.Instr) {
			return false
		}
	}
	return true
}

// halvesOf is what d is converted from, if areWidened.
func halvesOf(b *ir.Builder, d *ir.Def) *ir.Def {
	in := d.Instr
	if !in.IsVec() {
		return srcValue(b, in, 0)
	}
	comps := make([]*ir.Def, len(in.Srcs))
	for i := range in.Srcs {
		x := in.Srcs[i].Def.Instr
		comps[i] = b.Channel(x.Srcs[0].Def, x.Srcs[0].Swizzle.Lane(in.Srcs[i].Swizzle.Lane(0)))
	}
	return b.Vec(comps...)
}

// isFloatSource tells the sources of a texture operation that are floats.
func isFloatSource(in *ir.Instr, k ir.TexSrc) bool {
	switch k {
	case ir.TexSrcCoord, ir.TexSrcLod:
		return !in.TexOp.Info().IntCoords && !in.TexOp.Info().Query
	case ir.TexSrcProjector, ir.TexSrcComparator, ir.TexSrcBias, ir.TexSrcMinLod, ir.TexSrcDdx, ir.TexSrcDdy:
		return true
	}
	return false
}

// foldWideSources makes the float sources halves if all of them are widened.
func foldWideSources(in *ir.Instr) (any bool) {
	for i, k := range in.TexInfo().SrcKinds {
		if isFloatSource(in, k) && !areWidened(in.Srcs[i].Def) {
			return false
		}
	}
	b := builderBefore(in)
	for i, k := range in.TexInfo().SrcKinds {
		if isFloatSource(in, k) {
			in.Srcs[i].Set(halvesOf(b, in.Srcs[i].Def))
			any = true
		}
	}
	return any
}

// storesFloat tells the stores of 32-bit float texels.
func storesFloat(in *ir.Instr) bool {
	if in.Kind != ir.KindIntrinsic {
		return false
	}
	switch in.Intr {
	case ir.IntrImageDerefStore, ir.IntrImageStore, ir.IntrBindlessImageStore:
		return in.Srcs[3].Def.BitSize == 32 && ir.UnpackALUType(in.Get(ir.IdxSrcType)).Class == ir.ClassFloat
	}
	return false
}

func foldWideTexel(in *ir.Instr) bool {
	if !areWidened(in.Srcs[3].Def) {
		return false
	}
	in.Srcs[3].Set(halvesOf(builderBefore(in), in.Srcs[3].Def))
	in.Set(ir.IdxSrcType, ir.ALUType{Class: ir.ClassFloat, Bits: 16}.Pack())
	return true
}
