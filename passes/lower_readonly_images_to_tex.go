package passes

import "nirc/ir"

var lowerReadonlyImagesToTexPass = &Pass{
	Name: "lower_readonly_images_to_tex", Class: "B", Run: lowerReadonlyImages, Idempotent: true, Optional: true,
	Instead: "descriptors: Vulkan's layout says that it is a storage image, which texture operations cannot read on all targets; it stays for drivers that bind both",
	Doc: "Turns loads and queries of storage images that nobody writes into texture operations: image_deref_load into txf or txf_ms, image_deref_size into txs, " +
		"image_deref_levels and image_deref_samples into query_levels and texture_samples. Takes derefs, before lower_image and descriptors. Without per_variable an access must say itself that " +
		"the image is not writeable; with it, an image variable that no instruction of the shader writes and that is not coherent or volatile counts too. Cube maps have no fetches and stay images, as do subpasses.",
	Options: []Option{
		{"per_variable", "images that the shader does not write count as read-only even if they are not declared so and their variable is restrict", false},
	},
}

func lowerReadonlyImages(c *Context, s *ir.Shader) (bool, error) {
	var written []bool
	if c.Bool("per_variable") {
		written = imagesWritten(s)
	}
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (progress bool) {
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				if in.Kind == ir.KindIntrinsic && readsImage(in.Intr) && readOnlyImage(in, written) && imageAsTexture(in) {
					progress = true
				}
			}
		}
		return progress
	}), nil
}

func readsImage(i ir.Intrinsic) bool {
	switch i {
	case ir.IntrImageDerefLoad, ir.IntrImageDerefSparseLoad, ir.IntrImageDerefSize, ir.IntrImageDerefLevels, ir.IntrImageDerefSamples:
		return true
	}
	return false
}

// imagesWritten tells by Variable.ID which images something may write.
func imagesWritten(s *ir.Shader) []bool {
	var written []bool
	mark := func(v *ir.Variable) {
		for int(v.ID) >= len(written) {
			written = append(written, false)
		}
		written[v.ID] = true
	}
	for _, v := range s.Variables {
		// Another variable may name the same image unless this one is restrict.
		if v.Mode == ir.ModeImage && v.Access&ir.AccessRestrict == 0 {
			mark(v)
		}
	}
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for blk := range f.Impl.Blocks() {
			for in := range blk.Instrs() {
				if in.Kind != ir.KindDeref || in.Deref != ir.DerefVar || in.DerefInfo().Modes != ir.ModeImage {
					continue
				}
				if imageUsedToWrite(&in.Def) {
					mark(in.DerefInfo().Var)
				}
			}
		}
	}
	return written
}

// imageUsedToWrite reports whether anything but reads is done through a deref or
// those that come from it.
func imageUsedToWrite(d *ir.Def) bool {
	for u := range d.Uses() {
		switch {
		case u.Instr.Kind == ir.KindDeref && u.Instr.Deref != ir.DerefCast:
			if imageUsedToWrite(&u.Instr.Def) {
				return true
			}
		case u.Instr.Kind == ir.KindTex:
		case u.Instr.Kind != ir.KindIntrinsic || !readsImage(u.Instr.Intr):
			return true
		}
	}
	return false
}

// readOnlyImage reports whether the access is to an image that nobody writes.
// written is nil if only the access itself counts.
func readOnlyImage(in *ir.Instr, written []bool) bool {
	a := ir.Access(in.Get(ir.IdxAccess))
	if a&(ir.AccessVolatile|ir.AccessCoherent) != 0 {
		return false
	}
	if a&ir.AccessNonWriteable != 0 {
		return true
	}
	v := rootVar(in.Srcs[0].Def.Instr)
	if v == nil || v.Access&(ir.AccessVolatile|ir.AccessCoherent) != 0 {
		return false
	}
	return v.Access&ir.AccessNonWriteable != 0 || written != nil && (int(v.ID) >= len(written) || !written[v.ID])
}

// fetchCoords is how many integer coordinates a texture of a shape takes
// without the layer, 0 if it cannot be fetched from.
var fetchCoords = [...]int{ir.Dim1D: 1, ir.Dim2D: 2, ir.Dim3D: 3, ir.DimRect: 2, ir.DimBuf: 1, ir.DimMS: 2, ir.DimSubpassMS: 0}

