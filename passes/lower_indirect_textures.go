package passes

import "nirc/ir"

var lowerIndirectTexturesPass = &Pass{
	Name: "lower_indirect_textures", For: ir.HasTex | ir.HasWritable, Class: "B", Run: lowerIndirectTextures, Idempotent: true,
	Doc: "Writes texture operations at an index that is not constant as operations on each element, of whose results the index selects one: implicit derivatives stay whole. " +
		"For arrays of known size up to the limit, where the target cannot index: sizes and counts (queries), and operations with more dynamic operands beside the coordinates than fit an instruction (words). " +
		"Takes textures and images by derefs.",
	Options: []Option{
		{"queries", "sizes, levels and sample counts", false},
		{"words", "dynamic words that an operation can have: LOD or bias, three for offsets, the indices of texture and sampler; 0: any", 0},
		{"limit", "elements of the largest array", 64},
	},
}

// textureIndexing is one run.
type textureIndexing struct {
	queries bool
	words   int
	limit   uint32
}

func lowerIndirectTextures(c *Context, s *ir.Shader) (bool, error) {
	l := &textureIndexing{queries: c.Bool("queries"), words: c.Int("words"), limit: uint32(max(0, c.Int("limit")))}
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		var list []*ir.Instr
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				if l.wants(in) {
					list = append(list, in)
				}
			}
		}
		for _, in := range list {
			l.lower(in)
		}
		return len(list) > 0
	}), nil
}

// textureSource is the deref of the texture or image that an instruction
// accesses, nil of others.
func textureSource(in *ir.Instr) *ir.Src {
	switch {
	case in.Kind == ir.KindTex:
		return in.TexSrc(ir.TexSrcTextureDeref)
	case in.IsIntrinsic(ir.IntrImageDerefSize) || in.IsIntrinsic(ir.IntrImageDerefSamples):
		return &in.Srcs[0]
	}
	return nil
}

func isTextureQuery(in *ir.Instr) bool {
	return in.Kind != ir.KindTex || in.TexOp == ir.TexOpTxs || in.TexOp == ir.TexOpQueryLevels || in.TexOp == ir.TexOpTextureSamples
}

func (l *textureIndexing) wants(in *ir.Instr) bool {
	src := textureSource(in)
	if src == nil || !dynamicElement(src.Def) {
		return false
	}
	if n := textureElements(src.Def); n == 0 || n > l.limit {
		return false
	}
	if isTextureQuery(in) {
		return l.queries
	}
	return l.words > 0 && dynamicWords(in) > l.words
}

// dynamicElement reports whether an index on the way to the variable is not constant.
func dynamicElement(d *ir.Def) bool {
	for at := d.Instr; at.Kind == ir.KindDeref && at.Deref == ir.DerefArray; at = at.Srcs[0].Def.Instr {
		if !at.Srcs[1].Def.IsConst() {
			return true
		}
	}
	return false
}

// textureElements is the number of elements of the variable's array, 0 if that is
// not known or the chain is none of arrays.
func textureElements(d *ir.Def) uint32 {
	n, at := uint32(1), d.Instr
	for ; at.Kind == ir.KindDeref && at.Deref == ir.DerefArray; at = at.Srcs[0].Def.Instr {
		size := uint32(max(0, at.Srcs[0].Def.Instr.DerefInfo().Type.Len))
		if size > 1<<12 {
			return 0
		}
		n *= min(size, 1<<12)
		n = min(n, 1<<12)
	}
	if at.Kind != ir.KindDeref || at.Deref != ir.DerefVar {
		return 0
	}
	return n
}

// dynamicWords counts the operands beside the coordinates that want registers.
func dynamicWords(in *ir.Instr) (n int) {
	for i, k := range in.TexInfo().SrcKinds {
		d := in.Srcs[i].Def
		switch k {
		case ir.TexSrcLod, ir.TexSrcBias:
			if c, ok := d.Const(0); !ok || c != 0 {
				n++
			}
		case ir.TexSrcOffset:
			n += 3
		case ir.TexSrcTextureDeref, ir.TexSrcSamplerDeref:
			if dynamicElement(d) {
				n++
			}
		}
	}
	return n
}

