package passes

import (
	"cmp"
	"fmt"
	"slices"

	"nirc/internal/lazy"
	"nirc/ir"
)

var lowerCLImagesPass = &Pass{
	Name: "lower_cl_images", Class: "C", Run: lowerCLImages, Idempotent: true,
	Doc: "Numbers the images, textures and samplers that are arguments of a kernel, each kind by itself in the order of the arguments (the variables' locations), and lets what accesses them name them by number. " +
		"Input: a kernel, whose such arguments are variables without a binding; no arrays. Output: bindings of set 0, image intrinsics by number, texture_index and sampler_index.",
	Options: []Option{
		{"images", "image intrinsics by number too; else their derefs stay", true},
		{"samplers", "texture and sampler derefs by number too", true},
		{"sets", "each kind has a descriptor set of its own: images 0, textures 1, samplers 2; else the kinds share the numbers of set 0", false},
	},
}

// clKinds are the kinds of arguments that are numbered, each by itself.
var clKinds = []func(*ir.Type) bool{
	func(t *ir.Type) bool { return t.Base == ir.BaseImage },
	func(t *ir.Type) bool { return t.Base == ir.BaseTexture || t.Base == ir.BaseSampledImage },
	func(t *ir.Type) bool { return t.Base == ir.BaseSampler },
}

func lowerCLImages(c *Context, s *ir.Shader) (bool, error) {
	if s.Stage != ir.StageKernel && !s.Info.Kernel {
		return false, nil
	}
	progress, err := numberArguments(s, c.Bool("sets"))
	if err != nil {
		return false, err
	}
	n := &clNumbers{s: s, images: c.Bool("images"), samplers: c.Bool("samplers")}
	lowered := eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (did bool) {
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				did = n.lower(in) || did
			}
		}
		return did
	})
	return progress || lowered, n.err
}

// clNumbers is one run.
type clNumbers struct {
	s                *ir.Shader
	images, samplers bool
	err              error
}

func (n *clNumbers) lower(in *ir.Instr) bool {
	switch {
	case n.err != nil:
		return false
	case in.Kind == ir.KindIntrinsic:
		return n.images && numberImage(in)
	case in.Kind != ir.KindTex || !n.samplers:
		return false
	}
	t := in.TexInfo()
	var texture, sampler bool
	if texture, n.err = lowerSampler(n.s, in, ir.TexSrcTextureDeref, ir.TexSrcTextureOffset, &t.TextureIndex); n.err == nil {
		sampler, n.err = lowerSampler(n.s, in, ir.TexSrcSamplerDeref, ir.TexSrcSamplerOffset, &t.SamplerIndex)
	}
	return texture || sampler
}

// numberArguments gives the arguments their bindings.
func numberArguments(s *ir.Shader, sets bool) (progress bool, err error) {
	for _, is := range clKinds {
		var list []*ir.Variable
		for _, v := range s.Variables {
			if v.Mode&(ir.ModeUniform|ir.ModeImage) == 0 || !is(v.Type.WithoutArray()) {
				continue
			}
			if v.Type.IsArray() {
				return false, RefusalAt(s, nil, fmt.Sprintf("argument %q: arrays of images are not supported in kernels", v.Name))
			}
			if !v.HasBinding {
				list = append(list, v)
			}
		}
		slices.SortStableFunc(list, func(a, b *ir.Variable) int { return cmp.Compare(a.Location, b.Location) })
		for _, v := range slices.Backward(list) { // what is counted has no binding yet
			v.Set, v.Binding = s.ArgumentBinding(v, sets)
			v.HasBinding, progress = true, true
		}
	}
	return progress, nil
}

// imageNumbers are the intrinsics that take an image by deref, and those that take its number.
var imageNumbers = lazy.Value[map[ir.Intrinsic]ir.Intrinsic]{Make: func() map[ir.Intrinsic]ir.Intrinsic {
	return map[ir.Intrinsic]ir.Intrinsic{
		ir.IntrImageDerefLoad: ir.IntrImageLoad, ir.IntrImageDerefSparseLoad: ir.IntrImageSparseLoad, ir.IntrImageDerefStore: ir.IntrImageStore,
		ir.IntrImageDerefAtomic: ir.IntrImageAtomic, ir.IntrImageDerefAtomicSwap: ir.IntrImageAtomicSwap, ir.IntrImageDerefSize: ir.IntrImageSize,
		ir.IntrImageDerefLevels: ir.IntrImageLevels, ir.IntrImageDerefSamples: ir.IntrImageSamples, ir.IntrImageDerefTexelAddress: ir.IntrImageTexelAddress,
	}
}}

// numberImage names an image by its number.
func numberImage(in *ir.Instr) bool {
	to, ok := imageNumbers.Get()[in.Intr]
	if !ok {
		return false
	}
	d := in.Srcs[0].Def.Instr
	if d.Deref != ir.DerefVar || !d.DerefInfo().Var.HasBinding {
		return false
	}
	v := d.DerefInfo().Var
	b := builderBefore(in)
	srcs := []*ir.Def{b.Imm32(v.Binding)}
	for i := 1; i < len(in.Srcs); i++ {
		srcs = append(srcs, in.Srcs[i].Def)
	}
	n := b.Intrinsic(to, in.Def.NumComponents, in.Def.BitSize, srcs...).CopyIndices(in)
	n.Set(ir.IdxAccess, in.Get(ir.IdxAccess)|uint64(v.Access))
	if in.HasDef() {
		in.Def.RewriteUses(&n.Def)
	}
	in.Remove()
	removeDeadDerefs(d)
	return true
}