// imageAsTexture rewrites one access; it reports whether there is such a texture
// operation.
func imageAsTexture(in *ir.Instr) bool {
	dim, array := ir.Dim(in.Get(ir.IdxImageDim)), in.Get(ir.IdxImageArray) != 0
	coords := fetchCoords[dim]
	if coords == 0 {
		return false
	}
	if array {
		coords++
	}
	op, class := ir.TexOpTxs, ir.ClassInt
	switch in.Intr {
	case ir.IntrImageDerefLoad, ir.IntrImageDerefSparseLoad:
		op, class = ir.TexOpTxf, ir.UnpackALUType(in.Get(ir.IdxDestType)).Class
		if dim == ir.DimMS {
			op = ir.TexOpTxfMs
		}
	case ir.IntrImageDerefLevels:
		op = ir.TexOpQueryLevels
	case ir.IntrImageDerefSamples:
		op = ir.TexOpTextureSamples
	}
	if !isTextureAccess(in, op, class, dim, array) {
		return false
	}
	b := builderBefore(in)
	sparse := in.Intr == ir.IntrImageDerefSparseLoad
	fetch := op == ir.TexOpTxf || op == ir.TexOpTxfMs
	comps := in.Def.NumComponents
	if fetch {
		comps = 4
		if sparse {
			comps = 5
		}
	}
	tex := b.Shader.NewTex(op, comps, in.Def.BitSize)
	t := tex.TexInfo()
	t.Dim, t.IsArray, t.IsSparse, t.DestType = dim, array, sparse, ir.ALUType{Class: class, Bits: in.Def.BitSize}
	t.TextureNonUniform = ir.Access(in.Get(ir.IdxAccess))&ir.AccessNonUniform != 0
	b.Shader.AddTexSrc(tex, ir.TexSrcTextureDeref, in.Srcs[0].Def)
	if fetch {
		t.CoordComponents = uint8(coords)
		b.Shader.AddTexSrc(tex, ir.TexSrcCoord, b.Channels(in.Srcs[1].Def, 0, coords))
	}
	switch {
	case op == ir.TexOpTxfMs:
		b.Shader.AddTexSrc(tex, ir.TexSrcMsIndex, in.Srcs[2].Def)
	case op == ir.TexOpTxf && dim != ir.DimBuf && dim != ir.DimRect:
		b.Shader.AddTexSrc(tex, ir.TexSrcLod, in.Srcs[3].Def)
	case op == ir.TexOpTxs && dim != ir.DimBuf && dim != ir.DimRect && dim != ir.DimMS:
		b.Shader.AddTexSrc(tex, ir.TexSrcLod, in.Srcs[1].Def)
	}
	b.Insert(tex)
	in.Def.RewriteUses(fitted(b, &tex.Def, in, sparse))
	in.Remove()
	return true
}

// isTextureAccess reports whether the operation fits the image and the access, of
// which texture instructions demand more than images do.
func isTextureAccess(in *ir.Instr, op ir.TexOp, class ir.TypeClass, dim ir.Dim, array bool) bool {
	switch {
	case op == ir.TexOpTxs:
		n := fetchCoords[dim]
		if array {
			n++
		}
		return int(in.Def.NumComponents) == n
	case op == ir.TexOpTxf || op == ir.TexOpTxfMs:
		texel := in.Srcs[0].Def.Instr.DerefInfo().Type.Texel
		return texel == ir.BaseVoid || class == ir.ClassNone || (class == ir.ClassFloat) == (texel == ir.BaseFloat)
	}
	return true
}

// fitted gives a texture's result the shape of the image load in, whose
// residency code, if sparse, is its last component.
func fitted(b *ir.Builder, d *ir.Def, in *ir.Instr, sparse bool) *ir.Def {
	n := int(in.Def.NumComponents)
	if n == int(d.NumComponents) {
		return d
	}
	if !sparse {
		return b.Channels(d, 0, n)
	}
	sel := make([]int, n)
	for i := range sel {
		sel[i] = i
	}
	sel[n-1] = int(d.NumComponents) - 1
	return b.Swizzle(d, sel...)
}