// lower replaces an operation by one on each element.
func (l *textureIndexing) lower(in *ir.Instr) {
	b := builderBefore(in)
	src := textureSource(in).Def
	at := elementNumber(b, src)
	var result *ir.Def
	for k := range textureElements(src) {
		d := &cloneAt(b, in, k).Def
		if result != nil {
			d = b.Bcsel(b.Swizzle(b.Ieq(at, b.Imm32(k)), make([]int, d.NumComponents)...), d, result)
		}
		result = d
	}
	in.Def.RewriteUses(result)
	in.Remove()
}

// elementNumber counts the elements of arrays of arrays through.
func elementNumber(b *ir.Builder, d *ir.Def) *ir.Def {
	var sum *ir.Def
	stride := uint32(1)
	for at := d.Instr; at.Deref == ir.DerefArray; at = at.Srcs[0].Def.Instr {
		i := resizeUint(b, at.Srcs[1].Def, 32)
		if stride > 1 {
			i = b.IMulImm(i, int64(stride))
		}
		if sum != nil {
			i = b.Iadd(sum, i)
		}
		sum = i
		stride *= uint32(at.Srcs[0].Def.Instr.DerefInfo().Type.Len)
	}
	return sum
}

// elementAt is the deref of element k along the arrays of d.
func elementAt(b *ir.Builder, d *ir.Def, k uint32) *ir.Def {
	at := d.Instr
	if at.Deref != ir.DerefArray {
		return b.DerefVar(at.DerefInfo().Var)
	}
	size := uint32(at.Srcs[0].Def.Instr.DerefInfo().Type.Len)
	return b.DerefArrayImm(elementAt(b, at.Srcs[0].Def, k/size), int(k%size))
}

// cloneAt copies an operation to element k. A sampler at the same indices of
// an array of the same shape goes along.
func cloneAt(b *ir.Builder, in *ir.Instr, k uint32) *ir.Instr {
	src := textureSource(in).Def
	if in.Kind != ir.KindTex {
		srcs := []*ir.Def{elementAt(b, src, k)}
		for i := 1; i < len(in.Srcs); i++ {
			srcs = append(srcs, in.Srcs[i].Def)
		}
		c := b.Intrinsic(in.Intr, in.Def.NumComponents, in.Def.BitSize, srcs...).CopyIndices(in)
		c.NumComponents = in.NumComponents
		return c
	}
	c := b.Shader.NewTex(in.TexOp, in.Def.NumComponents, in.Def.BitSize)
	*c.TexInfo() = *in.TexInfo()
	c.TexInfo().SrcKinds = nil
	c.TexInfo().TextureNonUniform = false
	for i, kind := range in.TexInfo().SrcKinds {
		d := in.Srcs[i].Def
		switch {
		case kind == ir.TexSrcTextureDeref:
			d = elementAt(b, d, k)
		case kind == ir.TexSrcSamplerDeref && sameElement(d, src):
			d = elementAt(b, d, k)
			c.TexInfo().SamplerNonUniform = false
		}
		b.Shader.AddTexSrc(c, kind, d)
	}
	return b.Insert(c)
}

// sameElement reports whether two derefs take the same indices of arrays of the
// same shape.
func sameElement(x, y *ir.Def) bool {
	a, b := x.Instr, y.Instr
	for ; a.Deref == ir.DerefArray && b.Deref == ir.DerefArray; a, b = a.Srcs[0].Def.Instr, b.Srcs[0].Def.Instr {
		if a.Srcs[1].Def != b.Srcs[1].Def && !equalConst(a.Srcs[1].Def, b.Srcs[1].Def) ||
			a.Srcs[0].Def.Instr.DerefInfo().Type.Len != b.Srcs[0].Def.Instr.DerefInfo().Type.Len {
			return false
		}
	}
	return a.Kind == ir.KindDeref && b.Kind == ir.KindDeref && a.Deref == ir.DerefVar && b.Deref == ir.DerefVar
}

func equalConst(x, y *ir.Def) bool {
	a, ok := x.Const(0)
	b, ok2 := y.Const(0)
	return ok && ok2 && a == b
}
